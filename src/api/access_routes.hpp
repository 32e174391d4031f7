#pragma once
// /v1/keys, /v1/sessions/{id}/tokens and /v1/audit: who may do what, and who did.
#include "api/api.hpp"
#include "api/keys.hpp"
#include "api/tokens.hpp"
#include "core/store.hpp"
#include "sessions/sessions.hpp"

namespace atl::api {

void add_access_routes(Api& api, KeyRing& keys, const Signer& signer, sessions::Sessions& sessions,
                       core::Store& store);

}  // namespace atl::api
