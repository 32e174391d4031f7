#pragma once
// core::Store in one SQLite file: the store of a single machine.
//
// Owns      the database file and those beside it (-wal, -shm), and the lock on the data folder.
// Threads   its methods from any; one OS thread uses SQLite (database_thread.hpp).
// Trusts    nothing it reads from the file: a damaged one is noticed, reported and left alone.
// Failure   a full disk fails the write and no more. Damage makes the store read-only. A file that
//           cannot be read at all cannot be opened: open() says why, and what to do.
#include "core/store.hpp"
#include "core/threads.hpp"
#include "stores/sqlite/data_lock.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace atl::sqlite {

class SqliteThreads;
class DatabaseThread;

// What a write that was answered survives.
enum class Durability {
    Process,  // the end of the server, however sudden; it is with the operating system
    Power,    // the end of the machine, too; every commit waits for the disk
};

struct StoreOptions {
    std::string path;  // the file; its folder is made when missing. The lock is `path` + ".lock"
    Durability durability = Durability::Process;
    int busy_ms = 5000;  // how long another program (a backup) may hold the writer's lock
    std::size_t queue_tasks_max = 4096;
    std::size_t queue_bytes_max = 64u << 20;
    std::size_t group_tasks_max = 256;
    // Up to this size the whole file is checked when it is opened; of a larger one only what the
    // server cannot do without: all but logs and audit.
    std::uint64_t check_bytes_max = 256ull << 20;
    // Files and folders that are made after the database: where one of them is, a database that is
    // missing or empty was lost, and counts as damaged.
    std::vector<std::string> made_after = {};
    // A file that is damaged beyond reading is opened all the same: read-only, and every call
    // fails with the sentence that health() has. Else open() fails.
    bool open_unreadable = false;
};

// For metrics.
struct StoreCounts {
    std::uint64_t requests = 0;
    std::uint64_t commits = 0;  // groups of requests
    std::uint64_t refused = 0;  // because too many waited
    std::uint64_t waiting = 0;
};

class SqliteStore final : public core::Store {
public:
    // Blocks while it checks and migrates, so it is called before the loop runs. Conflict: another
    // server has this folder, or the file is not Atoll's. Unsupported: a newer Atoll wrote it.
    // Unavailable: it is damaged beyond reading, or the disk does not let us.
    [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(StoreOptions options);
    // Carries out what was asked, answers, and closes the file.
    ~SqliteStore() override;

    [[nodiscard]] StoreCounts counts() const;

    // Conversations, in the same file and under the same promises; lives as long as the store.
    [[nodiscard]] core::Threads& threads();

    [[nodiscard]] core::StoreHealth health() const override;
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
    SqliteStore(DataLock lock, std::unique_ptr<DatabaseThread> worker);
    DataLock lock_;  // let go last
    std::unique_ptr<DatabaseThread> worker_;
    std::unique_ptr<SqliteThreads> threads_;
};

}  // namespace atl::sqlite
