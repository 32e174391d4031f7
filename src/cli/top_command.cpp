// `atoll top`: the sessions that are awake on a server, and what they use.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/one_off.hpp"
#include "cli/screen.hpp"
#include "cli/server.hpp"
#include "cli/table.hpp"
#include "core/spec.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <chrono>
#include <CLI/Validators.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <unistd.h>

namespace atl::cli {

namespace json = boost::json;

namespace {

using Clock = std::chrono::steady_clock;

struct TopOptions {
    bool once = false;
    bool as_json = false;
    double interval = 2;
};

Result<json::array> awake_sessions(Server& server) {
    const auto page = server.get("/v1/sessions?state=hot&state=warm&limit=200");
    if (!page) return page.error();
    json::array found;
    const auto* sessions = page->if_contains("sessions");
    if (sessions == nullptr || !sessions->is_array()) return found;
    for (const auto& one : sessions->get_array()) {
        if (!one.is_object()) continue;
        auto session = server.get(session_path(text_in(one.get_object(), "id")));
        if (session) found.emplace_back(std::move(*session));  // else it has just gone
    }
    return found;
}

// Processor time of the look before, to tell what was used in between.
struct Before {
    Clock::time_point at = Clock::now();
    std::map<std::string, std::int64_t> cpu_ms;
};

std::string table_of(const json::array& sessions, Before& before) {
    const auto now = Clock::now();
    const double ms = std::chrono::duration<double, std::milli>(now - before.at).count();
    Before next{now, {}};
    // By name where there is one, as in `ps`: with both it would be wider than 80 columns.
    Table table({"SESSION", "STATE", "MEMORY", "CPU", "PROCESSES", "IDLE"});
    for (const auto& one : sessions) {
        const auto& session = one.get_object();
        const std::string id = text_in(session, "id");
        std::string memory = "-", cpu = "-", processes = "-";
        const auto* usage = session.if_contains("usage");
        if (usage != nullptr && usage->is_object()) {
            const auto& used = usage->get_object();
            const auto bytes = std::max<std::int64_t>(0, number_in(used, "memory_bytes"));
            memory = core::format_bytes(static_cast<std::uint64_t>(bytes));
            processes = std::to_string(number_in(used, "processes"));
            const auto total = number_in(used, "cpu_ms");
            next.cpu_ms[id] = total;
            char text[32];
            if (const auto old = before.cpu_ms.find(id); old != before.cpu_ms.end() && ms > 0) {
                std::snprintf(text, sizeof text, "%.0f %%",
                              static_cast<double>(total - old->second) * 100 / ms);
            } else {
                std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(total) / 1000);
            }
            cpu = text;
        }
        const std::string name = text_in(session, "name");
        table.add({name.empty() ? id : name, text_in(session, "state"), memory, cpu, processes,
                   age_of(text_in(session, "last_used_at"))});
    }
    before = std::move(next);
    return table.text();
}

// Until somebody has had enough; once where nobody looks.
Result<void> show(Server& server, const TopOptions& options) {
    const bool live = !options.once && !options.as_json && ::isatty(STDOUT_FILENO) == 1;
    Before before;
    std::optional<Screen> screen;
    do {
        const auto sessions = awake_sessions(server);
        if (net::Client::interrupt().load()) return {};  // Ctrl-C is how it is left
        if (!sessions) return sessions.error();
        if (options.as_json) {
            const json::object whole{{"sessions", *sessions}};
            std::printf("%s\n", printable(print_json(whole)).c_str());
        } else if (!live) {
            std::fputs(table_of(*sessions, before).c_str(), stdout);
        } else {
            if (!screen) screen.emplace();  // not before there is something to show
            screen->draw(table_of(*sessions, before));
        }
    } while (live && !screen->left_within(std::chrono::duration<double>(options.interval)));
    return {};
}

int top(const TopOptions& options) {
    auto server = Server::from_environment();
    const InterruptByKey ends;
    // Back from it the screen is as it was: an error told there would have gone with it.
    const auto shown = show(server, options);
    return shown ? 0 : report(shown.error(), reader_of(options.as_json), server.refusal());
}

}  // namespace

void add_top_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("top", "Show the resource usage of sessions");
    command->footer("On a terminal it runs until q or Ctrl-C; otherwise it prints once.");
    const auto options = std::make_shared<TopOptions>();
    command->add_flag("--once", options->once, "Print it once");
    command->add_flag("--json", options->as_json, "Once, as one JSON object; also errors");
    command->add_option("--interval", options->interval, "Seconds between updates")
        ->check(CLI::Range(0.2, 3600.0));
    command->callback([options, &exit_code] { exit_code = top(*options); });
}

}  // namespace atl::cli
