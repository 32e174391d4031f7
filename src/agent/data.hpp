#pragma once
// Programs of this room that run in a sandbox, from the folder data/. Embedded when the program is
// built.
//
// Owns      bytes in the program's read-only data; any thread may read them.
#include <span>
#include <string_view>

namespace atl::agent {

struct Asset {
    std::string_view path;  // "sheet_names.py"
    std::string_view content_type;
    std::string_view bytes;
    std::string_view etag;
};

[[nodiscard]] std::span<const Asset> assets();

}  // namespace atl::agent
