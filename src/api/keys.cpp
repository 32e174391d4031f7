#include "api/keys.hpp"

#include "api/scopes.hpp"
#include "api/secrets.hpp"
#include "base/encoding.hpp"

#include <algorithm>

namespace atl::api {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kIdBytes = 10;
constexpr std::size_t kKeySecretBytes = 32;
constexpr std::size_t kKeyTextBytesMax = 512;
constexpr std::chrono::minutes kTouchEvery{1};
constexpr std::uint32_t kPage = 1000;

std::string hex_of(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        const auto value = static_cast<unsigned char>(byte);
        text.push_back(kDigits[value >> 4]);
        text.push_back(kDigits[value & 15]);
    }
    return text;
}

// The id that a key names, as the records have it; empty: it is no key.
std::string id_in_key(std::string_view text) {
    if (text.starts_with(kKeyPrefix)) {
        text.remove_prefix(kKeyPrefix.size());
        return std::string(text.substr(0, text.find('_')));
    }
    if (!text.starts_with(kE2bKeyPrefix)) return {};
    text.remove_prefix(kE2bKeyPrefix.size());
    if (text.size() != 2 * (kIdBytes + kKeySecretBytes)) return {};
    std::string bytes;
    for (std::size_t i = 0; i < 2 * kIdBytes; i += 2) {
        const int high = hex_value(text[i]), low = hex_value(text[i + 1]);
        if (high < 0 || low < 0) return {};
        bytes.push_back(static_cast<char>(high << 4 | low));
    }
    return letters_of(bytes);
}

bool is_good_record(const core::KeyRecord& key, core::Time now) {
    return !key.revoked_at && (!key.expires_at || *key.expires_at > now);
}

}  // namespace

bool looks_like_key(std::string_view text) {
    return text.starts_with(kKeyPrefix) || text.starts_with(kE2bKeyPrefix);
}

asio::awaitable<void> KeyRing::load() {
    core::KeyQuery query{core::Whose::anyones(), {}, kPage};
    do {
        auto page = co_await store_.list_keys(query);
        for (auto& key : page.keys) {
            auto id = key.id.text();
            keys_.insert_or_assign(std::move(id), std::move(key));
        }
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
}

void KeyRing::add_fixed(std::string_view text) {
    core::KeyRecord key;
    key.id = KeyId("settings");
    key.secret_sha256 = sha256(text);
    key.owner = kLocalOwner;
    key.name = "access.admin_key";
    key.scopes = {std::string(kAdmin)};
    fixed_ = std::move(key);
}

asio::awaitable<MadeKey> KeyRing::make(std::string owner, std::string name,
                                       std::vector<std::string> scopes,
                                       std::optional<core::Time> expires_at, Form form) {
    if (keys_.size() >= kKeysMax) {
        throw ErrorException({Code::Exhausted, "there are 10,000 keys already"});
    }
    const auto named = random_bytes(kIdBytes), secret = random_bytes(kKeySecretBytes);
    const auto id = letters_of(named);
    MadeKey made;
    made.text = form == Form::E2b ? std::string(kE2bKeyPrefix) + hex_of(named) + hex_of(secret)
                                  : std::string(kKeyPrefix) + id + "_" + letters_of(secret);
    made.record.id = KeyId(id);
    made.record.secret_sha256 = sha256(made.text);
    made.record.owner = std::move(owner);
    made.record.name = std::move(name);
    made.record.scopes = std::move(scopes);
    made.record.created_at = core::time_now();
    made.record.expires_at = expires_at;
    co_await store_.add_key(made.record);
    keys_.insert_or_assign(id, made.record);
    co_return made;
}

asio::awaitable<core::KeyRecord> KeyRing::revoke(KeyId id) {
    const auto key = co_await store_.revoke_key(core::Whose::anyones(), id, core::time_now());
    keys_.insert_or_assign(id.text(), key);
    co_return key;
}

const core::KeyRecord* KeyRing::find(std::string_view text, core::Time now) const {
    if (text.empty() || text.size() > kKeyTextBytesMax) return nullptr;
    const auto digest = sha256(text);
    if (fixed_ && core::same_digest(fixed_->secret_sha256, digest)) return &*fixed_;
    const auto found = keys_.find(id_in_key(text));
    if (found == keys_.end()) return nullptr;
    const auto& key = found->second;
    const bool same = core::same_digest(key.secret_sha256, digest);
    return same && is_good_record(key, now) ? &key : nullptr;
}

const core::KeyRecord* KeyRing::good(const std::string& id, core::Time now) const {
    if (fixed_ && id == fixed_->id.text()) return &*fixed_;
    const auto found = keys_.find(id);
    const bool is_good = found != keys_.end() && is_good_record(found->second, now);
    return is_good ? &found->second : nullptr;
}

bool KeyRing::any_good(core::Time now) const {
    return locked_ || fixed_ || std::any_of(keys_.begin(), keys_.end(), [&](const auto& one) {
               return is_good_record(one.second, now);
           });
}

void KeyRing::touch(const KeyId& id, core::Time now) {
    const auto found = keys_.find(id.text());
    if (found == keys_.end()) return;
    found->second.last_used_at = now;
    auto& written = written_[id.text()];
    if (now - written < kTouchEvery) return;
    written = now;
    // Its own copy of everything: it may outlive the request.
    const auto write = [&store = store_, id, now]() -> asio::awaitable<void> {
        try {
            co_await store.touch_key(id, now);
        } catch (const std::exception&) {
            // A store that cannot write says so at /healthz; the key is good all the same.
        }
    };
    touching_.spawn(write);
}

}  // namespace atl::api
