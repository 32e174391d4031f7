// `atoll config`: what is in force for `atoll serve` here, and where each value comes from.
#include "cli/failure.hpp"
#include "main/commands.hpp"
#include "main/settings.hpp"
#include "runtimes/native/paths.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace atl::main {

namespace {

namespace json = boost::json;

// As people want to see it: where things lie is never empty.
std::string shown(const Setting& setting, const Settings& values) {
    auto text = value_text(setting, values);
    if (text.empty() && setting.key == "data_dir") return native::Paths::data_folder();
    return text;
}

void print_json(const SettingsInForce& settings) {
    const Settings defaults;
    json::array rows;
    for (const auto& setting : all_settings()) {
        json::array variables;
        for (const auto& variable : setting.variables) {
            variables.emplace_back(std::string(variable.name));
        }
        json::object row{
            {"key", std::string(setting.key)},       {"value", shown(setting, settings.values)},
            {"from", settings.from.at(setting.key)}, {"default", value_text(setting, defaults)},
            {"variables", std::move(variables)},     {"help", std::string(setting.help)}};
        if (!setting.flag.empty()) row["flag"] = std::string(setting.flag);
        rows.push_back(std::move(row));
    }
    json::object all{{"settings", std::move(rows)}};
    if (!settings.file.empty()) all["file"] = settings.file;
    std::printf("%s\n", json::serialize(all).c_str());
}

void print_table(const SettingsInForce& settings) {
    std::size_t keys = 0, values = 0;
    for (const auto& setting : all_settings()) {
        keys = std::max(keys, setting.key.size());
        values = std::max(values, shown(setting, settings.values).size());
    }
    values = std::min<std::size_t>(values, 48);
    std::printf("%-*s  %-*s  %s\n", static_cast<int>(keys), "SETTING", static_cast<int>(values),
                "VALUE", "FROM");
    for (const auto& setting : all_settings()) {
        const auto value = shown(setting, settings.values);
        std::printf("%-*s  %-*s  %s\n", static_cast<int>(keys), std::string(setting.key).c_str(),
                    static_cast<int>(values), value.empty() ? "-" : value.c_str(),
                    settings.from.at(setting.key).c_str());
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
        const auto settings =
            load_settings(*words, [](const char* name) { return std::getenv(name); });
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
