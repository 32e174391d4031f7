#pragma once
// A streaming call with backpressure: the caller requests one piece after the other, and the guest
// gets credit for a piece when the next one is requested. So no more than the credit of one channel
// is held here, however slow the reader is.
//
//     Transfer transfer(link, request);
//     while (auto piece = co_await transfer.next()) co_await exchange.write(piece->bytes);
//     co_await transfer.end();
//
// Owns      its channel: destroyed in mid-transfer, it cancels the operation.
// Threads   the link's one. One coroutine asks at a time, another may send.
// Trusts    nothing that the guest says; the link bounds how much of it there is.
#include "guest_client/guest_link.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace atl::guest_client {

class Transfer {
public:
    struct Piece {
        enum class Kind { Data, Stdout, Stderr, Event };
        Kind kind = Kind::Data;
        std::string bytes;
        boost::json::object event;
        std::size_t cost = 0;
    };

    Transfer(std::shared_ptr<GuestLink> link, const boost::json::object& request);
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;

    // Nothing at the end, whether it was a good one or not: end() says.
    boost::asio::awaitable<std::optional<Piece>> next();
    // The end's object. Throws ErrorException. Pieces that nobody asked for are dropped.
    boost::asio::awaitable<boost::json::object> end();

    // The bytes must stay until it returns. False when the operation has ended.
    boost::asio::awaitable<bool> send(std::string_view bytes);
    void send_end();

    // What came along with an event; none when there was none.
    [[nodiscard]] UniqueFd take_descriptor() { return std::move(descriptor_); }
    // Whoever waits in next() gets nothing, and end() this.
    void stop(Error why);

private:
    void add(Piece piece);
    void pay();

    std::deque<Piece> pieces_;
    std::size_t owed_ = 0;  // for the piece that is being dealt with
    UniqueFd descriptor_;
    std::optional<Result<boost::json::object>> result_;
    boost::asio::steady_timer news_;
    Channel channel_;  // the last, for its handlers refer to the rest
};

}  // namespace atl::guest_client
