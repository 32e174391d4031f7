#include "guest/archive/pack.hpp"

#include "guest/archive/beneath.hpp"
#include "guest/archive/entry_name.hpp"
#include "guest/archive/failure.hpp"
#include "guest/archive/file_body.hpp"
#include "guest/archive/notes.hpp"

#include <algorithm>
#include <archive.h>
#include <archive_entry.h>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <linux/magic.h>
#include <map>
#include <memory>
#include <set>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace atl::archive {

namespace {

constexpr std::size_t kHardlinksMax = 100'000;  // names remembered; further ones become copies

struct CloseWriter {
    void operator()(::archive* writer) const { ::archive_write_free(writer); }
};
struct FreeEntry {
    void operator()(::archive_entry* entry) const { ::archive_entry_free(entry); }
};
struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};
using Writer = std::unique_ptr<::archive, CloseWriter>;
using Entry = std::unique_ptr<::archive_entry, FreeEntry>;

// One archive being written. Functions fail only when the archive cannot be written any more;
// trouble with a source goes to the notes.
class Packing {
public:
    Packing(const PackOptions& options, Notes& notes) : options_(options), notes_(notes) {}
    Result<void> run();

private:
    Result<void> open();
    Result<void> add_source(const std::string& source, bool only);
    // `path` is beneath `root`; `prefix` goes before it in the archive.
    Result<void> add(int root, const std::string& prefix, const std::string& path, dev_t above);
    Result<void> add_children(int root, const std::string& prefix, const std::string& path,
                              dev_t device);
    Result<void> add_file(int root, const std::string& path, const std::string& name,
                          const struct stat& seen);
    Result<void> write_header(::archive_entry* entry);
    [[nodiscard]] bool excluded(const std::string& name) const;
    [[nodiscard]] Error failure() const;

    const PackOptions& options_;
    Notes& notes_;
    Writer writer_;
    std::map<std::pair<dev_t, ino_t>, std::string> linked_;
};

Entry new_entry(const std::string& name, const struct stat& file) {
    Entry entry(::archive_entry_new());
    if (!entry) throw std::bad_alloc();
    ::archive_entry_copy_pathname(entry.get(), name.c_str());
    ::archive_entry_set_filetype(entry.get(), file.st_mode & S_IFMT);
    // Permissions, but neither setuid and its like nor an owner: those mean something else wherever
    // the archive is opened.
    ::archive_entry_set_perm(entry.get(), file.st_mode & 0777);
    ::archive_entry_set_mtime(entry.get(), file.st_mtim.tv_sec, file.st_mtim.tv_nsec);
    ::archive_entry_set_size(entry.get(), S_ISREG(file.st_mode) ? file.st_size : 0);
    return entry;
}

// A file's size there is made up, and reading can block or never end.
bool is_kernel_view(int fd) {
    struct statfs system {};
    if (::fstatfs(fd, &system) != 0) return false;
    return system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC ||
           system.f_type == CGROUP2_SUPER_MAGIC || system.f_type == CGROUP_SUPER_MAGIC;
}

Error Packing::failure() const {
    const char* why = ::archive_error_string(writer_.get());
    return {Code::Internal, why ? why : "the archive cannot be written"};
}

Result<void> Packing::open() {
    writer_.reset(::archive_write_new());
    if (!writer_) throw std::bad_alloc();
    ::archive* w = writer_.get();
    int done = ARCHIVE_OK;
    if (options_.format == Format::Zip) {
        done = ::archive_write_set_format_zip(w);
    } else {
        // Full pax, at a kilobyte more an entry: times keep their nanoseconds, names their bytes.
        done = ::archive_write_set_format_pax(w);
    }
    if (done == ARCHIVE_OK && options_.format == Format::TarGz) {
        done = ::archive_write_add_filter_gzip(w);
        // Without the time of day in its head: the same tree, the same bytes.
        if (done == ARCHIVE_OK) {
            done = ::archive_write_set_filter_option(w, "gzip", "timestamp", nullptr);
        }
    }
    if (done == ARCHIVE_OK && options_.format == Format::TarZst) {
        done = ::archive_write_add_filter_zstd(w);
    }
    ::archive_write_set_bytes_per_block(w, 64 << 10);
    ::archive_write_set_bytes_in_last_block(w, 1);
    if (done != ARCHIVE_OK || ::archive_write_open_fd(w, STDOUT_FILENO) != ARCHIVE_OK) {
        return failure();
    }
    return {};
}

Result<void> Packing::run() {
    if (auto done = open(); !done) return done;
    for (const auto& source : options_.sources) {
        if (auto done = add_source(source, options_.sources.size() == 1); !done) return done;
    }
    if (::archive_write_close(writer_.get()) != ARCHIVE_OK) return failure();
    return {};
}

Result<void> Packing::add_source(const std::string& source, bool only) {
    struct stat file {};
    if (::lstat(source.c_str(), &file) != 0) {
        notes_.lost(source, std::strerror(errno));
        return {};
    }
    if (only && S_ISDIR(file.st_mode)) {
        auto root = open_root(source);
        if (!root) {
            notes_.lost(source, root.error().message);
            return {};
        }
        return add_children(root->get(), "", "", file.st_dev);
    }
    const std::size_t end = source.find_last_not_of('/');
    const auto [above, name] = split_last(source.substr(0, end + 1));
    const bool absolute = above.empty() && source.starts_with('/');
    auto root = open_root(absolute ? "/" : above.empty() ? "." : above);
    if (!root) {
        notes_.lost(source, root.error().message);
        return {};
    }
    return add(root->get(), "", name, file.st_dev);
}

bool Packing::excluded(const std::string& name) const {
    const std::string last = split_last(name).second;
    return std::any_of(options_.excludes.begin(), options_.excludes.end(), [&](const auto& glob) {
        const bool whole = glob.find('/') != std::string::npos;
        return ::fnmatch(glob.c_str(), whole ? name.c_str() : last.c_str(), 0) == 0;
    });
}

Result<void> Packing::add(int root, const std::string& prefix, const std::string& path,
                          dev_t above) {
    const std::string name = prefix + path;
    if (excluded(name)) return {};
    if (path.size() > kPathBytesMax) {
        notes_.lost(name, "its name is too long");
        return {};
    }
    // A zip says of all its names that they are UTF-8; one that is not makes the whole file
    // unreadable to some programs. A backslash comes out as a slash.
    if (options_.format == Format::Zip && (!is_utf8(name) || name.find('\\') != name.npos)) {
        notes_.lost(name, "not UTF-8 or with a backslash: a zip cannot hold such a name");
        return {};
    }
    const auto [parent_path, last] = split_last(path);
    auto parent = open_beneath(root, parent_path, O_PATH | O_DIRECTORY);
    struct stat file {};
    if (!parent || ::fstatat(parent->get(), last.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0) {
        notes_.lost(name, parent ? std::strerror(errno) : parent.error().message);
        return {};
    }
    if (S_ISREG(file.st_mode)) return add_file(root, path, name, file);
    if (S_ISDIR(file.st_mode)) {
        if (file.st_dev != above) {
            auto other = open_beneath(root, path, O_RDONLY | O_DIRECTORY);
            if (other && is_kernel_view(other->get())) {
                notes_.skipped(name, "a view into the kernel is not packed");
                return {};
            }
        }
        if (auto done = write_header(new_entry(name + "/", file).get()); !done) return done;
        parent->reset();  // a descriptor a level would run out on a deep tree
        return add_children(root, prefix, path, file.st_dev);
    }
    if (S_ISLNK(file.st_mode)) {
        std::string target(kPathBytesMax + 1, '\0');
        const ssize_t size =
            ::readlinkat(parent->get(), last.c_str(), target.data(), target.size());
        if (size < 0) {
            notes_.lost(name, std::strerror(errno));
            return {};
        }
        target.resize(static_cast<std::size_t>(size));
        auto entry = new_entry(name, file);
        ::archive_entry_copy_symlink(entry.get(), target.c_str());
        return write_header(entry.get());
    }
    notes_.skipped(name, "a socket, fifo or device is not packed");
    return {};
}

Result<void> Packing::add_children(int root, const std::string& prefix, const std::string& path,
                                   dev_t device) {
    std::set<std::string> names;  // sorted: the same tree gives the same archive
    {
        auto fd = open_beneath(root, path, O_RDONLY | O_DIRECTORY);
        std::unique_ptr<DIR, CloseDirectory> directory(fd ? ::fdopendir(fd->get()) : nullptr);
        if (!directory) {
            notes_.lost(prefix + path, fd ? std::strerror(errno) : fd.error().message);
            return {};
        }
        static_cast<void>(fd->release());  // the DIR's now
        errno = 0;
        while (const dirent* entry = ::readdir(directory.get())) {
            const std::string name = entry->d_name;
            if (name != "." && name != "..") names.insert(name);
        }
        if (errno != 0) notes_.lost(prefix + path, std::strerror(errno));
    }
    for (const auto& name : names) {
        auto done = add(root, prefix, path.empty() ? name : path + "/" + name, device);
        if (!done) return done;
    }
    return {};
}

Result<void> Packing::add_file(int root, const std::string& path, const std::string& name,
                               const struct stat& seen) {
    const auto key = std::pair(seen.st_dev, seen.st_ino);
    const bool links = seen.st_nlink > 1 && options_.format != Format::Zip;
    if (const auto first = linked_.find(key); links && first != linked_.end()) {
        auto entry = new_entry(name, seen);
        ::archive_entry_set_size(entry.get(), 0);
        ::archive_entry_copy_hardlink(entry.get(), first->second.c_str());
        return write_header(entry.get());
    }

    // O_NONBLOCK: it may have become a fifo since, and nobody would write to it.
    auto fd = open_beneath(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    struct stat file {};
    if (!fd || ::fstat(fd->get(), &file) != 0 || !S_ISREG(file.st_mode)) {
        notes_.lost(name, fd ? "it changed while it was read" : fd.error().message);
        return {};
    }
    const FileBody body(fd->get(), static_cast<std::uint64_t>(file.st_size));
    auto entry = new_entry(name, file);
    if (options_.format != Format::Zip) body.describe_holes(entry.get());
    if (auto done = write_header(entry.get()); !done) return done;
    auto trouble = body.write_to(writer_.get());
    if (!trouble) return trouble.error();
    if (*trouble) notes_.lost(name, **trouble);
    if (links && linked_.size() < kHardlinksMax) linked_.emplace(key, name);
    return {};
}

Result<void> Packing::write_header(::archive_entry* entry) {
    const int done = ::archive_write_header(writer_.get(), entry);
    if (done == ARCHIVE_OK || done == ARCHIVE_WARN) return {};
    return failure();
}

// Two sources with one name would be one entry twice.
bool names_differ(const std::vector<std::string>& sources) {
    std::set<std::string> names;
    return std::all_of(sources.begin(), sources.end(), [&](const std::string& source) {
        const std::size_t end = source.find_last_not_of('/');
        const std::string name = split_last(source.substr(0, end + 1)).second;
        return name != "." && name != ".." && !name.empty() && names.insert(name).second;
    });
}

}  // namespace

Status pack(const PackOptions& options) {
    if (options.sources.size() > 1 && !names_differ(options.sources)) {
        std::fprintf(stderr, "atoll-archive: sources must have different names\n");
        return Status::Usage;
    }
    Notes notes;
    if (auto done = Packing(options, notes).run(); !done) {
        std::fprintf(stderr, "atoll-archive: %s\n", done.error().message.c_str());
        return Status::Failed;
    }
    return notes.complete() ? Status::Ok : Status::Incomplete;
}

}  // namespace atl::archive
