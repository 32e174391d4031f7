#pragma once
// The commands of `atoll`, one file each. Each adds itself to the parser and, when it was the one
// that was asked for, runs and sets the exit status.
#include <CLI/App.hpp>

namespace atl::main {

void add_run_command(CLI::App& app, int& exit_code);
void add_shell_command(CLI::App& app, int& exit_code);
void add_serve_command(CLI::App& app, int& exit_code);
void add_config_command(CLI::App& app, int& exit_code);
void add_key_command(CLI::App& app, int& exit_code);

}  // namespace atl::main
