#pragma once
// The code interpreter: the service that clients of the E2B API expect in a sandbox at port 49999,
// at /e2b/sandboxes/{id}/interpreter/….
//
// A run is one of sessions/execution.hpp; a client that leaves ends its run and keeps the context.
#include "api/api.hpp"
#include "api/e2b/interpreter_contexts.hpp"
#include "sessions/sessions.hpp"

#include <memory>

namespace atl::api::e2b {

void add_interpreter_routes(Api& api, sessions::Sessions& sessions,
                            std::shared_ptr<InterpreterContexts> contexts);

}  // namespace atl::api::e2b
