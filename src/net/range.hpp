#pragma once
// Which part of a file a request asks for, and whether it wants it at all.
#include "net/headers.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace atl::net {

struct Range {
    enum class Kind { Whole, Part, Unsatisfiable } kind = Kind::Whole;
    std::uint64_t first = 0;
    std::uint64_t length = 0;
};

// One range of bytes is served. Several, other units and what cannot be read are ignored, as
// RFC 9110 allows: the client then gets all of it. So is a Range whose If-Range names another
// version than `file` (its ETag or Last-Modified).
[[nodiscard]] Range range_of(const Headers& request, const Headers& file, std::uint64_t size);

// If-None-Match against the file's ETag.
[[nodiscard]] bool is_unchanged(const Headers& request, const Headers& file);

}  // namespace atl::net
