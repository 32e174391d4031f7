#include "api/port_routes.hpp"

#include "api/port_host.hpp"
#include "api/port_stream.hpp"
#include "api/port_types.hpp"
#include "api/request_reading.hpp"
#include "api/session_types.hpp"
#include "guest_client/port_list.hpp"
#include "net/problem.hpp"
#include "net/proxy.hpp"

#include <array>

namespace atl::api {

namespace asio = boost::asio;
using schema::described;

namespace {

constexpr std::string_view kPortTag = "Ports";
constexpr std::chrono::seconds kDialPatience{10};
constexpr std::chrono::seconds kListPatience{10};
constexpr std::size_t kPrefixSegments = 5;  // v1, sessions, {id}, ports, {port}
constexpr std::string_view kMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

// A page lives with this in an origin of its own, `null`: it cannot read what the API answers, has
// no cookies and no storage there, and the door refuses what it sends to anything but a port.
constexpr std::string_view kPortPagePolicy =
    "sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads "
    "allow-pointer-lock";

enum class Origin { Shared, ItsOwn };

// What a guest could do to the whole origin, or to the person in front of the browser in its name.
std::vector<std::string> refused_headers(Origin origin) {
    std::vector<std::string> names{// pins of the name
                                   "Strict-Transport-Security", "Public-Key-Pins", "Expect-CT",
                                   "Alt-Svc", "NEL", "Set-Cookie2",
                                   // would ask for a password that we do not pass on
                                   "WWW-Authenticate",
                                   // who else may read it is not the guest's to say
                                   "Access-Control-Allow-Origin",
                                   "Access-Control-Allow-Credentials", "Timing-Allow-Origin"};
    if (origin == Origin::ItsOwn) return names;
    names.insert(names.end(), {"Set-Cookie", "Clear-Site-Data", "Accept-CH", "Critical-CH",
                               "Login-Status", "Origin-Trial",
                               // a worker or a report that outlives the page
                               "Service-Worker-Allowed", "Report-To", "Reporting-Endpoints",
                               "Content-Security-Policy-Report-Only"});
    return names;
}

int port_in(const net::Request& request) {
    using Parameters = std::vector<schema::Parameter>;
    const Parameters parameters{{"id", request.parameter("id")},
                                {"port", request.parameter("port")}};
    return schema::from_parameters<PortPath>(parameters).port;
}

// The path as it was sent, in two: what names the port, and what its server shall see.
std::pair<std::string, std::string> split_path(const std::string& path) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < kPrefixSegments; ++i)
        at = std::min(path.find('/', at + 1), path.size());
    return {path.substr(0, at), path.substr(at)};
}

// A server that knows nothing of the prefix redirects to paths of its own.
void mend_location(net::Headers& headers, const std::string& prefix, const std::string& host) {
    const auto given = headers.get("Location");
    if (!given) return;
    std::string location(*given);
    for (const std::string& own :
         {"http://" + host, "http://127.0.0.1" + host.substr(host.find(':'))}) {
        if (location.rfind(own, 0) != 0) continue;
        const auto rest = location.substr(own.size());
        if (rest.empty() || rest.front() == '/') location = rest.empty() ? "/" : rest;
    }
    const bool a_path = location.rfind("/", 0) == 0 && location.rfind("//", 0) != 0;
    const bool knows = location == prefix || location.rfind(prefix + "/", 0) == 0;
    if (a_path && !knows) location = prefix + location;
    headers.set("Location", location);
}

net::Response preflight_answer(const net::Request& request) {
    auto response = net::Response::empty();
    response.headers.set("Access-Control-Allow-Origin", "null");
    response.headers.set("Access-Control-Allow-Methods", kMethods);
    if (const auto asked = request.headers.get("Access-Control-Request-Headers")) {
        response.headers.set("Access-Control-Allow-Headers", *asked);
    }
    response.headers.set("Access-Control-Max-Age", "600");
    response.headers.set("Vary", "Origin");
    return response;
}

// The path and the query as the server in the sandbox shall see them.
std::string target_inside(const net::Request& request) {
    std::string target = split_path(request.target.path).second;
    if (!request.target.query_text.empty()) target += "?" + request.target.query_text;
    return target;
}

// What the sandbox answers on this port, or a sentence why it does not.
asio::awaitable<std::unique_ptr<net::ByteStream>> dial(const sessions::Use& use,
                                                       net::Exchange& exchange, int port) {
    std::optional<net::Problem> refused;
    try {
        co_return co_await PortStream::dial(use.link(), exchange.executor(), port, kDialPatience);
    } catch (const net::Problem& problem) { refused = problem; }
    const auto& stopped = use->stopped_programs();
    if (refused->status != 502 || stopped.empty()) throw *refused;
    constexpr std::size_t kNamedMax = 3;
    std::string sentence = "nothing listens on port " + std::to_string(port) +
                           " of the sandbox any more: programs are not kept when a session goes "
                           "to sleep or is copied; start it again. There were:";
    for (std::size_t i = 0; i < std::min(stopped.size(), kNamedMax); ++i) {
        sentence += (i == 0 ? " " : "; ") + stopped[i].name + ": " + stopped[i].reason;
    }
    if (stopped.size() > kNamedMax) {
        sentence += "; and " + std::to_string(stopped.size() - kNamedMax) + " more";
    }
    throw net::Problem(Code::Unavailable, std::move(sentence)).with_status(502);
}

// Pages of the port show it with each request; until the token's own end.
std::string cookie_of(const Caller& caller, const net::Request& request, const Signer& signer) {
    const Grant grant{.session = caller.token_session,
                      .owner = caller.owner,
                      .key_id = caller.key_id,
                      .scopes = {"ports"},
                      .until = *caller.until};
    std::string cookie = std::string(kPortCookie) + "=" + signer.sign(grant) + "; Path=/; HttpOnly";
    // A frame in the web interface is on another site, whose browser would keep back a Lax cookie.
    // A partitioned one is for frames in that very site: no other page can make use of it.
    if (request.headers.get_or("Sec-Fetch-Dest", {}) == "iframe") {
        return cookie + "; SameSite=None; Partitioned; Secure";
    }
    return cookie + "; SameSite=Lax" + (request.peer.encrypted ? "; Secure" : "");
}

// In an origin of its own the page may do what pages do; what is ours stays with us.
asio::awaitable<void> pass_on_by_host(sessions::Sessions& sessions, net::Exchange& exchange,
                                      const Signer& signer, const PortOptions& limits) {
    const net::Request& request = exchange.request();
    const int port = port_in(request);
    const Caller& caller = caller_of(request);
    const bool by_token = !caller.token_session.empty() && caller.until;
    std::string cookie;
    if (by_token && !cookie_named(request.headers, kPortCookie)) {
        cookie = cookie_of(caller, request, signer);
    }
    if (!cookie.empty() && request.method == "GET" && !exchange.wants_websocket()) {
        // Without the token in its address: the page, and what it links to, could read it there.
        auto response = net::Response::empty(303);
        // "//name/" would be another host; "/.//name/" is a path.
        const std::string back = target_inside(request);
        response.headers.set("Location", back.starts_with("//") ? "/." + back : back);
        response.headers.set("Set-Cookie", cookie);
        response.headers.set("Cache-Control", "no-store");
        response.headers.set("Referrer-Policy", "no-referrer");
        co_await exchange.respond(std::move(response));
        co_return;
    }
    const auto use = co_await sessions.use(whose(exchange), session_in(exchange));
    net::ProxyOptions options;
    options.target = target_inside(request);
    options.host = std::string(request.host());
    options.answer_timeout = limits.answer_timeout;
    options.hidden_headers = {"Authorization", "X-Api-Key", "Cookie"};
    if (const auto cookies = without_cookie(request.headers, kPortCookie); !cookies.empty()) {
        options.added_headers.set("Cookie", cookies);
    }
    options.hidden_response_headers = refused_headers(Origin::ItsOwn);
    const std::string inside = "localhost:" + std::to_string(port);
    options.edit_response = [inside, cookie](net::Headers& headers) {
        mend_location(headers, "", inside);
        confine_cookies(headers);
        if (!cookie.empty()) headers.add("Set-Cookie", cookie);
    };
    auto stream = co_await dial(use, exchange, port);
    co_await net::proxy(exchange, std::move(stream), std::move(options));
}

asio::awaitable<void> pass_on(sessions::Sessions& sessions, net::Exchange& exchange,
                              const PortOptions& limits) {
    const net::Request& request = exchange.request();
    const int port = port_in(request);
    if (is_preflight(request)) {
        co_await exchange.respond(preflight_answer(request));
        co_return;
    }
    const auto use = co_await sessions.use(whose(exchange), session_in(exchange));
    net::ProxyOptions options;
    options.target = target_inside(request);
    options.host = "localhost:" + std::to_string(port);
    options.prefix = split_path(request.target.path).first;
    options.answer_timeout = limits.answer_timeout;
    options.hidden_headers = {"Authorization", "X-Api-Key", "Cookie", "Origin", "Referer"};
    // Servers compare it with the Host that they see.
    if (request.headers.contains("Origin") || exchange.wants_websocket()) {
        options.added_headers.set("Origin", "http://" + options.host);
    }
    options.hidden_response_headers = refused_headers(Origin::Shared);
    options.added_response_headers = {{"Content-Security-Policy", std::string(kPortPagePolicy)},
                                      {"Access-Control-Allow-Origin", "null"},
                                      {"Referrer-Policy", "no-referrer"}};
    options.edit_response = [own = options.prefix, host = options.host](net::Headers& headers) {
        mend_location(headers, own, host);
    };
    auto stream = co_await dial(use, exchange, port);
    co_await net::proxy(exchange, std::move(stream), std::move(options));
}

// Whoever asks was let in by another API. Its callers prove themselves to the server inside as they
// like, so Authorization is passed on.
asio::awaitable<void> pass_on_from(const PortPlace& place, sessions::Sessions& sessions,
                                   net::Exchange& exchange, const PortOptions& limits) {
    const net::Request& request = exchange.request();
    const int port = port_in(request);
    const bool own_origin = place.has_own_origin(request);
    const auto use = co_await sessions.use(whose(exchange), session_in(exchange));
    const std::string inside = "localhost:" + std::to_string(port);
    net::ProxyOptions options;
    options.target = target_inside(request);
    options.host = own_origin ? std::string(request.host()) : inside;
    if (const auto masked = request.headers.get(place.host_header)) options.host = *masked;
    options.answer_timeout = limits.answer_timeout;
    options.hidden_headers = place.hidden_headers;
    options.hidden_headers.push_back(place.host_header);
    options.hidden_headers.emplace_back("X-Api-Key");
    options.hidden_response_headers = refused_headers(own_origin ? Origin::ItsOwn : Origin::Shared);
    if (!own_origin) {
        options.added_response_headers = {{"Content-Security-Policy", std::string(kPortPagePolicy)},
                                          {"Referrer-Policy", "no-referrer"}};
    }
    options.edit_response = [inside](net::Headers& headers) {
        mend_location(headers, "", inside);
        confine_cookies(headers);
    };
    std::unique_ptr<net::ByteStream> stream;
    std::optional<net::Problem> refused;
    try {
        stream = co_await dial(use, exchange, port);
    } catch (const net::Problem& problem) { refused = problem; }
    if (refused && refused->status == 502) throw place.closed(session_in(exchange), port);
    if (refused) throw *refused;
    co_await net::proxy(exchange, std::move(stream), std::move(options));
}

// A session that is on disk is not woken for it: what listened there has ended.
asio::awaitable<void> list(sessions::Sessions& sessions, net::Exchange& exchange,
                           const PortOptions& options) {
    const auto record = co_await sessions.get(whose(exchange), session_in(exchange));
    PortList answer;
    if (record.state != core::SessionState::Cold && record.state != core::SessionState::Failed) {
        const auto use = co_await sessions.use(whose(exchange), record.id);
        const auto ports = co_await guest_client::list_ports(use.link(), kListPatience);
        for (const auto port : ports) {
            const std::string label = std::to_string(port) + "-" + record.id.text();
            const auto origin = port_origin(exchange.request(), options.domain, label);
            const std::string path =
                "/v1/sessions/" + record.id.text() + "/ports/" + std::to_string(port);
            answer.ports.push_back({port, (origin.empty() ? path : origin) + "/"});
        }
    }
    co_await exchange.respond(json_response(200, answer));
}

asio::awaitable<void> redirect(net::Exchange& exchange) {
    (void)port_in(exchange.request());
    const auto& target = exchange.request().target;
    auto response = net::Response::empty(308);
    const std::string query = target.query_text.empty() ? "" : "?" + target.query_text;
    response.headers.set("Location", target.path + "/" + query);
    co_await exchange.respond(std::move(response));
}

}  // namespace

void add_ports_at(Api& api, sessions::Sessions& sessions, PortPlace place, PortOptions options) {
    const auto kept = std::make_shared<const PortPlace>(std::move(place));
    for (const auto* method : {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
        schema::Route route{.method = method,
                            .pattern = kept->pattern,
                            .id = "use_port_of_sandbox",
                            .tag = {},
                            .summary = {}};
        route.listed = false;
        api.add(std::move(route), [kept, &sessions, options](net::Exchange& exchange) {
            return pass_on_from(*kept, sessions, exchange, options);
        });
    }
}

void let_port_pages_in(net::Request& request) {
    const auto& segments = request.target.segments;
    const bool a_port = segments.size() > kPrefixSegments && segments[0] == "v1" &&
                        segments[1] == "sessions" && segments[3] == "ports";
    if (a_port && request.headers.get_or("Origin", {}) == "null") request.headers.remove("Origin");
}

void add_port_routes(Api& api, sessions::Sessions& sessions, const Signer& signer,
                     PortOptions options) {
    api.add({.method = "GET",
             .pattern = "/v1/sessions/{id}/ports",
             .id = "list_ports",
             .tag = kPortTag,
             .summary = "What listens in the sandbox",
             .description = "A frozen session is woken; one on disk has none, and stays there.",
             .path = described<SessionPath>(),
             .answers = {schema::json_answer<PortList>(200, "The ports.")}},
            [&sessions, options](net::Exchange& exchange) {
                return list(sessions, exchange, options);
            });
    api.add({.method = "GET",
             .pattern = "/v1/sessions/{id}/ports/{port}",
             .id = "enter_port",
             .tag = kPortTag,
             .summary = "To the root of a web server in the sandbox",
             .path = described<PortPath>(),
             .answers = {schema::empty_answer(308, "With a slash at the end.")}},
            [](net::Exchange& exchange) { return redirect(exchange); });
    struct Method {
        std::string_view method, id, summary;
    };
    static constexpr std::array<Method, 6> kPassed{{
        {"GET", "get_port", "Ask a web server in the sandbox; also WebSocket"},
        {"POST", "post_port", "Post to a web server in the sandbox"},
        {"PUT", "put_port", "Put to a web server in the sandbox"},
        {"PATCH", "patch_port", "Patch at a web server in the sandbox"},
        {"DELETE", "delete_port", "Delete at a web server in the sandbox"},
        {"OPTIONS", "options_port", "Ask a web server in the sandbox for its options"},
    }};
    for (const auto& [method, id, summary] : kPassed) {
        schema::Route route{
            .method = method,
            .pattern = "/v1/sessions/{id}/ports/{port}/{path...}",
            .id = id,
            .tag = kPortTag,
            .summary = summary,
            .description =
                "The answer is the server's own, without cookies and in an origin of "
                "its own. At `{port}-{id}.localhost` (setting `ports.domain`) it is the root "
                "of its own origin, with cookies and storage. 502 when nothing listens there or it "
                "answers badly, 504 when "
                "it does not answer in time.",
            .path = described<PortFilePath>(),
            .answers = {schema::bytes_answer("What the server in the sandbox answers.")}};
        if (method == "POST" || method == "PUT" || method == "PATCH") {
            auto body = schema::bytes_body("Passed on as it is.");
            body.required = false;
            route.bodies = {std::move(body)};
        }
        api.add(std::move(route), [&sessions, &signer, options](net::Exchange& exchange) {
            if (port_host_of(exchange.request().host(), options.domain)) {
                return pass_on_by_host(sessions, exchange, signer, options);
            }
            return pass_on(sessions, exchange, options);
        });
    }
}

}  // namespace atl::api
