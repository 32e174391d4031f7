// `atoll ls`, `atoll new`, `atoll rm`: sessions of a server.
#include "base/encoding.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/copy_command.hpp"
#include "cli/one_off.hpp"
#include "cli/server.hpp"
#include "cli/session_list.hpp"
#include "cli/table.hpp"
#include "core/spec.hpp"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/value_from.hpp>
#include <CLI/Validators.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace atl::cli {

namespace json = boost::json;

namespace {

struct ListOptions {
    std::vector<std::string> states;
    bool as_json = false;
    bool quiet = false;
};

struct NewOptions {
    std::string name, template_name, idle_to_warm, idle_to_cold, lifetime;
    std::string memory, disk, file_size, output;
    std::optional<double> cpus;
    std::optional<std::uint32_t> processes, open_files;
    std::vector<std::string> environment, metadata, data_sets;
    bool as_json = false;
};

struct RemoveOptions {
    std::vector<std::string> sessions;
    bool all = false;
    bool force = false;
    bool as_json = false;
};

std::string metadata_in(const json::object& session, const char* key) {
    const auto* metadata = session.if_contains("metadata");
    return metadata != nullptr && metadata->is_object() ? text_in(metadata->get_object(), key) : "";
}

// A chat's session has no name of its own, but a title.
std::string name_of(const json::object& session) {
    const std::string name = text_in(session, "name");
    return name.empty() ? metadata_in(session, "title") : name;
}

int list(const ListOptions& options) {
    auto server = Server::from_environment();
    auto sessions = all_sessions(server, options.states);
    if (!sessions) {
        return report(sessions.error(), reader_of(options.as_json), server.refusal());
    }
    if (options.as_json) {
        const json::object whole{{"sessions", std::move(*sessions)}};
        std::printf("%s\n", printable(print_json(whole)).c_str());
        return 0;
    }
    if (options.quiet) {
        for (const auto& one : *sessions) {
            std::printf("%s\n", printable(text_in(one.get_object(), "id")).c_str());
        }
        return 0;
    }
    Table table({"ID", "NAME", "STATE", "TEMPLATE", "AGE", "IDLE"});
    for (const auto& one : *sessions) {
        const auto& session = one.get_object();
        table.add({text_in(session, "id"), name_of(session), text_in(session, "state"),
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

// What the server says of a field, with the name that was typed.
Error with_option_names(Error error) {
    static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
        {"limits.memory_bytes_max", "--memory"},
        {"limits.disk_bytes_max", "--disk"},
        {"limits.file_bytes_max", "--file-size"},
        {"limits.output_bytes_max", "--output"},
        {"limits.cpus_max", "--cpus"},
        {"limits.processes_max", "--processes"},
        {"limits.open_files_max", "--open-files"}};
    for (const auto& [field, option] : kNames) {
        for (auto at = error.message.find(field); at != std::string::npos;
             at = error.message.find(field, at + option.size())) {
            error.message.replace(at, field.size(), option);
        }
    }
    return error;
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
    const std::tuple<const char*, const char*, const std::string&> sizes[] = {
        {"--memory", "memory_bytes_max", options.memory},
        {"--disk", "disk_bytes_max", options.disk},
        {"--file-size", "file_bytes_max", options.file_size},
        {"--output", "output_bytes_max", options.output}};
    for (const auto& [option, field, text] : sizes) {
        if (text.empty()) continue;
        const auto bytes = core::parse_bytes(text);
        if (!bytes) return report(bytes.error().during(option), whom);
        limits[field] = *bytes;
    }
    if (options.cpus && !(*options.cpus > 0)) {
        return report(invalid("--cpus: a session needs more than 0 processors, like 0.5 or 2; "
                              "without --cpus it may use all"),
                      whom);
    }
    if (options.cpus) limits["cpus_max"] = *options.cpus;
    if (options.processes) limits["processes_max"] = *options.processes;
    if (options.open_files) limits["open_files_max"] = *options.open_files;
    if (!options.data_sets.empty()) body["datasets"] = json::value_from(options.data_sets);
    if (!limits.empty()) body["limits"] = std::move(limits);
    const auto environment = pairs(options.environment, "--env");
    if (!environment) return report(environment.error(), whom);
    if (!environment->empty()) body["environment"] = *environment;
    const auto metadata = pairs(options.metadata, "--metadata");
    if (!metadata) return report(metadata.error(), whom);
    if (!metadata->empty()) body["metadata"] = *metadata;
    auto server = Server::from_environment();
    const auto made = server.ask("POST", "/v1/sessions", &body);
    if (!made) return report(with_option_names(made.error()), whom, server.refusal());
    const std::string shown = options.as_json ? print_json(*made) : text_in(*made, "id");
    std::printf("%s\n", printable(shown).c_str());
    return 0;
}

// Nobody is asked twice for each: who says --all in a terminal is shown how many there are.
bool person_agrees(std::size_t count) {
    if (::isatty(STDIN_FILENO) != 1) return false;
    std::fprintf(stderr, "Remove %zu session%s and all files in %s? [y/N] ", count,
                 count == 1 ? "" : "s", count == 1 ? "it" : "them");
    std::array<char, 16> answer{};
    if (std::fgets(answer.data(), answer.size(), stdin) == nullptr) return false;
    return answer[0] == 'y' || answer[0] == 'Y';
}

// Those of chats stay: a chat removes its own.
Result<std::vector<std::string>> all_but_of_chats(Server& server) {
    const auto sessions = all_sessions(server);
    if (!sessions) return sessions.error();
    std::vector<std::string> ids;
    for (const auto& one : *sessions) {
        if (!metadata_in(one.get_object(), "thread").empty()) continue;
        ids.push_back(text_in(one.get_object(), "id"));
    }
    return ids;
}

// A session, or with ID:path a file or folder in one: code cannot remove them once the session's
// disk is full, since nothing runs then. Answers with what is gone.
Result<std::string> remove_one(Server& server, const std::string& word) {
    auto id = session_id(server, word);
    if (id) {
        if (const auto done = server.ask("DELETE", session_path(*id)); !done) return done.error();
        return id;
    }
    auto place = copy_path_of(word);
    if (id.error().code != Code::NotFound || !place || place->session.empty()) return id.error();
    if (place->path.ends_with('/')) return invalid(word + " names no file");
    auto owner = session_id(server, place->session);
    if (!owner) return owner.error();
    place->session = *owner;
    const auto done = server.ask("DELETE", file_path(*place) + "?recursive=true");
    if (!done) return done.error();
    return place->session + ":" + place->path;
}

int remove(RemoveOptions options) {
    const For whom = reader_of(options.as_json);
    auto server = Server::from_environment();
    if (options.all != options.sessions.empty()) {
        return report({Code::InvalidArgument, options.all ? "name sessions or say --all, not both"
                                                          : "name a session, or say --all"},
                      whom);
    }
    if (options.all) {
        auto all = all_but_of_chats(server);
        if (!all) return report(all.error(), whom, server.refusal());
        options.sessions = std::move(*all);
        if (!options.force && !options.sessions.empty() &&
            !person_agrees(options.sessions.size())) {
            return report({Code::InvalidArgument, "nothing was removed; --all -f does not ask"},
                          whom);
        }
    }
    int status = 0;
    json::array removed;
    for (const auto& word : options.sessions) {
        const auto gone = remove_one(server, word);
        if (gone) {
            removed.emplace_back(*gone);
            continue;
        }
        const auto& failed = gone.error();
        if (options.force && failed.code == Code::NotFound) continue;
        status = report(failed, whom, server.refusal());
        // One object is all that a program reads; and a server that did not answer will not answer
        // for the next.
        const bool answered = server.refusal().status != 0 || failed.code == Code::Conflict;
        if (options.as_json || !answered) return status;
    }
    if (options.as_json) {
        const json::object whole{{"removed", std::move(removed)}};
        std::printf("%s\n", printable(print_json(whole)).c_str());
    }
    return status;
}

}  // namespace

void add_list_commands(CLI::App& app, int& exit_code) {
    auto* ls = app.add_subcommand("ls", "List the sessions of a server");
    const auto listing = std::make_shared<ListOptions>();
    ls->add_option("--state", listing->states, "Only these: hot, warm, cold, failed")
        ->check(CLI::IsMember({"hot", "warm", "cold", "failed"}));
    ls->add_flag("-q,--quiet", listing->quiet, "Ids only, one a line");
    ls->add_flag("--json", listing->as_json, "One JSON object; also errors");
    ls->callback([listing, &exit_code] { exit_code = list(*listing); });

    auto* make_new = app.add_subcommand("new", "Make a session and print its id");
    const auto wanted = std::make_shared<NewOptions>();
    make_new->add_option("--name", wanted->name,
                         "Its name: as good as its id; no two are the same");
    make_new->add_option("--template", wanted->template_name, "Template to start from");
    make_new->add_option("--memory", wanted->memory, "Memory for all its processes, like 512m");
    make_new->add_option("--cpus", wanted->cpus, "Processors, like 1.5");
    make_new->add_option("--processes", wanted->processes, "Processes and threads at one time");
    make_new->add_option("--disk", wanted->disk, "Space for its files, /tmp included, like 512m");
    make_new->add_option("--file-size", wanted->file_size, "Largest single file, like 1g");
    make_new->add_option("--open-files", wanted->open_files, "Open files of one process");
    make_new->add_option("--output", wanted->output, "Output and results of one run, like 16m");
    make_new
        ->add_option("--dataset", wanted->data_sets,
                     "A data set of the server, read-only at /data/NAME; can be repeated")
        ->allow_extra_args(false);
    make_new->add_option("--env,-e", wanted->environment, "NAME=VALUE; can be repeated")
        ->allow_extra_args(false);
    make_new->add_option("--metadata", wanted->metadata, "NAME=VALUE; can be repeated")
        ->allow_extra_args(false);
    make_new->add_option("--idle-to-warm", wanted->idle_to_warm, "Freeze it after this idle time");
    make_new->add_option("--idle-to-cold", wanted->idle_to_cold, "Move to disk when idle so long");
    make_new->add_option("--lifetime", wanted->lifetime, "Delete it after this time");
    make_new->add_flag("--json", wanted->as_json, "The session as one JSON object; also errors");
    make_new->callback([wanted, &exit_code] { exit_code = make(*wanted); });

    auto* rm = app.add_subcommand("rm", "End sessions and remove their files; or files in them");
    rm->footer(
        "  atoll rm taxi taxi-2                  two sessions, with all their files\n"
        "  atoll rm taxi:big.csv                 a file or a folder in a session's working folder\n"
        "  atoll rm taxi:/data/outputs/a.png     the same elsewhere in it");
    const auto which = std::make_shared<RemoveOptions>();
    rm->add_option("sessions", which->sessions,
                   "Ids, beginnings of ids, or names; ID:path is a file in one");
    rm->add_flag("--all", which->all, "All sessions but those of chats");
    rm->add_flag("-f,--force", which->force, "Do not ask; a session that is not there is no error");
    rm->add_flag("--json", which->as_json, "One JSON object; also errors");
    rm->callback([which, &exit_code] { exit_code = remove(*which); });
}

}  // namespace atl::cli
