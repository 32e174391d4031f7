#include "api/port_host.hpp"

#include "base/result.hpp"
#include "net/host.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace atl::api {

namespace {

constexpr std::string_view kToken = "token";

// The next piece up to `separator`, without the spaces around it; `rest` loses it.
std::string_view next_piece(std::string_view& rest, char separator) {
    const auto end = std::min(rest.find(separator), rest.size());
    const auto piece = net::trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return piece;
}

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return result;
}

}  // namespace

std::optional<PortHost> port_host_of(std::string_view host, std::string_view domain) {
    const auto parsed = net::parse_host(host);
    if (!parsed || domain.empty() || parsed->name.size() <= domain.size() + 1) return std::nullopt;
    const auto name = parsed->name;
    const auto label = name.substr(0, name.size() - domain.size() - 1);
    if (name[label.size()] != '.' ||
        !net::same_ignoring_case(name.substr(label.size() + 1), domain)) {
        return std::nullopt;
    }
    const auto dash = label.find('-');
    if (dash == std::string_view::npos || label.find('.') != std::string_view::npos) {
        return std::nullopt;
    }
    PortHost there;
    const auto [at, wrong] = std::from_chars(label.data(), label.data() + dash, there.port);
    // One name for each port: 08080 would be another origin.
    if (wrong != std::errc() || at != label.data() + dash || there.port == 0 || label[0] == '0') {
        return std::nullopt;
    }
    there.session = lower(label.substr(dash + 1));
    if (there.session.empty()) return std::nullopt;
    return there;
}

std::string port_origin(const net::Request& request, std::string_view domain,
                        std::string_view label) {
    const auto here = net::parse_host(request.host());
    if (!here || domain.empty()) return {};
    const bool local = net::same_ignoring_case(here->name, "localhost") ||
                       here->name == "127.0.0.1" || here->name == "[::1]";
    const bool leads_here =
        net::same_ignoring_case(here->name, domain) || (local && domain == "localhost");
    if (!leads_here) return {};
    std::string origin = request.peer.encrypted ? "https://" : "http://";
    origin.append(label).append(".").append(domain);
    if (here->port) origin += ":" + std::to_string(*here->port);
    return origin;
}

bool is_for(const net::Target& target, const PortHost& there) {
    const auto& segments = target.segments;
    return segments.size() > 5 && segments[0] == "v1" && segments[1] == "sessions" &&
           segments[2] == there.session && segments[3] == "ports" &&
           segments[4] == std::to_string(there.port);
}

void enter_port_host(net::Request& request, std::string_view domain) {
    const auto there = port_host_of(request.host(), domain);
    if (!there) return;
    auto& target = request.target;
    if (!target.path.starts_with('/')) {
        throw ErrorException({Code::InvalidArgument, "a port is asked for a path"});
    }
    const bool has_token = target.parameter(kToken).has_value();
    std::string text =
        "/v1/sessions/" + there->session + "/ports/" + std::to_string(there->port) + target.path;
    if (!target.query_text.empty()) text += "?" + target.query_text;
    auto written = net::parse_target(text).value();
    written.authority = std::move(target.authority);
    target = std::move(written);
    const auto kept = cookie_named(request.headers, kPortCookie);
    if (!kept) return;
    // A token in the address is newer than the cookie. The door reads both in the same place.
    if (!has_token && !request.headers.contains("Authorization")) {
        target.query.emplace_back(std::string(kToken), *kept);
        return;
    }
    const auto others = without_cookie(request.headers, kPortCookie);
    request.headers.remove("Cookie");
    if (!others.empty()) request.headers.set("Cookie", others);
}

bool is_preflight(const net::Request& request) {
    return request.method == "OPTIONS" && request.headers.contains("Access-Control-Request-Method");
}

std::optional<std::string> cookie_named(const net::Headers& headers, std::string_view name) {
    for (std::string_view rest : headers.get_all("Cookie")) {
        while (!rest.empty()) {
            const auto piece = next_piece(rest, ';');
            const auto equals = piece.find('=');
            if (equals == std::string_view::npos || piece.substr(0, equals) != name) continue;
            return std::string(piece.substr(equals + 1));
        }
    }
    return std::nullopt;
}

std::string without_cookie(const net::Headers& headers, std::string_view name) {
    std::string kept;
    for (std::string_view rest : headers.get_all("Cookie")) {
        while (!rest.empty()) {
            const auto piece = next_piece(rest, ';');
            if (piece.empty() || piece.substr(0, piece.find('=')) == name) continue;
            if (!kept.empty()) kept += "; ";
            kept += piece;
        }
    }
    return kept;
}

void confine_cookies(net::Headers& response) {
    std::vector<std::string> cookies;
    for (std::string_view rest : response.get_all("Set-Cookie")) {
        std::string kept(next_piece(rest, ';'));
        if (net::trimmed(std::string_view(kept).substr(0, kept.find('='))) == kPortCookie) continue;
        while (!rest.empty()) {
            const auto attribute = next_piece(rest, ';');
            const auto name = net::trimmed(attribute.substr(0, attribute.find('=')));
            // A cookie of the domain would go to the API and to the ports of others.
            if (net::same_ignoring_case(name, "Domain")) continue;
            kept += "; ";
            kept += attribute;
        }
        cookies.push_back(std::move(kept));
    }
    response.remove("Set-Cookie");
    for (const auto& cookie : cookies) response.add("Set-Cookie", cookie);
}

}  // namespace atl::api
