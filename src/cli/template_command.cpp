#include "cli/commands.hpp"

#include "cli/build_display.hpp"
#include "cli/failure.hpp"
#include "core/spec.hpp"
#include "runtimes/native/template.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <set>

namespace atl::cli {

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr int kFailed = 1;
constexpr int kUsage = 2;
constexpr std::size_t kFileBytesMax = 1u << 20;

int complain(const Error& error, For whom = For::People) {
    tell_failure(error, whom);
    return error.code == Code::InvalidArgument ? kUsage : kFailed;
}

Result<std::string> read_template_file(const std::string& path) {
    const auto refuse = [&](const std::string& why) {
        return Error{Code::InvalidArgument, "read the template file " + path + ": " + why};
    };
    std::error_code failed;
    const auto status = fs::status(path, failed);
    if (!fs::exists(status)) return refuse("it does not exist");
    if (fs::is_directory(status)) return refuse("it is a folder, not a JSON file");
    std::ifstream file(path, std::ios::binary);
    if (!file) return refuse("it cannot be opened");
    std::string text(kFileBytesMax + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kFileBytesMax) return refuse("it is larger than 1 MiB");
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) return refuse("it is empty");
    return text;
}

// A build that is stopped cleans up and sends the signal again (StopSignals). With --json there is
// an object to print before that ends this process.
class NoteStops {
public:
    NoteStops() {
        which = 0;
        struct sigaction action {};
        action.sa_handler = [](int signal) { which = signal; };
        ::sigemptyset(&action.sa_mask);
        for (std::size_t i = 0; i < kSignals.size(); ++i) {
            ::sigaction(kSignals[i], &action, &before_[i]);
        }
    }
    ~NoteStops() {
        for (std::size_t i = 0; i < kSignals.size(); ++i) {
            ::sigaction(kSignals[i], &before_[i], nullptr);
        }
    }
    NoteStops(const NoteStops&) = delete;
    NoteStops& operator=(const NoteStops&) = delete;

    static inline volatile std::sig_atomic_t which = 0;

private:
    static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, 3> before_{};
};

// The one that all sandboxes start from unless they name another: taken away by a slip, it costs
// minutes to get back. One that was made from a file may be made again from a file.
bool is_builtin_default(const native::Paths& paths, const std::string& name) {
    if (name != "default") return false;
    const auto builtin = native::Template::parse(name, "");
    const auto there = native::Template::load(paths, name);
    return builtin && there && there->description == builtin->description &&
           there->packages == builtin->packages;
}

int build(const std::string& name, const std::string& file, bool replace, bool as_json) {
    const For whom = reader_of(as_json);
    if (file.empty() && name != "default") {
        return complain({Code::InvalidArgument, "template " + name +
                                                    " needs a file that describes it: atoll "
                                                    "template build " +
                                                    name + " FILE (only default is built in)"},
                        whom);
    }
    std::string text;
    if (!file.empty()) {
        auto read = read_template_file(file);
        if (!read) return complain(read.error(), whom);
        text = *read;
    }
    const auto wanted = native::Template::parse(name, text);
    if (!wanted) {
        return complain(file.empty() ? wanted.error() : wanted.error().during(file), whom);
    }
    const auto paths = native::Paths::find();
    if (!paths) return complain(paths.error(), whom);
    if (!file.empty() && !replace && is_builtin_default(*paths, name)) {
        return complain({Code::InvalidArgument,
                         "the built-in default template is there already, and " + file +
                             " would replace it for all sandboxes that name no other; give yours "
                             "another name (atoll template build NAME " +
                             file + "), or say --replace-default"},
                        whom);
    }
    std::fprintf(stderr, "building template %s\n", name.c_str());
    std::optional<NoteStops> stops;
    if (as_json) stops.emplace();
    const auto made = [&] {
        BuildDisplay display(tell_build_step);
        return native::build_template(*paths, *wanted, text, display.listener());
    }();
    if (stops && NoteStops::which != 0) {
        tell_failure(made ? Error{Code::Unavailable, "stopped by a signal"} : made.error(), whom,
                     {0, "interrupted", ""});
        stops.reset();
        ::raise(NoteStops::which);  // so that whoever waits for this sees how it ended
    }
    if (!made) {
        (void)complain(made.error(), whom);
        return kFailed;  // the command line was fine, what it names was not
    }
    for (const auto& one : native::list_templates(*paths)) {
        if (one.name != name) continue;
        if (as_json) {
            const json::object row{
                {"name", one.name}, {"bytes", one.bytes}, {"folder", made->folder}};
            std::printf("%s\n", json::serialize(json::object{{"template", row}}).c_str());
        }
        std::fprintf(stderr, "template %s is ready: %s in %s\n", name.c_str(),
                     core::format_bytes(one.bytes).c_str(), made->folder.c_str());
    }
    return 0;
}

int list_templates(bool as_json) {
    const auto paths = native::Paths::find();
    if (!paths) return complain(paths.error(), reader_of(as_json));
    const auto found = native::list_templates(*paths);
    if (as_json) {
        json::array rows;
        for (const auto& one : found) {
            json::object row{{"name", one.name},
                             {"built", one.built},
                             {"bytes", one.bytes},
                             {"description", one.description}};
            if (!one.built) row["problem"] = one.problem;
            rows.push_back(std::move(row));
        }
        std::printf("%s\n", json::serialize(json::object{{"templates", rows}}).c_str());
        return 0;
    }
    std::size_t width = 4;
    for (const auto& one : found) width = std::max(width, one.name.size());
    const auto usable =
        std::count_if(found.begin(), found.end(), [](const auto& one) { return one.built; });
    if (usable > 0)
        std::printf("%-*s  %10s  %s\n", static_cast<int>(width), "NAME", "SIZE", "DESCRIPTION");
    for (const auto& one : found) {
        // The table holds what can be used; scripts look for a name in it.
        if (!one.built) {
            std::fprintf(stderr, "atoll: %s\n", one.problem.c_str());
            continue;
        }
        std::printf("%-*s  %10s  %s\n", static_cast<int>(width), one.name.c_str(),
                    core::format_bytes(one.bytes).c_str(), one.description.c_str());
    }
    if (found.empty()) {
        std::fprintf(stderr, "no template is built; make one with: atoll template build default\n");
    }
    return 0;
}

int remove_templates(const std::vector<std::string>& names, bool as_json) {
    const For whom = reader_of(as_json);
    const auto paths = native::Paths::find();
    if (!paths) return complain(paths.error(), whom);
    // One that is not there is a slip, of which the others shall not be the victims.
    const std::set<std::string> wanted(names.begin(), names.end());
    if (wanted.size() > 1) {
        std::set<std::string> known;
        for (const auto& one : native::list_templates(*paths)) known.insert(one.name);
        for (const auto& name : wanted) {
            if (known.contains(name)) continue;
            return complain(
                {Code::NotFound, "template " + name + " does not exist; nothing was removed"},
                whom);
        }
    }
    int worst = 0;
    json::array removed;
    for (const auto& name : wanted) {
        if (auto gone = native::remove_template(*paths, name); gone) {
            removed.emplace_back(name);
        } else {
            worst = std::max(worst, complain(gone.error().during("remove"), whom));
            if (as_json) return worst;  // one object is all that a program reads
        }
    }
    if (as_json) {
        std::printf("%s\n", json::serialize(json::object{{"removed", removed}}).c_str());
    }
    return worst;
}

}  // namespace

void add_template_command(CLI::App& app, int& exit_code) {
    struct Options {
        std::string name, file;
        std::vector<std::string> names;
        bool replace_default = false;
        bool as_json = false;
    };
    const auto options = std::make_shared<Options>();  // lives as long as the callbacks below
    auto* command = app.add_subcommand("template", "Environments that sandboxes start from");
    command->require_subcommand(1);

    auto* build_command = command->add_subcommand("build", "Build or rebuild a template");
    build_command->add_option("name", options->name, "Its name")->required();
    build_command->add_option(
        "file", options->file,
        "JSON that says what is in it (docs/templates.md); default needs none");
    build_command->add_flag("--replace-default", options->replace_default,
                            "Replace the built-in default by what FILE says");
    build_command->add_flag("--json", options->as_json, "One JSON object at the end; also errors");
    build_command->callback([options, &exit_code] {
        exit_code = build(options->name, options->file, options->replace_default, options->as_json);
    });

    auto* list_command = command->add_subcommand("list", "Show the templates that are built");
    list_command->add_flag("--json", options->as_json,
                           "One JSON object instead of a table; also errors");
    list_command->callback([options, &exit_code] { exit_code = list_templates(options->as_json); });

    auto* remove_command = command->add_subcommand("rm", "Remove templates");
    remove_command->add_option("name", options->names, "Their names")->required();
    remove_command->add_flag("--json", options->as_json, "One JSON object; also errors");
    remove_command->callback(
        [options, &exit_code] { exit_code = remove_templates(options->names, options->as_json); });
}

}  // namespace atl::cli
