#include "agent/workbook.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unistd.h>
#include <utility>
#include <zlib.h>

namespace atl::agent {

namespace {

constexpr std::size_t kPartBytesMax = 1u << 20;  // packed and unpacked, and of the directory
constexpr std::size_t kSheetsMax = 50;
constexpr std::size_t kSheetNameBytesMax = 80;
constexpr std::size_t kTagBytesMax = 1024;
constexpr std::string_view kPart = "xl/workbook.xml";

// Little-endian, wherever it stands; 0 beyond the end.
std::size_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
    std::size_t value = 0;
    for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i) {
        value |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    }
    return value;
}

std::optional<std::string> read_at(int file, std::size_t offset, std::size_t size) {
    if (size > kPartBytesMax) return std::nullopt;
    std::string bytes(size, '\0');
    const ssize_t n = ::pread(file, bytes.data(), size, static_cast<off_t>(offset));
    if (n != static_cast<ssize_t>(size)) return std::nullopt;
    return bytes;
}

// The list of contents of a zip archive, which stands before its end.
std::optional<std::string> directory_of(int file) {
    const off_t size = ::lseek(file, 0, SEEK_END);
    if (size < 22) return std::nullopt;
    const auto length = std::min<std::size_t>(static_cast<std::size_t>(size), 22 + 0xffff);
    const auto end = read_at(file, static_cast<std::size_t>(size) - length, length);
    const auto at = end ? end->rfind("PK\x05\x06") : std::string::npos;
    if (at == std::string::npos || at + 22 > end->size()) return std::nullopt;
    return read_at(file, number_at(*end, at + 16, 4), number_at(*end, at + 12, 4));
}

std::string unpacked(std::string packed) {
    std::string out(kPartBytesMax, '\0');
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) return {};
    const int ended = ::inflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    ::inflateEnd(&stream);
    return ended == Z_STREAM_END ? out : std::string();  // a bomb is no workbook
}

std::string part_at(int file, std::string_view entry) {
    const auto header = read_at(file, number_at(entry, 42, 4), 30);
    if (!header || !header->starts_with("PK\x03\x04")) return {};
    const std::size_t begin =
        number_at(entry, 42, 4) + 30 + number_at(*header, 26, 2) + number_at(*header, 28, 2);
    auto bytes = read_at(file, begin, number_at(entry, 20, 4));
    if (!bytes) return {};
    const auto method = number_at(entry, 10, 2);
    if (method == 8) return unpacked(std::move(*bytes));
    return method == 0 ? std::move(*bytes) : std::string();
}

std::string unescaped(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, char>, 5> kNames = {
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    std::string out;
    while (!text.empty()) {
        const auto name = std::find_if(kNames.begin(), kNames.end(),
                                       [&](const auto& n) { return text.starts_with(n.first); });
        const char c = name == kNames.end() ? text.front() : name->second;
        // a prompt has one line a file
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
        text.remove_prefix(name == kNames.end() ? 1 : name->first.size());
    }
    return out;
}

}  // namespace

std::vector<std::string> sheet_names(std::string_view xml) {
    std::vector<std::string> names;
    for (auto at = xml.find("sheet "); at != std::string_view::npos; at = xml.find("sheet ", at)) {
        const bool is_tag = at > 0 && (xml[at - 1] == '<' || xml[at - 1] == ':');
        // No further: without an end in sight each would look through all that follows.
        auto tag = xml.substr(at, kTagBytesMax);
        tag = tag.substr(0, tag.find('>'));
        at += 6;
        const auto begin = tag.find(" name=\"");
        if (!is_tag || begin == std::string_view::npos) continue;
        const auto rest = tag.substr(begin + 7);
        auto name = unescaped(rest.substr(0, rest.find('"')));
        const bool is_text = find_invalid_utf8(name) == std::string_view::npos;
        if (!is_text || name.size() > 4 * kSheetNameBytesMax) continue;
        std::size_t end = std::min(name.size(), kSheetNameBytesMax);
        while (end < name.size() && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
        name.resize(end);
        names.push_back(std::move(name));
        if (names.size() == kSheetsMax) break;
    }
    return names;
}

std::vector<std::string> sheets_in(int file) {
    const auto beginning = read_at(file, 0, 4);
    if (!beginning || *beginning != "PK\x03\x04") return {};
    const auto directory = directory_of(file);
    if (!directory) return {};
    std::string_view rest = *directory;
    while (rest.size() >= 46 && rest.starts_with("PK\x01\x02")) {
        const std::size_t name = number_at(rest, 28, 2);
        const std::size_t size = 46 + name + number_at(rest, 30, 2) + number_at(rest, 32, 2);
        if (rest.substr(46, name) == kPart) return sheet_names(part_at(file, rest));
        rest.remove_prefix(std::min(size, rest.size()));
    }
    return {};
}

}  // namespace atl::agent
