#pragma once
// core::Threads in the SQLite file of a single machine: the store's other half (store.hpp), with
// the same OS thread, the same queue and the same promises.
//
// Owns      nothing; the store owns it, and the OS thread that does the work.
// Threads   its methods from any.
// Homes     are trivial here: one server has the folder, so every other instance is gone, nobody
//           has to be asked for a session, and nobody asks.
#include "core/threads.hpp"

namespace atl::sqlite {

class DatabaseThread;

class SqliteThreads final : public core::Threads {
public:
    explicit SqliteThreads(DatabaseThread& worker) : worker_(worker) {}

    boost::asio::awaitable<core::UploadRecord> add_upload(core::UploadRecord record,
                                                          core::UploadRoom room) override;
    boost::asio::awaitable<core::UploadRecord> get_upload(core::Whose whose, UploadId id) override;
    boost::asio::awaitable<core::UploadPage> list_uploads(core::UploadQuery query) override;
    boost::asio::awaitable<void> remove_upload(core::Whose whose, UploadId id) override;

    boost::asio::awaitable<core::ThreadRecord> create_thread(core::ThreadRecord record,
                                                             std::uint64_t owner_max) override;
    boost::asio::awaitable<core::ThreadRecord> fork_thread(core::ThreadFork fork) override;
    boost::asio::awaitable<core::ThreadRecord> get_thread(core::Whose whose, ThreadId id) override;
    boost::asio::awaitable<core::ThreadPage> list_threads(core::ThreadQuery query) override;
    boost::asio::awaitable<std::vector<core::ThreadRecord>> family(core::Whose whose,
                                                                   ThreadId id) override;
    boost::asio::awaitable<core::ThreadRecord> patch_thread(core::Whose whose, ThreadId id,
                                                            core::ThreadPatch patch) override;
    boost::asio::awaitable<SessionId> remove_thread(core::Whose whose, ThreadId id,
                                                    core::Time now) override;

    boost::asio::awaitable<core::TurnBegun> begin_turn(core::TurnRequest request) override;
    boost::asio::awaitable<bool> renew_turn(core::TurnHold hold, core::Time until) override;
    boost::asio::awaitable<bool> cancel_turn(ThreadId id) override;
    boost::asio::awaitable<std::uint64_t> append(
        core::TurnHold hold, std::vector<core::ThreadMessage> messages) override;
    boost::asio::awaitable<std::uint64_t> end_turn(
        core::TurnHold hold, std::vector<core::ThreadMessage> messages) override;
    boost::asio::awaitable<std::vector<core::ThreadMessage>> read(core::Whose whose, ThreadId id,
                                                                  std::uint64_t sequence,
                                                                  std::uint64_t bytes_max) override;

    boost::asio::awaitable<void> mark(std::string owner, std::vector<std::string> keys,
                                      core::ThreadMark mark) override;
    boost::asio::awaitable<std::vector<core::ThreadMark>> marked(std::string owner,
                                                                 std::string key) override;

    boost::asio::awaitable<core::Home> take_home(ThreadId id, std::string instance) override;
    boost::asio::awaitable<void> leave_home(ThreadId id, std::string instance) override;
    boost::asio::awaitable<void> live(std::string instance, core::Time until) override;
    boost::asio::awaitable<void> ask_for_home(ThreadId id, std::string from) override;
    boost::asio::awaitable<std::vector<ThreadId>> asked_of(std::string instance) override;

private:
    DatabaseThread& worker_;
};

}  // namespace atl::sqlite
