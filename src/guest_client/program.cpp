#include "guest_client/program.hpp"

#include "base/fields.hpp"
#include "guest_client/call_deadline.hpp"

#include <boost/asio/this_coro.hpp>
#include <csignal>
#include <optional>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

// How much longer than its time a guest may take to report a timeout before it is not believed.
constexpr std::chrono::milliseconds kDeadlineMargin{3000};

// How many were killed for memory before a program began: none of that is its business. On a host
// without cgroups it is the guest that watches the memory and knows; its answer comes before the
// program's end, and nobody waits for it.
class Kills {
public:
    Kills(const std::shared_ptr<GuestLink>& link, const core::Usage& usage)
        : kills_(usage.memory_kills) {
        if (usage.memory_peak_bytes > 0 || !link->alive()) return;
        ChannelHandlers handlers;
        handlers.ended = [this](const Result<json::object>& stats) {
            if (!stats) return;
            kills_ += static_cast<std::uint64_t>(fields::number_of(*stats, "memory_kills"));
        };
        const json::object question{{"op", "stats"}};
        channel_ = link->open(question, std::move(handlers));
    }
    Kills(const Kills&) = delete;
    Kills& operator=(const Kills&) = delete;
    [[nodiscard]] std::uint64_t before() const noexcept { return kills_; }

private:
    std::uint64_t kills_;
    Channel channel_;  // the last, for its handler refers to the rest
};

}  // namespace

// However run() is left, nothing is heard of the program any more: what its output goes to belongs
// to the caller of run().
class Program::Running {
public:
    explicit Running(Program& program) : program_(program) {}
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() {
        program_.channel_.abandon();
        program_.output_ = nullptr;
        program_.pace_.reset();
    }

private:
    Program& program_;
};

void Program::hear(core::Stream stream, std::string_view piece) {
    if (truncated_ || !pace_->room()) return pace_->skip();
    if (bytes_max_ > 0 && bytes_ + piece.size() > bytes_max_) {
        piece = piece.substr(0, static_cast<std::size_t>(bytes_max_ - bytes_));
        truncated_ = true;
    }
    bytes_ += piece.size();
    if (!piece.empty()) output_(stream, piece);
    if (!truncated_) return;
    channel_.control({{"do", "cancel"}});
    pace_->hurry();
}

asio::awaitable<ProgramResult> Program::run(ProgramRequest request, Output output,
                                            std::shared_ptr<Pace> pace) {
    const auto executor = co_await asio::this_coro::executor;
    if (!pace) pace = std::make_shared<Pace>(nullptr, nullptr);
    const Running running(*this);
    output_ = std::move(output);
    pace_ = pace;
    bytes_max_ = request.output_bytes_max;

    json::object start{{"op", "process.start"},
                       {"cwd", request.directory},
                       {"stdin", request.with_stdin},
                       {"timeout_ms", request.timeout.count()}};
    if (request.tell_at_end) request.tell_at_end->add_to(start);
    json::array argv;
    for (const auto& part : request.argv) argv.emplace_back(part);
    start["argv"] = std::move(argv);
    json::object environment;
    for (const auto& [name, value] : request.environment) environment[name] = value;
    start["env"] = std::move(environment);
    if (!request.script.empty()) start["script"] = std::move(request.script);
    if (request.terminal) {
        start["pty"] = {{"rows", request.terminal->rows}, {"cols", request.terminal->cols}};
    }
    Kills kills(link_, sandbox_.usage());
    const auto began = link_->clock().now();
    ChannelHandlers handlers;
    handlers.output = [this](core::Stream stream, std::string_view piece) { hear(stream, piece); };
    if (pace->by_hand()) handlers.cost = [pace](std::size_t bytes) { pace->cost(bytes); };
    channel_ = link_->open(start, std::move(handlers));
    bool overdue = false;
    std::optional<CallDeadline> backstop;  // refers to what stands above it
    if (request.timeout.count() > 0) {
        backstop.emplace(executor, link_, request.timeout + kDeadlineMargin, [this, &overdue] {
            overdue = true;
            sandbox_.destroy();
        });
    }
    json::object ended;
    std::optional<Error> cut_off;
    try {
        ended = co_await channel_.end();
    } catch (const ErrorException& error) { cut_off = error.error; }
    backstop.reset();
    ProgramResult result;
    result.run_ms = std::chrono::duration<double, std::milli>(link_->clock().now() - began).count();
    result.output_truncated = truncated_ || pace->dropped();
    core::Usage usage = sandbox_.usage();
    if (cut_off && !overdue && link_->alive()) {
        throw ErrorException(*cut_off);  // it could not be started
    }
    json::object stats;
    if (link_->alive()) {
        try {
            const json::object question{{"op", "stats"}};
            stats = co_await link_->call(question);
        } catch (const ErrorException&) {
            stats = {};  // it ended in between; then the host's own figures must do
        }
    }
    usage.memory_kills += static_cast<std::uint64_t>(fields::number_of(stats, "memory_kills"));
    result.memory_peak_bytes =
        usage.memory_peak_bytes > 0
            ? usage.memory_peak_bytes
            : static_cast<std::uint64_t>(fields::number_of(stats, "memory_peak_bytes"));
    const auto disk_max = fields::number_of(stats, "disk_bytes_max");
    const bool disk_full =
        disk_max > 0 && fields::number_of(stats, "disk_bytes_used") + 65536 >= disk_max;
    const bool inodes_full = fields::flag_of(stats, "inodes_full");

    result.signal = static_cast<int>(fields::number_of(ended, "signal"));
    result.exit_code =
        cut_off ? 128 + SIGKILL : static_cast<int>(fields::number_of(ended, "exit_code"));
    if (cut_off) result.signal = SIGKILL;
    using core::EndReason;
    if (overdue || fields::flag_of(ended, "timed_out")) {
        result.reason = EndReason::Timeout;
    } else if (truncated_) {
        result.reason = EndReason::Output;
    } else if (killed_) {
        result.reason = EndReason::Killed;
    } else if (usage.memory_kills > kills.before() && result.exit_code != 0) {
        result.reason = EndReason::Memory;
    } else if (result.signal == SIGXFSZ || (result.exit_code != 0 && (disk_full || inodes_full))) {
        result.reason = EndReason::Disk;
    } else if (cut_off) {
        result.reason = EndReason::Killed;
    } else if (result.signal != 0) {
        result.reason = EndReason::Signalled;
    }
    co_return result;
}

asio::awaitable<bool> Program::input(std::string bytes) { return channel_.data(std::move(bytes)); }

void Program::input_ended() { channel_.eof(); }

void Program::signal(int number) { channel_.control({{"do", "signal"}, {"signal", number}}); }

void Program::resize(ProgramRequest::Terminal size) {
    channel_.control({{"do", "resize"}, {"rows", size.rows}, {"cols", size.cols}});
}

void Program::kill() {
    killed_ = true;
    channel_.control({{"do", "cancel"}});
}

}  // namespace atl::guest_client
