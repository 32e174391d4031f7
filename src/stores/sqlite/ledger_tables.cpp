#include "stores/sqlite/ledger_tables.hpp"

#include "stores/sqlite/paging.hpp"

#include <charconv>
#include <cstring>
#include <limits>

namespace atl::sqlite {

namespace {

using core::KeyRecord;

constexpr int kUsageDaysMax = 366;

#define KEY_COLUMNS \
    "id, secret_sha256, owner, name, scopes, created_at, last_used_at, expires_at, revoked_at"

[[noreturn]] void key_not_found(const KeyId& id) {
    throw ErrorException({Code::NotFound, "there is no key " + id.text()});
}

// Scopes are single words, so a space keeps them apart, as in OAuth.
std::string join_scopes(const std::vector<std::string>& scopes) {
    std::string text;
    for (const auto& scope : scopes) {
        if (scope.empty() || scope.find(' ') != scope.npos) {
            throw ErrorException({Code::InvalidArgument, "a scope of a key is a single word"});
        }
        if (!text.empty()) text += ' ';
        text += scope;
    }
    return text;
}

std::vector<std::string> split_scopes(std::string_view text) {
    std::vector<std::string> scopes;
    while (!text.empty()) {
        const auto end = text.find(' ');
        scopes.emplace_back(text.substr(0, end));
        text = end == text.npos ? std::string_view() : text.substr(end + 1);
    }
    return scopes;
}

KeyRecord read_key(Query& row) {
    KeyRecord record;
    record.id = KeyId(row.text());
    const std::string digest = row.text();
    if (digest.size() != record.secret_sha256.size()) {
        throw ErrorException(
            {Code::Internal, "the digest of key " + record.id.text() + " does not have 32 bytes"});
    }
    std::memcpy(record.secret_sha256.data(), digest.data(), digest.size());
    record.owner = row.text();
    record.name = row.text();
    record.scopes = split_scopes(row.text());
    record.created_at = row.time();
    record.last_used_at = row.maybe_time();
    record.expires_at = row.maybe_time();
    record.revoked_at = row.maybe_time();
    return record;
}

std::optional<KeyRecord> find_key(Connection& db, const KeyId& id) {
    auto row = db.query("SELECT " KEY_COLUMNS " FROM api_keys WHERE id = ?");
    row.bind(id.text());
    if (!row.next()) return std::nullopt;
    return read_key(row);
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t highest = std::numeric_limits<std::int64_t>::max();
    return a >= highest || b >= highest - a ? highest : a + b;
}

// In a cursor of the audit log the sequence number stands in the id's place.
std::int64_t sequence_of(const Cursor& cursor) {
    std::int64_t number = 0;
    const char* end = cursor.id.data() + cursor.id.size();
    const auto [stop, failed] = std::from_chars(cursor.id.data(), end, number);
    if (failed != std::errc() || stop != end) {
        throw ErrorException(
            {Code::InvalidArgument, "the cursor is not valid for a list of the audit log"});
    }
    return number;
}

}  // namespace

// ---- Keys ----

void add_key(Connection& db, const KeyRecord& record) {
    check_id(record.id.text(), "key");
    const std::string scopes = join_scopes(record.scopes);
    const std::string_view digest(reinterpret_cast<const char*>(record.secret_sha256.data()),
                                  record.secret_sha256.size());
    try {
        db.query("INSERT INTO api_keys (" KEY_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(record.id.text())
            .bind_bytes(digest)
            .bind(record.owner)
            .bind(record.name)
            .bind(scopes)
            .bind(record.created_at)
            .bind(record.last_used_at)
            .bind(record.expires_at)
            .bind(record.revoked_at)
            .run();
    } catch (const SqliteFailure& failure) {
        if (!failure.is(SQLITE_CONSTRAINT)) throw;
        throw ErrorException({Code::Conflict, "there is a key " + record.id.text() + " already"});
    }
}

KeyRecord check_key(Connection& db, const KeyId& id, const core::Sha256& secret, core::Time now) {
    auto key = find_key(db, id);
    // Compared in any case, and told in one sentence: who guesses learns nothing from either.
    static constexpr core::Sha256 kNobodys{};
    const bool same = core::same_digest(key ? key->secret_sha256 : kNobodys, secret);
    const bool valid = key && !key->revoked_at && (!key->expires_at || *key->expires_at > now);
    if (!same || !valid) {
        throw ErrorException({Code::Unauthenticated, "the API key is not valid"});
    }
    return std::move(*key);
}

KeyRecord get_key(Connection& db, const core::Whose& whose, const KeyId& id) {
    auto key = find_key(db, id);
    if (!key || (whose.owner() && key->owner != *whose.owner())) key_not_found(id);
    return std::move(*key);
}

core::KeyPage list_keys(Connection& db, const core::KeyQuery& query) {
    check_limit(query.limit);
    Filter filter;
    filter.whose(query.whose);
    filter.after(query.cursor);
    auto rows = db.query("SELECT " KEY_COLUMNS " FROM api_keys WHERE " + filter.text() +
                         " ORDER BY created_at DESC, id DESC LIMIT ?");
    filter.bind(rows);
    rows.bind(query.limit + 1);  // one more, to know whether there is a next page
    core::KeyPage page;
    while (rows.next()) {
        if (page.keys.size() == query.limit) {
            const auto& last = page.keys.back();
            page.next_cursor =
                write_cursor({last.created_at.time_since_epoch().count(), last.id.text()});
            break;
        }
        page.keys.push_back(read_key(rows));
    }
    return page;
}

void touch_key(Connection& db, const KeyId& id, core::Time used_at) {
    db.query("UPDATE api_keys SET last_used_at = max(coalesce(last_used_at, ?), ?) WHERE id = ?")
        .bind(used_at)
        .bind(used_at)
        .bind(id.text())
        .run();
}

KeyRecord revoke_key(Connection& db, const core::Whose& whose, const KeyId& id, core::Time now) {
    KeyRecord key = get_key(db, whose, id);
    if (!key.revoked_at) {
        db.query("UPDATE api_keys SET revoked_at = ? WHERE id = ?").bind(now).bind(id.text()).run();
        key.revoked_at = now;
    }
    return key;
}

// ---- Audit ----

void append_audit(Connection& db, const core::AuditRecord& record) {
    db.query(
          "INSERT INTO audit (time, owner, key_id, action, object, outcome, request_id, detail)"
          " VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(record.time)
        .bind(record.owner)
        .bind(record.key_id)
        .bind(record.action)
        .bind(record.object)
        .bind(record.outcome)
        .bind(record.request_id)
        .bind(record.detail_json)
        .run();
}

core::AuditPage list_audit(Connection& db, const core::AuditQuery& query) {
    check_limit(query.limit);
    Filter filter;
    filter.whose(query.whose);
    if (query.from) {
        filter.where("time >= ?", std::int64_t{query.from->time_since_epoch().count()});
    }
    if (query.until) {
        filter.where("time < ?", std::int64_t{query.until->time_since_epoch().count()});
    }
    if (!query.cursor.empty()) {
        const Cursor cursor = read_cursor(query.cursor);
        filter.where("(time, sequence) < (?, ?)", cursor.time, sequence_of(cursor));
    }
    auto rows = db.query(
        "SELECT sequence, time, owner, key_id, action, object, outcome, request_id, detail"
        " FROM audit WHERE " +
        filter.text() + " ORDER BY time DESC, sequence DESC LIMIT ?");
    filter.bind(rows);
    rows.bind(query.limit + 1);  // one more, to know whether there is a next page
    core::AuditPage page;
    std::size_t bytes = 0;
    while (rows.next()) {
        if (page.records.size() == query.limit || bytes > kPageBytesMax) {
            const auto& last = page.records.back();
            page.next_cursor =
                write_cursor({last.time.time_since_epoch().count(), std::to_string(last.sequence)});
            break;
        }
        core::AuditRecord record;
        record.sequence = rows.count();
        record.time = rows.time();
        record.owner = rows.text();
        record.key_id = rows.text();
        record.action = rows.text();
        record.object = rows.text();
        record.outcome = rows.text();
        record.request_id = rows.text();
        record.detail_json = rows.text();
        bytes += 256 + record.object.size() + record.detail_json.size();
        page.records.push_back(std::move(record));
    }
    return page;
}

// ---- Use ----

core::UsageCounters add_usage(Connection& db, const std::string& owner, core::Day day,
                              const core::UsageCounters& more) {
    const std::int64_t number = day.time_since_epoch().count();
    core::UsageCounters now = more;
    {
        auto row = db.query(
            "SELECT cpu_us, runs, sessions_created, egress_bytes FROM owner_usage"
            " WHERE owner = ? AND day = ?");
        row.bind(owner).bind(number);
        if (row.next()) {
            // Added here and not in SQL, where a number that is too large becomes a fraction.
            now.cpu_us = sum(row.count(), more.cpu_us);
            now.runs = sum(row.count(), more.runs);
            now.sessions_created = sum(row.count(), more.sessions_created);
            now.egress_bytes = sum(row.count(), more.egress_bytes);
        }
    }
    db.query(
          "INSERT OR REPLACE INTO owner_usage"
          " (owner, day, cpu_us, runs, sessions_created, egress_bytes)"
          " VALUES (?, ?, ?, ?, ?, ?)")
        .bind(owner)
        .bind(number)
        .bind(now.cpu_us)
        .bind(now.runs)
        .bind(now.sessions_created)
        .bind(now.egress_bytes)
        .run();
    return now;
}

std::vector<core::UsageOfDay> get_usage(Connection& db, const std::string& owner, core::Day first,
                                        core::Day last) {
    if (last < first || (last - first).count() >= kUsageDaysMax) {
        throw ErrorException({Code::InvalidArgument, "usage covers 1 to 366 days at once"});
    }
    auto rows = db.query(
        "SELECT day, cpu_us, runs, sessions_created, egress_bytes FROM owner_usage"
        " WHERE owner = ? AND day BETWEEN ? AND ? ORDER BY day");
    rows.bind(owner)
        .bind(std::int64_t{first.time_since_epoch().count()})
        .bind(std::int64_t{last.time_since_epoch().count()});
    std::vector<core::UsageOfDay> days;
    while (rows.next()) {
        core::UsageOfDay use;
        use.day = core::Day(std::chrono::days(rows.number()));
        use.counters.cpu_us = rows.count();
        use.counters.runs = rows.count();
        use.counters.sessions_created = rows.count();
        use.counters.egress_bytes = rows.count();
        days.push_back(use);
    }
    return days;
}

}  // namespace atl::sqlite
