#pragma once
// The files of the web interface (web/dist), inside the program: one file to ship.
//
// Owns      bytes in the program's read-only data; any thread may read them.
// Empty     in a build without web/dist: then find() knows nothing.
#include <span>
#include <string_view>

namespace atl::api::web_pages {

struct Asset {
    std::string_view path;  // "index.html", "assets/index-9LWO6h6t.js"
    std::string_view content_type;
    std::string_view bytes;
    std::string_view etag;  // with its quotes, from the bytes: the same build answers the same
};

[[nodiscard]] std::span<const Asset> assets();

// The file of that name. Addresses of views ("t/th-abc") are no files: the page itself answers
// them, so they get index.html. nullptr for a missing file below assets/, and without web/dist.
[[nodiscard]] const Asset* find(std::string_view path);

// Whether its name changes with its bytes, so that a browser may keep it for good.
[[nodiscard]] bool is_immutable(const Asset& asset);

}  // namespace atl::api::web_pages
