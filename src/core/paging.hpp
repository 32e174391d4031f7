#pragma once
// What lists of every store have in common: how long a page may be, what an id may be, and the
// cursor from one page to the next.
//
// A cursor names the last record of a page by its time and id. It is no secret and no capability:
// whose records are listed is asked anew with each page, so a cursor of somebody else's list shows
// nothing of it.
#include <cstddef>
#include <cstdint>
#include <string>

namespace atl::core {

inline constexpr std::uint32_t kPageMax = 1000;
inline constexpr std::size_t kPageBytesMax = 8u << 20;

struct Cursor {
    std::int64_t time = 0;
    std::string id;
};
[[nodiscard]] std::string write_cursor(const Cursor& cursor);
// Throws InvalidArgument.
[[nodiscard]] Cursor read_cursor(const std::string& text);

// Throws InvalidArgument unless it is between 1 and kPageMax.
void check_limit(std::uint32_t limit);

// Throws InvalidArgument unless the id has 1 to 128 bytes.
void check_id(const std::string& id, const char* what);

}  // namespace atl::core
