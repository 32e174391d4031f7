#pragma once
// `atoll template build|list|rm`: the environments that sandboxes start from.
#include <CLI/App.hpp>

namespace atl::main {

// Adds the command; when it is the one asked for, parsing runs it and sets the exit status.
void add_template_command(CLI::App& app, int& exit_code);

}  // namespace atl::main
