#pragma once
// The tools: one registry of what an agent can do in a sandbox, whoever asks. A model in a thread
// calls them by name, REST at /v1/tools/{name}; others can be made from the same list.
//
//     name, description, arguments (a described type)  ──▶  JSON schema for models and documents
//     call(name, arguments as JSON)  ──▶  checked by the type, every finding with its path  ──▶ run
//
// `session_id` is part of a tool's arguments for clients outside. A model in a thread never says
// it: its thread has one session, and what it writes there is not looked at.
// Owns      the list. Sessions and outputs are borrowed and outlive it.
// Threads   one, the executor's.
// Trusts    nothing that a model or a client writes; nothing that comes out of a sandbox.
// On failure schema::ValidationError for arguments, ErrorException when a tool could not do its
//           work at all. Code that fails is a result, not an exception.
#include "agent/cancellation.hpp"
#include "agent/message_details.hpp"
#include "agent/run_results.hpp"
#include "core/chat.hpp"
#include "core/outcome.hpp"
#include "core/outputs.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::schema {
struct Type;
}

namespace atl::agent {

struct ListedFile {
    std::string name;
    std::string type;
    std::uint64_t size = 0;
};
ATOLL_DESCRIBED(ListedFile);

struct LeftOutFile {
    std::string path;
    std::string reason;
};
ATOLL_DESCRIBED(LeftOutFile);

// What a tool did. `output` is what a model reads; the rest is for programs.
struct ToolResult {
    std::string tool;
    std::string output;
    bool failed = false;
    double exec_ms = 0;
    std::optional<std::string> code;  // that was run
    std::optional<std::string> out;   // stdout
    std::optional<std::string> err;   // stderr
    std::optional<int> exit_code;
    std::optional<std::string> reason;
    std::optional<std::string> content;  // of a file
    std::optional<std::vector<ListedFile>> files;
    std::vector<ImageLink> images;
    std::optional<TableData> table;
    std::optional<std::map<std::string, std::string>> artifact_map;
    std::optional<std::vector<LeftOutFile>> artifacts_left_out;
    std::optional<std::string> session_id;
    std::optional<std::string> run_id;

    // Not part of the answer: for models that see, and for clients of a turn.
    std::vector<core::ChatImage> seen;
    std::vector<MadeFile> made;
    std::vector<StoredResult> results;
};
ATOLL_DESCRIBED(ToolResult);

// Where a call works, and for whom.
class ToolEnvironment {
public:
    virtual ~ToolEnvironment() = default;
    [[nodiscard]] virtual const std::string& owner() const = 0;
    // The session, awake. Asked for as late as possible: whoever has one may be readying it.
    // Null: there is none.
    virtual boost::asio::awaitable<sessions::Use*> session() = 0;
    // The same, for tools that cannot do without: throws ValidationError if there is none.
    boost::asio::awaitable<sessions::Use*> needed_session();
    // As session(); if this makes the session, it has these limits.
    virtual boost::asio::awaitable<sessions::Use*> session_with(core::Limits) { return session(); }
    [[nodiscard]] virtual Cancellation& cancellation() = 0;
    [[nodiscard]] virtual bool wants_images() const { return false; }  // their bytes
    // Where a client gets a file of the session.
    [[nodiscard]] virtual std::string href_of(const SessionId& session,
                                              std::string_view path) const;
    // Where code starts.
    [[nodiscard]] virtual std::string directory() const { return "/session"; }
    // What runs may show that a client draws; none: there is no such client.
    [[nodiscard]] virtual std::optional<ResultRoom> result_room() const { return std::nullopt; }
    // Hears of code while it runs: run_code tells it.
    virtual void code_starts(std::string_view code, std::string_view language) {
        static_cast<void>(code);
        static_cast<void>(language);
    }
    virtual void code_prints(core::Stream stream, std::string_view bytes) {
        static_cast<void>(stream);
        static_cast<void>(bytes);
    }
    // How long code may run here; 0: as long as the session lets it.
    [[nodiscard]] virtual std::chrono::milliseconds time_left() const {
        return std::chrono::milliseconds{0};
    }
};

// What becomes of a session that is not there, if a client names it.
enum class FirstUse : bool { Refused, Makes };

// A session that is named by its id, or by a name of the client's choice: how clients outside work.
class NamedSessionEnvironment final : public ToolEnvironment {
public:
    // `made` hears of a session that was made.
    NamedSessionEnvironment(sessions::Sessions& sessions, std::string owner, std::string session,
                            FirstUse first_use, sessions::Sessions::Made made)
        : sessions_(sessions),
          owner_(std::move(owner)),
          session_(std::move(session)),
          first_use_(first_use),
          made_(std::move(made)) {}
    [[nodiscard]] const std::string& owner() const override { return owner_; }
    boost::asio::awaitable<sessions::Use*> session() override;
    boost::asio::awaitable<sessions::Use*> session_with(core::Limits limits) override;
    [[nodiscard]] Cancellation& cancellation() override { return cancellation_; }

private:
    sessions::Sessions& sessions_;
    std::string owner_;
    std::string session_;  // empty: none
    FirstUse first_use_;
    sessions::Sessions::Made made_;
    std::optional<sessions::Use> use_;
    Cancellation cancellation_;
};

struct Tool {
    std::string name;
    std::string description;
    const schema::Type* arguments = nullptr;
    bool for_models = true;  // offered to the model of a thread
    std::function<boost::asio::awaitable<ToolResult>(ToolEnvironment&, boost::json::value)> call;
    std::string route = {};     // where REST has it, and
    std::string route_id = {};  // what it is called there; both are the registry's to fill in
};

class Tools {
public:
    // With all that there are.
    Tools(sessions::Sessions& sessions, core::Outputs& outputs);
    Tools(const Tools&) = delete;
    Tools& operator=(const Tools&) = delete;

    // Before anybody asks. A name that is taken is a bug: std::logic_error.
    void add(Tool tool);

    [[nodiscard]] const std::deque<Tool>& all() const noexcept { return tools_; }
    [[nodiscard]] const Tool* find(std::string_view name) const noexcept;
    // The nearest name, for whoever asked for one that is not there.
    [[nodiscard]] std::string_view nearest(std::string_view name) const;
    // For a model in a thread: without session_id.
    [[nodiscard]] const std::vector<core::ToolDescription>& for_models() const noexcept {
        return for_models_;
    }
    // A schema that stands by itself.
    [[nodiscard]] static std::string schema_of(const Tool& tool, bool with_session);

    [[nodiscard]] sessions::Sessions& sessions() const noexcept { return sessions_; }

private:
    sessions::Sessions& sessions_;
    std::deque<Tool> tools_;  // stay where they are: routes refer to them
    std::vector<core::ToolDescription> for_models_;
};

// Each file of tools adds its own.
void add_code_tools(Tools& tools);
void add_file_tools(Tools& tools);
void add_sandbox_tool(Tools& tools, core::Outputs& outputs);

}  // namespace atl::agent
