#include "stores/sqlite/thread_table.hpp"

#include "core/thread_sizes.hpp"
#include "stores/sqlite/paging.hpp"

#include <algorithm>

namespace atl::sqlite {

namespace {

using core::ThreadMessage;
using core::ThreadRecord;

constexpr std::uint64_t kReadBytesMax = 32u << 20;
constexpr std::uint64_t kMessageCostMin = 64;  // what a message costs beside its bytes, about

#define THREAD_COLUMNS                                                                   \
    "number, id, owner, title, model, session, home, created_at, updated_at, messages, " \
    "turns, turn_client_id, lease_instance, lease_until, family, origins"

// A record with what only this room knows of it.
struct ThreadRow {
    ThreadRecord record;
    std::int64_t number = 0;
    std::string turn_client_id;
};

[[noreturn]] void no_thread(const ThreadId& id) {
    throw ErrorException({Code::NotFound, "there is no thread " + id.text()});
}

[[noreturn]] void no_upload(const UploadId& id) {
    throw ErrorException({Code::NotFound, "there is no upload " + id.text()});
}

bool is_of(const core::Whose& whose, const std::string& owner) {
    return !whose.owner() || *whose.owner() == owner;
}

ThreadRow read_thread(Query& row) {
    ThreadRow found;
    ThreadRecord& record = found.record;
    found.number = row.number();
    record.id = ThreadId(row.text());
    record.owner = row.text();
    record.title = row.text();
    record.model = row.text();
    record.session_id = SessionId(row.text());
    record.home = row.text();
    record.created_at = row.time();
    record.updated_at = row.time();
    record.messages = row.count();
    record.turns = row.count();
    found.turn_client_id = row.text();
    auto instance = row.maybe_text();
    const auto until = row.maybe_time();
    if (instance) record.lease = core::Lease{std::move(*instance), until.value_or(core::Time{})};
    record.family = ThreadId(row.text());
    record.origins = core::origins_in(row.text());
    return found;
}

void read_files(Connection& db, ThreadRow& row) {
    auto files = db.query("SELECT upload FROM thread_files WHERE thread = ? ORDER BY position");
    files.bind(row.number);
    while (files.next()) row.record.files.emplace_back(files.text());
}

// Without its files; all that a turn needs to know of it.
ThreadRow read_bare(Connection& db, const ThreadId& id) {
    auto row = db.query("SELECT " THREAD_COLUMNS ", memory FROM threads WHERE id = ?");
    row.bind(id.text());
    if (!row.next()) no_thread(id);
    ThreadRow found = read_thread(row);
    found.record.memory_json = row.text();
    return found;
}

ThreadRow read_thread(Connection& db, const core::Whose& whose, const ThreadId& id) {
    ThreadRow found = read_bare(db, id);
    if (!is_of(whose, found.record.owner)) no_thread(id);
    read_files(db, found);
    return found;
}

ThreadRow read_held(Connection& db, const core::TurnHold& hold) {
    ThreadRow row = read_bare(db, hold.thread);
    const auto& record = row.record;
    if (!record.lease || record.lease->instance != hold.instance || record.turns != hold.turn) {
        throw ErrorException({Code::Conflict, "turn " + std::to_string(hold.turn) + " of thread " +
                                                  hold.thread.text() +
                                                  " has ended, or another server has taken the "
                                                  "thread over"});
    }
    return row;
}

void write_files(Connection& db, const ThreadRow& row, const std::vector<UploadId>& files) {
    db.query("DELETE FROM thread_files WHERE thread = ?").bind(row.number).run();
    std::int64_t position = 0;
    for (const auto& file : files) {
        {
            auto upload = db.query("SELECT owner FROM uploads WHERE id = ?");
            upload.bind(file.text());
            if (!upload.next() || upload.text() != row.record.owner) no_upload(file);
        }
        db.query("INSERT INTO thread_files (thread, position, upload) VALUES (?, ?, ?)")
            .bind(row.number)
            .bind(position++)
            .bind(file.text())
            .run();
    }
}

void write_message(Connection& db, ThreadRow& row, std::uint64_t turn,
                   const ThreadMessage& message) {
    ThreadRecord& thread = row.record;
    ++thread.messages;
    thread.updated_at = std::max(thread.updated_at, message.at);
    db.query(
          "INSERT INTO thread_messages (thread, sequence, turn, role, content, details, client_id,"
          " at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(row.number)
        .bind(thread.messages)
        .bind(turn)
        .bind(core::name_of(message.role))
        .bind(message.content)
        .bind(message.details_json)
        .bind(message.client_id)
        .bind(message.at)
        .run();
}

// What a turn changes of its thread.
void write_turn(Connection& db, const ThreadRow& row) {
    const auto& thread = row.record;
    db.query(
          "UPDATE threads SET updated_at = ?, messages = ?, turns = ?, turn_client_id = ?,"
          " lease_instance = ?, lease_until = ? WHERE number = ?")
        .bind(thread.updated_at)
        .bind(thread.messages)
        .bind(thread.turns)
        .bind(row.turn_client_id)
        .bind(thread.lease ? std::optional<std::string_view>(thread.lease->instance) : std::nullopt)
        .bind(thread.lease ? std::optional(thread.lease->until) : std::nullopt)
        .bind(row.number)
        .run();
}

struct Question {
    std::uint64_t sequence = 0;
    std::uint64_t turn = 0;
    std::string state;
};

std::optional<Question> read_question(Connection& db, const ThreadRow& row,
                                      const std::string& client_id) {
    if (client_id.empty()) return std::nullopt;
    auto found = db.query(
        "SELECT sequence, turn, state FROM thread_questions WHERE thread = ? AND client_id = ?");
    found.bind(row.number).bind(client_id);
    if (!found.next()) return std::nullopt;
    Question question;
    question.sequence = found.count();
    question.turn = found.count();
    question.state = found.text();
    return question;
}

void write_question(Connection& db, const ThreadRow& row, std::uint64_t sequence) {
    if (row.turn_client_id.empty()) return;
    db.query(
          "INSERT INTO thread_questions (thread, client_id, sequence, turn, state)"
          " VALUES (?, ?, ?, ?, 'open') ON CONFLICT DO UPDATE SET turn = excluded.turn,"
          " state = 'open'")
        .bind(row.number)
        .bind(row.turn_client_id)
        .bind(sequence)
        .bind(row.record.turns)
        .run();
}

void close_question(Connection& db, const ThreadRow& row, const char* state) {
    if (row.turn_client_id.empty()) return;
    db.query("UPDATE thread_questions SET state = ? WHERE thread = ? AND client_id = ?")
        .bind(state)
        .bind(row.number)
        .bind(row.turn_client_id)
        .run();
}

}  // namespace

void end_leases_of_the_dead(Connection& db) {
    db.query("UPDATE threads SET lease_until = 0 WHERE lease_instance IS NOT NULL").run();
}

// ---- Uploads ----

core::UploadRecord add_upload(Connection& db, const core::UploadRecord& record,
                              const core::UploadRoom& room) {
    check_id(record.id.text(), "upload");
    core::check_size(record);
    if (room.bytes_max > 0 || room.count_max > 0) {
        auto others =
            db.query("SELECT coalesce(sum(bytes), 0), count(*) FROM uploads WHERE owner = ?");
        others.bind(record.owner);
        const bool any = others.next();
        const auto used = any ? others.count() : 0;
        const auto number = any ? others.count() : 0;
        if (room.bytes_max > 0 &&
            (record.bytes > room.bytes_max || used > room.bytes_max - record.bytes)) {
            throw ErrorException(
                {Code::Exhausted, "the uploads would have more than " +
                                      std::to_string(room.bytes_max) +
                                      " bytes together, which are allowed; remove some first"});
        }
        if (room.count_max > 0 && number >= room.count_max) {
            throw ErrorException({Code::Exhausted, "there are " + std::to_string(room.count_max) +
                                                       " uploads already, as many as are allowed; "
                                                       "remove some first"});
        }
    }
    try {
        db.query(
              "INSERT INTO uploads (id, owner, name, bytes, sha256, created_at)"
              " VALUES (?, ?, ?, ?, ?, ?)")
            .bind(record.id.text())
            .bind(record.owner)
            .bind(record.name)
            .bind(record.bytes)
            .bind(record.sha256)
            .bind(record.created_at)
            .run();
    } catch (const SqliteFailure& failure) {
        if (!failure.is(SQLITE_CONSTRAINT)) throw;
        throw ErrorException(
            {Code::Conflict, "there is an upload " + record.id.text() + " already"});
    }
    return record;
}

core::UploadRecord get_upload(Connection& db, const core::Whose& whose, const UploadId& id) {
    auto row = db.query("SELECT owner, name, bytes, sha256, created_at FROM uploads WHERE id = ?");
    row.bind(id.text());
    if (!row.next()) no_upload(id);
    core::UploadRecord record;
    record.id = id;
    record.owner = row.text();
    if (!is_of(whose, record.owner)) no_upload(id);
    record.name = row.text();
    record.bytes = row.count();
    record.sha256 = row.text();
    record.created_at = row.time();
    return record;
}

core::UploadPage list_uploads(Connection& db, const core::UploadQuery& query) {
    check_limit(query.limit);
    Filter filter;
    filter.whose(query.whose);
    filter.after(query.cursor);
    auto found = db.query(
        "SELECT id, owner, name, bytes, sha256, created_at,"
        " (SELECT count(DISTINCT thread) FROM thread_files WHERE upload = uploads.id)"
        " FROM uploads WHERE " +
        filter.text() + " ORDER BY created_at DESC, id DESC LIMIT ?");
    filter.bind(found);
    found.bind(query.limit + 1);
    core::UploadPage page;
    while (found.next()) {
        if (page.uploads.size() == query.limit) {
            const auto& last = page.uploads.back().record;
            page.next_cursor =
                write_cursor({last.created_at.time_since_epoch().count(), last.id.text()});
            break;
        }
        core::ListedUpload upload;
        upload.record.id = UploadId(found.text());
        upload.record.owner = found.text();
        upload.record.name = found.text();
        upload.record.bytes = found.count();
        upload.record.sha256 = found.text();
        upload.record.created_at = found.time();
        upload.uses = found.count();
        page.uploads.push_back(std::move(upload));
    }
    return page;
}

void remove_upload(Connection& db, const core::Whose& whose, const UploadId& id) {
    const auto record = get_upload(db, whose, id);
    {
        auto used = db.query("SELECT 1 FROM thread_files WHERE upload = ? LIMIT 1");
        used.bind(id.text());
        if (used.next()) {
            throw ErrorException(
                {Code::Conflict,
                 "the upload " + id.text() + " is used by a thread; remove the thread first"});
        }
    }
    db.query("DELETE FROM uploads WHERE id = ?").bind(record.id.text()).run();
}

// ---- Threads ----

ThreadRecord create_thread(Connection& db, const ThreadRecord& record, std::uint64_t owner_max) {
    check_id(record.id.text(), "thread");
    core::check_size(record);
    if (owner_max > 0) {
        auto others = db.query("SELECT count(*) FROM threads WHERE owner = ?");
        others.bind(record.owner);
        if (others.next() && others.count() >= owner_max) {
            throw ErrorException({Code::Exhausted, "there are " + std::to_string(owner_max) +
                                                       " threads already, as many as are allowed; "
                                                       "remove some first"});
        }
    }
    ThreadRow made;
    try {
        db.query(
              "INSERT INTO threads (id, owner, title, model, session, home, created_at, updated_at,"
              " messages, turns, turn_client_id, memory, family, origins)"
              " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, '', ?, ?, ?)")
            .bind(record.id.text())
            .bind(record.owner)
            .bind(record.title)
            .bind(record.model)
            .bind(record.session_id.text())
            .bind(record.home)
            .bind(record.created_at)
            .bind(record.updated_at)
            .bind(record.memory_json)
            .bind(record.family.text())
            .bind(core::text_of(record.origins))
            .run();
    } catch (const SqliteFailure& failure) {
        if (!failure.is(SQLITE_CONSTRAINT)) throw;
        throw ErrorException(
            {Code::Conflict, "there is a thread " + record.id.text() + " already"});
    }
    made.number = sqlite3_last_insert_rowid(db.raw());
    made.record = record;
    made.record.messages = 0;
    made.record.turns = 0;
    made.record.lease.reset();
    write_files(db, made, record.files);
    return made.record;
}

ThreadRecord fork_thread(Connection& db, const core::ThreadFork& fork) {
    const ThreadRow source = read_thread(db, fork.whose, fork.from);
    const auto turns = source.record.turns;
    const auto last = fork.turn.value_or(turns);
    if (last > turns) {
        throw ErrorException({Code::InvalidArgument, "thread " + fork.from.text() +
                                                         " has no turn " + std::to_string(last)});
    }
    if (last == turns && source.record.lease && lives(*source.record.lease, fork.now)) {
        throw ErrorException({Code::Conflict, "thread " + fork.from.text() +
                                                  " is being answered; wait until that has ended"});
    }
    (void)create_thread(db, fork.record, fork.owner_max);
    ThreadRow made = read_thread(db, core::Whose::anyones(), fork.record.id);
    db.query(
          "INSERT INTO thread_messages (thread, sequence, turn, role, content, details, client_id,"
          " at) SELECT ?, sequence, turn, role, content, replace(details, ?, ?), '', at"
          " FROM thread_messages WHERE thread = ? AND turn <= ? ORDER BY sequence")
        .bind(made.number)
        .bind(fork.from.text())
        .bind(fork.record.id.text())
        .bind(source.number)
        .bind(last)
        .run();
    {
        auto count = db.query("SELECT count(*) FROM thread_messages WHERE thread = ?");
        count.bind(made.number);
        if (count.next()) made.record.messages = count.count();
    }
    made.record.turns = last;
    write_turn(db, made);
    return made.record;
}

ThreadRecord get_thread(Connection& db, const core::Whose& whose, const ThreadId& id) {
    return read_thread(db, whose, id).record;
}

std::vector<ThreadRecord> read_family(Connection& db, const core::Whose& whose,
                                      const ThreadId& id) {
    const auto one = read_thread(db, whose, id).record;
    const auto& first = one.family.text().empty() ? one.id : one.family;
    std::vector<ThreadRow> rows;
    {
        auto found = db.query("SELECT " THREAD_COLUMNS
                              " FROM threads WHERE (id = ? OR (family = ? AND family <> ''))"
                              " AND owner = ? ORDER BY created_at, number LIMIT ?");
        found.bind(first.text()).bind(first.text()).bind(one.owner).bind(core::kFamilyMax);
        while (found.next()) rows.push_back(read_thread(found));
    }
    std::vector<ThreadRecord> family;
    for (auto& row : rows) {
        read_files(db, row);
        family.push_back(std::move(row.record));
    }
    return family;
}

core::ThreadPage list_threads(Connection& db, const core::ThreadQuery& query) {
    check_limit(query.limit);
    Filter filter;
    filter.whose(query.whose);
    filter.after(query.cursor, "updated_at");
    std::vector<ThreadRow> rows;
    std::size_t bytes = 0;
    bool more = false;
    {
        auto found = db.query("SELECT " THREAD_COLUMNS " FROM threads WHERE " + filter.text() +
                              " ORDER BY updated_at DESC, id DESC LIMIT ?");
        filter.bind(found);
        found.bind(query.limit + 1);
        while (found.next()) {
            if (rows.size() == query.limit || bytes > kPageBytesMax) {
                more = true;
                break;
            }
            rows.push_back(read_thread(found));
            bytes += 512 + rows.back().record.title.size();
        }
    }
    core::ThreadPage page;
    for (auto& row : rows) {
        read_files(db, row);
        page.threads.push_back(std::move(row.record));
    }
    if (more) {
        const auto& last = page.threads.back();
        page.next_cursor =
            write_cursor({last.updated_at.time_since_epoch().count(), last.id.text()});
    }
    return page;
}

ThreadRecord patch_thread(Connection& db, const core::Whose& whose, const ThreadId& id,
                          const core::ThreadPatch& patch) {
    core::check_size(patch);
    ThreadRow row = read_thread(db, whose, id);
    if (patch.title) row.record.title = *patch.title;
    if (patch.model) row.record.model = *patch.model;
    if (patch.memory_json) row.record.memory_json = *patch.memory_json;
    if (patch.title || patch.model || patch.memory_json) {
        db.query("UPDATE threads SET title = ?, model = ?, memory = ? WHERE number = ?")
            .bind(row.record.title)
            .bind(row.record.model)
            .bind(row.record.memory_json)
            .bind(row.number)
            .run();
    }
    if (patch.files) {
        write_files(db, row, *patch.files);
        row.record.files = *patch.files;
    }
    return row.record;
}

SessionId remove_thread(Connection& db, const core::Whose& whose, const ThreadId& id,
                        core::Time now) {
    const ThreadRow row = read_thread(db, whose, id);
    if (row.record.lease && lives(*row.record.lease, now)) {
        throw ErrorException({Code::Conflict, "thread " + id.text() +
                                                  " is being answered; cancel its turn, or wait "
                                                  "until it has ended"});
    }
    db.query("DELETE FROM threads WHERE number = ?").bind(row.number).run();
    return row.record.session_id;
}

// ---- Turns ----

core::TurnBegun begin_turn(Connection& db, const core::TurnRequest& request) {
    const std::vector<ThreadMessage> question{request.question};
    core::check_size(question);
    ThreadRow row = read_thread(db, request.whose, request.thread);
    ThreadRecord& thread = row.record;
    core::TurnBegun begun;

    const auto before = read_question(db, row, request.question.client_id);
    if (before && before->state == "ended") {
        begun.thread = std::move(thread);
        begun.question = before->sequence;
        begun.repeated = before->turn;
        return begun;
    }
    if (thread.lease && lives(*thread.lease, request.now)) {
        throw ErrorException({Code::Conflict, "thread " + request.thread.text() +
                                                  " is being answered already; wait until that "
                                                  "has ended"});
    }
    if (thread.lease) {
        write_message(db, row, thread.turns, core::cut_off_note(request.now));
        close_question(db, row, "cut");
        begun.took_over = true;
    }
    ++thread.turns;
    if (before) {
        begun.question = before->sequence;
        thread.updated_at = std::max(thread.updated_at, request.now);
    } else {
        write_message(db, row, thread.turns, request.question);
        thread.updated_at = std::max(thread.updated_at, request.now);
        begun.question = thread.messages;
    }
    row.turn_client_id = request.question.client_id;
    write_question(db, row, begun.question);
    thread.lease =
        core::Lease{request.instance, request.now + std::min(request.lease, core::kLeaseMax)};
    write_turn(db, row);
    begun.hold = {thread.id, request.instance, thread.turns};
    begun.thread = std::move(thread);
    return begun;
}

void renew_turn(Connection& db, const core::TurnHold& hold, core::Time until) {
    ThreadRow row = read_held(db, hold);
    // Never shortened, unless the clock was put back meanwhile.
    auto& held = row.record.lease->until;
    held = held > until + core::kLeaseMax ? until : std::max(held, until);
    write_turn(db, row);
}

std::uint64_t append_messages(Connection& db, const core::TurnHold& hold,
                              const std::vector<ThreadMessage>& messages, After after) {
    core::check_size(messages);
    ThreadRow row = read_held(db, hold);
    for (const auto& message : messages) write_message(db, row, hold.turn, message);
    if (after == After::Ends) {
        close_question(db, row, "ended");
        row.record.lease.reset();
    }
    write_turn(db, row);
    return row.record.messages;
}

std::vector<ThreadMessage> read_messages(Connection& db, const core::Whose& whose,
                                         const ThreadId& id, std::uint64_t sequence,
                                         std::uint64_t bytes_max) {
    const ThreadRow row = read_bare(db, id);
    if (!is_of(whose, row.record.owner)) no_thread(id);
    auto found = db.query(
        "SELECT sequence, turn, role, content, details, client_id, at FROM thread_messages"
        " WHERE thread = ? AND sequence >= ? ORDER BY sequence");
    found.bind(row.number).bind(sequence);
    const auto most = std::min(bytes_max, kReadBytesMax);
    std::vector<ThreadMessage> messages;
    std::uint64_t bytes = 0;
    while ((messages.empty() || bytes < most) && found.next()) {
        ThreadMessage message;
        message.sequence = found.count();
        message.turn = found.count();
        message.role = found.word<core::MessageRole>();
        message.content = found.text();
        message.details_json = found.text();
        message.client_id = found.text();
        message.at = found.time();
        bytes += kMessageCostMin + bytes_of(message);
        messages.push_back(std::move(message));
    }
    return messages;
}

// ---- Homes ----

// ---- Marks ----

void add_marks(Connection& db, const std::string& owner, const std::vector<std::string>& keys,
               const core::ThreadMark& mark) {
    core::check_mark_keys(keys);
    const ThreadRow row = read_bare(db, mark.thread);
    if (row.record.owner != owner) no_thread(mark.thread);
    for (const auto& key : keys) {
        db.query("INSERT OR REPLACE INTO thread_marks (thread, key, turn) VALUES (?, ?, ?)")
            .bind(row.number)
            .bind(key)
            .bind(mark.turn)
            .run();
    }
}

std::vector<core::ThreadMark> read_marks(Connection& db, const std::string& owner,
                                         const std::string& key) {
    core::check_mark_keys({key});
    auto found = db.query(
        "SELECT threads.id, turn FROM thread_marks JOIN threads ON threads.number = thread"
        " WHERE key = ? AND owner = ? ORDER BY thread_marks.number DESC LIMIT ?");
    found.bind(key).bind(owner).bind(std::uint64_t{core::kMarksOfKeyMax});
    std::vector<core::ThreadMark> marks;
    while (found.next()) {
        core::ThreadMark mark;
        mark.thread = ThreadId(found.text());
        mark.turn = found.count();
        marks.push_back(std::move(mark));
    }
    return marks;
}

core::Home take_home(Connection& db, const ThreadId& id, const std::string& instance) {
    const auto before = get_thread(db, core::Whose::anyones(), id).home;
    (void)db.query("UPDATE threads SET home = ? WHERE id = ?").bind(instance).bind(id.text()).run();
    return {instance, !before.empty() && before != instance};
}

void leave_home(Connection& db, const ThreadId& id, const std::string& instance) {
    db.query("UPDATE threads SET home = '' WHERE id = ? AND home = ?")
        .bind(id.text())
        .bind(instance)
        .run();
}

}  // namespace atl::sqlite
