#pragma once
// envd's process.Process: programs and terminals in a sandbox, as the client libraries of E2B start
// and follow them.
//
// A program outlives the call that started it: a client that leaves may come back by pid. What ends
// it is its own end, a signal, the deadline of the call that started it, or the end of the sandbox.
#include "api/api.hpp"
#include "api/e2b/process_registry.hpp"
#include "sessions/processes.hpp"
#include "sessions/sessions.hpp"

#include <memory>

namespace atl::api::e2b {

void add_process_service(Api& api, sessions::Sessions& sessions, sessions::Processes& processes,
                         std::shared_ptr<ProcessRegistry> registry);

}  // namespace atl::api::e2b
