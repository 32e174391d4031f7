#include "api/mcp/mcp_sessions.hpp"

#include "api/mcp/messages.hpp"
#include "base/result.hpp"
#include "sessions/new_id.hpp"

#include <utility>
#include <vector>

namespace atl::api::mcp {

McpSessions::Call::Call(McpSession& session, std::string id, agent::Cancellation& cancellation,
                        const McpLimits& limits)
    : session_(session), id_(std::move(id)) {
    if (session.calls.contains(id_)) {
        throw Refused(kInvalidRequest, "a request with this id is under way");
    }
    if (session.calls.size() >= limits.calls_max) {
        throw Refused(kServerError, "this session has " + std::to_string(limits.calls_max) +
                                        " calls under way; wait for one of them");
    }
    session.calls.emplace(id_, &cancellation);
}

void McpSessions::finish(McpSession& session) {
    std::vector<agent::Cancellation*> calls;
    for (const auto& [id, call] : session.calls) calls.push_back(call);
    for (auto* call : calls) call->request("cancelled");
    if (const auto end_stream = std::exchange(session.end_stream, nullptr)) end_stream();
}

void McpSessions::end_idle() {
    const auto until = now_() - limits_.idle;
    std::erase_if(all_, [&](const auto& entry) {
        return entry.second->holds == 0 && entry.second->used_at <= until;
    });
}

std::string McpSessions::begin(std::string owner, std::string revision) {
    end_idle();
    std::size_t theirs = 0;
    auto oldest = all_.end();
    for (auto one = all_.begin(); one != all_.end(); ++one) {
        if (one->second->owner != owner) continue;
        ++theirs;
        if (one->second->holds > 0) continue;
        if (oldest == all_.end() || one->second->used_at < oldest->second->used_at) oldest = one;
    }
    if (theirs >= limits_.owner_sessions_max || all_.size() >= limits_.sessions_max) {
        if (oldest == all_.end()) {
            throw ErrorException({Code::Exhausted,
                                  "there are as many MCP sessions as there may be, and all are in "
                                  "use; end one first"});
        }
        all_.erase(oldest);
    }
    auto session = std::make_shared<McpSession>();
    session->id = sessions::random_id("mcp-");
    session->owner = std::move(owner);
    session->revision = std::move(revision);
    session->used_at = now_();
    all_.emplace(session->id, session);
    return session->id;
}

std::optional<McpSessions::Hold> McpSessions::find(const std::string& owner,
                                                   const std::string& id) {
    end_idle();
    const auto found = all_.find(id);
    if (found == all_.end() || found->second->owner != owner) return std::nullopt;
    return Hold(found->second, now_);
}

bool McpSessions::end(const std::string& owner, const std::string& id) {
    const auto found = all_.find(id);
    if (found == all_.end() || found->second->owner != owner) return false;
    const auto session = found->second;
    all_.erase(found);
    finish(*session);
    return true;
}

}  // namespace atl::api::mcp
