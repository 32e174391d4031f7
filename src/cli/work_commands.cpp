// `atoll ps`, `kill`, `jobs`: what runs in sessions of a server, and what it has to do.
#include "base/encoding.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/one_off.hpp"
#include "cli/server.hpp"
#include "cli/session_list.hpp"
#include "cli/table.hpp"
#include "net/target.hpp"

#include <algorithm>
#include <cctype>
#include <CLI/Validators.hpp>
#include <csignal>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

namespace atl::cli {

namespace json = boost::json;

namespace {

struct ProcessOptions {
    std::string session;  // ps: empty: of all that are awake
    std::string process;
    std::string signal = "TERM";
    bool as_json = false;
};

struct CancelOptions {
    std::string job;
    bool as_json = false;
};

struct JobOptions {
    std::vector<std::string> states;
    bool quiet = false;
    bool as_json = false;
};

constexpr std::size_t kCommandColumns = 60;

std::string command_of(const json::object& process) {
    std::string line;
    const auto* argv = process.if_contains("argv");
    if (argv == nullptr || !argv->is_array()) return line;
    for (const auto& word : argv->get_array()) {
        if (!word.is_string()) continue;
        line += (line.empty() ? "" : " ") + std::string(word.get_string());
    }
    return clipped(printable(line), kCommandColumns);
}

// 0, 1, "signal 9", or why the server ended it.
std::string end_of(const json::object& process) {
    const std::string reason = text_in(process, "reason");
    if (!reason.empty() && reason != "exited" && reason != "signalled") return reason;
    if (const auto signal = number_in(process, "signal"); signal != 0) {
        return "signal " + std::to_string(signal);
    }
    const auto* code = process.if_contains("exit_code");
    return code != nullptr && code->is_number() ? std::to_string(number_in(process, "exit_code"))
                                                : "";
}

Result<json::array> processes_of(Server& server, const std::string& session) {
    auto answer = server.get(session_path(session, "/processes"));
    if (!answer) return answer.error();
    json::array found;
    auto* processes = answer->if_contains("processes");
    if (processes == nullptr || !processes->is_array()) return found;
    for (auto& one : processes->get_array()) {
        if (!one.is_object()) continue;
        one.get_object()["session"] = session;
        found.push_back(std::move(one));
    }
    return found;
}

Result<std::vector<std::string>> sessions_meant(Server& server, const std::string& word) {
    if (!word.empty()) {
        auto id = session_id(server, word);
        if (!id) return id.error();
        return std::vector<std::string>{std::move(*id)};
    }
    const auto awake = all_sessions(server, {"hot", "warm"});
    if (!awake) return awake.error();
    std::vector<std::string> ids;
    for (const auto& one : *awake) ids.push_back(text_in(one.get_object(), "id"));
    return ids;
}

// By id. None where they cannot be listed: it is for show.
std::map<std::string, std::string> names_of_sessions(Server& server) {
    std::map<std::string, std::string> names;
    const auto sessions = all_sessions(server, {"hot", "warm"});
    if (!sessions) return names;
    for (const auto& one : *sessions) {
        const auto name = text_in(one.get_object(), "name");
        if (!name.empty()) names[text_in(one.get_object(), "id")] = name;
    }
    return names;
}

int list_processes(const ProcessOptions& options) {
    const For whom = reader_of(options.as_json);
    auto server = Server::from_environment();
    const auto sessions = sessions_meant(server, options.session);
    if (!sessions) return report(sessions.error(), whom, server.refusal());
    json::array all;
    for (const auto& session : *sessions) {
        auto some = processes_of(server, session);
        // One of many may be removed while they are asked.
        const bool gone = !some && some.error().code == Code::NotFound && options.session.empty();
        if (gone) continue;
        if (!some) return report(some.error(), whom, server.refusal());
        for (auto& one : *some) all.push_back(std::move(one));
    }
    if (options.as_json) {
        const json::object whole{{"processes", std::move(all)}};
        std::printf("%s\n", printable(print_json(whole)).c_str());
        return 0;
    }
    // By name, which is shorter and what a person typed; the id where there is none.
    const auto names = names_of_sessions(server);
    Table table({"SESSION", "PROCESS", "STATE", "AGE", "END", "COMMAND"});
    for (const auto& one : all) {
        const auto& process = one.get_object();
        const auto session = text_in(process, "session");
        const auto name = names.find(session);
        table.add({name == names.end() ? session : name->second, text_in(process, "id"),
                   text_in(process, "state"), age_of(text_in(process, "started_at")),
                   end_of(process), command_of(process)});
    }
    std::fputs(table.text().c_str(), stdout);
    for (const auto& one : all) {
        const std::string note = printable(text_in(one.get_object(), "note"));
        if (note.empty()) continue;
        std::fprintf(stderr, "atoll: %s: %s\n", printable(text_in(one.get_object(), "id")).c_str(),
                     note.c_str());
    }
    return 0;
}

// As the API spells it: `term`, for TERM, SIGTERM and 15. What is none of them stays as it was
// typed, since an error quotes it.
std::string signal_name(const std::string& word) {
    static constexpr std::pair<const char*, int> kSignals[] = {
        {"hup", SIGHUP},   {"int", SIGINT},     {"quit", SIGQUIT}, {"kill", SIGKILL},
        {"usr1", SIGUSR1}, {"usr2", SIGUSR2},   {"term", SIGTERM}, {"cont", SIGCONT},
        {"stop", SIGSTOP}, {"winch", SIGWINCH}, {"pipe", SIGPIPE}, {"alrm", SIGALRM},
        {"tstp", SIGTSTP}};
    std::string name = word;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name.starts_with("sig")) name.erase(0, 3);
    for (const auto& [known, number] : kSignals) {
        if (name == known || word == std::to_string(number)) return known;
    }
    return word;
}

int send_signal(const ProcessOptions& options) {
    const For whom = reader_of(options.as_json);
    auto server = Server::from_environment();
    if (options.process.empty()) {
        const std::string& word = options.session;
        const auto job = job_id(server, word);
        if (job) {
            return report(invalid(word + " is a job: `atoll cancel " + word + "` ends it"), whom);
        }
        return report(
            invalid("name a session and a process in it: atoll kill SESSION PROCESS (`atoll ps` "
                    "lists them)"),
            whom);
    }
    const auto session = session_id(server, options.session);
    if (!session) return report(session.error(), whom, server.refusal());
    const json::object body{{"signal", signal_name(options.signal)}};
    const auto path = session_path(*session, api_path("/processes/", options.process, "/signal"));
    const auto view = server.ask("POST", path, &body);
    if (!view) return report(view.error(), whom, server.refusal());
    if (options.as_json) std::printf("%s\n", printable(print_json(*view)).c_str());
    return 0;
}

int cancel_job(const CancelOptions& options) {
    const For whom = reader_of(options.as_json);
    auto server = Server::from_environment();
    const auto id = job_id(server, options.job);
    if (!id) return report(id.error(), whom, server.refusal());
    const auto view = server.ask("POST", api_path("/v1/jobs/", *id, "/cancel"));
    if (!view) return report(view.error(), whom, server.refusal());
    if (options.as_json) std::printf("%s\n", printable(print_json(*view)).c_str());
    return 0;
}

int list_jobs(const JobOptions& options) {
    const For whom = reader_of(options.as_json);
    auto server = Server::from_environment();
    auto found = all_jobs(server, options.states);
    if (!found) return report(found.error(), whom, server.refusal());
    auto& all = *found;
    if (options.as_json) {
        const json::object whole{{"jobs", std::move(all)}};
        std::printf("%s\n", printable(print_json(whole)).c_str());
        return 0;
    }
    Table table({"JOB", "KIND", "STATE", "AGE", "EXIT", "SESSION"});
    for (const auto& one : all) {
        const auto& job = one.get_object();
        if (options.quiet) {
            std::printf("%s\n", printable(text_in(job, "id")).c_str());
            continue;
        }
        const auto* code = job.if_contains("exit_code");
        table.add({text_in(job, "id"), text_in(job, "kind"), text_in(job, "state"),
                   age_of(text_in(job, "created_at")),
                   code != nullptr && code->is_number()
                       ? std::to_string(number_in(job, "exit_code"))
                       : "",
                   text_in(job, "session")});
    }
    if (!options.quiet) std::fputs(table.text().c_str(), stdout);
    return 0;
}

}  // namespace

void add_work_commands(CLI::App& app, int& exit_code) {
    auto* ps = app.add_subcommand("ps", "List the background processes of sessions");
    ps->footer(
        "`atoll exec -d` starts one, `atoll logs SESSION PROCESS` shows its output, and\n"
        "`atoll kill SESSION PROCESS` ends it.");
    const auto which = std::make_shared<ProcessOptions>();
    ps->add_option("session", which->session,
                   std::string(kSessionHelp) + " (default: all that are awake)");
    ps->add_flag("--json", which->as_json, "One JSON object; also errors");
    ps->callback([which, &exit_code] { exit_code = list_processes(*which); });

    auto* kill = app.add_subcommand("kill", "Send a signal to a background process");
    const auto whom = std::make_shared<ProcessOptions>();
    kill->add_option("session", whom->session, kSessionHelp)->required();
    kill->add_option("process", whom->process, "Id of the process");
    kill->add_option("-s,--signal", whom->signal,
                     "HUP, INT, TERM, KILL, … or its number (default TERM); also -KILL and -9");
    kill->add_flag("--json", whom->as_json, "One JSON object; also errors");
    kill->callback([whom, &exit_code] { exit_code = send_signal(*whom); });

    auto* cancel = app.add_subcommand("cancel", "Cancel a job");
    const auto unwanted = std::make_shared<CancelOptions>();
    cancel->add_option("job", unwanted->job, "Id of the job, or the beginning of it")->required();
    cancel->add_flag("--json", unwanted->as_json, "The job as one JSON object; also errors");
    cancel->callback([unwanted, &exit_code] { exit_code = cancel_job(*unwanted); });

    auto* jobs = app.add_subcommand("jobs", "List the jobs of a server");
    const auto listing = std::make_shared<JobOptions>();
    jobs->add_option("--state", listing->states,
                     "Only these: queued, running, succeeded, failed, cancelled")
        ->check(CLI::IsMember({"queued", "running", "succeeded", "failed", "cancelled"}));
    jobs->add_flag("-q,--quiet", listing->quiet, "Ids only, one a line");
    jobs->add_flag("--json", listing->as_json, "One JSON object; also errors");
    jobs->callback([listing, &exit_code] { exit_code = list_jobs(*listing); });
}

}  // namespace atl::cli
