#pragma once
// What a request may ask of a sandbox by name: its runtime, its network, data sets. What is not
// there is refused with what is; nothing weaker is given in its place. Names only: no client ever
// names a path of the host.
#include "sessions/sessions.hpp"

#include <string>
#include <vector>

namespace atl::api {

inline constexpr const char* kRuntime = "native";
inline constexpr const char* kNetwork = "none";

// Throws schema::ValidationError, which names the field.
void check_wishes(const std::string& runtime, const std::string& network,
                  const std::vector<std::string>& datasets,
                  const sessions::SessionOptions& options);

}  // namespace atl::api
