#pragma once
// What a request may name for its sandbox: runtime, network policy, data sets. If something is not
// available, the request is refused with a list of what is; there is no weaker fallback. Clients
// give names only, never a path of the host.
#include "sessions/sessions.hpp"

#include <string>
#include <vector>

namespace atl::api {

inline constexpr const char* kRuntime = "native";
inline constexpr const char* kNetwork = "none";

// Throws schema::ValidationError, which names the field.
void check_sandbox_options(const std::string& runtime, const std::string& network,
                           const std::vector<std::string>& datasets,
                           const sessions::SessionOptions& options);

}  // namespace atl::api
