#pragma once
// envd's /files: a file's bytes out, and files in, as a form or as they are.
//
// Nothing is held but a buffer: a download goes from the disk to the socket, an upload into a
// hidden file that takes its name when all of it is there. Bytes are counted after unpacking.
#include "api/api.hpp"
#include "sessions/sessions.hpp"

namespace atl::api::e2b {

void add_envd_files(Api& api, sessions::Sessions& sessions);

}  // namespace atl::api::e2b
