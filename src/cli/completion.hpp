#pragma once
// Completion scripts for shells, generated from the parser, so that they know each command and
// option there is. Ids and names of sessions come from the server, when somebody presses Tab.
#include <CLI/App.hpp>
#include <string>

namespace atl::cli {

// Of the whole command line. For bash; zsh runs the same by its bashcompinit.
[[nodiscard]] std::string bash_completion(const CLI::App& app);
[[nodiscard]] std::string zsh_completion(const CLI::App& app);
[[nodiscard]] std::string fish_completion(const CLI::App& app);

}  // namespace atl::cli
