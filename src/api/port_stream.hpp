#pragma once
// A connection to a port inside a sandbox, as a stream of bytes: the guest dials, the link carries.
//
// Owns      its channel of the link, which is given up when it is closed or destroyed.
// Threads   the server's one.
// Trusts    nothing. The guest may send what its credit allows, 256 KiB and a frame; it gets more
//           only for what was read, so a slow reader slows down the server in the sandbox.
#include "guest_client/guest_link.hpp"
#include "net/byte_stream.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace atl::api {

class PortStream final : public net::ByteStream {
public:
    // Throws net::Problem: 502 when nobody listens there, 504 when nobody takes the connection.
    static boost::asio::awaitable<std::unique_ptr<PortStream>> dial(
        std::shared_ptr<guest_client::GuestLink> link, boost::asio::any_io_executor executor,
        int port, std::chrono::milliseconds patience);

    boost::asio::awaitable<std::size_t> read_some(std::span<char> into) override;
    boost::asio::awaitable<void> write_all(std::string_view bytes) override;
    void shutdown_write() override;
    void close() override;

private:
    PortStream(guest_client::GuestLink& link, boost::asio::any_io_executor executor, int port);

    void event(const boost::json::object& event);
    void data(std::string_view piece);
    void cost(std::size_t bytes);
    void ended(const Result<boost::json::object>& result);

    bool connected_ = false;  // somebody listens
    bool their_end_ = false;
    std::optional<Error> failed_;
    std::string in_;
    std::size_t in_at_ = 0;
    bool heard_data_ = false;
    boost::asio::steady_timer came_;
    guest_client::Channel channel_;  // the last, for its handlers refer to the rest
};

}  // namespace atl::api
