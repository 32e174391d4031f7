#pragma once
// One run in a session: code in, output and results out, and the reason why it ended.
//
// Python runs in a kernel and keeps its state; so do JavaScript and TypeScript in a session. In a
// sandbox for one run these two are programs, as shell always is: a program starts faster than a
// kernel. The files that a run changed: changes.hpp. Runs in one kernel
// are queued, and a run's timeout starts when it starts running. A listener that reports what it
// has read gets backpressure: the program is slowed down to its pace.
#include "core/outcome.hpp"
#include "core/runtime.hpp"
#include "guest_client/changes.hpp"
#include "guest_client/guest_link.hpp"
#include "guest_client/pace.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace atl::guest_client {

enum class Language { Python, Shell, JavaScript, TypeScript };

// The kernel that a run with this context runs in. A kernel has one language, and the one called
// `default` is Python's: for JavaScript and TypeScript that name stands for their own.
[[nodiscard]] std::string kernel_for(Language language, std::string context);

struct RunRequest {
    Language language = Language::Python;
    std::string code;
    std::string context = "default";  // of languages with kernels
    bool keeps_state = true;          // JavaScript and TypeScript: in a kernel
    std::string directory = "/session";
    bool fresh_directory = false;  // also for a kernel that is there and has run nothing
    std::map<std::string, std::string> environment;  // for this run alone
    std::chrono::milliseconds timeout{0};            // 0 = none
    std::uint64_t output_bytes_max = 16u << 20;      // stdout, stderr and results together
    std::optional<TellAtEnd> tell_at_end;            // what it has changed
    bool plain_json = false;  // Python: a result that is a dict or a list comes as JSON as well
    bool charts = false;      // Python: a matplotlib figure comes as data as well
};

// What happens on the way, as it happens. Any may be left out.
struct RunListener {
    std::function<void()> started;  // it has waited its turn
    std::function<void(core::Stream, std::string_view)> output;
    std::function<void(boost::json::object)> result;  // a MIME bundle: result or display
    std::function<void(boost::json::object)> error;   // name, value, traceback
    // Set: what came just now has cost so much, and as much must be given to Run::took once it is
    // dealt with. Left out: everything counts as dealt with when it was heard.
    std::function<void(std::size_t)> cost;
};

struct RunEnd {
    core::EndReason reason = core::EndReason::Exited;
    int exit_code = 0;
    int signal = 0;
    bool output_truncated = false;  // there was more than it may print, or than could be taken
    bool state_lost = false;        // the kernel had to be replaced, now or before this run
    std::int64_t execution_count = 0;
    double run_ms = 0;
    std::uint64_t memory_peak_bytes = 0;
};

class Run {
public:
    Run(std::shared_ptr<GuestLink> link, core::Sandbox& sandbox)
        : link_(std::move(link)), sandbox_(sandbox) {}

    // Throws ErrorException when it could not be started, or the sandbox went away.
    boost::asio::awaitable<RunEnd> run(RunRequest request, RunListener listener);

    // While run() is under way: asks it to end, then ends it. The first reason given counts.
    void cancel() { stop(core::EndReason::Killed); }
    void stop(core::EndReason reason);
    void took(std::size_t bytes) {
        if (pace_) pace_->took(bytes);
    }

private:
    class UnderWay;
    boost::asio::awaitable<RunEnd> in_kernel(RunRequest request, RunListener listener);
    boost::asio::awaitable<RunEnd> as_program(RunRequest request, RunListener listener);

    std::shared_ptr<GuestLink> link_;
    core::Sandbox& sandbox_;
    std::optional<core::EndReason> stopped_;
    std::function<void()> stop_;
    std::shared_ptr<Pace> pace_;
};

}  // namespace atl::guest_client
