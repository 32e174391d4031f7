// atoll: the composition root. Reads the command line and hands over to one command.
#include "cli/command_line.hpp"
#include "cli/commands.hpp"
#include "cli/mcp/command.hpp"
#include "main/commands.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

// A standard stream that is closed leaves its number to the next file that is opened, into which
// output or an error message would go. Where stdout was, writing goes on to fail: what a program
// prints must not vanish without a word.
void fill_standard_streams() {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd) {
        if (::fcntl(fd, F_GETFD) >= 0) continue;
        // The lowest free number is this one.
        if (::open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) != fd) std::_Exit(125);
    }
}

std::string footer_of(const std::string& command) {
    return "Run `" + command + " COMMAND --help` for a command's options.";
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_streams();
    CLI::App app{"Atoll: sandboxes for AI agents", "atoll"};
    app.set_version_flag("--version", "atoll " ATOLL_VERSION);
    app.require_subcommand(1);
    int exit_code = 0;
    using Add = void (*)(CLI::App&, int&);
    struct Group {
        const char* title;
        std::vector<Add> commands;
    };
    const Group groups[] = {
        {"A sandbox of its own, on this machine",
         {atl::cli::add_run_command, atl::cli::add_shell_command}},
        {"Sessions of a server (ATOLL_URL, ATOLL_API_KEY)",
         {atl::cli::add_list_commands, atl::cli::add_exec_command, atl::cli::add_copy_command,
          atl::cli::add_lifecycle_commands, atl::cli::add_work_commands, atl::cli::add_logs_command,
          atl::cli::add_top_command, atl::cli::add_bench_command, atl::cli::add_mcp_command}},
        {"The server itself",
         {atl::main::add_serve_command, atl::main::add_config_command, atl::main::add_key_command}},
        {"This machine",
         {atl::cli::add_template_command, atl::cli::add_doctor_command,
          atl::cli::add_completion_command}}};
    for (const auto& group : groups) {
        const auto before = app.get_subcommands({}).size();
        for (const Add add : group.commands) add(app, exit_code);
        const auto all = app.get_subcommands({});
        for (std::size_t i = before; i < all.size(); ++i) {
            all[i]->group(group.title);
            if (!all[i]->get_subcommands({}).empty()) {
                all[i]->footer(footer_of("atoll " + all[i]->get_name()));
            }
        }
    }
    // Last, since a command that is added gets a copy, and its own help leads no further.
    app.footer(footer_of("atoll"));
    return atl::cli::run_command_line(app, argc, argv, exit_code);
}
