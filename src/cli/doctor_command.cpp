#include "cli/commands.hpp"

#include "cli/doctor.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace atl::cli {

namespace {

// The variables in the order in which the C library asks them.
bool terminal_takes_utf8() {
    if (::isatty(STDOUT_FILENO) == 0) return false;
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        const std::string_view locale(value);
        return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
    }
    return false;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("doctor", "Check whether this host can run Atoll");
    const auto as_one = std::make_shared<bool>(false);  // lives as long as the callback
    command->add_flag("--json", *as_one, "One JSON object instead of a table");
    command->callback([as_one, &exit_code] {
        const auto diagnosis = examine_host();
        const auto text =
            *as_one ? as_json(diagnosis) + "\n" : as_table(diagnosis, terminal_takes_utf8());
        std::fputs(text.c_str(), stdout);
        exit_code = diagnosis.ok() ? 0 : 1;
    });
}

}  // namespace atl::cli
