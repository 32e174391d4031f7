#pragma once
// How every failure is told over HTTP: application/problem+json (RFC 9457), with the code that
// programs switch on and, for a request that was not valid, each finding with its path.
#include "schema/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace atl::schema {

inline constexpr std::string_view kProblemContentType = "application/problem+json";

struct Problem {
    std::string type = "about:blank";
    std::string title;
    std::uint16_t status = 500;
    std::string code;
    std::string detail;
    std::optional<std::string> request_id;
    std::optional<std::vector<Issue>> errors;
};
ATOLL_DESCRIBED(Issue);
ATOLL_DESCRIBED(Problem);

}  // namespace atl::schema
