#pragma once
// The settings file (TOML), read into names and words; what they mean is settings.cpp's.
#include "base/result.hpp"

#include <string>
#include <vector>

namespace atl::main {

struct FileEntry {
    std::string key;                 // "tls.certificate"
    std::vector<std::string> words;  // numbers, sizes and flags as written; a list has several
    unsigned line = 0;
};

// InvalidArgument with file and line when it is no TOML or holds what no setting can be.
[[nodiscard]] Result<std::vector<FileEntry>> read_settings_file(const std::string& path);

}  // namespace atl::main
