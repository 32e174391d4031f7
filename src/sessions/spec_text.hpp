#pragma once
// A sandbox's spec as text, for the store: limits and environment. Folders and mounts are not in
// it: where they lie is found anew at each start.
#include "base/result.hpp"
#include "core/spec.hpp"

#include <string>

namespace atl::sessions {

[[nodiscard]] std::string spec_text(const core::SandboxSpec& spec);
[[nodiscard]] Result<core::SandboxSpec> spec_from(const std::string& text,
                                                  const std::string& template_name);

}  // namespace atl::sessions
