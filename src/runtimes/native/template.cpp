#include "runtimes/native/template.hpp"

#include "core/spec.hpp"
#include "runtimes/native/template_folder.hpp"
#include "sys/files.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cctype>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/file.h>

namespace atl::native {

namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

constexpr std::size_t kFileBytesMax = 1u << 20;  // it is written by hand
constexpr std::size_t kEntriesMax = 1000;        // of one list: all of them go on one command line
constexpr std::size_t kTreesMax = 100;           // each is mounted in every sandbox
constexpr std::size_t kEnvironmentBytesMax = 64 * 1024;
constexpr std::size_t kEntryBytesMax = 4096;

Error invalid(const std::string& where, const std::string& what) {
    return {Code::InvalidArgument, where + ": " + what};
}

const char* kind_name(json::kind kind) {
    switch (kind) {
        case json::kind::null: return "null";
        case json::kind::bool_: return "a boolean";
        case json::kind::string: return "a string";
        case json::kind::array: return "a list";
        case json::kind::object: return "an object";
        default: return "a number";
    }
}

Error wrong_kind(const std::string& where, const char* wanted, const json::value& found) {
    return invalid(where, std::string("must be ") + wanted + ", not " + kind_name(found.kind()));
}

Result<std::string> text_in(const json::value& value, const std::string& where) {
    if (!value.is_string()) return wrong_kind(where, "a string", value);
    const std::string text(value.get_string());
    if (text.size() > kEntryBytesMax) return invalid(where, "is longer than 4096 bytes");
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::iscntrl(c); })) {
        return invalid(where, "contains a control character");
    }
    return text;
}

Result<std::vector<std::string>> texts_in(const json::value& value, const std::string& where) {
    if (!value.is_array()) return wrong_kind(where, "a list of strings", value);
    const auto& entries = value.get_array();
    if (entries.size() > kEntriesMax) return invalid(where, "has more than 1000 entries");
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const std::string here = where + "[" + std::to_string(i) + "]";
        auto text = text_in(entries[i], here);
        if (!text) return text.error();
        if (text->find_first_not_of(' ') == std::string::npos) return invalid(here, "is empty");
        texts.push_back(*text);
    }
    return texts;
}

Result<const json::object*> object_in(const json::value& value, const std::string& where,
                                      std::initializer_list<std::string_view> known) {
    if (!value.is_object()) return wrong_kind(where, "an object", value);
    const auto& object = value.get_object();
    const std::string prefix = where == "the file" ? "" : where + ".";
    for (const auto& member : object) {
        const std::string_view name(member.key());
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        std::string names;
        for (const auto one : known) names += (names.empty() ? "" : ", ") + std::string(one);
        return invalid(prefix + std::string(name), "unknown key; known here: " + names);
    }
    return &object;
}

// One requirement. They become arguments of the installer: one that begins with a dash would be an
// option, and a relative path would mean another file in each folder.
Result<void> check_package(const std::string& package, const std::string& where) {
    const char first = package.front();
    if (first == '-') {
        return invalid(where, "\"" + package + "\" looks like an option; name a package");
    }
    if (!std::isalnum(static_cast<unsigned char>(first))) {
        return invalid(where, "\"" + package +
                                  "\" is no package; write name, name==1.2, or "
                                  "name @ file:///absolute/path.whl");
    }
    return {};
}

bool is_identifier(std::string_view word) {
    if (word.empty() || std::isdigit(static_cast<unsigned char>(word.front()))) return false;
    return std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) || c == '_' || c >= 0x80;  // Python takes letters of all scripts
    });
}

Result<void> check_module(const std::string& module, const std::string& where) {
    std::size_t begin = 0;
    for (;;) {
        const auto dot = module.find('.', begin);
        const auto end = dot == std::string::npos ? module.size() : dot;
        if (!is_identifier(std::string_view(module).substr(begin, end - begin))) {
            return invalid(where, "\"" + module + "\" is no module name");
        }
        if (dot == std::string::npos) return {};
        begin = dot + 1;
    }
}

// What the walls mount stays theirs: a tree over /usr or /proc would undo one. Below /data, /work
// and /session a tree would be hidden by the session's own folders.
Result<void> check_target(const std::string& target, const std::string& where) {
    const fs::path path(target);
    if (!path.is_absolute() || path.lexically_normal() != path || target.ends_with('/')) {
        return invalid(where, "\"" + target +
                                  "\" must be a plain absolute path, without . or .. or a / at "
                                  "the end");
    }
    const auto at_or_below = [&](const std::string& folder) {
        return target == folder || target.starts_with(folder + "/");
    };
    const bool allowed = at_or_below("/srv") || target.starts_with("/opt/");
    if (!allowed || at_or_below("/opt/atoll")) {
        return invalid(where, "\"" + target +
                                  "\" is not free; choose a place at or below /srv, or below /opt "
                                  "(not /opt/atoll)");
    }
    return {};
}

Result<void> read_python(Template& into, const json::value& value) {
    auto python =
        object_in(value, "python", {"packages", "constraints", "preload", "source_builds"});
    if (!python) return python.error();
    struct List {
        const char* key;
        std::vector<std::string>& into;
        bool modules;
    };
    for (const auto& list :
         {List{"packages", into.packages, false}, List{"constraints", into.constraints, false},
          List{"preload", into.preload, true}}) {
        const json::value* found = (*python)->if_contains(list.key);
        if (found == nullptr) continue;
        const std::string where = std::string("python.") + list.key;
        auto texts = texts_in(*found, where);
        if (!texts) return texts.error();
        for (std::size_t i = 0; i < texts->size(); ++i) {
            const std::string here = where + "[" + std::to_string(i) + "]";
            auto good =
                list.modules ? check_module((*texts)[i], here) : check_package((*texts)[i], here);
            if (!good) return good.error();
        }
        list.into = std::move(*texts);
    }
    if (const json::value* builds = (*python)->if_contains("source_builds")) {
        if (!builds->is_bool()) return wrong_kind("python.source_builds", "true or false", *builds);
        into.source_builds = builds->get_bool();
    }
    return {};
}

Result<void> read_trees(Template& into, const json::value& value) {
    if (!value.is_array()) return wrong_kind("trees", "a list of objects", value);
    if (value.get_array().size() > kTreesMax) {
        return invalid("trees", "has more than " + std::to_string(kTreesMax) + " entries");
    }
    std::set<std::string> taken;
    for (std::size_t i = 0; i < value.get_array().size(); ++i) {
        const std::string here = "trees[" + std::to_string(i) + "]";
        auto tree = object_in(value.get_array()[i], here, {"source", "target"});
        if (!tree) return tree.error();
        std::array<std::string, 2> ends;
        for (std::size_t end = 0; end < 2; ++end) {
            const char* key = end == 0 ? "source" : "target";
            const json::value* found = (*tree)->if_contains(key);
            if (found == nullptr) return invalid(here + "." + key, "is missing");
            auto text = text_in(*found, here + "." + key);
            if (!text) return text.error();
            ends.at(end) = *text;
        }
        if (!ends[0].starts_with('/')) {
            return invalid(here + ".source", "\"" + ends[0] + "\" must be an absolute path");
        }
        if (auto good = check_target(ends[1], here + ".target"); !good) return good.error();
        if (!taken.insert(ends[1]).second) {
            return invalid(here + ".target", "\"" + ends[1] + "\" is named twice");
        }
        into.trees.push_back({ends[0], ends[1]});
    }
    return {};
}

Result<void> read_environment(Template& into, const json::value& value) {
    if (!value.is_object()) return wrong_kind("env", "an object", value);
    for (const auto& member : value.get_object()) {
        const std::string name(member.key());
        const std::string where = "env." + name;
        if (!is_identifier(name)) {
            return invalid(where, "is not a variable name; use letters, digits and _");
        }
        // The guest reads these to find its own parts.
        if (name.starts_with("ATOLL_")) {
            return invalid(where, "names that begin with ATOLL_ are taken");
        }
        auto text = text_in(member.value(), where);
        if (!text) return text.error();
        into.environment[name] = *text;
    }
    // A zygote is told them in one message, with other things.
    if (core::environment_bytes(into.environment) > kEnvironmentBytesMax) {
        return invalid("env", "is larger than 65536 bytes, names and values together");
    }
    return {};
}

Result<json::value> parse_json(const std::string& text) {
    json::stream_parser parser;
    json::error_code failed;
    const std::size_t used = parser.write_some(text, failed);
    if (!failed && !parser.done()) parser.finish(failed);
    const bool rest = !failed && text.find_first_not_of(" \t\r\n", used) != std::string::npos;
    if (!failed && !rest && parser.done()) return parser.release();
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(used), '\n');
    const std::string why = failed ? failed.message() : "there is text after the end";
    return Error{Code::InvalidArgument, "no valid JSON, line " + std::to_string(line) + ": " + why};
}

std::string names_of_built(const Paths& paths) {
    std::string names;
    for (const auto& one : list_templates(paths)) {
        if (one.built) names += (names.empty() ? "" : ", ") + one.name;
    }
    return names;
}

std::string how_to_build(const std::string& name) {
    return "atoll template build " + name + (name == "default" ? "" : " FILE");
}

Error unknown_template(const Paths& paths, const std::string& name) {
    const auto built = names_of_built(paths);
    return {Code::NotFound, "template " + name + " does not exist (" +
                                (built.empty() ? "none is built" : "built: " + built) + ")"};
}

Error missing_template(const Paths& paths, const std::string& name) {
    auto error = unknown_template(paths, name);
    error.message += "; build it with: " + how_to_build(name);
    return error;
}

Error broken_template(const std::string& name, const std::string& why) {
    return {Code::Unavailable,
            "template " + name + " " + why + "; build it again with: " + how_to_build(name)};
}

// The environment points at the host's own Python. A host that moved to the next version of it has
// taken the ground from under the packages.
Result<void> check_python(const Template& made, const json::object& built) {
    std::error_code failed;
    const auto python = fs::canonical(made.python(), failed);
    if (failed) return broken_template(made.name, "has lost its Python (" + made.python() + ")");
    const json::value* recorded = built.if_contains("python");
    if (recorded == nullptr || !recorded->is_string() ||
        recorded->get_string() != python.string()) {
        return broken_template(made.name,
                               "was built for another Python than this host's " + python.string());
    }
    return {};
}

Result<void> check_trees(const Template& made) {
    for (const auto& tree : made.trees) {
        std::error_code failed;
        if (fs::exists(tree.source, failed)) continue;
        return Error{Code::NotFound, "template " + made.name + " shows " + tree.source + " at " +
                                         tree.target + ", but " + tree.source +
                                         " does not exist on this host"};
    }
    return {};
}

// Everything about a built template that can be said without using it.
Result<Template> open_template(const Paths& paths, const std::string& name, json::object& built) {
    const std::string folder = current_build(paths, name);
    if (folder.empty()) return missing_template(paths, name);
    const auto record = sys::read_small_file(folder + "/" + kBuiltFile);
    if (!record) return broken_template(name, "is half-built");
    const auto text = sys::read_small_file(folder + "/" + kAskedFile);
    if (!text || text->empty()) {
        return broken_template(name, std::string("has lost its ") + kAskedFile);
    }
    auto made = Template::parse(name, *text);
    if (!made) return broken_template(name, "cannot be read (" + made.error().message + ")");
    auto parsed = parse_json(*record);
    if (!parsed || !parsed->is_object()) return broken_template(name, "is damaged");
    built = parsed->get_object();
    made->folder = folder;
    if (const json::value* fonts = built.if_contains("font_cache"); fonts && fonts->is_string()) {
        made->font_cache = fonts->get_string();
    }
    std::error_code failed;
    for (const char* part : {"cache", "etc"}) {
        if (!fs::is_directory(folder + "/" + part, failed)) {
            return broken_template(name, std::string("has lost its folder ") + part);
        }
    }
    if (auto good = check_python(*made, built); !good) return good.error();
    return made;
}

}  // namespace

Result<Template> Template::parse(const std::string& name, const std::string& text) {
    // The same rule as for whoever asks for a template by name.
    if (auto good = core::SpecBuilder().from_template(name).build(); !good) return good.error();
    if (text.size() > kFileBytesMax) return invalid("the file", "is larger than 1 MiB");
    auto value = parse_json(text.empty() ? builtin_default() : text);
    if (!value) return value.error();
    auto file = object_in(*value, "the file", {"description", "python", "trees", "env"});
    if (!file) return file.error();

    Template made;
    made.name = name;
    if (const json::value* found = (*file)->if_contains("description")) {
        auto description = text_in(*found, "description");
        if (!description) return description.error();
        made.description = *description;
    }
    struct Part {
        const char* key;
        Result<void> (*read)(Template&, const json::value&);
    };
    for (const auto& part :
         {Part{"python", read_python}, Part{"trees", read_trees}, Part{"env", read_environment}}) {
        const json::value* found = (*file)->if_contains(part.key);
        if (found == nullptr) continue;
        if (auto good = part.read(made, *found); !good) return good.error();
    }
    return made;
}

Result<Template> Template::load(const Paths& paths, const std::string& name) {
    if (auto good = core::SpecBuilder().from_template(name).build(); !good) return good.error();
    // A rebuild may replace and remove what was just found, before the lock says that it is in use.
    for (int attempt = 0; attempt < 3; ++attempt) {
        json::object built;
        auto made = open_template(paths, name, built);
        if (!made) return made;
        if (auto good = check_trees(*made); !good) return good.error();
        auto lock = lock_use(made->folder, LOCK_SH);
        if (!lock || made->folder != current_build(paths, name)) continue;
        made->in_use = std::make_shared<const UniqueFd>(std::move(lock));
        return made;
    }
    return Error{Code::Unavailable, "template " + name + " is being replaced; try again"};
}

std::vector<TemplateStatus> list_templates(const Paths& paths) {
    std::vector<TemplateStatus> found;
    std::error_code failed;
    for (fs::directory_iterator at(paths.templates(), failed), end; !failed && at != end;
         at.increment(failed)) {
        TemplateStatus status;
        status.name = at->path().filename().string();
        if (status.name.starts_with('.') || current_build(paths, status.name).empty()) continue;
        json::object built;
        if (auto made = open_template(paths, status.name, built); made) {
            status.built = true;
            status.description = made->description;
        } else {
            status.problem = made.error().message;
        }
        if (const json::value* bytes = built.if_contains("bytes"); bytes && bytes->is_number()) {
            status.bytes = bytes->to_number<std::uint64_t>();
        }
        found.push_back(std::move(status));
    }
    std::sort(found.begin(), found.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return found;
}

Result<void> remove_template(const Paths& paths, const std::string& name) {
    if (auto good = core::SpecBuilder().from_template(name).build(); !good) return good.error();
    const auto building = lock_build(paths, name);
    if (!building) return building.error();
    const auto folder = current_build(paths, name);
    if (folder.empty()) {
        sweep(paths, name);  // a build that was killed leaves no template, but its folder can go
        return unknown_template(paths, name);
    }
    const std::string record = folder + "/" + kBuiltFile;
    std::error_code failed;
    if (const auto alone = lock_use(folder, LOCK_EX); !alone && fs::exists(record, failed)) {
        return Error{
            Code::Conflict,
            "template " + name +
                " is in use by running sandboxes, or by a server that keeps it ready for a "
                "minute after the last one (`default`: until the server stops)"};
    }
    if (auto gone = withdraw(paths, name); !gone) return gone;
    sweep(paths, name);
    return {};
}

const char* Template::builtin_default() {
    return R"json({
  "description": "Python for data work: tables, numbers, plots, spreadsheets",
  "python": {
    "packages": [
      "ipython==9.18.1",
      "cloudpickle==3.1.2",
      "pandas==3.1.1",
      "numpy==2.4.6",
      "matplotlib==3.11.2",
      "seaborn==0.13.2",
      "scipy==1.17.1",
      "scikit-learn==1.9.1",
      "pyarrow==26.0.1",
      "openpyxl==3.1.5",
      "pillow==13.0.0",
      "requests==2.34.2",
      "plotly==7.1.0",
      "nbformat==5.11.1",
      "altair==6.3.0",
      "pip==26.3"
    ],
    "constraints": [
      "asttokens==3.0.2", "attrs==26.1.0", "certifi==2026.10.18", "charset-normalizer==3.5.2",
      "contourpy==1.3.3", "cycler==0.12.1", "et-xmlfile==2.0.0", "executing==2.3.0",
      "fastjsonschema==2.22.3", "fonttools==4.68.0", "idna==3.20",
      "ipython-pygments-lexers==1.1.1", "jedi==0.20.1", "jinja2==3.1.6", "joblib==1.6.0",
      "jsonschema==4.26.0", "jsonschema-specifications==2025.9.1", "jupyter-core==5.9.1",
      "kiwisolver==1.5.1", "markupsafe==3.0.4", "matplotlib-inline==0.2.2", "narwhals==2.28.0",
      "packaging==26.3", "parso==0.8.7", "pexpect==4.9.0", "platformdirs==4.14.5",
      "prompt-toolkit==3.0.53", "psutil==7.2.2", "ptyprocess==0.7.0", "pure-eval==0.2.4",
      "pygments==2.21.0", "pyparsing==3.3.3", "python-dateutil==4.0.0", "referencing==0.37.0",
      "rpds-py==2026.9.1", "stack-data==0.6.3", "threadpoolctl==3.8.0", "traitlets==5.16.1",
      "typing-extensions==4.16.0", "tzdata==2026.6", "urllib3==2.8.0", "wcwidth==0.9.4"
    ],
    "preload": [
      "IPython", "numpy", "pandas", "matplotlib", "matplotlib.pyplot", "seaborn", "scipy.stats",
      "sklearn"
    ]
  }
}
)json";
}

}  // namespace atl::native
