#pragma once
// envd's filesystem.Filesystem: files of a sandbox by path, and folders that are watched.
//
// Everything happens in the guest with the rights of the sandbox's user, wherever in the sandbox
// that user may go.
#include "api/api.hpp"
#include "api/e2b/watchers.hpp"
#include "sessions/sessions.hpp"

#include <memory>

namespace atl::api::e2b {

void add_filesystem_service(Api& api, sessions::Sessions& sessions,
                            std::shared_ptr<Watchers> watchers);

}  // namespace atl::api::e2b
