#include "sessions/names.hpp"

#include "base/at_exit.hpp"
#include "base/result.hpp"
#include "sessions/sessions.hpp"

#include <algorithm>

namespace atl::sessions {

namespace asio = boost::asio;
using core::Whose;

namespace {

constexpr std::size_t kChosenBytesMax = 128;
constexpr std::size_t kRandomLetters = 32;  // of random_id()

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool looks_like_id(std::string_view text) {
    if (text.starts_with("s-")) return true;
    if (!text.starts_with(kOfThread)) return false;
    text.remove_prefix(kOfThread.size());
    return text.size() == kRandomLetters && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7');
           });
}

void check_name(std::string_view name) {
    if (!looks_like_id(name)) return;
    throw ErrorException({Code::InvalidArgument, "name: \"" + std::string(name) +
                                                     "\" looks like an id of the server's; choose "
                                                     "one that does not begin with s-"});
}

void check_chosen_id(std::string_view id) {
    const bool fits = !id.empty() && id.size() <= kChosenBytesMax &&
                      is_letter_or_digit(id.front()) &&
                      std::all_of(id.begin(), id.end(), [](char c) {
                          return is_letter_or_digit(c) ||
                                 std::string_view("._:@=+-").find(c) != std::string::npos;
                      });
    if (fits) return;
    throw ErrorException({Code::InvalidArgument,
                          "session_id: an id that you choose has 1 to 128 letters, digits and "
                          "._:@=+- and begins with a letter or a digit"});
}

asio::awaitable<SessionId> Sessions::resolve(Whose whose, SessionId id) {
    if (!whose.owner() || looks_like_id(id.text())) co_return id;
    try {
        const auto record = co_await store_.session_named(*whose.owner(), id.text());
        co_return record.id;
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound) throw;
    }
    co_return id;
}

asio::awaitable<Use> Sessions::use_or_make(NewSession wanted, Made made) {
    const auto whose = Whose::of(wanted.owner);
    const SessionId named(wanted.name);
    const auto is_there = [&]() -> asio::awaitable<std::optional<Use>> {
        try {
            co_return co_await use(whose, named);
        } catch (const ErrorException& error) {
            if (error.error.code != Code::NotFound || looks_like_id(named.text())) throw;
        }
        co_return std::nullopt;
    };
    if (auto found = co_await is_there()) co_return std::move(*found);
    check_chosen_id(wanted.name);
    // One at a time: whoever waited finds it, and no sandbox is made for nothing.
    const std::pair key(wanted.owner, wanted.name);
    auto& entry = first_uses_[key];
    if (!entry) entry = std::make_shared<FifoMutex>();
    const std::shared_ptr<FifoMutex> mutex = entry;
    const AtExit forget([&] {
        if (mutex.use_count() == 2) first_uses_.erase(key);  // the map's and ours
    });
    const auto lock = co_await mutex->lock();
    if (auto found = co_await is_there()) co_return std::move(*found);
    try {
        const auto record = co_await create(std::move(wanted));
        if (made) made(record.id);
    } catch (const ErrorException& error) {
        // Created in between, by another route.
        if (error.error.code != Code::Conflict) throw;
    }
    co_return co_await use(whose, named);
}

}  // namespace atl::sessions
