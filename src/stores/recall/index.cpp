#include "stores/recall/index.hpp"

#include "stores/recall/words.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <unistd.h>

namespace atl::recall {

namespace {

constexpr std::int32_t kApplicationId = 0x41544f52;  // "ATOR"
constexpr std::int32_t kVersion = 1;
constexpr std::size_t kWordsMax = 64;       // of a question
constexpr std::size_t kCandidatesMin = 50;  // that words and vectors each bring
constexpr std::size_t kLimitMax = 200;
// What a rank is worth: 1 / (60 + rank), the sum of both lists. Words that a message shares and
// nearness of meaning have no common measure; their ranks have.
constexpr double kRankBase = 60;
constexpr std::uint64_t kSequenceMax = 0xffffffffu;

constexpr const char* kSchema = R"sql(
CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT;
-- A number is never used twice: what is left of a removed thread can be nobody else's.
CREATE TABLE threads (
    number  INTEGER PRIMARY KEY AUTOINCREMENT,
    id      TEXT NOT NULL UNIQUE,
    highest INTEGER NOT NULL
) STRICT;
-- Of both the row is the thread's number and the message's sequence, 32 bits each.
CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'porter unicode61 remove_diacritics 2');
CREATE TABLE vectors (id INTEGER PRIMARY KEY, vector BLOB NOT NULL) STRICT;
)sql";

constexpr const char* kRanked =
    "SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ?"
    " ORDER BY bm25(words), rowid DESC LIMIT ?";
constexpr const char* kLatest =
    "SELECT rowid FROM words WHERE words MATCH ? AND rowid >= ? AND rowid < ?"
    " ORDER BY rowid DESC LIMIT ?";

std::int64_t row_of(std::int64_t thread, std::uint64_t sequence) {
    return thread << 32 | static_cast<std::int64_t>(std::min(sequence, kSequenceMax));
}

struct Damaged : ErrorException {
    using ErrorException::ErrorException;
};

}  // namespace

class Index::Statement {
public:
    Statement(Index& index, const char* sql) : index_(index) {
        const int rc = sqlite3_prepare_v2(index.db_, sql, -1, &statement_, nullptr);
        if (rc != SQLITE_OK) index.fail(rc);
    }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_finalize(statement_); }

    // Texts must outlive the statement.
    Statement& bind(std::int64_t value) {
        return check(sqlite3_bind_int64(statement_, ++bound_, value));
    }
    Statement& bind(const std::string& text) {
        return check(sqlite3_bind_text64(statement_, ++bound_, text.c_str(), text.size(),
                                         SQLITE_STATIC, SQLITE_UTF8));
    }
    Statement& bind(const std::vector<float>& vector) {
        return check(sqlite3_bind_blob64(statement_, ++bound_, vector.data(),
                                         vector.size() * sizeof(float), SQLITE_STATIC));
    }
    [[nodiscard]] bool next() {
        const int rc = sqlite3_step(statement_);
        if (rc != SQLITE_ROW && rc != SQLITE_DONE) index_.fail(rc);
        return rc == SQLITE_ROW;
    }
    void run() {
        while (next()) {}
    }
    [[nodiscard]] std::int64_t number(int column) const {
        return sqlite3_column_int64(statement_, column);
    }
    [[nodiscard]] std::string text(int column) const {
        const void* data = sqlite3_column_blob(statement_, column);
        const int size = sqlite3_column_bytes(statement_, column);
        return data == nullptr
                   ? std::string()
                   : std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
    }
    [[nodiscard]] std::vector<float> vector(int column) const {
        const void* data = sqlite3_column_blob(statement_, column);
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
        std::vector<float> found(size / sizeof(float));
        if (data != nullptr) std::memcpy(found.data(), data, found.size() * sizeof(float));
        return found;
    }

private:
    Statement& check(int rc) {
        if (rc != SQLITE_OK) index_.fail(rc);
        return *this;
    }
    Index& index_;
    sqlite3_stmt* statement_ = nullptr;
    int bound_ = 0;
};

Index::Index(RecallOptions options) : options_(std::move(options)) {}
Index::~Index() { close(); }

// ---- The file ----

void Index::close() noexcept {
    loaded_.clear();
    sqlite3_close(db_);
    db_ = nullptr;
}

void Index::fail(int rc) const {
    const std::string sentence = "the index " + options_.path + " cannot be used: " +
                                 (db_ != nullptr ? sqlite3_errmsg(db_) : sqlite3_errstr(rc));
    const int primary = rc & 0xff;
    // An error of logic: the tables are not what they should be.
    if (primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB || primary == SQLITE_ERROR ||
        primary == SQLITE_MISMATCH || primary == SQLITE_CONSTRAINT || primary == SQLITE_FORMAT) {
        throw Damaged({Code::Unavailable, sentence});
    }
    throw ErrorException({Code::Unavailable, sentence});
}

void Index::script(const char* sql) {
    const int rc = sqlite3_exec(db_, sql, nullptr, nullptr, nullptr);
    if (rc != SQLITE_OK) fail(rc);
}

void Index::open() {
    if (db_ != nullptr) return;
    // Made here and not by SQLite, for its mode: it holds words that users wrote.
    const int made = ::open(options_.path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (made < 0) {
        throw ErrorException({Code::Unavailable, "the index " + options_.path +
                                                     " cannot be opened: " + std::strerror(errno)});
    }
    ::close(made);
    const int rc = sqlite3_open_v2(
        options_.path.c_str(), &db_,
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE, nullptr);
    try {
        if (rc != SQLITE_OK) fail(rc);
        sqlite3_extended_result_codes(db_, 1);
        sqlite3_busy_timeout(db_, 2000);
        sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
        sqlite3_db_config(db_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
        // NORMAL: whole after any crash. What the last moments lose is added again.
        script(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY;"
            "PRAGMA journal_size_limit = 16777216; PRAGMA cell_size_check = ON;");
        if (!is_ours_and_current()) {
            throw Damaged({Code::Unavailable, "the index " + options_.path + " is out of date"});
        }
    } catch (...) {
        close();
        throw;
    }
}

// Makes the tables in an empty file. False: to be made anew.
bool Index::is_ours_and_current() {
    const auto pragma = [this](const char* sql) {
        Statement query(*this, sql);
        return query.next() ? query.number(0) : 0;
    };
    const auto application = pragma("PRAGMA application_id");
    const auto tables = pragma("SELECT count(*) FROM sqlite_schema");
    if (application != kApplicationId && (application != 0 || tables != 0)) {
        throw ErrorException({Code::Unavailable, "the file " + options_.path +
                                                     " is a database, but not this index; it is "
                                                     "left alone"});
    }
    if (tables == 0) {
        script("BEGIN IMMEDIATE");
        script(kSchema);
        script(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
        script(("PRAGMA user_version = " + std::to_string(kVersion)).c_str());
        {
            Statement model(*this, "INSERT INTO meta (name, value) VALUES ('model', ?)");
            model.bind(options_.model).run();
        }
        script("COMMIT");
        return true;
    }
    if (pragma("PRAGMA user_version") != kVersion) return false;
    Statement model(*this, "SELECT value FROM meta WHERE name = 'model'");
    return model.next() && model.text(0) == options_.model;
}

void Index::make_anew() {
    close();
    for (const char* ending : {"", "-wal", "-shm", "-journal"}) {
        if (::unlink((options_.path + ending).c_str()) != 0 && errno != ENOENT) {
            throw ErrorException({Code::Unavailable, "the index " + options_.path +
                                                         " is damaged and cannot be removed: " +
                                                         std::strerror(errno)});
        }
    }
}

void Index::carry_out(const std::function<void()>& work) {
    for (int attempt = 0;; ++attempt) {
        try {
            open();
            script("BEGIN");
            work();
            script("COMMIT");
            return;
        } catch (const Damaged&) {
            if (attempt > 0) {
                close();
                throw;
            }
            make_anew();
        } catch (...) {
            // Closed, so that nothing of a half-done call is left, in memory neither.
            close();
            throw;
        }
    }
}

// ---- The port ----

Index::Thread Index::thread(const ThreadId& id) {
    Statement query(*this, "SELECT number, highest FROM threads WHERE id = ?");
    query.bind(id.text());
    if (!query.next()) return {};
    return {query.number(0), static_cast<std::uint64_t>(query.number(1))};
}

std::uint64_t Index::indexed(const ThreadId& id) {
    std::uint64_t highest = 0;
    carry_out([&] { highest = thread(id).highest; });
    return highest;
}

void Index::add(const ThreadId& id, std::vector<core::RecallEntry> entries) {
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
    carry_out([&] {
        Thread there = thread(id);
        if (there.number == 0) {
            Statement insert(*this, "INSERT INTO threads (id, highest) VALUES (?, 0)");
            insert.bind(id.text()).run();
            there.number = sqlite3_last_insert_rowid(db_);
        }
        for (const auto& entry : entries) {
            if (entry.sequence == 0 || entry.sequence > kSequenceMax) continue;
            add_one(there, entry);
            there.highest = std::max(there.highest, entry.sequence);
        }
        Statement update(*this, "UPDATE threads SET highest = ? WHERE number = ?");
        update.bind(static_cast<std::int64_t>(there.highest)).bind(there.number).run();
    });
    make_room();
}

void Index::add_one(const Thread& thread, const core::RecallEntry& entry) {
    const auto row = row_of(thread.number, entry.sequence);
    if (entry.sequence <= thread.highest) {
        Statement words(*this, "DELETE FROM words WHERE rowid = ?");
        words.bind(row).run();
        Statement vectors(*this, "DELETE FROM vectors WHERE id = ?");
        vectors.bind(row).run();
        unload(thread.number);
    }
    const std::string words =
        words_of(std::string_view(entry.text).substr(0, options_.text_bytes_max), thread.number);
    if (!words.empty()) {
        Statement insert(*this, "INSERT INTO words (rowid, text) VALUES (?, ?)");
        insert.bind(row).bind(words).run();
    }
    if (!entry.vector.empty() && entry.vector.size() <= options_.dimension_max) {
        add_vector(thread, entry.sequence, entry.vector);
    }
}

void Index::add_vector(const Thread& thread, std::uint64_t sequence, std::vector<float> vector) {
    if (!normalise(vector)) return;
    {
        // Of another length: of another model. Near and far mean nothing between the two.
        Statement other(*this,
                        "SELECT length(vector) FROM vectors WHERE id BETWEEN ? AND ? LIMIT 1");
        other.bind(row_of(thread.number, 0)).bind(row_of(thread.number, kSequenceMax));
        const auto bytes = static_cast<std::int64_t>(vector.size() * sizeof(float));
        if (other.next() && other.number(0) != bytes) {
            Statement remove(*this, "DELETE FROM vectors WHERE id BETWEEN ? AND ?");
            remove.bind(row_of(thread.number, 0)).bind(row_of(thread.number, kSequenceMax)).run();
            unload(thread.number);
        }
    }
    Statement insert(*this, "INSERT INTO vectors (id, vector) VALUES (?, ?)");
    insert.bind(row_of(thread.number, sequence)).bind(vector).run();
    Vectors* there = loaded(thread.number);
    if (there == nullptr) return;
    if (there->size() >= options_.vectors_max || there->highest() >= sequence) {
        unload(thread.number);
    } else {
        there->add(sequence, vector);
    }
}

std::vector<core::RecallHit> Index::find(const ThreadId& id, const std::string& words,
                                         std::vector<float> vector, std::uint64_t before,
                                         std::size_t limit) {
    limit = std::min(limit, kLimitMax);
    if (limit == 0 || before <= 1) return {};
    const std::size_t candidates = std::max(kCandidatesMin, 2 * limit);
    std::map<std::uint64_t, double> scores;
    const auto count = [&](const std::vector<std::uint64_t>& ranked) {
        double rank = 0;
        for (const auto sequence : ranked) scores[sequence] += 1 / (kRankBase + ++rank);
    };
    carry_out([&] {
        scores.clear();
        const Thread there = thread(id);
        if (there.number == 0) return;
        count(by_words(there, words, before, candidates));
        std::vector<float> direction = vector;
        if (direction.empty() || !normalise(direction)) return;
        Vectors* vectors = load(there);
        if (vectors != nullptr && vectors->dimension() == direction.size()) {
            count(vectors->nearest(direction, before, candidates));
        }
    });
    make_room();
    std::vector<core::RecallHit> hits;
    for (const auto& [sequence, score] : scores) hits.push_back({sequence, score});
    // Of equals the later one: it is what holds now.
    std::sort(hits.begin(), hits.end(), [](const auto& a, const auto& b) {
        return a.score != b.score ? a.score > b.score : a.sequence > b.sequence;
    });
    if (hits.size() > limit) hits.resize(limit);
    return hits;
}

// To rank a message costs some microseconds, and words that half of a thread has would rank half of
// it. So they do not count where the question has rarer ones, and where it has not, the latest
// messages with all of them are found, or with any of them.
std::vector<std::uint64_t> Index::by_words(const Thread& thread, const std::string& words,
                                           std::uint64_t before, std::size_t limit) {
    const auto all = queries_of(std::string_view(words).substr(0, options_.text_bytes_max),
                                thread.number, kWordsMax);
    if (all.empty()) return {};
    std::vector<std::string> rare, many;
    for (const auto& word : all) (is_in_many(word) ? many : rare).push_back(word);
    std::vector<std::uint64_t> found;
    if (!rare.empty()) found = matching(thread, joined(rare, " OR "), kRanked, before, limit);
    if (!found.empty() || many.empty()) return found;
    found = matching(thread, joined(many, " AND "), kLatest, before, limit);
    if (found.empty()) found = matching(thread, joined(many, " OR "), kLatest, before, limit);
    return found;
}

bool Index::is_in_many(const std::string& word) {
    Statement rows(*this, "SELECT rowid FROM words WHERE words MATCH ? LIMIT 1 OFFSET ?");
    return rows.bind(word).bind(static_cast<std::int64_t>(options_.ranked_max)).next();
}

std::vector<std::uint64_t> Index::matching(const Thread& thread, const std::string& query,
                                           const char* sql, std::uint64_t before,
                                           std::size_t limit) {
    Statement rows(*this, sql);
    rows.bind(query)
        .bind(row_of(thread.number, 0))
        .bind(before > kSequenceMax ? row_of(thread.number + 1, 0) : row_of(thread.number, before))
        .bind(static_cast<std::int64_t>(limit));
    std::vector<std::uint64_t> found;
    while (rows.next()) found.push_back(static_cast<std::uint64_t>(rows.number(0)) & kSequenceMax);
    return found;
}

void Index::forget(const ThreadId& id) {
    carry_out([&] {
        const Thread there = thread(id);
        if (there.number == 0) return;
        unload(there.number);
        const auto first = row_of(there.number, 0);
        const auto last = row_of(there.number, kSequenceMax);
        Statement words(*this, "DELETE FROM words WHERE rowid BETWEEN ? AND ?");
        words.bind(first).bind(last).run();
        Statement vectors(*this, "DELETE FROM vectors WHERE id BETWEEN ? AND ?");
        vectors.bind(first).bind(last).run();
        Statement gone(*this, "DELETE FROM threads WHERE number = ?");
        gone.bind(there.number).run();
    });
}

std::optional<ThreadId> Index::thread_after(const ThreadId& id) {
    std::optional<ThreadId> next;
    carry_out([&] {
        Statement query(*this, "SELECT id FROM threads WHERE id > ? ORDER BY id LIMIT 1");
        query.bind(id.text());
        if (query.next()) next.emplace(query.text(0));
    });
    return next;
}

// ---- Vectors in memory ----

Vectors* Index::loaded(std::int64_t thread) {
    const auto found = std::find_if(loaded_.begin(), loaded_.end(),
                                    [thread](const auto& each) { return each.thread == thread; });
    if (found == loaded_.end()) return nullptr;
    loaded_.splice(loaded_.begin(), loaded_, found);
    return found->vectors.get();
}

void Index::unload(std::int64_t thread) {
    loaded_.remove_if([thread](const auto& each) { return each.thread == thread; });
}

// Nothing when the thread has none.
Vectors* Index::load(const Thread& thread) {
    if (Vectors* there = loaded(thread.number)) return there;
    Statement rows(*this,
                   "SELECT id, vector FROM (SELECT id, vector FROM vectors WHERE id BETWEEN ? AND ?"
                   " ORDER BY id DESC LIMIT ?) ORDER BY id");
    rows.bind(row_of(thread.number, 0))
        .bind(row_of(thread.number, kSequenceMax))
        .bind(static_cast<std::int64_t>(options_.vectors_max));
    std::unique_ptr<Vectors> made;
    while (rows.next()) {
        const auto vector = rows.vector(1);
        if (vector.empty() || vector.size() > options_.dimension_max) continue;
        if (!made) made = std::make_unique<Vectors>(vector.size(), options_.vectors);
        if (vector.size() != made->dimension()) continue;
        made->add(static_cast<std::uint64_t>(rows.number(0)) & kSequenceMax, vector);
    }
    if (!made) return nullptr;
    loaded_.push_front({thread.number, std::move(made)});
    return loaded_.front().vectors.get();
}

void Index::make_room() {
    std::size_t bytes = 0;
    for (const auto& each : loaded_) bytes += each.vectors->bytes();
    while (loaded_.size() > 1 && bytes > options_.loaded_bytes_max) {
        bytes -= loaded_.back().vectors->bytes();
        loaded_.pop_back();
    }
}

}  // namespace atl::recall
