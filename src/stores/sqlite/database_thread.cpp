#include "stores/sqlite/database_thread.hpp"

#include <algorithm>
#include <exception>

namespace atl::sqlite {

namespace {

using State = core::StoreHealth::State;

// Between looks at a file that cannot be read: each reads all of it.
constexpr std::chrono::milliseconds kLookFirst{1000};
constexpr std::chrono::milliseconds kLookLatest{60'000};

Error cannot_be_read(const Connection& db) {
    const auto& path = db.path();
    return {Code::Unavailable, "the disk did not give back a part of " +
                                   path.substr(path.rfind('/') + 1) +
                                   "; nothing was written. Try again in a moment"};
}

}  // namespace

DatabaseThread::DatabaseThread(std::unique_ptr<Connection> db, Limits limits,
                               core::StoreHealth health, LookAgain look_again)
    : db_(std::move(db)),
      limits_(limits),
      look_again_(std::move(look_again)),
      health_(std::move(health)),
      thread_(
          "atoll-store",
          {.tasks_max = limits.queue_tasks_max,
           .bytes_max = limits.queue_bytes_max,
           .group_max = limits.group_tasks_max,
           .behind = "the store is behind"},
          [this](Tasks& group, bool stopping) { return serve(group, stopping); },
          [this](const Task& task, Thread::Room) { return refuse(task); }) {}

DatabaseThread::~DatabaseThread() {
    thread_.stop();
    if (db_ && read_only()) db_->keep_files_as_they_are(true);  // none, if it cannot be opened
}

core::StoreHealth DatabaseThread::health() const {
    const std::lock_guard guard(mutex_);
    return health_;
}

bool DatabaseThread::read_only() const {
    const std::lock_guard guard(mutex_);
    return health_.state == State::ReadOnly;
}

std::optional<Error> DatabaseThread::refuse(const Task& task) const {
    if (!task.mark.writes || !read_only()) return {};
    return Error{Code::Unavailable, "the store is read-only: " + health().sentence};
}

std::optional<DatabaseThread::Thread::Clock::time_point> DatabaseThread::serve(Tasks& group,
                                                                               bool stopping) {
    if (!group.empty()) carry_out(group);
    for (const auto& task : group) task->answer();
    group.clear();
    if (stopping) return {};
    // Only now: a checkpoint waits for the disk, and nobody who was answered waits for it.
    if (db_ && db_->log_pages() >= limits_.checkpoint_pages && !read_only()) db_->checkpoint();
    look_again_if_due();
    return look_due_;
}

void DatabaseThread::carry_out(std::span<const Thread::TaskPtr> group) {
    if (!db_) {  // there is nothing that could be opened
        const Error why{Code::Unavailable, "the store is read-only: " + health().sentence};
        for (const auto& task : group) task->fail(why);
        return;
    }
    const Fate fate = attempt(group);
    if (fate == Fate::Committed) return;
    for (const auto& task : group) {
        // Without a transaction, each write would only wait for the same lock again.
        const bool hopeless = fate == Fate::NotBegun && task->mark.writes;
        if (hopeless || group.size() == 1 || attempt(std::span(&task, 1)) != Fate::Committed) {
            task->fail(last_);
        }
    }
}

DatabaseThread::Fate DatabaseThread::attempt(std::span<const Thread::TaskPtr> group) {
    bool writes = false;
    for (const auto& task : group) writes = writes || task->mark.writes;
    writes = writes && !read_only();
    try {
        // At once the writer's lock, when it will be needed: to ask for it later can fail halfway.
        db_->query(writes ? "BEGIN IMMEDIATE" : "BEGIN").run();
    } catch (const SqliteFailure& failure) {
        note(failure);
        roll_back();
        return Fate::NotBegun;
    }
    const auto changes_before = sqlite3_total_changes64(db_->raw());
    for (const auto& task : group) {
        if (!run_inside(*task)) {
            roll_back();
            return Fate::Lost;
        }
    }
    try {
        db_->query("COMMIT").run();
    } catch (const SqliteFailure& failure) {
        note(failure);
        roll_back();
        return Fate::Lost;
    }
    if (sqlite3_total_changes64(db_->raw()) != changes_before) {
        const std::lock_guard guard(mutex_);
        if (health_.state == State::Failing) health_ = {};
    }
    return Fate::Committed;
}

// False: the transaction is lost, or must not be committed.
bool DatabaseThread::run_inside(Task& task) {
    if (auto refused = refuse(task)) {
        task.fail(std::move(*refused));
        return true;
    }
    try {
        if (task.mark.writes) db_->query("SAVEPOINT one").run();
        static_cast<void>(task.run(*db_));
        if (task.mark.writes) db_->query("RELEASE one").run();
        return true;
    } catch (const SqliteFailure& failure) {
        note(failure);
        if (failure.is_corruption()) return false;
        task.fail(failure.error);
    } catch (const ErrorException& refused) {
        task.fail(refused.error);
    } catch (const std::exception& bug) {
        task.fail({Code::Internal, std::string("the store failed: ") + bug.what()});
    }
    if (db_->outside_transaction()) return false;
    if (!task.mark.writes) return true;
    try {
        db_->query("ROLLBACK TO one").run();
        db_->query("RELEASE one").run();
    } catch (const SqliteFailure& failure) {
        note(failure);
        return false;
    }
    return true;
}

void DatabaseThread::roll_back() noexcept {
    if (!db_->outside_transaction()) {
        // An error here means that SQLite has rolled back already.
        sqlite3_exec(db_->raw(), "ROLLBACK", nullptr, nullptr, nullptr);
    }
}

void DatabaseThread::note(const SqliteFailure& failure) {
    last_ = failure.error;
    if (failure.is_corruption()) return judge_corruption();
    const std::lock_guard guard(mutex_);
    if (health_.state == State::ReadOnly) return;
    if (!failure.is(SQLITE_CONSTRAINT) && !failure.is(SQLITE_TOOBIG)) {
        health_ = {State::Failing, failure.error.message};
    }
}

void DatabaseThread::judge_corruption() {
    // A page that the disk did not give back is corrupt to SQLite. It may be whole; until that is
    // known nothing is written, for on a damaged file it would make things worse.
    const bool unreadable = look_again_ && db_->disk_failed();
    if (unreadable) last_ = cannot_be_read(*db_);
    const std::lock_guard guard(mutex_);
    if (health_.state == State::ReadOnly) return;
    health_ = {State::ReadOnly, last_.message};
    if (!unreadable) return;
    look_pause_ = kLookFirst;
    look_due_ = std::chrono::steady_clock::now();
}

void DatabaseThread::look_again_if_due() {
    if (!look_due_ || std::chrono::steady_clock::now() < *look_due_) return;
    auto found = look_again_();
    look_due_ = std::chrono::steady_clock::now() + look_pause_;
    look_pause_ = std::min(look_pause_ * 2, kLookLatest);
    if (found.verdict == Verdict::Unreadable) return;
    look_due_.reset();
    const std::lock_guard guard(mutex_);
    health_ = {};
    if (found.verdict == Verdict::Sound) {
        std::swap(db_, found.db);
    } else {
        health_ = {State::ReadOnly, damage_sentence(db_->path(), "its check failed")};
    }
}

}  // namespace atl::sqlite
