#include "sessions/call.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <optional>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

struct Listener : Sink {
    CallHandlers handlers;
    std::optional<Result<json::object>> result;
    asio::steady_timer ended;

    Listener(asio::any_io_executor executor, CallHandlers given)
        : handlers(std::move(given)), ended(executor, asio::steady_timer::time_point::max()) {}

    void event(json::object one) override {
        if (handlers.event) handlers.event(std::move(one));
    }
    void output(wire::Kind kind, std::string_view piece) override {
        if (handlers.output) handlers.output(kind, piece);
    }
    void data(std::string_view piece) override {
        if (handlers.data) handlers.data(piece);
    }
    void owes(std::size_t bytes) override { handlers.cost(bytes); }
    void interrupted(const std::string& context) override {
        if (handlers.interrupted) handlers.interrupted(context);
    }
    void end(Result<json::object> outcome) override {
        result.emplace(std::move(outcome));
        ended.cancel();
    }
};

// A channel whose sink goes away must not be left open.
class Opened {
public:
    Opened(std::shared_ptr<GuestLink> link, ChannelId channel, const Listener& listener)
        : link_(std::move(link)), channel_(channel), listener_(listener) {}
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
    ~Opened() {
        if (listener_.result || !link_->alive()) return;
        link_->control(channel_, {{"do", "cancel"}});
        link_->abandon(channel_);
    }

private:
    std::shared_ptr<GuestLink> link_;
    ChannelId channel_;
    const Listener& listener_;
};

}  // namespace

asio::awaitable<json::object> Call::run(json::object request, CallHandlers handlers) {
    const auto executor = co_await asio::this_coro::executor;
    const auto source = std::move(handlers.source);
    const auto credit = handlers.cost ? Credit::ByHand : Credit::WhenHeard;
    Listener listener(executor, std::move(handlers));
    channel_ = link_->open(request, listener, credit);
    const Opened opened(link_, channel_, listener);
    while (source && !listener.result) {
        std::string piece = co_await source();
        if (piece.empty()) {
            link_->eof(channel_);
            break;
        }
        if (!co_await link_->data(channel_, std::move(piece))) break;
    }
    while (!listener.result) {
        co_await listener.ended.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    if (!*listener.result) throw ErrorException(listener.result->error());
    co_return std::move(**listener.result);
}

void Call::control(const json::object& command) { link_->control(channel_, command); }

}  // namespace atl::sessions
