// Tools that run code in a session: a cell in its kernel, a command, a script.
#include "agent/code_run.hpp"
#include "agent/sandbox_files.hpp"
#include "agent/text.hpp"
#include "agent/tool_arguments.hpp"
#include "agent/tools.hpp"
#include "schema/document.hpp"

namespace atl::agent {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

asio::awaitable<ToolResult> run_in_session(sessions::Sessions& sessions,
                                           ToolEnvironment& environment,
                                           guest_client::RunRequest request,
                                           std::optional<std::string> shown = std::nullopt) {
    auto* use = co_await environment.needed_session();
    request.timeout =
        shortest(request.timeout, (*use)->limits().wall_time_max, environment.time_left());
    request.output_bytes_max = (*use)->limits().output_bytes_max;
    const auto execution = sessions::Execution::with(sessions, *use);
    co_return co_await run_code(environment, *execution, std::move(request), std::move(shown));
}

asio::awaitable<ToolResult> run_python(sessions::Sessions& sessions, ToolEnvironment& environment,
                                       json::value arguments) {
    auto wanted = schema::from_value<RunPythonArguments>(arguments);
    guest_client::RunRequest request;
    request.language = guest_client::Language::Python;
    request.code = std::move(wanted.code);
    request.directory = environment.directory();
    request.timeout = wanted.timeout;
    co_return co_await run_in_session(sessions, environment, std::move(request));
}

asio::awaitable<ToolResult> execute_shell(sessions::Sessions& sessions,
                                          ToolEnvironment& environment, json::value arguments) {
    auto wanted = schema::from_value<ExecuteShellArguments>(arguments);
    guest_client::RunRequest request;
    request.language = guest_client::Language::Shell;
    request.code = std::move(wanted.command);
    request.directory = absolute_path(wanted.working_directory);
    request.timeout = wanted.timeout;
    co_return co_await run_in_session(sessions, environment, std::move(request));
}

asio::awaitable<ToolResult> execute_script(sessions::Sessions& sessions,
                                           ToolEnvironment& environment, json::value arguments) {
    const auto wanted = schema::from_value<ExecuteScriptArguments>(arguments);
    guest_client::RunRequest request;
    request.language = guest_client::Language::Shell;
    request.directory = environment.directory();
    request.timeout = wanted.timeout;
    std::string path = wanted.path ? absolute_path(*wanted.path) : "";
    if (wanted.script) {
        auto* use = co_await environment.needed_session();
        path = "/session/.atoll-script.py";
        co_await write_bytes(guest_client::Files(use->link()), path, *wanted.script);
    }
    request.code = "exec python " + shell_quoted(path);
    co_return co_await run_in_session(sessions, environment, std::move(request), wanted.script);
}

}  // namespace

void add_code_tools(Tools& tools) {
    const auto call = [&sessions = tools.sessions()](auto tool) {
        return [&sessions, tool](ToolEnvironment& environment, json::value arguments) {
            return tool(sessions, environment, std::move(arguments));
        };
    };
    tools.add({.name = "run_python",
               .description =
                   "Run Python in the session's kernel. Variables, imports and functions stay for "
                   "the next call. Answers with what was printed and the value of the last "
                   "expression. pandas, numpy, matplotlib and seaborn are there. Files are in "
                   "/data; save charts in /data/outputs.",
               .arguments = schema::described<RunPythonArguments>(),
               .call = call(run_python)});
    tools.add({.name = "execute_shell",
               .description = "Run a command with bash in the sandbox. There is no network.",
               .arguments = schema::described<ExecuteShellArguments>(),
               .call = call(execute_shell)});
    tools.add({.name = "execute_python_script",
               .description = "Run a Python script as a program of its own, by its text or by its "
                              "path. It does not see the kernel's variables.",
               .arguments = schema::described<ExecuteScriptArguments>(),
               .call = call(execute_script)});
}

}  // namespace atl::agent
