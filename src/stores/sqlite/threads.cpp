#include "stores/sqlite/threads.hpp"

#include "stores/sqlite/database_thread.hpp"
#include "stores/sqlite/thread_table.hpp"

namespace atl::sqlite {

namespace asio = boost::asio;

namespace {

// What a record holds on to while it waits in the queue, about.
std::size_t weight_of(const core::ThreadRecord& record) {
    return kSmall + record.title.size() + record.memory_json.size() + 64 * record.files.size();
}
std::size_t weight_of(const core::ThreadPatch& patch) {
    return kSmall + (patch.title ? patch.title->size() : 0) +
           (patch.memory_json ? patch.memory_json->size() : 0) +
           (patch.files ? 64 * patch.files->size() : 0);
}
std::size_t weight_of(const std::vector<core::ThreadMessage>& messages) {
    std::size_t bytes = kSmall;
    for (const auto& message : messages) bytes += 128 + bytes_of(message);
    return bytes;
}

}  // namespace

// ---- Uploads ----

asio::awaitable<core::UploadRecord> SqliteThreads::add_upload(core::UploadRecord record,
                                                              core::UploadRoom room) {
    return worker_.ask<core::UploadRecord>(kWrites, kSmall,
                                           [record = std::move(record), room](Connection& db) {
                                               return sqlite::add_upload(db, record, room);
                                           });
}

asio::awaitable<core::UploadRecord> SqliteThreads::get_upload(core::Whose whose, UploadId id) {
    return worker_.ask<core::UploadRecord>(
        kReads, kSmall, [whose = std::move(whose), id = std::move(id)](Connection& db) {
            return sqlite::get_upload(db, whose, id);
        });
}

asio::awaitable<core::UploadPage> SqliteThreads::list_uploads(core::UploadQuery query) {
    return worker_.ask<core::UploadPage>(
        kReads, kSmall,
        [query = std::move(query)](Connection& db) { return sqlite::list_uploads(db, query); });
}

asio::awaitable<void> SqliteThreads::remove_upload(core::Whose whose, UploadId id) {
    return worker_.ask<void>(kWrites, kSmall,
                             [whose = std::move(whose), id = std::move(id)](Connection& db) {
                                 sqlite::remove_upload(db, whose, id);
                             });
}

// ---- Threads ----

asio::awaitable<core::ThreadRecord> SqliteThreads::create_thread(core::ThreadRecord record,
                                                                 std::uint64_t owner_max) {
    const auto bytes = weight_of(record);
    return worker_.ask<core::ThreadRecord>(kWrites, bytes,
                                           [record = std::move(record), owner_max](Connection& db) {
                                               return sqlite::create_thread(db, record, owner_max);
                                           });
}

asio::awaitable<core::ThreadRecord> SqliteThreads::fork_thread(core::ThreadFork fork) {
    const auto bytes = weight_of(fork.record);
    return worker_.ask<core::ThreadRecord>(
        kWrites, bytes,
        [fork = std::move(fork)](Connection& db) { return sqlite::fork_thread(db, fork); });
}

asio::awaitable<core::ThreadRecord> SqliteThreads::get_thread(core::Whose whose, ThreadId id) {
    return worker_.ask<core::ThreadRecord>(
        kReads, kSmall, [whose = std::move(whose), id = std::move(id)](Connection& db) {
            return sqlite::get_thread(db, whose, id);
        });
}

asio::awaitable<core::ThreadPage> SqliteThreads::list_threads(core::ThreadQuery query) {
    return worker_.ask<core::ThreadPage>(
        kReads, kSmall,
        [query = std::move(query)](Connection& db) { return sqlite::list_threads(db, query); });
}

asio::awaitable<std::vector<core::ThreadRecord>> SqliteThreads::family(core::Whose whose,
                                                                       ThreadId id) {
    return worker_.ask<std::vector<core::ThreadRecord>>(
        kReads, kSmall, [whose = std::move(whose), id = std::move(id)](Connection& db) {
            return sqlite::read_family(db, whose, id);
        });
}

asio::awaitable<core::ThreadRecord> SqliteThreads::patch_thread(core::Whose whose, ThreadId id,
                                                                core::ThreadPatch patch) {
    const auto bytes = weight_of(patch);
    return worker_.ask<core::ThreadRecord>(
        kWrites, bytes,
        [whose = std::move(whose), id = std::move(id), patch = std::move(patch)](Connection& db) {
            return sqlite::patch_thread(db, whose, id, patch);
        });
}

asio::awaitable<SessionId> SqliteThreads::remove_thread(core::Whose whose, ThreadId id,
                                                        core::Time now) {
    return worker_.ask<SessionId>(
        kWrites, kSmall, [whose = std::move(whose), id = std::move(id), now](Connection& db) {
            return sqlite::remove_thread(db, whose, id, now);
        });
}

// ---- Turns ----

asio::awaitable<core::TurnBegun> SqliteThreads::begin_turn(core::TurnRequest request) {
    const auto bytes = kSmall + bytes_of(request.question);
    return worker_.ask<core::TurnBegun>(
        kWrites, bytes,
        [request = std::move(request)](Connection& db) { return sqlite::begin_turn(db, request); });
}

asio::awaitable<bool> SqliteThreads::renew_turn(core::TurnHold hold, core::Time until) {
    return worker_.ask<bool>(kWrites, kSmall, [hold = std::move(hold), until](Connection& db) {
        sqlite::renew_turn(db, hold, until);
        return false;
    });
}

asio::awaitable<bool> SqliteThreads::cancel_turn(ThreadId) { co_return false; }

asio::awaitable<std::uint64_t> SqliteThreads::append(core::TurnHold hold,
                                                     std::vector<core::ThreadMessage> messages) {
    const auto bytes = weight_of(messages);
    return worker_.ask<std::uint64_t>(
        kWrites, bytes, [hold = std::move(hold), messages = std::move(messages)](Connection& db) {
            return append_messages(db, hold, messages, After::GoesOn);
        });
}

asio::awaitable<std::uint64_t> SqliteThreads::end_turn(core::TurnHold hold,
                                                       std::vector<core::ThreadMessage> messages) {
    const auto bytes = weight_of(messages);
    return worker_.ask<std::uint64_t>(
        kWrites, bytes, [hold = std::move(hold), messages = std::move(messages)](Connection& db) {
            return append_messages(db, hold, messages, After::Ends);
        });
}

asio::awaitable<std::vector<core::ThreadMessage>> SqliteThreads::read(core::Whose whose,
                                                                      ThreadId id,
                                                                      std::uint64_t sequence,
                                                                      std::uint64_t bytes_max) {
    return worker_.ask<std::vector<core::ThreadMessage>>(
        kReads, kSmall,
        [whose = std::move(whose), id = std::move(id), sequence, bytes_max](Connection& db) {
            return read_messages(db, whose, id, sequence, bytes_max);
        });
}

// ---- Marks ----

asio::awaitable<void> SqliteThreads::mark(std::string owner, std::vector<std::string> keys,
                                          core::ThreadMark mark) {
    return worker_.ask<void>(
        kWrites, kSmall,
        [owner = std::move(owner), keys = std::move(keys), mark = std::move(mark)](Connection& db) {
            add_marks(db, owner, keys, mark);
        });
}

asio::awaitable<std::vector<core::ThreadMark>> SqliteThreads::marked(std::string owner,
                                                                     std::string key) {
    return worker_.ask<std::vector<core::ThreadMark>>(
        kReads, kSmall, [owner = std::move(owner), key = std::move(key)](Connection& db) {
            return read_marks(db, owner, key);
        });
}

// ---- Homes ----

asio::awaitable<core::Home> SqliteThreads::take_home(ThreadId id, std::string instance) {
    return worker_.ask<core::Home>(
        kWrites, kSmall, [id = std::move(id), instance = std::move(instance)](Connection& db) {
            return sqlite::take_home(db, id, instance);
        });
}

asio::awaitable<void> SqliteThreads::leave_home(ThreadId id, std::string instance) {
    return worker_.ask<void>(kWrites, kSmall,
                             [id = std::move(id), instance = std::move(instance)](Connection& db) {
                                 sqlite::leave_home(db, id, instance);
                             });
}

asio::awaitable<void> SqliteThreads::live(std::string, core::Time) { co_return; }

asio::awaitable<void> SqliteThreads::ask_for_home(ThreadId, std::string) { co_return; }

asio::awaitable<std::vector<ThreadId>> SqliteThreads::asked_of(std::string) {
    co_return std::vector<ThreadId>{};
}

}  // namespace atl::sqlite
