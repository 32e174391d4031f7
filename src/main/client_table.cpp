#include "main/client_table.hpp"

#include <algorithm>
#include <ctime>

namespace atl::main {

namespace {

// Characters, near enough: bytes that do not continue one.
std::size_t width_of(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string printable(std::string_view text) {
    std::string clean(text);
    std::replace_if(
        clean.begin(), clean.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return clean;
}

std::string Table::text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], width_of(row[i]));
        }
    }
    std::string text;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string cell = printable(row[i]);
            line += cell;
            if (i + 1 < row.size()) line.append(widths[i] - width_of(cell) + 2, ' ');
        }
        text += line + "\n";
    }
    return text;
}

std::string age_of(const std::string& time) {
    std::tm parts{};
    if (::strptime(time.c_str(), "%Y-%m-%dT%H:%M:%S", &parts) == nullptr) return "";
    const std::time_t then = ::timegm(&parts);
    const auto seconds = std::max<std::time_t>(0, std::time(nullptr) - then);
    if (seconds < 120) return std::to_string(seconds) + "s";
    if (seconds < 2 * 3600) return std::to_string(seconds / 60) + "m";
    if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + "h";
    return std::to_string(seconds / 86400) + "d";
}

}  // namespace atl::main
