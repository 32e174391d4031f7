#include "stores/sqlite/schema.hpp"

#include <iterator>

namespace atl::sqlite {

namespace {

// Times are milliseconds since 1970. Words of an enumeration stand as words, so that a person with
// sqlite3 can read them.
constexpr const char* kSteps[] = {
    R"sql(
CREATE TABLE sessions (
    id             TEXT PRIMARY KEY NOT NULL,
    owner          TEXT NOT NULL,
    name           TEXT NOT NULL,
    template       TEXT NOT NULL,
    runtime        TEXT NOT NULL,
    state          TEXT NOT NULL,
    spec           TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    last_used_at   INTEGER NOT NULL,
    expires_at     INTEGER,
    idle_to_warm_s INTEGER NOT NULL,
    idle_to_cold_s INTEGER NOT NULL,
    generation     INTEGER NOT NULL,
    state_note     TEXT NOT NULL,
    disk_bytes     INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_owner ON sessions (owner, created_at, id);
CREATE INDEX sessions_by_age ON sessions (created_at, id);
CREATE INDEX sessions_by_end ON sessions (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE session_metadata (
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    name    TEXT NOT NULL,
    value   TEXT NOT NULL,
    PRIMARY KEY (session, name)
) STRICT, WITHOUT ROWID;

-- `number` keeps the order of arrival, which a random id and a clock of milliseconds do not.
CREATE TABLE jobs (
    number           INTEGER PRIMARY KEY,
    id               TEXT NOT NULL UNIQUE,
    owner            TEXT NOT NULL,
    kind             TEXT NOT NULL,
    code             TEXT NOT NULL,
    state            TEXT NOT NULL,
    priority         INTEGER NOT NULL,
    attempts         INTEGER NOT NULL,
    attempts_max     INTEGER NOT NULL,
    after_crash      TEXT NOT NULL,
    timeout_ms       INTEGER NOT NULL,
    session          TEXT,
    created_at       INTEGER NOT NULL,
    started_at       INTEGER,
    ended_at         INTEGER,
    exit_code        INTEGER,
    error            TEXT NOT NULL,
    lease_instance   TEXT,
    lease_until      INTEGER,
    cancel_requested INTEGER NOT NULL,
    log_bytes        INTEGER NOT NULL,
    log_cost         INTEGER NOT NULL,
    log_next         INTEGER NOT NULL,
    log_truncated    INTEGER NOT NULL,
    CHECK ((state = 'running') = (lease_instance IS NOT NULL)),
    CHECK ((state IN ('queued', 'running')) = (ended_at IS NULL))
) STRICT;
CREATE INDEX jobs_waiting ON jobs (priority DESC, created_at, number) WHERE state = 'queued';
CREATE INDEX jobs_alive ON jobs (state, owner) WHERE ended_at IS NULL;
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_by_owner ON jobs (owner, created_at, id);
CREATE INDEX jobs_by_age ON jobs (created_at, id);

CREATE TABLE job_log (
    job      INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    sequence INTEGER NOT NULL,
    stream   TEXT NOT NULL,
    time     INTEGER NOT NULL,
    bytes    BLOB NOT NULL,
    PRIMARY KEY (job, sequence)
) STRICT;

CREATE TABLE api_keys (
    id            TEXT PRIMARY KEY NOT NULL,
    secret_sha256 BLOB NOT NULL CHECK (length(secret_sha256) = 32),
    owner         TEXT NOT NULL,
    name          TEXT NOT NULL,
    scopes        TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    last_used_at  INTEGER,
    expires_at    INTEGER,
    revoked_at    INTEGER
) STRICT;
CREATE INDEX api_keys_by_owner ON api_keys (owner, created_at, id);

CREATE TABLE audit (
    sequence   INTEGER PRIMARY KEY,
    time       INTEGER NOT NULL,
    owner      TEXT NOT NULL,
    key_id     TEXT NOT NULL,
    action     TEXT NOT NULL,
    object     TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    request_id TEXT NOT NULL,
    detail     TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_owner ON audit (owner, time);
CREATE INDEX audit_by_time ON audit (time);
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only ever added to'); END;
CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
BEGIN SELECT RAISE(ABORT, 'the audit log is only ever added to'); END;
-- Replacing a row removes one, which the trigger above sees only where recursive triggers are on.
CREATE TRIGGER audit_is_not_replaced BEFORE INSERT ON audit
WHEN EXISTS (SELECT 1 FROM audit WHERE sequence = NEW.sequence)
BEGIN SELECT RAISE(ABORT, 'the audit log is only ever added to'); END;

CREATE TABLE owner_usage (
    owner            TEXT NOT NULL,
    day              INTEGER NOT NULL,  -- since 1970
    cpu_us           INTEGER NOT NULL,
    runs             INTEGER NOT NULL,
    sessions_created INTEGER NOT NULL,
    egress_bytes     INTEGER NOT NULL,
    PRIMARY KEY (owner, day)
) STRICT, WITHOUT ROWID;
)sql",
    R"sql(
ALTER TABLE jobs ADD COLUMN spec TEXT NOT NULL DEFAULT '{}';
ALTER TABLE jobs ADD COLUMN interruptions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN not_before INTEGER;
)sql",
    R"sql(
CREATE TABLE job_metadata (
    job   INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
    name  TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (job, name)
) STRICT, WITHOUT ROWID;
)sql",
    R"sql(
CREATE TABLE uploads (
    id         TEXT PRIMARY KEY NOT NULL,
    owner      TEXT NOT NULL,
    name       TEXT NOT NULL,
    bytes      INTEGER NOT NULL,
    sha256     TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_by_owner ON uploads (owner, bytes);

-- `turn_client_id` is the question's of the last turn. A turn is under way while there is a lease.
CREATE TABLE threads (
    number         INTEGER PRIMARY KEY,
    id             TEXT NOT NULL UNIQUE,
    owner          TEXT NOT NULL,
    title          TEXT NOT NULL,
    session        TEXT NOT NULL,
    home           TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    messages       INTEGER NOT NULL,
    turns          INTEGER NOT NULL,
    turn_client_id TEXT NOT NULL,
    lease_instance TEXT,
    lease_until    INTEGER,
    memory         TEXT NOT NULL,
    CHECK ((lease_instance IS NULL) = (lease_until IS NULL))
) STRICT;
CREATE INDEX threads_by_owner ON threads (owner, updated_at, id);
CREATE INDEX threads_by_update ON threads (updated_at, id);
CREATE INDEX threads_leased ON threads (number) WHERE lease_instance IS NOT NULL;

CREATE TABLE thread_files (
    thread   INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    upload   TEXT NOT NULL REFERENCES uploads (id),
    PRIMARY KEY (thread, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX thread_files_by_upload ON thread_files (upload);

CREATE TABLE thread_messages (
    thread    INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    sequence  INTEGER NOT NULL,
    turn      INTEGER NOT NULL,
    role      TEXT NOT NULL,
    content   TEXT NOT NULL,
    details   TEXT NOT NULL,
    client_id TEXT NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (thread, sequence)
) STRICT;

-- What became of each question that a client gave a name: 'open', 'ended' or 'cut' is the last turn
-- that was begun for it.
CREATE TABLE thread_questions (
    thread    INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    sequence  INTEGER NOT NULL,
    turn      INTEGER NOT NULL,
    state     TEXT NOT NULL,
    PRIMARY KEY (thread, client_id)
) STRICT, WITHOUT ROWID;
)sql",

    R"sql(
-- Which store this is, among all: what lies in folders beside it names it.
CREATE TABLE identity (id TEXT NOT NULL) STRICT;
INSERT INTO identity VALUES (lower(hex(randomblob(16))));
)sql",

    R"sql(
-- What jobs of an owner take: code, spec and log, in bytes. Kept up to date with each change, since
-- reading all of it to count it would take as long as it is large.
CREATE TABLE job_use (
    owner TEXT PRIMARY KEY NOT NULL,
    bytes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO job_use
SELECT owner, sum(length(CAST(code AS BLOB)) + length(CAST(spec AS BLOB)) + log_bytes)
FROM jobs GROUP BY owner;
CREATE TRIGGER job_use_of_new AFTER INSERT ON jobs
BEGIN
    INSERT INTO job_use VALUES
        (NEW.owner, length(CAST(NEW.code AS BLOB)) + length(CAST(NEW.spec AS BLOB)) + NEW.log_bytes)
    ON CONFLICT (owner) DO UPDATE SET bytes = bytes + excluded.bytes;
END;
CREATE TRIGGER job_use_of_log AFTER UPDATE OF log_bytes ON jobs
BEGIN
    UPDATE job_use SET bytes = bytes + NEW.log_bytes - OLD.log_bytes WHERE owner = NEW.owner;
END;
CREATE TRIGGER job_use_of_gone AFTER DELETE ON jobs
BEGIN
    UPDATE job_use SET bytes = bytes - length(CAST(OLD.code AS BLOB))
        - length(CAST(OLD.spec AS BLOB)) - OLD.log_bytes
    WHERE owner = OLD.owner;
    DELETE FROM job_use WHERE owner = OLD.owner AND bytes <= 0;
END;
)sql",
    R"sql(
CREATE INDEX uploads_by_creation ON uploads (created_at, id);
CREATE INDEX uploads_of_owner_by_creation ON uploads (owner, created_at, id);
)sql",
    R"sql(
-- Not UNIQUE: names were free before this step, and sessions that are being deleted keep theirs.
CREATE INDEX sessions_by_name ON sessions (owner, name) WHERE name <> '';
)sql",
    R"sql(
-- Which model answers in a thread; '' is the server's. Until now each question named its own, and
-- the page went by the last one.
ALTER TABLE threads ADD COLUMN model TEXT NOT NULL DEFAULT '';
UPDATE threads SET model = coalesce((
    SELECT CASE WHEN json_valid(details) AND json_type(details, '$.model') = 'text'
                THEN json_extract(details, '$.model') END
    FROM thread_messages AS m WHERE m.thread = threads.number AND m.role = 'user'
    ORDER BY m.sequence DESC LIMIT 1), '');
)sql",
    R"sql(
-- Where conversations have got to whose clients name no thread: by digests of what was said.
CREATE TABLE thread_marks (
    number INTEGER PRIMARY KEY,
    thread INTEGER NOT NULL REFERENCES threads (number) ON DELETE CASCADE,
    key    TEXT NOT NULL,
    turn   INTEGER NOT NULL,
    UNIQUE (key, thread, turn)
) STRICT;
CREATE INDEX thread_marks_by_thread ON thread_marks (thread);
)sql",
    R"sql(
-- Versions of one chat: the id of the first of them, and which turns are whose.
ALTER TABLE threads ADD COLUMN family TEXT NOT NULL DEFAULT '';
ALTER TABLE threads ADD COLUMN origins TEXT NOT NULL DEFAULT '';
CREATE INDEX threads_of_family ON threads (family) WHERE family <> '';
)sql",
};

std::int64_t pragma_number(Connection& db, const char* sql) {
    auto query = db.query(sql);
    return query.next() ? query.number() : 0;
}

}  // namespace

std::span<const char* const> schema_steps() { return kSteps; }

Result<void> check_identity(Connection& db, std::size_t steps_known) {
    try {
        const auto version = pragma_number(db, "PRAGMA user_version");
        const auto application = pragma_number(db, "PRAGMA application_id");
        const auto tables = pragma_number(db, "SELECT count(*) FROM sqlite_schema");
        if (application != kApplicationId && (application != 0 || version != 0 || tables != 0)) {
            return Error{Code::Conflict, "the file " + db.path() +
                                             " is a database, but not one of Atoll's; choose "
                                             "another data folder"};
        }
        if (version < 0 || static_cast<std::uint64_t>(version) > steps_known) {
            return Error{Code::Unsupported,
                         "the database " + db.path() + " was written by a newer Atoll (schema " +
                             std::to_string(version) + ", this one knows up to " +
                             std::to_string(steps_known) +
                             "); use that version, or a backup from before"};
        }
    } catch (const ErrorException& failed) { return failed.error; }
    return {};
}

Result<void> migrate(Connection& db, std::span<const char* const> steps) {
    try {
        auto seen = pragma_number(db, "PRAGMA user_version");
        for (auto number = static_cast<std::size_t>(seen); number < steps.size(); ++number) {
            try {
                db.script("BEGIN IMMEDIATE");
                db.script(steps[number]);
                db.script(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
                db.script(("PRAGMA user_version = " + std::to_string(number + 1)).c_str());
                db.script("COMMIT");
            } catch (const ErrorException& failed) {
                if (!db.outside_transaction()) db.script("ROLLBACK");
                return failed.error.during("bring " + db.path() + " to schema " +
                                           std::to_string(number + 1));
            }
        }
    } catch (const ErrorException& failed) { return failed.error; }
    return {};
}

}  // namespace atl::sqlite
