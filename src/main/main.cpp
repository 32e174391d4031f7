// atoll: the composition root. Reads the command line and hands over to one command.
#include "main/client_commands.hpp"
#include "main/commands.hpp"
#include "main/doctor_command.hpp"
#include "main/one_off.hpp"
#include "main/template_command.hpp"

#include <algorithm>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <unistd.h>

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

}  // namespace

int main(int argc, char** argv) {
    fill_standard_streams();
    CLI::App app{"Atoll: a safe place for AI agents to work"};
    app.set_version_flag("--version", "atoll " ATOLL_VERSION);
    app.require_subcommand(1);
    int exit_code = 0;
    atl::main::remember_arguments(argc, argv);
    atl::main::add_run_command(app, exit_code);
    atl::main::add_shell_command(app, exit_code);
    atl::main::add_serve_command(app, exit_code);
    atl::main::add_config_command(app, exit_code);
    atl::main::add_key_command(app, exit_code);
    atl::main::add_list_commands(app, exit_code);
    atl::main::add_exec_command(app, exit_code);
    atl::main::add_copy_command(app, exit_code);
    atl::main::add_logs_command(app, exit_code);
    atl::main::add_top_command(app, exit_code);
    atl::main::add_bench_command(app, exit_code);
    atl::main::add_template_command(app, exit_code);
    atl::main::add_doctor_command(app, exit_code);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& done) {  // --help, --version
        return app.exit(done);
    } catch (const CLI::ParseError& wrong) {
        const auto known = [&](const CLI::App* command) { return command->check_name(argv[1]); };
        const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
        const bool unknown =
            argc > 1 && argv[1][0] != '-' && std::none_of(commands.begin(), commands.end(), known);
        if (unknown) {
            std::fprintf(stderr, "atoll: there is no command \"%s\"\n", argv[1]);
        } else {
            std::fprintf(stderr, "atoll: %s\n", wrong.what());
        }
        std::fprintf(stderr, "`atoll --help` and `atoll COMMAND --help` show what can be asked.\n");
        return 2;
    } catch (const std::exception& unexpected) {
        std::fprintf(stderr, "atoll: %s\n", unexpected.what());
        return 125;
    }
    return exit_code;
}
