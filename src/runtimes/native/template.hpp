#pragma once
// A template: what sandboxes start from, as a folder <data>/templates/<name>.
//
//     template.json   what was asked for: packages, preload, trees, environment
//     env/            the Python environment (a relocatable venv, bytecode compiled)
//     cache/          what would be slow to make in each sandbox: the list of fonts
//     etc/            matplotlibrc: fonts with CJK glyphs
//     built.json      written last: a folder without it is half-made and not used
//
// Building needs the network's package index and `uv`; using one needs neither. That, and nothing
// else of Atoll, downloads: at `atoll template build`, and at a first start without a `default`.
// Owns      the folders below <data>/templates (template_folder.hpp says how they lie there).
// Trusts    the host's user, who names packages and trees. Code of a package does not run as root,
//           unless that user asks for source builds.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "runtimes/native/paths.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace atl::native {

struct Template {
    std::string name;
    std::string description;
    std::vector<std::string> packages;     // as pip takes them
    std::vector<std::string> constraints;  // versions for indirect dependencies
    bool source_builds = false;        // may run packages' own build scripts, outside of every wall
    std::vector<std::string> preload;  // modules that the zygote imports
    std::map<std::string, std::string> environment;
    struct ExtraTree {
        std::string source, target;
    };
    std::vector<ExtraTree> trees;  // read-only
    std::string folder;
    std::string font_cache;  // name of the file in cache/, or empty
    // A shared lock for as long as any copy of a loaded template lives: neither `rm` nor a rebuild
    // takes files away from below running sandboxes. Shared, because copies are one use.
    std::shared_ptr<const UniqueFd> in_use;

    [[nodiscard]] std::string python() const { return folder + "/env/bin/python"; }

    // A built one, ready for use; NotFound with what to do about it otherwise.
    [[nodiscard]] static Result<Template> load(const Paths& paths, const std::string& name);
    // What a file says, or the built-in `default` when it is empty.
    [[nodiscard]] static Result<Template> parse(const std::string& name, const std::string& text);
    [[nodiscard]] static const char* builtin_default();
};

struct TemplateStatus {
    std::string name;
    bool built = false;
    std::uint64_t bytes = 0;
    std::string description;
    std::string problem;  // why it cannot be used, when it cannot
};
[[nodiscard]] std::vector<TemplateStatus> list_templates(const Paths& paths);
// Conflict while sandboxes run from it.
[[nodiscard]] Result<void> remove_template(const Paths& paths, const std::string& name);

// The Python that templates are made with: the system's, or the one below /usr/local, as container
// images have it. Empty if there is none: sandboxes see /usr and nothing of anybody's home.
[[nodiscard]] std::string system_python();
// The program that installs packages: ATOLL_UV, the one beside this checkout, the one that was
// installed with this program, or one on PATH.
[[nodiscard]] Result<std::string> find_uv();

// Hears of a build, on the thread that builds.
struct BuildListener {
    std::function<void(const std::string& sentence)> step;
    std::function<void()> still = [] {};  // ten times a second or more, while a step goes on
};
// Half-made folders are removed on failure, and when a signal asks the process to end; a build of
// the same name that exists is replaced at the very end.
[[nodiscard]] Result<Template> build_template(const Paths& paths, const Template& wanted,
                                              const std::string& text,
                                              const BuildListener& listener);
// Builds `default` as it is built in, if this user has none. Of several processes that come at the
// same time one builds, and the others wait for it. Blocks; a stop signal ends the wait.
[[nodiscard]] Result<void> build_missing_default(const Paths& paths, const BuildListener& listener);

}  // namespace atl::native
