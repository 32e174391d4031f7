#pragma once
// envd: the service that clients of the E2B API expect in each sandbox, at port 49983. Here it is
// this server that answers, at /e2b/sandboxes/{id}/envd/….
//
// Processes (process_service.hpp), files by call (filesystem_service.hpp) and by HTTP
// (envd_files.hpp), and what tells how the sandbox is.
#include "api/api.hpp"
#include "api/e2b/process_registry.hpp"
#include "api/e2b/watchers.hpp"
#include "sessions/processes.hpp"
#include "sessions/sessions.hpp"

#include <memory>

namespace atl::api::e2b {

// What is kept for clients between two calls, by sandbox. Forget what belongs to one that is gone.
struct EnvdState {
    std::shared_ptr<ProcessRegistry> processes = std::make_shared<ProcessRegistry>();
    std::shared_ptr<Watchers> watchers = std::make_shared<Watchers>();

    void forget(const SessionId& session) const {
        processes->forget(session);
        watchers->forget(session);
    }
};

void add_envd_routes(Api& api, sessions::Sessions& sessions, sessions::Processes& processes,
                     const EnvdState& state);

}  // namespace atl::api::e2b
