#include "stores/sqlite/session_table.hpp"

#include "stores/sqlite/paging.hpp"

namespace atl::sqlite {

namespace {

using core::SessionRecord;

#define SESSION_COLUMNS                                                                       \
    "id, owner, name, template, runtime, state, spec, created_at, last_used_at, expires_at, " \
    "idle_to_warm_s, idle_to_cold_s, generation, state_note, disk_bytes"

[[noreturn]] void not_found(const SessionId& id) {
    throw ErrorException({Code::NotFound, "there is no session " + id.text()});
}

SessionRecord read_session(Query& row) {
    SessionRecord record;
    record.id = SessionId(row.text());
    record.owner = row.text();
    record.name = row.text();
    record.template_name = row.text();
    record.runtime = row.text();
    record.state = row.word<core::SessionState>();
    record.spec_json = row.text();
    record.created_at = row.time();
    record.last_used_at = row.time();
    record.expires_at = row.maybe_time();
    record.idle_to_warm = std::chrono::seconds(row.number());
    record.idle_to_cold = std::chrono::seconds(row.number());
    record.generation = row.count();
    record.state_note = row.text();
    record.disk_bytes = row.count();
    return record;
}

void read_metadata(Connection& db, SessionRecord& record) {
    auto rows = db.query("SELECT name, value FROM session_metadata WHERE session = ?");
    rows.bind(record.id.text());
    while (rows.next()) {
        std::string name = rows.text();
        record.metadata.emplace(std::move(name), rows.text());
    }
}

void write_metadata(Connection& db, const SessionRecord& record) {
    for (const auto& [name, value] : record.metadata) {
        db.query("INSERT INTO session_metadata (session, name, value) VALUES (?, ?, ?)")
            .bind(record.id.text())
            .bind(name)
            .bind(value)
            .run();
    }
}

// What it takes in memory, about: pages are bounded by it.
std::size_t memory_of(const SessionRecord& record) {
    std::size_t bytes = 512 + record.name.size() + record.spec_json.size() +
                        record.state_note.size() + record.owner.size();
    for (const auto& [name, value] : record.metadata) bytes += 64 + name.size() + value.size();
    return bytes;
}

// Every field that may change, of a record that exists.
void write_row(Connection& db, const SessionRecord& record) {
    db.query(
          "UPDATE sessions SET name = ?, template = ?, runtime = ?, state = ?, spec = ?,"
          " last_used_at = ?, expires_at = ?, idle_to_warm_s = ?, idle_to_cold_s = ?,"
          " generation = ?, state_note = ?, disk_bytes = ? WHERE id = ?")
        .bind(record.name)
        .bind(record.template_name)
        .bind(record.runtime)
        .bind(core::name_of(record.state))
        .bind(record.spec_json)
        .bind(record.last_used_at)
        .bind(record.expires_at)
        .bind(std::int64_t{record.idle_to_warm.count()})
        .bind(std::int64_t{record.idle_to_cold.count()})
        .bind(record.generation)
        .bind(record.state_note)
        .bind(record.disk_bytes)
        .bind(record.id.text())
        .run();
}

void replace_metadata(Connection& db, const SessionRecord& record) {
    db.query("DELETE FROM session_metadata WHERE session = ?").bind(record.id.text()).run();
    write_metadata(db, record);
}

// Unique among the owner's. In the transaction that writes it, so that of two at once one loses.
void check_name(Connection& db, const SessionRecord& record) {
    if (record.name.empty()) return;
    auto others = db.query(
        "SELECT id FROM sessions WHERE owner = ? AND name = ? AND name <> ''"
        " AND state <> 'deleting' AND id <> ? LIMIT 1");
    others.bind(record.owner).bind(record.name).bind(record.id.text());
    if (!others.next()) return;
    throw ErrorException({Code::Conflict, "there is a session named \"" + record.name +
                                              "\" already: " + others.text()});
}

void check_generation(const SessionRecord& stored, std::uint64_t expected) {
    if (stored.generation == expected) return;
    throw ErrorException({Code::Conflict, "session " + stored.id.text() +
                                              " has changed meanwhile (generation " +
                                              std::to_string(stored.generation) + ", not " +
                                              std::to_string(expected) + "); read it again"});
}

}  // namespace

SessionRecord create_session(Connection& db, const SessionRecord& record, std::uint64_t owner_max) {
    check_id(record.id.text(), "session");
    if (owner_max > 0) {
        auto others =
            db.query("SELECT count(*) FROM sessions WHERE owner = ? AND state <> 'deleting'");
        others.bind(record.owner);
        if (others.next() && others.count() >= owner_max) {
            throw ErrorException({Code::Exhausted, "there are " + std::to_string(owner_max) +
                                                       " sessions already, as many as are allowed; "
                                                       "delete one first"});
        }
    }
    check_name(db, record);
    SessionRecord made = record;
    made.generation = 1;
    try {
        db.query("INSERT INTO sessions (" SESSION_COLUMNS
                 ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(made.id.text())
            .bind(made.owner)
            .bind(made.name)
            .bind(made.template_name)
            .bind(made.runtime)
            .bind(core::name_of(made.state))
            .bind(made.spec_json)
            .bind(made.created_at)
            .bind(made.last_used_at)
            .bind(made.expires_at)
            .bind(std::int64_t{made.idle_to_warm.count()})
            .bind(std::int64_t{made.idle_to_cold.count()})
            .bind(made.generation)
            .bind(made.state_note)
            .bind(made.disk_bytes)
            .run();
    } catch (const SqliteFailure& failure) {
        if (!failure.is(SQLITE_CONSTRAINT)) throw;
        throw ErrorException({Code::Conflict, "there is a session " + made.id.text() + " already"});
    }
    write_metadata(db, made);
    return made;
}

SessionRecord update_session(Connection& db, const SessionRecord& record) {
    const SessionRecord stored = get_session(db, core::Whose::of(record.owner), record.id);
    check_generation(stored, record.generation);
    SessionRecord next = record;
    next.created_at = stored.created_at;
    next.last_used_at = std::max(record.last_used_at, stored.last_used_at);
    next.generation = stored.generation + 1;
    if (next.name != stored.name) check_name(db, next);
    write_row(db, next);
    if (next.metadata != stored.metadata) replace_metadata(db, next);
    return next;
}

SessionRecord patch_session(Connection& db, const core::Whose& whose, const SessionId& id,
                            const core::SessionPatch& patch,
                            std::optional<std::uint64_t> generation) {
    SessionRecord record = get_session(db, whose, id);
    if (generation) check_generation(record, *generation);
    const bool more_than_seen = patch.name || patch.metadata || patch.state || patch.spec_json ||
                                patch.expires_at || patch.idle_to_warm || patch.idle_to_cold ||
                                patch.state_note;
    if (patch.last_used_at) {
        record.last_used_at = std::max(record.last_used_at, *patch.last_used_at);
    }
    if (patch.disk_bytes) record.disk_bytes = *patch.disk_bytes;
    if (!more_than_seen) {
        db.query("UPDATE sessions SET last_used_at = ?, disk_bytes = ? WHERE id = ?")
            .bind(record.last_used_at)
            .bind(record.disk_bytes)
            .bind(id.text())
            .run();
        return record;
    }
    if (patch.name && *patch.name != record.name) {
        record.name = *patch.name;
        check_name(db, record);
    }
    if (patch.state) record.state = *patch.state;
    if (patch.spec_json) record.spec_json = *patch.spec_json;
    if (patch.expires_at) record.expires_at = *patch.expires_at;
    if (patch.idle_to_warm) record.idle_to_warm = *patch.idle_to_warm;
    if (patch.idle_to_cold) record.idle_to_cold = *patch.idle_to_cold;
    if (patch.state_note) record.state_note = *patch.state_note;
    ++record.generation;
    write_row(db, record);
    if (patch.metadata && *patch.metadata != record.metadata) {
        record.metadata = *patch.metadata;
        replace_metadata(db, record);
    }
    return record;
}

SessionRecord get_session(Connection& db, const core::Whose& whose, const SessionId& id) {
    auto row = db.query("SELECT " SESSION_COLUMNS " FROM sessions WHERE id = ?");
    row.bind(id.text());
    if (!row.next()) not_found(id);
    SessionRecord record = read_session(row);
    if (whose.owner() && record.owner != *whose.owner()) not_found(id);
    read_metadata(db, record);
    return record;
}

SessionRecord session_named(Connection& db, const std::string& owner, const std::string& name) {
    auto rows = db.query("SELECT " SESSION_COLUMNS
                         " FROM sessions WHERE owner = ? AND name = ? AND name <> ''"
                         " AND state <> 'deleting' LIMIT 2");
    rows.bind(owner).bind(name);
    if (!rows.next()) not_found(SessionId(name));
    SessionRecord record = read_session(rows);
    if (rows.next()) {
        throw ErrorException(
            {Code::Conflict, "several sessions are named \"" + name + "\"; use an id"});
    }
    read_metadata(db, record);
    return record;
}

core::SessionPage list_sessions(Connection& db, const core::SessionQuery& query) {
    check_limit(query.limit);
    if (query.metadata.size() > kMetadataFiltersMax) {
        throw ErrorException({Code::InvalidArgument,
                              "a list can be filtered by at most 16 metadata values at once"});
    }
    Filter filter;
    filter.whose(query.whose);
    filter.one_of("state", query.states);
    for (const auto& [name, value] : query.metadata) {
        filter.where(
            "EXISTS (SELECT 1 FROM session_metadata WHERE session = id AND session_metadata.name = "
            "?"
            " AND value = ?)",
            name, value);
    }
    filter.after(query.cursor);
    auto rows = db.query("SELECT " SESSION_COLUMNS " FROM sessions WHERE " + filter.text() +
                         " ORDER BY created_at DESC, id DESC LIMIT ?");
    filter.bind(rows);
    rows.bind(query.limit + 1);  // one more, to know whether there is a next page
    core::SessionPage page;
    std::size_t bytes = 0;
    while (rows.next()) {
        if (page.sessions.size() == query.limit || bytes > kPageBytesMax) {
            const auto& last = page.sessions.back();
            page.next_cursor =
                write_cursor({last.created_at.time_since_epoch().count(), last.id.text()});
            break;
        }
        SessionRecord record = read_session(rows);
        read_metadata(db, record);
        bytes += memory_of(record);
        page.sessions.push_back(std::move(record));
    }
    return page;
}

std::vector<SessionRecord> expired_sessions(Connection& db, core::Time now, std::uint32_t limit) {
    check_limit(limit);
    auto rows = db.query("SELECT " SESSION_COLUMNS
                         " FROM sessions WHERE expires_at IS NOT NULL AND expires_at <= ?"
                         " AND state <> 'deleting' ORDER BY expires_at LIMIT ?");
    rows.bind(now).bind(limit);
    std::vector<SessionRecord> found;
    std::size_t bytes = 0;
    while (bytes <= kPageBytesMax && rows.next()) {
        SessionRecord record = read_session(rows);
        read_metadata(db, record);
        bytes += memory_of(record);
        found.push_back(std::move(record));
    }
    return found;
}

void remove_session(Connection& db, const core::Whose& whose, const SessionId& id) {
    Filter filter;
    filter.where("id = ?", id.text());
    filter.whose(whose);
    auto query = db.query("DELETE FROM sessions WHERE " + filter.text());
    filter.bind(query);
    if (query.run() == 0) not_found(id);
}

}  // namespace atl::sqlite
