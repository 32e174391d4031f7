#pragma once
// Who may use a sandbox from outside without an API key: whoever has its token, a URL that was
// signed with the token, or, for its public ports, just its address.
//
//     envd token      X-Access-Token; all of /envd but GET /health
//     a signed URL    /envd/files alone (signature=, signature_expiration=)
//     traffic token   E2B-Traffic-Access-Token; /interpreter, and /ports where these are private
//
// Both tokens are seals of the server's secret over the sandbox's id and the id of the key that it
// was made with, so nothing is stored, and they end with that key. Api::usher_below calls admit()
// for every route below /e2b/sandboxes/{id}/, however the path came about, so a handler there need
// check nothing: the caller is the sandbox's owner from then on, whose() and session_in() are as
// everywhere, and the sandbox is there and awake or may be woken. 502 when it is not, or is paused.
//
// Owns      tokens of sandboxes that were tried lately, to try them again. Keys, signer and
// sessions are borrowed and outlive it. Threads   the server's one. Trusts    nothing in a request
// before a token or a signature is right.
#include "api/keys.hpp"
#include "api/tokens.hpp"
#include "net/exchange.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace atl::api::e2b {

inline constexpr std::string_view kPlace = "/e2b/sandboxes/{id}/";
inline constexpr std::string_view kTokenHeader = "X-Access-Token";
inline constexpr std::string_view kTrafficHeader = "E2B-Traffic-Access-Token";
// From admit() to the handler of ports; what a client says under this name goes nowhere.
inline constexpr std::string_view kMaskedHostHeader = "E2B-Masked-Host";

class Access {
public:
    Access(const Signer& signer, const KeyRing& keys, sessions::Sessions& sessions,
           std::function<bool()> keys_needed)
        : signer_(signer), keys_(keys), sessions_(sessions), keys_needed_(std::move(keys_needed)) {}

    [[nodiscard]] std::string envd_token(const core::SessionRecord& record) const;
    [[nodiscard]] std::string traffic_token(const core::SessionRecord& record) const;
    // Whether the key that a sandbox's tokens hang on still opens the door.
    [[nodiscard]] bool is_key_good(const std::string& key_id) const;

    // The usher. Throws net::Problem: 401, 403, or 502 when there is no such sandbox that runs.
    boost::asio::awaitable<void> admit(net::Exchange& exchange) const;

    // The sandbox whose token has signed this request for /files, among those that are awake: with
    // one address for all sandboxes nothing else in such a URL names it.
    [[nodiscard]] std::optional<SessionId> signer_of(const net::Request& request) const;

private:
    void check_files(const net::Request& request, const core::SessionRecord& record) const;
    void check_token(const net::Request& request, const core::SessionRecord& record) const;
    void check_traffic(const net::Request& request, const core::SessionRecord& record) const;
    boost::asio::awaitable<core::SessionRecord> find(SessionId id) const;
    [[nodiscard]] const std::string& kept_token(const core::SessionRecord& record) const;

    const Signer& signer_;
    const KeyRing& keys_;
    sessions::Sessions& sessions_;
    std::function<bool()> keys_needed_;
    struct Kept {
        std::uint64_t generation = 0;  // of the record that it was made for
        std::string token;
    };
    // envd tokens by session. Whoever tries a signature has shown nothing yet, and must not make us
    // read the spec of every session that is awake: its variables have 192 KiB.
    mutable std::unordered_map<std::string, Kept> tokens_;
};

}  // namespace atl::api::e2b
