#pragma once
// Whose files a session's files are on the disk, when the server is root.
#include <cstdint>

namespace atl::folders {

struct Ids {
    std::uint32_t uid = 0, gid = 0;
};

}  // namespace atl::folders
