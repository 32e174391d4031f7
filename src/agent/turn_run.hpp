#pragma once
// A turn of a thread at work: what the loop (turn.hpp) hears and where its tools work, tied to the
// thread's store, sandbox and clients.
//
//     the loop ──▶ TurnRun ──▶ store first, then events of the LiveTurn
//                     └──▶ the sandbox, readied from the start, waited for by the first tool
//
// Shared by the turn and by what it started (waking the sandbox, renewing the lease): a turn that
// ends early does not wait for a sandbox that it did not need; the scope of Threads does.
// Threads   one, the executor's. Trusts    as turn.hpp.
#include "agent/live_output.hpp"
#include "agent/live_turn.hpp"
#include "agent/tools.hpp"
#include "agent/turn.hpp"
#include "base/scope.hpp"
#include "core/threads.hpp"

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>

namespace atl::agent {

class TurnRun final : public TurnListener,
                      public ToolEnvironment,
                      public std::enable_shared_from_this<TurnRun> {
public:
    using Clock = std::chrono::steady_clock;
    using GetSession = std::function<boost::asio::awaitable<sessions::Use>()>;

    TurnRun(Scope& scope, core::Threads& store, std::shared_ptr<LiveTurn> turn,
            core::TurnBegun begun, bool sees_images, std::chrono::milliseconds time_max);

    void ready_sandbox(GetSession get);
    // Until ended(): renews the hold, and stops the turn when it is lost, its time is over, or
    // somebody cancelled it at another server.
    void keep_hold(std::chrono::milliseconds lease, std::chrono::milliseconds renew_every);
    void ended();

    [[nodiscard]] const core::TurnBegun& begun() const noexcept { return begun_; }
    [[nodiscard]] double sandbox_ms() const noexcept { return sandbox_ms_; }
    [[nodiscard]] bool sandbox_failed() const noexcept { return sandbox_error_.has_value(); }
    // What the model called and nobody stored yet: no tool of it has ended.
    [[nodiscard]] std::optional<core::ThreadMessage> take_unsaved() {
        return std::exchange(unsaved_, {});
    }

    // TurnListener
    void status(std::string_view text) noexcept override;
    void token(std::string_view text) noexcept override;
    void reasoning(std::string_view text) noexcept override;
    // What was thought since the last call; nothing when that is nothing.
    [[nodiscard]] std::optional<std::string> take_reasoning();
    void called(std::string text, std::vector<core::ToolCall> calls) override;
    boost::asio::awaitable<void> ran(core::ToolCall call, ToolResult result) override;

    // ToolEnvironment
    void code_starts(std::string_view code, std::string_view language) override;
    void code_prints(core::Stream stream, std::string_view bytes) override;
    [[nodiscard]] const std::string& owner() const override { return begun_.thread.owner; }
    boost::asio::awaitable<sessions::Use*> session() override;
    [[nodiscard]] Cancellation& cancellation() override { return turn_->cancellation; }
    [[nodiscard]] bool wants_images() const override { return sees_images_; }
    [[nodiscard]] std::string href_of(const SessionId& session,
                                      std::string_view path) const override;
    [[nodiscard]] std::string directory() const override { return "/data"; }
    [[nodiscard]] std::chrono::milliseconds time_left() const override;
    [[nodiscard]] std::optional<ResultRoom> result_room() const override { return result_room_; }

private:
    struct Running {  // code, and what nobody was told yet of what it prints
        std::uint64_t number = 0;
        std::string code;
        std::string language;
        LiveOutput output;
    };
    void tell_output();
    void log_output();  // of what is running
    boost::asio::awaitable<void> ready(GetSession get);
    boost::asio::awaitable<void> renew(std::chrono::milliseconds lease,
                                       std::chrono::milliseconds every);

    Scope& scope_;
    core::Threads& store_;
    std::shared_ptr<LiveTurn> turn_;
    core::TurnBegun begun_;
    bool sees_images_;
    Clock::time_point began_ = Clock::now();
    Clock::time_point until_;
    std::optional<sessions::Use> use_;
    std::optional<Error> sandbox_error_;
    bool readying_ = false;
    double sandbox_ms_ = 0;
    boost::asio::steady_timer sandbox_news_;
    boost::asio::steady_timer clock_;
    boost::asio::steady_timer lease_;
    boost::asio::steady_timer output_pause_;
    bool output_pausing_ = false;
    std::optional<Running> running_;
    std::uint64_t runs_ = 0;
    ResultRoom result_room_ = kTurnResults;
    bool ended_ = false;
    bool gap_ = false;       // the next word begins a new paragraph
    std::string reasoning_;  // since the last message
    std::optional<core::ThreadMessage> unsaved_;
};

}  // namespace atl::agent
