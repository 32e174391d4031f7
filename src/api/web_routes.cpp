#include "api/web_routes.hpp"

#include "api/web_pages/assets.hpp"
#include "net/problem.hpp"
#include "net/range.hpp"

namespace atl::api {

namespace asio = boost::asio;

namespace {

// No inline script or style, nothing from other hosts, nobody may frame it. Images may be blob:
// because with keys on the page fetches them itself. What code in a sandbox wrote is never HTML of
// this page, and could not run if it were.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'; object-src 'none'";

asio::awaitable<void> send(net::Exchange& exchange, std::string path) {
    const auto* asset = web_pages::find(path);
    if (asset == nullptr && web_pages::assets().empty()) {
        net::Response response = net::Response::empty(307);
        response.headers.set("Location", "/docs/");
        co_await exchange.respond(std::move(response));
        co_return;
    }
    if (asset == nullptr) {
        throw ErrorException({Code::NotFound, "the web interface has no such file"});
    }
    net::Response response{200, {}, std::string(asset->bytes)};
    response.headers.set("Content-Type", asset->content_type);
    response.headers.set("ETag", asset->etag);
    response.headers.set("Cache-Control", web_pages::is_immutable(*asset)
                                              ? "public, max-age=31536000, immutable"
                                              : "no-cache");
    response.headers.set("Content-Security-Policy", kPolicy);
    response.headers.set("X-Content-Type-Options", "nosniff");
    response.headers.set("Referrer-Policy", "no-referrer");
    if (net::is_unchanged(exchange.request().headers, response.headers)) {
        response.status = 304;
        response.body.clear();
    }
    co_await exchange.respond(std::move(response));
}

}  // namespace

asio::awaitable<void> send_web_page(net::Exchange& exchange) { return send(exchange, ""); }

asio::awaitable<void> send_web_file(net::Exchange& exchange) {
    return send(exchange, std::string(exchange.request().parameter("path")));
}

}  // namespace atl::api
