#include "guest_client/transfer.hpp"
#include "base/as_tuple.hpp"

#include <boost/asio/use_awaitable.hpp>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kJoinedBytesMax = 16 * 1024;

}  // namespace

Transfer::Transfer(std::shared_ptr<GuestLink> link, const json::object& request)
    : news_(link->executor(), asio::steady_timer::time_point::max()) {
    ChannelHandlers handlers;
    handlers.event = [this](json::object one) {
        Piece piece;
        piece.kind = Piece::Kind::Event;
        piece.event = std::move(one);
        add(std::move(piece));
    };
    handlers.output = [this](core::Stream stream, std::string_view bytes) {
        Piece piece;
        piece.kind = stream == core::Stream::Stdout ? Piece::Kind::Stdout : Piece::Kind::Stderr;
        piece.bytes = bytes;
        add(std::move(piece));
    };
    handlers.data = [this](std::string_view bytes) {
        Piece piece;
        piece.bytes = bytes;
        add(std::move(piece));
    };
    handlers.cost = [this](std::size_t bytes) {
        // Follows the piece that it is for at once; one of no bytes costs nothing.
        if (!pieces_.empty()) pieces_.back().cost += bytes;
    };
    handlers.descriptor = [this](UniqueFd fd) { descriptor_ = std::move(fd); };
    handlers.ended = [this](const Result<json::object>& result) {
        result_.emplace(result);
        news_.cancel();
    };
    channel_ = link->open(request, std::move(handlers));
}

asio::awaitable<std::optional<Transfer::Piece>> Transfer::next() {
    pay();
    while (pieces_.empty() && !result_) { co_await news_.async_wait(kAsTuple); }
    std::optional<Piece> piece;
    if (!pieces_.empty()) {
        piece.emplace(std::move(pieces_.front()));
        pieces_.pop_front();
        owed_ = piece->cost;
    }
    co_return piece;
}

asio::awaitable<json::object> Transfer::end() {
    for (bool more = true; more;) {
        const auto dropped = co_await next();
        more = dropped.has_value();
    }
    if (!*result_) throw ErrorException(result_->error());
    co_return std::move(**result_);
}

asio::awaitable<bool> Transfer::send(std::string_view bytes) { return channel_.lend(bytes); }

void Transfer::send_end() { channel_.eof(); }

void Transfer::stop(Error why) {
    if (result_) return;
    channel_.abandon();
    pieces_.clear();
    result_.emplace(std::move(why));
    news_.cancel();
}

// Small pieces of the same kind become one: credit bounds their bytes, not what a record of each
// takes.
void Transfer::add(Piece piece) {
    const bool joins = !pieces_.empty() && piece.kind != Piece::Kind::Event &&
                       pieces_.back().kind == piece.kind &&
                       pieces_.back().bytes.size() + piece.bytes.size() <= kJoinedBytesMax;
    if (joins) {
        pieces_.back().bytes += piece.bytes;
    } else {
        pieces_.push_back(std::move(piece));
    }
    news_.cancel();
}

void Transfer::pay() {
    if (owed_ > 0) channel_.grant(owed_);
    owed_ = 0;
}

}  // namespace atl::guest_client
