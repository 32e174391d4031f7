#pragma once
// The first code of a conversation: helpers that read and clean tables of many forms, and a
// description of every file as one line of JSON (schema.hpp reads it).
//
// The helpers stay in the kernel, and an exported notebook begins with them. Where the kernel lost
// them, later code fails with a NameError and this runs again.
#include <string>
#include <vector>

namespace atl::offline {

// `paths` empty: whatever lies in /data.
[[nodiscard]] std::string profile_code(const std::vector<std::string>& paths);

}  // namespace atl::offline
