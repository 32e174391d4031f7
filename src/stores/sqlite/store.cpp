#include "stores/sqlite/store.hpp"

#include "stores/sqlite/database_thread.hpp"
#include "stores/sqlite/job_table.hpp"
#include "stores/sqlite/ledger_tables.hpp"
#include "stores/sqlite/open.hpp"
#include "stores/sqlite/session_table.hpp"
#include "stores/sqlite/threads.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace atl::sqlite {

namespace asio = boost::asio;
namespace fs = std::filesystem;

namespace {

// What a record holds on to while it waits in the queue, about.
std::size_t weight_of(const std::map<std::string, std::string>& map) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : map) bytes += 64 + name.size() + value.size();
    return bytes;
}
std::size_t weight_of(const core::SessionRecord& record) {
    return kSmall + record.spec_json.size() + record.state_note.size() + record.name.size() +
           weight_of(record.metadata);
}
std::size_t weight_of(const core::SessionPatch& patch) {
    return kSmall + (patch.spec_json ? patch.spec_json->size() : 0) +
           (patch.state_note ? patch.state_note->size() : 0) +
           (patch.metadata ? weight_of(*patch.metadata) : 0);
}
std::size_t weight_of(const std::vector<core::LogPiece>& pieces) {
    std::size_t bytes = kSmall;
    for (const auto& piece : pieces) bytes += 64 + piece.bytes.size();
    return bytes;
}

Result<void> make_folder(const std::string& file) {
    const fs::path folder = fs::path(file).parent_path();
    if (folder.empty()) return {};
    std::error_code failed;
    if (!fs::create_directories(folder, failed)) {
        if (!failed) return {};  // it was there
        return Error{Code::Unavailable,
                     "make the folder " + folder.string() + ": " + failed.message()};
    }
    fs::permissions(folder, fs::perms::owner_all, failed);
    if (failed) {
        return Error{Code::Unavailable,
                     "close the folder " + folder.string() + " to others: " + failed.message()};
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(StoreOptions options) {
    auto folder = make_folder(options.path);
    if (!folder) return folder.error();
    auto lock = DataLock::take(options.path + ".lock");
    if (!lock) return lock.error();
    auto opened = open_database(options);
    if (!opened) return opened.error().during("open the store " + options.path);
    if (!opened->db && !options.open_unreadable) {
        return Error{Code::Unavailable, opened->health.sentence}.during("open the store " +
                                                                        options.path);
    }
    DatabaseThread::Limits limits;
    limits.queue_tasks_max = options.queue_tasks_max;
    limits.queue_bytes_max = options.queue_bytes_max;
    limits.group_tasks_max = options.group_tasks_max;
    auto worker =
        std::make_unique<DatabaseThread>(std::move(opened->db), limits, std::move(opened->health),
                                         [options] { return look_again(options); });
    return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(*lock), std::move(worker)));
}

SqliteStore::SqliteStore(DataLock lock, std::unique_ptr<DatabaseThread> worker)
    : lock_(std::move(lock)),
      worker_(std::move(worker)),
      threads_(std::make_unique<SqliteThreads>(*worker_)) {}

SqliteStore::~SqliteStore() = default;

core::StoreHealth SqliteStore::health() const { return worker_->health(); }

asio::awaitable<std::string> SqliteStore::identity() {
    return worker_->ask<std::string>(kReads, kSmall, [](Connection& db) {
        auto query = db.query("SELECT id FROM identity");
        return query.next() ? query.text() : std::string();
    });
}

core::Threads& SqliteStore::threads() { return *threads_; }

StoreCounts SqliteStore::counts() const {
    const auto counts = worker_->counts();
    return {counts.tasks, counts.groups, counts.refused, counts.waiting};
}

// ---- Sessions ----

asio::awaitable<core::SessionRecord> SqliteStore::create_session(core::SessionRecord record,
                                                                 std::uint64_t owner_max) {
    const auto bytes = weight_of(record);
    return worker_->ask<core::SessionRecord>(
        kWrites, bytes, [record = std::move(record), owner_max](Connection& db) {
            return sqlite::create_session(db, record, owner_max);
        });
}

asio::awaitable<core::SessionRecord> SqliteStore::update_session(core::SessionRecord record) {
    const auto bytes = weight_of(record);
    return worker_->ask<core::SessionRecord>(kWrites, bytes,
                                             [record = std::move(record)](Connection& db) {
                                                 return sqlite::update_session(db, record);
                                             });
}

asio::awaitable<core::SessionRecord> SqliteStore::patch_session(
    core::Whose whose, SessionId id, core::SessionPatch patch,
    std::optional<std::uint64_t> generation) {
    const auto bytes = weight_of(patch);
    return worker_->ask<core::SessionRecord>(
        kWrites, bytes,
        [whose = std::move(whose), id = std::move(id), patch = std::move(patch), generation](
            Connection& db) { return sqlite::patch_session(db, whose, id, patch, generation); });
}

asio::awaitable<core::SessionRecord> SqliteStore::get_session(core::Whose whose, SessionId id) {
    return worker_->ask<core::SessionRecord>(
        kReads, kSmall, [whose = std::move(whose), id = std::move(id)](Connection& db) {
            return sqlite::get_session(db, whose, id);
        });
}

asio::awaitable<core::SessionRecord> SqliteStore::session_named(std::string owner,
                                                                std::string name) {
    return worker_->ask<core::SessionRecord>(
        kReads, kSmall, [owner = std::move(owner), name = std::move(name)](Connection& db) {
            return sqlite::session_named(db, owner, name);
        });
}

asio::awaitable<core::SessionPage> SqliteStore::list_sessions(core::SessionQuery query) {
    const auto bytes = kSmall + weight_of(query.metadata);
    return worker_->ask<core::SessionPage>(
        kReads, bytes,
        [query = std::move(query)](Connection& db) { return sqlite::list_sessions(db, query); });
}

asio::awaitable<std::vector<core::SessionRecord>> SqliteStore::expired_sessions(
    core::Time now, std::uint32_t limit) {
    return worker_->ask<std::vector<core::SessionRecord>>(
        kReads, kSmall,
        [now, limit](Connection& db) { return sqlite::expired_sessions(db, now, limit); });
}

asio::awaitable<void> SqliteStore::remove_session(core::Whose whose, SessionId id) {
    return worker_->ask<void>(kWrites, kSmall,
                              [whose = std::move(whose), id = std::move(id)](Connection& db) {
                                  sqlite::remove_session(db, whose, id);
                              });
}

// ---- Jobs ----

asio::awaitable<core::JobRecord> SqliteStore::add_job(core::JobRecord record,
                                                      std::uint64_t owner_max) {
    const auto bytes =
        kSmall + record.code.size() + record.spec_json.size() + weight_of(record.metadata);
    return worker_->ask<core::JobRecord>(kWrites, bytes,
                                         [record = std::move(record), owner_max](Connection& db) {
                                             return sqlite::add_job(db, record, owner_max);
                                         });
}

asio::awaitable<std::optional<core::JobRecord>> SqliteStore::take_job(core::JobRequest request) {
    return worker_->ask<std::optional<core::JobRecord>>(
        kWrites, kSmall,
        [request = std::move(request)](Connection& db) { return sqlite::take_job(db, request); });
}

asio::awaitable<bool> SqliteStore::renew_job(core::JobHold hold, core::Time until) {
    return worker_->ask<bool>(kWrites, kSmall, [hold = std::move(hold), until](Connection& db) {
        return sqlite::renew_job(db, hold, until);
    });
}

asio::awaitable<core::JobRecord> SqliteStore::finish_job(core::JobHold hold, core::JobEnd end) {
    const auto bytes = kSmall + end.error.size();
    return worker_->ask<core::JobRecord>(
        kWrites, bytes, [hold = std::move(hold), end = std::move(end)](Connection& db) {
            return sqlite::finish_job(db, hold, end);
        });
}

asio::awaitable<core::JobRecord> SqliteStore::return_job(core::JobHold hold, core::JobReturn back) {
    const auto bytes = kSmall + back.why.size();
    return worker_->ask<core::JobRecord>(
        kWrites, bytes, [hold = std::move(hold), back = std::move(back)](Connection& db) {
            return sqlite::return_job(db, hold, back);
        });
}

asio::awaitable<core::JobRecord> SqliteStore::cancel_job(core::Whose whose, JobId id,
                                                         core::Time now) {
    return worker_->ask<core::JobRecord>(
        kWrites, kSmall, [whose = std::move(whose), id = std::move(id), now](Connection& db) {
            return sqlite::cancel_job(db, whose, id, now);
        });
}

asio::awaitable<core::JobRecord> SqliteStore::get_job(core::Whose whose, JobId id) {
    return worker_->ask<core::JobRecord>(
        kReads, kSmall, [whose = std::move(whose), id = std::move(id)](Connection& db) {
            return sqlite::get_job(db, whose, id);
        });
}

asio::awaitable<core::JobPage> SqliteStore::list_jobs(core::JobQuery query) {
    const auto bytes = kSmall + weight_of(query.metadata);
    return worker_->ask<core::JobPage>(kReads, bytes, [query = std::move(query)](Connection& db) {
        return sqlite::list_jobs(db, query);
    });
}

asio::awaitable<void> SqliteStore::remove_job(core::Whose whose, JobId id) {
    return worker_->ask<void>(kWrites, kSmall,
                              [whose = std::move(whose), id = std::move(id)](Connection& db) {
                                  sqlite::remove_job(db, whose, id);
                              });
}

asio::awaitable<std::uint64_t> SqliteStore::forget_jobs(core::Time ended_before,
                                                        std::uint32_t limit) {
    return worker_->ask<std::uint64_t>(kWrites, kSmall, [ended_before, limit](Connection& db) {
        return sqlite::forget_jobs(db, ended_before, limit);
    });
}

asio::awaitable<std::uint64_t> SqliteStore::job_bytes(std::string owner) {
    const auto bytes = kSmall + owner.size();
    return worker_->ask<std::uint64_t>(kReads, bytes, [owner = std::move(owner)](Connection& db) {
        return sqlite::job_bytes(db, owner);
    });
}

asio::awaitable<core::LogAppended> SqliteStore::append_log(core::JobHold hold,
                                                           std::vector<core::LogPiece> pieces,
                                                           core::Time now,
                                                           std::uint64_t bytes_max) {
    const auto bytes = weight_of(pieces);
    return worker_->ask<core::LogAppended>(
        kWrites, bytes,
        [hold = std::move(hold), pieces = std::move(pieces), now, bytes_max](Connection& db) {
            return sqlite::append_log(db, hold, pieces, now, bytes_max);
        });
}

asio::awaitable<core::LogRead> SqliteStore::read_log(core::Whose whose, JobId id,
                                                     std::uint64_t sequence,
                                                     std::uint64_t bytes_max) {
    return worker_->ask<core::LogRead>(
        kReads, kSmall,
        [whose = std::move(whose), id = std::move(id), sequence, bytes_max](Connection& db) {
            return sqlite::read_log(db, whose, id, sequence, bytes_max);
        });
}

asio::awaitable<core::Recovered> SqliteStore::recover(std::string instance, core::Time now) {
    return worker_->ask<core::Recovered>(kWrites, kSmall,
                                         [instance = std::move(instance), now](Connection& db) {
                                             return recover_jobs_of_others(db, instance, now);
                                         });
}

asio::awaitable<core::Recovered> SqliteStore::expire_leases(core::Time now) {
    return worker_->ask<core::Recovered>(
        kWrites, kSmall, [now](Connection& db) { return recover_expired_jobs(db, now); });
}

// ---- Keys ----

asio::awaitable<void> SqliteStore::add_key(core::KeyRecord record) {
    return worker_->ask<void>(kWrites, kSmall, [record = std::move(record)](Connection& db) {
        sqlite::add_key(db, record);
    });
}

asio::awaitable<core::KeyRecord> SqliteStore::check_key(KeyId id, core::Sha256 secret,
                                                        core::Time now) {
    return worker_->ask<core::KeyRecord>(kReads, kSmall,
                                         [id = std::move(id), secret, now](Connection& db) {
                                             return sqlite::check_key(db, id, secret, now);
                                         });
}

asio::awaitable<core::KeyRecord> SqliteStore::get_key(core::Whose whose, KeyId id) {
    return worker_->ask<core::KeyRecord>(
        kReads, kSmall, [whose = std::move(whose), id = std::move(id)](Connection& db) {
            return sqlite::get_key(db, whose, id);
        });
}

asio::awaitable<core::KeyPage> SqliteStore::list_keys(core::KeyQuery query) {
    return worker_->ask<core::KeyPage>(kReads, kSmall, [query = std::move(query)](Connection& db) {
        return sqlite::list_keys(db, query);
    });
}

asio::awaitable<void> SqliteStore::touch_key(KeyId id, core::Time used_at) {
    return worker_->ask<void>(kWrites, kSmall, [id = std::move(id), used_at](Connection& db) {
        sqlite::touch_key(db, id, used_at);
    });
}

asio::awaitable<core::KeyRecord> SqliteStore::revoke_key(core::Whose whose, KeyId id,
                                                         core::Time now) {
    return worker_->ask<core::KeyRecord>(
        kWrites, kSmall, [whose = std::move(whose), id = std::move(id), now](Connection& db) {
            return sqlite::revoke_key(db, whose, id, now);
        });
}

// ---- Audit ----

asio::awaitable<void> SqliteStore::append_audit(core::AuditRecord record) {
    const auto bytes = kSmall + record.detail_json.size();
    return worker_->ask<void>(kWrites, bytes, [record = std::move(record)](Connection& db) {
        sqlite::append_audit(db, record);
    });
}

asio::awaitable<core::AuditPage> SqliteStore::list_audit(core::AuditQuery query) {
    return worker_->ask<core::AuditPage>(
        kReads, kSmall,
        [query = std::move(query)](Connection& db) { return sqlite::list_audit(db, query); });
}

// ---- Use ----

asio::awaitable<core::UsageCounters> SqliteStore::add_usage(std::string owner, core::Day day,
                                                            core::UsageCounters more) {
    return worker_->ask<core::UsageCounters>(kWrites, kSmall,
                                             [owner = std::move(owner), day, more](Connection& db) {
                                                 return sqlite::add_usage(db, owner, day, more);
                                             });
}

asio::awaitable<std::vector<core::UsageOfDay>> SqliteStore::get_usage(std::string owner,
                                                                      core::Day first,
                                                                      core::Day last) {
    return worker_->ask<std::vector<core::UsageOfDay>>(
        kReads, kSmall, [owner = std::move(owner), first, last](Connection& db) {
            return sqlite::get_usage(db, owner, first, last);
        });
}

}  // namespace atl::sqlite
