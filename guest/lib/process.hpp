#pragma once
// The operation process.start: a program with pipes or a terminal, until it ends.
//
// Owns      its ends of the pipes or the terminal. The process itself is reaped by the loop.
// The operation ends when the program has ended and what it wrote has been passed on; a grandchild
// that keeps the pipe open does not hold it up.
#include "guest/lib/operation.hpp"
#include "guest/lib/surroundings.hpp"

namespace atl::guest {

class Process : public Operation {
public:
    Process(HostLink& link, std::uint32_t channel) : Operation(link, channel) {}
    // Starts it, or ends the operation with the reason.
    void start(const json::object& request, Surroundings& surroundings);

    void watch(PollSet& set) override;
    void ready(const PollSet& set) override;
    void data(std::string_view bytes) override;
    void eof() override;
    void control(const json::object& command) override;
    std::optional<Clock::time_point> deadline() const override { return deadline_; }
    void time_is_up() override;
    void stood_still(Clock::duration time) override {
        if (deadline_) *deadline_ += time;
    }
    void child_ended(pid_t pid, int status) override;

private:
    // False if the operation has failed.
    bool become_root(sys::Confinement& confinement, Surroundings& surroundings);
    bool open_pipes(bool with_stdin, bool merge, int child_ends[3]);
    bool open_terminal(const json::object& size, const Surroundings& surroundings,
                       int child_ends[3]);
    void write_input();
    // Passes on what can be read now. False when the source has run dry, true when credit has.
    bool pass_on(UniqueFd& source, wire::Kind kind);
    void finish_if_done();

    pid_t pid_ = -1;
    std::string mark_;
    bool terminal_ = false;
    UniqueFd in_, out_, err_;
    std::string input_;
    bool input_ended_ = false;
    std::size_t in_slot_ = PollSet::kNoSlot;
    std::optional<Clock::time_point> deadline_;
    std::chrono::milliseconds grace_{0};
    bool timed_out_ = false;
    bool cancelled_ = false;
    std::optional<int> status_;
};

// Environment of a new program or kernel: the sandbox's own, the request's on top, and the mark.
[[nodiscard]] std::map<std::string, std::string> environment_for(const Surroundings& surroundings,
                                                                 const json::object& request,
                                                                 const std::string& mark);

}  // namespace atl::guest
