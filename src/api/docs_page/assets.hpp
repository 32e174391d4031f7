#pragma once
// The files of the documentation page, inside the program: no folder to install, nothing to fetch
// from another server at run time.
//
// Owns      bytes in the program's read-only data; any thread may read them.
// Serving   at one folder, `/docs/` (with the slash: the page's own links are relative), with
//           openapi.json beside it. The page lives with a strict policy, which should be sent:
//           default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none';
//           object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'
#include <span>
#include <string_view>

namespace atl::api::docs_page {

struct Asset {
    std::string_view path;  // "index.html"
    std::string_view content_type;
    std::string_view bytes;
    std::string_view etag;  // with its quotes, from the bytes: the same build answers the same
};

[[nodiscard]] std::span<const Asset> assets();

// nullptr if there is none. An empty path is index.html.
[[nodiscard]] const Asset* find(std::string_view path);

}  // namespace atl::api::docs_page
