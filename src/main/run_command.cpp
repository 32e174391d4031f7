// `atoll run`: one program in a sandbox of its own, thrown away afterwards.
//
// Exit status: the program's own; 128 + signal when a signal ended it; 124 when its time was up;
// 125 when Atoll itself failed, 2 for wrong options.
#include "main/client_commands.hpp"
#include "main/client_server.hpp"
#include "main/commands.hpp"
#include "main/limit_options.hpp"
#include "main/one_off.hpp"

#include <boost/json/serialize.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace atl::main {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr std::size_t kScriptBytesMax = 16u << 20;

struct Options {
    SandboxOptions sandbox;
    std::string code;
    std::string language;
    std::string session;  // of a server; empty: a sandbox of its own
    bool as_json = false;
    std::vector<std::string> words;  // script and arguments, or a command after --
};

Error invalid(std::string message) { return {Code::InvalidArgument, std::move(message)}; }

const char* kBun = "/opt/atoll/guest/typescript/bun";

std::vector<std::string> interpreter(const std::string& language) {
    if (language == "python") return {"python"};
    if (language == "shell") return {"bash"};
    // Left alone, bun fetches packages that are not there and reads .env files.
    return {kBun, "--no-install", "--no-env-file"};
}

Result<std::string> language_of(const std::string& given, const fs::path& script,
                                const std::string& content) {
    if (!given.empty()) {
        if (given == "python" || given == "py") return std::string("python");
        if (given == "shell" || given == "sh" || given == "bash") return std::string("shell");
        if (given == "typescript" || given == "ts" || given == "javascript" || given == "js") {
            return std::string("typescript");
        }
        return invalid("--language \"" + given + "\": choose python, shell or typescript");
    }
    const std::string ending = script.extension().string();
    if (ending == ".py") return std::string("python");
    if (ending == ".sh" || ending == ".bash") return std::string("shell");
    for (const char* known : {".ts", ".mts", ".cts", ".tsx", ".js", ".mjs", ".cjs", ".jsx"}) {
        if (ending == known) return std::string("typescript");
    }
    const std::string first = content.substr(0, content.find('\n'));
    if (first.rfind("#!", 0) == 0) {
        if (first.find("python") != std::string::npos) return std::string("python");
        if (first.find("sh") != std::string::npos) return std::string("shell");
        if (first.find("node") != std::string::npos || first.find("bun") != std::string::npos) {
            return std::string("typescript");
        }
    }
    return invalid(script.string() +
                   ": the language is not clear from the name; say --language "
                   "python, shell or typescript");
}

Result<std::string> read_script(const std::string& path) {
    std::error_code failed;
    const auto status = fs::status(path, failed);
    if (!fs::exists(status)) return Error{Code::NotFound, path + ": there is no such file"};
    if (fs::is_directory(status)) {
        return invalid(path +
                       " is a folder; name a script in it, or show the folder inside with "
                       "--mount " +
                       path);
    }
    if (!fs::is_regular_file(status)) return invalid(path + " is not a regular file");
    if (fs::file_size(path, failed) > kScriptBytesMax) {
        return invalid(path + " is larger than 16 MiB; pass data with --mount instead");
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) return invalid(path + " cannot be read by this user");
    std::string content((std::istreambuf_iterator<char>(file)), {});
    if (content.substr(0, 8192).find('\0') != std::string::npos) {
        return invalid(path +
                       " is a binary file, not a script; to run a program, show it inside: "
                       "atoll run --mount " +
                       path + ":/data/program -- /data/program");
    }
    return content;
}

// What is to be run, from the words of the command line.
Result<OneOff> plan(const Options& options, bool after_dashes) {
    OneOff one;
    if (after_dashes) {
        if (options.words.empty()) return invalid("there is no command after --");
        if (!options.code.empty()) return invalid("-c and a command after -- exclude each other");
        one.request.argv = options.words;
        one.request.with_stdin = true;
        return one;
    }
    if (!options.code.empty()) {
        auto language = language_of(options.language.empty() ? "python" : options.language, "", "");
        if (!language) return language.error();
        one.request.argv = interpreter(*language);
        one.request.argv.push_back(*language == "typescript" ? "-e" : "-c");
        one.request.argv.push_back(options.code);
        one.request.argv.insert(one.request.argv.end(), options.words.begin(), options.words.end());
        one.request.with_stdin = true;
        return one;
    }
    std::string content, name;
    if (options.words.empty() || options.words.front() == "-") {
        if (::isatty(STDIN_FILENO)) {
            return invalid(
                "nothing to run: name a script, give code with -c, pipe code in, or put "
                "a command after --");
        }
        content.assign(std::istreambuf_iterator<char>(std::cin), {});
        if (content.size() > kScriptBytesMax) return invalid("the code on stdin is beyond 16 MiB");
        auto language = language_of(options.language.empty() ? "python" : options.language, "", "");
        if (!language) return language.error();
        name = *language == "python" ? "main.py" : *language == "shell" ? "main.sh" : "main.ts";
        one.request.argv = interpreter(*language);
    } else {
        const fs::path script = options.words.front();
        auto read = read_script(script.string());
        if (!read) return read.error();
        content = std::move(*read);
        auto language = language_of(options.language, script, content);
        if (!language) return language.error();
        name = script.filename().string();
        if (as_text(name) != name) name = "script" + script.extension().string();
        one.request.argv = interpreter(*language);
        one.request.with_stdin = true;
    }
    one.script = OneOff::Script{"/work/" + name, std::move(content)};
    one.request.argv.push_back(one.script->path);
    if (options.words.size() > 1) {
        one.request.argv.insert(one.request.argv.end(), options.words.begin() + 1,
                                options.words.end());
    }
    return one;
}

int report(const Error& error, bool as_json, int status) {
    if (as_json) {
        std::printf("%s\n", json::serialize(json::object{{"error", error.message}}).c_str());
    } else {
        std::fprintf(stderr, "atoll: %s\n", error.message.c_str());
    }
    return status;
}

void say_why(const OneOffResult& result, const core::SandboxSpec& spec) {
    using core::EndReason;
    const auto& limits = spec.limits;
    switch (result.program.reason) {
        case EndReason::Timeout:
            std::fprintf(stderr, "atoll: stopped after %.1f s (--timeout)\n",
                         static_cast<double>(limits.wall_time_max.count()) / 1000);
            break;
        case EndReason::Memory:
            std::fprintf(stderr, "atoll: stopped: it used more than %s of memory (--memory)\n",
                         core::format_bytes(limits.memory_bytes_max).c_str());
            break;
        case EndReason::Disk:
            std::fprintf(stderr, "atoll: its disk was full at %s (--disk, --file-size)\n",
                         core::format_bytes(limits.disk_bytes_max).c_str());
            break;
        case EndReason::Output:
            std::fprintf(stderr, "atoll: stopped: it wrote more than %s of output (--output)\n",
                         core::format_bytes(limits.output_bytes_max).c_str());
            break;
        default: break;
    }
}

int exit_status(const sessions::ProgramResult& result) {
    if (result.reason == core::EndReason::Timeout) return kExitTimeout;
    return result.exit_code;
}

// The same in a session of a server: its limits and its environment are the session's.
int run_there(const Options& options, bool after_dashes, const CLI::App& command) {
    for (const auto* option : command.get_options()) {
        const std::string name = option->get_single_name();
        const bool taken = name == "session" || name == "code" || name == "language" ||
                           name == "json" || name == "timeout" || name == "words";
        if (option->count() > 0 && !taken) {
            return report(invalid("--" + name +
                                  " and --session exclude each other: a session has "
                                  "its own"),
                          options.as_json, kExitUsage);
        }
    }
    auto one = plan(options, after_dashes);
    if (!one) return report(one.error(), options.as_json, kExitUsage);
    SessionRun there;
    there.session = options.session;
    there.timeout = options.sandbox.timeout;
    there.as_json = options.as_json;
    if (after_dashes) {
        return report(invalid("a command in a session is `atoll exec SESSION -- COMMAND`"),
                      options.as_json, kExitUsage);
    }
    const auto& argv = one->request.argv;
    const bool more_words = one->script ? options.words.size() > 1 : !options.words.empty();
    if (more_words) {
        return report(invalid("a script in a session gets no arguments; set variables instead"),
                      options.as_json, kExitUsage);
    }
    there.language = argv.front() == "python" ? "python"
                     : argv.front() == "bash" ? "shell"
                                              : "typescript";
    there.code = one->script ? one->script->content : options.code;
    return run_in_session(there);
}

int run(const Options& options, bool after_dashes) {
    auto spec = options.sandbox.spec();
    if (!spec) return report(spec.error(), options.as_json, kExitUsage);
    auto one = plan(options, after_dashes);
    if (!one) return report(one.error(), options.as_json, kExitUsage);
    for (const auto& part : one->request.argv) {
        if (as_text(part) == part) continue;
        return report(invalid("the argument \"" + as_text(part) + "\" is not valid UTF-8"),
                      options.as_json, kExitUsage);
    }
    one->collect = options.as_json;
    auto result = run_one_off(*spec, std::move(*one));
    if (!result) return report(result.error(), options.as_json, kExitAtoll);
    if (options.as_json) {
        std::printf("%s\n", json::serialize(to_json(*result)).c_str());
        if (std::fflush(stdout) != 0) return kExitAtoll;
    } else {
        say_why(*result, *spec);
    }
    return exit_status(result->program);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("run", "Run a script, code or a command in a sandbox");
    command->add_option("-c,--code", options->code, "Code to run (python unless --language)");
    command->add_option("--language,-l", options->language, "python, shell or typescript");
    command->add_flag("--json", options->as_json, "One JSON object instead of live output");
    command->add_option("--session", options->session, "Run it in this session of a server");
    options->sandbox.add_to(*command);
    command->add_option("words", options->words,
                        "SCRIPT [ARGUMENTS...], or -- COMMAND [ARGUMENTS...]");
    command->positionals_at_end();
    command->callback([options, command, &exit_code] {
        exit_code = options->session.empty() ? run(*options, asked_for_command())
                                             : run_there(*options, asked_for_command(), *command);
    });
}

}  // namespace atl::main
