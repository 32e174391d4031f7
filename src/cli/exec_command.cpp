// `atoll exec`: code or a command in a session of a server, with its output as it comes.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/one_off.hpp"
#include "cli/output.hpp"
#include "cli/server.hpp"
#include "cli/session_list.hpp"
#include "net/event_reader.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value_from.hpp>
#include <CLI/Validators.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace atl::cli {

namespace json = boost::json;

namespace {

struct ExecOptions {
    SessionRun run;
    std::vector<std::string> words;
    bool terminal = false;
    bool interactive = false;  // as it is anyway; people type -it
    bool no_stdin = false;
    bool background = false;
    bool keep_awake = false;
};

json::object body_of(const SessionRun& run) {
    json::object body{{"code", run.code}, {"language", run.language}};
    if (!run.context.empty()) body["context"] = run.context;
    if (!run.timeout.empty()) body["timeout"] = run.timeout;
    if (!run.environment.empty()) body["environment"] = json::value_from(run.environment);
    return body;
}

int exit_status(const json::object& ended) {
    if (text_in(ended, "reason") == "timeout") return kExitTimeout;
    return static_cast<int>(number_in(ended, "exit_code", kExitAtoll) & 0xFF);
}

void say_why(const json::object& ended) {
    const std::string reason = text_in(ended, "reason");
    if (reason == "timeout") std::fputs("atoll: stopped: its time was up\n", stderr);
    if (reason == "memory") {
        std::fprintf(stderr, "atoll: it %s\n", printable(text_in(ended, "message")).c_str());
    }
    if (reason == "disk") std::fputs("atoll: its disk was full\n", stderr);
    if (reason == "output") std::fputs("atoll: stopped: it wrote too much output\n", stderr);
    if (const auto* lost = ended.if_contains("lost"); lost != nullptr && lost->is_array()) {
        for (const auto& one : lost->get_array()) {
            if (!one.is_object()) continue;
            const std::string name = printable(text_in(one.get_object(), "name"));
            const std::string why = printable(text_in(one.get_object(), "reason"));
            std::fprintf(stderr, "atoll: not restored: %s%s%s\n", name.c_str(),
                         name.empty() ? "" : ": ", why.c_str());
        }
    }
}

// Pictures among the results: a terminal shows none of them.
struct Charts {
    std::size_t count = 0;
    std::vector<std::string> forms;

    void add(const json::object& bundle) {
        static constexpr std::pair<std::string_view, const char*> kForms[] = {
            {"image/png", "PNG"},
            {"image/jpeg", "JPEG"},
            {"image/svg+xml", "SVG"},
            {"application/pdf", "PDF"},
            {"text/html", "HTML"}};
        // A table has its text besides its HTML, and that was shown.
        const bool has_text = bundle.contains("text/plain");
        bool is_chart = std::any_of(bundle.begin(), bundle.end(), [](const auto& one) {
            return one.key().starts_with("application/vnd.plotly") ||
                   one.key().starts_with("application/vnd.vega");
        });
        for (const auto& [type, name] : kForms) {
            if (!bundle.contains(type)) continue;
            is_chart = is_chart || type != "text/html" || !has_text;
        }
        if (!is_chart) return;
        ++count;
        for (const auto& [type, name] : kForms) {
            const bool known = std::find(forms.begin(), forms.end(), name) != forms.end();
            if (bundle.contains(type) && !known) forms.emplace_back(name);
        }
    }
    void tell() const {
        if (count == 0) return;
        std::string all;
        for (const auto& form : forms) all += (all.empty() ? "" : ", ") + form;
        std::fprintf(stderr,
                     "atoll: %zu chart%s (%s): --json has %s; or save to artifacts/ and `atoll "
                     "cp`\n",
                     count, count == 1 ? "" : "s", all.c_str(), count == 1 ? "it" : "them");
    }
};

constexpr std::string_view kWorkingFolder = "/session/";
constexpr std::size_t kArtifactsNamed = 5;

// How to get at what the run wrote for people.
void tell_artifacts(const json::object& ended, const std::string& session) {
    const auto* files = ended.if_contains("files");
    if (files == nullptr || !files->is_array()) return;
    std::size_t count = 0;
    for (const auto& one : files->get_array()) {
        if (!one.is_object()) continue;
        std::string path = text_in(one.get_object(), "path");
        const bool there = text_in(one.get_object(), "change") != "removed" &&
                           text_in(one.get_object(), "type") == "file";
        const bool artifact = path.starts_with("/session/artifacts/") ||
                              path.starts_with("/work/artifacts/") ||
                              path.starts_with("/data/outputs/");
        if (!there || !artifact || ++count > kArtifactsNamed) continue;
        if (path.starts_with(kWorkingFolder)) path.erase(0, kWorkingFolder.size());
        const std::string source = quoted_if_needed(session + ":" + path);
        std::fprintf(stderr, "atoll: %s: atoll cp %s .\n", printable(path).c_str(),
                     printable(source).c_str());
    }
    if (count > kArtifactsNamed) {
        std::fprintf(stderr, "atoll: and %zu more\n", count - kArtifactsNamed);
    }
}

// What a person sees of an event; the last one is kept.
void show(ProgramOutput& output, const net::EventReader::Event& event, Charts& charts,
          std::optional<json::object>& ended) {
    boost::system::error_code failed;
    json::value value = json::parse(event.data, failed);
    if (failed || !value.is_object()) return;
    auto& data = value.get_object();
    if (event.event == "stdout") output.write(stdout, text_in(data, "text"));
    if (event.event == "stderr") output.write(stderr, text_in(data, "text"));
    if (event.event == "error") output.write(stderr, text_in(data, "traceback_text") + "\n");
    if (event.event == "ended") ended = std::move(data);
    if (event.event != "result") return;
    const auto* bundle = data.if_contains("data");
    if (bundle == nullptr || !bundle->is_object()) return;
    charts.add(bundle->get_object());
    const std::string plain = text_in(bundle->get_object(), "text/plain");
    if (!plain.empty()) output.write(stdout, plain + "\n");
}

bool at_a_terminal() {
    // Only if all three are terminals: redirected stderr must stay separate.
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1 &&
           ::isatty(STDERR_FILENO) == 1;
}

// Something to pass on: neither a person's keyboard nor /dev/null.
bool has_input() {
    struct stat about {};
    if (::fstat(STDIN_FILENO, &about) != 0) return false;
    return S_ISFIFO(about.st_mode) || S_ISREG(about.st_mode) || S_ISSOCK(about.st_mode);
}

// Starts it and leaves: the process goes on in the session.
int start(Server& server, const ExecOptions& options) {
    const auto& run = options.run;
    const For whom = reader_of(run.as_json);
    json::object body;
    if (!options.words.empty()) {
        body["argv"] = json::value_from(options.words);
    } else if (run.language == "shell" && !run.code.empty()) {
        body["command"] = run.code;
    } else if (run.language == "python" && !run.code.empty() && run.context.empty()) {
        body["argv"] = json::array{"python", "-c", run.code};
    } else {
        return report({Code::InvalidArgument,
                       "-d takes a command, or -c CODE in python (a program of its own, not the "
                       "session's kernel) or shell"},
                      whom);
    }
    if (!run.timeout.empty()) body["timeout"] = run.timeout;
    if (options.keep_awake) body["keep_awake"] = true;
    const auto view = server.ask("POST", session_path(run.session, "/processes"), &body);
    if (!view) return report(view.error(), whom, server.refusal());
    const std::string shown = run.as_json ? print_json(*view) : text_in(*view, "id");
    std::printf("%s\n", printable(shown).c_str());
    return 0;
}

int exec(ExecOptions options) {
    auto& run = options.run;
    const For whom = reader_of(run.as_json);
    const bool command = !options.words.empty();
    if (command && !run.code.empty()) {
        return report({Code::InvalidArgument, "give -c CODE or a command, not both"}, whom);
    }
    if (options.keep_awake && !options.background) {
        return report({Code::InvalidArgument, "--keep-awake is for background processes (-d)"},
                      whom);
    }
    if (options.background && options.terminal) {
        return report({Code::InvalidArgument, "-d and -t exclude each other"}, whom);
    }
    auto server = Server::from_environment();
    if (options.background) {
        const auto id = session_id(server, run.session);
        if (!id) return report(id.error(), whom, server.refusal());
        run.session = *id;
        return start(server, options);
    }
    if (command) {
        run.language = "shell";
        for (const auto& word : options.words) run.code += quoted(word) + " ";
    }
    const bool read_code =
        run.code.empty() && !command && !options.terminal && !options.no_stdin && has_input();
    if (read_code) {
        auto code = code_from_stdin();
        if (!code) return report(code.error(), whom);
        if (code->empty()) return report(invalid("there is no code on stdin"), whom);
        run.code = std::move(*code);
        return run_in_session(run);
    }
    const bool shell = run.code.empty() || run.language == "shell";
    if (options.terminal && (!shell || run.as_json)) {
        return report(
            {Code::InvalidArgument, run.as_json ? "--terminal and --json do not go together"
                                                : "--terminal is for commands and -l shell"},
            whom);
    }
    const bool alone = run.code.empty();
    const bool terminal = options.terminal || (shell && !run.as_json && !options.no_stdin &&
                                               at_a_terminal() && (alone || command));
    if (alone && !terminal) {
        return report({Code::InvalidArgument,
                       "say what to run: -c CODE, code on stdin, or a command after --; a shell "
                       "needs a terminal"},
                      whom);
    }
    const bool piped = shell && !run.as_json && !options.no_stdin && has_input();
    if (!terminal && !piped) return run_in_session(run);
    if (!run.context.empty()) {
        return report({Code::InvalidArgument, "--context is for Python code (-c)"});
    }
    const auto id = session_id(server, run.session);
    if (!id) return report(id.error(), whom, server.refusal());
    run.session = *id;
    return converse({run.session, run.code, run.timeout, terminal});
}

}  // namespace

int run_in_session(const SessionRun& run) {
    auto server = Server::from_environment();
    const InterruptByKey cancels;  // a client that leaves ends its run
    const json::object body = body_of(run);
    const auto id = session_id(server, run.session);
    if (!id) return report(id.error(), reader_of(run.as_json), server.refusal());
    const std::string path = session_path(*id, "/run");
    if (run.as_json) {
        const auto answer = server.ask("POST", path, &body);
        if (!answer) return report(answer.error(), For::Programs, server.refusal());
        std::printf("%s\n", printable(print_json(*answer)).c_str());
        return exit_status(*answer);
    }
    std::optional<json::object> ended;
    std::optional<Error> broken;
    ProgramOutput output;
    Charts charts;
    net::EventReader reader(
        [&](const net::EventReader::Event& event) { show(output, event, charts, ended); });
    net::ClientRequest request;
    request.method = "POST";
    request.path = path;
    request.headers.set("Accept", "text/event-stream");
    request.body = json::serialize(body);
    request.sink = [&](std::string_view piece) {
        const auto fed = reader.feed(piece);
        if (!fed) broken = fed.error();
        return !broken;
    };
    const auto answer = server.send(request);
    if (broken) return report(*broken);
    if (!answer) return report(answer.error());
    if (!ended) {
        return report({Code::Unavailable, "the connection was closed before the run ended"});
    }
    say_why(*ended);
    charts.tell();
    tell_artifacts(*ended, run.session);
    return exit_status(*ended);
}

void add_exec_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("exec", "Run code or a command in a session");
    const auto options = std::make_shared<ExecOptions>();
    command->footer(
        "Without a command it opens a shell, if it runs in a terminal.\n"
        "  atoll exec ID -c 'print(6 * 7)'       Python; variables are kept\n"
        "  atoll exec ID ls -l                   a command with its arguments\n"
        "  atoll exec ID < script.py             code from stdin\n"
        "  echo x | atoll exec ID cat            with our stdin as its input\n"
        "  atoll exec ID                         a shell\n"
        "  atoll exec -d ID python serve.py      in the background; see ps, logs and kill\n"
        "ID is the session's id, the beginning of it, or its name.");
    command->add_option("session", options->run.session, kSessionHelp)->required();
    command->add_option("-c,--code", options->run.code, "Code to run (python unless --language)");
    command
        ->add_option("--language,-l", options->run.language,
                     "python, shell, javascript or typescript")
        ->check(CLI::IsMember({"python", "shell", "javascript", "typescript"}));
    command->add_option("--context", options->run.context, "Name of the Python kernel");
    command->add_option("--timeout", options->run.timeout, "Stop it after this time, like 30s");
    command->add_flag("--json", options->run.as_json,
                      "One JSON object instead of live output; also errors");
    command->add_flag("-d,--detach", options->background,
                      "Start it in the background and print the id of the process");
    command->add_flag("--keep-awake", options->keep_awake,
                      "With -d: the session does not fall asleep while it runs");
    command->add_flag("-i,--interactive", options->interactive,
                      "Accepted for compatibility: stdin is passed on anyway");
    command->add_flag("-t,--terminal", options->terminal,
                      "Use a terminal even if stdin is not one");
    command->add_flag("--no-stdin", options->no_stdin,
                      "Do not read stdin, as in a `while read` loop");
    command->add_option("words", options->words, "COMMAND [ARGUMENTS...]");
    command->callback([options, &exit_code] { exit_code = exec(*options); });
}

void mark_command(const CLI::App& app, std::vector<std::string>& words) {
    if (words.empty() || words.front() != "exec") return;
    const auto* exec = app.get_subcommand("exec");
    bool has_session = false;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--") return;
        if (word.size() > 1 && word.front() == '-') {
            const bool is_long = word[1] == '-';
            const auto name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
            const auto* option = exec->get_option_no_throw(name);
            const bool is_alone = name.size() == word.size();  // its value is not in the same word
            if (is_alone && option != nullptr && option->get_items_expected_max() > 0) ++i;
        } else if (!has_session) {
            has_session = true;
        } else {
            words.insert(words.begin() + static_cast<std::ptrdiff_t>(i), "--");
            return;
        }
    }
}

}  // namespace atl::cli
