#include "agent/uploads.hpp"

#include "base/write_all.hpp"
#include "core/spec.hpp"
#include "sessions/new_id.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace atl::agent {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kBeginningBytes = 64 * 1024;
constexpr std::size_t kLooksMax = 10'000;
constexpr const char* kComing = ".coming-";
constexpr const char* kUploadPrefix = "f-";
constexpr std::uint32_t kTidiedAtOnce = 200;
constexpr std::uint64_t kFreeBytesMin = 64u << 20;  // of the disk, that uploads leave
constexpr std::time_t kForgottenAfter = 86'400;

Error failed(const std::string& what, int cause) {
    const auto code = cause == ENOSPC || cause == EDQUOT ? Code::DiskFull
                      : cause == ENOENT                  ? Code::NotFound
                                                         : Code::Internal;
    return {code, what + ": " + std::strerror(cause)};
}

}  // namespace

struct Uploads::Incoming::Hash {
    EVP_MD_CTX* context = ::EVP_MD_CTX_new();
    Hash() { ::EVP_DigestInit_ex(context, ::EVP_sha256(), nullptr); }
    ~Hash() { ::EVP_MD_CTX_free(context); }
    Hash(const Hash&) = delete;
    Hash& operator=(const Hash&) = delete;

    std::string hex() {
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned int length = 0;
        ::EVP_DigestFinal_ex(context, digest, &length);
        static constexpr char kDigits[] = "0123456789abcdef";
        std::string text;
        for (unsigned int i = 0; i < length; ++i) {
            text += kDigits[digest[i] >> 4];
            text += kDigits[digest[i] & 15];
        }
        return text;
    }
};

Result<std::unique_ptr<Uploads>> Uploads::open(std::string root, core::Threads& store,
                                               UploadLimits limits, std::string sample) {
    if (::mkdir(root.c_str(), 0700) != 0 && errno != EEXIST) {
        return failed("make the folder of uploads " + root, errno);
    }
    UniqueFd folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder) return failed("open the folder of uploads " + root, errno);
    // What an earlier server did not finish; not what another one on the same folder is taking in.
    if (DIR* names = ::opendir(root.c_str())) {
        while (const auto* entry = ::readdir(names)) {
            struct stat info {};
            if (std::string_view(entry->d_name).starts_with(kComing) &&
                ::fstatat(folder.get(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                info.st_mtime + kForgottenAfter < ::time(nullptr)) {
                ::unlinkat(folder.get(), entry->d_name, 0);
            }
        }
        ::closedir(names);
    }
    return std::unique_ptr<Uploads>(
        new Uploads(std::move(folder), store, limits, std::move(sample)));
}

Uploads::Uploads(UniqueFd root, core::Threads& store, UploadLimits limits, std::string sample)
    : root_(std::move(root)), store_(store), limits_(limits), sample_path_(std::move(sample)) {}

asio::awaitable<std::unique_ptr<Uploads::Incoming>> Uploads::begin(std::string owner,
                                                                   std::string name) {
    auto coming = std::make_unique<Incoming>(*this);
    coming->owner_ = std::move(owner);
    coming->name_ = safe_name(name);
    coming->temporary_ = kComing + sessions::random_id("");
    coming->hash_ = std::make_unique<Incoming::Hash>();
    int fd = -1;
    const auto make = [&]() -> int {
        fd = ::openat(root_.get(), coming->temporary_.c_str(),
                      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        return fd < 0 ? errno : 0;
    };
    const int cause = co_await disk_.run(make);
    if (cause != 0) throw ErrorException(failed("store " + coming->name_, cause));
    coming->file_ = UniqueFd(fd);
    co_return coming;
}

Uploads::Incoming::Incoming(Uploads& uploads) : uploads_(uploads) {}

Uploads::Incoming::~Incoming() {
    if (!temporary_.empty()) ::unlinkat(uploads_.root_.get(), temporary_.c_str(), 0);
    const auto coming = uploads_.coming_.find(owner_);
    if (coming == uploads_.coming_.end()) return;
    coming->second -= std::min(coming->second, counted_);
    if (coming->second == 0) uploads_.coming_.erase(coming);
}

asio::awaitable<void> Uploads::Incoming::write(std::string bytes) {
    bytes_ += bytes.size();
    if (bytes_ > uploads_.limits_.file_bytes_max) {
        throw ErrorException(
            {Code::TooLarge, name_ + " is larger than the limit for a file (" +
                                 core::format_bytes(uploads_.limits_.file_bytes_max) + ")"});
    }
    const auto owner_max = uploads_.limits_.owner_bytes_max;
    auto& coming = uploads_.coming_[owner_];
    if (owner_max > 0 && coming + bytes.size() > owner_max) {
        throw ErrorException(
            {Code::Exhausted, "the files on their way in would be more than all uploads may be (" +
                                  core::format_bytes(owner_max) + "); send fewer at a time"});
    }
    coming += bytes.size();
    counted_ += bytes.size();
    if (beginning_.size() < kBeginningBytes) {
        beginning_ += std::string_view(bytes).substr(0, kBeginningBytes - beginning_.size());
    }
    const auto store = [&]() -> int {
        // What is left belongs to everybody's sessions and conversations.
        struct statvfs disk {};
        if (::fstatvfs(file_.get(), &disk) == 0 &&
            disk.f_bavail * disk.f_frsize < kFreeBytesMin + bytes.size()) {
            return ENOSPC;
        }
        ::EVP_DigestUpdate(hash_->context, bytes.data(), bytes.size());
        return write_all(file_.get(), bytes);
    };
    const int cause = co_await uploads_.disk_.run(store);
    if (cause != 0) throw ErrorException(failed("store " + name_, cause));
}

asio::awaitable<core::UploadRecord> Uploads::Incoming::keep() {
    if (bytes_ == 0) { throw ErrorException({Code::InvalidArgument, name_ + " is empty"}); }
    if (auto wrong = contradiction(name_, beginning_); !wrong.empty()) {
        throw ErrorException({Code::InvalidArgument, std::move(wrong)});
    }
    core::UploadRecord record;
    record.id = UploadId(sessions::random_id(kUploadPrefix));
    record.owner = owner_;
    record.name = name_;
    record.bytes = bytes_;
    record.sha256 = hash_->hex();
    record.created_at = core::time_now();
    const std::string id = record.id.text();
    const auto finish = [&]() -> int {
        if (::fdatasync(file_.get()) != 0) return errno;
        if (::renameat(uploads_.root_.get(), temporary_.c_str(), uploads_.root_.get(),
                       id.c_str()) != 0) {
            return errno;
        }
        return ::fsync(uploads_.root_.get()) == 0 ? 0 : errno;
    };
    const int cause = co_await uploads_.disk_.run(finish);
    if (cause != 0) throw ErrorException(failed("store " + name_, cause));
    temporary_ = id;  // until the store knows it
    const core::UploadRoom room(uploads_.limits_.owner_bytes_max, uploads_.limits_.owner_files_max);
    core::UploadRecord kept;
    try {
        kept = co_await uploads_.store_.add_upload(std::move(record), room);
    } catch (const ErrorException& error) {
        // A store that answers late may have written the record: its bytes must not be gone then.
        if (error.error.code == Code::Unavailable) temporary_.clear();
        throw;
    }
    temporary_.clear();
    // what its beginning does not tell is looked at when a thread needs it
    const auto columns = columns_in(name_, beginning_);
    if (!columns.names.empty() && uploads_.looks_.size() < kLooksMax) {
        uploads_.looks_[id] = {columns, false};
    }
    co_return kept;
}

asio::awaitable<core::UploadRecord> Uploads::get(core::Whose whose, UploadId id) {
    return store_.get_upload(std::move(whose), std::move(id));
}

asio::awaitable<core::UploadRecord> Uploads::known(UploadId id) {
    if (const auto found = known_.find(id.text()); found != known_.end()) co_return found->second;
    auto record = co_await store_.get_upload(core::Whose::anyones(), id);
    if (known_.size() < kLooksMax) known_.emplace(id.text(), record);
    co_return record;
}

asio::awaitable<void> Uploads::remove(core::Whose whose, UploadId id) {
    co_await store_.remove_upload(std::move(whose), id);
    looks_.erase(id.text());
    known_.erase(id.text());
    co_await unlink(id.text());
}

asio::awaitable<bool> Uploads::unlink(std::string name) {
    const auto remove = [&]() -> int {
        return ::unlinkat(root_.get(), name.c_str(), 0) == 0 ? 0 : errno;
    };
    const int refused = co_await disk_.run(remove);
    co_return refused == 0;
}

asio::awaitable<core::UploadPage> Uploads::list(core::UploadQuery query) {
    return store_.list_uploads(std::move(query));
}

asio::awaitable<std::size_t> Uploads::remove_unused(std::function<bool()> given_up) {
    if (limits_.unused_time_max.count() == 0) co_return 0;
    const auto old = core::time_now() - limits_.unused_time_max;
    std::size_t removed = 0;
    core::UploadQuery query{core::Whose::anyones(), "", kTidiedAtOnce};
    do {
        const auto page = co_await store_.list_uploads(query);
        for (const auto& upload : page.uploads) {
            if (given_up()) co_return removed;
            if (upload.uses > 0 || upload.record.created_at > old) continue;
            try {
                co_await remove(core::Whose::anyones(), upload.record.id);
                ++removed;
            } catch (const ErrorException& error) {
                // By now a thread uses it, or another server has removed it.
                if (error.error.code != Code::Conflict && error.error.code != Code::NotFound) throw;
            }
        }
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    co_return removed;
}

asio::awaitable<std::size_t> Uploads::remove_unknown(std::function<bool()> given_up) {
    std::vector<std::string> names;
    const auto look = [&]() -> int {
        UniqueFd copy(::openat(root_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        DIR* folder = copy ? ::fdopendir(copy.get()) : nullptr;
        if (folder == nullptr) return errno;
        (void)copy.release();  // the folder's now
        const auto old = ::time(nullptr) - kForgottenAfter;
        while (const auto* entry = ::readdir(folder)) {
            struct stat info {};
            if (std::string_view(entry->d_name).starts_with(kUploadPrefix) &&
                ::fstatat(root_.get(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                S_ISREG(info.st_mode) && info.st_ctime < old) {
                names.emplace_back(entry->d_name);
            }
        }
        ::closedir(folder);
        return 0;
    };
    const int cause = co_await disk_.run(look);
    if (cause != 0) throw ErrorException(failed("look at the folder of uploads", cause));
    std::size_t removed = 0;
    for (const auto& name : names) {
        if (given_up()) break;
        bool is_known = true;
        try {
            const UploadId id(name);
            co_await store_.get_upload(core::Whose::anyones(), id);
        } catch (const ErrorException& error) {
            if (error.error.code != Code::NotFound) throw;
            is_known = false;
        }
        if (is_known) continue;
        const bool is_gone = co_await unlink(name);
        if (is_gone) ++removed;
    }
    co_return removed;
}

asio::awaitable<UniqueFd> Uploads::open_bytes(UploadId id) {
    // Ids are the store's, and ours: letters, digits and a dash.
    const std::string name = id.text();
    int fd = -1;
    const auto open = [&]() -> int {
        fd = ::openat(root_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        return fd < 0 ? errno : 0;
    };
    const int cause = co_await disk_.run(open);
    if (cause != 0) throw ErrorException(failed("open the upload " + name, cause));
    co_return UniqueFd(fd);
}

asio::awaitable<UniqueFd> Uploads::open_sample() {
    int fd = -1;
    const auto open = [&]() -> int {
        fd = ::open(sample_path_.c_str(), O_RDONLY | O_CLOEXEC);
        return fd < 0 ? errno : 0;
    };
    const int cause = co_await disk_.run(open);
    if (cause != 0) throw ErrorException(failed("open the bundled file", cause));
    co_return UniqueFd(fd);
}

asio::awaitable<SampleFile> Uploads::sample() {
    if (sample_) co_return *sample_;
    const UniqueFd file = co_await open_sample();
    SampleFile found;
    found.name = safe_name(sample_path_);
    std::string beginning(kBeginningBytes, '\0');
    const auto read = [&]() -> int {
        struct stat info {};
        if (::fstat(file.get(), &info) != 0) return errno;
        found.bytes = static_cast<std::uint64_t>(info.st_size);
        const ssize_t n = ::pread(file.get(), beginning.data(), beginning.size(), 0);
        beginning.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return n < 0 ? errno : 0;
    };
    const int cause = co_await disk_.run(read);
    if (cause != 0) throw ErrorException(failed("read the bundled file", cause));
    found.columns = columns_in(found.name, beginning);
    sample_ = found;
    co_return found;
}

asio::awaitable<FileLook> Uploads::look(core::UploadRecord record) {
    if (const auto found = looks_.find(record.id.text()); found != looks_.end()) {
        co_return found->second;
    }
    const UniqueFd file = co_await open_bytes(record.id);
    std::string beginning(kBeginningBytes, '\0');
    FileLook look;
    const auto read = [&]() -> int {
        const ssize_t n = ::pread(file.get(), beginning.data(), beginning.size(), 0);
        beginning.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return n < 0 ? errno : 0;
    };
    const int cause = co_await disk_.run(read);
    if (cause != 0) throw ErrorException(failed("read an upload", cause));
    look.columns = columns_in(record.name, beginning);
    look.is_archive = beginning.starts_with("PK\x03\x04");
    if (looks_.size() < kLooksMax) looks_[record.id.text()] = look;
    co_return look;
}

}  // namespace atl::agent
