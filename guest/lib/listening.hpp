#pragma once
// Which TCP ports of this sandbox somebody listens on.
#include <cstdint>
#include <set>
#include <string_view>

namespace atl::guest {

// Adds those of a table as /proc/net/tcp has it; a line that is none is left out.
void add_listening(std::string_view table, std::set<std::uint16_t>& ports);

// By the Linux kernel's own tables, IPv4 and IPv6.
[[nodiscard]] std::set<std::uint16_t> listening_ports();

}  // namespace atl::guest
