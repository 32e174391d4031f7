#include "cli/import_hint.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace atl::cli {

namespace fs = std::filesystem;

namespace {

// `helper` of the last "No module named 'helper.tools'". What a program prints is its own: a name
// that is none is not looked for.
std::string missing_module(const std::string& err) {
    constexpr std::string_view kBefore = "ModuleNotFoundError: No module named '";
    const auto at = err.rfind(kBefore);
    if (at == std::string::npos) return {};
    std::string name = err.substr(at + kBefore.size());
    name.resize(std::min(name.find_first_of("'.\n"), name.size()));
    const bool is_name = std::all_of(
        name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
    return is_name ? name : "";
}

}  // namespace

std::string import_hint(const std::string& script, const std::string& err,
                        const std::function<bool(const std::string&)>& exists) {
    const std::string module = missing_module(err);
    if (module.empty()) return {};
    const fs::path folder = fs::path(script).parent_path();
    std::string there;
    for (const auto& name : {module + ".py", module}) {
        if (exists((folder / name).string())) {
            there = name;
            break;
        }
    }
    if (there.empty()) return {};
    const std::string shown = folder.empty() ? "." : folder.string();
    return there +
           " is next to the script, but a run copies the script only; to take its folder "
           "along: atoll run -C " +
           shown + " " + fs::path(script).filename().string();
}

}  // namespace atl::cli
