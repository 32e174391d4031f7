#include "api/api.hpp"

#include "api/docs_page/assets.hpp"
#include "api/scopes.hpp"
#include "api/web_routes.hpp"
#include "net/problem.hpp"

#include <boost/json/array.hpp>
#include <exception>
#include <memory>
#include <optional>

namespace atl::api {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

// The page lives with this, so nothing that a document says can run in it.
constexpr std::string_view kPagePolicy =
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

net::Problem problem_of(const schema::ValidationError& error) {
    net::Problem problem(error.error);
    json::array errors;
    for (const auto& issue : error.issues) {
        errors.push_back({{"path", issue.path}, {"message", issue.message}});
    }
    problem.members["errors"] = std::move(errors);
    return problem;
}

std::string_view outcome_of(const std::exception_ptr& failed) {
    if (!failed) return "ok";
    try {
        std::rethrow_exception(failed);
    } catch (const ErrorException& error) {
        return net::name_of(error.error.code);
    } catch (const net::ClientGone&) { return "client_gone"; } catch (...) {
        return "internal";
    }
}

asio::awaitable<void> run_checked(net::Handler handler, net::Exchange& exchange, Guard* guard,
                                  net::Handler usher, std::shared_ptr<const Need> need) {
    if (guard == nullptr) throw ErrorException({Code::Internal, "this route has no access check"});
    if (usher) co_await usher(exchange);
    guard->pass(exchange.request(), *need);
    if (auto* caller = std::any_cast<Caller>(&exchange.request().context)) {
        caller->made = [guard, need, &exchange](std::string action, std::string object) {
            guard->made(exchange.request(), *need, std::move(action), std::move(object));
        };
    }
    std::optional<net::Problem> problem;
    std::exception_ptr failed;
    try {
        co_await handler(exchange);
    } catch (const schema::ValidationError& error) {
        problem = problem_of(error);
        failed = std::current_exception();
    } catch (...) { failed = std::current_exception(); }
    guard->ended(exchange.request(), *need, outcome_of(failed));
    if (problem) throw *problem;
    if (failed) std::rethrow_exception(failed);
}

asio::awaitable<void> send_page(net::Exchange& exchange) {
    const auto* asset = docs_page::find(exchange.request().parameter("path"));
    if (asset == nullptr) {
        throw ErrorException({Code::NotFound, "the documentation has no such page"});
    }
    net::Response response{200, {}, std::string(asset->bytes)};
    response.headers.set("Content-Type", asset->content_type);
    response.headers.set("ETag", asset->etag);
    response.headers.set("Content-Security-Policy", kPagePolicy);
    response.headers.set("X-Content-Type-Options", "nosniff");
    co_await exchange.respond(std::move(response));
}

}  // namespace

const Caller& caller_of(const net::Request& request) {
    const auto* caller = std::any_cast<Caller>(&request.context);
    if (caller == nullptr) {
        throw ErrorException({Code::Internal, "a request passed the door without a caller"});
    }
    if (caller->owner.empty()) {
        throw ErrorException({Code::Unauthenticated, "this takes an API key"});
    }
    return *caller;
}

void note_object(net::Exchange& exchange, std::string id) {
    if (auto* caller = std::any_cast<Caller>(&exchange.request().context)) {
        caller->object = std::move(id);
    }
}

void note_made(const net::Exchange& exchange, std::string action, std::string id) {
    const auto* caller = std::any_cast<Caller>(&exchange.request().context);
    if (caller != nullptr && caller->made) caller->made(std::move(action), std::move(id));
}

void Api::check_writable(const net::Request& request) const {
    // A WebSocket begins with a GET, and what comes through it is no reading.
    const bool reads = (request.method == "GET" || request.method == "HEAD") &&
                       !request.headers.contains("Upgrade");
    if (reads || !read_only_) return;
    const auto why = read_only_();
    if (!why.empty()) throw ErrorException({Code::Unavailable, "this server is read-only: " + why});
}

void Api::add(schema::Route route, net::Handler handler) {
    const bool open = route.security == schema::Security::None;
    if (!open) scopes_.push_back(scope_of(route));  // a deque: the route's view stays good
    if (!open) route.scope = scopes_.back();
    const auto need =
        std::make_shared<const Need>(Need{std::string(route.id), std::string(route.scope), open});
    const net::Handler unless_read_only = [this, stores = route.stores,
                                           handler = std::move(handler)](net::Exchange& exchange) {
        if (stores) check_writable(exchange.request());
        return handler(exchange);
    };
    const auto usher = usher_of(route.pattern);
    const auto checked = [this, need, usher, unless_read_only](net::Exchange& exchange) {
        return run_checked(unless_read_only, exchange, guard_, usher, need);
    };
    router_.add(route.method, route.pattern, checked);
    if (route.listed) routes_.push_back(std::move(route));
}

void Api::usher_below(std::string place, net::Handler usher) {
    ushers_.emplace_back(std::move(place), std::move(usher));
}

net::Handler Api::usher_of(std::string_view pattern) const {
    for (const auto& [place, usher] : ushers_) {
        if (pattern.starts_with(place)) return usher;
    }
    return nullptr;
}

void Api::finish(const schema::About& about) {
    document_ = schema::openapi_document(about, routes_);
    const auto send_document = [this](net::Exchange& exchange) -> asio::awaitable<void> {
        net::Response response{200, {}, document_};
        response.headers.set("Content-Type", "application/json");
        co_await exchange.respond(std::move(response));
    };
    router_.add("GET", "/openapi.json", send_document);
    router_.add("GET", "/docs/openapi.json", send_document);
    const auto to_the_page = [](net::Exchange& exchange) -> asio::awaitable<void> {
        net::Response response = net::Response::empty(308);
        response.headers.set("Location", "/docs/");
        co_await exchange.respond(std::move(response));
    };
    router_.add("GET", "/",
                [this](net::Exchange& exchange) { return send_web_page(exchange, ports_domain_); });
    router_.add("GET", "/ui/{path...}",
                [this](net::Exchange& exchange) { return send_web_file(exchange, ports_domain_); });
    router_.add("GET", "/docs", to_the_page);
    router_.add("GET", "/docs/{path...}", send_page);
}

}  // namespace atl::api
