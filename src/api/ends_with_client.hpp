#pragma once
// Ends a transfer whose client has left.
//
// The program in the sandbox that packs or unpacks runs as the sandbox's user, so other code there
// can stop it. Without this, a client that left would keep its request, and with it the session,
// awake for as long as that lasts. One that has only ended its side may still listen, so it has a
// while.
#include "core/clock.hpp"
#include "guest_client/transfer.hpp"
#include "net/exchange.hpp"

#include <chrono>

namespace atl::api {

class EndsWithClient {
public:
    // Both must outlive it.
    EndsWithClient(net::Exchange& exchange, guest_client::Transfer& transfer)
        : late_(exchange.executor(), core::system_clock()),
          gone_(exchange.on_gone([this, &exchange, &transfer] {
              late_.expires_after(exchange.connection_broken() ? std::chrono::seconds{0}
                                                               : kPatience);
              late_.then([&transfer] {
                  transfer.stop({Code::Unavailable, "the client has gone"});
              });
          })) {}
    EndsWithClient(const EndsWithClient&) = delete;
    EndsWithClient& operator=(const EndsWithClient&) = delete;

private:
    static constexpr std::chrono::seconds kPatience{60};

    core::Timer late_;
    const net::Callbacks::Guard gone_;  // the last: its callback refers to the rest
};

}  // namespace atl::api
