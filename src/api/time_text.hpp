#pragma once
// A time as the API writes it: 2026-01-31T12:00:00.000Z.
#include "core/records.hpp"

#include <string>

namespace atl::api {

[[nodiscard]] std::string time_text(core::Time time);

}  // namespace atl::api
