#pragma once
// SQLite, thinly: one connection, its prepared statements, and what its errors mean to a caller.
//
// Owns      the connection and every statement prepared on it.
// Threads   one at a time: opened by whoever starts the store, then DatabaseThread's alone.
// Failure   SqliteFailure, an ErrorException that also knows SQLite's own number. Plain functions
//           of this house return a Result; those that run inside a transaction here throw instead,
//           because DatabaseThread catches them all, and so the body of a transaction reads as a
//           list of statements.
#include "base/result.hpp"
#include "core/records.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <string_view>

namespace atl::sqlite {

struct SqliteFailure : ErrorException {
    SqliteFailure(Error said, int number) : ErrorException(std::move(said)), rc(number) {}
    int rc;  // SQLite's extended result code

    [[nodiscard]] bool is(int primary) const noexcept { return (rc & 0xff) == primary; }
    // The file itself is damaged: to write on would make it worse.
    [[nodiscard]] bool is_corruption() const noexcept {
        return is(SQLITE_CORRUPT) || is(SQLITE_NOTADB);
    }
};

class Connection;

// A prepared statement while it is in use. Going out of scope resets it, so that no half-read
// statement keeps a transaction open. Texts are bound with their length: a NUL inside is kept.
class Query {
public:
    Query(Connection& connection, sqlite3_stmt* statement)
        : connection_(connection), statement_(statement) {}
    Query(const Query&) = delete;
    Query& operator=(const Query&) = delete;
    ~Query();

    // Binds to the next ?, from left to right. Texts must outlive the query.
    Query& bind(std::int64_t value);
    Query& bind(std::uint64_t value);  // what SQLite has no number for becomes its highest
    Query& bind(std::uint32_t value) { return bind(static_cast<std::int64_t>(value)); }
    Query& bind(std::int32_t value) { return bind(static_cast<std::int64_t>(value)); }
    Query& bind(bool value) { return bind(static_cast<std::int64_t>(value ? 1 : 0)); }
    Query& bind(std::string_view text);
    Query& bind(const std::string& text) { return bind(std::string_view(text)); }
    Query& bind(const char* text) { return bind(std::string_view(text)); }
    Query& bind(core::Time time);
    Query& bind_bytes(std::string_view bytes);
    Query& bind_null();
    template <class T>
    Query& bind(const std::optional<T>& value) {
        return value ? bind(*value) : bind_null();
    }

    // True: a row is there to be read.
    [[nodiscard]] bool next();
    // For statements that answer with no row. Says how many rows they changed.
    std::int64_t run();

    // The next column of the row, from left to right; next() starts again at the first.
    [[nodiscard]] std::int64_t number();
    [[nodiscard]] std::uint64_t count();  // a number that is never below 0
    [[nodiscard]] std::uint32_t small();
    [[nodiscard]] bool flag() { return number() != 0; }
    [[nodiscard]] std::string text();  // also for bytes
    [[nodiscard]] core::Time time();
    [[nodiscard]] std::optional<core::Time> maybe_time();
    [[nodiscard]] std::optional<std::int64_t> maybe_number();
    [[nodiscard]] std::optional<std::string> maybe_text();
    template <core::Named Enum>
    [[nodiscard]] Enum word() {
        const std::string name = text();
        if (const auto value = core::value_named<Enum>(name)) return *value;
        throw_unknown_word(name);
    }

private:
    [[noreturn]] void throw_unknown_word(const std::string& word) const;
    void check_bind(int rc);
    [[nodiscard]] bool is_null() const;

    Connection& connection_;
    sqlite3_stmt* statement_;
    int bound_ = 0;
    int column_ = 0;
};

class Connection {
public:
    enum class Mode { ReadWrite, ReadOnly };

    // Opens a file that exists (an empty one is a new database), with every setting that must hold
    // before the first statement. `busy_ms`: how long to wait for another program's lock.
    [[nodiscard]] static Result<std::unique_ptr<Connection>> open(const std::string& path,
                                                                  Mode mode, int busy_ms);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    // Prepared once for each text.
    [[nodiscard]] Query query(std::string_view sql);
    // One or more statements without arguments or answers.
    void script(const char* sql);

    // Whether no transaction is open. SQLite ends one by itself when a disk is full.
    [[nodiscard]] bool outside_transaction() const { return sqlite3_get_autocommit(db_) != 0; }
    [[nodiscard]] bool opened_read_only() const { return sqlite3_db_readonly(db_, "main") == 1; }
    // Whether the disk has failed to give back a part of its files, at any time since it was
    // opened. SQLite calls that corruption, too.
    [[nodiscard]] bool disk_failed() noexcept;
    // Pages in the write-ahead log after the last commit.
    [[nodiscard]] int log_pages() const noexcept { return log_pages_; }
    // Moves the log into the database. Failure is no harm: the log stays, and grows.
    void checkpoint() noexcept;
    // When set, closing leaves log and database exactly as they are.
    void keep_files_as_they_are(bool keep);

    [[nodiscard]] sqlite3* raw() noexcept { return db_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[noreturn]] void fail(int rc);

private:
    Connection(std::string path, sqlite3* db) : path_(std::move(path)), db_(db) {}
    struct Finalize {
        void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
    };

    std::string path_;
    sqlite3* db_;
    int log_pages_ = 0;
    std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>, std::less<>> statements_;
};

// What an error of SQLite means to the caller, in a sentence that names the file.
[[nodiscard]] Error explain(int rc, int system_errno, std::string_view message,
                            const std::string& path);

// What to do about a damaged database; the end of every sentence about one.
[[nodiscard]] std::string damage_sentence(const std::string& path, std::string_view what);

}  // namespace atl::sqlite
