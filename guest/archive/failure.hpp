#pragma once
// Sorts what the kernel says: is it about this one entry, or is there no point in going on?
#include "base/result.hpp"

#include <string>

namespace atl::archive {

// Takes errno. Exhausted: the disk is full. Internal: the next entry would fail as well. Any other
// code is about this entry alone, and it can be skipped.
[[nodiscard]] Error errno_error(const std::string& what);

[[nodiscard]] inline bool about_one_entry(const Error& error) {
    return error.code != Code::Exhausted && error.code != Code::Internal;
}

}  // namespace atl::archive
