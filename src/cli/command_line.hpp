#pragma once
// Parses and runs a command line, and explains errors in it, with a suggestion for mistyped words.
// With --json, errors in the line are JSON as well, because a program wrote it.
#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace atl::cli {

// Runs the command that the line names, which sets `exit_code`. The exit status of the program: 2
// for a line that is wrong.
[[nodiscard]] int run_command_line(CLI::App& app, int argc, char** argv, const int& exit_code);

// A sentence about a line that could not be parsed, and where to read more; `what` is the parser's.
struct Complaint {
    std::string sentence;
    std::string advice;
};
[[nodiscard]] Complaint complaint_about(const CLI::App& app, const std::vector<std::string>& words,
                                        const std::string& what);

}  // namespace atl::cli
