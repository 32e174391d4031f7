#pragma once
// Replays the events of a turn from the store: for clients that resume after this server has
// dropped it, or that follow a turn of another server.
//
// Threads   one, the executor's.
// Promises  ends when the turn has ended, its server's lease has run out, or `given_up` says so.
// Trusts    the store.
// On failure ErrorException of the store.
#include "agent/live_turn.hpp"
#include "core/threads.hpp"

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>

namespace atl::agent {

// Fills the turn's log and outcome, but for the last event: that is the caller's, an error if there
// is one. Turns that are under way are waited for.
boost::asio::awaitable<std::optional<Error>> retell(core::Threads& store,
                                                    std::shared_ptr<LiveTurn> turn,
                                                    core::ThreadRecord thread, std::uint64_t number,
                                                    std::function<bool()> given_up);

}  // namespace atl::agent
