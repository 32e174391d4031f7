#pragma once
// Threads: conversations about files, each with a sandbox of its own.
//
//     create ──▶ ask ──▶ [waits for its turn] ──▶ begin_turn ──▶ loop (turn.hpp) ──▶ end_turn
//                 │                                   │ events, as they happen
//                 └─ LiveTurn: followed, left, come back to, cancelled
//
// An accepted question continues when its client leaves. A thread has one turn at a time; up to
// `waiting_max` questions wait, any more get Conflict. A turn's steps and its end are stored before
// clients are told of them.
//
// Owns      the turns that run. Store, sessions, uploads, tools, model and contexts are borrowed.
// Threads   one, the executor's.
// Promises  a turn ends: by its limits, by cancel(), or with the server, and the thread takes the
//           next question. A server that is killed leaves a lease, which runs out.
// Trusts    its caller for who is asking (Whose). Nothing that users, models or sandboxes say.
// On failure ErrorException: NotFound, Conflict, InvalidArgument, what the store says.
#include "agent/conversation_keys.hpp"
#include "agent/homes.hpp"
#include "agent/kept_turns.hpp"
#include "agent/live_turn.hpp"
#include "agent/model_contexts.hpp"
#include "agent/models.hpp"
#include "agent/presence.hpp"
#include "agent/prompt.hpp"
#include "agent/sheet_names.hpp"
#include "agent/tools.hpp"
#include "agent/turn.hpp"
#include "agent/uploads.hpp"
#include "base/scope.hpp"
#include "core/chat.hpp"
#include "core/folders.hpp"
#include "core/threads.hpp"
#include "sessions/fifo_mutex.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atl::agent {

// Questions of one owner that are answered or wait at the same time, where owners differ: each may
// hold a sandbox, a request to the model and its reader.
inline constexpr std::uint64_t kTurnShare = 256;

// What ids begin with: of threads in general, of those that are made for clients which name none
// (conversations.hpp), and of temporary ones, which are removed when everybody has left them. In
// the id it is as durable as the thread, in every store.
inline constexpr const char* kThreadPrefix = "th-";
inline constexpr const char* kConversationPrefix = "tc-";
inline constexpr const char* kTemporaryPrefix = "tt-";
[[nodiscard]] inline bool is_temporary(const ThreadId& id) {
    return id.text().starts_with(kTemporaryPrefix);
}

struct ThreadOptions {
    std::string instance;  // this start of this server, and no other
    bool several_servers = false;
    TurnLimits turn;
    std::uint64_t context_tokens_max = 32'000;
    std::uint64_t threads_an_owner_max = 0;        // 0 = no limit
    std::uint64_t messages_max = 0;                // of one thread; 0 = no limit
    std::size_t waiting_max = 8;                   // questions of one thread
    std::optional<std::uint64_t> owner_turns_max;  // 0 = no limit; none: kTurnShare, see below
    std::function<bool()> owners_differ;           // none: they do
    std::size_t kept_bytes_max = kKeptBytesMax;    // of turns that have ended, all together
    std::chrono::milliseconds lease{5'000};
    std::chrono::milliseconds renew_every{1'600};  // also how soon a cancelling is heard elsewhere
    // From the moment when its last page was left until its session is stored, or a temporary
    // thread removed; 0 = never.
    std::chrono::milliseconds leave_grace = std::chrono::seconds{15};
    // Temporary threads in which nobody was or asked for so long are removed.
    std::chrono::milliseconds temporary_unused = std::chrono::hours{24};
    std::function<void(const std::string&)> tell;  // for the log
};

struct NewThread {
    std::string owner;
    std::string title;
    std::string model;  // empty: the one in force
    std::vector<UploadId> files;
    const char* prefix = kThreadPrefix;
    std::vector<PastExchange> past = {};  // turns that it begins with; nobody ran them here
};

enum class ForkAs : bool { Thread, Version };

// What is to change; what is left out stays.
struct ThreadChange {
    std::optional<std::string> title;
    std::optional<std::string> model;  // empty: the one in force
};

struct Question {
    std::string text;
    std::string client_id;  // the client's own name for it; may be empty
    std::string model;      // that is to answer this one; empty: the thread's
    // What the client's own system prompt says, for this turn alone; not stored.
    std::string instructions = {};
};

class TurnRun;

class Threads {
public:
    struct Parts {
        core::Threads& store;
        sessions::Sessions& sessions;
        core::Folders& folders;
        Uploads& uploads;
        const Tools& tools;
        Models& models;
        ModelContexts& contexts;
    };
    Threads(boost::asio::any_io_executor executor, Parts parts, ThreadOptions options);
    ~Threads();

    // Says again and again that this server lives, lets go of what others ask for, forgets turns
    // that nobody came back to. Until stop().
    boost::asio::awaitable<void> keep_house();
    // Removes uploads that nobody needs any more, now and then, unless `not_now`. Until stop().
    boost::asio::awaitable<void> keep_uploads(std::function<bool()> not_now);
    // Removes temporary threads that nobody has left as one does: their browser crashed, or this
    // server ended while they were open. Now and then, unless `not_now`. Until stop().
    boost::asio::awaitable<void> keep_temporary(std::function<bool()> not_now);
    // Turns under way are told to end; new ones are refused.
    void begin_stop();
    // Waits for them a while. A turn that waits for a sandbox ends when that does: before this
    // object goes, Sessions::stop() must have returned, and ended_by() said true.
    boost::asio::awaitable<void> stop();
    boost::asio::awaitable<bool> ended_by(std::chrono::steady_clock::time_point until);
    // After the sessions have gone to disk: others may have them now.
    boost::asio::awaitable<void> leave_homes() { return homes_.leave_all(); }

    boost::asio::awaitable<core::ThreadRecord> create(NewThread wanted);
    // A new thread with the conversation up to the end of `turn` (none: all of it), and a copy of
    // the session as it is now. An empty title: the same one. A version belongs to the same chat: a
    // question is asked anew in it.
    boost::asio::awaitable<core::ThreadRecord> fork(core::Whose whose, ThreadId id,
                                                    std::optional<std::uint64_t> turn,
                                                    std::string title,
                                                    const char* prefix = kThreadPrefix,
                                                    ForkAs as = ForkAs::Thread);
    // All versions of its chat, with itself, the oldest first.
    boost::asio::awaitable<std::vector<core::ThreadRecord>> versions(core::Whose whose,
                                                                     ThreadId id) {
        return parts_.store.family(std::move(whose), std::move(id));
    }
    boost::asio::awaitable<core::ThreadRecord> get(core::Whose whose, ThreadId id);
    boost::asio::awaitable<core::ThreadPage> list(core::ThreadQuery query);
    // A title is that of all versions of the chat. A model must be one that a question may choose
    // (Models::pick).
    boost::asio::awaitable<core::ThreadRecord> change(core::Whose whose, ThreadId id,
                                                      ThreadChange change);
    // More uploads for a thread: in its session's /data when this returns. TooLarge: too many.
    boost::asio::awaitable<void> add_files(core::Whose whose, ThreadId id,
                                           std::vector<UploadId> files);
    // Ends its turn, if one is under way.
    boost::asio::awaitable<void> remove(core::Whose whose, ThreadId id);
    // All versions of its chat.
    boost::asio::awaitable<void> remove_versions(core::Whose whose, ThreadId id);
    // hot, warm or cold: its session's.
    [[nodiscard]] boost::asio::awaitable<std::string> state_of(core::ThreadRecord thread) {
        return homes_.state_of(std::move(thread));
    }
    // Its uploads, as they are called in its /data.
    boost::asio::awaitable<std::vector<PromptFile>> files_of(core::ThreadRecord thread) {
        return homes_.files_of(std::move(thread));
    }
    // About a megabyte of them, from a sequence on; empty: there are no more.
    boost::asio::awaitable<std::vector<core::ThreadMessage>> some_messages(core::Whose whose,
                                                                           ThreadId id,
                                                                           std::uint64_t from);
    // A page shows the thread, and says so again each minute; or it was left. Once no page shows
    // it, its session is stored on disk, and a temporary thread removed: as soon as nothing works
    // in it any more. A thread that no page spoke of stays as it is.
    boost::asio::awaitable<void> tab_here(core::Whose whose, ThreadId id, std::string tab);
    void tab_left(const std::string& owner, const ThreadId& id, const std::string& tab);
    // Its sandbox, awake, for whoever wants its files.
    boost::asio::awaitable<sessions::Use> use(core::Whose whose, ThreadId id);
    // What would be sent to the model for this question now.
    boost::asio::awaitable<ModelContext> context(core::Whose whose, ThreadId id,
                                                 std::string question);

    // Returns as soon as the question is taken; the turn goes on by itself.
    boost::asio::awaitable<std::shared_ptr<LiveTurn>> ask(core::Whose whose, ThreadId id,
                                                          Question question);
    // A turn to follow: one that is still in memory, or one that is told again from the store.
    // Without a number: the latest. NotFound.
    boost::asio::awaitable<std::shared_ptr<LiveTurn>> follow(core::Whose whose, ThreadId id,
                                                             std::optional<std::uint64_t> turn);
    // The turn under way, here or at another server, and those that wait here. False when there was
    // none.
    boost::asio::awaitable<bool> cancel(core::Whose whose, ThreadId id);

    [[nodiscard]] const ThreadOptions& options() const noexcept { return options_; }
    [[nodiscard]] std::size_t running() const noexcept { return running_; }

private:
    struct Desk {  // a thread in memory
        sessions::FifoMutex mutex;
        std::vector<std::shared_ptr<LiveTurn>> turns;  // the latest last
        std::size_t busy = 0;                          // that run or wait
    };
    using DeskPtr = std::shared_ptr<Desk>;
    using TurnPtr = std::shared_ptr<LiveTurn>;

    DeskPtr desk_of(const ThreadId& id);
    [[nodiscard]] bool holds(const ThreadId& id) const;  // its sandbox is needed here
    using ModelPtr = std::shared_ptr<core::ChatModel>;
    // Of a question in a thread; null: the one in force when its turn begins.
    boost::asio::awaitable<ModelPtr> model_for(std::string questions, std::string threads);
    // `chosen` is the model that the question or its thread named; null: none.
    boost::asio::awaitable<void> live_through(TurnPtr turn, DeskPtr desk, std::string owner,
                                              core::Whose whose, Question question,
                                              ModelPtr chosen);
    // Whether the turn's end is stored.
    boost::asio::awaitable<bool> work(TurnPtr turn, core::Whose whose, Question question,
                                      ModelPtr chosen);
    boost::asio::awaitable<TurnEnd> answer(std::shared_ptr<TurnRun> run, Question question,
                                           ModelPtr model);
    boost::asio::awaitable<void> end_turn(TurnPtr turn, std::shared_ptr<TurnRun> run, TurnEnd end);
    boost::asio::awaitable<core::TurnBegun> begin(TurnPtr turn, core::Whose whose,
                                                  Question question);
    boost::asio::awaitable<void> tell_again(TurnPtr turn, core::ThreadRecord thread,
                                            std::uint64_t number);
    boost::asio::awaitable<sessions::Use> use_session(core::ThreadRecord thread);
    boost::asio::awaitable<void> remove_unreadable(core::Whose whose, ThreadId id);
    boost::asio::awaitable<void> write_past(ThreadId id, std::string owner,
                                            std::vector<PastExchange> past);
    // Of a thread whose session could not be made.
    boost::asio::awaitable<void> take_back(core::ThreadRecord thread);
    boost::asio::awaitable<void> copy_session(core::ThreadRecord from, core::ThreadRecord to);
    void give_title(const core::ThreadRecord& thread, const std::string& question);
    [[nodiscard]] std::uint64_t owner_turns_max() const;  // 0 = no limit
    [[nodiscard]] Error told(const Error& error, const std::string& during) const;
    void fail(LiveTurn& turn, Error error);
    void tidy();
    void end_left();
    boost::asio::awaitable<void> leave(ThreadId id);
    // Whether that could be done; false: something works in it.
    boost::asio::awaitable<bool> leave_now(ThreadId id);
    boost::asio::awaitable<bool> remove_left(core::ThreadRecord thread);
    boost::asio::awaitable<void> remove_rest(core::ThreadRecord thread);
    boost::asio::awaitable<void> take_home(core::ThreadRecord thread);
    [[nodiscard]] bool is_answering(const ThreadId& id) const;
    boost::asio::awaitable<bool> is_at_work(const core::ThreadRecord& thread);
    boost::asio::awaitable<std::size_t> remove_unused_temporary();
    boost::asio::awaitable<bool> is_anybody_in_chat(ThreadId id);
    boost::asio::awaitable<void> remove_uploads_of(core::ThreadRecord thread);

    boost::asio::any_io_executor executor_;
    Parts parts_;
    ThreadOptions options_;
    Homes homes_;
    SheetNames sheet_names_;
    std::map<std::string, DeskPtr> desks_;
    std::map<std::string, std::size_t> busy_;  // turns that run or wait, by owner
    KeptTurns kept_;
    Presence presence_;
    boost::asio::steady_timer round_;
    boost::asio::steady_timer uploads_round_;
    boost::asio::steady_timer temporary_round_;
    boost::asio::steady_timer idle_;  // rung when a turn ends
    std::size_t running_ = 0;         // turns, and callers whose session is being made
    bool stopping_ = false;
    Scope scope_;  // turns, and all that they start
};

}  // namespace atl::agent
