#pragma once
// /v1/keys, /v1/tokens, /v1/sessions/{id}/tokens and /v1/audit: who may do what, and who did.
#include "api/api.hpp"
#include "api/keys.hpp"
#include "api/tokens.hpp"
#include "core/store.hpp"
#include "sessions/sessions.hpp"

#include <chrono>

namespace atl::api {

struct PageTokenLife {
    std::chrono::milliseconds each{900'000};    // of a token
    std::chrono::milliseconds all{43'200'000};  // from the key to the last that is renewed
};

void add_access_routes(Api& api, KeyRing& keys, const Signer& signer, sessions::Sessions& sessions,
                       core::Store& store, PageTokenLife life);

}  // namespace atl::api
