#pragma once
// Uploaded files: stored while they arrive, deduplicated, inspected briefly, and copied into the
// sessions of the threads that use them.
//
//     <root>/            0700, the server's
//       .coming-<x>      not whole yet; removed at the next start
//       <upload id>      the bytes
//
// Owns      the folder and a thread for the disk, so that the loop never waits for one.
// Threads   methods on the executor's; bytes are written, hashed and synced on the other.
// Trusts    nobody: names are made safe, sizes are counted, and what a file claims to be by its
//           name is compared with how it begins.
// On failure ErrorException. Nothing stays of a file that did not come whole.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "base/workers.hpp"
#include "core/threads.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::agent {

struct UploadLimits {
    std::uint64_t file_bytes_max = 1ull << 30;
    std::uint64_t owner_bytes_max = 16ull << 30;  // all uploads of an owner; 0 = no limit
    // What no thread uses is removed when it is so old; 0 = never.
    std::chrono::milliseconds unused_time_max = std::chrono::hours{7 * 24};
    std::uint64_t owner_files_max = 10'000;  // 0 = no limit
};

// The first columns of a text table, and how many more there are; empty: not known.
struct Columns {
    std::vector<std::string> names;
    std::size_t more = 0;
    bool operator==(const Columns&) const = default;
};

// What can be said of a file without running anything: for the first prompt.
struct FileLook {
    Columns columns;
    bool is_archive = false;  // a zip, as a workbook is; only a sandbox looks into it
};

struct SampleFile {
    std::string name;
    std::uint64_t bytes = 0;
    Columns columns;
};

class Uploads {
public:
    // Makes the folder when it is missing.
    // `sample`: a file of the installation that stands for uploads where there are none; may be
    // empty.
    [[nodiscard]] static Result<std::unique_ptr<Uploads>> open(std::string root,
                                                               core::Threads& store,
                                                               UploadLimits limits,
                                                               std::string sample);
    Uploads(const Uploads&) = delete;
    Uploads& operator=(const Uploads&) = delete;

    // One file on its way in. Destroyed before keep() it leaves nothing.
    class Incoming {
    public:
        explicit Incoming(Uploads& uploads);
        ~Incoming();
        Incoming(const Incoming&) = delete;
        Incoming& operator=(const Incoming&) = delete;
        // TooLarge beyond the limit of a file.
        boost::asio::awaitable<void> write(std::string bytes);
        // InvalidArgument when it is empty, or not what its name says.
        boost::asio::awaitable<core::UploadRecord> keep();

    private:
        friend class Uploads;
        struct Hash;
        Uploads& uploads_;
        std::string owner_, name_, temporary_;
        UniqueFd file_;
        std::unique_ptr<Hash> hash_;
        std::string beginning_;
        std::uint64_t bytes_ = 0;
        std::uint64_t counted_ = 0;  // of them, in coming_
    };
    // `name` as the client says; `owner` as the door found out.
    boost::asio::awaitable<std::unique_ptr<Incoming>> begin(std::string owner, std::string name);

    boost::asio::awaitable<core::UploadRecord> get(core::Whose whose, UploadId id);
    boost::asio::awaitable<core::UploadPage> list(core::UploadQuery query);
    // Conflict while a thread uses it.
    boost::asio::awaitable<void> remove(core::Whose whose, UploadId id);
    // Whoever's; remembered, for a record never changes.
    boost::asio::awaitable<core::UploadRecord> known(UploadId id);
    // For reading.
    boost::asio::awaitable<UniqueFd> open_bytes(UploadId id);
    // Remembered: the second time costs nothing.
    boost::asio::awaitable<FileLook> look(core::UploadRecord record);

    // To be called now and then; answers how many went. Ends early when `given_up` says so.
    // What no thread uses and is old enough.
    boost::asio::awaitable<std::size_t> remove_unused(std::function<bool()> given_up);
    // Bytes that the store knows nothing of: a server died between the two. Not where the store is
    // another's to lose.
    boost::asio::awaitable<std::size_t> remove_unknown(std::function<bool()> given_up);

    [[nodiscard]] bool has_sample() const noexcept { return !sample_path_.empty(); }
    boost::asio::awaitable<SampleFile> sample();
    boost::asio::awaitable<UniqueFd> open_sample();

    [[nodiscard]] const UploadLimits& limits() const noexcept { return limits_; }

private:
    Uploads(UniqueFd root, core::Threads& store, UploadLimits limits, std::string sample);
    boost::asio::awaitable<bool> unlink(std::string name);

    UniqueFd root_;
    core::Threads& store_;
    UploadLimits limits_;
    std::string sample_path_;
    std::optional<SampleFile> sample_;
    std::map<std::string, FileLook> looks_;
    std::map<std::string, core::UploadRecord> known_;
    // Bytes of files on their way in, by owner: they take room on the disk, and no record counts
    // them yet.
    std::map<std::string, std::uint64_t> coming_;
    Workers disk_{1, "atoll-uploads"};  // last: it uses all of the above
};

// One component that is safe in any listing: no slashes, no control characters, not hidden, at most
// 120 bytes. Keeps the ending.
[[nodiscard]] std::string safe_name(std::string_view name);

// A sentence when the beginning of a file contradicts its name; empty when it does not.
[[nodiscard]] std::string contradiction(std::string_view name, std::string_view beginning);

// The first line of a text table, taken apart at its likeliest separator.
[[nodiscard]] Columns columns_in(std::string_view name, std::string_view beginning);

}  // namespace atl::agent
