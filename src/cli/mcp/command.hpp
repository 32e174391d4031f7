#pragma once
// `atoll mcp`, for a client of the Model Context Protocol that starts a program and talks to it
// through stdin and stdout.
#include <CLI/App.hpp>

namespace atl::cli {

void add_mcp_command(CLI::App& app, int& exit_code);

}  // namespace atl::cli
