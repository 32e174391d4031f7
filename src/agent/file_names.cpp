// What the name and the first bytes of an upload say: pure functions of uploads.hpp.
#include "agent/uploads.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace atl::agent {

namespace {

constexpr std::size_t kFileNameBytesMax = 120;
constexpr std::size_t kEndingBytesMax = 16;
constexpr std::size_t kShownColumnsMax = 80;
constexpr std::size_t kColumnBytesMax = 80;

std::string ending_of(std::string_view name) {
    const auto dot = name.rfind('.');
    if (dot == std::string_view::npos) return {};
    std::string ending(name.substr(dot));
    for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return ending;
}

bool is_one_of(std::string_view ending, std::initializer_list<std::string_view> all) {
    return std::find(all.begin(), all.end(), ending) != all.end();
}

// Also without a mark: line ends and separators have a zero on the same side, and nothing is two
// zeros. Programs and images have those.
bool is_utf16(std::string_view bytes) {
    if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return true;
    std::size_t little = 0, big = 0, nothing = 0;
    for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        const bool low = bytes[i] == '\0', high = bytes[i + 1] == '\0';
        nothing += low && high ? 1 : 0;
        little += high && !low && static_cast<unsigned char>(bytes[i]) < 0x80 ? 1 : 0;
        big += low && !high && static_cast<unsigned char>(bytes[i + 1]) < 0x80 ? 1 : 0;
    }
    const std::size_t pairs = bytes.size() / 2;
    return nothing == 0 && std::max(little, big) * 20 > pairs &&
           std::max(little, big) > 3 * std::min(little, big);
}

// What a file is by its first bytes, for people; empty: nothing that we know.
std::string_view kind_by_bytes(std::string_view bytes) {
    if (bytes.starts_with("PK\x03\x04")) return "a zip or Excel (xlsx) file";
    if (bytes.starts_with("\xd0\xcf\x11\xe0")) return "an old Excel (xls) file";
    if (bytes.starts_with("PAR1")) return "a Parquet file";
    if (bytes.starts_with("%PDF")) return "a PDF file";
    if (bytes.starts_with("\x89PNG")) return "a PNG image";
    if (bytes.starts_with("\xff\xd8\xff")) return "a JPEG image";
    if (bytes.starts_with("GIF8")) return "a GIF image";
    if (bytes.starts_with("\x1f\x8b")) return "a gzip file";
    if (bytes.starts_with("SQLite format 3")) return "an SQLite database";
    if (!is_utf16(bytes) && bytes.find('\0') != std::string_view::npos) return "a binary file";
    return {};
}

}  // namespace

std::string safe_name(std::string_view name) {
    // Browsers have sent whole paths, of two kinds of systems.
    const auto slash = name.find_last_of("/\\");
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    std::string safe = harmless(name, '_');
    const auto first = safe.find_first_not_of(". ");
    safe.erase(0, std::min(first, safe.size()));
    while (!safe.empty() && safe.back() == ' ') safe.pop_back();
    if (safe.empty()) return "file";
    if (safe.size() <= kFileNameBytesMax) return safe;
    std::string ending = ending_of(safe).size() <= kEndingBytesMax
                             ? safe.substr(safe.size() - ending_of(safe).size())
                             : std::string();
    std::size_t length = kFileNameBytesMax - ending.size();
    while (length > 0 && is_continuation(safe[length])) --length;
    return safe.substr(0, length) + ending;
}

std::string contradiction(std::string_view name, std::string_view bytes) {
    const auto ending = ending_of(name);
    const auto kind = kind_by_bytes(bytes);
    const auto says = [&](std::string_view wanted) {
        return std::string(name) + " is not what its name says: it is " +
               (kind.empty() ? std::string("no ") + std::string(wanted) + " file"
                             : std::string(kind)) +
               ". Give it the right ending and send it again.";
    };
    if (is_one_of(ending, {".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson"})) {
        return kind.empty() ? std::string() : says("text");
    }
    if (is_one_of(ending, {".xlsx", ".xlsm", ".ods"})) {
        return bytes.starts_with("PK") ? std::string() : says("Excel");
    }
    if (ending == ".xls") {
        // Many an .xls is a page of HTML or text, and pandas reads these as well.
        return bytes.starts_with("\xd0\xcf\x11\xe0") || bytes.starts_with("PK") || kind.empty()
                   ? std::string()
                   : says("Excel");
    }
    if (is_one_of(ending, {".parquet", ".pq"})) {
        return bytes.starts_with("PAR1") ? std::string() : says("Parquet");
    }
    return {};
}

Columns columns_in(std::string_view name, std::string_view bytes) {
    const auto ending = ending_of(name);
    if (!is_one_of(ending, {".csv", ".tsv", ".txt"}) || is_utf16(bytes)) return {};
    if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
    // The first line, which may have line breaks in quotes.
    bool quoted = false;
    std::size_t end = 0;
    while (end < bytes.size() && (quoted || (bytes[end] != '\n' && bytes[end] != '\r'))) {
        if (bytes[end] == '"') quoted = !quoted;
        ++end;
    }
    if (end == bytes.size()) return {};
    const auto line = bytes.substr(0, end);
    // Other encodings are detected by code that reads the whole file; a model is told no broken
    // names.
    if (find_invalid_utf8(line) != std::string_view::npos) return {};
    std::array<std::pair<char, std::size_t>, 4> separators{
        {{',', 0}, {';', 0}, {'\t', 0}, {'|', 0}}};
    for (auto& [c, count] : separators) {
        const char wanted = c;
        count = static_cast<std::size_t>(std::count(line.begin(), line.end(), wanted));
    }
    const char separator =
        std::max_element(separators.begin(), separators.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        })->first;
    std::vector<std::string> columns(1);
    std::size_t more = 0;
    quoted = false;
    for (const char c : line) {
        if (c == '"') {
            quoted = !quoted;
        } else if (c == separator && !quoted) {
            if (columns.size() >= kShownColumnsMax) {
                ++more;
            } else {
                columns.emplace_back();
            }
        } else if (more == 0 && (columns.back().size() < kColumnBytesMax || is_continuation(c))) {
            const auto byte = static_cast<unsigned char>(c);
            columns.back() += byte < 0x20 || byte == 0x7f ? ' ' : c;
        }
    }
    // A line without a single letter is no head of a table.
    const bool letters = std::any_of(line.begin(), line.end(), [](char c) {
        return std::isalpha(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0;
    });
    return letters ? Columns{std::move(columns), more} : Columns{};
}

}  // namespace atl::agent
