#pragma once
// Walks directories and writes them to stdout as an archive.
#include "guest/archive/options.hpp"

namespace atl::archive {

// What could not be read, and what an archive does not hold, is named on stderr.
Status pack(const PackOptions& options);

}  // namespace atl::archive
