#pragma once
// A Host or an authority, taken apart. Strict, because who may ask is decided by it: a name, an
// IPv4 address, or an IPv6 address in brackets, and behind it a port or nothing.
#include <cstdint>
#include <optional>
#include <string_view>

namespace atl::net {

struct HostPort {
    std::string_view name;  // with its brackets
    std::optional<std::uint16_t> port;
};
[[nodiscard]] std::optional<HostPort> parse_host(std::string_view text);

}  // namespace atl::net
