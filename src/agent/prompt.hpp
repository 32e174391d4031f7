#pragma once
// The system prompt of a thread: what the model is, its files, what is known of them, the rules.
//
// Files stand one a line, `- /data/name.csv (1.2 MB)`; what follows indented belongs to the line
// above. What comes out of files (names of columns) is data, and said to be.
#include "agent/uploads.hpp"

#include <string>
#include <vector>

namespace atl::agent {

struct PromptFile {
    std::string path;  // in the sandbox
    std::uint64_t bytes = 0;
    Columns columns;
    bool is_archive = false;
    std::vector<std::string> sheets = {};  // of a workbook (sheet_names.hpp)
};

[[nodiscard]] std::string system_prompt(const std::vector<PromptFile>& files, bool sees_images);

}  // namespace atl::agent
