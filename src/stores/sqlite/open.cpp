#include "stores/sqlite/open.hpp"

#include "base/fd.hpp"
#include "stores/sqlite/schema.hpp"
#include "stores/sqlite/thread_table.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <vector>

namespace atl::sqlite {

namespace {

constexpr off_t kHeaderBytes = 100;

Error system_error(const std::string& what, const std::string& path, int cause) {
    const bool full = cause == ENOSPC || cause == EDQUOT;
    return {full ? Code::DiskFull : Code::Unavailable,
            what + " " + path + ": " + std::strerror(cause)};
}

// For sentences that clients see.
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

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

// SQLite takes a log whose head makes no sense for an empty one and writes over it, with all that
// was committed there and nowhere else. Empty when the log is sound, as far as its head says.
Result<std::string> damage_of_log(const std::string& path, off_t bytes) {
    if (bytes == 0) return std::string();
    std::array<unsigned char, 32> head{};
    const UniqueFd log(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!log) return system_error("open", path, errno);
    const ssize_t n = ::pread(log.get(), head.data(), head.size(), 0);
    if (n < 0) return system_error("read", path, errno);
    if (n < static_cast<ssize_t>(head.size())) return "its log " + name_of(path) + " is cut off";
    const auto word = [&](std::size_t i, bool big) {
        std::uint32_t value = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            value |= std::uint32_t{head[i * 4 + k]} << (8 * (big ? 3 - k : k));
        }
        return value;
    };
    // https://www.sqlite.org/fileformat2.html#walformat: the magic number tells the order of bytes
    // in checksums; the last two words are that of the six before.
    constexpr std::uint32_t kMagic = 0x377f0682;
    const bool big = (word(0, true) & 1) != 0;
    std::uint32_t first = 0, second = 0;
    for (std::size_t i = 0; i < 6; i += 2) {
        first += word(i, big) + second;
        second += word(i + 1, big) + first;
    }
    const bool sound =
        (word(0, true) & ~1u) == kMagic && first == word(6, true) && second == word(7, true);
    return sound ? std::string() : "its log " + name_of(path) + " cannot be read";
}

// A database was here. What cannot be looked at is taken to be there: nobody comes in by mistake.
bool has_lived(const StoreOptions& options) {
    for (const auto& path : options.made_after) {
        struct stat there {};
        if (::lstat(path.c_str(), &there) == 0 || (errno != ENOENT && errno != ENOTDIR))
            return true;
    }
    return false;
}

// What SQLite would take for a new and empty database, and what it would then overwrite: its log
// belongs to a database that was there. Says how large the file is.
Result<off_t> look_before_opening(const StoreOptions& options, std::string& damage,
                                  std::string& log_damage) {
    const std::string& path = options.path;
    auto size = size_of(path);
    if (!size) return size.error();
    auto log = size_of(path + "-wal");
    if (!log) return log.error();
    const off_t bytes = size->value_or(0);
    if (bytes == 0 && log->value_or(0) > 0) {
        damage = "it is missing or empty, but its log is there";
    } else if (bytes == 0 && has_lived(options)) {
        damage =
            "it is missing or empty, but sessions, keys or files that were made with it are there; "
            "to start over, choose an empty data folder";
    } else if (bytes > 0 && bytes < kHeaderBytes) {
        damage = "it is cut off";
    }
    if (!damage.empty()) return bytes;
    auto wrong_with_log = damage_of_log(path + "-wal", log->value_or(0));
    if (!wrong_with_log) return wrong_with_log.error();
    log_damage = std::move(*wrong_with_log);
    if (!log_damage.empty()) return bytes;
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
             {"sessions", "session_metadata", "jobs", "job_metadata", "api_keys", "owner_usage",
              "uploads", "threads", "thread_files"}) {
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

bool has_every_step(Connection& db) {
    auto query = db.query("PRAGMA user_version");
    return query.next() && query.count() == schema_steps().size();
}

Opened unreadable(const std::string& path, std::string_view what) {
    return {nullptr, {core::StoreHealth::State::ReadOnly, damage_sentence(path, what)}};
}

bool says_corruption(Connection& db) {
    const int rc = sqlite3_errcode(db.raw()) & 0xff;
    return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB;
}

Result<Opened> open_damaged(const StoreOptions& options, const std::string& what) {
    auto db = Connection::open(options.path, Connection::Mode::ReadOnly, options.busy_ms);
    const std::string sentence = damage_sentence(options.path, what);
    if (!db) return unreadable(options.path, what);
    (*db)->keep_files_as_they_are(true);
    try {
        if (!has_every_step(**db)) return unreadable(options.path, what);
    } catch (const SqliteFailure&) { return unreadable(options.path, what); }
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

}  // namespace

DatabaseThread::Found look_again(const StoreOptions& options) {
    using Verdict = DatabaseThread::Verdict;
    const auto bytes = size_of(options.path);
    if (!bytes || !*bytes) return {Verdict::Unreadable, nullptr};
    auto db = Connection::open(options.path, Connection::Mode::ReadWrite, options.busy_ms);
    if (!db) return {Verdict::Unreadable, nullptr};
    (*db)->keep_files_as_they_are(true);
    std::string wrong;
    try {
        wrong = findings(**db, static_cast<std::uint64_t>(**bytes), options);
        if (wrong.empty() && begin_log(**db, options.durability)) {
            (*db)->keep_files_as_they_are(false);
            return {Verdict::Sound, std::move(*db)};
        }
    } catch (const SqliteFailure&) { return {Verdict::Unreadable, nullptr}; }
    const bool damaged = !wrong.empty() && !(*db)->disk_failed();
    return {damaged ? Verdict::Damaged : Verdict::Unreadable, nullptr};
}

Result<Opened> open_database(const StoreOptions& options) {
    const auto& path = options.path;
    std::string damage, log_damage;
    auto bytes = look_before_opening(options, damage, log_damage);
    if (!bytes) return bytes.error();
    if (!damage.empty()) return unreadable(path, damage);
    if (!log_damage.empty()) return open_damaged(options, log_damage);
    auto opened = Connection::open(path, Connection::Mode::ReadWrite, options.busy_ms);
    if (!opened) return opened.error();
    auto& db = *opened;
    // Until it is known to be sound, closing must not move its log into it.
    db->keep_files_as_they_are(true);
    try {
        auto ours = check_identity(*db, schema_steps().size());
        if (!ours && says_corruption(*db)) return unreadable(path, sqlite3_errmsg(db->raw()));
        if (!ours) return ours.error();
        const auto wrong =
            *bytes > 0 ? findings(*db, static_cast<std::uint64_t>(*bytes), options) : std::string();
        if (!wrong.empty()) {
            if (!has_every_step(*db)) return unreadable(path, wrong);
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
                           "the file " + name_of(path) +
                               " cannot be written; give the server the right to, and start it "
                               "again"}};
        }
        auto begun = begin_log(*db, options.durability);
        if (!begun) return begun.error();
        auto migrated = migrate(*db, schema_steps());
        if (!migrated) return migrated.error();
        end_leases_of_the_dead(*db);
    } catch (const SqliteFailure& failed) {
        if (failed.is_corruption()) return unreadable(path, sqlite3_errmsg(db->raw()));
        return failed.error;
    } catch (const ErrorException& failed) { return failed.error; }
    db->keep_files_as_they_are(false);
    return Opened{std::move(db), {}};
}

}  // namespace atl::sqlite
