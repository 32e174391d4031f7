#pragma once
// The commands that need no server of their own, one file each. Each adds itself to the parser and,
// when it is the one that was asked for, runs and sets the exit status.
//
// Exit status of those that talk to a server (ATOLL_URL, ATOLL_API_KEY): 0 when all went well, the
// program's own where one was run (124 on timeout), 2 for wrong options, 125 when the server
// refused or was not there, 130 after Ctrl-C.
#include "base/result.hpp"

#include <chrono>
#include <CLI/App.hpp>
#include <map>
#include <string>
#include <vector>

namespace atl::cli {

// A sandbox of its own, on this machine.
void add_run_command(CLI::App& app, int& exit_code);
void add_shell_command(CLI::App& app, int& exit_code);
// This machine.
void add_template_command(CLI::App& app, int& exit_code);
void add_doctor_command(CLI::App& app, int& exit_code);
void add_completion_command(CLI::App& app, int& exit_code);
// Sessions of a server.
void add_list_commands(CLI::App& app, int& exit_code);       // ls, new, rm
void add_lifecycle_commands(CLI::App& app, int& exit_code);  // pause, resume, restart, fork
void add_work_commands(CLI::App& app, int& exit_code);       // ps, kill, jobs, cancel
void add_exec_command(CLI::App& app, int& exit_code);
// From its first word on, the line behind `atoll exec ID` is the command's: `ls -l` names no
// language. Puts `--` there, where nobody did.
void mark_command(const CLI::App& app, std::vector<std::string>& words);
void add_copy_command(CLI::App& app, int& exit_code);
void add_logs_command(CLI::App& app, int& exit_code);
void add_top_command(CLI::App& app, int& exit_code);
void add_bench_command(CLI::App& app, int& exit_code);

// What `atoll run` and `atoll exec` share: all that is piped in, of at most 16 MiB.
[[nodiscard]] Result<std::string> code_from_stdin();

// What `atoll run --session` and `atoll exec` share.
struct SessionRun {
    std::string session;
    std::string language = "python";
    std::string code;
    std::string context;  // empty: the default one
    std::string timeout;  // as a person writes it; empty: the session's
    std::map<std::string, std::string> environment;
    bool as_json = false;
};
// Runs it with its output live, or as one JSON object; the exit status is the program's.
[[nodiscard]] int run_in_session(const SessionRun& run);

// A program or a shell in a session, with our stdin, stdout and stderr as its own: on a terminal,
// or through pipes. It ends when we do.
struct Conversation {
    std::string session;
    std::string command;  // a line for bash; empty: an interactive shell
    std::string timeout;  // empty: none
    bool terminal = false;
};
[[nodiscard]] int converse(const Conversation& wanted);

}  // namespace atl::cli
