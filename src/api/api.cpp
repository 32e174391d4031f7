#include "api/api.hpp"

#include "api/docs_page/assets.hpp"
#include "net/problem.hpp"

#include <boost/json/array.hpp>
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

asio::awaitable<void> run_checked(net::Handler handler, net::Exchange& exchange) {
    std::optional<net::Problem> problem;
    try {
        co_await handler(exchange);
    } catch (const schema::ValidationError& error) { problem = problem_of(error); }
    if (problem) throw *problem;
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
    return *caller;
}

void Api::add(schema::Route route, net::Handler handler) {
    const auto checked = [handler = std::move(handler)](net::Exchange& exchange) {
        return run_checked(handler, exchange);
    };
    router_.add(route.method, route.pattern, checked);
    routes_.push_back(std::move(route));
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
    router_.add("GET", "/docs", [](net::Exchange& exchange) -> asio::awaitable<void> {
        net::Response response = net::Response::empty(308);
        response.headers.set("Location", "/docs/");
        co_await exchange.respond(std::move(response));
    });
    router_.add("GET", "/docs/{path...}", send_page);
}

}  // namespace atl::api
