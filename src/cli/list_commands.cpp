// `atoll ls`, `atoll new`, `atoll rm`: sessions of a server.
#include "base/encoding.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/server.hpp"
#include "cli/table.hpp"
#include "core/spec.hpp"
#include "net/target.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <CLI/Validators.hpp>
#include <cstdio>
#include <memory>

namespace atl::cli {

namespace json = boost::json;

namespace {

struct ListOptions {
    std::vector<std::string> states;
    bool as_json = false;
};

struct NewOptions {
    std::string name, template_name, memory, idle_to_warm, idle_to_cold, lifetime;
    double cpus = 0;
    std::vector<std::string> environment, metadata;
    bool as_json = false;
};

Result<json::array> all_sessions(Server& server, const std::vector<std::string>& states) {
    std::string filter;
    for (const auto& state : states) filter += "&state=" + percent_encoded(state);
    json::array all;
    Pages pages;
    for (;;) {
        const auto& cursor = pages.cursor();
        auto page = server.get("/v1/sessions?limit=500" + filter +
                               (cursor.empty() ? "" : "&cursor=" + percent_encoded(cursor)));
        if (!page) return page.error();
        if (auto* sessions = page->if_contains("sessions"); sessions && sessions->is_array()) {
            for (auto& one : sessions->get_array()) {
                if (one.is_object()) all.push_back(std::move(one));
            }
        }
        const auto more = pages.go_on(text_in(*page, "next_cursor"));
        if (!more) return more.error();
        if (!*more) return all;
    }
}

int list(const ListOptions& options) {
    auto server = Server::from_environment();
    auto sessions = all_sessions(server, options.states);
    if (!sessions) {
        return report(sessions.error(), reader_of(options.as_json), server.refusal());
    }
    if (options.as_json) {
        const json::object whole{{"sessions", std::move(*sessions)}};
        std::printf("%s\n", printable(json::serialize(whole)).c_str());
        return 0;
    }
    Table table({"ID", "NAME", "STATE", "TEMPLATE", "AGE", "IDLE"});
    for (const auto& one : *sessions) {
        const auto& session = one.get_object();
        table.add({text_in(session, "id"), text_in(session, "name"), text_in(session, "state"),
                   text_in(session, "template"), age_of(text_in(session, "created_at")),
                   age_of(text_in(session, "last_used_at"))});
    }
    std::fputs(table.text().c_str(), stdout);
    return 0;
}

Result<json::object> pairs(const std::vector<std::string>& given, const char* option) {
    json::object object;
    for (const auto& pair : given) {
        const auto sign = pair.find('=');
        if (sign == std::string::npos || sign == 0) {
            return Error{Code::InvalidArgument,
                         std::string(option) + ": write NAME=VALUE, not \"" + pair + "\""};
        }
        object[pair.substr(0, sign)] = pair.substr(sign + 1);
    }
    return object;
}

int make(const NewOptions& options) {
    const For whom = reader_of(options.as_json);
    json::object body, limits;
    const auto set = [&](const char* key, const std::string& value) {
        if (!value.empty()) body[key] = value;
    };
    set("name", options.name);
    set("template", options.template_name);
    set("idle_to_warm", options.idle_to_warm);
    set("idle_to_cold", options.idle_to_cold);
    set("lifetime", options.lifetime);
    if (!options.memory.empty()) {
        const auto bytes = core::parse_bytes(options.memory);
        if (!bytes) return report(bytes.error().during("--memory"), whom);
        limits["memory_bytes_max"] = *bytes;
    }
    if (options.cpus > 0) limits["cpus_max"] = options.cpus;
    if (!limits.empty()) body["limits"] = std::move(limits);
    const auto environment = pairs(options.environment, "--env");
    if (!environment) return report(environment.error(), whom);
    if (!environment->empty()) body["environment"] = *environment;
    const auto metadata = pairs(options.metadata, "--metadata");
    if (!metadata) return report(metadata.error(), whom);
    if (!metadata->empty()) body["metadata"] = *metadata;
    auto server = Server::from_environment();
    const auto made = server.ask("POST", "/v1/sessions", &body);
    if (!made) return report(made.error(), whom, server.refusal());
    const std::string shown = options.as_json ? json::serialize(*made) : text_in(*made, "id");
    std::printf("%s\n", printable(shown).c_str());
    return 0;
}

int remove(const std::vector<std::string>& ids) {
    auto server = Server::from_environment();
    int status = 0;
    for (const auto& id : ids) {
        const auto gone = server.ask("DELETE", session_path(id));
        if (gone) continue;
        status = report(gone.error());
        // Who answers nothing to one answers nothing to the next; once is enough to say.
        if (server.refusal().status == 0) break;
    }
    return status;
}

}  // namespace

void add_list_commands(CLI::App& app, int& exit_code) {
    auto* ls = app.add_subcommand("ls", "List the sessions of a server");
    const auto listing = std::make_shared<ListOptions>();
    ls->add_option("--state", listing->states, "Only these: hot, warm, cold, failed")
        ->check(CLI::IsMember({"hot", "warm", "cold", "failed"}));
    ls->add_flag("--json", listing->as_json, "One JSON object; also errors");
    ls->callback([listing, &exit_code] { exit_code = list(*listing); });

    auto* make_new = app.add_subcommand("new", "Make a session and print its id");
    const auto wanted = std::make_shared<NewOptions>();
    make_new->add_option("--name", wanted->name, "Display name");
    make_new->add_option("--template", wanted->template_name, "Template to start from");
    make_new->add_option("--memory", wanted->memory, "Memory for all its processes, like 512m");
    make_new->add_option("--cpus", wanted->cpus, "Processors, like 1.5")
        ->check(CLI::PositiveNumber);
    make_new->add_option("--env,-e", wanted->environment, "NAME=VALUE; can be repeated");
    make_new->add_option("--metadata", wanted->metadata, "NAME=VALUE; can be repeated");
    make_new->add_option("--idle-to-warm", wanted->idle_to_warm, "Freeze it after this idle time");
    make_new->add_option("--idle-to-cold", wanted->idle_to_cold, "Move to disk when idle so long");
    make_new->add_option("--lifetime", wanted->lifetime, "Delete it after this time");
    make_new->add_flag("--json", wanted->as_json, "The session as one JSON object; also errors");
    make_new->callback([wanted, &exit_code] { exit_code = make(*wanted); });

    auto* rm = app.add_subcommand("rm", "End sessions and remove their files");
    const auto ids = std::make_shared<std::vector<std::string>>();
    rm->add_option("sessions", *ids, "Ids of sessions")->required();
    rm->callback([ids, &exit_code] { exit_code = remove(*ids); });
}

}  // namespace atl::cli
