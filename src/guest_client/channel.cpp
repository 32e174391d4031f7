#include "guest_client/channel.hpp"

#include "base/as_tuple.hpp"
#include "base/must.hpp"
#include "guest_client/guest_link.hpp"

#include <boost/asio/use_awaitable.hpp>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

Channel::State::State(ChannelId number, std::shared_ptr<const ChannelHandlers> calls,
                      const asio::any_io_executor& executor, std::size_t event_bytes_max)
    : id(number),
      handlers(std::move(calls)),
      events(event_bytes_max),
      changed(executor, asio::steady_timer::time_point::max()) {}

Channel& Channel::operator=(Channel&& other) noexcept {
    if (this == &other) return *this;
    abandon();
    link_ = std::move(other.link_);
    state_ = std::move(other.state_);
    return *this;
}

asio::awaitable<json::object> Channel::end() const {
    must(state_ != nullptr, "only a channel that was opened has an end");
    return wait(state_);
}

// Not a member: the handle may go, or be moved, while somebody waits.
asio::awaitable<json::object> Channel::wait(std::shared_ptr<State> state) {
    while (state->open()) { co_await state->changed.async_wait(kAsTuple); }
    if (!state->result) throw ErrorException({Code::Unavailable, "the call was given up"});
    if (!*state->result) throw ErrorException(state->result->error());
    co_return std::move(**state->result);
}

void Channel::grant(std::size_t bytes) const {
    if (open()) link_->grant(*state_, bytes);
}

void Channel::control(const json::object& command) const {
    if (open()) link_->control(*state_, command);
}

void Channel::eof() const {
    if (open()) link_->eof(*state_);
}

asio::awaitable<bool> Channel::data(std::string bytes) const {
    return GuestLink::data(link_, state_, std::move(bytes));
}

asio::awaitable<bool> Channel::lend(std::string_view bytes) const {
    return GuestLink::lend(link_, state_, bytes);
}

void Channel::abandon() noexcept {
    // Moved out first: letting go of the handlers may lead back here.
    const auto state = std::move(state_);
    const auto link = std::move(link_);
    if (state) link->abandon(*state);
}

}  // namespace atl::guest_client
