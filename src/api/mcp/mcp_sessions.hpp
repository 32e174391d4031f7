#pragma once
// The sessions of MCP clients: who they are, which revision they speak, and their calls under way.
// Not sessions with a sandbox: those are named in a tool's arguments and live on.
//
// Owns      the table. A request holds its session with a Hold, which keeps it from ending.
// Threads   one, the loop's.
// Bounded   in number, for each owner and in all, and in calls at a time. An owner who begins one
//           more loses the one that was unused for longest. One that nobody uses for a while ends,
//           which is noticed when the table is looked at.
// Trusts    nobody: another owner's session does not exist.
#include "agent/cancellation.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace atl::api::mcp {

struct McpLimits {
    std::size_t sessions_max = 10'000;
    std::size_t owner_sessions_max = 100;
    std::size_t calls_max = 32;  // of one session at the same time
    std::chrono::seconds idle{3600};
};

class McpSessions {
public:
    using Clock = std::chrono::steady_clock;

    struct McpSession {
        std::string id;
        std::string owner;
        std::string revision;
        Clock::time_point used_at{};
        std::size_t holds = 0;
        std::map<std::string, agent::Cancellation*> calls;  // by request id
        // Ends the stream of the GET that is open; empty: none is.
        std::function<void()> end_stream;
        std::uint64_t streams = 0;  // opened so far
    };

    // While it lives the session is in use.
    class [[nodiscard]] Hold {
    public:
        Hold(std::shared_ptr<McpSession> session, std::function<Clock::time_point()> now)
            : session_(std::move(session)), now_(std::move(now)) {
            ++session_->holds;
        }
        Hold(Hold&&) noexcept = default;
        Hold& operator=(Hold&&) = delete;
        ~Hold() {
            if (!session_) return;
            --session_->holds;
            session_->used_at = now_();
        }
        McpSession& operator*() const noexcept { return *session_; }

    private:
        std::shared_ptr<McpSession> session_;
        std::function<Clock::time_point()> now_;
    };

    // A call under way, which notifications/cancelled ends. Throws Refused: the id is in use, or
    // too many calls are under way.
    class [[nodiscard]] Call {
    public:
        Call(McpSession& session, std::string id, agent::Cancellation& cancellation,
             const McpLimits& limits);
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;
        ~Call() { session_.calls.erase(id_); }

    private:
        McpSession& session_;
        std::string id_;
    };

    explicit McpSessions(McpLimits limits, std::function<Clock::time_point()> now = Clock::now)
        : limits_(limits), now_(std::move(now)) {}

    // Its id. Throws ErrorException: Exhausted.
    [[nodiscard]] std::string begin(std::string owner, std::string revision);
    // Of this owner; nothing if there is none.
    [[nodiscard]] std::optional<Hold> find(const std::string& owner, const std::string& id);
    // With its calls and its stream. False: there was none of this owner.
    bool end(const std::string& owner, const std::string& id);

    [[nodiscard]] const McpLimits& limits() const noexcept { return limits_; }
    [[nodiscard]] std::size_t count() const noexcept { return all_.size(); }

private:
    using SessionPtr = std::shared_ptr<McpSession>;
    using All = std::map<std::string, SessionPtr>;
    void end_idle();
    static void finish(McpSession& session);

    McpLimits limits_;
    std::function<Clock::time_point()> now_;
    All all_;
};

}  // namespace atl::api::mcp
