#include "guest/lib/listening.hpp"

#include "sys/files.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <system_error>

namespace atl::guest {

namespace {

// The next word of a line; `rest` loses it.
std::string_view next_word(std::string_view& rest) {
    const auto begin = std::min(rest.find_first_not_of(' '), rest.size());
    const auto end = std::min(rest.find(' ', begin), rest.size());
    const auto word = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    return word;
}

}  // namespace

// "  0: 0100007F:1F40 00000000:0000 0A …": number, own address, the other's, state. 0A: it listens.
void add_listening(std::string_view table, std::set<std::uint16_t>& ports) {
    while (!table.empty()) {
        const auto end = std::min(table.find('\n'), table.size());
        auto line = table.substr(0, end);
        table.remove_prefix(std::min(end + 1, table.size()));
        next_word(line);
        const auto own = next_word(line);
        next_word(line);
        if (next_word(line) != "0A") continue;
        const auto colon = own.rfind(':');
        if (colon == std::string_view::npos) continue;
        std::uint16_t port = 0;
        const char* last = own.data() + own.size();
        const auto [stopped, wrong] = std::from_chars(own.data() + colon + 1, last, port, 16);
        if (wrong == std::errc{} && stopped == last && port > 0) ports.insert(port);
    }
}

std::set<std::uint16_t> listening_ports() {
    std::set<std::uint16_t> ports;
    for (const char* path : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
        // A host without IPv6 has no second one.
        if (const auto table = sys::read_small_file(path)) add_listening(*table, ports);
    }
    return ports;
}

}  // namespace atl::guest
