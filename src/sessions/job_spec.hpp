#pragma once
// How a job runs, and the same as text for the store; without what has a field in the record.
#include "base/result.hpp"
#include "core/spec.hpp"

#include <map>
#include <string>

namespace atl::sessions {

struct JobSpec {
    std::string template_name = "default";  // of a sandbox of its own
    core::Limits limits;                    // likewise
    std::map<std::string, std::string> environment;
    std::string context = "default";  // of a session
};

[[nodiscard]] Result<std::string> job_spec_text(const JobSpec& spec);
[[nodiscard]] Result<JobSpec> job_spec_from(const std::string& text);

}  // namespace atl::sessions
