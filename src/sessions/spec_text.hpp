#pragma once
// A sandbox's spec as text, for the store: limits, environment and the names of data sets. Folders
// and mounts are not in it: their locations are looked up again at each start.
#include "base/result.hpp"
#include "core/spec.hpp"

#include <string>
#include <vector>

namespace atl::sessions {

[[nodiscard]] std::string spec_text(const core::SandboxSpec& spec,
                                    const std::vector<std::string>& data_sets);
[[nodiscard]] std::vector<std::string> data_sets_from(const std::string& text);
[[nodiscard]] Result<core::SandboxSpec> spec_from(const std::string& text,
                                                  const std::string& template_name);

}  // namespace atl::sessions
