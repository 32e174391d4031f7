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

Result<UniqueFd> open_own(const Layout& layout, const std::string& own) {
    const char* name = own.c_str();
    const std::string path = layout.path + "/" + name;
    if (::mkdirat(layout.root.get(), name, 0700) != 0 && errno != EEXIST) {
        return failure("make " + path, errno);
    }
    Opened opened;
    const int cause = open_folder(layout.root.get(), name, opened);
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

Result<Layout> open_layout(const std::string& path, const std::string& server) {
    auto full = full_path(path);
    if (!full) return full.error();
    Layout layout;
    layout.path = std::move(*full);
    std::error_code failed;
    fs::create_directories(fs::path(layout.path).parent_path(), failed);
    if (failed) return unusable(layout.path, "make the folder above it: " + failed.message());
    if (::mkdir(layout.path.c_str(), 0700) != 0 && errno != EEXIST) {
        return failure("make " + layout.path, errno);
    }
    // A link to a larger disk is its owner's choice; what it leads to is checked.
    layout.root = UniqueFd(::open(layout.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!layout.root) return failure("open " + layout.path, errno);
    auto closed = close_to_others(layout.root.get(), layout.path);
    if (!closed) return closed.error();
    if (!server.empty() && !is_session_name(server)) {
        return Error{Code::InvalidArgument, in_quotes(server) + " is not a server name"};
    }
    const std::string end = server.empty() ? "" : "-" + server;
    auto making = open_own(layout, ".making" + end);
    if (!making) return making.error();
    layout.making = std::move(*making);
    auto trash = open_own(layout, ".trash" + end);
    if (!trash) return trash.error();
    layout.trash = std::move(*trash);
    auto broken = open_own(layout, ".broken");
    if (!broken) return broken.error();
    layout.broken = std::move(*broken);
    return layout;
}

Result<std::vector<std::string>> gather_leftovers(const Layout& layout) {
    // By renames alone: they work on a full disk, which is when it matters.
    const auto unfinished = names_in(layout.making.get());
    if (!unfinished) return unfinished.error();
    for (const auto& name : *unfinished) {
        const std::string aside = with_random_end(name.substr(0, 128));
        if (::renameat(layout.making.get(), name.c_str(), layout.trash.get(), aside.c_str()) != 0) {
            return failure("clear " + layout.path + "/.making", errno);
        }
    }
    // What could not be removed once may be by now. What still cannot goes back there.
    const auto broken = names_in(layout.broken.get());
    if (!broken) return broken.error();
    for (const auto& name : *broken) {
        // Another server that shares the root may have been first.
        static_cast<void>(
            ::renameat(layout.broken.get(), name.c_str(), layout.trash.get(), name.c_str()));
    }
    return names_in(layout.trash.get());
}

}  // namespace atl::folders
