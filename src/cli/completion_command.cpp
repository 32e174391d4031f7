// `atoll completion`: what a shell needs to complete our command line.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/completion.hpp"
#include "cli/server.hpp"
#include "cli/session_list.hpp"

#include <algorithm>
#include <CLI/Validators.hpp>
#include <cstdio>
#include <memory>

namespace atl::cli {

namespace {

// Hidden: what the scripts ask for at each Tab.
constexpr const char* kSessions = "sessions";

// A shell splits what it is given: a name with a space in it is no one word.
bool is_one_word(const std::string& name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return c > ' ' && c != '\x7f' &&
               std::string_view("'\"\\$`*?[]{}()<>|&;!#~").find(c) == std::string_view::npos;
    });
}

int print_sessions() {
    auto server = Server::from_environment();
    const auto sessions = all_sessions(server);
    if (!sessions) return kExitAtoll;  // without a word: somebody is in the middle of a line
    for (const auto& one : *sessions) {
        const std::string name = text_in(one.get_object(), "name");
        if (is_one_word(name)) std::printf("%s\n", printable(name).c_str());
        std::printf("%s\n", printable(text_in(one.get_object(), "id")).c_str());
    }
    return 0;
}

}  // namespace

void add_completion_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("completion", "Print a completion script for a shell");
    command->footer(
        "  source <(atoll completion bash)       now; in ~/.bashrc for good\n"
        "  source <(atoll completion zsh)        the same for zsh\n"
        "  atoll completion fish | source        the same for fish");
    const auto shell = std::make_shared<std::string>();
    command->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        // Without the list in the help: the last is for the scripts that this prints.
        ->check(CLI::Validator(
            [](const std::string& word) {
                for (const char* known : {"bash", "zsh", "fish", kSessions}) {
                    if (word == known) return std::string();
                }
                return "\"" + word + "\" is none of bash, zsh and fish";
            },
            ""));
    command->callback([&app, shell, &exit_code] {
        if (*shell == kSessions) {
            exit_code = print_sessions();
            return;
        }
        const auto text = *shell == "bash"  ? bash_completion(app)
                          : *shell == "zsh" ? zsh_completion(app)
                                            : fish_completion(app);
        std::fputs(text.c_str(), stdout);
    });
}

}  // namespace atl::cli
