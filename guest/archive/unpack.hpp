#pragma once
// Reads an archive from stdin and puts it beneath a directory. libarchive only parses; what reaches
// the disk goes through ConfinedWriter.
#include "guest/archive/options.hpp"

namespace atl::archive {

// Leaves one line of JSON on stdout.
Status unpack(const UnpackOptions& options);

}  // namespace atl::archive
