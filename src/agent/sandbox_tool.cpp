// code_sandbox: Python in a fresh sandbox that is gone afterwards, or in a session's kernel; what
// it leaves among its artifacts is copied to the host and named.
#include "agent/code_run.hpp"
#include "agent/tool_arguments.hpp"
#include "agent/tools.hpp"
#include "core/host_paths.hpp"
#include "schema/document.hpp"

namespace atl::agent {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

core::Limits limits_of(const CodeSandboxArguments& wanted, core::Limits limits,
                       const core::Ceilings& ceilings) {
    if (wanted.memory_bytes_max) limits.memory_bytes_max = *wanted.memory_bytes_max;
    if (wanted.cpus_max) limits.cpus_max = *wanted.cpus_max;
    std::vector<schema::Issue> issues;
    for (auto& [field, sentence] : core::beyond(limits, ceilings)) {
        issues.push_back({field, std::move(sentence)});
    }
    if (!issues.empty()) throw schema::ValidationError(std::move(issues));
    return limits;
}

asio::awaitable<ToolResult> run_wanted(ToolEnvironment& environment, sessions::Execution& execution,
                                       core::Outputs& outputs, CodeSandboxArguments wanted) {
    execution.keep_artifacts(outputs);
    const auto timeout =
        shortest(wanted.timeout, execution.limits().wall_time_max, environment.time_left());
    auto request =
        execution.request(guest_client::Language::Python, std::move(wanted.code), timeout);
    co_return co_await run_code(environment, execution, std::move(request));
}

asio::awaitable<ToolResult> pinned(Tools& tools, core::Outputs& outputs,
                                   ToolEnvironment& environment, sessions::Use& use,
                                   CodeSandboxArguments wanted) {
    const auto execution = sessions::Execution::with(tools.sessions(), use);
    co_return co_await run_wanted(environment, *execution, outputs, std::move(wanted));
}

// A model is told why there is none, and not where the server keeps its files.
asio::awaitable<std::unique_ptr<sessions::Execution>> in_fresh_sandbox(
    sessions::Sessions& sessions, sessions::NewSession wanted) {
    std::optional<Error> failed;
    try {
        co_return co_await sessions::Execution::alone(sessions, std::move(wanted));
    } catch (const ErrorException& error) { failed = error.error; }
    throw ErrorException(core::without_host_paths(*failed));
}

asio::awaitable<ToolResult> ephemeral(Tools& tools, core::Outputs& outputs,
                                      ToolEnvironment& environment, CodeSandboxArguments wanted) {
    auto& sessions = tools.sessions();
    sessions::NewSession alone;
    alone.owner = environment.owner();
    alone.limits = limits_of(wanted, sessions.options().run_limits, sessions.options().ceilings);
    const auto execution = co_await in_fresh_sandbox(sessions, std::move(alone));
    co_return co_await run_wanted(environment, *execution, outputs, std::move(wanted));
}

}  // namespace

void add_sandbox_tool(Tools& tools, core::Outputs& outputs) {
    const auto call = [&tools, &outputs](ToolEnvironment& environment, json::value arguments) {
        return [](Tools& all, core::Outputs& out, ToolEnvironment& where,
                  json::value given) -> asio::awaitable<ToolResult> {
            auto wanted = schema::from_value<CodeSandboxArguments>(given);
            const auto& options = all.sessions().options();
            const auto limits = limits_of(wanted, options.limits, options.ceilings);
            auto* use = co_await where.session_with(limits);
            if (use == nullptr) {
                co_return co_await ephemeral(all, out, where, std::move(wanted));
            }
            co_return co_await pinned(all, out, where, *use, std::move(wanted));
        }(tools, outputs, environment, std::move(arguments));
    };
    tools.add({.name = "code_sandbox",
               .description = "Run Python. Without a session: in a fresh sandbox that is gone "
                              "afterwards; artifacts go to /work/artifacts. With one: variables "
                              "and files below /session stay; artifacts go to /session/artifacts.",
               .arguments = schema::described<CodeSandboxArguments>(),
               .for_models = false,
               .call = call});
}

}  // namespace atl::agent
