#include "sessions/run.hpp"

#include "sessions/backstop.hpp"
#include "sessions/call.hpp"
#include "sessions/program.hpp"
#include "wire/fields.hpp"

#include <boost/asio/this_coro.hpp>
#include <boost/json/serialize.hpp>
#include <csignal>
#include <optional>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::chrono::milliseconds kGrace{2000};
constexpr std::chrono::milliseconds kBackstop{5000};

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

// Left alone, bun fetches packages that are not there and reads .env files.
std::vector<std::string> program_of(Language language, const std::string& code) {
    if (language == Language::Shell) return {"/bin/bash", "-c", code};
    return {"/opt/atoll/guest/typescript/bun", "--no-install", "--no-env-file", "-e", code};
}

}  // namespace

asio::awaitable<RunEnd> Run::run(RunRequest request, RunListener listener) {
    if (request.language == Language::Python) {
        co_return co_await in_kernel(std::move(request), std::move(listener));
    }
    co_return co_await as_program(std::move(request), std::move(listener));
}

void Run::stop(core::EndReason reason) {
    if (!stopped_) stopped_ = reason;
    if (stop_) stop_();
}

asio::awaitable<RunEnd> Run::in_kernel(RunRequest request, RunListener listener) {
    Call call(link_);
    stop_ = [&call] {
        const json::object command{{"do", "interrupt"}, {"grace_ms", kGrace.count()}};
        call.control(command);
    };
    Meter meter(request.output_bytes_max, [this] { stop_(); });
    CallHandlers handlers;
    handlers.output = [&](wire::Kind kind, std::string_view piece) {
        if (meter.truncated()) return;
        piece = meter.take(piece);
        if (!piece.empty() && listener.output) listener.output(kind, piece);
    };
    handlers.event = [&](json::object event) {
        const std::string kind = wire::text_of(event, "event");
        if (meter.truncated() || !meter.takes_whole(json::serialize(event).size())) return;
        if (kind == "error") {
            if (listener.error) listener.error(std::move(event));
        } else if (listener.result) {
            listener.result(std::move(event));
        }
    };
    const auto kills_before = sandbox_.usage().memory_kills;
    const auto began = std::chrono::steady_clock::now();
    const json::object question{{"op", "kernel.run"},
                                {"context", request.context},
                                {"code", request.code},
                                {"cwd", request.directory},
                                {"timeout_ms", request.timeout.count()},
                                {"grace_ms", kGrace.count()}};
    // The guest keeps the time. One that does not is ended from outside.
    std::optional<Backstop> backstop;
    if (request.timeout.count() > 0) {
        backstop.emplace(co_await asio::this_coro::executor, link_,
                         request.timeout + kGrace + kBackstop);
    }
    json::object end;
    std::optional<Error> failed;
    try {
        end = co_await call.run(question, std::move(handlers));
    } catch (const ErrorException& error) { failed = error.error; }
    backstop.reset();
    stop_ = nullptr;
    if (failed && stopped_ != core::EndReason::Disk) throw ErrorException(*failed);
    // It did not stop, and went with its sandbox.
    if (failed) end = {{"died", true}, {"signal", SIGKILL}, {"state_lost", true}};
    RunEnd result;
    result.run_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    result.output_truncated = meter.truncated();
    result.state_lost = wire::flag_of(end, "state_lost") || wire::flag_of(end, "state_lost_before");
    const auto* part = end.if_contains("kernel");
    const json::object kernel =
        part != nullptr && part->is_object() ? part->get_object() : json::object{};
    result.execution_count = wire::number_of(kernel, "execution_count");
    const core::Usage usage = sandbox_.usage();
    result.memory_peak_bytes = usage.memory_peak_bytes;
    const bool died = wire::flag_of(end, "died");
    if (died) {
        result.signal = static_cast<int>(wire::number_of(end, "signal"));
        result.exit_code = result.signal != 0 ? 128 + result.signal
                                              : static_cast<int>(wire::number_of(end, "exit_code"));
    } else {
        // exit() in a cell ends the cell and not the kernel, but its status counts.
        result.exit_code = wire::text_of(kernel, "status") == "ok"
                               ? static_cast<int>(wire::number_of(kernel, "exit_code") & 0xFF)
                               : 1;
    }
    using core::EndReason;
    if (wire::flag_of(end, "timed_out")) {
        result.reason = EndReason::Timeout;
    } else if (meter.truncated()) {
        result.reason = EndReason::Output;
    } else if (stopped_) {
        result.reason = *stopped_;
    } else if (wire::flag_of(end, "interrupted")) {  // by another request
        result.reason = EndReason::Killed;
    } else if (died && usage.memory_kills > kills_before) {
        result.reason = EndReason::Memory;
    } else if (result.signal != 0) {
        result.reason = EndReason::Signalled;
    }
    co_return result;
}

asio::awaitable<RunEnd> Run::as_program(RunRequest request, RunListener listener) {
    Program program(link_, sandbox_);
    stop_ = [&program] { program.kill(); };
    ProgramRequest start;
    start.argv = program_of(request.language, request.code);
    start.environment = std::move(request.environment);
    start.directory = request.directory;
    start.timeout = request.timeout;
    start.output_bytes_max = request.output_bytes_max;
    auto output = std::move(listener.output);
    if (!output) output = [](wire::Kind, std::string_view) {};
    const ProgramResult ended = co_await program.run(std::move(start), std::move(output));
    stop_ = nullptr;
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

}  // namespace atl::sessions
