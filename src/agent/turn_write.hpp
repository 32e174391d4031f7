#pragma once
// Idempotent writes of a turn's messages: the caller always knows whether they were stored.
//
//     write ──▶ answered
//       └──▶ the answer got lost ──▶ again, with the same mark: the store knows whether it happened
//
// Threads   one, the awaiting coroutine's.
// On failure ErrorException: what the store says. Unavailable, after trying for a while: whether it
//           was written is not known, and the sentence says so.
#include "core/threads.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>

namespace atl::agent {

enum class After { GoesOn, Ends };

inline constexpr std::chrono::milliseconds kWriteTime = std::chrono::seconds{10};

boost::asio::awaitable<void> write_surely(core::Threads& store, core::TurnHold hold,
                                          std::vector<core::ThreadMessage> messages, After after,
                                          std::chrono::milliseconds time = kWriteTime);

}  // namespace atl::agent
