#include "stores/folders/layout.hpp"

#include "stores/folders/hostile.hpp"
#include "stores/folders/names.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace atl::folders {

namespace fs = std::filesystem;

namespace {

Error unusable(const std::string& path, const std::string& why) {
    return {Code::Unavailable, "sessions cannot be kept in " + path + ": " + why};
}

Result<std::string> full_path(const std::string& path) {
    std::error_code failed;
    std::string full = fs::absolute(path, failed).lexically_normal().string();
    while (full.size() > 1 && full.back() == '/') full.pop_back();
    if (path.empty() || failed || full == "/") {
        return Error{Code::InvalidArgument, in_quotes(path) + " is not a folder for sessions"};
    }
    return full;
}

Result<void> close_to_others(int root, const std::string& path) {
    struct stat info {};
    if (::fstat(root, &info) != 0) return failure("look at " + path, errno);
    if (info.st_uid != ::geteuid()) {
        return unusable(path, "it belongs to user " + std::to_string(info.st_uid) +
                                  ", and the server runs as user " + std::to_string(::geteuid()));
    }
    if ((info.st_mode & 0022) != 0) {
        return unusable(path,
                        "other users may write to it; if it holds nothing of theirs, "
                        "chmod go-w it");
    }
    if ((info.st_mode & 07777) != 0700 && ::fchmod(root, 0700) != 0) {
        return failure("close " + path + " to other users", errno);
    }
    return {};
}

Result<UniqueFd> open_own(const Places& places, const std::string& own) {
    const char* name = own.c_str();
    const std::string path = places.path + "/" + name;
    if (::mkdirat(places.root.get(), name, 0700) != 0 && errno != EEXIST) {
        return failure("make " + path, errno);
    }
    Opened opened;
    const int cause = open_folder(places.root.get(), name, opened);
    if (cause != 0) return failure("open " + path, cause);
    auto closed = close_to_others(opened.fd.get(), path);
    if (!closed) return closed.error();
    return std::move(opened.fd);
}

Result<std::vector<std::string>> names_in(int folder) {
    std::vector<std::string> found;
    Names names(folder);
    Names::Entry entry;
    while (true) {
        const int cause = names.next(entry);
        if (cause != 0) return failure("read the folders of sessions", cause);
        if (entry.name == nullptr) return found;
        found.emplace_back(entry.name);
    }
}

}  // namespace

Result<Places> open_places(const std::string& path, const std::string& server) {
    auto full = full_path(path);
    if (!full) return full.error();
    Places places;
    places.path = std::move(*full);
    std::error_code failed;
    fs::create_directories(fs::path(places.path).parent_path(), failed);
    if (failed) return unusable(places.path, "make the folder above it: " + failed.message());
    if (::mkdir(places.path.c_str(), 0700) != 0 && errno != EEXIST) {
        return failure("make " + places.path, errno);
    }
    // A link to a larger disk is its owner's choice; what it leads to is checked.
    places.root = UniqueFd(::open(places.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!places.root) return failure("open " + places.path, errno);
    auto closed = close_to_others(places.root.get(), places.path);
    if (!closed) return closed.error();
    if (!server.empty() && !is_session_name(server)) {
        return Error{Code::InvalidArgument, in_quotes(server) + " is not a server name"};
    }
    const std::string end = server.empty() ? "" : "-" + server;
    auto making = open_own(places, ".making" + end);
    if (!making) return making.error();
    places.making = std::move(*making);
    auto trash = open_own(places, ".trash" + end);
    if (!trash) return trash.error();
    places.trash = std::move(*trash);
    auto broken = open_own(places, ".broken");
    if (!broken) return broken.error();
    places.broken = std::move(*broken);
    return places;
}

Result<std::vector<std::string>> gather_leftovers(const Places& places) {
    // By renames alone: they work on a full disk, which is when it matters.
    const auto unfinished = names_in(places.making.get());
    if (!unfinished) return unfinished.error();
    for (const auto& name : *unfinished) {
        const std::string aside = with_random_end(name.substr(0, 128));
        if (::renameat(places.making.get(), name.c_str(), places.trash.get(), aside.c_str()) != 0) {
            return failure("clear " + places.path + "/.making", errno);
        }
    }
    // What could not be removed once may be by now. What still cannot goes back there.
    const auto broken = names_in(places.broken.get());
    if (!broken) return broken.error();
    for (const auto& name : *broken) {
        // Another server that shares the root may have been first.
        static_cast<void>(
            ::renameat(places.broken.get(), name.c_str(), places.trash.get(), name.c_str()));
    }
    return names_in(places.trash.get());
}

}  // namespace atl::folders
