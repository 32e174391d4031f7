// `atoll run`: one program in a sandbox of its own, thrown away afterwards.
//
// Exit status: the program's own; 128 + signal when a signal ended it; 124 when its time was up;
// 125 when Atoll itself failed, 126 and 127 when the command cannot be run or is not there, as a
// shell has it; 2 for wrong options.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/import_hint.hpp"
#include "cli/limit_options.hpp"
#include "cli/one_off.hpp"
#include "cli/server.hpp"

#include <boost/json/serialize.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace atl::cli {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr std::size_t kScriptBytesMax = 16u << 20;
constexpr int kExitNoProgram = 126;
constexpr int kExitNotFound = 127;

struct Options {
    SandboxOptions sandbox;
    std::optional<std::string> code;
    std::optional<std::string> language;
    std::string session;  // of a server; empty: a sandbox of its own
    std::string folder;   // copied to /work, where the program starts; empty: none
    bool as_json = false;
    std::vector<std::string> words;  // script and arguments, or a command after --
};

const char* kBun = "/opt/atoll/guest/typescript/bun";

std::vector<std::string> interpreter(const std::string& language) {
    if (language == "python") return {"python"};
    if (language == "shell") return {"bash"};
    // Left alone, bun fetches packages that are not there and reads .env files.
    return {kBun, "--no-install", "--no-env-file"};
}

Result<std::string> language_of(const std::optional<std::string>& asked, const fs::path& script,
                                const std::string& content) {
    if (asked) {
        const std::string& given = *asked;
        if (given == "python" || given == "py") return std::string("python");
        if (given == "shell" || given == "sh" || given == "bash") return std::string("shell");
        if (given == "typescript" || given == "ts" || given == "javascript" || given == "js") {
            return std::string("typescript");
        }
        return invalid("--language \"" + given +
                       "\": choose python, shell, javascript or typescript");
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
    if (ending == ".ipynb") {
        return invalid(script.string() +
                       ": notebooks are not run here; `jupyter nbconvert --to script` makes a "
                       "Python script of one");
    }
    return invalid(script.string() +
                   ": the language is not clear from the name; use --language "
                   "python, shell, javascript or typescript");
}

Result<std::string> read_script(const std::string& path) {
    std::error_code failed;
    const auto status = fs::status(path, failed);
    if (!fs::exists(status)) {
        const bool like_command = path.find_first_of("./") == std::string::npos;
        return Error{Code::NotFound,
                     path + ": there is no such file" +
                         (like_command ? "; to run a command: atoll run -- " + path : "")};
    }
    if (fs::is_directory(status)) {
        return invalid(path + " is a folder; to run a script in it: atoll run -C " + path +
                       " SCRIPT; to show it to one: --mount " + path);
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

bool lies_below(const std::string& path, const std::string& folder) {
    return path == folder || path.rfind(folder + "/", 0) == 0;
}

// Without "//" and the like, which name the same place.
std::string target_of(const core::Mount& mount) {
    std::string target = fs::path(mount.target).lexically_normal().string();
    while (target.size() > 1 && target.back() == '/') target.pop_back();
    return target;
}

constexpr const char* kScriptFolder = "/work";

// Where a script is inside already, when /work is a folder of the host that holds it: it runs among
// the files that it belongs to.
std::optional<std::string> mounted_at(const Options& options, const core::SandboxSpec& spec) {
    if (options.words.empty() || options.words.front() == "-") return {};
    std::error_code failed;
    const auto script = fs::canonical(options.words.front(), failed).string();
    for (const auto& mount : spec.mounts()) {
        if (!lies_below(kScriptFolder, target_of(mount))) continue;
        const auto source = fs::canonical(mount.source, failed).string();
        if (!script.empty() && !source.empty() && script.rfind(source + "/", 0) == 0) {
            return target_of(mount) + script.substr(source.size());
        }
    }
    return {};
}

// A place for a copy of the script that is the sandbox's own: never a file of the host's.
Result<std::string> place_for(const std::string& name, const core::SandboxSpec& spec) {
    for (const char* folder : {kScriptFolder, "/session", "/tmp"}) {
        const std::string path = std::string(folder) + "/" + name;
        bool taken = false;
        for (const auto& mount : spec.mounts()) {
            taken =
                taken || lies_below(path, target_of(mount)) || lies_below(target_of(mount), path);
        }
        if (!taken) return path;
    }
    return invalid("the mounts leave no folder for the script: /work, /session or /tmp");
}

// -C: the script is named as from inside the folder, as `make -C` has it; a path that leads into
// the folder from here does as well. Where it is, relative to the folder.
Result<fs::path> script_in(const std::string& folder, const fs::path& script) {
    std::error_code failed;
    const auto root = fs::canonical(folder, failed);
    if (failed || !fs::is_directory(root)) return invalid("-C: there is no folder " + folder);
    for (const auto& named : {root / script, fs::absolute(script)}) {
        const auto relative = fs::weakly_canonical(named, failed).lexically_relative(root);
        const bool below = !relative.empty() && *relative.begin() != "..";
        if (below && fs::exists(named, failed)) return relative;
    }
    return Error{Code::NotFound, script.string() + ": there is no such file in " + folder};
}

// What is to be run, from the words of the command line.
Result<OneOff> plan(const Options& options, const core::SandboxSpec& spec, bool after_dashes) {
    OneOff one;
    if (!options.folder.empty()) {
        if (!fs::is_directory(options.folder)) {
            return invalid("-C: there is no folder " + options.folder);
        }
        for (const auto& mount : spec.mounts()) {
            if (!lies_below(target_of(mount), kScriptFolder)) continue;
            return invalid("-C and a mount at " + target_of(mount) + " exclude each other");
        }
        one.folder = options.folder;
    }
    if (after_dashes) {
        if (options.words.empty()) return invalid("there is no command after --");
        if (options.words.front().empty()) return invalid("the command after -- is empty");
        if (options.code) return invalid("-c and a command after -- exclude each other");
        one.request.argv = options.words;
        one.request.with_stdin = true;
        return one;
    }
    if (options.code) {
        auto language = language_of(options.language.value_or("python"), "", "");
        if (!language) return language.error();
        one.request.argv = interpreter(*language);
        one.request.argv.push_back(*language == "typescript" ? "-e" : "-c");
        one.request.argv.push_back(*options.code);
        one.request.argv.insert(one.request.argv.end(), options.words.begin(), options.words.end());
        one.request.with_stdin = true;
        return one;
    }
    std::string content, name;
    std::optional<std::string> inside = mounted_at(options, spec);
    if (options.words.empty() || options.words.front() == "-") {
        if (::isatty(STDIN_FILENO)) {
            return invalid(
                "nothing to run: name a script, give code with -c, pipe code in, or put "
                "a command after --");
        }
        auto read = code_from_stdin();
        if (!read) return read.error();
        content = std::move(*read);
        auto language = language_of(options.language.value_or("python"), "", "");
        if (!language) return language.error();
        name = *language == "python" ? "main.py" : *language == "shell" ? "main.sh" : "main.ts";
        one.request.argv = interpreter(*language);
    } else {
        if (options.words.front().empty()) return invalid("the name of the script is empty");
        fs::path script = options.words.front();
        if (one.folder) {
            auto relative = script_in(*one.folder, script);
            if (!relative) return relative.error();
            inside = std::string(kScriptFolder) + "/" + relative->string();
            script = fs::path(*one.folder) / *relative;
        }
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
    if (inside) {
        one.request.argv.push_back(*inside);
    } else {
        auto path = place_for(name, spec);
        if (!path) return path.error();
        one.script = OneOff::Script{std::move(*path), std::move(content)};
        one.request.argv.push_back(one.script->path);
    }
    if (options.words.size() > 1) {
        one.request.argv.insert(one.request.argv.end(), options.words.begin() + 1,
                                options.words.end());
    }
    return one;
}

int report(const Error& error, bool as_json, int status) {
    tell_failure(error, reader_of(as_json));
    return status;
}

std::string hint_for(const Options& options, const OneOffResult& result, bool after_dashes) {
    const bool script = !after_dashes && !options.code && options.folder.empty() &&
                        !options.words.empty() && options.words.front() != "-";
    if (!script || result.program.exit_code == 0) return {};
    return import_hint(options.words.front(), result.err, [](const std::string& path) {
        std::error_code failed;
        return fs::exists(path, failed);
    });
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
    auto one = plan(options, core::SandboxSpec{}, after_dashes);
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
    there.code = one->script ? one->script->content : options.code.value_or("");
    return run_in_session(there);
}

int run(const Options& options, bool after_dashes) {
    auto spec = options.sandbox.spec();
    if (!spec) return report(spec.error(), options.as_json, kExitUsage);
    auto one = plan(options, *spec, after_dashes);
    if (!one) return report(one.error(), options.as_json, kExitUsage);
    for (const auto& part : one->request.argv) {
        if (as_text(part) == part) continue;
        return report(invalid("the argument \"" + as_text(part) + "\" is not valid UTF-8"),
                      options.as_json, kExitUsage);
    }
    one->collect = options.as_json;
    auto result = run_one_off(*spec, std::move(*one));
    if (!result) return report(result.error(), options.as_json, kExitAtoll);
    if (const auto& refused = result->not_started) {
        const bool missing = refused->code == Code::NotFound;
        return report(*refused, options.as_json, missing ? kExitNotFound : kExitNoProgram);
    }
    const std::string hint = hint_for(options, *result, after_dashes);
    if (options.as_json) {
        auto shown = to_json(*result);
        if (!hint.empty()) shown["hint"] = hint;
        std::printf("%s\n", print_json(shown).c_str());
    } else {
        say_why(*result, *spec);
        if (!hint.empty()) std::fprintf(stderr, "atoll: %s\n", printable(hint).c_str());
    }
    return exit_status(result->program);
}

}  // namespace

Result<std::string> code_from_stdin() {
    std::string content;
    char piece[64 * 1024];
    for (;;) {
        const ssize_t n = ::read(STDIN_FILENO, piece, sizeof piece);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return invalid(std::string("read the code on stdin: ") + std::strerror(errno));
        if (n == 0) return content;
        content.append(piece, static_cast<std::size_t>(n));
        if (content.size() > kScriptBytesMax) return invalid("the code on stdin exceeds 16 MiB");
    }
}

void add_run_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("run", "Run a script, code or a command in a sandbox");
    command->add_option("-c,--code", options->code, "Code to run (python unless --language)");
    command->add_option("--language,-l", options->language,
                        "python, shell, javascript or typescript");
    command->add_flag("--json", options->as_json,
                      "One JSON object instead of live output; also errors");
    command->add_option("--session", options->session,
                        "Run it in this session of a server: its id, the beginning, or its name");
    command->add_option("-C,--folder", options->folder,
                        "Copy this folder to /work and start there; what is written is not copied "
                        "back (--mount-rw DIR:/work does that)");
    command->footer(
        "  atoll run script.py a b               a script and its arguments\n"
        "  atoll run -c 'print(6 * 7)'           code; also from stdin\n"
        "  atoll run -C project main.py          a copy of a folder, and a script in it\n"
        "  atoll run -v ~/data:/data/sets a.py   with a folder of this machine, read-only\n"
        "  atoll run -- sh -c 'id; ls /'         a command\n"
        "The exit status is the program's own; 124 when its time was up, 125 when Atoll failed,\n"
        "126 when the command cannot be run, 127 when it is not there, 2 for wrong options.");
    options->sandbox.add_to(*command);
    command->add_option("words", options->words,
                        "SCRIPT [ARGUMENTS...], or -- COMMAND [ARGUMENTS...]");
    command->positionals_at_end();
    command->callback([options, command, &exit_code] {
        exit_code = options->session.empty() ? run(*options, asked_for_command())
                                             : run_there(*options, asked_for_command(), *command);
    });
}

}  // namespace atl::cli
