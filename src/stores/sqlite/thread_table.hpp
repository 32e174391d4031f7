#pragma once
// What the store does with uploads, threads and their messages, inside a transaction of
// DatabaseThread. core/threads.hpp says what each call promises.
//
// A turn is under way exactly while its thread has a lease. Only the holder's instance and turn
// together may renew, append or end; whoever takes a thread over moves the turn on, so writes of
// the old holder are refused from then on.
#include "core/threads.hpp"
#include "stores/sqlite/connection.hpp"

namespace atl::sqlite {

// At the start of a server: the folder is its own (data_lock.hpp), so nobody who took a lease is
// alive any more. The leases run out at once and the next question takes over.
void end_leases_of_the_dead(Connection& db);

[[nodiscard]] core::UploadRecord add_upload(Connection& db, const core::UploadRecord& record,
                                            const core::UploadRoom& room);
[[nodiscard]] core::UploadRecord get_upload(Connection& db, const core::Whose& whose,
                                            const UploadId& id);
[[nodiscard]] core::UploadPage list_uploads(Connection& db, const core::UploadQuery& query);
void remove_upload(Connection& db, const core::Whose& whose, const UploadId& id);

[[nodiscard]] core::ThreadRecord create_thread(Connection& db, const core::ThreadRecord& record,
                                               std::uint64_t owner_max);
core::ThreadRecord fork_thread(Connection& db, const core::ThreadFork& fork);
[[nodiscard]] core::ThreadRecord get_thread(Connection& db, const core::Whose& whose,
                                            const ThreadId& id);
[[nodiscard]] std::vector<core::ThreadRecord> read_family(Connection& db, const core::Whose& whose,
                                                          const ThreadId& id);
[[nodiscard]] core::ThreadPage list_threads(Connection& db, const core::ThreadQuery& query);
[[nodiscard]] core::ThreadRecord patch_thread(Connection& db, const core::Whose& whose,
                                              const ThreadId& id, const core::ThreadPatch& patch);
[[nodiscard]] SessionId remove_thread(Connection& db, const core::Whose& whose, const ThreadId& id,
                                      core::Time now);

[[nodiscard]] core::TurnBegun begin_turn(Connection& db, const core::TurnRequest& request);
void renew_turn(Connection& db, const core::TurnHold& hold, core::Time until);
enum class After { GoesOn, Ends };
[[nodiscard]] std::uint64_t append_messages(Connection& db, const core::TurnHold& hold,
                                            const std::vector<core::ThreadMessage>& messages,
                                            After after);
[[nodiscard]] std::vector<core::ThreadMessage> read_messages(Connection& db,
                                                             const core::Whose& whose,
                                                             const ThreadId& id,
                                                             std::uint64_t sequence,
                                                             std::uint64_t bytes_max);

void add_marks(Connection& db, const std::string& owner, const std::vector<std::string>& keys,
               const core::ThreadMark& mark);
[[nodiscard]] std::vector<core::ThreadMark> read_marks(Connection& db, const std::string& owner,
                                                       const std::string& key);

[[nodiscard]] core::Home take_home(Connection& db, const ThreadId& id, const std::string& instance);
void leave_home(Connection& db, const ThreadId& id, const std::string& instance);

}  // namespace atl::sqlite
