#pragma once
// `atoll doctor`: says whether this host can run Atoll, and what to mend.
#include <CLI/App.hpp>

namespace atl::main {

// Adds the command; when it is the one asked for, parsing runs it and sets the exit status.
void add_doctor_command(CLI::App& app, int& exit_code);

}  // namespace atl::main
