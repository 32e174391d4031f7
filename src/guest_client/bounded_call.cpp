#include "guest_client/bounded_call.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace asio::experimental::awaitable_operators;

namespace {

asio::awaitable<bool> pass(core::Clock& clock, std::chrono::milliseconds time) {
    core::Timer timer(co_await asio::this_coro::executor, clock);
    timer.expires_after(time);
    co_await timer.wait();
    co_return true;
}

// A failure as a value: `||` would wait for the other side's success instead.
asio::awaitable<Result<json::object>> attempt(std::shared_ptr<GuestLink> link,
                                              json::object request) {
    std::optional<Error> failed;
    try {
        co_return co_await link->call(std::move(request));
    } catch (const ErrorException& error) { failed = error.error; }
    co_return *failed;
}

}  // namespace

asio::awaitable<std::optional<json::object>> call_within(std::chrono::milliseconds time,
                                                         std::shared_ptr<GuestLink> link,
                                                         json::object request) {
    auto& clock = link->clock();
    auto either = attempt(std::move(link), std::move(request)) || pass(clock, time);
    auto first = co_await std::move(either);
    if (first.index() == 1) co_return std::nullopt;
    co_return std::move(std::get<0>(first)).value();
}

}  // namespace atl::guest_client
