#pragma once
// How the guest tells of one entry of a folder: its name and what lstat says.
#include <boost/json/object.hpp>
#include <string_view>
#include <sys/stat.h>

namespace atl::guest {

// A name can be any bytes; JSON cannot. One that is no UTF-8 is shown with its odd bytes replaced,
// and given exactly in hexadecimal beside it, under `<key>_hex`.
void put_name(boost::json::object& into, std::string_view key, std::string_view name);

// "file", "directory", "symlink", …
[[nodiscard]] const char* type_of(mode_t mode);
[[nodiscard]] boost::json::object describe(std::string_view name, const struct stat& info);

}  // namespace atl::guest
