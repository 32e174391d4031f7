#pragma once
// Sandboxes as the E2B API shows them.
#include "core/records.hpp"
#include "core/runtime.hpp"

#include <boost/json/object.hpp>
#include <optional>
#include <string>

namespace atl::api::e2b {

// What guests here can do, as a version that SDKs ask for (docs/e2b-compatibility.md).
inline constexpr const char* kEnvdVersion = "0.6.13";

// What opens a sandbox, for whoever may have it.
struct Tokens {
    std::string envd;     // empty: the caller may not have it, and is told null
    std::string traffic;  // the same
    std::string domain;   // empty: none is known
};

// The answer of create, connect and fork.
[[nodiscard]] boost::json::object sandbox_view(const core::SessionRecord& record,
                                               const Tokens& tokens);
// In a list.
[[nodiscard]] boost::json::object listed_view(const core::SessionRecord& record);
[[nodiscard]] boost::json::object detail_view(const core::SessionRecord& record,
                                              const Tokens& tokens);
[[nodiscard]] boost::json::object snapshot_view(const core::SessionRecord& record);
// At this moment, with the share of the processors since the moment before.
[[nodiscard]] boost::json::object metric_view(const core::SessionRecord& record,
                                              const core::Usage& usage, double cpu_percent);

[[nodiscard]] std::string template_of(const core::SessionRecord& record);
// The client's own, without what this server adds to a copy.
[[nodiscard]] std::uint64_t processors_of(const core::SessionRecord& record);

}  // namespace atl::api::e2b
