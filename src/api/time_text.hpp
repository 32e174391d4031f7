#pragma once
// Times as the API writes them: "2026-03-01T12:30:00.250Z", always UTC.
#include "core/records.hpp"

#include <optional>
#include <string>

namespace atl::api {

[[nodiscard]] std::string time_text(core::Time time);
// With or without the fraction. Nothing when it is no time.
[[nodiscard]] std::optional<core::Time> time_from(const std::string& text);

}  // namespace atl::api
