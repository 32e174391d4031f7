#include "runtimes/native/template_folder.hpp"

#include "sys/files.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>
#include <vector>

namespace atl::native {

namespace fs = std::filesystem;

namespace {

constexpr int kBuildsMax = 1000;  // of one template, held by running sandboxes

std::string build_prefix(const std::string& name) { return ".built-" + name + "-"; }

// ".built-NAME-7" and no other: the name itself may hold dashes and digits.
bool is_build_of(const std::string& file, const std::string& name) {
    const auto prefix = build_prefix(name);
    return file.starts_with(prefix) && file.size() > prefix.size() &&
           std::all_of(file.begin() + static_cast<long>(prefix.size()), file.end(),
                       [](unsigned char c) { return c >= '0' && c <= '9'; });
}

Result<std::string> free_build_name(const Paths& paths, const std::string& name) {
    for (int number = 1; number <= kBuildsMax; ++number) {
        const std::string file = build_prefix(name) + std::to_string(number);
        std::error_code failed;
        if (!fs::exists(paths.templates() + "/" + file, failed)) return file;
    }
    return Error{Code::Exhausted,
                 "1000 builds of template " + name + " are still in use; end their sandboxes"};
}

}  // namespace

std::string current_build(const Paths& paths, const std::string& name) {
    std::error_code failed;
    const auto target = fs::read_symlink(paths.templates() + "/" + name, failed);
    if (failed || !is_build_of(target.string(), name)) return {};
    const std::string folder = paths.templates() + "/" + target.string();
    return fs::is_directory(folder, failed) ? folder : "";
}

std::string partial_folder(const Paths& paths, const std::string& name) {
    return paths.templates() + "/.partial-" + name;
}

Result<UniqueFd> lock_build(const Paths& paths, const std::string& name) {
    const std::string path = paths.run + "/template-" + name + ".lock";
    UniqueFd lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock) return sys::errno_error("open the lock " + path, Code::Unavailable);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno == EWOULDBLOCK) {
        return Error{Code::Conflict, "template " + name +
                                         " is being built or removed by another process; wait "
                                         "until that is done"};
    }
    return sys::errno_error("lock " + path);
}

UniqueFd lock_use(const std::string& folder, int how) {
    UniqueFd lock(::open((folder + "/" + kBuiltFile).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!lock || ::flock(lock.get(), how | LOCK_NB) != 0) return {};
    return lock;
}

Result<void> publish(const Paths& paths, const std::string& name) {
    const auto file = free_build_name(paths, name);
    if (!file) return file.error();
    const std::string folder = paths.templates() + "/" + *file;
    const std::string link = paths.templates() + "/" + name;
    const std::string fresh = paths.templates() + "/.link-" + name;
    if (::rename(partial_folder(paths, name).c_str(), folder.c_str()) != 0) {
        return sys::errno_error("move the build to " + folder);
    }
    ::unlink(fresh.c_str());  // of a build that was killed between the next two calls
    if (::symlink(file->c_str(), fresh.c_str()) == 0 &&
        ::rename(fresh.c_str(), link.c_str()) == 0) {
        return {};
    }
    auto error = sys::errno_error("make " + link + " the current build");
    ::unlink(fresh.c_str());
    return error;
}

Result<void> withdraw(const Paths& paths, const std::string& name) {
    const std::string link = paths.templates() + "/" + name;
    if (::unlink(link.c_str()) != 0 && errno != ENOENT) return sys::errno_error("remove " + link);
    return {};
}

void sweep(const Paths& paths, const std::string& name) {
    std::error_code failed;
    fs::remove_all(partial_folder(paths, name), failed);
    const auto current = current_build(paths, name);
    std::vector<std::string> builds;
    for (fs::directory_iterator at(paths.templates(), failed), end; !failed && at != end;
         at.increment(failed)) {
        if (is_build_of(at->path().filename().string(), name)) builds.push_back(at->path());
    }
    for (const auto& folder : builds) {
        if (folder == current) continue;
        // One without the file was half removed by an earlier sweep; nobody can be using it.
        const bool complete = fs::exists(folder + "/" + kBuiltFile, failed);
        const auto alone = lock_use(folder, LOCK_EX);
        if (complete && !alone) continue;
        fs::remove_all(folder, failed);
    }
}

}  // namespace atl::native
