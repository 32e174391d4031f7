#pragma once
// Kernels: stateful interpreters, of Python or of JavaScript and TypeScript, one for each context.
//
//     host ──run──▶ KernelCall ──queue──▶ Kernel ──socket pair──▶ the interpreter
//                                                                  (guest/python, guest/typescript)
//                                          ◀── events, done ──
//                                          ◀── stdout, stderr (pipes) ──
//
// Owns      the pipes and the socket to each kernel, and the queue of requests for it.
// Trusts    nothing that a kernel sends: its own code can write any bytes to that socket. Lengths
//           and types are checked, and one that breaks them is ended. An event passes unread to the
//           host, which checks it; what goes into an answer of ours is parsed first.
// A kernel of Python comes from the zygote: PID 1 rings the nest's bell and sends the kernel's ends
// of the socket and the pipes; the first message on the socket tells it that the walls stand, the
// first answer is its process id. When none comes (the zygote is gone) it is started as a program,
// which takes as long as importing does. A kernel of JavaScript always is one: bun starts in
// milliseconds. If a kernel dies, the request under way ends with `died` and a fresh one takes its
// place; the next answer says that the state was lost.
#include "guest/lib/operation.hpp"
#include "guest/lib/surroundings.hpp"

#include <deque>
#include <memory>

namespace atl::guest {

class Kernel;

// The socket between PID 1 and a kernel: u32 length, type, payload. From PID 1: 'c' the limits that
// hold (once, first), 'l' enter the Landlock domain (once, before anything of somebody's: by then
// all mounts are there, which its rules go by), 'q' a request, 'b' bytes, 'f' their end, 'i' an
// answer to input(). From the kernel: 'p' its process id (once, first), 'e' an event, 'b' bytes,
// 'd' done.
inline constexpr std::size_t kKernelMessageHeader = 5;
inline constexpr char kKernelConfig = 'c';
inline constexpr char kKernelSeal = 'l';
inline constexpr char kKernelPid = 'p';
inline constexpr int kLinkInKernel = 3;

enum class KernelLanguage { Python, JavaScript };
[[nodiscard]] std::string_view name_of(KernelLanguage language) noexcept;

inline constexpr const char* kDefaultContext = "default";
inline constexpr const char* kDefaultDirectory = "/session";

// One request to a kernel: a run, or any other call (complete, variables, export …).
class KernelCall : public Operation {
public:
    // Warming runs our own cells only; all else may run what is somebody's.
    enum class Kind { Run, Import, Warm, Other };
    KernelCall(HostLink& link, std::uint32_t channel, std::string request, Kind kind,
               std::chrono::milliseconds timeout, std::chrono::milliseconds grace)
        : Operation(link, channel),
          request_(std::move(request)),
          kind_(kind),
          timeout_(timeout),
          grace_(grace) {}
    ~KernelCall() override;

    void data(std::string_view bytes) override;
    void eof() override;
    void control(const json::object& command) override;
    std::optional<Clock::time_point> deadline() const override { return deadline_; }
    void time_is_up() override;
    void stood_still(Clock::duration time) override {
        if (deadline_) *deadline_ += time;
        if (kill_at_) *kill_at_ += time;
    }

private:
    friend class Kernel;
    enum class Stopping { No, Interrupt, Timeout };
    void begin_stop(Stopping why, std::chrono::milliseconds grace);
    void ask_to_stop();
    [[nodiscard]] bool under_way() const;  // its request is with the kernel

    Kernel* kernel_ = nullptr;  // null before it is queued and after it ended
    std::string request_;
    const Kind kind_;
    std::string held_;  // data that came while it was queued
    bool held_eof_ = false;
    std::chrono::milliseconds timeout_;
    std::chrono::milliseconds grace_;
    std::optional<Clock::time_point> deadline_;
    Stopping stopping_ = Stopping::No;
    std::optional<Clock::time_point> kill_at_;
};

class Kernel {
public:
    static constexpr bool kRestarted = true;
    // A fork takes milliseconds; on a machine that is much too busy, seconds.
    static constexpr std::chrono::seconds kSummonTimeMax{20};
    Kernel(std::string context, std::string directory,
           KernelLanguage language = KernelLanguage::Python, bool restarted = false)
        : context_(std::move(context)),
          directory_(std::move(directory)),
          language_(language),
          restarted_(restarted) {}
    ~Kernel();

    // Rings the bell. False with errno when that cannot work.
    bool summon(int bell);
    // The walls stand: the summoned one may come in.
    void admit(const Surroundings& surroundings);
    // Not from the zygote. False with errno.
    bool start_as_program(const Surroundings& surroundings);
    [[nodiscard]] bool wanted() const noexcept { return pid_ <= 0 && link_.get() < 0; }
    // Summoned, and not here yet.
    [[nodiscard]] bool awaited() const noexcept { return pid_ <= 0 && link_.get() >= 0; }
    // From the zygote, and not past its own walls yet: it has answered nothing.
    [[nodiscard]] bool starting() const noexcept { return awaited() || (pid() > 0 && !answered_); }
    // The last one summoned did not come.
    [[nodiscard]] bool forsaken() const noexcept { return forsaken_; }
    [[nodiscard]] KernelLanguage language() const noexcept { return language_; }

    // Tells a kernel that was forked ahead about the environment of its owner.
    void renew_environment(const Surroundings& surroundings);
    // The same about its folder, if it has run nothing yet.
    void begin_in(const std::string& directory, const Surroundings& surroundings);

    void submit(KernelCall& call);
    void forget(KernelCall& call);  // the operation is going away
    void watch(PollSet& set);
    // Moves at most an iteration's share of what `set` found to be there; `more()` then tells
    // whether there was more.
    void pump(const PollSet& set);
    [[nodiscard]] bool more() const noexcept { return more_; }
    // The process ended (reaped by the loop): answer whoever waits, once the host has taken what it
    // said before.
    void process_ended(int status);
    void signal(int number);
    void kill();
    // What it was asked ends as one that had too little memory.
    void kill_for_memory();

    [[nodiscard]] pid_t pid() const noexcept { return ended_ ? -1 : pid_; }
    [[nodiscard]] const std::string& context() const noexcept { return context_; }
    [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
    [[nodiscard]] bool idle() const noexcept { return queue_.empty(); }
    [[nodiscard]] KernelCall* current() const noexcept {
        return queue_.empty() ? nullptr : queue_.front();
    }
    [[nodiscard]] std::int64_t runs() const noexcept { return runs_; }
    // Its process died with what was in it, and no run has been told so yet.
    [[nodiscard]] bool state_lost() const noexcept { return state_lost_; }
    // In the place of one whose state somebody wanted gone.
    [[nodiscard]] bool restarted() const noexcept { return restarted_; }

private:
    friend class KernelCall;
    static constexpr std::size_t kMessageBytesMax = 64u << 20;
    static constexpr std::size_t kBackgroundBytesMax = 64u << 10;

    [[nodiscard]] bool make_pipes(UniqueFd& link, UniqueFd& out, UniqueFd& err);
    void arrived(pid_t pid);
    void did_not_come();
    void post_start(const Surroundings& surroundings);
    void send_current();
    void post(char type, std::string_view payload);
    bool write_pending();
    struct Header {
        std::uint32_t length = 0;
        char type = 0;
        bool whole = false;
    };
    struct Owed {
        std::size_t out, err;
    };
    void pump(std::size_t work_max);
    // These return what it cost, 0 when nothing was moved.
    std::size_t step();
    std::size_t read_link();
    std::size_t pass_output(UniqueFd& source, std::size_t bytes_max, wire::Kind kind,
                            std::string& background);
    std::size_t pass_ready_output();
    [[nodiscard]] bool left_over(std::size_t moved) const;
    std::size_t take_message(const Header& header);
    [[nodiscard]] std::optional<Header> next_header() const;
    [[nodiscard]] bool is_known(char type) const;
    void disown();
    void bury_if_silent();
    void bury();
    void finish_current(std::string_view kernel_json);
    void deliver_background();

    std::string context_;
    std::string directory_;
    KernelLanguage language_;
    bool restarted_ = false;
    pid_t pid_ = -1;
    std::optional<int> ended_;  // its process is reaped, and this was its status
    bool forsaken_ = false;
    Clock::time_point summoned_{};
    UniqueFd link_, out_, err_;
    // Where the iteration's PollSet has them, and whether there may be something to read: an empty
    // read of each, in each iteration, was a third of what PID 1 asked of the kernel for a short
    // run.
    struct Watched {
        std::size_t slot = PollSet::kNoSlot;
        bool ready = false;
    };
    Watched watched_link_, watched_out_, watched_err_;
    std::string in_;            // bytes from the kernel
    std::size_t in_taken_ = 0;  // of them, handled
    // Up to here they came before the last look at how much lies in the pipes.
    std::size_t in_looked_ = 0;
    std::optional<Owed> owed_;  // printed before the next message, and not passed on yet
    bool more_ = false;
    std::string pending_;  // bytes to the kernel that it has not taken yet
    std::string event_;    // an event on its way to the host, in pieces
    std::size_t event_sent_ = 0;
    std::deque<KernelCall*> queue_;
    bool sent_current_ = false;
    bool sealed_ = false;
    bool answered_ = false;       // anything, since its process was made
    bool out_of_memory_ = false;  // and was killed for it
    int starts_unanswered_ = 0;   // `start` requests, which nobody waits for
    std::size_t input_unacknowledged_ = 0;
    bool imported_ = false;    // what was saved was brought in
    bool state_lost_ = false;  // said with the next run's answer
    std::string background_out_, background_err_;
    std::int64_t runs_ = 0;
};

}  // namespace atl::guest
