#include "guest/archive/unpack.hpp"

#include "guest/archive/beneath.hpp"
#include "guest/archive/confined_writer.hpp"
#include "guest/archive/entry_name.hpp"
#include "guest/archive/failure.hpp"
#include "guest/archive/input.hpp"
#include "guest/archive/report.hpp"

#include <archive_entry.h>
#include <cerrno>
#include <cstdio>
#include <sys/resource.h>

namespace atl::archive {

namespace {

// A 7z may ask for gigabytes before its first byte. Beyond this, allocation fails and so does the
// archive; the other processes of the sandbox keep their memory.
constexpr rlim_t kMemoryBytesMax = 512u << 20;

std::string why(::archive* reader) {
    const char* text = ::archive_error_string(reader);
    return text ? text : "damaged";
}

// One archive, from its first entry to its last.
class Unpacking {
public:
    Unpacking(const UnpackOptions& options, int root, Report& report)
        : options_(options),
          quota_(options.bytes_max, options.entries_max),
          input_(0, root),
          writer_(root, options.keep, quota_),
          report_(report) {}

    Result<void> run();

private:
    Result<bool> next(::archive_entry*& entry);
    Result<void> unpack_entry(::archive_entry* entry);
    Result<void> unpack_file(::archive_entry* entry, const std::string& path);
    Result<void> drain_body();
    [[nodiscard]] Attributes attributes_of(::archive_entry* entry) const;

    const UnpackOptions& options_;
    Quota quota_;
    Input input_;
    Reader reader_;
    ConfinedWriter writer_;
    Report& report_;
};

Result<void> Unpacking::run() {
    auto reader = input_.open(quota_, options_.onto_host);
    if (!reader) return reader.error();
    reader_ = std::move(*reader);
    Result<void> outcome;
    for (;;) {
        ::archive_entry* entry = nullptr;
        auto more = next(entry);
        if (!more) outcome = more.error();
        if (!more || !*more) break;
        auto done = unpack_entry(entry);
        if (!done && !about_one_entry(done.error())) {
            outcome = done.error();
            break;
        }
    }
    for (auto& [path, error] : writer_.finish()) report_.refused(path, error.message);
    if (outcome) input_.drain();
    return outcome;
}

Result<bool> Unpacking::next(::archive_entry*& entry) {
    for (;;) {
        const int got = ::archive_read_next_header(reader_.get(), &entry);
        if (got == ARCHIVE_EOF) return false;
        if (got != ARCHIVE_OK && got != ARCHIVE_WARN && got != ARCHIVE_RETRY) {
            return Error{Code::Internal, why(reader_.get())};
        }
        // Before anything else: ten million entries that are all refused are ten million entries.
        if (auto taken = quota_.take_entry(); !taken) return taken.error();
        const auto read = ::archive_filter_bytes(reader_.get(), 0);
        if (read > 0 && static_cast<std::uint64_t>(read) > quota_.container_bytes_max()) {
            return Error{Code::Exhausted, "far more headers than contents"};
        }
        if (got != ARCHIVE_RETRY) return true;
    }
}

Attributes Unpacking::attributes_of(::archive_entry* entry) const {
    Attributes attributes;
    attributes.mode = ::archive_entry_perm(entry) & ~options_.mask;
    // A person can open, and remove, what they were given.
    if (options_.onto_host) {
        attributes.mode |= ::archive_entry_filetype(entry) == AE_IFDIR ? 0700 : 0400;
    }
    if (::archive_entry_mtime_is_set(entry)) {
        attributes.modified =
            timespec{::archive_entry_mtime(entry), ::archive_entry_mtime_nsec(entry)};
    }
    return attributes;
}

// Names the entry in the report if it is left out, and reads past its body.
Result<void> Unpacking::unpack_entry(::archive_entry* entry) {
    const char* raw = ::archive_entry_pathname(entry);
    const std::string name = raw ? raw : "";
    const auto add = [&]() -> Result<void> {
        if (!raw) return Error{Code::InvalidArgument, "its name cannot be read"};
        auto path = relative_path(name, options_.strip);
        if (!path) return path.error();
        const auto type = ::archive_entry_filetype(entry);
        if (path->empty()) {
            if (type == AE_IFDIR) return {};  // the top itself, or above it after --strip
            if (options_.strip > 0) return Error{Code::Conflict, "no name is left after --strip"};
            return Error{Code::InvalidArgument, "it has no name"};
        }
        if (::archive_entry_is_encrypted(entry) > 0) {
            return Error{Code::InvalidArgument, "it is encrypted"};
        }
        Result<void> done;
        if (const char* link = ::archive_entry_hardlink(entry)) {
            auto target = relative_path(link, options_.strip);
            if (!target) return target.error().during("its link's target");
            done = target->empty() ? Error{Code::InvalidArgument, "a hard link to nothing"}
                                   : writer_.add_hardlink(*path, *target);
        } else if (type == AE_IFREG) {
            done = unpack_file(entry, *path);
        } else if (type == AE_IFDIR) {
            done = writer_.add_directory(*path, attributes_of(entry));
        } else if (type == AE_IFLNK) {
            const char* target = ::archive_entry_symlink(entry);
            if (!target || !*target) {
                done = Error{Code::InvalidArgument, "a symbolic link to nothing"};
            } else if (options_.onto_host && !leads_inside(*path, target)) {
                done = Error{Code::InvalidArgument, "a symbolic link that leads out of the folder"};
            } else {
                done = writer_.add_symlink(*path, target, attributes_of(entry));
            }
        } else {
            return Error{Code::InvalidArgument, "neither file, directory nor link"};
        }
        if (done) report_.unpacked(*path);
        return done;
    };

    const auto done = add();
    if (done) return drain_body();
    if (!about_one_entry(done.error())) return done.error().during(printable(name));
    if (done.error().code == Code::Conflict) {
        report_.left_out(name, done.error().message);
    } else {
        report_.refused(name, done.error().message);
    }
    return drain_body();
}

Result<void> Unpacking::unpack_file(::archive_entry* entry, const std::string& path) {
    const la_int64_t said = ::archive_entry_size_is_set(entry) ? ::archive_entry_size(entry) : 0;
    if (said < 0) return Error{Code::InvalidArgument, "its size is negative"};
    const auto size = static_cast<std::uint64_t>(said);
    // A header can lie, but one that admits to be too large can be believed.
    if (size > quota_.bytes_left()) return quota_.take_bytes(size);

    auto file = writer_.begin_file(path);
    if (!file) return file.error();
    for (;;) {
        const void* data = nullptr;
        std::size_t length = 0;
        la_int64_t offset = 0;
        const int got = ::archive_read_data_block(reader_.get(), &data, &length, &offset);
        if (got == ARCHIVE_EOF) break;
        if (got == ARCHIVE_FATAL) return Error{Code::Internal, why(reader_.get())};
        // A wrong checksum is a mere warning to libarchive; to us it is not what was packed.
        if (got != ARCHIVE_OK) return Error{Code::InvalidArgument, why(reader_.get())};
        auto done =
            file->write(static_cast<std::uint64_t>(offset), static_cast<const char*>(data), length);
        if (!done) return done;
    }
    // A tar may end in a hole; tables of contents of the other kinds know of none.
    if (!input_.is_stream() && ::archive_entry_size_is_set(entry) && file->end() != size) {
        return Error{Code::InvalidArgument, "it is not as long as its header says"};
    }
    if (auto done = file->commit(size, attributes_of(entry)); !done) return done;
    report_.add_bytes(file->end());
    return {};
}

// What is skipped is still unpacked on the way, so it counts: a bomb under a bad name is a bomb.
Result<void> Unpacking::drain_body() {
    for (;;) {
        const void* data = nullptr;
        std::size_t length = 0;
        la_int64_t offset = 0;
        const int got = ::archive_read_data_block(reader_.get(), &data, &length, &offset);
        if (got == ARCHIVE_FATAL) return Error{Code::Internal, why(reader_.get())};
        if (got != ARCHIVE_OK) return {};
        if (auto taken = quota_.take_bytes(length); !taken) return taken;
    }
}

void limit_memory() {
#ifndef __SANITIZE_ADDRESS__  // whose own map of memory is larger than any limit
    const rlimit limit{kMemoryBytesMax, kMemoryBytesMax};
    ::setrlimit(RLIMIT_DATA, &limit);
#endif
}

Status status_of(const Error& error) {
    return error.code == Code::Exhausted ? Status::Quota : Status::Failed;
}

}  // namespace

Status unpack(const UnpackOptions& options) {
    limit_memory();
    stop_on_signals();
    Report report;
    try {
        if (auto root = open_root(options.into); !root) {
            report.failed(Status::Failed, root.error().message);
        } else if (auto done = Unpacking(options, root->get(), report).run(); !done) {
            report.failed(status_of(done.error()), done.error().message);
        }
    } catch (const std::bad_alloc&) {
        report.failed(Status::Failed, "unpacking the archive needs more memory than allowed");
    }
    const std::string line = report.json();
    if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() ||
        std::fflush(stdout) != 0) {
        return Status::Failed;
    }
    return report.status();
}

}  // namespace atl::archive
