#include "api/door.hpp"

#include "api/port_host.hpp"
#include "api/scopes.hpp"
#include "api/secrets.hpp"
#include "net/host.hpp"
#include "net/problem.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <unistd.h>

namespace atl::api {

namespace {

constexpr std::string_view kTokenParameter = "token";
constexpr std::string_view kOtherUser =
    "without a key this server serves the user it runs as, and nobody else on this machine; use a "
    "key (`atoll key create` as that user), or set access.local_users";

// Without the port; a port says nothing about who the name belongs to. What cannot be read was
// refused before.
std::string_view name_in(std::string_view host) {
    const auto parsed = net::parse_host(host);
    return parsed ? parsed->name : std::string_view();
}

std::uint16_t usual_port(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

// An IP address needs no name server, so it cannot be rebound.
bool is_address(std::string_view name) {
    in6_addr bytes{};
    if (name.size() > 2 && name.front() == '[' && name.back() == ']') {
        const std::string inside(name.substr(1, name.size() - 2));
        return ::inet_pton(AF_INET6, inside.c_str(), &bytes) == 1;
    }
    return ::inet_pton(AF_INET, std::string(name).c_str(), &bytes) == 1;
}

bool is_local_name(std::string_view name) {
    // 127.0.0.1.evil.example begins like an address and is none.
    return net::same_ignoring_case(name, "localhost") || name == "[::1]" ||
           (name.starts_with("127.") && is_address(name));
}

Caller local_caller() {
    return {.owner = std::string(kLocalOwner), .scopes = {std::string(kAdmin)}};
}

// The query without one parameter, as it was written.
std::string without_parameter(std::string_view query, std::string_view name) {
    std::string kept;
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        const auto piece = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const auto written =
            net::percent_decoded(piece.substr(0, piece.find('=')), net::Plus::Space);
        if (written && *written == name) continue;
        if (!kept.empty()) kept += '&';
        kept += piece;
    }
    return kept;
}

bool opens_by_token(const net::Request& request) {
    const auto& segments = request.target.segments;
    if (segments.size() < 4 || segments[0] != "v1" || segments[1] != "sessions") return false;
    return std::any_of(kTokenScopes.begin(), kTokenScopes.end(),
                       [&](const TokenScope& scope) { return scope.name == segments[3]; });
}

// Whose server has callers of its own, who prove themselves to it.
bool is_port_of_sandbox(const net::Request& request) {
    const auto& segments = request.target.segments;
    return segments.size() > 3 && segments[0] == "e2b" && segments[1] == "sandboxes" &&
           segments[3] == "ports";
}

// What the audit log calls a route: create_session is session.create.
std::string action_of(const std::string& id) {
    const auto under = id.find('_');
    if (under == std::string::npos) return id;
    return id.substr(under + 1) + "." + id.substr(0, under);
}

bool is_audited(const Need& need) {
    constexpr std::array<std::string_view, 12> kAlways{
        "create_session", "delete_session", "fork_session", "create_token",
        "new_thread",     "delete_thread",  "fork_thread",  "create_page_token",
        "create_sandbox", "delete_sandbox", "fork_sandbox", "create_snapshot"};
    return need.scope == kAdmin ||
           std::find(kAlways.begin(), kAlways.end(), need.id) != kAlways.end();
}

// In a time that does not depend on where they differ.
bool same_text(std::string_view one, std::string_view other) {
    return core::same_digest(sha256(one), sha256(other));
}

net::Problem unauthenticated(const Caller& caller) {
    const bool shown_none = caller.refused.empty() || caller.refused == kOtherUser;
    net::Problem problem(Code::Unauthenticated,
                         caller.refused.empty()
                             ? "this takes an API key: Authorization: Bearer, or X-API-Key"
                             : caller.refused);
    problem.headers.set(
        "WWW-Authenticate",
        shown_none ? "Bearer realm=\"atoll\"" : "Bearer realm=\"atoll\", error=\"invalid_token\"");
    return problem;
}

}  // namespace

bool is_local_address(const std::string& address) {
    return address.starts_with("unix:") || address.starts_with("127.") ||
           address.starts_with("[::1]:");
}

Door::Door(DoorOptions options, KeyRing& keys, const Signer& signer, AuditLog& audit)
    : options_(std::move(options)), keys_(keys), signer_(signer), audit_(audit) {
    for (const auto& address : options_.listen) {
        if (is_local_address(address)) continue;
        all_local_ = false;
        if (options_.keys == DoorOptions::Keys::Never) {
            throw ErrorException({Code::InvalidArgument,
                                  "listen on " + address +
                                      ": it can be reached from other machines, and "
                                      "access.require_keys is never; API keys are needed there"});
        }
        if (keys_.any_good(core::time_now())) continue;
        throw ErrorException({Code::InvalidArgument,
                              "listen on " + address +
                                  ": it can be reached from other machines, and there are no API "
                                  "keys yet; make one with `" +
                                  options_.make_key +
                                  "`, or start with --make-key, which prints one once"});
    }
    if (options_.rate_requests) rate_.emplace(*options_.rate_requests, options_.rate_window);
}

bool Door::keys_needed() const {
    if (options_.keys == DoorOptions::Keys::Never) return false;
    return options_.keys == DoorOptions::Keys::Always || !all_local_ || keys_.any();
}

void Door::check_host(const net::Request& request) const {
    const auto name = name_in(request.host());
    if (const auto stays = options_.stays_inside ? options_.stays_inside(request) : std::nullopt) {
        if (*stays) return;
        throw ErrorException({Code::Forbidden, "this host is for one sandbox and nothing else"});
    }
    if (const auto there = port_host_of(request.host(), options_.ports_domain)) {
        if (is_for(request.target, *there)) return;
        throw ErrorException({Code::Forbidden, "this host is for one port and nothing else"});
    }
    if (request.peer.is_unix() || is_local_name(name)) return;
    const auto& allowed = options_.allowed_hosts;
    if (std::find(allowed.begin(), allowed.end(), "*") != allowed.end() || is_named_host(name)) {
        return;
    }
    if (keys_needed()) {
        if (is_address(name)) return;
        throw ErrorException({Code::Forbidden,
                              "the Host of this request is not among access.allowed_hosts; use "
                              "an IP address, or add the name"});
    }
    throw ErrorException({Code::Forbidden,
                          "the Host of this request is not this machine; use localhost or "
                          "127.0.0.1"});
}

bool Door::is_allowed_origin(std::string_view origin) const {
    const auto& allowed = options_.allowed_origins;
    return std::find(allowed.begin(), allowed.end(), origin) != allowed.end();
}

bool Door::is_named_host(std::string_view name) const {
    const auto& allowed = options_.allowed_hosts;
    return std::any_of(allowed.begin(), allowed.end(),
                       [&](const std::string& one) { return net::same_ignoring_case(one, name); });
}

// Scheme, name and port of what was asked: a page of another scheme is another's page, which
// somebody on the way may have written. Behind a proxy that speaks TLS we see plain HTTP; there the
// operator has named the host.
bool Door::is_own_origin(std::string_view origin, const net::Request& request) const {
    const auto colon = origin.find("://");
    if (colon == std::string_view::npos) return false;
    const auto scheme = origin.substr(0, colon);
    const auto from = net::parse_host(origin.substr(colon + 3));
    const auto here = net::parse_host(request.host());
    if (!from || !here || !net::same_ignoring_case(from->name, here->name)) return false;
    const bool encrypted =
        request.peer.encrypted || (scheme == "https" && is_named_host(here->name));
    const std::string_view ours = encrypted ? "https" : "http";
    return scheme == ours &&
           from->port.value_or(usual_port(ours)) == here->port.value_or(usual_port(ours));
}

void Door::check_origin(const net::Request& request) const {
    const auto origins = request.headers.get_all("Origin");
    for (const std::string_view origin : origins) {
        if (is_own_origin(origin, request) || is_allowed_origin(origin)) continue;
        throw ErrorException(
            {Code::Forbidden,
             "requests from pages of another origin are refused; access.allowed_origins lists "
             "the allowed ones"});
    }
}

void Door::admit(net::Request& request) {
    try {
        check_host(request);
        check_origin(request);
    } catch (const ErrorException& refused) {
        denied(request, "forbidden", refused.error.message, "");
        throw;
    }
    request.context = identify(request);
}

bool Door::is_own_user(const net::Peer& peer) const {
    if (options_.any_local_user) return true;
    return peer.uid && (*peer.uid == 0 || *peer.uid == ::geteuid());
}

Caller Door::identify(net::Request& request) {
    const bool open = !keys_needed();
    const bool open_to_all = open && is_own_user(request.peer);
    std::string shown;
    if (const auto header = request.headers.get("Authorization");
        header && header->size() > 7 && net::same_ignoring_case(header->substr(0, 7), "Bearer ")) {
        shown = net::trimmed(header->substr(7));
    }
    const bool bearer_is_ours = (!open_to_all && !is_port_of_sandbox(request)) ||
                                looks_like_key(shown) || shown.starts_with(kTokenPrefix);
    if (!shown.empty() && bearer_is_ours) {
        request.headers.remove("Authorization");
        return of_credential(shown, open_to_all);
    }
    if (const auto header = request.headers.get("X-API-Key"); header && !header->empty()) {
        shown = net::trimmed(*header);
        request.headers.remove("X-API-Key");
        return of_credential(shown, open_to_all);
    }
    // Only on routes that accept a token: on others `token` is the route's own word, or a mistake.
    if (const auto token = request.target.parameter(kTokenParameter);
        token && opens_by_token(request)) {
        shown = *token;
        auto& target = request.target;
        std::erase_if(target.query, [](const auto& one) { return one.first == kTokenParameter; });
        target.query_text = without_parameter(target.query_text, kTokenParameter);
        if (open_to_all && !shown.starts_with(kTokenPrefix)) return local_caller();
        return of_credential(shown, open_to_all);
    }
    if (open_to_all) return local_caller();
    Caller nobody;
    if (open) nobody.refused = kOtherUser;
    return nobody;
}

Caller Door::of_credential(const std::string& text, bool open_to_all) {
    const auto now = core::time_now();
    Caller caller;
    if (text.starts_with(kTokenPrefix)) {
        const auto grant = signer_.read(text, now);
        if (!grant || (!grant->key_id.empty() && !keys_.is_good(grant->key_id, now))) {
            caller.refused = "the token is not valid or has expired";
            return caller;
        }
        if (grant->renewable_until) {
            const auto* key = keys_.good(grant->key_id, now);
            if (key == nullptr || !same_text(mark_of(signer_, *key), grant->key_mark)) {
                caller.refused = "the token is not valid or has expired";
                return caller;
            }
        }
        caller.owner = grant->owner;
        caller.key_id = grant->key_id;
        caller.until = grant->until;
        caller.renewable_until = grant->renewable_until;
        if (grant->session.empty()) {
            caller.scopes = grant->scopes;
        } else {
            caller.token_session = grant->session;
            caller.token_scopes = grant->scopes;
        }
        return caller;
    }
    const auto* key = keys_.find(text, now);
    if (key == nullptr) {
        // Clients that must send something send anything to a server that needs no key.
        if (open_to_all && !text.starts_with(kKeyPrefix)) return local_caller();
        caller.refused = "the API key is not valid";
        return caller;
    }
    caller.owner = key->owner;
    caller.key_id = key->id.text();
    caller.scopes = key->scopes;
    keys_.touch(key->id, now);
    return caller;
}

void Door::limit_rate(const net::Request& request, const Caller& caller) {
    if (!rate_) return;
    const auto who = caller.key_id.empty() ? "address " + address_of_limit(request.peer.address)
                                           : "key " + caller.key_id;
    const auto wait = rate_->take(who, RateLimit::Clock::now());
    if (!wait) return;
    throw net::Problem(Code::RateLimited, "too many requests; wait a moment")
        .with_retry_after(*wait);
}

void Door::pass(net::Request& request, const Need& need) {
    if (need.open) return;
    const auto* found = std::any_cast<Caller>(&request.context);
    if (found == nullptr) {
        throw ErrorException({Code::Internal, "a request passed the door without a caller"});
    }
    const Caller& caller = *found;
    limit_rate(request, caller);
    // Browsers ask whether a page may ask at all, and show no credentials with that. A handler that
    // does more than answer it asks for its caller, of whom there is none.
    if (caller.owner.empty() && is_preflight(request)) return;
    if (caller.owner.empty()) {
        denied(request, "unauthenticated", caller.refused, need.id);
        throw unauthenticated(caller);
    }
    if (!caller.token_session.empty()) {
        const auto& segments = request.target.segments;
        const bool there = opens_by_token(request) && segments[2] == caller.token_session &&
                           std::find(caller.token_scopes.begin(), caller.token_scopes.end(),
                                     segments[3]) != caller.token_scopes.end();
        if (!there) {
            denied(request, "forbidden", "a token for something else", need.id);
            throw net::Problem(Code::Forbidden, "this token is for something else");
        }
    } else if (need.scope != kAnyScope && !grants(caller.scopes, need.scope)) {
        denied(request, "forbidden", "the key lacks a scope", need.id);
        throw net::Problem(Code::Forbidden, "the key's scopes do not include " + need.scope)
            .with_member("scope", boost::json::value(need.scope.c_str()));
    }
    const bool runs = need.scope == "run" || need.scope == "jobs" || need.scope == "threads";
    // A terminal is asked for with GET, as all WebSockets are.
    const bool begins = request.method == "POST" || need.id == "open_terminal";
    if (runs && begins && options_.may_run) options_.may_run(caller.owner);
}

std::string_view Door::why_not_now(const Caller& caller) const {
    const auto now = core::time_now();
    // The page of a token renews it. What it sends or receives meanwhile may take longer than the
    // token that it began with; who has that token could have renewed it, too.
    const auto end = caller.renewable_until ? caller.renewable_until : caller.until;
    if (end && *end <= now) return "the token's time is over";
    if (!caller.key_id.empty()) {
        return keys_.is_good(caller.key_id, now) ? "" : "the key was revoked, or its time is over";
    }
    return !caller.until && keys_needed() ? "keys are needed now" : "";
}

bool Door::still_welcome(const net::Request& request) {
    const auto* caller = std::any_cast<Caller>(&request.context);
    // Who never was anybody has what is open to all.
    if (caller == nullptr || caller->owner.empty()) return true;
    const auto why = why_not_now(*caller);
    if (why.empty()) return true;
    Deed deed;
    deed.action = "access.end";
    for (const auto& [name, value] : request.parameters) {
        if (name == "id") deed.object = value.substr(0, 128);
    }
    deed.owner = caller->owner;
    deed.key_id = caller->key_id;
    deed.request_id = request.id;
    deed.detail["address"] = request.peer.address;
    deed.detail["route"] = request.route;
    deed.detail["why"] = why;
    audit_.write(std::move(deed));
    return false;
}

void Door::ended(const net::Request& request, const Need& need, std::string_view outcome) {
    if (!is_audited(need)) return;
    const auto* caller = std::any_cast<Caller>(&request.context);
    if (caller == nullptr) return;
    Deed deed;
    deed.action = action_of(need.id);
    deed.object = caller->object;
    for (const auto& [name, value] : request.parameters) {
        if (deed.object.empty() && name == "id") deed.object = value.substr(0, 128);
    }
    deed.outcome = outcome;
    deed.owner = caller->owner;
    deed.key_id = caller->key_id;
    deed.request_id = request.id;
    deed.detail["address"] = request.peer.address;
    audit_.write(std::move(deed));
}

void Door::made(const net::Request& request, const Need& need, std::string action,
                std::string object) {
    const auto* caller = std::any_cast<Caller>(&request.context);
    if (caller == nullptr) return;
    Deed deed;
    deed.action = std::move(action);
    deed.object = std::move(object);
    deed.owner = caller->owner;
    deed.key_id = caller->key_id;
    deed.request_id = request.id;
    deed.detail["address"] = request.peer.address;
    deed.detail["route"] = need.id;
    audit_.write(std::move(deed));
}

void Door::denied(const net::Request& request, std::string_view outcome, std::string_view why,
                  std::string_view route) {
    Deed deed;
    deed.action = "request.denied";
    deed.outcome = outcome;
    if (const auto* caller = std::any_cast<Caller>(&request.context)) {
        deed.owner = caller->owner;
        deed.key_id = caller->key_id;
    }
    deed.request_id = request.id;
    deed.detail["address"] = request.peer.address;
    if (!route.empty()) deed.detail["route"] = route;
    if (!why.empty()) deed.detail["why"] = why;
    audit_.write_denied(std::move(deed));
}

void Door::decorate(const net::Request& request, net::Headers& headers) const {
    const auto origin = request.headers.get("Origin");
    if (!origin || !is_allowed_origin(*origin)) return;
    headers.set("Access-Control-Allow-Origin", *origin);
    headers.add("Vary", "Origin");
    headers.set("Access-Control-Expose-Headers",
                "Accept-Ranges, Content-Disposition, Content-Range, ETag, Location, "
                "Mcp-Session-Id, Retry-After, WWW-Authenticate, X-Atoll-Thread, X-Atoll-Type, "
                "X-Next-Token, X-Request-Id");
    if (request.method != "OPTIONS") return;
    headers.set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE");
    // Those of the Model Context Protocol as well; "*" would not cover Authorization.
    headers.set("Access-Control-Allow-Headers",
                "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, "
                "Last-Event-ID, Mcp-Method, Mcp-Name, MCP-Protocol-Version, Mcp-Session-Id, Range, "
                "X-API-Key, X-Atoll-Chat, X-Atoll-Thread, X-Request-Id");
    headers.set("Access-Control-Max-Age", "600");
}

}  // namespace atl::api
