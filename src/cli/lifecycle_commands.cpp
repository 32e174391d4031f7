// `atoll pause`, `resume`, `restart`, `fork`: what becomes of sessions of a server.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/one_off.hpp"
#include "cli/server.hpp"
#include "cli/session_list.hpp"

#include <CLI/Validators.hpp>
#include <cstdio>
#include <memory>

namespace atl::cli {

namespace json = boost::json;

namespace {

struct Wanted {
    std::vector<std::string> sessions;
    std::string name;
    std::uint32_t count = 1;
    bool to_disk = false;
    bool as_json = false;
};

// One request for each; a server that refuses one is asked for the others.
int change(const Wanted& wanted, const char* after) {
    const For whom = reader_of(wanted.as_json);
    auto server = Server::from_environment();
    int status = 0;
    json::array changed;
    for (const auto& word : wanted.sessions) {
        const auto id = session_id(server, word);
        if (!id) return report(id.error(), whom, server.refusal());
        auto view = server.ask("POST", session_path(*id, after));
        if (view) {
            changed.push_back(std::move(*view));
            continue;
        }
        status = report(view.error(), whom, server.refusal());
        if (wanted.as_json || server.refusal().status == 0) return status;
    }
    if (wanted.as_json) {
        const json::object whole{{"sessions", std::move(changed)}};
        std::printf("%s\n", printable(print_json(whole)).c_str());
    }
    return status;
}

int fork(const Wanted& wanted) {
    const For whom = reader_of(wanted.as_json);
    auto server = Server::from_environment();
    const auto id = session_id(server, wanted.sessions.front());
    if (!id) return report(id.error(), whom, server.refusal());
    json::object body{{"count", wanted.count}};
    if (!wanted.name.empty()) body["name"] = wanted.name;
    const auto made = server.ask("POST", session_path(*id, "/fork"), &body);
    if (!made) return report(made.error(), whom, server.refusal());
    if (wanted.as_json) {
        std::printf("%s\n", printable(print_json(*made)).c_str());
        return 0;
    }
    const auto* copies = made->if_contains("sessions");
    if (copies == nullptr || !copies->is_array()) return 0;
    for (const auto& one : copies->get_array()) {
        if (!one.is_object()) continue;
        std::printf("%s\n", printable(text_in(one.get_object(), "id")).c_str());
    }
    return 0;
}

}  // namespace

void add_lifecycle_commands(CLI::App& app, int& exit_code) {
    const auto add = [&](const char* name, const char* says) {
        auto* command = app.add_subcommand(name, says);
        auto wanted = std::make_shared<Wanted>();
        command->add_option("sessions", wanted->sessions, "Ids, beginnings of ids, or names")
            ->required();
        command->add_flag("--json", wanted->as_json, "One JSON object; also errors");
        return std::pair(command, wanted);
    };
    const auto [pause, sleepy] = add("pause", "Freeze sessions; the next use wakes them");
    pause->add_flag("--to-disk", sleepy->to_disk, "Save files and variables, and end the sandbox");
    pause->callback([wanted = sleepy, &exit_code] {
        exit_code = change(*wanted, wanted->to_disk ? "/evict" : "/pause");
    });
    const auto [resume, awake] = add("resume", "Wake sessions");
    resume->callback([wanted = awake, &exit_code] { exit_code = change(*wanted, "/resume"); });
    const auto [restart, fresh] =
        add("restart", "Give sessions a fresh sandbox: files stay, variables are gone");
    restart->callback([wanted = fresh, &exit_code] { exit_code = change(*wanted, "/restart"); });

    auto* copy = app.add_subcommand("fork", "Copy a session: its files and Python variables");
    const auto wanted = std::make_shared<Wanted>();
    copy->add_option("session", wanted->sessions, kSessionHelp)->required()->expected(1);
    copy->add_option("-n,--count", wanted->count, "How many copies (default 1)")
        ->check(CLI::Range(1, 100));
    copy->add_option("--name", wanted->name, "Name of the copy");
    copy->add_flag("--json", wanted->as_json, "One JSON object; also errors");
    copy->callback([wanted, &exit_code] { exit_code = fork(*wanted); });
}

}  // namespace atl::cli
