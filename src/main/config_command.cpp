// `atoll config`: what is in force for `atoll serve` here, and where each value comes from.
#include "cli/failure.hpp"
#include "main/commands.hpp"
#include "main/settings.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <memory>

namespace atl::main {

namespace {

namespace json = boost::json;

void print_json(const SettingsInForce& settings) {
    json::array rows;
    for (const auto& [setting, value, from, usual] : rows_of(settings)) {
        json::array variables;
        for (const auto& variable : setting.variables) {
            variables.emplace_back(std::string(variable.name));
        }
        json::object row{{"key", std::string(setting.key)},
                         {"value", value},
                         {"from", from},
                         {"default", usual},
                         {"variables", std::move(variables)},
                         {"help", std::string(setting.help)}};
        if (!setting.flag.empty()) row["flag"] = std::string(setting.flag);
        rows.push_back(std::move(row));
    }
    json::object all{{"settings", std::move(rows)}};
    if (!settings.file.empty()) all["file"] = settings.file;
    std::printf("%s\n", json::serialize(all).c_str());
}

void print_table(const SettingsInForce& settings) {
    const auto rows = rows_of(settings);
    std::size_t keys = 0, values = 0;
    for (const auto& row : rows) {
        keys = std::max(keys, row.setting.key.size());
        values = std::max(values, row.value.size());
    }
    values = std::min<std::size_t>(values, 48);
    const auto print = [&](const std::string& key, const std::string& value, const char* from) {
        std::printf("%-*s  %-*s  %s\n", static_cast<int>(keys), key.c_str(),
                    static_cast<int>(values), value.c_str(), from);
    };
    print("SETTING", "VALUE", "FROM");
    for (const auto& row : rows) {
        print(std::string(row.setting.key), row.value.empty() ? "-" : row.value, row.from.c_str());
    }
    if (settings.file.empty()) {
        std::printf("\nNo settings file was found.\n");
    } else {
        std::printf("\nSettings file: %s\n", settings.file.c_str());
    }
}

}  // namespace

void add_config_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("config", "Show the server's settings and their sources");
    const auto words = std::make_shared<SettingsWords>();  // live as long as the callback
    const auto as_json = std::make_shared<bool>(false);
    command->add_flag("--json", *as_json, "One JSON object instead of a table; also errors");
    words->add_to(*command);
    command->callback([words, as_json, &exit_code] {
        const auto settings = load_settings(*words, environment_of_process());
        if (!settings) {
            cli::tell_failure(settings.error(), cli::reader_of(*as_json), {}, "atoll config");
            exit_code = 2;
            return;
        }
        for (const auto& sentence : settings->unused) {
            std::fprintf(stderr, "atoll config: %s\n", sentence.c_str());
        }
        if (*as_json) {
            print_json(*settings);
        } else {
            print_table(*settings);
        }
    });
}

}  // namespace atl::main
