#include "api/e2b/control.hpp"

#include "api/e2b/errors.hpp"
#include "api/e2b/lifecycle.hpp"
#include "api/e2b/marks.hpp"
#include "api/request_reading.hpp"
#include "api/scopes.hpp"

namespace atl::api::e2b {

namespace asio = boost::asio;

asio::awaitable<core::SessionRecord> sandbox_in(const ControlParts& parts,
                                                net::Exchange& exchange) {
    const std::string name = exchange.request().parameter("id");
    const auto id = session_id_of(name);
    std::optional<core::SessionRecord> found;
    if (id) {
        try {
            found = co_await parts.sessions.get(whose(exchange), *id);
        } catch (const ErrorException& error) {
            if (error.error.code != Code::NotFound) throw;
        }
    }
    if (!found || is_snapshot(*found) || is_over(*found)) throw no_such_sandbox(name);
    co_return std::move(*found);
}

Tokens tokens_for(const ControlParts& parts, const core::SessionRecord& record,
                  const net::Request& request) {
    Tokens tokens;
    tokens.domain = parts.gateway.domain_for(request);
    // Whoever holds a token runs code with it, and with envd's reads and writes files: a key gets
    // no more here than it has at /v1.
    // And a page's token gets none: they last as long as the key.
    const auto& caller = caller_of(request);
    const auto scopes = caller.renewable_until ? std::vector<std::string>() : caller.scopes;
    const bool runs = grants(scopes, "run");
    if (runs) tokens.traffic = parts.access.traffic_token(record);
    if (runs && grants(scopes, "files")) tokens.envd = parts.access.envd_token(record);
    return tokens;
}

asio::awaitable<core::SessionRecord> with_good_key(ControlParts parts, core::SessionRecord record,
                                                   net::Exchange& exchange) {
    if (parts.access.is_key_good(marks_of(record).key_id)) co_return record;
    const auto rekey = [key = caller_of(exchange.request()).key_id](sessions::Standing& standing,
                                                                    const core::SessionRecord&,
                                                                    core::SessionPatch&) {
        auto marks = marks_in(standing);
        marks.key_id = key;
        note(marks, standing);
    };
    co_return co_await parts.sessions.arrange(whose(exchange), record.id, rekey);
}

std::chrono::seconds timeout_in(const Body& body, const char* name, std::int64_t least) {
    const auto seconds = body.number(name, least, kTimeoutMax.count());
    return std::chrono::seconds(seconds.value_or(kDefaultTimeout.count()));
}

net::Response json_text(int status, const boost::json::value& value) {
    auto response = net::Response::json(status, value);
    response.headers.set("Cache-Control", "no-store");
    return response;
}

schema::Route unlisted(std::string_view method, std::string_view pattern, std::string_view id,
                       std::string_view scope) {
    schema::Route route{.method = method, .pattern = pattern, .id = id, .tag = {}, .summary = {}};
    route.scope = scope;
    route.listed = false;
    return route;
}

}  // namespace atl::api::e2b
