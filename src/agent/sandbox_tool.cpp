// code_sandbox: Python in a fresh sandbox that is gone afterwards, or in a session's kernel; what
// it leaves among its artifacts is copied to the host and named.
#include "agent/code_run.hpp"
#include "agent/tool_arguments.hpp"
#include "agent/tools.hpp"
#include "api/schema/document.hpp"
#include "core/host_paths.hpp"
#include "sessions/artifacts.hpp"
#include "sessions/new_id.hpp"

#include <boost/asio/this_coro.hpp>

namespace atl::agent {

namespace asio = boost::asio;
namespace json = boost::json;
namespace schema = api::schema;

namespace {

AfterRun promoting(core::Outputs& outputs, std::shared_ptr<guest_client::GuestLink> link,
                   sessions::Promotion promotion) {
    return [&outputs, link, promotion](
               ToolResult& result, const std::map<std::string, guest_client::ChangedFile>& files)
               -> asio::awaitable<void> {
        auto promoted = co_await sessions::promote(link, outputs, promotion, files);
        result.artifact_map = std::move(promoted.map);
        if (promoted.left_out.empty()) co_return;
        result.artifacts_left_out.emplace();
        for (auto& one : promoted.left_out) {
            result.artifacts_left_out->push_back({std::move(one.path), std::move(one.reason)});
        }
    };
}

asio::awaitable<ToolResult> pinned(core::Outputs& outputs, Workplace& workplace,
                                   CodeSandboxArguments wanted) {
    auto* use = co_await workplace.session();
    guest_client::RunRequest request;
    request.code = std::move(wanted.code);
    request.timeout =
        shortest(wanted.timeout, (*use)->limits().wall_time_max, workplace.time_left());
    request.output_bytes_max = (*use)->limits().output_bytes_max;
    const sessions::Promotion promotion{(*use)->record().id, "/session/artifacts",
                                        (*use)->limits().disk_bytes_max};
    auto after = promoting(outputs, use->link(), promotion);
    co_return co_await run_code(workplace, place_of(*use), std::move(request), std::move(after));
}

// A model is told why there is none, and not where the server keeps its files.
asio::awaitable<std::unique_ptr<core::Sandbox>> fresh_sandbox(sessions::Sessions& sessions,
                                                              sessions::NewSession wanted) {
    std::optional<Error> failed;
    try {
        co_return co_await sessions.ephemeral(std::move(wanted));
    } catch (const ErrorException& error) { failed = error.error; }
    throw ErrorException(core::without_host_paths(*failed));
}

asio::awaitable<ToolResult> ephemeral(Tools& tools, core::Outputs& outputs, Workplace& workplace,
                                      CodeSandboxArguments wanted) {
    auto& sessions = tools.sessions();
    sessions::NewSession alone;
    alone.owner = workplace.owner();
    alone.limits = sessions.options().run_limits;
    if (wanted.memory_bytes_max) alone.limits.memory_bytes_max = *wanted.memory_bytes_max;
    if (wanted.cpus_max) alone.limits.cpus_max = *wanted.cpus_max;
    std::vector<schema::Issue> issues;
    for (auto& [field, sentence] : core::beyond(alone.limits, sessions.options().ceilings)) {
        issues.push_back({field, std::move(sentence)});
    }
    if (!issues.empty()) throw schema::ValidationError(std::move(issues));
    const auto limits = alone.limits;
    const auto sandbox = co_await fresh_sandbox(sessions, std::move(alone));
    const auto executor = co_await asio::this_coro::executor;
    const auto link = sessions.open_link(*sandbox);
    const core::RunId run_id = core::RunId(sessions::owned_id("r-", workplace.owner()));
    CodePlace place;
    place.link = link;
    place.changes = guest_client::Changes::open(executor, link);
    place.sandbox = sandbox.get();
    place.memory_bytes_max = limits.memory_bytes_max;
    guest_client::RunRequest request;
    request.code = std::move(wanted.code);
    request.directory = "/work";
    request.timeout = shortest(wanted.timeout, limits.wall_time_max, workplace.time_left());
    request.output_bytes_max = limits.output_bytes_max;
    sessions::Promotion promotion{run_id, "/work/artifacts", limits.disk_bytes_max};
    promotion.room = [&sessions, owner = workplace.owner()] {
        return sessions.room_for_outputs(owner);
    };
    auto after = promoting(outputs, link, promotion);
    ToolResult result;
    std::exception_ptr failed;
    try {
        result =
            co_await run_code(workplace, std::move(place), std::move(request), std::move(after));
    } catch (...) { failed = std::current_exception(); }
    link->close();
    sandbox->destroy();
    if (failed) std::rethrow_exception(failed);
    result.run_id = run_id.text();
    co_return result;
}

}  // namespace

void add_sandbox_tool(Tools& tools, core::Outputs& outputs) {
    const auto call = [&tools, &outputs](Workplace& workplace, json::value arguments) {
        return [](Tools& all, core::Outputs& out, Workplace& where,
                  json::value given) -> asio::awaitable<ToolResult> {
            auto wanted = schema::from_value<CodeSandboxArguments>(given);
            const auto* use = co_await where.session();
            if (use == nullptr) {
                co_return co_await ephemeral(all, out, where, std::move(wanted));
            }
            co_return co_await pinned(out, where, std::move(wanted));
        }(tools, outputs, workplace, std::move(arguments));
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
