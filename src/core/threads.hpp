#pragma once
// The port behind which conversations are remembered: threads, their messages, and the files that
// were uploaded for them. SQLite keeps them for one server, Redis for several at once.
//
//     begin_turn ──▶ append … append ──▶ end_turn        by whoever holds the thread's one turn
//        │ lease runs out (its server died)
//        └──▶ the next begin_turn takes the thread over; the old holder's words are refused
//
// Every method is a coroutine, awaited on the caller's executor and resumed there. Each call is
// atomic, also between servers: it happened whole, or it throws and nothing of it did. A write that
// has returned survives the end of the server process.
//
// Throws    ErrorException. NotFound: no such record, or it is not `whose`. Conflict: another turn
//           is under way, the hold is no longer the caller's, or the record is there already.
//           InvalidArgument: a limit of the query, a cursor that is none, an id that is none.
//           Exhausted: a limit is reached. DiskFull: the disk is full. TooLarge: beyond the
//           backstop for one record. Unavailable: the store cannot be reached, is behind, or
//           read-only. When it was lost while it worked, the caller cannot know whether that write
//           happened: a question is safe to send again with its client_id, messages of a turn with
//           the mark of their hold; the rest is to be read again. Internal: a record that cannot be
//           read. A list leaves such records out.
// Trusts    its caller for who is asking (Whose) and for the limits on what clients send. Ids have
//           1 to 128 bytes; this much is checked, and the backstop for one message.
// Lifetime  a call that was begun ends, also when its coroutine is cancelled. The store goes before
//           the io_context it completes on.
#include "core/records.hpp"

#include <boost/asio/awaitable.hpp>

namespace atl {

using ThreadId = Id<struct ThreadTag>;
using UploadId = Id<struct UploadTag>;

}  // namespace atl

namespace atl::core {

// A file that somebody sent. Its bytes lie in the uploads' folder, once, whichever threads use it.
struct UploadRecord {
    UploadId id{""};
    std::string owner;
    std::string name;  // as the client called it, made safe: one component
    std::uint64_t bytes = 0;
    std::string sha256;  // hex
    Time created_at{};

    bool operator==(const UploadRecord&) const = default;
};

// One of a list: with how many threads use it.
struct ListedUpload {
    UploadRecord record;
    std::uint64_t uses = 0;

    bool operator==(const ListedUpload&) const = default;
};

// A version has the turns of another thread up to this one: those after the entry before, if any.
struct ThreadOrigin {
    ThreadId thread{""};
    std::uint64_t turn = 0;

    bool operator==(const ThreadOrigin&) const = default;
};

struct ThreadRecord {
    ThreadId id{""};
    std::string owner;
    std::string title;  // empty until its first question
    std::vector<UploadId> files;
    std::string model;         // that answers here; empty: the one in force
    SessionId session_id{""};  // its sandbox; made with the thread, woken by its turns
    std::string home;          // the server instance that has the session awake; empty: none
    Time created_at{};
    Time updated_at{};
    std::uint64_t messages = 0;  // how many there are; the last one's sequence
    std::uint64_t turns = 0;     // begun so far
    std::optional<Lease> lease;  // of the turn under way
    // What the agent keeps of the pruned part: summaries in layers, as it wrote them.
    std::string memory_json = "{}";
    // Versions of one chat, in which a question was asked anew at its place, have one family: the
    // id of the first of them. Empty: it is the first, or has no other. Both are given with the
    // record and stay.
    ThreadId family{""};
    std::vector<ThreadOrigin> origins;  // by turn

    bool operator==(const ThreadRecord&) const = default;
};

enum class MessageRole { User, Assistant, Tool, Note };
template <>
struct Words<MessageRole> {
    static constexpr std::pair<MessageRole, std::string_view> all[] = {
        {MessageRole::User, "user"},
        {MessageRole::Assistant, "assistant"},
        {MessageRole::Tool, "tool"},
        {MessageRole::Note, "note"},  // the server's own word: this turn was cut off
    };
};

struct ThreadMessage {
    std::uint64_t sequence = 0;  // 1, 2, 3 … without a gap; the store's
    std::uint64_t turn = 0;      // which turn it belongs to, from 1; the store's
    MessageRole role = MessageRole::User;
    std::string content;
    // What belongs to it: tool calls, code runs, images, tables, timings; which call it answers.
    std::string details_json = "{}";
    // The client's own name for what it sent, if it gave one: sent twice, it is one message.
    std::string client_id;
    Time at{};

    bool operator==(const ThreadMessage&) const = default;
};

// The backstop for one message, with all that belongs to it, and for those of one call together;
// for the rest of a record: thread_sizes.hpp.
inline constexpr std::size_t kMessageBytesMax = 16u << 20;
inline constexpr std::size_t kMessagesBytesMax = 32u << 20;
[[nodiscard]] inline std::size_t bytes_of(const ThreadMessage& message) {
    return message.content.size() + message.details_json.size() + message.client_id.size();
}

// What the store writes where the answer of a turn would stand whose server is gone.
[[nodiscard]] inline ThreadMessage cut_off_note(Time now) {
    ThreadMessage note;
    note.role = MessageRole::Note;
    note.content = "This answer was cut off: the server that was working on it has stopped.";
    note.details_json = R"({"cut_off":true})";
    note.at = now;
    return note;
}

// No lease is given for longer. One that seems to last longer was written before a clock was put
// back: it counts as over, or a thread would be busy for as long as the clock has jumped. Its
// holder is told so by the next write.
inline constexpr std::chrono::milliseconds kLeaseMax = std::chrono::minutes{10};
[[nodiscard]] inline bool lives(const Lease& lease, Time now) {
    return lease.until > now && lease.until <= now + kLeaseMax;
}

// The proof that somebody holds a thread's turn. It holds until the turn is ended or another has
// taken the thread over; a lease that has run out alone does not end it. After a lost lease the
// turn has moved on.
struct TurnHold {
    ThreadId thread{""};
    std::string instance;
    std::uint64_t turn = 0;
    // Names one write, so that it can be sent again when nobody knows whether it happened: with the
    // same mark it is one write. Empty: it has no name. Kept by stores whose answers can get lost.
    std::string mark{};
};

struct TurnRequest {
    Whose whose;
    ThreadId thread{""};
    std::string instance;
    Time now{};
    std::chrono::milliseconds lease{std::chrono::seconds{15}};
    ThreadMessage question;
};

struct TurnBegun {
    ThreadRecord thread;  // as it is now, with the question in it
    TurnHold hold;
    std::uint64_t question = 0;  // its sequence
    // The turn before was cut off by the end of its server; a Note stands where its answer would.
    bool took_over = false;
    // This client_id was sent before, and its turn has ended: nothing was begun or written, and
    // `hold` is empty. Its messages are those of turn `repeated`. A question whose turn was cut off
    // is begun anew instead, without a second copy of it.
    std::optional<std::uint64_t> repeated;
};

struct ThreadPatch {
    std::optional<std::string> title;
    std::optional<std::string> model;
    std::optional<std::string> memory_json;
    std::optional<std::vector<UploadId>> files;
};

// A copy of a conversation up to the end of a turn, as a new thread.
struct ThreadFork {
    Whose whose;
    ThreadId from{""};
    std::optional<std::uint64_t> turn;  // the last that is copied, 0: none; left out: all of them
    ThreadRecord record;                // the new one, as for create_thread
    std::uint64_t owner_max = 0;
    Time now{};
};

// The latest first, by updated_at.
struct ThreadQuery {
    Whose whose;
    std::string cursor;
    std::uint32_t limit = 100;  // 1 to 1000
};
struct ThreadPage {
    std::vector<ThreadRecord> threads;  // without memory_json
    std::string next_cursor;
};

// The latest first, by created_at.
struct UploadQuery {
    Whose whose;
    std::string cursor;
    std::uint32_t limit = 100;  // 1 to 1000
};
struct UploadPage {
    std::vector<ListedUpload> uploads;
    std::string next_cursor;
};

// What one owner's uploads may be together; 0 = no limit.
struct UploadRoom {
    UploadRoom(std::uint64_t bytes, std::uint64_t count = 0) : bytes_max(bytes), count_max(count) {}
    std::uint64_t bytes_max = 0;
    std::uint64_t count_max = 0;
};

// Where a conversation has got to: `thread`, after its turn `turn`. Clients that name no thread are
// recognised by keys, which are digests of what was said (agent/conversation_keys.hpp).
struct ThreadMark {
    ThreadId thread{""};
    std::uint64_t turn = 0;

    bool operator==(const ThreadMark&) const = default;
};
inline constexpr std::size_t kMarkKeysMax = 8;     // of one call
inline constexpr std::size_t kMarksOfKeyMax = 16;  // that are answered

inline constexpr std::uint32_t kFamilyMax = 200;

struct Home {
    std::string instance;  // whose it is now
    // The one before ended without leaving: what it had not saved is lost.
    bool was_abandoned = false;
};

class Threads {
public:
    virtual ~Threads() = default;

    // Exhausted when the owner's would be more together.
    virtual boost::asio::awaitable<UploadRecord> add_upload(UploadRecord record,
                                                            UploadRoom room) = 0;
    virtual boost::asio::awaitable<UploadRecord> get_upload(Whose whose, UploadId id) = 0;
    virtual boost::asio::awaitable<UploadPage> list_uploads(UploadQuery query) = 0;
    // Conflict while a thread uses it.
    virtual boost::asio::awaitable<void> remove_upload(Whose whose, UploadId id) = 0;

    // New, whatever the record says of messages, turns and lease. Its files must be uploads of its
    // owner (NotFound); the same holds for a patch. Exhausted when the owner has `owner_max`
    // threads already (0 = no limit).
    virtual boost::asio::awaitable<ThreadRecord> create_thread(ThreadRecord record,
                                                               std::uint64_t owner_max) = 0;
    // Messages keep sequence, turn and time, and lose their client_id; links that name the old
    // thread name the new one. InvalidArgument: there is no such turn. Conflict while the last one
    // to be copied is under way. Else as create_thread.
    virtual boost::asio::awaitable<ThreadRecord> fork_thread(ThreadFork fork) = 0;
    virtual boost::asio::awaitable<ThreadRecord> get_thread(Whose whose, ThreadId id) = 0;
    virtual boost::asio::awaitable<ThreadPage> list_threads(ThreadQuery query) = 0;
    // All versions of a thread's chat, with itself, the oldest first and kFamilyMax at most;
    // without memory_json. NotFound.
    virtual boost::asio::awaitable<std::vector<ThreadRecord>> family(Whose whose, ThreadId id) = 0;
    // Leaves updated_at as it is: that moves with the messages, and never back.
    virtual boost::asio::awaitable<ThreadRecord> patch_thread(Whose whose, ThreadId id,
                                                              ThreadPatch patch) = 0;
    // With its messages, also when its record cannot be read otherwise (Internal). Answers with its
    // session, empty when the record does not tell. Conflict while a turn is under way.
    virtual boost::asio::awaitable<SessionId> remove_thread(Whose whose, ThreadId id, Time now) = 0;

    // Writes the question and takes the turn, in one step. Conflict while another's lease lives.
    virtual boost::asio::awaitable<TurnBegun> begin_turn(TurnRequest request) = 0;
    // True when somebody asked that the turn be cancelled.
    virtual boost::asio::awaitable<bool> renew_turn(TurnHold hold, Time until) = 0;
    // Asks whoever holds the thread's turn to cancel it; renew_turn tells. False when nobody does.
    // One server's store never asks: its turns are the caller's own.
    virtual boost::asio::awaitable<bool> cancel_turn(ThreadId id) = 0;
    // Sequence and turn are the store's; answers with the last sequence.
    virtual boost::asio::awaitable<std::uint64_t> append(TurnHold hold,
                                                         std::vector<ThreadMessage> messages) = 0;
    virtual boost::asio::awaitable<std::uint64_t> end_turn(TurnHold hold,
                                                           std::vector<ThreadMessage> messages) = 0;
    // From `sequence` on, about `bytes_max` of them together and at least one if there is one.
    virtual boost::asio::awaitable<std::vector<ThreadMessage>> read(Whose whose, ThreadId id,
                                                                    std::uint64_t sequence,
                                                                    std::uint64_t bytes_max) = 0;

    // Notes under each of these keys where the conversation has got to; the thread's marks go with
    // it. NotFound: there is no such thread of this owner. Keys are ids in form.
    virtual boost::asio::awaitable<void> mark(std::string owner, std::vector<std::string> keys,
                                              ThreadMark mark) = 0;
    // What this owner's threads have under a key, the latest first, kMarksOfKeyMax at most. Where
    // marks expire (Redis) an old one may be missing, and one may outlive its thread.
    virtual boost::asio::awaitable<std::vector<ThreadMark>> marked(std::string owner,
                                                                   std::string key) = 0;

    // Which server has a thread's session awake. `take_home` succeeds when it is nobody's, the
    // caller's already, or of an instance that no longer lives; it answers with whose it is then.
    // One server's store knows that every other instance is gone.
    virtual boost::asio::awaitable<Home> take_home(ThreadId id, std::string instance) = 0;
    virtual boost::asio::awaitable<void> leave_home(ThreadId id, std::string instance) = 0;
    // This instance lives until then; to be said again before.
    virtual boost::asio::awaitable<void> live(std::string instance, Time until) = 0;
    // Asks the server that has it awake to let it go; and what others ask of this one, until it has
    // left those homes. One server's store never asks.
    virtual boost::asio::awaitable<void> ask_for_home(ThreadId id, std::string from) = 0;
    virtual boost::asio::awaitable<std::vector<ThreadId>> asked_of(std::string instance) = 0;
};

}  // namespace atl::core
