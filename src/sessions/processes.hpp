#pragma once
// Programs that clients start in sessions and come back to: their table, their output, their end.
//
//     start ──▶ running ──▶ ended: by itself, by a signal, by time, by us, or with its sandbox
//
// A process lives in a sandbox, not in a session: when the session is restarted, goes cold or is
// removed, its processes end with the sandbox, and their records say so. A frozen session's
// processes stand still. One that was started with keep_awake holds its session awake, any other
// for SessionOptions::background_awake.
// Owns      the records. The sandboxes are the sessions'; a record holds on to its link only.
// Threads   one, the executor's.
// Limits    kRunningMax programs a session, kEndedMax records of ended ones for kRememberTime,
//           kOutputBytesMax of output each. A program that floods is slowed to kOutputRate.
// Trusts    its caller, who has checked whose session it is. Nothing that the guest says, nor its
//           clock: an overdue process's sandbox is ended (frozen time does not count).
// Must outlive no link: destroy it after Sessions::stop(), or while nothing runs.
#include "core/outcome.hpp"
#include "core/records.hpp"
#include "guest_client/call_deadline.hpp"
#include "guest_client/guest_link.hpp"
#include "sessions/fifo_mutex.hpp"
#include "sessions/output_log.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atl::sessions {

struct ProcessStart {
    std::vector<std::string> argv;
    std::map<std::string, std::string> environment;
    std::string directory = "/session";
    bool as_root = false;     // shown to it as its name; its authority is the user's
    bool stdin_open = false;  // else it reads an end at once
    struct Terminal {
        int rows = 24, cols = 80;
    };
    std::optional<Terminal> terminal;      // then its input is open, and all output is Stdout
    std::chrono::milliseconds timeout{0};  // 0 = none
    bool keep_awake = false;
    bool output_held = false;  // from the start: see Process::hold_output
    // Besides the record's own log: all of its output as it comes.
    std::function<void(core::Stream, std::string_view)> output;
};

struct ProcessEnd {
    core::EndReason reason = core::EndReason::Exited;
    bool with_sandbox = false;  // it did not end by itself: its sandbox did
    int exit_code = 0;
    int signal = 0;
    std::string note;  // for people; mostly empty
    core::Time at{};
    double run_ms = 0;
};

class Process final : public std::enable_shared_from_this<Process> {
public:
    Process(boost::asio::any_io_executor executor, std::string id, ProcessStart wanted,
            core::Clock& clock);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    [[nodiscard]] const ProcessStart& wanted() const noexcept { return wanted_; }
    [[nodiscard]] std::int64_t pid() const noexcept { return pid_; }
    [[nodiscard]] core::Time started_at() const noexcept { return started_at_; }
    [[nodiscard]] bool running() const noexcept { return started_ && !ended_; }
    [[nodiscard]] bool stdin_open() const noexcept { return running() && stdin_open_; }
    [[nodiscard]] const std::optional<ProcessEnd>& ended() const noexcept { return ended_; }
    [[nodiscard]] const OutputLog& output_log() const noexcept { return log_; }

    // Returns when it runs. Throws ErrorException: what the guest says when it cannot be started,
    // or that it has ended without having been started.
    boost::asio::awaitable<void> start(std::shared_ptr<guest_client::GuestLink> link,
                                       core::Sandbox& sandbox);

    // Returns when there is more output or it has ended, or when wake() is called.
    boost::asio::awaitable<void> news();
    void wake() {
        news_.cancel();
        end_came_.cancel();
    }
    // Until it has ended; false when it has not after so long.
    boost::asio::awaitable<bool> wait(std::chrono::milliseconds time) {
        return wait_unless(time, nullptr);
    }
    // The same; also false when it is woken and finds that this is enough.
    boost::asio::awaitable<bool> wait_unless(std::chrono::milliseconds time,
                                             std::function<bool()> enough);

    // Returns when the program's side has room for it. False when it has ended. Several callers are
    // served in order. Throws Timeout if all of that takes longer than `patience`.
    boost::asio::awaitable<bool> input(std::string bytes, std::chrono::milliseconds patience);
    // After what others are still writing. Throws Timeout as well.
    boost::asio::awaitable<bool> end_input(std::chrono::milliseconds patience);
    // In its own time, whoever waits for it or not: all of it, then the end if that is wanted.
    void feed(std::string bytes, bool then_end);
    void signal(int number);
    // With its whole tree. The first reason given is that of its end.
    void kill(core::EndReason reason = core::EndReason::Killed);
    void resize(ProcessStart::Terminal size);

    // For readers that must not miss anything. While output is held back the program gets no more
    // credit, so that it waits in its next write; what it has credit for already still comes, at
    // most guest_client::kUnpaidBytesMax. Has no effect once it was killed or its time is up: its
    // end must come.
    void hold_output(bool hold);
    // How much of the latest output is kept, while it runs; 0: as much as usual.
    void keep_output(std::size_t bytes_max);

private:
    friend class Processes;
    void open(std::shared_ptr<guest_client::GuestLink> link, core::Sandbox& sandbox);
    static boost::asio::awaitable<void> feed_all(std::shared_ptr<Process> self, std::string bytes,
                                                 bool then_end);
    boost::asio::awaitable<bool> send_input(std::string bytes);
    boost::asio::awaitable<bool> send_end_of_input();
    boost::asio::awaitable<bool> within(std::chrono::milliseconds patience,
                                        boost::asio::awaitable<bool> sending);
    boost::asio::awaitable<void> look_at_memory();
    void finish(ProcessEnd end);
    void let_go();
    void pace(std::size_t bytes);
    void grant_owed();
    void let_output_go();

    void fail(Error why);

    void event(const boost::json::object& event);
    void output(core::Stream stream, std::string_view piece);
    void end(const Result<boost::json::object>& result);

    boost::asio::any_io_executor executor_;
    core::Clock& clock_;
    std::string id_;
    ProcessStart wanted_;
    std::shared_ptr<guest_client::GuestLink> link_;
    core::Sandbox* sandbox_ = nullptr;  // only while the link is alive
    std::optional<Use> awake_;
    std::int64_t pid_ = 0;
    bool started_ = false;
    bool stdin_open_ = false;
    std::optional<core::EndReason> killed_;
    std::optional<DiskStop> when_full_;  // while it runs
    std::optional<Error> failed_;        // it could not be started
    std::optional<ProcessEnd> ended_;
    ProcessEnd ending_;
    core::Time started_at_{};
    Clock::time_point began_{};
    std::uint64_t memory_kills_before_ = 0;
    bool ask_guest_about_memory_ = false;
    OutputLog log_;
    boost::asio::steady_timer news_;
    boost::asio::steady_timer end_came_;
    std::optional<guest_client::CallDeadline> deadline_;
    bool overdue_ = false;
    FifoMutex input_mutex_;
    // What may come in one tick of the clock, and what waits for the next.
    core::Timer tick_;
    bool ticking_ = false;
    std::size_t spent_ = 0;
    std::size_t owed_ = 0;
    bool output_held_ = false;
    bool may_hold_output_ = true;
    core::Timer time_is_up_;
    guest_client::Channel channel_;  // the last, for its handlers refer to the rest
};

class Processes {
public:
    using ProcessPtr = std::shared_ptr<Process>;

    explicit Processes(boost::asio::any_io_executor executor,
                       core::Clock& clock = core::system_clock());
    ~Processes();

    // Throws ErrorException: what the guest says when it cannot be started; Exhausted.
    boost::asio::awaitable<ProcessPtr> start(Use use, ProcessStart wanted);
    // Of a session that the caller may see. NotFound; the newest first.
    [[nodiscard]] ProcessPtr find(const SessionId& session, const std::string& id);
    [[nodiscard]] std::vector<ProcessPtr> list(const SessionId& session);
    // Forgets its record; what runs is killed first.
    boost::asio::awaitable<void> remove(SessionId session, std::string id);
    // The session is gone, and what its processes said with it.
    void forget(const SessionId& session);

private:
    using Table = std::vector<ProcessPtr>;  // the oldest first

    void tidy();
    void tidy(Table& table);
    void tidy_every_minute();

    boost::asio::any_io_executor executor_;
    core::Clock& clock_;
    std::map<std::string, Table> tables_;  // by session
    core::Timer minute_;
};

}  // namespace atl::sessions
