#include "sessions/program.hpp"

#include "wire/fields.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <optional>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

// How much longer than its time a guest may take to report a timeout before it is not believed.
constexpr std::chrono::milliseconds kBackstop{3000};
constexpr auto as_tuple = asio::as_tuple(asio::use_awaitable);

struct Listener : Sink {
    Program::Output pass_on;
    std::shared_ptr<Pace> pace;
    std::uint64_t bytes_max = 0;
    std::uint64_t bytes = 0;
    bool truncated = false;
    std::function<void()> too_much;
    std::optional<Result<json::object>> result;
    asio::steady_timer changed;

    explicit Listener(asio::any_io_executor executor)
        : changed(executor, asio::steady_timer::time_point::max()) {}

    void output(wire::Kind kind, std::string_view piece) override {
        if (truncated || !pace->room()) return pace->skip();
        if (bytes_max > 0 && bytes + piece.size() > bytes_max) {
            piece = piece.substr(0, static_cast<std::size_t>(bytes_max - bytes));
            truncated = true;
        }
        bytes += piece.size();
        if (!piece.empty()) pass_on(kind, piece);
        if (truncated) too_much();
    }
    void owes(std::size_t bytes_heard) override { pace->cost(bytes_heard); }
    void end(Result<json::object> outcome) override {
        result.emplace(std::move(outcome));
        changed.cancel();
    }
};

// How many were killed for memory before a program began: none of that is its business. On a host
// without cgroups it is the guest that watches the memory and knows; its answer comes before the
// program's end, and nobody waits for it.
class Kills : Sink {
public:
    Kills(std::shared_ptr<GuestLink> link, const core::Usage& usage)
        : link_(std::move(link)), kills_(usage.memory_kills) {
        if (usage.memory_peak_bytes > 0 || !link_->alive()) return;
        const json::object question{{"op", "stats"}};
        channel_ = link_->open(question, *this);
    }
    ~Kills() override {
        if (channel_) link_->abandon(*channel_);
    }
    Kills(const Kills&) = delete;
    Kills& operator=(const Kills&) = delete;
    [[nodiscard]] std::uint64_t before() const noexcept { return kills_; }

private:
    void end(Result<json::object> stats) override {
        channel_.reset();
        if (stats) kills_ += static_cast<std::uint64_t>(wire::number_of(*stats, "memory_kills"));
    }

    std::shared_ptr<GuestLink> link_;
    std::uint64_t kills_;
    std::optional<ChannelId> channel_;
};

}  // namespace

asio::awaitable<ProgramResult> Program::run(ProgramRequest request, Output output,
                                            std::shared_ptr<Pace> pace) {
    const auto executor = co_await asio::this_coro::executor;
    Listener listener(executor);
    listener.pass_on = std::move(output);
    listener.bytes_max = request.output_bytes_max;
    if (!pace) pace = std::make_shared<Pace>(nullptr, nullptr);
    listener.pace = pace;
    listener.too_much = [this, pace] {
        link_->control(channel_, {{"do", "cancel"}});
        pace->hurry();
    };

    json::object start{{"op", "process.start"},
                       {"cwd", request.directory},
                       {"stdin", request.with_stdin},
                       {"timeout_ms", request.timeout.count()}};
    json::array argv;
    for (const auto& part : request.argv) argv.emplace_back(part);
    start["argv"] = std::move(argv);
    json::object environment;
    for (const auto& [name, value] : request.environment) environment[name] = value;
    start["env"] = std::move(environment);
    if (request.terminal) {
        start["pty"] = {{"rows", request.terminal->rows}, {"cols", request.terminal->cols}};
    }
    const Kills kills(link_, sandbox_.usage());
    const auto began = std::chrono::steady_clock::now();
    channel_ = link_->open(start, listener, pace->by_hand() ? Credit::ByHand : Credit::WhenHeard);
    bool overdue = false;
    if (request.timeout.count() > 0) {
        listener.changed.expires_after(request.timeout + kBackstop);
    }
    while (!listener.result) {
        auto [cancelled] = co_await listener.changed.async_wait(as_tuple);
        if (!cancelled && !listener.result) {  // the clock ran out, not the program
            overdue = true;
            sandbox_.destroy();
            link_->close();
        }
    }
    ProgramResult result;
    result.run_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count();
    result.output_truncated = listener.truncated || pace->dropped();
    core::Usage usage = sandbox_.usage();
    if (!*listener.result && !overdue && link_->alive()) {
        throw ErrorException(listener.result->error());  // it could not be started
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
    usage.memory_kills += static_cast<std::uint64_t>(wire::number_of(stats, "memory_kills"));
    result.memory_peak_bytes =
        usage.memory_peak_bytes > 0
            ? usage.memory_peak_bytes
            : static_cast<std::uint64_t>(wire::number_of(stats, "memory_peak_bytes"));
    const auto disk_max = wire::number_of(stats, "disk_bytes_max");
    const bool disk_full =
        disk_max > 0 && wire::number_of(stats, "disk_bytes_used") + 65536 >= disk_max;
    const bool inodes_full = wire::flag_of(stats, "inodes_full");

    const json::object ended = *listener.result ? **listener.result : json::object{};
    result.signal = static_cast<int>(wire::number_of(ended, "signal"));
    result.exit_code =
        *listener.result ? static_cast<int>(wire::number_of(ended, "exit_code")) : 128 + SIGKILL;
    if (!*listener.result) result.signal = SIGKILL;
    using core::EndReason;
    if (overdue || wire::flag_of(ended, "timed_out")) {
        result.reason = EndReason::Timeout;
    } else if (listener.truncated) {
        result.reason = EndReason::Output;
    } else if (killed_) {
        result.reason = EndReason::Killed;
    } else if (usage.memory_kills > kills.before() && result.exit_code != 0) {
        result.reason = EndReason::Memory;
    } else if (result.signal == SIGXFSZ || (result.exit_code != 0 && (disk_full || inodes_full))) {
        result.reason = EndReason::Disk;
    } else if (!*listener.result) {
        result.reason = EndReason::Killed;
    } else if (result.signal != 0) {
        result.reason = EndReason::Signalled;
    }
    co_return result;
}

asio::awaitable<bool> Program::input(std::string bytes) {
    co_return co_await link_->data(channel_, std::move(bytes));
}

void Program::input_ended() { link_->eof(channel_); }

void Program::signal(int number) {
    link_->control(channel_, {{"do", "signal"}, {"signal", number}});
}

void Program::resize(ProgramRequest::Terminal size) {
    link_->control(channel_, {{"do", "resize"}, {"rows", size.rows}, {"cols", size.cols}});
}

void Program::kill() {
    killed_ = true;
    link_->control(channel_, {{"do", "cancel"}});
}

}  // namespace atl::sessions
