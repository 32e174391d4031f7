#include "net/host.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <netinet/in.h>
#include <string>

namespace atl::net {

std::optional<HostPort> parse_host(std::string_view text) {
    constexpr std::size_t kNameBytesMax = 255;
    HostPort host;
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        in6_addr address{};
        const std::string inside(text.substr(1, end - 1));
        if (::inet_pton(AF_INET6, inside.c_str(), &address) != 1) return std::nullopt;
        host.name = text.substr(0, end + 1);
    } else {
        host.name = text.substr(0, text.find(':'));
        const bool plain = std::all_of(host.name.begin(), host.name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                   std::string_view("-._~").find(c) != std::string_view::npos;
        });
        if (host.name.empty() || host.name.size() > kNameBytesMax || !plain) return std::nullopt;
    }
    const auto rest = text.substr(host.name.size());
    if (rest.empty()) return host;
    if (rest.size() < 2 || rest.front() != ':') return std::nullopt;
    std::uint16_t port = 0;
    const auto [at, wrong] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), port);
    if (wrong != std::errc() || at != rest.data() + rest.size()) return std::nullopt;
    host.port = port;
    return host;
}

}  // namespace atl::net
