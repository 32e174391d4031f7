#include "stores/sqlite/open.hpp"

#include "base/fd.hpp"
#include "stores/sqlite/schema.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <vector>

namespace atl::sqlite {

namespace {

constexpr off_t kHeaderBytes = 100;

Error system_error(const std::string& what, const std::string& path, int cause) {
    const bool full = cause == ENOSPC || cause == EDQUOT;
    return {full ? Code::Exhausted : Code::Unavailable,
            what + " " + path + ": " + std::strerror(cause)};
}

// Nothing when it does not exist.
Result<std::optional<off_t>> size_of(const std::string& path) {
    struct stat there {};
    if (::stat(path.c_str(), &there) != 0) {
        if (errno == ENOENT) return std::optional<off_t>();
        return system_error("look at", path, errno);
    }
    if (!S_ISREG(there.st_mode)) return Error{Code::Unavailable, path + " is not a plain file"};
    return std::optional<off_t>(there.st_size);
}

// What SQLite would take for a new and empty database, and what it would then overwrite: its log
// belongs to a database that was there. Says how large the file is.
Result<off_t> look_before_opening(const std::string& path) {
    auto size = size_of(path);
    if (!size) return size.error();
    auto log = size_of(path + "-wal");
    if (!log) return log.error();
    const off_t bytes = size->value_or(0);
    if (bytes == 0 && log->value_or(0) > 0) {
        return Error{Code::Unavailable,
                     damage_sentence(path, "it is missing or empty, but its log is there")};
    }
    if (bytes > 0 && bytes < kHeaderBytes) {
        return Error{Code::Unavailable, damage_sentence(path, "it is cut off")};
    }
    if (!*size) {
        // Made here and not by SQLite, for its mode: it will hold what users wrote.
        const UniqueFd made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!made) return system_error("make", path, errno);
    }
    return bytes;
}

// What the check finds wrong, in SQLite's words; empty when nothing is.
std::string findings(Connection& db, std::uint64_t bytes, const StoreOptions& options) {
    std::vector<std::string> checks{"PRAGMA quick_check(1)"};
    if (bytes > options.check_bytes_max) {
        // The check of a table cannot be stopped halfway, so what may be huge is left out.
        checks.clear();
        for (const char* table :
             {"sessions", "session_metadata", "jobs", "job_metadata", "api_keys", "owner_usage"}) {
            checks.push_back("PRAGMA quick_check(" + std::string(table) + ")");
        }
    }
    try {
        for (const auto& check : checks) {
            auto rows = db.query(check);
            while (rows.next()) {
                std::string said = rows.text();
                // It begins with a line "*** in database main ***" of its own.
                if (said != "ok") return said.substr(said.find_last_of('\n') + 1);
            }
        }
    } catch (const SqliteFailure& failure) {
        if (!failure.is_corruption()) throw;
        return sqlite3_errmsg(db.raw());
    }
    return {};
}

Result<Opened> open_damaged(const StoreOptions& options, const std::string& what) {
    auto db = Connection::open(options.path, Connection::Mode::ReadOnly, options.busy_ms);
    const std::string sentence = damage_sentence(options.path, what);
    if (!db) return Error{Code::Unavailable, sentence};
    return Opened{std::move(*db), {core::StoreHealth::State::ReadOnly, sentence}};
}

Result<void> begin_log(Connection& db, Durability durability) {
    std::string mode;
    {
        auto query = db.query("PRAGMA journal_mode = WAL");
        if (query.next()) mode = query.text();
    }
    if (mode != "wal") {
        return Error{Code::Unavailable, "the file system of " + db.path() +
                                            " cannot share memory between programs, which a "
                                            "write-ahead log needs; choose another data folder"};
    }
    // NORMAL: a commit is in the log, which is the operating system's; it reaches the disk at each
    // checkpoint. FULL: each commit waits for the disk. Neither can leave the file half-written.
    db.script(durability == Durability::Power ? "PRAGMA synchronous = FULL"
                                              : "PRAGMA synchronous = NORMAL");
    return {};
}

bool has_every_step(Connection& db) {
    auto query = db.query("PRAGMA user_version");
    return query.next() && query.count() == schema_steps().size();
}

}  // namespace

Result<Opened> open_database(const StoreOptions& options) {
    const auto& path = options.path;
    auto bytes = look_before_opening(path);
    if (!bytes) return bytes.error();
    auto opened = Connection::open(path, Connection::Mode::ReadWrite, options.busy_ms);
    if (!opened) return opened.error();
    auto& db = *opened;
    // Until it is known to be sound, closing must not move its log into it.
    db->keep_files_as_they_are(true);
    try {
        auto ours = check_identity(*db, schema_steps().size());
        if (!ours) return ours.error();
        const auto wrong =
            *bytes > 0 ? findings(*db, static_cast<std::uint64_t>(*bytes), options) : std::string();
        if (!wrong.empty()) {
            if (!has_every_step(*db)) return Error{Code::Unavailable, damage_sentence(path, wrong)};
            db.reset();
            return open_damaged(options, wrong);
        }
        if (db->opened_read_only()) {
            if (!has_every_step(*db)) {
                return Error{Code::Unavailable, "the database " + path +
                                                    " cannot be written, and it needs to be "
                                                    "brought to a newer schema first"};
            }
            return Opened{std::move(db),
                          {core::StoreHealth::State::ReadOnly,
                           "the file " + path +
                               " cannot be written; give the server the right to, and start it "
                               "again"}};
        }
        auto begun = begin_log(*db, options.durability);
        if (!begun) return begun.error();
        auto migrated = migrate(*db, schema_steps());
        if (!migrated) return migrated.error();
    } catch (const ErrorException& failed) { return failed.error; }
    db->keep_files_as_they_are(false);
    return Opened{std::move(db), {}};
}

}  // namespace atl::sqlite
