// `atoll shell`: an interactive shell in a sandbox of its own, with a real terminal.
#include "cli/commands.hpp"
#include "cli/limit_options.hpp"
#include "cli/one_off.hpp"

#include <cstdio>
#include <unistd.h>

namespace atl::cli {

namespace {

int shell(SandboxOptions options, const std::string& command) {
    if (!command.empty()) {
        std::fprintf(stderr,
                     "atoll: shell opens a terminal; to run one command use `atoll run -l shell -c "
                     "'%s'`\n",
                     command.c_str());
        return 2;
    }
    if (options.timeout.empty()) options.timeout = "0";  // somebody sits there
    auto spec = options.spec();
    if (!spec) {
        std::fprintf(stderr, "atoll: %s\n", spec.error().message.c_str());
        return 2;
    }
    if (!::isatty(STDIN_FILENO)) {
        std::fprintf(stderr,
                     "atoll: shell needs a terminal; to run a script use `atoll run -- sh "
                     "-c '…'` or pipe code into `atoll run -l shell`\n");
        return 2;
    }
    OneOff one;
    one.interactive = true;
    one.request.argv = {"bash", "-i"};
    one.request.directory = "/session";
    one.request.environment["PS1"] = "\\[\\e[36m\\]sandbox\\[\\e[0m\\]:\\w$ ";
    auto result = run_one_off(*spec, std::move(one));
    if (result) {
        say_why(*result, *spec);
        return exit_status(result->program);
    }
    std::fprintf(stderr, "atoll: %s\n", result.error().message.c_str());
    return 125;
}

}  // namespace

void add_shell_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<SandboxOptions>();
    CLI::App* command = app.add_subcommand("shell", "Open an interactive shell in a sandbox");
    options->add_to(*command);
    command->get_option("--timeout")->description("Wall time: 500ms, 30s, 2m (default: none)");
    command->remove_option(command->get_option("--output"));  // a terminal's has no limit
    // As other shells have it; here it leads to what does that.
    auto words = std::make_shared<std::string>();
    command->add_option("-c", *words)->group("");
    command->callback([options, words, &exit_code] { exit_code = shell(*options, *words); });
}

}  // namespace atl::cli
