#pragma once
// The API keys, all of them in memory: checking a request's key does not wait for the store.
//
//     atl_<id, 16 letters>_<secret, 52 letters: 256 random bits>
//     e2b_<id, 20 hex digits><secret, 64 of them>    for clients that take no other form
//
// Owns      nothing but its copy; the store has the records, with the secrets' SHA-256 alone.
// Threads   the server's one. One server has the data folder, so nobody changes keys behind it.
// Trusts    nothing in a key's text.
#include "base/scope.hpp"
#include "core/store.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::api {

inline constexpr std::string_view kKeyPrefix = "atl_";
inline constexpr std::string_view kE2bKeyPrefix = "e2b_";
// By its form, which says nothing about whether it is good.
[[nodiscard]] bool looks_like_key(std::string_view text);
inline constexpr std::size_t kKeysMax = 10'000;
// Who owns what is made on this machine without a key, and with the first one.
inline constexpr std::string_view kLocalOwner = "local";

struct MadeKey {
    core::KeyRecord record;
    std::string text;  // seen here and never again
};

class KeyRing {
public:
    KeyRing(boost::asio::any_io_executor executor, core::Store& store)
        : store_(store), touching_(executor) {}

    // Once, before anything else.
    boost::asio::awaitable<void> load();
    // In its place, when the store cannot say which keys there are: nobody comes in without one.
    void lock() noexcept { locked_ = true; }
    // A key of the settings, for an administrator; it is in no list and cannot be revoked.
    void add_fixed(std::string_view text);

    enum class Form { Atoll, E2b };
    // Exhausted when there are too many. `scopes` were checked before.
    boost::asio::awaitable<MadeKey> make(std::string owner, std::string name,
                                         std::vector<std::string> scopes,
                                         std::optional<core::Time> expires_at,
                                         Form form = Form::Atoll);
    boost::asio::awaitable<core::KeyRecord> revoke(KeyId id);

    // Null when it is no key of ours, revoked, or past its end: one answer for all of these.
    [[nodiscard]] const core::KeyRecord* find(std::string_view text, core::Time now) const;
    // The key of this id, if it is still good: for tokens that it asked for. Else null.
    [[nodiscard]] const core::KeyRecord* good(const std::string& id, core::Time now) const;
    [[nodiscard]] bool is_good(const std::string& id, core::Time now) const {
        return good(id, now) != nullptr;
    }
    // Notes that it was used; the store hears of it now and then.
    void touch(const KeyId& id, core::Time now);
    // Before it goes: waits for what the store was told.
    boost::asio::awaitable<void> stop() { return touching_.join(); }

    // Whether there ever was a key. Revoking the last one must not open the door.
    [[nodiscard]] bool any() const noexcept {
        return locked_ || !keys_.empty() || fixed_.has_value();
    }
    // Whether somebody could come in with one, as far as is known.
    [[nodiscard]] bool any_good(core::Time now) const;

private:
    core::Store& store_;
    std::map<std::string, core::KeyRecord, std::less<>> keys_;
    std::map<std::string, core::Time> written_;  // last_used_at as the store has it
    std::optional<core::KeyRecord> fixed_;
    bool locked_ = false;
    Scope touching_;  // writes of last_used_at that are under way
};

}  // namespace atl::api
