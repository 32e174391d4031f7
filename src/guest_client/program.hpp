#pragma once
// One program in a sandbox, from its start to the reason why it ended.
//
// The guest says how the process ended; why is put together here from what the guest says (time),
// what the host counted itself (output, memory) and what the quota shows (disk). The host
// has a deadline of its own: a guest that does not enforce the timeout is ended from outside.
#include "core/outcome.hpp"
#include "core/runtime.hpp"
#include "guest_client/changes.hpp"
#include "guest_client/guest_link.hpp"
#include "guest_client/pace.hpp"

#include <functional>
#include <optional>

namespace atl::guest_client {

struct ProgramRequest {
    std::vector<std::string> argv;
    std::map<std::string, std::string> environment;
    std::string directory = "/work";
    bool with_stdin = false;
    std::string script;  // if not empty, a file of its own at the program's descriptor 3
    struct Terminal {
        int rows = 24, cols = 80;
    };
    std::optional<Terminal> terminal;
    std::chrono::milliseconds timeout{0};
    std::uint64_t output_bytes_max = 0;         // 0 = no limit
    std::optional<TellAtEnd> tell_at_end = {};  // what it has changed
};

struct ProgramResult {
    int exit_code = 0;
    int signal = 0;
    core::EndReason reason = core::EndReason::Exited;
    bool output_truncated = false;
    std::uint64_t memory_peak_bytes = 0;
    double run_ms = 0;
};

// Lives as long as the program runs; the command line forwards input and signals through it.
class Program {
public:
    using Output = std::function<void(core::Stream, std::string_view)>;
    Program(std::shared_ptr<GuestLink> link, core::Sandbox& sandbox)
        : link_(std::move(link)), sandbox_(sandbox) {}

    // Throws ErrorException when it could not be started. With a pace that is by hand the program
    // prints as fast as that grants it; else as fast as `output` returns.
    boost::asio::awaitable<ProgramResult> run(ProgramRequest request, Output output,
                                              std::shared_ptr<Pace> pace = nullptr);

    // While run() is under way:
    boost::asio::awaitable<bool> input(std::string bytes);
    void input_ended();
    void signal(int number);
    void resize(ProgramRequest::Terminal size);
    void grant(std::size_t bytes) { channel_.grant(bytes); }
    // Ends it with its whole tree; the result says `killed`.
    void kill();

private:
    class Running;
    void hear(core::Stream stream, std::string_view piece);

    std::shared_ptr<GuestLink> link_;
    core::Sandbox& sandbox_;
    bool killed_ = false;
    Output output_;
    std::shared_ptr<Pace> pace_;
    std::uint64_t bytes_max_ = 0;
    std::uint64_t bytes_ = 0;
    bool truncated_ = false;
    Channel channel_;  // the last, for its handlers refer to the rest; open only within run()
};

}  // namespace atl::guest_client
