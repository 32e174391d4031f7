#pragma once
// Disk usage of a session or an owner: what is used, what is allowed, and what uploads will add.
//
// A ledger has the usage of the last measurement and adds the bytes of uploads since then, so that
// concurrent uploads share what is left. What programs write is found by measuring
// (disk_watch.cpp); then they are stopped through a DiskStop (docs/decisions/0010).
//
// Owns      nothing on disk.  Threads  one, the executor's.
// Trusts    no length that a client declares: it may refuse early, bytes are counted all the same.
#include "base/result.hpp"
#include "core/folders.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace atl::sessions {

// No disk takes more in a second: how old a look may be follows from it.
inline constexpr std::uint64_t kDiskBytesASecond = 2ull << 30;
inline constexpr std::uint64_t kDiskFilesASecond = 200'000;

struct DiskLedger {
    using Clock = std::chrono::steady_clock;

    std::string setting;  // that holds it, for sentences
    std::optional<std::uint64_t> bytes_max;
    std::uint64_t bytes = 0;         // at the last look, and what uploads have added since
    std::uint64_t state_bytes = 0;   // of them, saved variables: programs cannot remove those
    std::uint64_t bytes_coming = 0;  // of uploads under way
    std::uint64_t bytes_going = 0;   // of the files that they replace
    std::size_t uploads = 0;
    // Ever: a look during which one came may have missed its bytes.
    std::uint64_t uploads_begun = 0;
    std::uint64_t files = 0;
    std::optional<Clock::time_point> looked;

    void found(const core::FolderUse& use, Clock::time_point now);
    [[nodiscard]] std::uint64_t file_bytes() const;  // without the state
    // Whether so many bytes fit, also if a program has written since the last look as fast as any
    // disk takes it. Then nobody needs to look.
    [[nodiscard]] bool surely_fits(std::uint64_t more, Clock::time_point now) const;
    [[nodiscard]] std::uint64_t bytes_left() const;
};

// Exhausted, with what the owner has: for what is no upload.
[[nodiscard]] Error owner_is_full(const DiskLedger& ledger);

// What an upload may add: counted while it is held, kept when it was finished.
class [[nodiscard]] DiskRoom {
public:
    DiskRoom() = default;  // no limit
    // `replaced`: what goes when the upload is in place. Any of the ledgers may be null.
    DiskRoom(std::shared_ptr<DiskLedger> session, std::shared_ptr<DiskLedger> owner,
             std::uint64_t replaced);
    DiskRoom(DiskRoom&& other) noexcept;
    DiskRoom& operator=(DiskRoom&&) = delete;
    ~DiskRoom();

    // TooLarge, with a sentence, if there is no room for so many more.
    void check(std::uint64_t bytes) const;
    // Sets so many aside for what is to be taken: of uploads side by side into the last room, those
    // that fit come in, and the others are refused before they have sent anything.
    void reserve(std::uint64_t bytes);
    void take(std::uint64_t bytes);
    // Of what was taken, so much did not come.
    void give_back(std::uint64_t bytes) noexcept;
    [[nodiscard]] std::uint64_t left() const;
    // What was taken so far is stored for good.
    void finished() noexcept;

private:
    void come(std::uint64_t bytes) noexcept;  // counts them in the ledgers

    std::shared_ptr<DiskLedger> ledgers_[2];
    std::uint64_t taken_ = 0;
    std::uint64_t reserved_ = 0;
    std::uint64_t replaced_ = 0;
};

// What a run without a session may leave on the host, file by file.
struct OutputRoom {
    explicit OutputRoom(DiskRoom with) : room(std::move(with)) {}
    DiskRoom room;
    std::function<void(std::uint64_t bytes)> kept;  // a file of so many is in place; may be null
};

// How what runs in a session is stopped once the session has too much on disk.
class DiskStops {
public:
    using Stop = std::function<void()>;
    void call();

private:
    friend class DiskStop;
    std::list<Stop> all_;
};

// While it is held, `stop` is called when the disk is full. It must outlive this, and not throw.
class [[nodiscard]] DiskStop {
public:
    // Null stops: of a sandbox without kept files; nothing is ever called.
    DiskStop(std::shared_ptr<DiskStops> stops, DiskStops::Stop stop);
    DiskStop(const DiskStop&) = delete;
    DiskStop& operator=(const DiskStop&) = delete;
    ~DiskStop();

private:
    std::shared_ptr<DiskStops> stops_;
    std::list<DiskStops::Stop>::iterator place_;
};

}  // namespace atl::sessions
