#pragma once
// What handlers of many resources read out of a request in the same way.
#include "api/api.hpp"
#include "core/records.hpp"

namespace atl::api {

// Whose records the caller may see.
[[nodiscard]] core::Whose whose(const net::Exchange& exchange);
// The session that the path names.
[[nodiscard]] SessionId session_in(const net::Exchange& exchange);
// Whether it asks for events in place of one answer.
[[nodiscard]] bool wants_events(const net::Request& request);

}  // namespace atl::api
