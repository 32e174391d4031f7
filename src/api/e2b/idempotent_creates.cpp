#include "api/e2b/idempotent_creates.hpp"

#include "base/result.hpp"

#include <algorithm>

namespace atl::api::e2b {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kIdempotencyKeyBytesMax = 255;

bool is_idempotency_key(const std::string& key) {
    return !key.empty() && key.size() <= kIdempotencyKeyBytesMax &&
           std::all_of(key.begin(), key.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

IdempotentCreates::Attempt::Attempt(std::shared_ptr<IdempotentCreates> of, Name name,
                                    EntryPtr entry)
    : of_(std::move(of)), name_(std::move(name)), entry_(std::move(entry)) {
    ++entry_->attempts;
}

IdempotentCreates::Attempt::~Attempt() {
    if (!entry_ || --entry_->attempts > 0 || entry_->made) return;
    // It made nothing, so there is nothing to remember.
    const auto found = of_->entries_.find(name_);
    if (found != of_->entries_.end() && found->second == entry_) of_->entries_.erase(found);
}

void IdempotentCreates::forget_old() {
    const auto until = clock_.now() - kKeepTime;
    std::erase_if(entries_, [&](const auto& entry) {
        return entry.second->attempts == 0 && entry.second->since <= until;
    });
}

void IdempotentCreates::make_room(Entries::iterator first, Entries::iterator last,
                                  std::size_t most) {
    if (static_cast<std::size_t>(std::distance(first, last)) < most) return;
    auto oldest = last;
    for (; first != last; ++first) {
        if (first->second->attempts > 0) continue;
        if (oldest == last || first->second->since < oldest->second->since) oldest = first;
    }
    if (oldest == last) {
        throw ErrorException({Code::Exhausted,
                              "too many requests with an Idempotency-Key are under way; wait for "
                              "one of them"});
    }
    entries_.erase(oldest);
}

asio::awaitable<IdempotentCreates::Attempt> IdempotentCreates::begin(std::string owner,
                                                                     std::string key,
                                                                     core::Sha256 request) {
    if (!is_idempotency_key(key)) {
        throw ErrorException(
            {Code::InvalidArgument, "Idempotency-Key: use 1 to 255 letters, digits and hyphens"});
    }
    forget_old();
    const Name name(std::move(owner), std::move(key));
    auto found = entries_.find(name);
    if (found == entries_.end()) {
        const auto same_owner = [&](auto from) {
            return std::find_if(from, entries_.end(),
                                [&](const auto& one) { return one.first.first != name.first; });
        };
        const auto first = entries_.lower_bound(Name(name.first, ""));
        make_room(first, same_owner(first), kOwnerKeysMax);
        make_room(entries_.begin(), entries_.end(), kKeysMax);
        auto entry = std::make_shared<Entry>();
        entry->request = request;
        entry->since = clock_.now();
        found = entries_.emplace(name, std::move(entry)).first;
    } else if (found->second->request != request) {
        throw ErrorException(
            {Code::Conflict, "this Idempotency-Key was used for another request; use a new one"});
    }
    Attempt attempt(shared_from_this(), name, found->second);
    attempt.turn_.emplace(co_await attempt.entry_->mutex.lock());
    co_return attempt;
}

}  // namespace atl::api::e2b
