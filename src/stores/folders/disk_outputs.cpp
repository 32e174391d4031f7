#include "stores/folders/disk_outputs.hpp"

#include "stores/folders/append_beside.hpp"
#include "stores/folders/hostile.hpp"
#include "stores/folders/names.hpp"
#include "stores/folders/remove_tree.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::folders {

namespace fs = std::filesystem;
using core::OutputSource;
using core::RunId;

namespace {

constexpr std::size_t kPartsMax = 16;
constexpr std::size_t kOutputNameBytesMax = 200;
constexpr const char* kArtifacts = "artifacts";
constexpr std::size_t kWalksMax = 1024;  // that wait; then Unavailable

Result<std::vector<std::string>> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    const Error odd{Code::InvalidArgument, in_quotes(path) + " is not a valid artifact path"};
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        std::string part = path.substr(at, end - at);
        at = end + 1;
        if (part.empty() || part == "." || part == ".." || part.size() > kOutputNameBytesMax ||
            part.find('\0') != std::string::npos || parts.size() == kPartsMax) {
            return odd;
        }
        parts.push_back(std::move(part));
    }
    return parts;
}

UniqueFd open_folder_at(int parent, const char* name, bool make) {
    if (make) ::mkdirat(parent, name, 0755);
    return UniqueFd(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

UniqueFd open_root(const std::string& path) {
    return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// Something short, done in one step.
template <class T, class Do>
class Once final : public Work<T> {
public:
    explicit Once(Do what) : do_(std::move(what)) {}
    std::optional<Result<T>> step(const Slice&) override { return do_(); }

private:
    Do do_;
};

// The bytes of all files in a folder; none when it is not there.
class MeasureFolder final : public Work<std::uint64_t> {
public:
    explicit MeasureFolder(std::string folder) : folder_(std::move(folder)) {}

    std::optional<Result<std::uint64_t>> step(const Slice& slice) override {
        if (!begun_) at_ = fs::recursive_directory_iterator(folder_, failed_);
        begun_ = true;
        for (const fs::recursive_directory_iterator end; !failed_ && at_ != end;
             at_.increment(failed_)) {
            if (slice.over()) return std::nullopt;
            std::error_code odd;
            const auto size = at_->is_regular_file(odd) ? at_->file_size(odd) : 0;
            if (!odd) bytes_ += size;
        }
        if (failed_ && failed_ != std::errc::no_such_file_or_directory) {
            return Result<std::uint64_t>(failure("count artifacts", failed_.value()));
        }
        return Result<std::uint64_t>(bytes_);
    }

private:
    const std::string folder_;
    fs::recursive_directory_iterator at_;
    std::error_code failed_;
    bool begun_ = false;
    std::uint64_t bytes_ = 0;
};

// What some of the runs have on disk, a run at a time. What is removed meanwhile counts or does
// not.
class MeasureRuns final : public Work<std::uint64_t> {
public:
    MeasureRuns(const std::string& root, std::function<bool(const std::string& run)> theirs)
        : root_(root), theirs_(std::move(theirs)) {}

    std::optional<Result<std::uint64_t>> step(const Slice& slice) override {
        std::error_code failed;
        if (!begun_) at_ = fs::directory_iterator(root_, failed);
        begun_ = true;
        for (; !failed && at_ != fs::directory_iterator(); at_.increment(failed)) {
            if (slice.over()) return std::nullopt;
            if (!theirs_(at_->path().filename().string())) continue;
            bytes_ += blocks_of(at_->path(), failed);
            if (failed) break;
        }
        if (failed)
            return Result<std::uint64_t>(failure("count what runs have left", failed.value()));
        return Result<std::uint64_t>(bytes_);
    }

private:
    static std::uint64_t blocks_of(const fs::path& path, std::error_code& failed) {
        struct stat info {};
        if (::lstat(path.c_str(), &info) != 0) return 0;
        std::uint64_t bytes = bytes_on_disk(info);
        for (fs::recursive_directory_iterator at(path, failed), end; !failed && at != end;
             at.increment(failed)) {
            if (::lstat(at->path().c_str(), &info) != 0) continue;
            bytes += bytes_on_disk(info);
        }
        if (failed == std::errc::no_such_file_or_directory) failed.clear();  // removed since
        return bytes;
    }

    const std::string root_;
    const std::function<bool(const std::string& run)> theirs_;
    fs::directory_iterator at_;
    bool begun_ = false;
    std::uint64_t bytes_ = 0;
};

}  // namespace

// ---- Removing, in slices ----

class DiskOutputs::RemoveFiles final : public Work<void> {
public:
    RemoveFiles(const DiskOutputs& outputs, OutputSource source, std::vector<std::string> paths)
        : outputs_(outputs), source_(std::move(source)), paths_(std::move(paths)) {}

    std::optional<Result<void>> step(const Slice& slice) override {
        for (; at_ < paths_.size(); ++at_) {
            if (slice.over()) return std::nullopt;
            outputs_.remove_one(source_, paths_[at_]);
        }
        return Result<void>();
    }

private:
    const DiskOutputs& outputs_;
    const OutputSource source_;
    const std::vector<std::string> paths_;
    std::size_t at_ = 0;
};

class DiskOutputs::RemoveOlder final : public Work<void> {
public:
    RemoveOlder(DiskOutputs& outputs, fs::file_time_type before)
        : outputs_(outputs), before_(before) {}

    std::optional<Result<void>> step(const Slice& slice) override {
        if (!begun_) at_ = fs::directory_iterator(outputs_.outputs_, failed_);
        begun_ = true;
        for (;;) {
            if (tree_) {
                if (!tree_->step(slice)) return std::nullopt;
                if (tree_->gone()) ++outputs_.removals_;
                tree_.reset();
            }
            if (failed_ || at_ == fs::directory_iterator()) return Result<void>();
            if (slice.over()) return std::nullopt;
            std::error_code odd;
            const auto name = at_->path().filename().string();
            const bool old = at_->last_write_time(odd) < before_ && !odd;
            at_.increment(failed_);
            if (old) tree_.emplace(outputs_.outputs_fd_.get(), name);
        }
    }

private:
    DiskOutputs& outputs_;
    const fs::file_time_type before_;
    fs::directory_iterator at_;
    std::error_code failed_;
    bool begun_ = false;
    std::optional<RemoveTree> tree_;
};

DiskOutputs::DiskOutputs(std::string sessions, std::string outputs, UniqueFd sessions_fd,
                         UniqueFd outputs_fd)
    : sessions_(std::move(sessions)),
      outputs_(std::move(outputs)),
      sessions_fd_(std::move(sessions_fd)),
      outputs_fd_(std::move(outputs_fd)),
      worker_(kWalksMax) {}

Result<std::unique_ptr<DiskOutputs>> DiskOutputs::open(const std::string& sessions,
                                                       const std::string& outputs) {
    if (::mkdir(outputs.c_str(), 0700) != 0 && errno != EEXIST) {
        return failure("make " + outputs, errno);
    }
    UniqueFd first = open_root(sessions);
    if (!first) return failure("open " + sessions, errno);
    UniqueFd second = open_root(outputs);
    if (!second) return failure("open " + outputs, errno);
    return std::unique_ptr<DiskOutputs>(
        new DiskOutputs(sessions, outputs, std::move(first), std::move(second)));
}

std::string DiskOutputs::folder_of(const OutputSource& source) const {
    if (const auto* run = std::get_if<RunId>(&source)) return outputs_ + "/" + run->text();
    return sessions_ + "/" + std::get<SessionId>(source).text() + "/" + kArtifacts;
}

Result<UniqueFd> DiskOutputs::walk(const OutputSource& source,
                                   const std::vector<std::string>& folders, bool make) const {
    const auto* session = std::get_if<SessionId>(&source);
    const bool of_session = session != nullptr;
    const std::string& id = of_session ? session->text() : std::get<RunId>(source).text();
    auto checked = check_id(SessionId(id));  // letters and digits: a run's has the same form
    if (!checked) return checked.error();
    // A session's own folder is never made here: it is gone when its session is.
    UniqueFd at = of_session ? open_folder_at(sessions_fd_.get(), id.c_str(), false)
                             : open_folder_at(outputs_fd_.get(), id.c_str(), make);
    if (at && of_session) at = open_folder_at(at.get(), kArtifacts, make);
    for (const auto& folder : folders) {
        if (!at) break;
        at = open_folder_at(at.get(), folder.c_str(), make);
    }
    // Without its path: the sentence reaches clients and models.
    if (!at) return failure("open the folder of artifacts", errno);
    return at;
}

boost::asio::awaitable<UniqueFd> DiskOutputs::begin(OutputSource source, std::string path) {
    auto what = [this, source = std::move(source), path = std::move(path)] {
        return open_new(source, path);
    };
    auto work = std::make_unique<Once<UniqueFd, decltype(what)>>(std::move(what));
    co_return co_await worker_.ask<UniqueFd>(Speed::Quick, std::move(work));
}

Result<UniqueFd> DiskOutputs::open_new(const OutputSource& source, const std::string& path) const {
    auto parts = parts_of(path);
    if (!parts) return parts.error();
    parts->pop_back();
    auto folder = walk(source, *parts, true);
    if (!folder) return folder.error();
    // Nameless: a copy that is not finished leaves nothing.
    UniqueFd file(::openat(folder->get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644));
    if (!file) return failure("write the artifact " + in_quotes(path), errno);
    return file;
}

boost::asio::awaitable<void> DiskOutputs::write(const UniqueFd& file, std::string bytes) {
    return append_beside(bytes_, file.get(), std::move(bytes), "write an artifact");
}

boost::asio::awaitable<std::string> DiskOutputs::finish(OutputSource source, std::string path,
                                                        UniqueFd written) {
    auto what = [this, source = std::move(source), path = std::move(path),
                 written = std::move(written)]() mutable {
        return give_name(source, path, std::move(written));
    };
    auto work = std::make_unique<Once<std::string, decltype(what)>>(std::move(what));
    co_return co_await worker_.ask<std::string>(Speed::Quick, std::move(work));
}

Result<std::string> DiskOutputs::give_name(const OutputSource& source, const std::string& path,
                                           UniqueFd written) const {
    auto parts = parts_of(path);
    if (!parts) return parts.error();
    const std::string name = parts->back();
    parts->pop_back();
    auto folder = walk(source, *parts, true);
    if (!folder) return folder.error();
    char self[32];
    std::snprintf(self, sizeof self, "/proc/self/fd/%d", written.get());
    const std::string under = ".new." + name;
    ::unlinkat(folder->get(), under.c_str(), 0);
    if (::linkat(AT_FDCWD, self, folder->get(), under.c_str(), AT_SYMLINK_FOLLOW) != 0 ||
        ::renameat(folder->get(), under.c_str(), folder->get(), name.c_str()) != 0) {
        const int cause = errno;
        ::unlinkat(folder->get(), under.c_str(), 0);
        return failure("keep the artifact " + in_quotes(path), cause);
    }
    return folder_of(source) + "/" + path;
}

boost::asio::awaitable<void> DiskOutputs::remove(OutputSource source,
                                                 std::vector<std::string> paths) {
    auto work = std::make_unique<RemoveFiles>(*this, std::move(source), std::move(paths));
    co_await worker_.ask<void>(Speed::Long, std::move(work));
}

void DiskOutputs::remove_one(const OutputSource& source, const std::string& path) const {
    auto parts = parts_of(path);
    if (!parts) return;
    const std::string name = parts->back();
    parts->pop_back();
    auto folder = walk(source, *parts, false);
    if (folder) ::unlinkat(folder->get(), name.c_str(), 0);
    // Folders that were made for it go with it, up to the first that holds something else.
    while (folder && !parts->empty()) {
        const std::string last = parts->back();
        parts->pop_back();
        folder = walk(source, *parts, false);
        if (folder && ::unlinkat(folder->get(), last.c_str(), AT_REMOVEDIR) != 0) break;
    }
}

boost::asio::awaitable<std::uint64_t> DiskOutputs::use(OutputSource source) {
    auto work = std::make_unique<MeasureFolder>(folder_of(source));
    co_return co_await worker_.ask<std::uint64_t>(Speed::Long, std::move(work));
}

boost::asio::awaitable<std::uint64_t> DiskOutputs::use_of_runs(
    std::function<bool(const std::string& run)> theirs) {
    auto work = std::make_unique<MeasureRuns>(outputs_, std::move(theirs));
    co_return co_await worker_.ask<std::uint64_t>(Speed::Long, std::move(work));
}

Result<UniqueFd> DiskOutputs::open(const RunId& run, const std::string& path) const {
    auto parts = parts_of(path);
    if (!parts) return parts.error();
    const std::string name = parts->back();
    parts->pop_back();
    auto folder = walk(OutputSource(run), *parts, false);
    if (!folder && folder.error().code == Code::Unavailable) return folder.error();
    UniqueFd file;
    if (folder) {
        file = UniqueFd(
            ::openat(folder->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        if (!file && errno != ENOENT && errno != ENOTDIR && errno != ELOOP) {
            return failure("open the artifact " + in_quotes(path), errno);
        }
    }
    struct stat info {};
    if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
        return Error{Code::NotFound, "run " + run.text() + " left no " + in_quotes(path)};
    }
    return file;
}

void DiskOutputs::remove_older(std::chrono::seconds age) {
    auto work = std::make_unique<RemoveOlder>(*this, fs::file_time_type::clock::now() - age);
    worker_.run(Speed::Long, std::move(work));
}

}  // namespace atl::folders
