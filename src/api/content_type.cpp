#include "api/content_type.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace atl::api {

namespace {

struct Row {
    std::string_view ending;
    std::string_view type;
};

// In the order of the endings: it is searched by halves.
constexpr std::array kRows = {
    Row{"7z", "application/x-7z-compressed"},
    Row{"avif", "image/avif"},
    Row{"bmp", "image/bmp"},
    Row{"bz2", "application/x-bzip2"},
    Row{"c", "text/plain; charset=utf-8"},
    Row{"cpp", "text/plain; charset=utf-8"},
    Row{"css", "text/css; charset=utf-8"},
    Row{"csv", "text/csv; charset=utf-8"},
    Row{"docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
    Row{"flac", "audio/flac"},
    Row{"gif", "image/gif"},
    Row{"go", "text/plain; charset=utf-8"},
    Row{"gz", "application/gzip"},
    Row{"h", "text/plain; charset=utf-8"},
    Row{"htm", "text/html; charset=utf-8"},
    Row{"html", "text/html; charset=utf-8"},
    Row{"ico", "image/x-icon"},
    Row{"ini", "text/plain; charset=utf-8"},
    Row{"ipynb", "application/json"},
    Row{"jpeg", "image/jpeg"},
    Row{"jpg", "image/jpeg"},
    Row{"js", "text/javascript; charset=utf-8"},
    Row{"json", "application/json"},
    Row{"jsonl", "application/x-ndjson"},
    Row{"log", "text/plain; charset=utf-8"},
    Row{"md", "text/markdown; charset=utf-8"},
    Row{"mjs", "text/javascript; charset=utf-8"},
    Row{"mp3", "audio/mpeg"},
    Row{"mp4", "video/mp4"},
    Row{"ogg", "audio/ogg"},
    Row{"otf", "font/otf"},
    Row{"parquet", "application/vnd.apache.parquet"},
    Row{"pdf", "application/pdf"},
    Row{"png", "image/png"},
    Row{"pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"},
    Row{"py", "text/x-python; charset=utf-8"},
    Row{"rs", "text/plain; charset=utf-8"},
    Row{"sh", "text/plain; charset=utf-8"},
    Row{"sql", "text/plain; charset=utf-8"},
    Row{"svg", "image/svg+xml"},
    Row{"tar", "application/x-tar"},
    Row{"tif", "image/tiff"},
    Row{"tiff", "image/tiff"},
    Row{"toml", "text/plain; charset=utf-8"},
    Row{"ts", "text/plain; charset=utf-8"},
    Row{"tsv", "text/tab-separated-values; charset=utf-8"},
    Row{"ttf", "font/ttf"},
    Row{"txt", "text/plain; charset=utf-8"},
    Row{"wasm", "application/wasm"},
    Row{"wav", "audio/wav"},
    Row{"webm", "video/webm"},
    Row{"webp", "image/webp"},
    Row{"woff2", "font/woff2"},
    Row{"xhtml", "application/xhtml+xml"},
    Row{"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    Row{"xml", "text/xml; charset=utf-8"},
    Row{"xz", "application/x-xz"},
    Row{"yaml", "text/plain; charset=utf-8"},
    Row{"yml", "text/plain; charset=utf-8"},
    Row{"zip", "application/zip"},
    Row{"zst", "application/zstd"},
};
static_assert(std::is_sorted(kRows.begin(), kRows.end(),
                             [](const Row& a, const Row& b) { return a.ending < b.ending; }));

constexpr std::size_t kEndingBytesMax = 16;

}  // namespace

std::string_view content_type_of(std::string_view name) noexcept {
    constexpr std::string_view kUnknown = "application/octet-stream";
    const auto dot = name.rfind('.');
    if (dot == std::string_view::npos || name.size() - dot > kEndingBytesMax) return kUnknown;
    std::array<char, kEndingBytesMax> lower{};
    const auto ending = name.substr(dot + 1);
    std::transform(ending.begin(), ending.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    const std::string_view wanted(lower.data(), ending.size());
    const auto found =
        std::lower_bound(kRows.begin(), kRows.end(), wanted,
                         [](const Row& row, std::string_view text) { return row.ending < text; });
    return found != kRows.end() && found->ending == wanted ? found->type : kUnknown;
}

}  // namespace atl::api
