#pragma once
// Creates that are sent again: a client that heard no answer sends its request once more with the
// same Idempotency-Key, and gets the sandbox that the first one made.
//
//     auto attempt = co_await creates.begin(owner, key, sha256(body));   // one after the other
//     if (const auto made = attempt.made()) …                            // by an earlier one
//     attempt.made(record.id);
//
// Owns      the keys that were used in the last kKeepTime: kOwnerKeysMax of an owner, kKeysMax in
//           all. One more makes the oldest be forgotten. All are forgotten with the server.
// Threads   one, the executor's.
// Trusts    nobody: a key is its owner's alone, and with another request it is refused.
#include "base/id.hpp"
#include "core/clock.hpp"
#include "core/records.hpp"
#include "sessions/fifo_mutex.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace atl::api::e2b {

class IdempotentCreates : public std::enable_shared_from_this<IdempotentCreates> {
public:
    static constexpr std::size_t kOwnerKeysMax = 256;
    static constexpr std::size_t kKeysMax = 10'000;
    static constexpr std::chrono::minutes kKeepTime{10};

    explicit IdempotentCreates(core::Clock& clock = core::system_clock()) : clock_(clock) {}

private:
    using Name = std::pair<std::string, std::string>;  // owner and key
    struct Entry {
        core::Sha256 request{};
        core::Moment since{};
        std::optional<SessionId> made;
        std::size_t attempts = 0;  // under way
        sessions::FifoMutex mutex;
    };
    using EntryPtr = std::shared_ptr<Entry>;

public:
    // While it lives, others with this key wait.
    class [[nodiscard]] Attempt {
    public:
        Attempt(std::shared_ptr<IdempotentCreates> of, Name name, EntryPtr entry);
        Attempt(Attempt&&) noexcept = default;
        Attempt& operator=(Attempt&&) = delete;
        ~Attempt();
        [[nodiscard]] const std::optional<SessionId>& made() const noexcept { return entry_->made; }
        void made(SessionId id) { entry_->made = std::move(id); }

    private:
        friend class IdempotentCreates;
        std::shared_ptr<IdempotentCreates> of_;
        Name name_;
        EntryPtr entry_;
        std::optional<sessions::FifoMutex::Guard> turn_;
    };

    // Throws ErrorException: InvalidArgument (no key), Conflict (it was used for something else),
    // Exhausted.
    boost::asio::awaitable<Attempt> begin(std::string owner, std::string key, core::Sha256 request);
    [[nodiscard]] std::size_t count() const noexcept { return entries_.size(); }

private:
    using Entries = std::map<Name, EntryPtr>;
    void forget_old();
    // Makes room for one more among [first, last), if there are `most`.
    void make_room(Entries::iterator first, Entries::iterator last, std::size_t most);

    core::Clock& clock_;
    Entries entries_;
};

}  // namespace atl::api::e2b
