#pragma once
// The tools of agent/tools.hpp as MCP shows them: their list, a call, what came of it as content.
//
//     run_python {code}  ──▶  registry  ──▶  text, images, links to files; isError if it failed
//
// A tool that works in a session works in the client's own if the call names none.
// Trusts    nothing that a client writes; nothing that comes out of a sandbox.
#include "agent/tools.hpp"
#include "api/answer_budget.hpp"
#include "api/mcp/messages.hpp"
#include "api/mcp/progress.hpp"

#include <boost/asio/awaitable.hpp>
#include <string>

namespace atl::api::mcp {

// For whom a request works, and where.
struct Place {
    std::string owner;
    std::string session;  // of tools that are not told another one
    agent::FirstUse first_use = agent::FirstUse::Refused;
    std::string base_url;  // of this server, as the client knows it
};

// A named session, as REST has it, for a caller who looks at images and hears of progress.
class CallEnvironment final : public agent::ToolEnvironment {
public:
    CallEnvironment(sessions::Sessions& sessions, const Place& place, std::string session,
                    Progress* progress, sessions::Sessions::Made made)
        : named_(sessions, place.owner, std::move(session), place.first_use, std::move(made)),
          progress_(progress) {}
    [[nodiscard]] const std::string& owner() const override { return named_.owner(); }
    boost::asio::awaitable<sessions::Use*> session() override { return named_.session(); }
    boost::asio::awaitable<sessions::Use*> session_with(core::Limits limits) override {
        return named_.session_with(limits);
    }
    [[nodiscard]] agent::Cancellation& cancellation() override { return named_.cancellation(); }
    [[nodiscard]] bool wants_images() const override { return true; }
    void code_starts(std::string_view, std::string_view language) override {
        if (progress_ != nullptr) progress_->begins(language);
    }
    void code_prints(core::Stream, std::string_view bytes) override {
        if (progress_ != nullptr) progress_->prints(bytes);
    }

private:
    agent::NamedSessionEnvironment named_;
    Progress* progress_;  // null: nobody asked
};

// A call as a client asked for it.
struct ToolRequest {
    const agent::Tool* tool = nullptr;
    boost::json::value arguments;  // an object
    std::string session;           // the one to work in; empty: none
    boost::json::value progress_token;
};
// Throws Refused.
[[nodiscard]] ToolRequest read_call(const agent::Tools& tools, const Place& place,
                                    const boost::json::object& params);

[[nodiscard]] boost::json::object tool_list(const agent::Tools& tools);

// What MCP calls a CallToolResult. Arguments that are no good, a session that is not there, code
// that failed: all of it is told to the model, which can do better.
[[nodiscard]] boost::asio::awaitable<boost::json::object> carry_out(ToolRequest request,
                                                                    CallEnvironment& environment,
                                                                    const Place& place,
                                                                    AnswerBudget::Share& share);

}  // namespace atl::api::mcp
