#include "agent/threads.hpp"

#include "agent/pause.hpp"
#include "agent/retell.hpp"
#include "agent/text.hpp"
#include "agent/turn_events.hpp"
#include "agent/turn_run.hpp"
#include "agent/turn_write.hpp"
#include "base/as_tuple.hpp"
#include "core/clock_watch.hpp"
#include "core/host_paths.hpp"
#include "core/thread_sizes.hpp"
#include "sessions/new_id.hpp"

#include <algorithm>
#include <boost/asio/use_awaitable.hpp>
#include <set>

namespace atl::agent {

namespace asio = boost::asio;
using core::ThreadRecord;
using core::Whose;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::seconds kRound{1};
constexpr std::chrono::milliseconds kUploadsRoundMax = std::chrono::hours{1};
constexpr std::chrono::minutes kRemembered{5};  // a turn that has ended
constexpr std::chrono::minutes kTimeToSayHere{10};
constexpr std::uint32_t kListed = 200;
constexpr std::chrono::seconds kTimeToStop{8};
constexpr std::chrono::milliseconds kTryAgain{100};
constexpr std::chrono::seconds kTimeToFork{3};
constexpr std::size_t kTitleCharacters = 60;
constexpr std::uint64_t kPageBytes = 1u << 20;  // read at a time for a page
constexpr std::size_t kVersionsMax = 100;       // of one chat

double ms_between(Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
}

// Of a turn that was stopped, for the person who asked.
std::string sentence_of(const std::string& stopped) {
    if (stopped == "cancelled") return "The answer was cancelled.";
    if (stopped == "time") return "The answer took longer than a turn may, and was stopped.";
    if (stopped == "stopping") return "The server is stopping; ask again in a moment.";
    if (stopped == "lost") {
        return "Another server has taken over this thread; look at its history, and ask again.";
    }
    if (stopped == "store") {
        return "The store of conversations cannot be reached, so the answer was stopped; ask again "
               "in a moment.";
    }
    return "The turn was stopped: " + stopped + ".";
}

// Something under way: stop() waits for it.
class Counted {
public:
    Counted(std::size_t& running, asio::steady_timer& ended) : running_(running), ended_(ended) {
        ++running_;
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() {
        --running_;
        ended_.cancel();
    }

private:
    std::size_t& running_;
    asio::steady_timer& ended_;
};

bool is_failure(const std::string& stopped) {
    return stopped == "time" || stopped == "stopping" || stopped == "lost" || stopped == "store";
}

Error error_in(const std::exception_ptr& failed) {
    try {
        std::rethrow_exception(failed);
    } catch (const ErrorException& error) {
        return error.error;
    } catch (const std::exception& error) {
        return {Code::Internal, std::string("something went wrong in the server: ") + error.what()};
    } catch (...) { return {Code::Internal, "something went wrong in the server"}; }
}

}  // namespace

Threads::Threads(asio::any_io_executor executor, Parts parts, ThreadOptions options)
    : executor_(executor),
      parts_(parts),
      options_(std::move(options)),
      homes_({parts.store, parts.sessions, parts.folders, parts.uploads},
             {options_.instance, options_.several_servers}),
      sheet_names_(parts.sessions),
      kept_(options_.kept_bytes_max),
      presence_(options_.leave_grace),
      round_(executor),
      uploads_round_(executor),
      temporary_round_(executor),
      idle_(executor, asio::steady_timer::time_point::max()),
      scope_(executor) {}

Threads::~Threads() = default;

Threads::DeskPtr Threads::desk_of(const ThreadId& id) {
    auto& desk = desks_[id.text()];
    if (!desk) desk = std::make_shared<Desk>();
    return desk;
}

// ---- Threads themselves ----

asio::awaitable<ThreadRecord> Threads::create(NewThread wanted) {
    if (stopping_) throw ErrorException({Code::Unavailable, "the server is stopping"});
    std::set<std::string> seen;
    for (std::size_t i = 0; i < wanted.files.size(); ++i) {
        const std::string path = "file_ids[" + std::to_string(i) + "]";
        if (!seen.insert(wanted.files[i].text()).second) {
            throw schema::ValidationError({{path, "stands twice"}});
        }
        bool missing = false;
        try {
            co_await parts_.uploads.get(Whose::of(wanted.owner), wanted.files[i]);
        } catch (const ErrorException& error) {
            if (error.error.code != Code::NotFound && error.error.code != Code::InvalidArgument) {
                throw;
            }
            missing = true;
        }
        if (missing) {
            throw schema::ValidationError(
                {{path, "there is no upload " + schema::quoted(wanted.files[i].text())}});
        }
    }
    if (!wanted.model.empty()) co_await parts_.models.pick(wanted.model);
    ThreadRecord record;
    record.id = ThreadId(sessions::random_id(wanted.prefix));
    record.owner = wanted.owner;
    record.title = wanted.title;
    record.model = wanted.model;
    record.files = wanted.files;
    record.session_id = SessionId(sessions::random_id(sessions::kOfThread));
    record.created_at = record.updated_at = core::time_now();
    const auto thread =
        co_await parts_.store.create_thread(std::move(record), options_.threads_an_owner_max);
    std::optional<Error> failed;
    try {
        co_await homes_.make_session(thread);
        if (!wanted.past.empty()) {
            co_await write_past(thread.id, wanted.owner, std::move(wanted.past));
        }
    } catch (const ErrorException& error) { failed = error.error; }
    if (!failed) co_return thread;
    co_await take_back(thread);
    throw ErrorException(failed->during("make the thread's session"));
}

// As if each had been asked and answered here; nothing of it is run.
asio::awaitable<void> Threads::write_past(ThreadId id, std::string owner,
                                          std::vector<PastExchange> past) {
    for (auto& one : past) {
        core::TurnRequest request{Whose::of(owner), id, options_.instance, core::time_now(),
                                  options_.lease,   {}};
        request.question.role = core::MessageRole::User;
        request.question.content = std::move(one.question);
        request.question.at = request.now;
        auto begun = co_await parts_.store.begin_turn(std::move(request));
        std::vector<core::ThreadMessage> answer(1);
        answer[0].role = core::MessageRole::Assistant;
        answer[0].content = std::move(one.answer);
        answer[0].at = core::time_now();
        co_await write_surely(parts_.store, begun.hold, std::move(answer), After::Ends, kWriteTime);
    }
}

asio::awaitable<void> Threads::take_back(ThreadRecord thread) {
    try {
        co_await parts_.store.remove_thread(Whose::anyones(), thread.id, core::time_now());
        sheet_names_.forget(thread.session_id);
        co_await homes_.remove(thread);
    } catch (const ErrorException&) {
        // It is listed, and its first question tries again.
    }
}

asio::awaitable<ThreadRecord> Threads::fork(Whose whose, ThreadId id,
                                            std::optional<std::uint64_t> turn, std::string title,
                                            const char* prefix, ForkAs as) {
    const Counted counted(running_, idle_);
    if (stopping_) throw ErrorException({Code::Unavailable, "the server is stopping"});
    const auto from = co_await parts_.store.get_thread(whose, id);
    if (is_temporary(id))
        prefix = kTemporaryPrefix;  // what is not to be kept is not kept in a copy
    if (as == ForkAs::Version) {
        const auto others = co_await parts_.store.family(whose, id);
        if (others.size() >= kVersionsMax) {
            throw ErrorException({Code::Exhausted, "this chat has " +
                                                       std::to_string(others.size()) +
                                                       " versions, as many as one may have; ask "
                                                       "at its end, or branch from an answer"});
        }
    }
    core::ThreadFork fork{std::move(whose), std::move(id), turn, {}, options_.threads_an_owner_max,
                          core::time_now()};
    // What is summarised of the pruned part may go beyond the turn, so it is made anew.
    fork.record.id = ThreadId(sessions::random_id(prefix));
    fork.record.owner = from.owner;
    fork.record.title = title.empty() ? from.title : std::move(title);
    fork.record.model = from.model;
    fork.record.files = from.files;
    fork.record.session_id = SessionId(sessions::random_id(sessions::kOfThread));
    fork.record.created_at = fork.record.updated_at = fork.now;
    if (as == ForkAs::Version) {
        fork.record.family = from.family.text().empty() ? from.id : from.family;
        fork.record.origins = core::origins_after(from, turn.value_or(from.turns));
    }
    const auto made = co_await parts_.store.fork_thread(std::move(fork));
    std::optional<Error> failed;
    try {
        co_await copy_session(from, made);
    } catch (const ErrorException& error) { failed = error.error; }
    if (!failed) co_return made;
    co_await take_back(made);
    throw ErrorException(told(*failed, "fork thread " + from.id.text()));
}

// What ran a moment ago may hold the session still.
asio::awaitable<void> Threads::copy_session(ThreadRecord from, ThreadRecord to) {
    const auto until = Clock::now() + kTimeToFork;
    for (;;) {
        std::optional<Error> failed;
        try {
            co_await homes_.copy_session(from, to);
        } catch (const ErrorException& error) { failed = error.error; }
        if (!failed) co_return;
        if (failed->code != Code::Conflict || Clock::now() > until) throw ErrorException(*failed);
        co_await pause(kTryAgain);
    }
}

asio::awaitable<ThreadRecord> Threads::get(Whose whose, ThreadId id) {
    return parts_.store.get_thread(std::move(whose), std::move(id));
}

asio::awaitable<core::ThreadPage> Threads::list(core::ThreadQuery query) {
    return parts_.store.list_threads(std::move(query));
}

asio::awaitable<ThreadRecord> Threads::change(Whose whose, ThreadId id, ThreadChange change) {
    co_await parts_.store.get_thread(whose, id);  // NotFound, before a provider is asked
    if (change.model && !change.model->empty()) co_await parts_.models.pick(*change.model);
    core::ThreadPatch patch;
    patch.title = std::move(change.title);
    if (patch.title) {
        const auto versions = co_await parts_.store.family(whose, id);
        for (const auto& other : versions) {
            if (other.id != id) co_await parts_.store.patch_thread(whose, other.id, patch);
        }
    }
    patch.model = std::move(change.model);
    co_return co_await parts_.store.patch_thread(std::move(whose), std::move(id), std::move(patch));
}

asio::awaitable<void> Threads::add_files(Whose whose, ThreadId id, std::vector<UploadId> files) {
    if (files.empty()) co_return;
    const Counted counted(running_, idle_);
    if (stopping_) throw ErrorException({Code::Unavailable, "the server is stopping"});
    auto thread = co_await parts_.store.get_thread(whose, id);
    const auto before = thread.files.size();
    for (auto& file : files) {
        const auto& all = thread.files;
        if (std::find(all.begin(), all.end(), file) == all.end()) {
            thread.files.push_back(std::move(file));
        }
    }
    core::ThreadPatch patch;
    patch.files = thread.files;
    co_await parts_.store.patch_thread(std::move(whose), id, std::move(patch));
    std::optional<Error> failed;
    try {
        co_await homes_.bring_files(std::move(thread), before);
    } catch (const ErrorException& error) { failed = error.error; }
    if (failed) throw ErrorException(told(*failed, "bring files into thread " + id.text()));
}

asio::awaitable<void> Threads::remove_versions(Whose whose, ThreadId id) {
    std::vector<ThreadRecord> versions;
    try {
        versions = co_await parts_.store.family(whose, id);
    } catch (const ErrorException& error) {
        // Its record is damaged, and tells of no others.
        if (error.error.code != Code::Internal) throw;
    }
    // All at once: each turn has its time to stop, and a client waits for all of them.
    for (const auto& one : versions) {
        try {
            co_await cancel(whose, one.id);
        } catch (const ErrorException&) {
            // Gone, or unreadable: its removal says so.
        }
    }
    for (const auto& one : versions) {
        // This one last: who tries again after a failure must find them by it.
        if (one.id != id) co_await remove(whose, one.id);
    }
    co_await remove(whose, id);
}

asio::awaitable<void> Threads::remove(Whose whose, ThreadId id) {
    std::optional<ThreadRecord> readable;
    try {
        readable = co_await parts_.store.get_thread(whose, id);
    } catch (const ErrorException& error) {
        if (error.error.code != Code::Internal && error.error.code != Code::NotFound) throw;
    }
    if (!readable) {
        co_await remove_unreadable(std::move(whose), std::move(id));
        co_return;
    }
    const auto thread = std::move(*readable);
    co_await cancel(whose, id);
    if (options_.several_servers) co_await take_home(thread);
    const auto until = Clock::now() + kTimeToStop;
    for (;;) {
        std::optional<Error> failed;
        try {
            co_await parts_.store.remove_thread(whose, id, core::time_now());
        } catch (const ErrorException& error) { failed = error.error; }
        if (!failed) break;
        if (failed->code != Code::Conflict || Clock::now() > until) throw ErrorException(*failed);
        co_await pause(kTryAgain);
    }
    co_await remove_rest(thread);
}

// Whoever has its sandbox lets go of it, and the folder can be removed from here.
asio::awaitable<void> Threads::take_home(ThreadRecord thread) {
    try {
        const auto awake = co_await use_session(std::move(thread));
    } catch (const ErrorException&) {
        // The other server has it still, and its folder stays until somebody looks.
    }
}

// What there is of a thread besides its record, which is removed already.
asio::awaitable<void> Threads::remove_rest(ThreadRecord thread) {
    presence_.forget(thread.id);
    try {
        sheet_names_.forget(thread.session_id);
        co_await homes_.remove(thread);
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound && options_.tell) {
            options_.tell("the session of thread " + thread.id.text() +
                          " could not be removed: " + error.error.message);
        }
    }
    if (is_temporary(thread.id)) co_await remove_uploads_of(thread);
    co_await parts_.contexts.forget(thread.id);
}

// What was sent for it alone; what another thread uses stays.
asio::awaitable<void> Threads::remove_uploads_of(ThreadRecord thread) {
    for (const auto& file : thread.files) {
        try {
            co_await parts_.uploads.remove(Whose::of(thread.owner), file);
        } catch (const ErrorException&) {
            // In use; or it goes with the others that nobody needs.
        }
    }
}

// Its record is damaged. The store knows whose it is (else NotFound); what the record says of its
// session is believed only of a session of the same owner.
asio::awaitable<void> Threads::remove_unreadable(Whose whose, ThreadId id) {
    const auto session = co_await parts_.store.remove_thread(whose, id, core::time_now());
    if (options_.tell) {
        options_.tell("thread " + id.text() + " was removed; its record could not be read");
    }
    try {
        if (!session.text().empty()) co_await parts_.sessions.remove(whose, session);
    } catch (const ErrorException&) {
        // Its session is not here, or is somebody else's.
    }
    co_await parts_.contexts.forget(id);
}

asio::awaitable<std::vector<core::ThreadMessage>> Threads::some_messages(Whose whose, ThreadId id,
                                                                         std::uint64_t from) {
    co_return co_await parts_.store.read(std::move(whose), std::move(id), from, kPageBytes);
}

asio::awaitable<sessions::Use> Threads::use(Whose whose, ThreadId id) {
    auto thread = co_await parts_.store.get_thread(std::move(whose), std::move(id));
    co_return co_await use_session(std::move(thread));
}

asio::awaitable<ModelContext> Threads::context(Whose whose, ThreadId id, std::string question) {
    ModelContextInput input;
    input.thread = co_await parts_.store.get_thread(whose, id);
    std::optional<sessions::Use> use;
    const SheetNames::UseSession wake = [&]() -> asio::awaitable<sessions::Use*> {
        use.emplace(co_await use_session(input.thread));
        co_return &*use;
    };
    auto files = co_await homes_.files_of(input.thread);
    files = co_await sheet_names_.added_to(std::move(files), input.thread.session_id, wake);
    input.question_text = std::move(question);
    input.system = system_prompt(files, parts_.models.current()->info().sees_images);
    input.tools = parts_.tools.for_models();
    input.tokens_max = options_.context_tokens_max;
    co_return co_await parts_.contexts.build(std::move(input));
}

// Counted, so that a stopping server waits for a session that is being made.
asio::awaitable<sessions::Use> Threads::use_session(ThreadRecord thread) {
    const Counted counted(running_, idle_);
    const ThreadId id = thread.id;
    std::optional<Error> failed;
    try {
        co_return co_await homes_.use(std::move(thread));
    } catch (const ErrorException& error) { failed = error.error; }
    throw ErrorException(told(*failed, "wake the sandbox of thread " + id.text()));
}

// ---- Turns ----

std::uint64_t Threads::owner_turns_max() const {
    if (options_.owner_turns_max) return *options_.owner_turns_max;
    return !options_.owners_differ || options_.owners_differ() ? kTurnShare : 0;
}

asio::awaitable<Threads::ModelPtr> Threads::model_for(std::string questions, std::string threads) {
    if (!questions.empty()) co_return co_await parts_.models.pick(std::move(questions));
    if (threads.empty()) co_return nullptr;
    try {
        co_return co_await parts_.models.pick(std::move(threads));
    } catch (const ErrorException& error) {
        // The provider was changed since, or choosing was forbidden: the thread goes on with the
        // model in force, and each answer says which one gave it.
        if (error.error.code != Code::InvalidArgument && error.error.code != Code::Forbidden) throw;
    }
    co_return nullptr;
}

asio::awaitable<std::shared_ptr<LiveTurn>> Threads::ask(Whose whose, ThreadId id,
                                                        Question question) {
    if (stopping_) throw ErrorException({Code::Unavailable, "the server is stopping"});
    const auto thread = co_await parts_.store.get_thread(whose, id);  // NotFound, before anything
    ModelPtr chosen = co_await model_for(question.model, thread.model);
    // Again: a turn that began after begin_stop() would not be told to end.
    if (stopping_) throw ErrorException({Code::Unavailable, "the server is stopping"});
    if (options_.messages_max > 0 && thread.messages >= options_.messages_max) {
        throw ErrorException(
            {Code::Exhausted, "this thread has " + std::to_string(thread.messages) +
                                  " messages, as many as one may have; begin a new thread"});
    }
    const auto desk = desk_of(id);
    if (desk->busy > options_.waiting_max) {
        throw ErrorException(
            {Code::Conflict, "this thread has " + std::to_string(options_.waiting_max) +
                                 " questions waiting already; wait for an answer first"});
    }
    const auto most = owner_turns_max();
    if (const auto busy = busy_.find(thread.owner);
        most > 0 && busy != busy_.end() && busy->second >= most) {
        throw ErrorException(
            {Code::Exhausted, "the quota quotas.turns is used up: " + std::to_string(most) +
                                  " questions of " + thread.owner +
                                  " are being answered; wait for an answer first"});
    }
    const auto turn = std::make_shared<LiveTurn>(executor_, id);
    turn->log.add("status",
                  text_event(desk->busy == 0 ? "thinking" : "waiting for the answer before this"));
    ++desk->busy;
    ++busy_[thread.owner];
    desk->turns.push_back(turn);
    scope_.spawn(live_through(turn, desk, thread.owner, std::move(whose), std::move(question),
                              std::move(chosen)));
    co_return turn;
}

asio::awaitable<void> Threads::live_through(TurnPtr turn, DeskPtr desk, std::string owner,
                                            Whose whose, Question question, ModelPtr chosen) {
    const Counted counted(running_, idle_);
    std::exception_ptr failed;
    bool stored = false;
    try {
        const auto mine = co_await desk->mutex.lock();
        stored = co_await work(turn, std::move(whose), std::move(question), std::move(chosen));
    } catch (...) { failed = std::current_exception(); }
    if (failed && !turn->log.ended()) fail(*turn, error_in(failed));
    turn->ended_at = Clock::now();
    turn->log.end();
    --desk->busy;
    if (--busy_[owner] == 0) busy_.erase(owner);
    kept_.add(owner, turn);
    if (!stored) co_return;
    // The next turn may run already: nobody waits for a summary.
    try {
        auto now = co_await parts_.store.get_thread(Whose::anyones(), turn->thread);
        co_await parts_.contexts.turn_ended(std::move(now));
    } catch (const ErrorException&) {
        // The next turn makes up for it.
    }
}

// What people and models may hear of a failure of the host; the log hears all of it.
Error Threads::told(const Error& error, const std::string& during) const {
    auto plain = core::without_host_paths(error);
    if (plain.message != error.message && options_.tell) {
        options_.tell(error.during(during).message);
    }
    return plain;
}

void Threads::fail(LiveTurn& turn, Error error) {
    if (error.code == Code::Internal || error.code == Code::DiskFull) {
        error = told(error, "a turn of thread " + turn.thread.text());
    }
    if (error.code == Code::Internal && options_.tell) {
        options_.tell("a turn of thread " + turn.thread.text() + " failed: " + error.message);
    }
    ErrorEvent event;
    event.message = error.message;
    turn.outcome.error = std::move(error);
    turn.log.add("error", schema::to_json(event));
}

asio::awaitable<core::TurnBegun> Threads::begin(TurnPtr turn, Whose whose, Question question) {
    core::TurnRequest request{whose, turn->thread, options_.instance, {}, options_.lease, {}};
    request.question.role = core::MessageRole::User;
    request.question.content = std::move(question.text);
    request.question.client_id = std::move(question.client_id);
    if (!question.model.empty()) {
        MessageDetails details;
        details.model = question.model;
        request.question.details_json = text_of(details);
    }
    const auto until = Clock::now() + options_.turn.time_max;
    bool said = false;
    for (;;) {
        request.now = request.question.at = core::time_now();
        std::optional<core::TurnBegun> begun;
        std::optional<Error> failed;
        try {
            begun = co_await parts_.store.begin_turn(request);
        } catch (const ErrorException& error) { failed = error.error; }
        if (begun) co_return std::move(*begun);
        // Another server has the turn, or had it when it was killed.
        if (failed->code != Code::Conflict || Clock::now() > until) throw ErrorException(*failed);
        if (turn->cancellation.requested()) throw ErrorException({Code::Conflict, "cancelled"});
        if (!std::exchange(said, true)) {
            turn->log.add("status", text_event("waiting for the answer before this"));
        }
        co_await pause(kTryAgain);
    }
}

asio::awaitable<bool> Threads::work(TurnPtr turn, Whose whose, Question question, ModelPtr chosen) {
    if (turn->cancellation.requested()) {
        throw ErrorException({Code::Conflict, sentence_of(turn->cancellation.why())});
    }
    const std::string text = question.text;
    auto begun = co_await begin(turn, std::move(whose), question);
    turn->outcome.timings_ms.queue = ms_between(turn->asked_at, Clock::now());
    if (begun.repeated) {
        co_await tell_again(turn, begun.thread, *begun.repeated);
        co_return false;
    }
    turn->number = begun.hold.turn;
    turn->holds = true;
    const auto model = chosen ? std::move(chosen) : parts_.models.current();
    const auto info = model->info();
    turn->outcome.model = info.provider + (info.name.empty() ? "" : "/" + info.name);
    const auto thread = begun.thread;
    const auto run = std::make_shared<TurnRun>(scope_, parts_.store, turn, std::move(begun),
                                               info.sees_images, options_.turn.time_max);
    run->keep_hold(options_.lease, options_.renew_every);
    run->ready_sandbox([this, thread] { return use_session(thread); });
    give_title(thread, text);
    TurnEnd end;
    std::exception_ptr failed;
    try {
        end = co_await answer(run, std::move(question), model);
    } catch (...) { failed = std::current_exception(); }
    if (failed) {
        auto error = error_in(failed);
        if (error.code == Code::Internal || error.code == Code::DiskFull) {
            error = told(error, "a turn of thread " + turn->thread.text());
        }
        turn->outcome.error = std::move(error);
        end.stopped = "error";
    } else if (is_failure(end.stopped)) {
        turn->outcome.error = Error{Code::Unavailable, sentence_of(end.stopped)};
    }
    std::exception_ptr unsaved;
    try {
        co_await end_turn(turn, run, std::move(end));
    } catch (...) { unsaved = std::current_exception(); }
    run->ended();
    turn->holds = false;
    if (turn->outcome.error) {
        fail(*turn, *turn->outcome.error);
    } else if (unsaved) {
        auto why = error_in(unsaved);
        fail(*turn,
             why.code == Code::Unavailable ? why : why.during("the answer could not be stored"));
    } else {
        turn->log.add("done", schema::to_json(done_event(*turn)));
    }
    turn->ended_at = Clock::now();
    turn->log.end();
    co_return !unsaved;
}

asio::awaitable<TurnEnd> Threads::answer(std::shared_ptr<TurnRun> run, Question question,
                                         ModelPtr model) {
    ModelContextInput input;
    input.thread = run->begun().thread;
    input.question = run->begun().question;
    input.question_text = std::move(question.text);
    auto files = co_await homes_.files_of(input.thread);
    const SheetNames::UseSession wake = [run] { return run->session(); };
    files = co_await sheet_names_.added_to(std::move(files), input.thread.session_id, wake);
    input.system = system_prompt(files, model->info().sees_images);
    if (!question.instructions.empty()) {
        input.system +=
            "\nWhat the user's own chat program asks of you, as far as it does not "
            "contradict the rules above:\n" +
            question.instructions + "\n";
    }
    input.tools = parts_.tools.for_models();
    input.tokens_max = options_.context_tokens_max;
    auto context = co_await parts_.contexts.build(std::move(input));
    TurnParts parts{*model, parts_.tools, *run, *run, options_.turn, std::move(context.request)};
    co_return co_await run_turn(std::move(parts));
}

asio::awaitable<void> Threads::end_turn(TurnPtr turn, std::shared_ptr<TurnRun> run, TurnEnd end) {
    auto& outcome = turn->outcome;
    outcome.usage = end.usage;
    outcome.stopped = end.stopped;
    auto& timings = outcome.timings_ms;
    timings.sandbox = run->sandbox_ms();
    timings.model_first_token = end.first_token_ms;
    timings.model = end.model_ms;
    timings.code = end.code_ms;
    timings.total = ms_between(turn->asked_at, Clock::now());
    outcome.container_state = "hot";
    if (run->sandbox_failed()) outcome.container_state = "cold";

    std::vector<core::ThreadMessage> messages;
    if (auto said = run->take_unsaved()) {
        said->details_json = "{}";  // none of its calls was answered
        if (!said->content.empty()) messages.push_back(std::move(*said));
    }
    MessageDetails details;
    details.reasoning = run->take_reasoning();
    details.timings_ms = timings;
    details.usage = end.usage;
    details.model = outcome.model;
    if (!end.stopped.empty()) details.stopped = end.stopped;
    core::ThreadMessage last;
    last.role = core::MessageRole::Assistant;
    last.content = std::move(end.text);
    if (outcome.error) {
        if (!last.content.empty()) messages.push_back(last);
        last.role = core::MessageRole::Note;
        last.content = outcome.error->message;
    } else if (last.content.empty()) {
        last.role = core::MessageRole::Note;
        last.content = sentence_of(end.stopped);
    }
    last.details_json = text_of(details);
    last.at = core::time_now();
    messages.push_back(std::move(last));
    for (auto& message : messages) message.at = core::time_now();
    // A stopping server waits for its turns, and not for long.
    const auto time = stopping_ ? std::chrono::milliseconds{kTimeToStop} / 2 : kWriteTime;
    co_await write_surely(parts_.store, run->begun().hold, std::move(messages), After::Ends, time);
}

void Threads::give_title(const ThreadRecord& thread, const std::string& question) {
    if (!thread.title.empty()) return;
    core::ThreadPatch patch;
    patch.title = first_line(question, kTitleCharacters);
    const auto rename = [&store = parts_.store, id = thread.id, patch]() -> asio::awaitable<void> {
        try {
            co_await store.patch_thread(Whose::anyones(), id, patch);
        } catch (const std::exception&) {
            // It has no title then, and the next question gives it one.
        }
    };
    scope_.spawn(rename);
}

// ---- Following ----

asio::awaitable<void> Threads::tell_again(TurnPtr turn, ThreadRecord thread, std::uint64_t number) {
    turn->number = number;
    const std::function<bool()> given_up = [this] { return stopping_; };
    const auto failed = co_await retell(parts_.store, turn, thread, number, given_up);
    turn->outcome.container_state = co_await homes_.state_of(thread);
    if (failed) {
        fail(*turn, *failed);
    } else {
        turn->log.add("done", schema::to_json(done_event(*turn)));
    }
}

asio::awaitable<std::shared_ptr<LiveTurn>> Threads::follow(Whose whose, ThreadId id,
                                                           std::optional<std::uint64_t> number) {
    const auto thread = co_await parts_.store.get_thread(whose, id);
    if (const auto found = desks_.find(id.text()); found != desks_.end()) {
        const auto& turns = found->second->turns;
        for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
            if (number && (*turn)->number != *number) continue;
            if ((*turn)->forgotten) break;  // the store has it
            co_return *turn;
        }
    }
    const auto wanted = number.value_or(thread.turns);
    if (wanted == 0 || wanted > thread.turns) {
        throw ErrorException(
            {Code::NotFound, number ? "this thread has no turn " + std::to_string(*number)
                                    : "nothing was asked in this thread yet"});
    }
    const auto turn = std::make_shared<LiveTurn>(executor_, id);
    turn->number = wanted;
    turn->told_again = true;
    const auto tell = [](Threads& self, TurnPtr again, ThreadRecord of,
                         std::uint64_t which) -> asio::awaitable<void> {
        const Counted counted(self.running_, self.idle_);
        std::exception_ptr failed;
        try {
            co_await self.tell_again(again, of, which);
        } catch (...) { failed = std::current_exception(); }
        if (failed) self.fail(*again, error_in(failed));
        again->log.end();
        self.kept_.add(of.owner, again);
    };
    scope_.spawn(tell(*this, turn, thread, wanted));
    co_return turn;
}

asio::awaitable<bool> Threads::cancel(Whose whose, ThreadId id) {
    co_await parts_.store.get_thread(whose, id);
    bool any = false;
    std::vector<TurnPtr> turns;
    if (const auto found = desks_.find(id.text()); found != desks_.end()) {
        turns = found->second->turns;
    }
    for (const auto& turn : turns) {
        if (turn->log.ended()) continue;
        any = true;
        turn->cancellation.request("cancelled");
    }
    if (!any && options_.several_servers) any = co_await parts_.store.cancel_turn(id);
    co_return any;
}

// ---- Who is in a thread ----

asio::awaitable<void> Threads::tab_here(Whose whose, ThreadId id, std::string tab) {
    const auto thread = co_await parts_.store.get_thread(std::move(whose), std::move(id));
    presence_.here(thread.owner, thread.id, tab, Clock::now());
}

void Threads::tab_left(const std::string& owner, const ThreadId& id, const std::string& tab) {
    presence_.left(owner, id, tab, Clock::now());
}

void Threads::end_left() {
    for (auto& id : presence_.due(Clock::now())) scope_.spawn(leave(std::move(id)));
}

asio::awaitable<void> Threads::leave(ThreadId id) {
    const Counted counted(running_, idle_);
    bool done = true;
    std::string failed;
    try {
        done = co_await leave_now(id);
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound) failed = error.error.message;
    }
    if (!done) presence_.at_work(id, Clock::now());
    if (!failed.empty() && options_.tell) {
        options_.tell("the session of thread " + id.text() +
                      ", which was left, goes by its idle times: " + failed);
    }
}

asio::awaitable<bool> Threads::leave_now(ThreadId id) {
    const auto thread = co_await parts_.store.get_thread(Whose::anyones(), id);
    // Pages at other servers are not known here: a temporary thread goes after its time.
    const bool removes = is_temporary(id) && !options_.several_servers;
    if (is_answering(id)) co_return false;
    if (!removes) co_return co_await parts_.sessions.store_left(thread.session_id);
    if (co_await is_at_work(thread)) co_return false;
    // Somebody came back meanwhile.
    if (stopping_ || presence_.is_anybody_in(id)) co_return true;
    co_return co_await remove_left(thread);
}

// Unlike `remove` this ends no turn and waits for none: a question that is asked now is that of
// somebody who came back.
asio::awaitable<bool> Threads::remove_left(ThreadRecord thread) {
    if (options_.several_servers) co_await take_home(thread);
    if (co_await is_anybody_in_chat(thread.id)) co_return false;
    std::optional<Error> failed;
    try {
        co_await parts_.store.remove_thread(Whose::anyones(), thread.id, core::time_now());
    } catch (const ErrorException& error) { failed = error.error; }
    if (failed && failed->code == Code::Conflict) co_return false;
    if (failed) throw ErrorException(*failed);
    co_await remove_rest(std::move(thread));
    co_return true;
}

// A version of a chat is one click from the others.
asio::awaitable<bool> Threads::is_anybody_in_chat(ThreadId id) {
    const auto versions = co_await parts_.store.family(Whose::anyones(), id);
    co_return std::any_of(versions.begin(), versions.end(), [this](const ThreadRecord& one) {
        return presence_.is_anybody_in(one.id);
    });
}

bool Threads::is_answering(const ThreadId& id) const {
    const auto desk = desks_.find(id.text());
    return desk != desks_.end() && desk->second->busy > 0;
}

asio::awaitable<bool> Threads::is_at_work(const ThreadRecord& thread) {
    if (is_answering(thread.id)) co_return true;
    const bool works = co_await parts_.sessions.is_at_work(thread.session_id);
    co_return works || is_answering(thread.id);
}

asio::awaitable<std::size_t> Threads::remove_unused_temporary() {
    const auto old = core::time_now() - options_.temporary_unused;
    std::vector<ThreadRecord> unused;
    core::ThreadQuery query{Whose::anyones(), "", kListed};
    while (!stopping_) {
        auto page = co_await parts_.store.list_threads(query);
        for (auto& thread : page.threads) {
            if (thread.updated_at < old && is_temporary(thread.id)) {
                unused.push_back(std::move(thread));
            }
        }
        query.cursor = page.next_cursor;
        if (query.cursor.empty()) break;
    }
    std::size_t removed = 0;
    for (const auto& thread : unused) {
        if (stopping_) break;
        try {
            if (co_await is_at_work(thread)) continue;
            if (co_await remove_left(thread)) ++removed;
        } catch (const ErrorException&) {
            // It is gone, or somebody asks in it now.
        }
    }
    co_return removed;
}

asio::awaitable<void> Threads::keep_temporary(std::function<bool()> not_now) {
    const Counted counted(running_, idle_);
    // Time enough for open pages to say that they are there, after this server has begun.
    const auto begin = Clock::now();
    const auto first =
        std::min<std::chrono::milliseconds>(options_.temporary_unused, kTimeToSayHere);
    const auto pause = std::clamp<std::chrono::milliseconds>(options_.temporary_unused / 4, kRound,
                                                             kUploadsRoundMax);
    core::ClockWatch clock;
    while (!stopping_) {
        temporary_round_.expires_after(pause);
        co_await temporary_round_.async_wait(kAsTuple);
        if (stopping_ || not_now() || !clock.settled() || Clock::now() - begin < first) continue;
        try {
            const auto removed = co_await remove_unused_temporary();
            if (removed > 0 && options_.tell) {
                options_.tell(std::to_string(removed) +
                              " temporary threads were removed in which nobody was any more");
            }
        } catch (const ErrorException&) {
            // The store is away; tried again in the next round.
        }
    }
}

// ---- Housekeeping ----

void Threads::tidy() {
    const auto old = Clock::now() - kRemembered;
    for (auto desk = desks_.begin(); desk != desks_.end();) {
        auto& turns = desk->second->turns;
        std::erase_if(turns, [&](const TurnPtr& turn) {
            return turn->log.ended() && (turn->ended_at < old || turn->forgotten);
        });
        // The latest is what somebody comes back to.
        while (turns.size() > 1 && turns.front()->log.ended()) turns.erase(turns.begin());
        desk = turns.empty() && desk->second->busy == 0 ? desks_.erase(desk) : std::next(desk);
    }
    kept_.tidy();
}

bool Threads::holds(const ThreadId& id) const {
    const auto desk = desks_.find(id.text());
    if (desk == desks_.end()) return false;
    const auto& turns = desk->second->turns;
    return std::any_of(turns.begin(), turns.end(), [](const TurnPtr& turn) { return turn->holds; });
}

asio::awaitable<void> Threads::keep_house() {
    const Counted counted(running_, idle_);
    const auto lives = std::chrono::seconds{10};
    auto tidied = Clock::now();
    auto lived = Clock::time_point{};
    while (!stopping_) {
        if (options_.several_servers) {
            try {
                if (Clock::now() - lived > lives / 4) {
                    co_await parts_.store.live(options_.instance, core::time_now() + lives);
                    lived = Clock::now();
                }
                const auto asked = co_await parts_.store.asked_of(options_.instance);
                for (const auto& id : asked) {
                    if (!holds(id)) co_await homes_.let_go(id);  // else it is asked again soon
                }
            } catch (const ErrorException&) {
                // The store is away; tried again in a moment.
            }
        }
        end_left();
        if (Clock::now() - tidied > std::chrono::seconds{10}) {
            tidy();
            tidied = Clock::now();
        }
        round_.expires_after(options_.several_servers ? std::chrono::milliseconds{200}
                                                      : std::chrono::milliseconds{kRound});
        co_await round_.async_wait(kAsTuple);
    }
}

asio::awaitable<void> Threads::keep_uploads(std::function<bool()> not_now) {
    const Counted counted(running_, idle_);
    const auto age = parts_.uploads.limits().unused_time_max;
    const auto pause =
        age.count() == 0 ? kUploadsRoundMax
                         : std::clamp<std::chrono::milliseconds>(age / 4, kRound, kUploadsRoundMax);
    const std::function<bool()> given_up = [&] { return stopping_ || not_now(); };
    core::ClockWatch clock;
    while (!stopping_) {
        uploads_round_.expires_after(pause);
        co_await uploads_round_.async_wait(kAsTuple);
        if (given_up() || !clock.settled()) continue;
        try {
            auto removed = co_await parts_.uploads.remove_unused(given_up);
            if (!options_.several_servers) {
                removed += co_await parts_.uploads.remove_unknown(given_up);
            }
            if (removed > 0) {
                options_.tell(std::to_string(removed) +
                              " uploads that no thread used were removed");
            }
        } catch (const ErrorException&) {
            // The store or the disk is away; tried again in the next round.
        }
    }
}

void Threads::begin_stop() {
    stopping_ = true;
    round_.cancel();
    uploads_round_.cancel();
    temporary_round_.cancel();
    parts_.contexts.begin_stop();
    for (const auto& [id, desk] : desks_) {
        const auto turns = desk->turns;
        for (const auto& turn : turns) {
            if (!turn->log.ended()) turn->cancellation.request("stopping");
        }
    }
}

asio::awaitable<void> Threads::stop() {
    begin_stop();
    const auto until = Clock::now() + kTimeToStop;
    co_await ended_by(until);
}

asio::awaitable<bool> Threads::ended_by(Clock::time_point until) {
    while (running_ > 0 && Clock::now() < until) {
        idle_.expires_at(until);
        co_await idle_.async_wait(kAsTuple);
    }
    const bool ended = co_await scope_.ended_by(until);
    co_return ended&& running_ == 0;
}

}  // namespace atl::agent
