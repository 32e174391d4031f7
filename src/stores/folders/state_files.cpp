#include "stores/folders/state_files.hpp"

#include "stores/folders/hostile.hpp"
#include "stores/folders/names.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::folders {

namespace {

std::string unfinished(const std::string& name) { return ".new." + name; }

Result<void> check(const SessionId& id, const std::string& name) {
    auto checked = check_id(id);
    if (!checked) return checked;
    return check_state_name(name);
}

Error missing(const SessionId& id, const std::string& name) {
    return {Code::NotFound, "session " + id.text() + " has no state " + name};
}

Error replaced(const std::string& what) {
    return {Code::Conflict, what + ": another writer began it anew"};
}

// Gives an O_TMPFILE its first name. By /proc, since the other way takes a capability.
int link_nameless(int file, int folder, const std::string& name) {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return ::linkat(AT_FDCWD, path, folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

}  // namespace

Result<UniqueFd> StateFiles::folder_of(const SessionId& id) const {
    Opened folder;
    const int cause = open_folder(root_, state_folder_of(id).c_str(), folder);
    if (cause == ENOENT) return Error{Code::NotFound, "session " + id.text() + " has no state"};
    if (cause != 0) return failure("open the state of session " + id.text(), cause);
    return std::move(folder.fd);
}

Result<UniqueFd> StateFiles::begin(const SessionId& id, const std::string& name) {
    auto checked = check(id, name);
    if (!checked) return checked.error();
    struct stat info {};
    const std::string what = "write the state " + name + " of session " + id.text();
    const int cause =
        ::fstatat(root_, id.text().c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
    if (cause != 0 && cause != ENOENT) return failure(what, cause);
    if (cause != 0 || !S_ISDIR(info.st_mode)) {
        return Error{Code::NotFound, "session " + id.text() + " has no folders"};
    }
    if (::mkdirat(root_, state_folder_of(id).c_str(), 0700) != 0 && errno != EEXIST) {
        return failure(what, errno);
    }
    auto folder = folder_of(id);
    if (!folder) return folder.error();
    UniqueFd file(::openat(folder->get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file) return file;
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT) {
        return failure(what, errno);
    }
    const std::string under = unfinished(name);
    ::unlinkat(folder->get(), under.c_str(), 0);
    file = UniqueFd(::openat(folder->get(), under.c_str(),
                             O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return failure(what, errno);
    return file;
}

Result<void> StateFiles::finish(const SessionId& id, const std::string& name, UniqueFd written) {
    auto checked = check(id, name);
    if (!checked) return checked;
    const std::string what = "keep the state " + name + " of session " + id.text();
    const std::string under = unfinished(name);
    auto folder = folder_of(id);
    if (!folder) return folder.error().during(what);
    struct stat mine {};
    if (::fstat(written.get(), &mine) != 0) return failure(what, errno);
    // Its bytes before its name: the other way round a power cut could leave an empty file.
    if (::fsync(written.get()) != 0) return failure(what, errno);
    if (mine.st_nlink == 0) {
        ::unlinkat(folder->get(), under.c_str(), 0);
        const int cause = link_nameless(written.get(), folder->get(), under);
        if (cause == ENOENT) return replaced(what);  // it had a name, and another writer took it
        if (cause != 0) return failure(what, cause);
    } else {
        struct stat there {};
        if (::fstatat(folder->get(), under.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0 ||
            there.st_ino != mine.st_ino || there.st_dev != mine.st_dev) {
            return replaced(what);
        }
    }
    if (::renameat(folder->get(), under.c_str(), folder->get(), name.c_str()) != 0) {
        const int cause = errno;
        ::unlinkat(folder->get(), under.c_str(), 0);
        return failure(what, cause);
    }
    // The root as well: the folder of state may be new.
    if (::fsync(folder->get()) != 0 || ::fsync(root_) != 0) return failure(what, errno);
    return {};
}

Result<UniqueFd> StateFiles::open(const SessionId& id, const std::string& name) const {
    auto checked = check(id, name);
    if (!checked) return checked.error();
    auto folder = folder_of(id);
    if (!folder) return folder.error();
    Opened file;
    const int cause = open_file(folder->get(), name.c_str(), file);
    if (cause == ENOENT) return missing(id, name);
    if (cause != 0) return failure("open the state " + name + " of session " + id.text(), cause);
    return std::move(file.fd);
}

Result<std::vector<std::string>> StateFiles::list(const SessionId& id) const {
    std::vector<std::string> found;
    auto checked = check_id(id);
    if (!checked) return checked.error();
    auto folder = folder_of(id);
    if (!folder && folder.error().code == Code::NotFound) return found;
    if (!folder) return folder.error();
    Names names(folder->get());
    Names::Entry entry;
    while (true) {
        const int cause = names.next(entry);
        if (cause != 0) return failure("list the state of session " + id.text(), cause);
        if (entry.name == nullptr) break;
        if (is_state_name(entry.name)) found.emplace_back(entry.name);
    }
    std::sort(found.begin(), found.end());
    return found;
}

Result<std::uint64_t> StateFiles::bytes(const SessionId& id) const {
    const auto names = list(id);
    if (!names) return names.error();
    std::uint64_t bytes = 0;
    if (names->empty()) return bytes;
    auto folder = folder_of(id);
    if (!folder && folder.error().code == Code::NotFound) return bytes;
    if (!folder) return folder.error();
    for (const auto& name : *names) {
        struct stat info {};
        if (::fstatat(folder->get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
            if (errno == ENOENT) continue;  // replaced or removed since
            return failure("measure the state of session " + id.text(), errno);
        }
        bytes += bytes_on_disk(info);
    }
    return bytes;
}

Result<void> StateFiles::share(const SessionId& from, const SessionId& to) {
    const auto old = list(to);
    if (!old) return old.error();
    for (const auto& name : *old) {
        auto removed = remove(to, name);
        if (!removed) return removed;
    }
    const auto names = list(from);
    if (!names) return names.error();
    if (names->empty()) return {};
    const std::string what = "give session " + to.text() + " the state of " + from.text();
    auto source = folder_of(from);
    if (!source) return source.error().during(what);
    if (::mkdirat(root_, state_folder_of(to).c_str(), 0700) != 0 && errno != EEXIST) {
        return failure(what, errno);
    }
    auto target = folder_of(to);
    if (!target) return target.error().during(what);
    for (const auto& name : *names) {
        if (::linkat(source->get(), name.c_str(), target->get(), name.c_str(), 0) != 0) {
            return failure(what, errno);
        }
    }
    if (::fsync(target->get()) != 0 || ::fsync(root_) != 0) return failure(what, errno);
    return {};
}

Result<void> StateFiles::remove(const SessionId& id, const std::string& name) {
    auto checked = check(id, name);
    if (!checked) return checked;
    auto folder = folder_of(id);
    if (!folder && folder.error().code == Code::NotFound) return {};
    if (!folder) return folder.error();
    if (::unlinkat(folder->get(), name.c_str(), 0) != 0 && errno != ENOENT) {
        return failure("remove the state " + name + " of session " + id.text(), errno);
    }
    return {};
}

}  // namespace atl::folders
