#pragma once
// How a sandbox is taken up again, and how its life is made longer; for routes of the control API
// and for traffic that wakes a paused one.
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>

namespace atl::api::e2b {

inline constexpr std::chrono::seconds kDefaultTimeout{300};
inline constexpr std::chrono::seconds kTimeoutMax{std::chrono::hours{24 * 30}};

// Wakes it; it runs for `timeout` from now on.
boost::asio::awaitable<core::SessionRecord> resume(sessions::Sessions& sessions, core::Whose whose,
                                                   SessionId id, std::chrono::seconds timeout);
// Of one that runs: never shorter than it was. A session without an end has none afterwards.
boost::asio::awaitable<core::SessionRecord> extend(sessions::Sessions& sessions, core::Whose whose,
                                                   SessionId id, std::chrono::seconds timeout);

}  // namespace atl::api::e2b
