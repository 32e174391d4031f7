#include "runtimes/native/paths.hpp"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace atl::native {

namespace fs = std::filesystem;

namespace {

std::string text_of(const char* variable) {
    const char* value = std::getenv(variable);
    return value == nullptr ? "" : value;
}

std::string default_data() {
    if (::geteuid() == 0) return "/var/lib/atoll";
    if (const auto xdg = text_of("XDG_DATA_HOME"); !xdg.empty()) return xdg + "/atoll";
    const auto home = text_of("HOME");
    return (home.empty() ? "/tmp/atoll-" + std::to_string(::geteuid())
                         : home + "/.local/share/atoll");
}

}  // namespace

std::string Paths::data_folder() {
    std::error_code failed;
    const auto set = text_of("ATOLL_DATA_DIR");
    return fs::absolute(set.empty() ? default_data() : set, failed).lexically_normal().string();
}

Result<Paths> Paths::find() {
    Paths paths;
    std::error_code failed;
    paths.data = data_folder();
    paths.run = paths.data + "/run";
    for (const auto& folder : {paths.templates(), paths.run}) {
        fs::create_directories(folder, failed);
        if (failed) {
            return Error{Code::Unavailable, "make the folder " + folder + ": " + failed.message() +
                                                " (set ATOLL_DATA_DIR to use another folder)"};
        }
    }
    const auto binary = fs::read_symlink("/proc/self/exe", failed);
    if (failed) return Error{Code::Internal, "find this program's own file: " + failed.message()};
    // Beside the binary in a build folder; under lib/atoll in an installed tree.
    for (const auto& candidate :
         {binary.parent_path() / "guest", binary.parent_path().parent_path() / "guest",
          binary.parent_path().parent_path() / "lib" / "atoll" / "guest"}) {
        if (fs::exists(candidate / "atoll-guest", failed)) {
            paths.guest = candidate.string();
            break;
        }
    }
    if (paths.guest.empty()) {
        return Error{Code::Unavailable, "the guest's files are missing beside " + binary.string() +
                                            "; build them with ./scripts/build"};
    }
    // Sandboxes of root run them as other users, who cannot if pip ran with a strict umask.
    const auto mode = fs::status(paths.guest + "/atoll-guest", failed).permissions();
    constexpr auto kForAll = fs::perms::others_read | fs::perms::others_exec;
    if (::geteuid() == 0 && (mode & kForAll) != kForAll) {
        return Error{Code::Unavailable, "sandboxes cannot read " + paths.guest +
                                            "; allow it with: chmod -R a+rX " + paths.guest};
    }
    return paths;
}

}  // namespace atl::native
