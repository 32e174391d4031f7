#pragma once
// Settings that name folders: which data sets the server offers, and the second path of /data.
// Trusts    the host's own user, who may be mistaken.
#include "base/result.hpp"

#include <map>
#include <string>
#include <vector>

namespace atl::main {

// "taxi=/srv/data/taxi" each: a name that clients may ask for, and a folder of the host.
[[nodiscard]] Result<std::map<std::string, std::string>> data_sets_of(
    const std::vector<std::string>& words);

// A place in sandboxes where nothing else is: /mnt/…, or a top folder of its own.
[[nodiscard]] Result<void> check_data_root(const std::string& path);

}  // namespace atl::main
