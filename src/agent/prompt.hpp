#pragma once
// The system prompt of a thread: the model's role, the files and what is known of them, the rules.
//
// One file per line, `- /data/name.csv (1.2 MB)`; indented lines belong to the file above them. The
// prompt labels text that comes from files (names of columns) as data.
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
