#pragma once
// A connection to a port inside a sandbox, as a stream of bytes: the guest dials, the link carries.
//
// Owns      its channel of the link, which is given up when it is closed or destroyed.
// Threads   the server's one.
// Trusts    nothing. The guest may send ahead what its credit allows, 256 KiB and a frame; it gets
//           more only for what was read, so a slow reader slows the server in the sandbox.
#include "net/byte_stream.hpp"
#include "sessions/guest_link.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace atl::api {

class PortStream final : public net::ByteStream, private sessions::Sink {
public:
    // Throws net::Problem: 502 when nobody listens there, 504 when nobody takes the connection.
    static boost::asio::awaitable<std::unique_ptr<PortStream>> dial(
        std::shared_ptr<sessions::GuestLink> link, boost::asio::any_io_executor executor, int port,
        std::chrono::milliseconds patience);
    ~PortStream() override { close(); }

    boost::asio::awaitable<std::size_t> read_some(std::span<char> into) override;
    boost::asio::awaitable<void> write_all(std::string_view bytes) override;
    void shutdown_write() override;
    void close() override;

private:
    PortStream(std::shared_ptr<sessions::GuestLink> link, boost::asio::any_io_executor executor);

    void event(boost::json::object event) override;
    void data(std::string_view piece) override;
    void eof() override;
    void owes(std::size_t bytes) override;
    void end(Result<boost::json::object> result) override;

    std::shared_ptr<sessions::GuestLink> link_;
    sessions::ChannelId channel_ = 0;
    bool open_ = false;       // the link knows us
    bool connected_ = false;  // somebody listens
    bool their_end_ = false;
    std::optional<Error> failed_;
    std::string in_;
    std::size_t in_at_ = 0;
    bool heard_data_ = false;
    boost::asio::steady_timer came_;
};

}  // namespace atl::api
