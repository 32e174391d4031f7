#include "guest_client/run.hpp"

#include "base/fields.hpp"
#include "guest_client/call_deadline.hpp"
#include "guest_client/contexts.hpp"
#include "guest_client/program.hpp"

#include <boost/asio/this_coro.hpp>
#include <csignal>
#include <optional>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::chrono::milliseconds kGrace{2000};
constexpr std::chrono::milliseconds kRunDeadlineMargin{10'000};
// After its time, for the guest to say so first: then nobody's slowness holds up the end.
constexpr std::chrono::milliseconds kHurry{500};

// The output limit of a run, over everything that leaves it.
class Meter {
public:
    Meter(std::uint64_t bytes_max, std::function<void()> too_much)
        : left_(bytes_max), too_much_(std::move(too_much)) {}

    [[nodiscard]] std::string_view take(std::string_view piece) {
        if (piece.size() > left_) {
            piece = piece.substr(0, static_cast<std::size_t>(left_));
            cut();
        }
        left_ -= piece.size();
        return piece;
    }
    // For what cannot be cut in two.
    [[nodiscard]] bool takes_whole(std::size_t bytes) {
        if (bytes > left_) {
            left_ = 0;
            cut();
            return false;
        }
        left_ -= bytes;
        return true;
    }
    [[nodiscard]] bool truncated() const noexcept { return truncated_; }

private:
    void cut() {
        if (!std::exchange(truncated_, true)) too_much_();
    }
    std::uint64_t left_;
    bool truncated_ = false;
    std::function<void()> too_much_;
};

bool is_javascript(Language language) {
    return language == Language::JavaScript || language == Language::TypeScript;
}

// One argument of a program may have 128 KiB, and its end is a zero byte.
constexpr std::size_t kArgumentBytesMax = 120 * 1024;

void set_program(ProgramRequest& start, Language language, std::string code) {
    if (language != Language::Shell) {
        // Left alone, bun fetches packages that are not there and reads .env files.
        start.argv = {"/opt/atoll/guest/typescript/bun", "--no-install", "--no-env-file", "-e",
                      std::move(code)};
    } else if (code.size() <= kArgumentBytesMax) {
        start.argv = {"/bin/bash", "-c", std::move(code)};
    } else {
        // Not as a script file: $0, line numbers and stdin are as for a short one.
        start.argv = {"/bin/bash", "-c", R"sh(eval "exec 3<&-; $(</dev/fd/3)")sh"};
        start.script = std::move(code);
    }
}

}  // namespace

// Whoever cancels or takes something later, or too late, must not reach what is gone.
class Run::UnderWay {
public:
    UnderWay(Run& run, std::function<void()> stop, std::shared_ptr<Pace> pace) : run_(run) {
        run_.stop_ = std::move(stop);
        run_.pace_ = std::move(pace);
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay() {
        run_.stop_ = nullptr;
        if (run_.pace_) run_.pace_->finish();
        run_.pace_.reset();
    }

private:
    Run& run_;
};

namespace {

// Hurries a run once its time is up, while it is held.
class Impatience {
public:
    Impatience(asio::any_io_executor executor, core::Clock& clock, std::shared_ptr<Pace> pace,
               std::chrono::milliseconds timeout)
        : late_(executor, clock) {
        if (timeout.count() == 0) return;
        late_.expires_after(timeout + kHurry);
        late_.then([pace = std::move(pace)] { pace->hurry(); });
    }

private:
    core::Timer late_;
};

// One run in a kernel: what it says on its way, and the channel that says it.
class KernelRun {
public:
    KernelRun(std::shared_ptr<GuestLink> link, std::string context, std::uint64_t output_bytes_max,
              RunListener listener)
        : link_(std::move(link)),
          context_(std::move(context)),
          listener_(std::move(listener)),
          pace_(std::make_shared<Pace>(std::move(listener_.cost),
                                       [this](std::size_t bytes) { channel_.grant(bytes); })),
          meter_(output_bytes_max, [this] { stop(); }) {}
    KernelRun(const KernelRun&) = delete;
    KernelRun& operator=(const KernelRun&) = delete;
    ~KernelRun() { pace_->finish(); }  // others have it, too

    asio::awaitable<json::object> run(const json::object& question) {
        ChannelHandlers handlers;
        if (pace_->by_hand()) handlers.cost = [this](std::size_t bytes) { pace_->cost(bytes); };
        handlers.interrupted = [this](const std::string& context) {
            if (context == context_) pace_->hurry();
        };
        handlers.output = [this](core::Stream stream, std::string_view piece) {
            output(stream, piece);
        };
        handlers.event = [this](json::object one) { event(std::move(one)); };
        channel_ = link_->open(question, std::move(handlers));
        return channel_.end();
    }
    void stop() {
        const json::object command{{"do", "interrupt"}, {"grace_ms", kGrace.count()}};
        channel_.control(command);
        pace_->hurry();
    }

    [[nodiscard]] const std::shared_ptr<Pace>& pace() const noexcept { return pace_; }
    [[nodiscard]] bool truncated() const noexcept { return meter_.truncated(); }

private:
    void output(core::Stream stream, std::string_view piece) {
        if (meter_.truncated() || !pace_->room()) return pace_->skip();
        piece = meter_.take(piece);
        if (!piece.empty() && listener_.output) listener_.output(stream, piece);
    }
    void event(json::object one) {
        // There is room for one error whatever came before it: it says why the run ended.
        const bool error = fields::text_of(one, "event") == "error";
        const bool first_error = error && !std::exchange(failed_, true);
        if (meter_.truncated() || (!pace_->room() && !first_error) ||
            !meter_.takes_whole(link_->event_bytes())) {
            return pace_->skip();
        }
        if (error) {
            if (listener_.error) listener_.error(std::move(one));
        } else if (listener_.result) {
            listener_.result(std::move(one));
        }
    }

    std::shared_ptr<GuestLink> link_;
    std::string context_;
    RunListener listener_;
    std::shared_ptr<Pace> pace_;
    Meter meter_;
    bool failed_ = false;
    Channel channel_;  // the last, for its handlers refer to the rest
};

}  // namespace

std::string kernel_for(Language language, std::string context) {
    if (is_javascript(language) && context == "default") return std::string(kJavaScript);
    return context;
}

asio::awaitable<RunEnd> Run::run(RunRequest request, RunListener listener) {
    request.context = kernel_for(request.language, std::move(request.context));
    const bool is_script = is_javascript(request.language) && request.keeps_state;
    if (request.language == Language::Python || is_script) {
        co_return co_await in_kernel(std::move(request), std::move(listener));
    }
    co_return co_await as_program(std::move(request), std::move(listener));
}

void Run::stop(core::EndReason reason) {
    if (!stopped_) stopped_ = reason;
    if (stop_) stop_();
}

asio::awaitable<RunEnd> Run::in_kernel(RunRequest request, RunListener listener) {
    const auto executor = co_await asio::this_coro::executor;
    RunQueues::Position position(link_->run_queues(), request.context, executor);
    {
        const UnderWay waiting(
            *this, [&position] { position.leave(); }, nullptr);
        if (stopped_) position.leave();
        const bool first = co_await position.first();
        if (!first) {
            RunEnd never_ran;
            never_ran.reason = stopped_.value_or(core::EndReason::Killed);
            never_ran.exit_code = 1;
            co_return never_ran;
        }
    }
    if (listener.started) listener.started();
    KernelRun kernel_run(link_, request.context, request.output_bytes_max, std::move(listener));
    const auto pace = kernel_run.pace();
    const UnderWay under_way(
        *this, [&kernel_run] { kernel_run.stop(); }, pace);
    const auto kills_before = sandbox_.memory_kills();
    const auto began = link_->clock().now();
    json::object question{{"op", "kernel.run"},
                          {"context", request.context},
                          {"language", is_javascript(request.language) ? kJavaScript : kPython},
                          {"code", request.code},
                          {"cwd", request.directory},
                          {"timeout_ms", request.timeout.count()},
                          {"grace_ms", kGrace.count()}};
    if (request.tell_at_end) request.tell_at_end->add_to(question);
    if (request.fresh_directory) question["fresh_cwd"] = true;
    if (request.plain_json) question["plain_json"] = true;
    if (request.charts) question["charts"] = true;
    if (!request.environment.empty()) {
        json::object environment;
        for (const auto& [name, value] : request.environment) environment[name] = value;
        question["env"] = std::move(environment);
    }
    // The guest keeps the time. One that does not is ended from outside.
    std::optional<CallDeadline> deadline;
    if (request.timeout.count() > 0) {
        deadline.emplace(executor, link_, request.timeout + kGrace + kRunDeadlineMargin,
                         [this] { sandbox_.destroy(); });
    }
    const Impatience impatience(executor, link_->clock(), pace, request.timeout);
    json::object end;
    std::optional<Error> cut_off;
    try {
        end = co_await kernel_run.run(question);
    } catch (const ErrorException& error) { cut_off = error.error; }
    deadline.reset();
    if (cut_off && stopped_ != core::EndReason::Disk) throw ErrorException(*cut_off);
    // It did not stop, and went with its sandbox.
    if (cut_off) end = {{"died", true}, {"signal", SIGKILL}, {"state_lost", true}};
    RunEnd result;
    result.run_ms = std::chrono::duration<double, std::milli>(link_->clock().now() - began).count();
    result.output_truncated = kernel_run.truncated() || pace->dropped();
    result.state_lost =
        fields::flag_of(end, "state_lost") || fields::flag_of(end, "state_lost_before");
    const auto* part = end.if_contains("kernel");
    const json::object kernel =
        part != nullptr && part->is_object() ? part->get_object() : json::object{};
    result.execution_count = fields::number_of(kernel, "execution_count");
    result.memory_peak_bytes = sandbox_.memory_peak_bytes();
    const bool died = fields::flag_of(end, "died");
    if (died) {
        result.signal = static_cast<int>(fields::number_of(end, "signal"));
        result.exit_code = result.signal != 0
                               ? 128 + result.signal
                               : static_cast<int>(fields::number_of(end, "exit_code"));
    } else {
        // exit() in a cell ends the cell and not the kernel, but its status counts.
        result.exit_code = fields::text_of(kernel, "status") == "ok"
                               ? static_cast<int>(fields::number_of(kernel, "exit_code") & 0xFF)
                               : 1;
    }
    using core::EndReason;
    if (fields::flag_of(end, "timed_out")) {
        result.reason = EndReason::Timeout;
    } else if (kernel_run.truncated()) {
        result.reason = EndReason::Output;
    } else if (stopped_) {
        result.reason = *stopped_;
    } else if (fields::flag_of(end, "interrupted")) {  // by another request
        result.reason = EndReason::Killed;
    } else if (died && (fields::flag_of(end, "out_of_memory") ||  // a host without cgroups
                        sandbox_.memory_kills() > kills_before)) {
        result.reason = EndReason::Memory;
    } else if (result.signal != 0) {
        result.reason = EndReason::Signalled;
    }
    co_return result;
}

asio::awaitable<RunEnd> Run::as_program(RunRequest request, RunListener listener) {
    if (listener.started) listener.started();
    Program program(link_, sandbox_);
    const auto pace = std::make_shared<Pace>(
        std::move(listener.cost), [&program](std::size_t bytes) { program.grant(bytes); });
    const auto stop = [&program, pace] {
        program.kill();
        pace->hurry();
    };
    const UnderWay under_way(*this, stop, pace);
    const Impatience impatience(co_await asio::this_coro::executor, link_->clock(), pace,
                                request.timeout);
    ProgramRequest start;
    set_program(start, request.language, std::move(request.code));
    start.environment = std::move(request.environment);
    start.directory = request.directory;
    start.timeout = request.timeout;
    start.output_bytes_max = request.output_bytes_max;
    start.tell_at_end = request.tell_at_end;
    auto output = std::move(listener.output);
    if (!output) output = [](core::Stream, std::string_view) {};
    const ProgramResult ended = co_await program.run(std::move(start), std::move(output), pace);
    RunEnd result;
    const bool killed = ended.reason == core::EndReason::Killed;
    result.reason = killed && stopped_ ? *stopped_ : ended.reason;
    result.exit_code = ended.exit_code;
    result.signal = ended.signal;
    result.output_truncated = ended.output_truncated;
    result.run_ms = ended.run_ms;
    result.memory_peak_bytes = ended.memory_peak_bytes;
    co_return result;
}

}  // namespace atl::guest_client
