#pragma once
// Short-lived tokens: signed permissions, which are not stored.
//
//     att_<what, as letters>.<HMAC-SHA256 of it, as letters>
//
// Threads   any; it never changes.
// Trusts    nothing in a token before its signature is right. Whoever has the secret of the data
//           folder may do anything to it anyway; `atoll key` signs itself in that way.
#include "api/secrets.hpp"
#include "core/records.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::api {

struct Grant {
    std::string session;  // whose routes it opens; empty: no session's, `scopes` are a key's
    std::string owner;
    std::string key_id;  // that asked for it, and with which it ends; empty: none
    std::vector<std::string> scopes;
    core::Time until{};
    // Of a page of the web interface, which renews its token until then; none: it ends as it is.
    std::optional<core::Time> renewable_until{};
    // And what the key was at the time: one of the settings has the same id, whatever it says.
    std::string key_mark{};

    bool operator==(const Grant&) const = default;
};

inline constexpr std::string_view kTokenPrefix = "att_";

class Signer {
public:
    explicit Signer(std::string secret) : secret_(std::move(secret)) {}

    [[nodiscard]] std::string sign(const Grant& grant) const;
    // Nothing when it is not ours, was changed, or is past its end.
    [[nodiscard]] std::optional<Grant> read(std::string_view token, core::Time now) const;

    // Letters that prove that we said this, for proofs that last as long as what they are about.
    // `what` names their kind, so that one of a kind is none of another.
    [[nodiscard]] std::string seal(std::string_view what, std::string_view text) const;

private:
    std::string secret_;
};

// Of this key and no other, and nothing that leads to it.
[[nodiscard]] std::string mark_of(const Signer& signer, const core::KeyRecord& key);

}  // namespace atl::api
