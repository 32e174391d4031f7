#pragma once
// The folders of the store below its root, opened and checked once at the start.
//
// Threads   one: called before there is a second OS thread.
#include "base/fd.hpp"
#include "base/result.hpp"

#include <string>
#include <vector>

namespace atl::folders {

// disk_folders.hpp says what lies where.
struct Layout {
    std::string path;  // absolute, without a slash at its end
    UniqueFd root, making, trash, broken;
};

// Makes what is missing. `server` is empty for a root of one's own; else several servers share it,
// and what this one makes and removes has folders of its own name. Refuses a root that is another
// user's or that others may write to; one that others may merely read is closed to them.
[[nodiscard]] Result<Layout> open_layout(const std::string& path, const std::string& server = {});

// What an earlier server did not finish goes to the trash. Answers with all that is in there now:
// names to be removed.
[[nodiscard]] Result<std::vector<std::string>> gather_leftovers(const Layout& layout);

}  // namespace atl::folders
