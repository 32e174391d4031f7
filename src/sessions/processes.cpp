#include "sessions/processes.hpp"

#include "base/as_tuple.hpp"
#include "base/fields.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <sys/random.h>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;
using core::EndReason;
using namespace asio::experimental::awaitable_operators;

namespace {

constexpr std::size_t kRunningMax = 32;
constexpr const char* kUnbuffered = "PYTHONUNBUFFERED";
constexpr std::size_t kEndedMax = 32;
constexpr std::chrono::minutes kRememberTime{15};
constexpr std::size_t kOutputBytesMax = 256 * 1024;
// 20 MB a second: a program that prints for ever costs the one thread of the server little.
constexpr std::chrono::milliseconds kTick{50};
constexpr std::size_t kOutputBytesATick = 1u << 20;
constexpr std::chrono::seconds kKillTime{10};
// How much longer than its time a guest may take to report a timeout before it is not believed.
constexpr std::chrono::milliseconds kDeadlineMargin{10'000};
constexpr std::chrono::hours kForEver{24 * 365};

// 40 random bits: an id of a server that was restarted names no other process.
std::string new_process_id() {
    unsigned char bytes[8];
    if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) std::abort();  // never on Linux ≥ 3.17
    static constexpr char kLetters[] = "abcdefghijklmnopqrstuvwxyz234567";
    std::string id = "p-";
    for (const unsigned char byte : bytes) id.push_back(kLetters[byte & 31]);
    return id;
}

asio::awaitable<bool> pass(asio::any_io_executor executor, core::Clock& clock,
                           std::chrono::milliseconds time) {
    core::Timer timer(executor, clock);
    timer.expires_after(time);
    co_await timer.wait();
    co_return true;
}

asio::awaitable<std::int64_t> guest_memory_kills(std::shared_ptr<guest_client::GuestLink> link) {
    const json::object question{{"op", "stats"}};
    const json::object stats = co_await link->call(question);
    co_return fields::number_of(stats, "memory_kills");
}

}  // namespace

Process::Process(asio::any_io_executor executor, std::string id, ProcessStart wanted,
                 core::Clock& clock)
    : executor_(executor),
      clock_(clock),
      id_(std::move(id)),
      wanted_(std::move(wanted)),
      log_(kOutputBytesMax),
      news_(executor, asio::steady_timer::time_point::max()),
      end_came_(executor, asio::steady_timer::time_point::max()),
      tick_(executor, clock),
      output_held_(wanted_.output_held),
      time_is_up_(executor, clock) {
    if (output_held_) log_.limit(guest_client::kUnpaidBytesMax);
}

void Process::open(std::shared_ptr<guest_client::GuestLink> link, core::Sandbox& sandbox) {
    link_ = std::move(link);
    sandbox_ = &sandbox;
    stdin_open_ = wanted_.stdin_open || wanted_.terminal;
    json::object request{{"op", "process.start"},
                         {"cwd", wanted_.directory},
                         {"stdin", wanted_.stdin_open},
                         {"timeout_ms", wanted_.timeout.count()}};
    json::array argv;
    for (const auto& part : wanted_.argv) argv.emplace_back(part);
    request["argv"] = std::move(argv);
    if (wanted_.as_root) request["user"] = "root";
    if (const auto& size = wanted_.terminal) {
        request["pty"] = {{"rows", size->rows}, {"cols", size->cols}};
    }
    json::object environment;
    for (const auto& [name, value] : wanted_.environment) environment[name] = value;
    request["env"] = std::move(environment);
    started_at_ = clock_.wall();
    began_ = clock_.now();
    guest_client::ChannelHandlers handlers;
    handlers.event = [this](const json::object& one) { event(one); };
    handlers.output = [this](core::Stream stream, std::string_view piece) {
        output(stream, piece);
    };
    handlers.cost = [this](std::size_t bytes) { pace(bytes); };
    handlers.ended = [this](const Result<json::object>& result) { end(result); };
    channel_ = link_->open(request, std::move(handlers));
    if (wanted_.timeout.count() == 0) return;
    time_is_up_.expires_after(wanted_.timeout);
    time_is_up_.then([this] { let_output_go(); });
    deadline_.emplace(executor_, link_, wanted_.timeout + kDeadlineMargin, [this] {
        overdue_ = true;
        if (sandbox_ != nullptr) sandbox_->destroy();
    });
}

asio::awaitable<void> Process::start(std::shared_ptr<guest_client::GuestLink> link,
                                     core::Sandbox& sandbox) {
    const auto self = shared_from_this();
    const core::Usage usage = sandbox.usage();
    memory_kills_before_ = usage.memory_kills;
    if (usage.memory_peak_bytes == 0) {
        ask_guest_about_memory_ = true;
        const auto kills = co_await guest_memory_kills(link);
        memory_kills_before_ = static_cast<std::uint64_t>(kills);
    }
    if (!link->alive()) throw ErrorException({Code::Unavailable, "the sandbox has ended"});
    open(std::move(link), sandbox);
    while (!started_ && !failed_) co_await news();
    if (failed_) throw ErrorException(*failed_);
}

void Process::event(const json::object& event) {
    if (started_ || fields::text_of(event, "event") != "started") return;
    started_ = true;
    pid_ = fields::number_of(event, "pid");
    news_.cancel();
}

void Process::output(core::Stream stream, std::string_view piece) {
    log_.add(stream, piece);
    if (wanted_.output) wanted_.output(stream, piece);
    news_.cancel();
}

void Process::pace(std::size_t bytes) {
    owed_ += bytes;
    spent_ += bytes;
    grant_owed();
    if (ticking_) return;
    ticking_ = true;
    tick_.expires_after(kTick);
    tick_.then([later = weak_from_this()] {
        const auto self = later.lock();
        if (!self) return;
        self->ticking_ = false;
        self->spent_ = 0;
        self->grant_owed();
    });
}

void Process::grant_owed() {
    if (output_held_ || spent_ >= kOutputBytesATick) return;
    channel_.grant(std::exchange(owed_, 0));
}

void Process::hold_output(bool hold) {
    output_held_ = hold && may_hold_output_;
    grant_owed();
}

void Process::keep_output(std::size_t bytes_max) {
    log_.limit(bytes_max == 0 ? kOutputBytesMax : bytes_max);
}

// A program whose output waits in its pipes has not ended for its guest, and a guest that does not
// report an end in time is not believed.
void Process::let_output_go() {
    may_hold_output_ = false;
    hold_output(false);
}

// It did not start, and never will.
void Process::fail(Error why) {
    when_full_.reset();
    deadline_.reset();
    sandbox_ = nullptr;
    failed_ = std::move(why);
    news_.cancel();
}

void Process::end(const Result<json::object>& result) {
    const auto self = shared_from_this();
    when_full_.reset();
    deadline_.reset();
    ending_.at = clock_.wall();
    ending_.run_ms = std::chrono::duration<double, std::milli>(clock_.now() - began_).count();
    if (!started_) {
        // Whoever waits for the start must hear of this, whatever the guest calls it.
        const Error odd{Code::Internal, "the program could not be started"};
        return fail(result ? odd : result.error());
    }
    if (!result) {
        sandbox_ = nullptr;
        ending_.reason = overdue_ ? EndReason::Timeout : killed_.value_or(EndReason::Killed);
        ending_.with_sandbox = !overdue_;
        ending_.signal = SIGKILL;
        ending_.exit_code = 128 + SIGKILL;
        ending_.note = overdue_ ? "its sandbox did not stop it in time and was ended"
                                : "it ended with its sandbox: " + result.error().message +
                                      "; start it again if it is still needed";
        return finish(ending_);
    }
    ending_.signal = static_cast<int>(fields::number_of(*result, "signal"));
    ending_.exit_code = static_cast<int>(fields::number_of(*result, "exit_code"));
    if (fields::flag_of(*result, "timed_out")) {
        ending_.reason = EndReason::Timeout;
    } else if (killed_) {
        ending_.reason = *killed_;
    } else if (ending_.signal == SIGKILL && ask_guest_about_memory_) {
        // Nobody waits for it: it owns the process, and ends with the link at the latest.
        asio::co_spawn(
            executor_, [self] { return self->look_at_memory(); }, asio::detached);
        return;
    } else if (ending_.signal == SIGKILL && sandbox_->usage().memory_kills > memory_kills_before_) {
        ending_.reason = EndReason::Memory;
    } else if (ending_.signal != 0) {
        ending_.reason = EndReason::Signalled;
    }
    finish(ending_);
}

// On a host without cgroups it is the guest that watches the memory and knows.
asio::awaitable<void> Process::look_at_memory() {
    ending_.reason = EndReason::Signalled;
    try {
        const auto kills = co_await guest_memory_kills(link_);
        if (kills > static_cast<std::int64_t>(memory_kills_before_)) {
            ending_.reason = EndReason::Memory;
        }
    } catch (const std::exception&) {
        // The sandbox has ended, or did not say; the signal is right in any case.
    }
    finish(ending_);
}

void Process::finish(ProcessEnd end) {
    sandbox_ = nullptr;
    stdin_open_ = false;
    wanted_.output = nullptr;
    time_is_up_.cancel();
    ended_ = std::move(end);
    awake_.reset();
    news_.cancel();
    end_came_.cancel();
}

void Process::let_go() {
    const bool was_open = channel_.open();
    channel_.abandon();
    if (was_open && !started_) fail({Code::NotFound, "the session is gone"});
    when_full_.reset();
    deadline_.reset();
    awake_.reset();
}

asio::awaitable<void> Process::news() {
    const auto self = shared_from_this();
    co_await news_.async_wait(kAsTuple);
}

asio::awaitable<bool> Process::wait_unless(std::chrono::milliseconds time,
                                           std::function<bool()> enough) {
    const auto self = shared_from_this();
    const auto until = clock_.now() + time;
    while (!ended_) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock_.now());
        if (left.count() <= 0 || (enough && enough())) co_return false;
        auto either = end_came_.async_wait(kAsTuple) || pass(executor_, clock_, left);
        co_await std::move(either);
    }
    co_return true;
}

asio::awaitable<bool> Process::send_input(std::string bytes) {
    const auto lock = co_await input_mutex_.lock();
    if (!stdin_open()) co_return false;
    co_return co_await channel_.data(std::move(bytes));
}

asio::awaitable<bool> Process::send_end_of_input() {
    const auto lock = co_await input_mutex_.lock();
    if (std::exchange(stdin_open_, false)) channel_.eof();
    co_return true;
}

// Waiting for the mutex counts: what others write, or the input that it was started with, may
// never be read.
asio::awaitable<bool> Process::within(std::chrono::milliseconds patience,
                                      asio::awaitable<bool> sending) {
    const auto self = shared_from_this();
    auto either = std::move(sending) || pass(executor_, clock_, patience);
    const auto first = co_await std::move(either);
    if (first.index() == 1) {
        throw ErrorException({Code::Timeout, "the program does not read its input"});
    }
    co_return std::get<0>(first);
}

asio::awaitable<bool> Process::input(std::string bytes, std::chrono::milliseconds patience) {
    return within(patience, send_input(std::move(bytes)));
}

asio::awaitable<bool> Process::end_input(std::chrono::milliseconds patience) {
    return within(patience, send_end_of_input());
}

asio::awaitable<void> Process::feed_all(std::shared_ptr<Process> self, std::string bytes,
                                        bool then_end) {
    if (!bytes.empty()) co_await self->input(std::move(bytes), kForEver);
    if (then_end) co_await self->end_input(kForEver);
}

void Process::feed(std::string bytes, bool then_end) {
    // Nobody waits for it: it owns the process, and ends with its channel at the latest.
    asio::co_spawn(executor_, feed_all(shared_from_this(), std::move(bytes), then_end),
                   asio::detached);
}

void Process::signal(int number) {
    const json::object command{{"do", "signal"}, {"signal", number}};
    channel_.control(command);
}

void Process::kill(EndReason reason) {
    if (!channel_.open()) return;
    if (!killed_) killed_ = reason;
    const json::object command{{"do", "cancel"}};
    channel_.control(command);
    let_output_go();
}

void Process::resize(ProcessStart::Terminal size) {
    if (!wanted_.terminal) return;
    const json::object command{{"do", "resize"}, {"rows", size.rows}, {"cols", size.cols}};
    channel_.control(command);
}

Processes::Processes(asio::any_io_executor executor, core::Clock& clock)
    : executor_(executor), clock_(clock), minute_(executor, clock) {
    tidy_every_minute();
}

Processes::~Processes() {
    for (auto& [session, table] : tables_) {
        for (auto& process : table) process->let_go();
    }
}

void Processes::tidy_every_minute() {
    minute_.expires_after(std::chrono::minutes{1});
    minute_.then([this] {
        tidy();
        tidy_every_minute();
    });
}

void Processes::tidy() {
    for (auto& [session, table] : tables_) tidy(table);
    std::erase_if(tables_, [](const auto& entry) { return entry.second.empty(); });
}

void Processes::forget(const SessionId& session) {
    const auto found = tables_.find(session.text());
    if (found == tables_.end()) return;
    const Table gone = std::move(found->second);
    tables_.erase(found);
    for (const auto& process : gone) process->let_go();
}

void Processes::tidy(Table& table) {
    const auto now = clock_.wall();
    std::size_t ended = 0;
    for (const auto& process : table) ended += process->ended() ? 1 : 0;
    std::erase_if(table, [&](const ProcessPtr& process) {
        if (!process->ended()) return process->failed_.has_value();
        const bool old = now - process->ended()->at > kRememberTime || ended > kEndedMax;
        if (old) --ended;  // the oldest come first
        return old;
    });
}

asio::awaitable<Processes::ProcessPtr> Processes::start(Use use, ProcessStart wanted) {
    Table& table = tables_[use->record().id.text()];
    tidy(table);
    const auto running = std::count_if(table.begin(), table.end(),
                                       [](const ProcessPtr& process) { return !process->ended(); });
    if (static_cast<std::size_t>(running) >= kRunningMax) {
        throw ErrorException({Code::Exhausted, "a session runs at most " +
                                                   std::to_string(kRunningMax) +
                                                   " processes; end one first"});
    }
    // A pipe is no terminal, and Python would keep output to itself until it has 8 KiB.
    if (!use->environment().contains(kUnbuffered)) wanted.environment.emplace(kUnbuffered, "1");
    const auto process =
        std::make_shared<Process>(executor_, new_process_id(), std::move(wanted), clock_);
    table.push_back(process);  // before the first wait: concurrent starts count it
    try {
        process->when_full_.emplace(use->disk_stops(),
                                    [one = process.get()] { one->kill(EndReason::Disk); });
        co_await process->start(use.link(), use.sandbox());
    } catch (...) {
        // Also when this was cancelled: nobody will ever hold it, so it must not go on.
        process->let_go();
        if (!process->failed_) process->failed_ = Error{Code::Unavailable, "it was given up"};
        tidy();
        throw;
    }
    if (process->wanted().keep_awake && process->running()) process->awake_.emplace(std::move(use));
    co_return process;
}

Processes::ProcessPtr Processes::find(const SessionId& session, const std::string& id) {
    for (auto& process : list(session)) {
        if (process->id() == id) return process;
    }
    throw ErrorException({Code::NotFound, "there is no process " + id + " in this session"});
}

std::vector<Processes::ProcessPtr> Processes::list(const SessionId& session) {
    const auto found = tables_.find(session.text());
    if (found == tables_.end()) return {};
    tidy(found->second);
    std::vector<ProcessPtr> all;
    for (auto at = found->second.rbegin(); at != found->second.rend(); ++at) {
        if ((*at)->started_) all.push_back(*at);
    }
    return all;
}

asio::awaitable<void> Processes::remove(SessionId session, std::string id) {
    const auto process = find(session, id);
    process->kill();
    const bool ended = co_await process->wait(kKillTime);
    if (!ended) {
        throw ErrorException({Code::Timeout, "the process " + id + " was killed but still runs"});
    }
    const auto found = tables_.find(session.text());
    if (found != tables_.end()) std::erase(found->second, process);
}

}  // namespace atl::sessions
