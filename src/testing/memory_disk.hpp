#pragma once
// What survives a server (records, files and state), in memory, with fault injection.
//
//     Disk disk;
//     MemoryStore store(disk, clock, executor, dice);   // one server's view of it;
//                                                       // MemoryFolders is another
//     disk.kill_after(3);                               // the third write from now never happens
//
// A killed server keeps running until it is destroyed, but its disk operations fail and change
// nothing. So the disk keeps the state of the moment of the kill, and nothing has to be removed
// from a running loop.
//
// Why not the real stores: they work on threads of their own, and then the same seed would not make
// the same sequence. They have tests of their own, with real kills and full disks.
// Threads   one.
#include "core/clock.hpp"
#include "core/folders.hpp"
#include "core/store.hpp"
#include "testing/dice.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace atl::testing {

// A session's folder.
struct Tree {
    std::map<std::string, std::string> files;  // by their path in the sandbox
    std::map<std::string, std::string> state;
};

class Disk {
public:
    // What goes wrong now, until it is put right.
    struct Faults {
        bool full = false;           // ENOSPC
        bool unreadable = false;     // state cannot be opened: EMFILE
        bool half_readable = false;  // it can be opened, and reading fails: EIO
        bool store_fails = false;    // writes of records fail, as on EIO
    };

    std::map<std::string, core::SessionRecord> records;
    std::map<std::string, Tree> trees;
    std::map<std::string, core::JobRecord> jobs;
    std::map<std::string, std::vector<core::LogChunk>> job_logs;
    std::string store_identity;
    Faults faults;
    std::function<void()> on_kill;  // must not throw

    // The server that runs now; one that was killed has an older number.
    [[nodiscard]] std::uint64_t life() const noexcept { return life_; }
    void kill() noexcept {
        ++life_;
        kill_in_.reset();
        if (on_kill) on_kill();
    }
    // The server has ended in order: whoever comes after has a number of its own.
    void retire() noexcept { ++life_; }
    // In the middle of whatever the server does then: its n-th write from now on is never done.
    void kill_after(unsigned writes) noexcept { kill_in_ = writes; }

    void spare() noexcept { kill_in_.reset(); }

    // Before each write: whether it happens.
    [[nodiscard]] bool may_write(std::uint64_t life) noexcept {
        if (life != life_) return false;
        if (kill_in_ && --*kill_in_ == 0) kill();
        return life == life_;
    }

private:
    std::uint64_t life_ = 1;
    std::optional<unsigned> kill_in_;
};

// How long the store and the folders take: a little, and never the same.
class Latency {
public:
    Latency(boost::asio::any_io_executor executor, core::Clock& clock, Dice dice)
        : executor_(std::move(executor)), clock_(clock), dice_(dice) {}
    // A coroutine that is cancelled goes on at once: what it asked for happens all the same.
    boost::asio::awaitable<void> pass();

private:
    boost::asio::any_io_executor executor_;
    core::Clock& clock_;
    Dice dice_;
};

class MemoryFolders final : public core::Folders {
public:
    MemoryFolders(Disk& disk, Latency latency)
        : disk_(disk), life_(disk.life()), latency_(std::move(latency)) {}

    boost::asio::awaitable<std::string> make(SessionId id) override;
    // A path, as a spec wants one; behind the slash is the name of the tree.
    [[nodiscard]] std::string path_of(const SessionId& id) const override {
        return "/" + id.text();
    }
    boost::asio::awaitable<void> remove(SessionId id) override;
    boost::asio::awaitable<void> bring_in(SessionId id, std::string name, UniqueFd bytes) override;
    boost::asio::awaitable<void> tidy() override { co_return; }  // nothing is left behind here
    [[nodiscard]] Result<void> check_root() const override { return {}; }
    boost::asio::awaitable<void> copy(SessionId from, SessionId to) override;
    boost::asio::awaitable<core::FolderUse> use(SessionId id) override;
    boost::asio::awaitable<std::uint64_t> state_bytes(SessionId id) override;
    [[nodiscard]] std::string store_identity() const override { return disk_.store_identity; }
    Result<void> set_store_identity(const std::string& identity) override;
    boost::asio::awaitable<std::vector<SessionId>> list() override;
    boost::asio::awaitable<std::uint64_t> room() override;
    Result<UniqueFd> begin_state(const SessionId& id, const std::string& name) override;
    Result<void> finish_state(const SessionId& id, const std::string& name,
                              UniqueFd written) override;
    boost::asio::awaitable<void> write_state(const UniqueFd& file, std::string bytes) override;
    boost::asio::awaitable<void> sync_state(const UniqueFd& file) override;
    boost::asio::awaitable<std::string> read_state(const UniqueFd& file,
                                                   std::size_t bytes_max) override;
    Result<UniqueFd> open_state(const SessionId& id, const std::string& name) override;
    [[nodiscard]] Result<std::vector<std::string>> list_state(const SessionId& id) const override;
    Result<void> share_state(const SessionId& from, const SessionId& to) override;
    Result<void> remove_state(const SessionId& id, const std::string& name) override;

private:
    void alive() const;
    void write();  // throws when it does not happen

    Disk& disk_;
    const std::uint64_t life_;
    Latency latency_;
};

// Sessions and jobs only: asking for anything else is a mistake of the test, and ends it.
class MemoryStore final : public core::Store {
public:
    MemoryStore(Disk& disk, Latency latency)
        : disk_(disk), life_(disk.life()), latency_(std::move(latency)) {}

    [[nodiscard]] core::StoreHealth health() const override { return {}; }
    boost::asio::awaitable<std::string> identity() override;
    boost::asio::awaitable<core::SessionRecord> create_session(core::SessionRecord record,
                                                               std::uint64_t owner_max) override;
    boost::asio::awaitable<core::SessionRecord> update_session(core::SessionRecord record) override;
    boost::asio::awaitable<core::SessionRecord> patch_session(
        core::Whose whose, SessionId id, core::SessionPatch patch,
        std::optional<std::uint64_t> generation) override;
    boost::asio::awaitable<core::SessionRecord> get_session(core::Whose whose,
                                                            SessionId id) override;
    boost::asio::awaitable<core::SessionRecord> session_named(std::string owner,
                                                              std::string name) override;
    boost::asio::awaitable<core::SessionPage> list_sessions(core::SessionQuery query) override;
    boost::asio::awaitable<std::vector<core::SessionRecord>> expired_sessions(
        core::Time now, std::uint32_t limit) override;
    boost::asio::awaitable<void> remove_session(core::Whose whose, SessionId id) override;

    boost::asio::awaitable<core::JobRecord> add_job(core::JobRecord record,
                                                    std::uint64_t owner_max) override;
    boost::asio::awaitable<std::optional<core::JobRecord>> take_job(
        core::JobRequest request) override;
    boost::asio::awaitable<bool> renew_job(core::JobHold hold, core::Time until) override;
    boost::asio::awaitable<core::JobRecord> finish_job(core::JobHold hold,
                                                       core::JobEnd end) override;
    boost::asio::awaitable<core::JobRecord> return_job(core::JobHold hold,
                                                       core::JobReturn back) override;
    boost::asio::awaitable<core::JobRecord> cancel_job(core::Whose whose, JobId id,
                                                       core::Time now) override;
    boost::asio::awaitable<core::JobRecord> get_job(core::Whose whose, JobId id) override;
    boost::asio::awaitable<core::JobPage> list_jobs(core::JobQuery query) override;
    boost::asio::awaitable<void> remove_job(core::Whose whose, JobId id) override;
    boost::asio::awaitable<std::uint64_t> forget_jobs(core::Time ended_before,
                                                      std::uint32_t limit) override;
    boost::asio::awaitable<std::uint64_t> job_bytes(std::string owner) override;
    boost::asio::awaitable<core::LogAppended> append_log(core::JobHold hold,
                                                         std::vector<core::LogPiece> pieces,
                                                         core::Time now,
                                                         std::uint64_t bytes_max) override;
    boost::asio::awaitable<core::LogRead> read_log(core::Whose whose, JobId id,
                                                   std::uint64_t sequence,
                                                   std::uint64_t bytes_max) override;
    boost::asio::awaitable<core::Recovered> recover(std::string instance, core::Time now) override;
    boost::asio::awaitable<core::Recovered> expire_leases(core::Time now) override;
    boost::asio::awaitable<void> add_key(core::KeyRecord record) override;
    boost::asio::awaitable<core::KeyRecord> check_key(KeyId id, core::Sha256 secret,
                                                      core::Time now) override;
    boost::asio::awaitable<core::KeyRecord> get_key(core::Whose whose, KeyId id) override;
    boost::asio::awaitable<core::KeyPage> list_keys(core::KeyQuery query) override;
    boost::asio::awaitable<void> touch_key(KeyId id, core::Time used_at) override;
    boost::asio::awaitable<core::KeyRecord> revoke_key(core::Whose whose, KeyId id,
                                                       core::Time now) override;
    boost::asio::awaitable<void> append_audit(core::AuditRecord record) override;
    boost::asio::awaitable<core::AuditPage> list_audit(core::AuditQuery query) override;
    boost::asio::awaitable<core::UsageCounters> add_usage(std::string owner, core::Day day,
                                                          core::UsageCounters more) override;
    boost::asio::awaitable<std::vector<core::UsageOfDay>> get_usage(std::string owner,
                                                                    core::Day first,
                                                                    core::Day last) override;

private:
    void write();
    core::SessionRecord& record(const core::Whose& whose, const SessionId& id);
    core::JobRecord& job(const core::Whose& whose, const JobId& id);
    core::JobRecord& held(const core::JobHold& hold);  // Conflict if it is not
    void check_name(const core::SessionRecord& record) const;

    Disk& disk_;
    const std::uint64_t life_;
    Latency latency_;
};

}  // namespace atl::testing
