#pragma once
// From a path to a root that is safe to keep sessions in.
//
// Plain functions; called once, before there is a second thread.
#include "base/fd.hpp"
#include "base/result.hpp"

#include <string>
#include <vector>

namespace atl::folders {

// Where everything lies (disk_folders.hpp).
struct Places {
    std::string path;  // absolute, without a slash at its end
    UniqueFd root, making, trash, broken;
};

// Makes what is missing. `server` is empty for a root of one's own; else several servers share it,
// and what this one makes and removes has folders of its own name. Refuses a root that is another
// user's or that others may write to; one that others may merely read is closed to them.
[[nodiscard]] Result<Places> open_places(const std::string& path, const std::string& server = {});

// What an earlier server did not finish goes to the trash. Answers with all that is in there now:
// names to be removed.
[[nodiscard]] Result<std::vector<std::string>> gather_leftovers(const Places& places);

}  // namespace atl::folders
