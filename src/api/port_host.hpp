#pragma once
// Ports by host name: http://8080-<session>.localhost:8000/ is what
// http://localhost:8000/v1/sessions/<session>/ports/8080/ is, with an origin of its own. So links
// to "/style.css", cookies, storage and service workers work there as their page expects.
//
// A request for such a host is for that port and for nothing else: enter_port_host() writes it as
// the route of the port before anybody looks at it, and the door checks that this was done. Clients
// with keys come with a token in the address, which becomes a cookie of that origin: the pages'
// further requests have no other way to show it. Neither the server in the sandbox nor its pages
// get to see it.
#include "net/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::api {

struct PortHost {
    std::string session;
    std::uint16_t port = 0;
};
// Of a Host with or without a port of its own. An empty domain has none.
[[nodiscard]] std::optional<PortHost> port_host_of(std::string_view host, std::string_view domain);

// "http://<label>.localhost:8000": the origin of a port as whoever sent this request can reach it,
// or of any port with the label `*`. Empty where the domain may lead to another machine: the
// request came by another name of this one.
[[nodiscard]] std::string port_origin(const net::Request& request, std::string_view domain,
                                      std::string_view label);

// Before the door. Throws ErrorException when the request cannot be one for a port.
void enter_port_host(net::Request& request, std::string_view domain);
// Whether the path is that of this port.
[[nodiscard]] bool is_for(const net::Target& target, const PortHost& there);

// A browser's question whether a page of another origin may send a request.
[[nodiscard]] bool is_preflight(const net::Request& request);

// The cookie that holds a token.
inline constexpr std::string_view kPortCookie = "atoll_port_token";
[[nodiscard]] std::optional<std::string> cookie_named(const net::Headers& headers,
                                                      std::string_view name);
// What is left of a Cookie header for the server in the sandbox; empty: nothing.
[[nodiscard]] std::string without_cookie(const net::Headers& headers, std::string_view name);
// The guest's cookies are for its own host: none for the domain above it, none in our name.
void confine_cookies(net::Headers& response);

}  // namespace atl::api
