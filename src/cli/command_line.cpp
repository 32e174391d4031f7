#include "cli/command_line.hpp"

#include "base/nearest.hpp"
#include "cli/commands.hpp"
#include "cli/failure.hpp"
#include "cli/one_off.hpp"
#include "cli/server.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <cstring>
#include <exception>

namespace atl::cli {

namespace {

const CLI::App* command_in(const CLI::App& app, const std::string& word) {
    const auto commands = app.get_subcommands({});
    const auto found = std::find_if(commands.begin(), commands.end(),
                                    [&](const CLI::App* one) { return one->check_name(word); });
    return found == commands.end() ? nullptr : *found;
}

// The command that the line names, with what is below it: `template`, then `build`.
std::vector<const CLI::App*> commands_of(const CLI::App& app,
                                         const std::vector<std::string>& words) {
    std::vector<const CLI::App*> path{&app};
    for (const auto& word : words) {
        const CLI::App* next = command_in(*path.back(), word);
        if (next == nullptr) break;
        path.push_back(next);
    }
    return path;
}

std::string suggestion(std::string_view wrong, const std::vector<std::string>& known) {
    const std::vector<std::string_view> views(known.begin(), known.end());
    const auto meant = nearest(wrong, views);
    return meant.empty() ? "" : "; did you mean " + std::string(meant) + "?";
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* one : app.get_subcommands({})) names.push_back(one->get_name());
    return names;
}

std::vector<std::string> names_of_options(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* one : app.get_options()) {
        for (const auto& name : one->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

// The first of what is left of the line that is an option, and none of the command's.
std::string unknown_option(const CLI::App& command, const std::vector<std::string>& extras) {
    for (const auto& word : extras) {
        if (word.size() < 2 || word.front() != '-') continue;
        const std::string name = word.substr(0, word.find('='));
        if (command.get_option_no_throw(name) == nullptr) return name;
    }
    return {};
}

// The parser's sentences that only a programmer understands.
std::string in_plain_words(const std::string& what) {
    if (what == "A subcommand is required") return "a command is missing";
    if (const auto at = what.find(": 1 required "); at != std::string::npos) {
        return what.substr(0, at) + " needs a value";
    }
    // "--state: wram not in {hot,warm,cold}"
    constexpr std::string_view kNotIn = " not in {";
    const auto colon = what.find(": ");
    const auto at = what.find(kNotIn);
    if (colon == std::string::npos || at == std::string::npos || at < colon || what.back() != '}') {
        return what;
    }
    std::string choices = what.substr(at + kNotIn.size());
    choices.pop_back();
    if (const auto last = choices.rfind(','); last != std::string::npos) {
        choices.replace(last, 1, " and ");
    }
    for (auto comma = choices.find(','); comma != std::string::npos;
         comma = choices.find(',', comma + 2)) {
        choices.replace(comma, 1, ", ");
    }
    return what.substr(0, colon) + ": \"" + what.substr(colon + 2, at - colon - 2) +
           "\" is none of " + choices;
}

// Also of a line that could not be parsed.
For reader_of_line(const CLI::App& app, const std::vector<std::string>& words) {
    const auto end = std::find(words.begin(), words.end(), "--");
    const bool said = std::find(words.begin(), end, "--json") != end;
    return cli::reader_of(said && command_in(app, words.front()) != nullptr);
}

void tell_wrong(const CLI::App& app, const std::vector<std::string>& words,
                const std::string& what) {
    auto [sentence, advice] = complaint_about(app, words, what);
    const For whom = reader_of_line(app, words);
    if (whom == For::People) sentence += "\n" + advice;
    tell_failure({Code::InvalidArgument, sentence}, whom);
}

}  // namespace

Complaint complaint_about(const CLI::App& app, const std::vector<std::string>& words,
                          const std::string& what) {
    const auto path = commands_of(app, words);
    const CLI::App& command = *path.back();
    std::string full = "atoll";
    for (std::size_t i = 1; i < path.size(); ++i) full += " " + path[i]->get_name();
    const std::size_t at = path.size() - 1;  // of the first word behind the command
    const bool takes_commands = !command.get_subcommands({}).empty();
    if (takes_commands && at < words.size() && !words[at].starts_with('-')) {
        const auto commands = names_of_commands(command);
        return {"there is no command \"" + (at > 0 ? words[at - 1] + " " : "") + words[at] + "\"" +
                    suggestion(words[at], commands),
                "`" + full + " --help` lists them."};
    }
    const std::string advice = path.size() == 1 ? "Run `atoll --help` for a list of commands."
                                                : "`" + full + " --help` shows its " +
                                                      (takes_commands ? "commands." : "options.");
    auto extras = app.remaining(true);
    std::erase(extras, "--");  // ours, or the end of the options: neither is what is wrong
    if (const auto wrong = unknown_option(command, extras); !wrong.empty()) {
        return {"there is no option " + wrong + suggestion(wrong, names_of_options(command)),
                advice};
    }
    if (extras.empty()) return {in_plain_words(what), advice};
    std::string listed;
    for (const auto& one : extras) listed += (listed.empty() ? "\"" : ", \"") + one + "\"";
    if (full == "atoll shell") {
        return {listed + " was not expected: this opens a shell in a sandbox of its own",
                "A shell in a session is `atoll exec " + extras.front() + "`."};
    }
    return {listed + (extras.size() == 1 ? " was" : " were") + " not expected", advice};
}

namespace {

// Output that was lost must not look like none: a full disk is noticed here, by whichever command.
// A reader that left, as `head` does, has all that it wanted.
int with_output_written(int status) {
    errno = 0;
    const bool flushed = std::fflush(stdout) == 0;
    const int cause = errno;
    if ((flushed && std::ferror(stdout) == 0) || cause == EPIPE) return status;
    tell_failure(
        {Code::Unavailable, std::string("write to stdout: ") +
                                (cause != 0 ? std::strerror(cause) : "some of the output is lost")},
        For::People);
    return status == 0 ? kExitAtoll : status;
}

// What people know from other programs, as this parser takes it: `help run`, `version`, `kill -9`.
void write_out(std::vector<std::string>& words) {
    if (words.front() == "help") {
        words.erase(words.begin());
        words.emplace_back("--help");
    } else if (words.front() == "version" && words.size() == 1) {
        words.front() = "--version";
    } else if (words.front() == "list") {
        words.front() = "ls";
    } else if ((words.front() == "template" || words.front() == "key") && words.size() > 1 &&
               words[1] == "ls") {
        words[1] = "list";
    } else if (words.front() == "kill") {
        const auto is_signal = [](const std::string& word) {
            return word.size() > 1 && word[0] == '-' &&
                   std::all_of(word.begin() + 1, word.end(), [](unsigned char c) {
                       return std::isdigit(c) != 0 || std::isupper(c) != 0;
                   });
        };
        const auto end = std::find(words.begin(), words.end(), "--");
        if (const auto found = std::find_if(words.begin(), end, is_signal); found != end) {
            *found = "--signal=" + found->substr(1);
        }
    }
}

int parse_and_run(CLI::App& app, int argc, char** argv, const int& exit_code) {
    remember_arguments(argc, argv);
    if (argc < 2) {
        std::fputs(app.help().c_str(), stderr);
        return 2;
    }
    std::vector<std::string> words(argv + 1, argv + argc);
    const auto given = words;
    write_out(words);
    mark_command(app, words);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 wants them
    } catch (const CLI::Success& done) {                                    // --help, --version
        return app.exit(done);
    } catch (const CLI::ParseError& wrong) {
        tell_wrong(app, given, wrong.what());
        return 2;
    } catch (const std::exception& unexpected) {
        tell_failure({Code::Internal, unexpected.what()}, reader_of_line(app, given));
        return 125;
    }
    return exit_code;
}

}  // namespace

int run_command_line(CLI::App& app, int argc, char** argv, const int& exit_code) {
    return with_output_written(parse_and_run(app, argc, argv, exit_code));
}

}  // namespace atl::cli
