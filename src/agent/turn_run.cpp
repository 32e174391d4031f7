#include "agent/turn_run.hpp"

#include "agent/text.hpp"
#include "agent/turn_events.hpp"
#include "agent/turn_write.hpp"
#include "base/as_tuple.hpp"
#include "base/encoding.hpp"
#include "base/utf8.hpp"

#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace atl::agent {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kTurnAnswerBytesMax = 4u << 20;
constexpr std::size_t kReasoningBytesMax = 256u << 10;  // that are stored with a message
constexpr std::size_t kTablesMax = 20;
constexpr std::size_t kImagesMax = 100;
constexpr std::size_t kMadeFilesMax = 100;
constexpr std::chrono::milliseconds kLeastTime{1000};
// Of one run while it runs. A turn has two dozen of them at most by default, and its log 4 MiB.
constexpr std::size_t kLiveOutputBytesMax = 32u << 10;
constexpr std::chrono::milliseconds kOutputPause{100};

}  // namespace

TurnRun::TurnRun(Scope& scope, core::Threads& store, std::shared_ptr<LiveTurn> turn,
                 core::TurnBegun begun, bool sees_images, std::chrono::milliseconds time_max)
    : scope_(scope),
      store_(store),
      turn_(std::move(turn)),
      begun_(std::move(begun)),
      sees_images_(sees_images),
      until_(began_ + time_max),
      sandbox_news_(scope.executor(), asio::steady_timer::time_point::max()),
      clock_(scope.executor()),
      lease_(scope.executor()),
      output_pause_(scope.executor()) {}

void TurnRun::ready_sandbox(GetSession get) {
    readying_ = true;
    scope_.spawn([self = shared_from_this(), get] { return self->ready(get); });
}

asio::awaitable<void> TurnRun::ready(GetSession get) {
    const auto self = shared_from_this();
    try {
        use_.emplace(co_await get());
    } catch (const ErrorException& error) { sandbox_error_ = error.error; } catch (...) {
        sandbox_error_ = Error{Code::Internal, "the sandbox could not be started"};
    }
    sandbox_ms_ = std::chrono::duration<double, std::milli>(Clock::now() - began_).count();
    readying_ = false;
    sandbox_news_.cancel();
    if (ended_) use_.reset();  // nobody needed it
}

asio::awaitable<sessions::Use*> TurnRun::session() {
    while (readying_) co_await sandbox_news_.async_wait(kAsTuple);
    if (sandbox_error_) throw ErrorException(sandbox_error_->during("start the sandbox"));
    co_return use_ ? &*use_ : nullptr;
}

void TurnRun::keep_hold(std::chrono::milliseconds lease, std::chrono::milliseconds renew_every) {
    const auto self = shared_from_this();
    clock_.expires_at(until_);
    clock_.async_wait([self](boost::system::error_code cancelled) {
        if (!cancelled) self->turn_->cancellation.request("time");
    });
    scope_.spawn([self, lease, renew_every] { return self->renew(lease, renew_every); });
}

asio::awaitable<void> TurnRun::renew(std::chrono::milliseconds lease,
                                     std::chrono::milliseconds every) {
    const auto self = shared_from_this();
    auto good_until = Clock::now() + lease;
    while (!ended_) {
        lease_.expires_after(every);
        co_await lease_.async_wait(kAsTuple);
        if (ended_) break;
        std::optional<Error> failed;
        bool cancelled = false;
        const auto asked = Clock::now();
        try {
            cancelled = co_await store_.renew_turn(begun_.hold, core::time_now() + lease);
        } catch (const ErrorException& error) { failed = error.error; }
        if (cancelled) turn_->cancellation.request("cancelled");
        if (!failed) {
            good_until = asked + lease;
        } else if (!ended_ && failed->code == Code::Conflict) {
            turn_->cancellation.request("lost");
        } else if (!ended_ && Clock::now() >= good_until) {
            turn_->cancellation.request("store");
        }
    }
}

void TurnRun::ended() {
    ended_ = true;
    clock_.cancel();
    lease_.cancel();
    output_pause_.cancel();
    use_.reset();
}

std::chrono::milliseconds TurnRun::time_left() const {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now());
    return std::max(left, kLeastTime);
}

// By the thread, not by the session: whoever may see the one need not see the other, and it holds
// at every server that serves the thread.
std::string TurnRun::href_of(const SessionId&, std::string_view path) const {
    return "/v1/threads/" + turn_->thread.text() + "/files" + percent_encoded(path, "/");
}

void TurnRun::status(std::string_view text) noexcept { turn_->log.add("status", text_event(text)); }

void TurnRun::token(std::string_view text) noexcept {
    auto& answer = turn_->outcome.answer;
    if (answer.size() + text.size() > kTurnAnswerBytesMax) return;
    if (gap_) {
        gap_ = false;
        answer += "\n\n";
        turn_->log.add("token", text_event("\n\n"));
    }
    answer += text;
    turn_->log.add("token", text_event(text));
}

void TurnRun::reasoning(std::string_view text) noexcept {
    if (reasoning_.size() < kReasoningBytesMax) {
        reasoning_ += cut_utf8(text, kReasoningBytesMax - reasoning_.size());
    }
    turn_->log.add("reasoning", text_event(text));
}

std::optional<std::string> TurnRun::take_reasoning() {
    if (reasoning_.empty()) return std::nullopt;
    return std::exchange(reasoning_, {});
}

void TurnRun::called(std::string text, std::vector<core::ToolCall> calls) {
    gap_ = !turn_->outcome.answer.empty();
    MessageDetails details;
    details.reasoning = take_reasoning();
    for (auto& call : calls) {
        details.tool_calls.push_back(
            {std::move(call.id), std::move(call.name), std::move(call.arguments)});
    }
    unsaved_.emplace();
    unsaved_->role = core::MessageRole::Assistant;
    unsaved_->content = std::move(text);
    unsaved_->details_json = text_of(details);
    unsaved_->at = core::time_now();
}

void TurnRun::code_starts(std::string_view code, std::string_view language) {
    running_.reset();
    running_.emplace(Running{++runs_, std::string(code), std::string(language),
                             LiveOutput(kLiveOutputBytesMax)});
    auto start = start_of(running_->number, code, language);
    start.at_ms = std::chrono::duration<double, std::milli>(Clock::now() - turn_->asked_at).count();
    turn_->log.add("code_start", schema::to_json(start));
}

void TurnRun::code_prints(core::Stream stream, std::string_view bytes) {
    if (!running_) return;
    running_->output.add(stream, bytes);
    if (!output_pausing_) tell_output();
}

void TurnRun::log_output() {
    for (const auto& piece : running_->output.take()) {
        turn_->log.add("code_output", output_event(running_->number, piece));
    }
}

// At once, and then after each pause what came during it.
void TurnRun::tell_output() {
    output_pausing_ = false;
    if (!running_ || running_->output.empty()) return;
    log_output();
    output_pausing_ = true;
    output_pause_.expires_after(kOutputPause);
    output_pause_.async_wait([self = shared_from_this()](boost::system::error_code cancelled) {
        if (!cancelled) self->tell_output();
    });
}

asio::awaitable<void> TurnRun::ran(core::ToolCall call, ToolResult result) {
    std::vector<core::ThreadMessage> messages;
    if (auto said = take_unsaved()) messages.push_back(std::move(*said));
    if (running_) log_output();  // the pause need not be waited for
    auto begun = std::exchange(running_, std::nullopt);
    // Its sandbox was lost: the tool only says so, but there is code that began to run.
    if (begun && !result.code) result.code = std::move(begun->code);
    MessageDetails details;
    details.run.emplace();
    if (begun) {
        details.run->run = begun->number;
        details.run->language = begun->language;
        details.run->reason = result.reason;
        details.run->exit_code = result.exit_code;
    }
    details.run->call_id = call.id;
    details.run->tool = result.tool;
    details.run->code = result.code;
    details.run->exec_ms = result.exec_ms;
    details.run->failed = result.failed;
    details.run->images = result.images;
    details.run->table = result.table;
    for (const auto& shown : result.results) {
        result_room_.count -= 1;
        result_room_.bytes -= shown.json.size();
    }
    if (!result.results.empty()) details.run->results = result.results;
    core::ThreadMessage answer;
    answer.role = core::MessageRole::Tool;
    answer.content = result.output;
    answer.details_json = text_of(details);
    answer.at = core::time_now();
    messages.push_back(std::move(answer));
    co_await write_surely(store_, begun_.hold, std::move(messages), After::GoesOn);

    auto& outcome = turn_->outcome;
    for (auto& file : result.made) {
        if (outcome.files.size() < kMadeFilesMax) outcome.files.push_back(std::move(file));
    }
    if (result.code) {
        turn_->log.add("code_end", schema::to_json(*end_of(*details.run)));
        CodeRun run{std::move(*result.code), std::move(result.output), result.exec_ms};
        turn_->log.add("code_run", schema::to_json(run));
        outcome.code_runs.push_back(std::move(run));
    } else {
        const ToolEvent event{result.tool, std::move(call.arguments), std::move(result.output),
                              result.exec_ms, result.failed};
        turn_->log.add("tool", schema::to_json(event));
    }
    for (auto& shown : result.results) {
        turn_->log.add("result", result_event(details.run->run.value_or(0), shown));
        outcome.results.push_back({details.run->run.value_or(0), std::move(shown)});
    }
    for (auto& image : result.images) {
        turn_->log.add("image", schema::to_json(image));
        if (outcome.images.size() < kImagesMax) outcome.images.push_back(std::move(image));
    }
    if (result.table) {
        turn_->log.add("table", schema::to_json(*result.table));
        if (outcome.tables.size() < kTablesMax) outcome.tables.push_back(std::move(*result.table));
    }
}

}  // namespace atl::agent
