#pragma once
// What a file of a sandbox is called in an answer, by its name alone: its content is not looked at.
#include <string_view>

namespace atl::api {

[[nodiscard]] std::string_view content_type_of(std::string_view name) noexcept;

}  // namespace atl::api
