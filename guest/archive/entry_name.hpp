#pragma once
// Names of entries. In an archive a name is whatever bytes its maker chose: `../../etc/passwd` as
// well as `a/./b//c`. Here it becomes a plain relative path, or nothing.
#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace atl::archive {

constexpr std::size_t kPathBytesMax = 4095;  // the kernel's PATH_MAX, without its NUL

// "a/b/c": no leading slash, no empty part, no "." and no "..". Empty: the archive's own top, or
// nothing left after `strip` parts. A leading slash is dropped, so an absolute name lands beneath
// the directory; any ".." is refused, even one that would stay inside, since what it means depends
// on links that another process can change.
Result<std::string> relative_path(std::string_view name, std::uint32_t strip);

// Whether a symbolic link of that name leads to nothing outside of the top, however the links on
// its way lead, as long as those do so too. A ".." only stands at the beginning then: after a name,
// which may be a link itself, nobody can say what it means.
[[nodiscard]] bool leads_inside(std::string_view path, std::string_view target);

// "a/b/c" -> {"a/b", "c"}; "c" -> {"", "c"}.
[[nodiscard]] std::pair<std::string, std::string> split_last(const std::string& path);

[[nodiscard]] bool is_utf8(std::string_view name);

// For people and JSON: valid UTF-8 in one line, other bytes as \xNN, cut where it gets too long.
[[nodiscard]] std::string printable(std::string_view name);

}  // namespace atl::archive
