#pragma once
// A file as an answer describes it.
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <sys/stat.h>

namespace atl::guest {

[[nodiscard]] const char* type_of(mode_t mode);
[[nodiscard]] std::int64_t mtime_ns(const struct stat& info);
// name, type, size, mode, mtime_ns, inode, uid, gid.
[[nodiscard]] boost::json::object describe(std::string_view name, const struct stat& info);
// As the user. Of a link: `resolved` and `resolved_type`, where it leads. If `attributes` is not
// empty, an object of the extended attributes that begin with it, by the rest of their names.
void add_details(boost::json::object& entry, const std::string& path, const struct stat& info,
                 const std::string& attributes);

}  // namespace atl::guest
