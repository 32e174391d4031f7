#pragma once
// The control API of E2B: /sandboxes, /v2/sandboxes, /snapshots, /templates, and the paths of older
// SDKs as aliases. A sandbox is a session; what is done to it here shows at /v1/sessions, too.
//
// These routes are not in the server's own OpenAPI document: they are another project's API
// (docs/e2b-compatibility.md). What does not exist here is refused with a sentence that says so.
#include "api/api.hpp"
#include "api/e2b/access.hpp"
#include "api/e2b/gateway.hpp"
#include "sessions/sessions.hpp"

namespace atl::api::e2b {

// All are borrowed and outlive the routes.
struct ControlParts {
    sessions::Sessions& sessions;
    const Access& access;
    const Gateway& gateway;
};
void add_control_routes(Api& api, ControlParts parts);

// The pieces of it.
void add_sandbox_routes(Api& api, ControlParts parts);
void add_snapshot_routes(Api& api, ControlParts parts);
void add_metric_routes(Api& api, ControlParts parts);
void add_template_routes(Api& api, ControlParts parts);

}  // namespace atl::api::e2b
