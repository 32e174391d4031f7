#pragma once
// Access control: the check before routing, and the one before each handler.
//
//     admit   Host and Origin; identifies the caller by key, by token, or as a local user
//     pass    the rate limit; 401 without credentials, 403 if the key lacks the route's scope
//     still_welcome   whether the caller would still be admitted: a key can be revoked, or a token
//                     can expire, while a terminal, a stream or a port is open
//
// On this machine without keys the user that the server runs as, and root, are one owner, `local`.
// Other users of the machine reach the port as well, so the kernel is asked whose a connection is
// (net/peer_user.hpp); these get 401. A browser is the other danger: any page could send
// requests here (CSRF), and a name that is made to point at 127.0.0.1 would pass for our own (DNS
// rebinding). So the Host must name this machine, and an Origin must be our own, scheme and port
// included. Both are checked with keys too, although browsers do not send keys by themselves.
//
// Owns      the rate limit's table. Keys, signer and log are borrowed and outlive it.
// Threads   the server's one.
// Trusts    the kernel for the peer's address, and nothing that the request says.
#include "api/api.hpp"
#include "api/audit.hpp"
#include "api/keys.hpp"
#include "api/rate_limit.hpp"
#include "api/tokens.hpp"
#include "net/message.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace atl::api {

// Whether an address of ServerOptions::listen can be reached from this machine alone.
[[nodiscard]] bool is_local_address(const std::string& address);

struct DoorOptions {
    enum class Keys { Auto, Always, Never };
    std::vector<std::string> listen;
    Keys keys = Keys::Auto;
    bool any_local_user = false;  // where no key is needed: not the server's own user alone
    std::vector<std::string> allowed_hosts;  // names without a port; "*" is any
    std::vector<std::string> allowed_origins;
    std::string ports_domain;  // {port}-{session}.<domain> is a port (port_host.hpp); empty: none
    // Of hosts that are for something special, as a port's is: whether the request stays within
    // that. Nothing: none of them. May be null.
    std::function<std::optional<bool>(const net::Request&)> stays_inside;
    std::optional<std::uint64_t> rate_requests;
    std::chrono::milliseconds rate_window{60'000};
    std::string make_key = "atoll key create";  // the command that makes one for this server
    // Throws when this owner may run no more; asked before code runs.
    std::function<void(const std::string& owner)> may_run;
};

class Door final : public Guard {
public:
    // Throws ErrorException when an address is not of this machine alone and nobody has a key.
    Door(DoorOptions options, KeyRing& keys, const Signer& signer, AuditLog& audit);

    // Sets the caller, who may be nobody, and takes the credential out of the request: no handler,
    // no log and no sandbox behind a port sees it. Throws when Host or Origin are wrong.
    void admit(net::Request& request);
    // False for who was let in and would not be now: the key was revoked or its time is over, the
    // token ended, or keys came to be needed. Goes into the audit log, so it is asked for as long
    // as it is true. Cheap: no store is asked.
    [[nodiscard]] bool still_welcome(const net::Request& request);
    // Whether a request needs a key or a token at all.
    [[nodiscard]] bool keys_needed() const;
    // Whether Request::peer must name the user of connections over loopback.
    [[nodiscard]] bool goes_by_user() const { return !options_.any_local_user && !keys_needed(); }
    // What a browser needs to hear when its page is of an allowed origin.
    void decorate(const net::Request& request, net::Headers& headers) const;

    void pass(net::Request& request, const Need& need) override;
    void ended(const net::Request& request, const Need& need, std::string_view outcome) override;
    void made(const net::Request& request, const Need& need, std::string action,
              std::string object) override;

private:
    // Why this caller would not be let in now; empty: would be.
    [[nodiscard]] std::string_view why_not_now(const Caller& caller) const;
    void check_host(const net::Request& request) const;
    void check_origin(const net::Request& request) const;
    [[nodiscard]] Caller identify(net::Request& request);
    [[nodiscard]] Caller of_credential(const std::string& text, bool open_to_all);
    [[nodiscard]] bool is_own_user(const net::Peer& peer) const;
    [[nodiscard]] bool is_own_origin(std::string_view origin, const net::Request& request) const;
    [[nodiscard]] bool is_named_host(std::string_view name) const;
    [[nodiscard]] bool is_allowed_origin(std::string_view origin) const;
    void denied(const net::Request& request, std::string_view outcome, std::string_view why,
                std::string_view route);
    void limit_rate(const net::Request& request, const Caller& caller);

    DoorOptions options_;
    KeyRing& keys_;
    const Signer& signer_;
    AuditLog& audit_;
    bool all_local_ = true;
    std::optional<RateLimit> rate_;
};

}  // namespace atl::api
