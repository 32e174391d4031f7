#include "cli/table.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <ctime>
#include <iterator>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace atl::cli {

namespace {

// Chinese, Japanese, Korean, emoji: what a terminal shows two columns wide.
constexpr std::pair<char32_t, char32_t> kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

std::size_t columns_of(char32_t character) {
    const bool wide = std::any_of(std::begin(kWide), std::end(kWide), [&](const auto& range) {
        return character >= range.first && character <= range.second;
    });
    return wide ? 2 : 1;
}

// Takes the character at `at` of UTF-8 and moves behind it.
char32_t next_character(std::string_view text, std::size_t& at) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    char32_t character = lead < 0xC0   ? lead
                         : lead < 0xE0 ? lead & 0x1F
                         : lead < 0xF0 ? lead & 0xF
                                       : lead & 7;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
        character = character << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
    }
    return character;
}

// Columns on a terminal, near enough.
std::size_t width_of(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t at = 0; at < text.size();) width += columns_of(next_character(text, at));
    return width;
}

}  // namespace

void Table::add(std::vector<std::string> row) {
    for (auto& cell : row) cell = printable(cell);
    rows_.push_back(std::move(row));
}

std::string clipped(std::string_view text, std::size_t columns) {
    std::size_t at = 0, width = 0;
    while (at < text.size()) {
        std::size_t next = at;
        width += columns_of(next_character(text, next));
        if (width > columns) break;
        at = next;
    }
    return std::string(text.substr(0, at));
}

std::size_t columns_of_stderr() {
    constexpr std::size_t kUsual = 80;
    winsize window{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return kUsual;
    return window.ws_col;
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
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] - width_of(row[i]) + 2, ' ');
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

}  // namespace atl::cli
