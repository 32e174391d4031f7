#pragma once
// The content type of a sandbox's file, by its name alone: its content is not read.
#include <string_view>

namespace atl::api {

[[nodiscard]] std::string_view content_type_of(std::string_view name) noexcept;

}  // namespace atl::api
