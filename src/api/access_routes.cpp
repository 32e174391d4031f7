#include "api/access_routes.hpp"

#include "api/access_types.hpp"
#include "api/request_reading.hpp"
#include "api/scopes.hpp"
#include "api/session_types.hpp"
#include "api/time_text.hpp"
#include "net/problem.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <set>

namespace atl::api {

namespace asio = boost::asio;
namespace json = boost::json;
using schema::described;
using schema::json_answer;
using schema::json_body;

namespace {

constexpr std::string_view kAccessTag = "Access";

std::vector<std::string> checked_scopes(const std::vector<std::string>& wanted) {
    std::vector<std::string> scopes;
    if (wanted.empty()) return usual_scopes();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!is_scope(wanted[i])) {
            std::string all;
            for (const auto& scope : kScopes) {
                all.append(all.empty() ? "" : ", ").append(scope.name);
            }
            throw schema::ValidationError(
                {{"scopes[" + std::to_string(i) + "]",
                  "there is no scope " + schema::quoted(wanted[i]) + "; there are " + all}});
        }
        if (std::find(scopes.begin(), scopes.end(), wanted[i]) == scopes.end()) {
            scopes.push_back(wanted[i]);
        }
    }
    return scopes;
}

std::optional<core::Time> moment(const char* name, const std::string& text) {
    if (text.empty()) return std::nullopt;
    const auto time = time_from(text);
    if (!time) {
        throw ErrorException({Code::InvalidArgument, std::string(name) +
                                                         ": write a time as "
                                                         "2026-03-01T12:30:00Z, not " +
                                                         schema::quoted(text)});
    }
    return time;
}

net::Problem lacks(std::string_view scope) {
    net::Problem problem(Code::Forbidden, "the key's scopes do not include " + std::string(scope));
    return std::move(problem).with_member("scope", json::value(json::string(scope)));
}

asio::awaitable<void> create_key(KeyRing& keys, net::Exchange& exchange) {
    // A key outlives the time in which none was needed, so being on this machine does not do.
    const Caller& caller = caller_of(exchange.request());
    if (caller.key_id.empty() && !caller.until) {
        throw ErrorException({Code::Forbidden,
                              "the first key is made on the server's machine: `atoll key create`; "
                              "this takes a key of an administrator"});
    }
    const auto wanted = co_await read_json<CreateKey>(exchange);
    auto scopes = checked_scopes(wanted.scopes);
    // Nobody gives away what they do not have. Who may make keys has all of it today.
    for (const auto& scope : scopes) {
        if (!grants(caller.scopes, scope)) throw lacks(scope);
    }
    std::optional<core::Time> expires_at;
    if (wanted.lifetime) expires_at = core::time_now() + *wanted.lifetime;
    const auto form = wanted.e2b ? KeyRing::Form::E2b : KeyRing::Form::Atoll;
    const auto made =
        co_await keys.make(wanted.owner, wanted.name, std::move(scopes), expires_at, form);
    note_object(exchange, made.record.id.text());
    auto view = view_of(made.record);
    view.key = made.text;
    auto response = json_response(201, view);
    response.headers.set("Cache-Control", "no-store");
    co_await exchange.respond(std::move(response));
}

asio::awaitable<void> list_keys(core::Store& store, net::Exchange& exchange) {
    const auto asked = schema::from_parameters<ListKeys>(exchange.request().target.query);
    core::KeyQuery query{core::Whose::anyones(), asked.cursor, asked.limit};
    const auto page = co_await store.list_keys(std::move(query));
    KeyList answer;
    for (const auto& record : page.keys) answer.keys.push_back(view_of(record));
    if (!page.next_cursor.empty()) answer.next_cursor = page.next_cursor;
    co_await exchange.respond(json_response(200, answer));
}

asio::awaitable<void> revoke_key(KeyRing& keys, net::Exchange& exchange) {
    const KeyId id(exchange.request().parameter("id"));
    const auto record = co_await keys.revoke(id);
    co_await exchange.respond(json_response(200, view_of(record)));
}

asio::awaitable<void> create_token(const Signer& signer, sessions::Sessions& sessions,
                                   net::Exchange& exchange) {
    const auto wanted = co_await read_json<CreateToken>(exchange);
    const Caller caller = caller_of(exchange.request());
    const SessionId id(exchange.request().parameter("id"));
    Grant grant;
    for (const auto scope : std::set<TokenFor>(wanted.scopes.begin(), wanted.scopes.end())) {
        const auto& known = kTokenScopes.at(static_cast<std::size_t>(scope));
        // Nobody gives away what they do not have.
        if (!grants(caller.scopes, known.key_has)) throw lacks(known.key_has);
        grant.scopes.emplace_back(known.name);
    }
    const auto record = co_await sessions.get(core::Whose::of(caller.owner), id);
    grant.session = record.id.text();
    grant.owner = caller.owner;
    grant.key_id = caller.key_id;
    grant.until = core::time_now() + std::chrono::seconds(wanted.seconds);
    if (caller.renewable_until) grant.until = std::min(grant.until, *caller.renewable_until);
    TokenView view;
    view.token = signer.sign(grant);
    view.session = grant.session;
    view.scopes = wanted.scopes;
    view.expires_at = time_text(grant.until);
    auto response = json_response(201, view);
    response.headers.set("Cache-Control", "no-store");
    co_await exchange.respond(std::move(response));
}

// A page keeps it in place of the key. Nothing is stored: the signature, the key and the clock say
// whether it is good.
class PageTokens {
public:
    PageTokens(const KeyRing& keys, const Signer& signer, PageTokenLife life)
        : keys_(keys), signer_(signer), life_(life) {}

    asio::awaitable<void> create(net::Exchange& exchange) const {
        const Caller& caller = caller_of(exchange.request());
        if (caller.until) {
            throw ErrorException({Code::Forbidden,
                                  "this takes a key; a page renews its token at "
                                  "/v1/tokens/renew"});
        }
        if (caller.key_id.empty()) {
            throw ErrorException({Code::Conflict, "no key is in use, so a page needs no token"});
        }
        return give(exchange, core::time_now() + life_.all);
    }

    asio::awaitable<void> renew(net::Exchange& exchange) const {
        const Caller& caller = caller_of(exchange.request());
        if (!caller.renewable_until) {
            throw ErrorException({Code::Forbidden,
                                  "this renews the token of a page, made at /v1/tokens with a "
                                  "key"});
        }
        return give(exchange, *caller.renewable_until);
    }

private:
    asio::awaitable<void> give(net::Exchange& exchange, core::Time renewable_until) const {
        const auto now = core::time_now();
        const auto* key = keys_.good(caller_of(exchange.request()).key_id, now);
        if (key == nullptr) {
            throw ErrorException({Code::Unauthenticated, "the key is not good any more"});
        }
        Grant grant;
        grant.owner = key->owner;
        grant.key_id = key->id.text();
        grant.scopes = key->scopes;
        grant.key_mark = mark_of(signer_, *key);
        if (key->expires_at) renewable_until = std::min(renewable_until, *key->expires_at);
        grant.renewable_until = renewable_until;
        grant.until = std::min(now + life_.each, renewable_until);
        PageTokenView view;
        view.token = signer_.sign(grant);
        view.owner = grant.owner;
        view.key_id = grant.key_id;
        view.scopes = grant.scopes;
        view.expires_at = time_text(grant.until);
        view.seconds = static_cast<std::uint32_t>((grant.until - now) / std::chrono::seconds{1});
        view.renewable_until = time_text(renewable_until);
        auto response = json_response(201, view);
        response.headers.set("Cache-Control", "no-store");
        co_await exchange.respond(std::move(response));
    }

    const KeyRing& keys_;
    const Signer& signer_;
    PageTokenLife life_;
};

asio::awaitable<void> list_audit(core::Store& store, net::Exchange& exchange) {
    const auto asked = schema::from_parameters<ListAudit>(exchange.request().target.query);
    core::AuditQuery query{core::Whose::anyones(), moment("from", asked.from),
                           moment("until", asked.until), asked.cursor, asked.limit};
    const auto page = co_await store.list_audit(std::move(query));
    AuditList answer;
    for (const auto& record : page.records) {
        AuditView view;
        view.sequence = record.sequence;
        view.time = time_text(record.time);
        view.owner = record.owner;
        view.key_id = record.key_id;
        view.action = record.action;
        view.object = record.object;
        view.outcome = record.outcome;
        view.request_id = record.request_id;
        boost::system::error_code failed;
        const auto detail = json::parse(record.detail_json, failed);
        if (!failed && detail.is_object()) view.detail = detail.get_object();
        answer.records.push_back(std::move(view));
    }
    if (!page.next_cursor.empty()) answer.next_cursor = page.next_cursor;
    co_await exchange.respond(json_response(200, std::move(answer)));
}

}  // namespace

void add_access_routes(Api& api, KeyRing& keys, const Signer& signer, sessions::Sessions& sessions,
                       core::Store& store, PageTokenLife life) {
    const PageTokens pages(keys, signer, life);
    api.add({.method = "POST",
             .pattern = "/v1/keys",
             .id = "create_key",
             .tag = kAccessTag,
             .summary = "Make an API key",
             .description = "The answer is the only place where the key itself is ever seen.",
             .bodies = {json_body<CreateKey>()},
             .answers = {json_answer<KeyView>(201, "The new key.")},
             .scope = kAdmin},
            [&keys](net::Exchange& exchange) { return create_key(keys, exchange); });
    api.add({.method = "GET",
             .pattern = "/v1/keys",
             .id = "list_keys",
             .tag = kAccessTag,
             .summary = "List API keys, the newest first",
             .query = described<ListKeys>(),
             .answers = {json_answer<KeyList>(200, "A page of keys.")},
             .scope = kAdmin},
            [&store](net::Exchange& exchange) { return list_keys(store, exchange); });
    api.add({.method = "DELETE",
             .pattern = "/v1/keys/{id}",
             .id = "revoke_key",
             .tag = kAccessTag,
             .summary = "Revoke an API key, for ever",
             .description = "Tokens that it asked for end with it.",
             .path = described<KeyPath>(),
             .answers = {json_answer<KeyView>(200, "The key, which is good for nothing now.")},
             .scope = kAdmin},
            [&keys](net::Exchange& exchange) { return revoke_key(keys, exchange); });
    api.add({.method = "POST",
             .pattern = "/v1/sessions/{id}/tokens",
             .id = "create_token",
             .tag = kAccessTag,
             .summary = "Make a short-lived token for one session",
             .description = "So that a browser never holds a key.",
             .path = described<SessionPath>(),
             .bodies = {json_body<CreateToken>()},
             .answers = {json_answer<TokenView>(201, "The token.")},
             .scope = kAnyScope},
            [&signer, &sessions](net::Exchange& exchange) {
                return create_token(signer, sessions, exchange);
            });
    api.add({.method = "POST",
             .pattern = "/v1/tokens",
             .id = "create_page_token",
             .tag = kAccessTag,
             .summary = "Exchange a key for a short-lived token of a page",
             .description = "It has the key's own scopes and ends with it. The web interface keeps "
                            "this, and never the key.",
             .answers = {json_answer<PageTokenView>(201, "The token.")},
             .scope = kAnyScope,
             .stores = false},
            [pages](net::Exchange& exchange) { return pages.create(exchange); });
    api.add({.method = "POST",
             .pattern = "/v1/tokens/renew",
             .id = "renew_page_token",
             .tag = kAccessTag,
             .summary = "Renew a page's token, shown as the bearer",
             .description = "Until its `renewable_until`; then the key is needed again. The one "
                            "before is good until its own end.",
             .answers = {json_answer<PageTokenView>(201, "The next token.")},
             .scope = kAnyScope,
             .stores = false},
            [pages](net::Exchange& exchange) { return pages.renew(exchange); });
    api.add({.method = "GET",
             .pattern = "/v1/audit",
             .id = "list_audit",
             .tag = kAccessTag,
             .summary = "Who did what, the newest first",
             .query = described<ListAudit>(),
             .answers = {json_answer<AuditList>(200, "A page of the audit log.")},
             .scope = kAdmin},
            [&store](net::Exchange& exchange) { return list_audit(store, exchange); });
}

}  // namespace atl::api
