#pragma once
// Names for files under way. Hard to guess, so that another process of the sandbox cannot have put
// something there first; O_EXCL would notice, but the entry would be lost.
#include <string>

namespace atl::archive {

[[nodiscard]] std::string temporary_name();

}  // namespace atl::archive
