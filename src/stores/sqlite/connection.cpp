#include "stores/sqlite/connection.hpp"

#include <cerrno>
#include <cstring>
#include <limits>

namespace atl::sqlite {

namespace {

constexpr std::size_t kStatementsMax = 128;
constexpr int kRecordBytesMax = 64 << 20;  // the last backstop; real limits stand far above
constexpr std::int64_t kLogKeptBytes = 64ll << 20;

}  // namespace

// These reach clients, whom the folders of the host are no business of.
std::string name_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string damage_sentence(const std::string& path, std::string_view what) {
    const std::string name = name_in(path);
    return "the database " + name + " is damaged (" + std::string(what) +
           "); it is left as it is. Stop the server, keep a copy of the file and of those beside "
           "it, then put back a backup or save what is readable with `sqlite3 " +
           name + " .recover`";
}

Error explain(int rc, int system_errno, std::string_view message, const std::string& path) {
    const std::string said(message);
    const std::string name = name_in(path);
    switch (rc & 0xff) {
        case SQLITE_FULL:
            return {Code::DiskFull, "the disk that holds " + name +
                                        " is full; nothing was written. Free some space, then try "
                                        "again"};
        case SQLITE_IOERR: {
            const std::string cause = system_errno != 0 ? std::strerror(system_errno) : said;
            const bool full = system_errno == ENOSPC || system_errno == EDQUOT ||
                              system_errno == EFBIG || rc == SQLITE_IOERR_WRITE;
            return {full ? Code::DiskFull : Code::Unavailable,
                    "the disk that holds " + name + " cannot be read or written (" + cause +
                        "); nothing was written"};
        }
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return {Code::Unavailable, damage_sentence(name, said)};
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            return {Code::Unavailable, "another program is writing to " + name +
                                           " and did not finish; stop it, then try again"};
        case SQLITE_READONLY:
        case SQLITE_CANTOPEN:
        case SQLITE_PERM: {
            std::string cause = said;
            if (system_errno != 0) cause += ": " + std::string(std::strerror(system_errno));
            return {Code::Unavailable, "cannot open or write " + name + " (" + cause + ")"};
        }
        case SQLITE_TOOBIG: return {Code::TooLarge, "the record is larger than 64 MiB"};
        case SQLITE_NOMEM: return {Code::Unavailable, "out of memory"};
        default: return {Code::Internal, "SQLite, " + name + ": " + said};
    }
}

// ---- Query ----

Query::~Query() {
    sqlite3_reset(statement_);  // its error, if any, was thrown by step
    sqlite3_clear_bindings(statement_);
}

void Query::check_bind(int rc) {
    if (rc != SQLITE_OK) connection_.fail(rc);
}

Query& Query::bind(std::int64_t value) {
    check_bind(sqlite3_bind_int64(statement_, ++bound_, value));
    return *this;
}

Query& Query::bind(std::uint64_t value) {
    constexpr std::uint64_t highest = std::numeric_limits<std::int64_t>::max();
    return bind(static_cast<std::int64_t>(std::min(value, highest)));
}

Query& Query::bind(std::string_view text) {
    // A null pointer would bind NULL; an empty text is a text.
    check_bind(sqlite3_bind_text64(statement_, ++bound_, text.empty() ? "" : text.data(),
                                   text.size(), SQLITE_STATIC, SQLITE_UTF8));
    return *this;
}

Query& Query::bind_bytes(std::string_view bytes) {
    check_bind(sqlite3_bind_blob64(statement_, ++bound_, bytes.empty() ? "" : bytes.data(),
                                   bytes.size(), SQLITE_STATIC));
    return *this;
}

Query& Query::bind(core::Time time) {
    return bind(static_cast<std::int64_t>(time.time_since_epoch().count()));
}

Query& Query::bind_null() {
    check_bind(sqlite3_bind_null(statement_, ++bound_));
    return *this;
}

bool Query::next() {
    column_ = 0;
    const int rc = sqlite3_step(statement_);
    if (rc == SQLITE_ROW) return true;
    if (rc == SQLITE_DONE) return false;
    connection_.fail(rc);
}

std::int64_t Query::run() {
    while (next()) {}
    return sqlite3_changes64(connection_.raw());
}

std::int64_t Query::number() { return sqlite3_column_int64(statement_, column_++); }

std::uint64_t Query::count() {
    const auto value = number();
    return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

std::uint32_t Query::small() {
    constexpr std::uint64_t highest = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(count(), highest));
}

std::string Query::text() {
    const int column = column_++;
    // The pointer first: it may convert, and the length is that of what it converted to.
    const void* data = sqlite3_column_blob(statement_, column);
    const int size = sqlite3_column_bytes(statement_, column);
    if (data == nullptr || size <= 0) {
        if (sqlite3_errcode(connection_.raw()) == SQLITE_NOMEM) connection_.fail(SQLITE_NOMEM);
        return {};
    }
    return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

core::Time Query::time() { return core::Time(std::chrono::milliseconds(number())); }

bool Query::is_null() const { return sqlite3_column_type(statement_, column_) == SQLITE_NULL; }

std::optional<core::Time> Query::maybe_time() {
    const bool nothing = is_null();
    const auto value = time();
    return nothing ? std::nullopt : std::optional(value);
}

std::optional<std::int64_t> Query::maybe_number() {
    const bool nothing = is_null();
    const auto value = number();
    return nothing ? std::nullopt : std::optional(value);
}

std::optional<std::string> Query::maybe_text() {
    const bool nothing = is_null();
    auto value = text();
    return nothing ? std::nullopt : std::optional(std::move(value));
}

void Query::throw_unknown_word(const std::string& word) const {
    throw ErrorException({Code::Internal, "the database " + name_in(connection_.path()) +
                                              " contains an unknown value: " + word});
}

// ---- Connection ----

Result<std::unique_ptr<Connection>> Connection::open(const std::string& path, Mode mode,
                                                     int busy_ms) {
    sqlite3* db = nullptr;
    // NOMUTEX: one thread at a time is this room's own promise. No URI names: a file is a file.
    const int flags = (mode == Mode::ReadWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE;
    const int rc = sqlite3_open_v2(path.c_str(), &db, flags, nullptr);
    std::unique_ptr<Connection> connection(new Connection(path, db));
    if (rc != SQLITE_OK) {
        if (db == nullptr) return Error{Code::Unavailable, "out of memory"};
        return explain(rc, sqlite3_system_errno(db), sqlite3_errmsg(db), path);
    }
    sqlite3_busy_timeout(db, busy_ms);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kRecordBytesMax);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    // A damaged or planted schema must not be able to do more than be wrong.
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
    // DatabaseThread times checkpoints: after it has answered, never before
    // (database_thread.cpp).
    sqlite3_wal_hook(
        db,
        [](void* self, sqlite3*, const char*, int pages) {
            static_cast<Connection*>(self)->log_pages_ = pages;
            return SQLITE_OK;
        },
        connection.get());
    try {
        // Recursive triggers: to replace a row then counts as removing one. Temporary data in
        // memory: a full /tmp is no reason to fail.
        connection->script(
            "PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;"
            "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;");
        connection->script(
            ("PRAGMA journal_size_limit = " + std::to_string(kLogKeptBytes)).c_str());
    } catch (const ErrorException& failed) { return failed.error; }
    return connection;
}

Connection::~Connection() {
    statements_.clear();
    sqlite3_close(db_);
}

Query Connection::query(std::string_view sql) {
    const auto found = statements_.find(sql);
    if (found != statements_.end()) return Query(*this, found->second.get());
    // Lists put their text together from what is asked, so there is no end of different ones.
    if (statements_.size() >= kStatementsMax) {
        std::erase_if(statements_,
                      [](const auto& entry) { return sqlite3_stmt_busy(entry.second.get()) == 0; });
    }
    sqlite3_stmt* statement = nullptr;
    const int rc = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (rc != SQLITE_OK) fail(rc);
    std::unique_ptr<sqlite3_stmt, Finalize> kept(statement);
    return Query(*this, statements_.emplace(sql, std::move(kept)).first->second.get());
}

void Connection::script(const char* sql) {
    const int rc = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) fail(rc);
}

void Connection::checkpoint() noexcept {
    int in_log = 0;
    int moved = 0;
    if (sqlite3_wal_checkpoint_v2(db_, "main", SQLITE_CHECKPOINT_PASSIVE, &in_log, &moved) ==
            SQLITE_OK &&
        moved >= in_log) {
        log_pages_ = 0;  // the next commit starts the log anew
    }
}

void Connection::keep_files_as_they_are(bool keep) {
    sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

void Connection::fail(int rc) {
    throw SqliteFailure(explain(rc, sqlite3_system_errno(db_), sqlite3_errmsg(db_), path_), rc);
}

bool Connection::disk_failed() noexcept {
    // Those of which SQLite makes corruption.
    const auto is_disks = [](int cause) {
        return cause == EIO || cause == ENXIO || cause == ERANGE;
    };
    int cause = 0;
    sqlite3_file_control(db_, "main", SQLITE_FCNTL_LAST_ERRNO, &cause);
    if (is_disks(cause)) return true;
    sqlite3_file* log = nullptr;
    sqlite3_file_control(db_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (log == nullptr || log->pMethods == nullptr) return false;
    log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &cause);
    return is_disks(cause);
}

}  // namespace atl::sqlite
