#pragma once
// The commands that are, or look after, a server on this machine; all others are in cli/. Each adds
// itself to the parser and, when it is the one that was asked for, runs and sets the exit status.
#include <CLI/App.hpp>

namespace atl::main {

void add_serve_command(CLI::App& app, int& exit_code);
void add_config_command(CLI::App& app, int& exit_code);
void add_key_command(CLI::App& app, int& exit_code);

}  // namespace atl::main
