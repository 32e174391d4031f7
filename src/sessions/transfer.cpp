#include "sessions/transfer.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;

Transfer::Transfer(std::shared_ptr<GuestLink> link, const json::object& request)
    : link_(std::move(link)), news_(link_->executor(), asio::steady_timer::time_point::max()) {
    channel_ = link_->open(request, *this, Credit::ByHand);
}

Transfer::~Transfer() {
    if (!result_) link_->abandon(channel_);
}

asio::awaitable<std::optional<Transfer::Piece>> Transfer::next() {
    pay();
    while (pieces_.empty() && !result_) {
        co_await news_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
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

asio::awaitable<bool> Transfer::send(std::string_view bytes) {
    return link_->lend(channel_, bytes);
}

void Transfer::send_end() { link_->eof(channel_); }

void Transfer::stop(Error why) {
    if (result_) return;
    link_->abandon(channel_);
    pieces_.clear();
    result_.emplace(std::move(why));
    news_.cancel();
}

void Transfer::event(json::object one) {
    Piece piece;
    piece.kind = wire::Kind::Event;
    piece.event = std::move(one);
    pieces_.push_back(std::move(piece));
    news_.cancel();
}

void Transfer::output(wire::Kind kind, std::string_view bytes) {
    Piece piece;
    piece.kind = kind;
    piece.bytes = bytes;
    pieces_.push_back(std::move(piece));
    news_.cancel();
}

void Transfer::data(std::string_view bytes) { output(wire::Kind::Data, bytes); }

void Transfer::owes(std::size_t bytes) {
    // Follows the piece that it is for at once; one of no bytes costs nothing.
    if (!pieces_.empty()) pieces_.back().cost += bytes;
}

void Transfer::end(Result<json::object> result) {
    result_.emplace(std::move(result));
    news_.cancel();
}

void Transfer::pay() {
    if (owed_ > 0 && !result_) link_->grant(channel_, owed_);
    owed_ = 0;
}

}  // namespace atl::sessions
