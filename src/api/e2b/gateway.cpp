#include "api/e2b/gateway.hpp"

#include "api/e2b/errors.hpp"
#include "base/encoding.hpp"
#include "net/host.hpp"
#include "net/problem.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace atl::api::e2b {

namespace {

constexpr std::string_view kIdHeader = "E2b-Sandbox-Id";
constexpr std::string_view kPortHeader = "E2b-Sandbox-Port";
constexpr std::string_view kApiLabel = "api";
// Of the control API. Older SDKs name a sandbox by headers there, too.
constexpr std::array<std::string_view, 7> kControl{"sandboxes", "v2",      "v3",     "templates",
                                                   "snapshots", "volumes", "secrets"};

bool is_control(const net::Target& target) {
    return !target.segments.empty() &&
           std::find(kControl.begin(), kControl.end(), target.segments[0]) != kControl.end();
}

std::optional<std::uint16_t> port_in(std::string_view text) {
    if (text.empty()) return std::nullopt;
    std::uint16_t port = 0;
    const auto [at, wrong] = std::from_chars(text.data(), text.data() + text.size(), port);
    // One name for each port.
    const bool good = wrong == std::errc() && at == text.data() + text.size() && text[0] != '0';
    return good ? std::optional(port) : std::nullopt;
}

// What stands before ".<domain>"; empty: it is no host of the domain.
std::string_view label_in(std::string_view host, std::string_view domain) {
    const auto parsed = net::parse_host(host);
    if (!parsed || domain.empty() || parsed->name.size() <= domain.size() + 1) return {};
    const auto name = parsed->name;
    const auto label = name.substr(0, name.size() - domain.size() - 1);
    const bool below =
        name[label.size()] == '.' && net::same_ignoring_case(name.substr(label.size() + 1), domain);
    return below ? label : std::string_view();
}

std::string place_of(const SandboxHost& there) {
    std::string place = "/e2b/sandboxes/" + there.session.text();
    if (there.port == kEnvdPort) return place + "/envd";
    if (there.port == kInterpreterPort) return place + "/interpreter";
    return place + "/ports/" + std::to_string(there.port);
}

bool go_to(const SandboxHost& there, net::Request& request) {
    auto& target = request.target;
    if (!target.path.starts_with('/')) {
        throw ErrorException({Code::InvalidArgument, "a sandbox is asked for a path"});
    }
    std::string text = place_of(there) + target.path;
    if (!target.query_text.empty()) text += "?" + target.query_text;
    auto written = net::parse_target(text).value();
    written.authority = std::move(target.authority);
    target = std::move(written);
    return true;
}

net::Problem unknown_sandbox(std::string_view id) {
    return not_running(SessionId(std::string(id.substr(0, 64))));
}

std::optional<SandboxHost> named_by_headers(const net::Request& request) {
    const auto id = request.headers.get(kIdHeader);
    const auto port = request.headers.get(kPortHeader);
    if (!id || !port) return std::nullopt;
    const auto session = session_id_of(*id);
    if (!session) throw unknown_sandbox(*id);
    const auto number = port_in(*port);
    if (!number) {
        throw ErrorException({Code::InvalidArgument, "E2b-Sandbox-Port: use a port number"});
    }
    return SandboxHost{*session, *number};
}

}  // namespace

std::optional<SandboxHost> sandbox_host_of(std::string_view host, std::string_view domain) {
    const auto label = label_in(host, domain);
    const auto dash = label.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto port = port_in(label.substr(0, dash));
    const auto session = session_id_of(ascii_lower(label.substr(dash + 1)));
    if (!port || !session) return std::nullopt;
    return SandboxHost{*session, *port};
}

bool Gateway::enter(net::Request& request) const {
    const auto& target = request.target;
    const auto host = sandbox_host_of(request.host(), domain_);
    // A host of a sandbox leads there, whatever else the request says: what a page in it sends
    // must not reach the API.
    if (host) return go_to(*host, request);
    const auto port = request.headers.get(kPortHeader);
    const bool for_envd = !port || port_in(*port) == kEnvdPort;
    if (request.headers.contains("X-API-Key") && is_control(target) && for_envd) return false;
    if (const auto named = named_by_headers(request)) return go_to(*named, request);
    if (target.segments.size() != 1 || target.segments[0] != "files") return false;
    if (!target.parameter("signature")) {
        throw net::Problem(Code::Unauthenticated, "missing signature query parameter");
    }
    const auto session = access_.signer_of(request);
    if (!session) throw net::Problem(Code::Unauthenticated, "invalid signature");
    return go_to({*session, kEnvdPort}, request);
}

std::optional<bool> Gateway::stays_inside(const net::Request& request) const {
    if (const auto host = sandbox_host_of(request.host(), domain_)) {
        return request.target.path.starts_with(place_of(*host) + "/");
    }
    if (!net::same_ignoring_case(label_in(request.host(), domain_), kApiLabel)) return std::nullopt;
    return is_control(request.target);
}

std::string Gateway::domain_for(const net::Request& request) const {
    const auto here = net::parse_host(request.host());
    if (!here || domain_.empty()) return {};
    const bool local =
        domain_ == "localhost" && (net::same_ignoring_case(here->name, "localhost") ||
                                   here->name == "127.0.0.1" || here->name == "[::1]");
    const bool below = net::same_ignoring_case(label_in(request.host(), domain_), kApiLabel) ||
                       net::same_ignoring_case(here->name, domain_);
    if (!local && !below) return {};
    return here->port ? domain_ + ":" + std::to_string(*here->port) : domain_;
}

}  // namespace atl::api::e2b
