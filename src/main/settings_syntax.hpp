#pragma once
// How values of settings are written that are more than a number or a choice: addresses, URLs,
// names of hosts. By their look alone: nothing is looked up, opened or asked.
#include "base/result.hpp"

#include <string>
#include <vector>

namespace atl::main {

// Each says what is wrong with one word, and how to write it.
[[nodiscard]] Result<void> check_listen(const std::string& word);
[[nodiscard]] Result<void> check_model_url(const std::string& word);
[[nodiscard]] Result<void> check_allowed_host(const std::string& word);
[[nodiscard]] Result<void> check_allowed_origin(const std::string& word);
[[nodiscard]] Result<void> check_public_url(const std::string& word);
[[nodiscard]] Result<void> check_redis_host(const std::string& word);

// What is wrong with them together.
[[nodiscard]] Result<void> check_listen_all(const std::vector<std::string>& addresses,
                                            bool never_keys);

}  // namespace atl::main
