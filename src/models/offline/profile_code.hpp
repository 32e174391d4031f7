#pragma once
// The first code of a conversation: helpers that read and clean tables of many forms, and a
// description of every file as one line of JSON (schema.hpp reads it).
//
// The helpers stay in the kernel, and an exported notebook begins with them. Where the kernel lost
// them, later code fails with a NameError and this runs again.
#include "models/offline/schema.hpp"

#include <string>
#include <vector>

namespace atl::offline {

// `paths` empty: whatever lies in /data.
[[nodiscard]] std::string profile_code(const std::vector<std::string>& paths);

// Looks for columns that a question names among those that were too many to describe. Empty where
// all of them are described.
[[nodiscard]] std::string columns_code(const Schema& schema, const std::string& question);

// Looks for words of a question among the values of text columns that were too many to list.
[[nodiscard]] std::string find_code(const Schema& schema, const std::vector<std::string>& words);

}  // namespace atl::offline
