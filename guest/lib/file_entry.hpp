#pragma once
// A file as an answer describes it.
#include <boost/json/object.hpp>
#include <string_view>
#include <sys/stat.h>

namespace atl::guest {

[[nodiscard]] const char* type_of(mode_t mode);
[[nodiscard]] std::int64_t mtime_ns(const struct stat& info);
// name, type, size, mode, mtime_ns, inode.
[[nodiscard]] boost::json::object describe(std::string_view name, const struct stat& info);

}  // namespace atl::guest
