#pragma once
// Kernels: stateful Python interpreters, forked from PID 1 itself, one for each context.
//
//     host ──run──▶ KernelCall ──queue──▶ Kernel ──socket pair──▶ the forked Python (guest/python)
//                                          ◀── events, done ──
//                                          ◀── stdout, stderr (pipes) ──
//
// Owns      the pipes and the socket to each kernel, and the queue of requests for it.
// Trusts    nothing that a kernel sends: its own code can write any bytes to that socket. Lengths
//           are checked; JSON passes unread to the host, which checks it again.
// If a kernel dies, the request under way ends with `died` and a fresh fork takes its place; the
// next answer says that the state was lost.
#include "guest/lib/operation.hpp"
#include "guest/lib/surroundings.hpp"

#include <deque>
#include <memory>

namespace atl::guest {

class Kernel;

// One request to a kernel: a run, or any other call (complete, variables, export …).
class KernelCall : public Operation {
public:
    KernelCall(HostLink& link, std::uint32_t channel, std::string request, bool is_run,
               std::chrono::milliseconds timeout, std::chrono::milliseconds grace)
        : Operation(link, channel),
          request_(std::move(request)),
          is_run_(is_run),
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

    Kernel* kernel_ = nullptr;  // null before it is queued and after it ended
    std::string request_;
    bool is_run_;
    std::chrono::milliseconds timeout_;
    std::chrono::milliseconds grace_;
    std::optional<Clock::time_point> deadline_;
    Stopping stopping_ = Stopping::No;
    std::optional<Clock::time_point> kill_at_;
};

// How PID 1 makes a kernel process. In a fork of a zygote: fork, and the child leaves the loop.
struct KernelPipes {
    UniqueFd link, out, err;
};

class Kernel {
public:
    Kernel(std::string context, std::string directory)
        : context_(std::move(context)), directory_(std::move(directory)) {}
    ~Kernel();

    // Forks. Returns 0 in the new kernel process, with its end of the link in `child_link`; the
    // caller then leaves the loop for Python. In PID 1: the pid, or -1 with errno.
    pid_t start(const Surroundings& surroundings, int& child_link);

    // Tells a kernel that was forked ahead about the environment of its owner.
    void renew_environment(const Surroundings& surroundings);

    void submit(KernelCall& call);
    void forget(KernelCall& call);  // the operation is going away
    void watch(PollSet& set);
    void pump();
    // The process ended (reaped by the loop): answer whoever waits.
    void process_ended(int status);
    void signal(int number);
    void kill();

    [[nodiscard]] pid_t pid() const noexcept { return pid_; }
    [[nodiscard]] const std::string& context() const noexcept { return context_; }
    [[nodiscard]] const std::string& directory() const noexcept { return directory_; }
    [[nodiscard]] bool idle() const noexcept { return queue_.empty(); }
    [[nodiscard]] KernelCall* current() const noexcept {
        return queue_.empty() ? nullptr : queue_.front();
    }
    [[nodiscard]] std::int64_t runs() const noexcept { return runs_; }

private:
    friend class KernelCall;
    static constexpr std::size_t kMessageBytesMax = 64u << 20;
    static constexpr std::size_t kBackgroundBytesMax = 64u << 10;

    void post_start(const Surroundings& surroundings);
    void send_current();
    void post(char type, std::string_view payload);
    bool write_pending();
    bool read_link();
    // True when bytes were moved.
    bool pass_output(UniqueFd& source, wire::Kind kind, std::string& background);
    bool take_message();
    void finish_current(std::string_view kernel_json);
    void deliver_background();

    std::string context_;
    std::string directory_;
    pid_t pid_ = -1;
    UniqueFd link_, out_, err_;
    std::string in_;       // bytes from the kernel that are not handled yet
    std::string pending_;  // bytes to the kernel that it has not taken yet
    std::string event_;    // an event on its way to the host, in pieces
    std::size_t event_sent_ = 0;
    std::deque<KernelCall*> queue_;
    bool sent_current_ = false;
    int starts_unanswered_ = 0;  // `start` requests, which nobody waits for
    std::size_t input_unacknowledged_ = 0;
    bool state_lost_ = false;  // said with the next answer
    std::string background_out_, background_err_;
    std::int64_t runs_ = 0;
};

}  // namespace atl::guest
