// atoll: the composition root. Reads the command line and hands over to one command.
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/one_off.hpp"
#include "main/commands.hpp"

#include <algorithm>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using atl::cli::For;
using atl::cli::tell_failure;

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

// How many letters must be put in, left out or changed to make one of the other.
std::size_t distance(const std::string& one, const std::string& other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t corner = row[0]++;
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t changed = corner + (one[i] == other[j] ? 0 : 1);
            corner = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, corner + 1});
        }
    }
    return row.back();
}

// The command that was probably meant; empty when none is near.
std::string nearest(const std::string& word, const std::vector<const CLI::App*>& commands) {
    constexpr std::size_t kWordBytesMax = 32;
    if (word.size() > kWordBytesMax) return {};
    std::string best;
    std::size_t least = std::max<std::size_t>(1, word.size() / 2);
    for (const CLI::App* command : commands) {
        const auto far = distance(word, command->get_name());
        if (far > least || (far == least && !best.empty())) continue;
        least = far;
        best = command->get_name();
    }
    return best;
}

const CLI::App* command_in(const CLI::App& app, const std::vector<std::string>& words) {
    const auto commands = app.get_subcommands({});
    const auto found = std::find_if(commands.begin(), commands.end(), [&](const CLI::App* one) {
        return one->check_name(words.front());
    });
    return found == commands.end() ? nullptr : *found;
}

// Also of a line that could not be parsed: who wrote --json is a program.
For reader_of(const CLI::App& app, const std::vector<std::string>& words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    const bool said = std::find(words.begin(), end, "--json") != end;
    return atl::cli::reader_of(said && command_in(app, words) != nullptr);
}

void tell_wrong(const CLI::App& app, const std::vector<std::string>& words,
                const std::string& what) {
    const std::string& first = words.front();
    std::string sentence = what;
    std::string advice = "Run `atoll --help` for a list of commands.";
    if (command_in(app, words) != nullptr) {
        advice = "`atoll " + first + " --help` shows its options.";
    } else if (!first.starts_with('-')) {
        const std::string near = nearest(first, app.get_subcommands({}));
        sentence = "there is no command \"" + first + "\"" +
                   (near.empty() ? "" : "; did you mean " + near + "?");
        advice = "`atoll --help` lists them.";
    }
    const For whom = reader_of(app, words);
    if (whom == For::People) sentence += "\n" + advice;
    tell_failure({atl::Code::InvalidArgument, sentence}, whom);
}

}  // namespace

int main(int argc, char** argv) {
    fill_standard_streams();
    CLI::App app{"Atoll: sandboxes for AI agents", "atoll"};
    app.set_version_flag("--version", "atoll " ATOLL_VERSION);
    app.footer("Run `atoll COMMAND --help` for a command's options.");
    app.require_subcommand(1);
    int exit_code = 0;
    atl::cli::remember_arguments(argc, argv);
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
          atl::cli::add_logs_command, atl::cli::add_top_command, atl::cli::add_bench_command}},
        {"The server itself",
         {atl::main::add_serve_command, atl::main::add_config_command, atl::main::add_key_command}},
        {"This machine", {atl::cli::add_template_command, atl::cli::add_doctor_command}}};
    for (const auto& group : groups) {
        const auto before = app.get_subcommands({}).size();
        for (const Add add : group.commands) add(app, exit_code);
        const auto all = app.get_subcommands({});
        for (std::size_t i = before; i < all.size(); ++i) all[i]->group(group.title);
    }
    if (argc < 2) {
        std::fputs(app.help().c_str(), stderr);
        return 2;
    }
    std::vector<std::string> words(argv + 1, argv + argc);
    atl::cli::mark_command(app, words);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 wants them
    } catch (const CLI::Success& done) {                                    // --help, --version
        return app.exit(done);
    } catch (const CLI::ParseError& wrong) {
        tell_wrong(app, words, wrong.what());
        return 2;
    } catch (const std::exception& unexpected) {
        tell_failure({atl::Code::Internal, unexpected.what()}, reader_of(app, words));
        return 125;
    }
    return exit_code;
}
