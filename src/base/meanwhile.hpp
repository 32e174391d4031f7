#pragma once
// Something that goes on while its starter does something else.
//
//     Meanwhile<Record> stored(executor, store.create(record));
//     …                                          // without waiting for it
//     record = co_await stored.result();         // throws what it threw
//
// Begun at once. Asked for its result by one, once; who never asks leaves it to end by itself, so
// it owns what it needs. Threads: the executor's one.
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace atl {

template <class T>
class Meanwhile {
public:
    Meanwhile(boost::asio::any_io_executor executor, boost::asio::awaitable<T> work)
        : state_(std::make_shared<State>(executor)) {
        boost::asio::co_spawn(executor, std::move(work),
                              [state = state_](std::exception_ptr failed, T value) {
                                  state->failed = failed;
                                  if (!failed) state->value.emplace(std::move(value));
                                  state->over = true;
                                  state->ended.cancel();
                              });
    }

    boost::asio::awaitable<T> result() {
        const auto state = state_;
        while (!state->over) {
            co_await state->ended.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        }
        if (state->failed) std::rethrow_exception(state->failed);
        co_return std::move(*state->value);
    }

private:
    struct State {
        explicit State(boost::asio::any_io_executor executor)
            : ended(executor, boost::asio::steady_timer::time_point::max()) {}
        std::optional<T> value;
        std::exception_ptr failed;
        bool over = false;
        boost::asio::steady_timer ended;
    };
    std::shared_ptr<State> state_;
};

}  // namespace atl
