#include "api/web_routes.hpp"

#include "api/port_host.hpp"
#include "api/web_pages/assets.hpp"
#include "net/problem.hpp"
#include "net/range.hpp"

namespace atl::api {

namespace asio = boost::asio;

namespace {

// No inline script or style, nothing from other hosts, nobody may frame it. Images may be blob:
// because with keys on the page fetches them itself. What code in a sandbox wrote is never HTML of
// this page, and could not run if it were. Frames show web servers of sandboxes, by host name where
// that leads here; by path they are sandboxed by their own policy as well (port_routes.cpp).
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "form-action 'none'; object-src 'none'; frame-src 'self'";

std::string policy_for(const net::Request& request, std::string_view ports_domain) {
    const auto ports = port_origin(request, ports_domain, "*");
    return std::string(kPolicy) + (ports.empty() ? "" : " " + ports);
}

asio::awaitable<void> send(net::Exchange& exchange, std::string path, std::string ports_domain) {
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
    response.headers.set("Content-Security-Policy", policy_for(exchange.request(), ports_domain));
    response.headers.set("X-Content-Type-Options", "nosniff");
    response.headers.set("Referrer-Policy", "no-referrer");
    if (net::is_unchanged(exchange.request().headers, response.headers)) {
        response.status = 304;
        response.body.clear();
    }
    co_await exchange.respond(std::move(response));
}

}  // namespace

asio::awaitable<void> send_web_page(net::Exchange& exchange, std::string ports_domain) {
    return send(exchange, "", std::move(ports_domain));
}

asio::awaitable<void> send_web_file(net::Exchange& exchange, std::string ports_domain) {
    return send(exchange, std::string(exchange.request().parameter("path")),
                std::move(ports_domain));
}

}  // namespace atl::api
