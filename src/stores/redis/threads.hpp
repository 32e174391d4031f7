#pragma once
// core::Threads in Redis: conversations that several servers share. README.md lists the keys.
//
// Owns      its connection, and everything under its prefix in the database.
// Threads   none of its own; it lives on its executor, and is asked there.
// Lifetime  it goes before its executor. Who still waits then is answered with Unavailable; nobody
//           may be between two steps of a call, so it goes when the loop has stopped or is idle.
// Trusts    Redis. Another program that writes under the prefix can only break the records that
//           it changes: what cannot be read is left out of lists and can be removed.
// Failure   Redis gone: Unavailable at once or within the time-out, and it is tried again for ever.
#include "core/paging.hpp"
#include "core/store.hpp"
#include "core/threads.hpp"
#include "stores/redis/connection.hpp"

#include <chrono>
#include <optional>
#include <unordered_map>

namespace atl::redis {

class RedisThreads final : public core::Threads {
public:
    // Begins to connect and does not wait for it.
    RedisThreads(boost::asio::any_io_executor executor, RedisOptions options);

    // To be called at the start. Throws Unavailable when Redis cannot be reached. Else: a sentence
    // for each setting of it that is weaker than what core::Threads promises, and for each that it
    // does not tell.
    [[nodiscard]] boost::asio::awaitable<std::vector<std::string>> look();

    // Safe from any thread.
    [[nodiscard]] core::StoreHealth health() const;

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
    enum class After { GoesOn, Ends };

    [[nodiscard]] std::string key(const char* kind, const std::string& name) const;
    [[nodiscard]] std::string marks_key(const std::string& owner, const std::string& name) const;
    [[nodiscard]] std::vector<std::string> creation_keys(const core::ThreadRecord& record) const;
    [[nodiscard]] std::vector<std::string> turn_keys(const std::string& id,
                                                     const std::string& owner) const;
    [[nodiscard]] std::vector<std::string> upload_keys(const UploadId& id,
                                                       const std::string& owner) const;
    boost::asio::awaitable<std::vector<core::Cursor>> names_in(std::string index, std::string after,
                                                               std::uint32_t limit);
    boost::asio::awaitable<Reply> ask(std::vector<std::string> words);
    // Nothing when there is no such field, or it is no text of ours.
    boost::asio::awaitable<std::optional<std::string>> field_of(std::string hash, const char* name,
                                                                std::size_t bytes_max);
    boost::asio::awaitable<std::string> owner_of(core::Whose whose, ThreadId id);
    // For the log, not more often than once in a while.
    void tell_unreadable(const std::string& what, const std::string& why);
    boost::asio::awaitable<std::uint64_t> append(core::TurnHold hold,
                                                 std::vector<core::ThreadMessage> messages,
                                                 After after);

    const std::string prefix_;
    const std::string where_;
    const std::function<void(const std::string&)> tell_;
    std::uint64_t unreadable_ = 0;  // since it was last told
    std::optional<std::chrono::steady_clock::time_point> told_at_;
    Connection connection_;
    // Whose a thread is, for the index that its messages move it in; a wrong guess is put right.
    std::unordered_map<std::string, std::string> owners_;
};

}  // namespace atl::redis
