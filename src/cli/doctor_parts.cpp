// The doctor on Atoll's own parts, and on programs beside it that it can use.
#include "cli/doctor_groups.hpp"

#include "runtimes/native/template.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace atl::cli {

namespace fs = std::filesystem;

namespace {

using Status = Check::Status;

Check python() {
    std::error_code failed;
    const auto real = fs::canonical(native::system_python(), failed);
    if (!failed) return {"Parts", "Python", Status::Ok, real.string(), "", ""};
    return {"Parts",
            "Python",
            Status::Fail,
            "there is no /usr/bin/python3, nor one in /usr/local/bin",
            "no template can be built or used",
            "apt install python3"};
}

Check installer() {
    const auto uv = native::find_uv();
    if (uv) return {"Parts", "uv", Status::Ok, *uv, "", ""};
    return {"Parts",
            "uv",
            Status::Warn,
            "missing",
            "templates can be used but not built",
            "pip install uv, in a checkout ./scripts/setup, or name one with ATOLL_UV"};
}

Check default_template(const native::Paths& paths) {
    const auto made = native::Template::load(paths, "default");
    if (made) return {"Parts", "template default", Status::Ok, made->folder, "", ""};
    return {"Parts",
            "template default",
            Status::Warn,
            made.error().message,
            "the first `atoll serve` or `atoll run` waits until it is built",
            "atoll template build default"};
}

Check typescript(const native::Paths& paths) {
    const std::string bun = paths.guest + "/typescript/bun";
    if (::access(bun.c_str(), X_OK) == 0) return {"Parts", "TypeScript", Status::Ok, bun, "", ""};
    return {"Parts",          "TypeScript", Status::Warn, "missing", "TypeScript cannot be run",
            "./scripts/build"};
}

bool names_cjk_font(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::array kMarks = {"cjk", "sourcehan", "wqy", "droidsansfallback"};
    return std::any_of(kMarks.begin(), kMarks.end(),
                       [&](const char* mark) { return name.find(mark) != std::string::npos; });
}

Check fonts() {
    std::error_code failed;
    for (fs::recursive_directory_iterator at("/usr/share/fonts", failed), end; !failed && at != end;
         at.increment(failed)) {
        if (names_cjk_font(at->path().filename().string())) {
            return {"Parts", "fonts for CJK text", Status::Ok, at->path().string(), "", ""};
        }
    }
    return {"Parts",
            "fonts for CJK text",
            Status::Warn,
            "none in /usr/share/fonts",
            "Chinese, Japanese and Korean text in plots shows as boxes",
            "apt install fonts-noto-cjk, then atoll template build default"};
}

Check program(const char* name, std::initializer_list<const char*> commands, const char* cost,
              const char* fix) {
    for (const char* command : commands) {
        if (const auto path = program_on_path(command); !path.empty()) {
            return {"Neighbours", name, Status::Ok, path, "", ""};
        }
    }
    return {"Neighbours", name, Status::Warn, "not installed", cost, fix};
}

}  // namespace

std::string program_on_path(const std::string& name) {
    const char* path = std::getenv("PATH");
    std::string folders = path == nullptr ? "" : path;
    while (!folders.empty()) {
        const auto colon = folders.find(':');
        const std::string candidate = folders.substr(0, colon) + "/" + name;
        std::error_code failed;
        if (candidate.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0 &&
            fs::is_regular_file(candidate, failed)) {
            return candidate;
        }
        folders = colon == std::string::npos ? "" : folders.substr(colon + 1);
    }
    return {};
}

Checks examine_parts(const std::optional<native::Paths>& paths, const std::string& why_not) {
    Checks checks{python(), installer()};
    if (!paths) {
        checks.push_back({"Parts", "guest files and data folder", Status::Fail, why_not,
                          "no sandboxes", "./scripts/build, or ATOLL_DATA_DIR"});
    } else {
        checks.push_back({"Parts", "guest files", Status::Ok, paths->guest, "", ""});
        for (const char* file : {"/atoll-guest", "/libatoll_guest.so", "/python/atoll_guest"}) {
            std::error_code failed;
            if (fs::exists(paths->guest + file, failed)) continue;
            checks.back() = {"Parts",        "guest files",
                             Status::Fail,   paths->guest + file + " is missing",
                             "no sandboxes", "./scripts/build"};
            break;
        }
        checks.push_back(default_template(*paths));
        checks.push_back(typescript(*paths));
    }
    checks.push_back(fonts());
    return checks;
}

Checks examine_neighbours() {
    return {program("Node", {"node", "nodejs"},
                    "programs that ask for node do not run; TypeScript has a runtime of its own",
                    "apt install nodejs"),
            program("Chromium", {"chromium", "chromium-browser", "google-chrome"},
                    "no browser for sandboxes", "apt install chromium")};
}

}  // namespace atl::cli
