#include "api/e2b/process_service.hpp"

#include "api/e2b/envd_path.hpp"
#include "api/e2b/process_stream.hpp"
#include "api/e2b/rpc.hpp"
#include "api/e2b/sandbox_entry.hpp"
#include "guest_client/files.hpp"

#include <csignal>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::chrono::seconds kInputPatience{30};
constexpr std::size_t kInputPieceBytes = 64 * 1024;
constexpr std::size_t kArgumentsMax = 4096;
constexpr std::uint32_t kTerminalCellsMax = 4096;  // rows, or columns
constexpr std::size_t kTagBytesMax = 256;

using Reader = EnvdProcess::Reader;

void check_text(std::string_view name, const std::string& text) {
    if (text.find('\0') == std::string::npos) return;
    throw ErrorException({Code::InvalidArgument, std::string(name) + ": has a zero byte"});
}

sessions::ProcessStart::Terminal size_in(const Message& terminal) {
    sessions::ProcessStart::Terminal size;
    const auto wanted = terminal.message("size");
    if (!wanted) return size;
    const auto rows = wanted->number("rows", kTerminalCellsMax);
    const auto columns = wanted->number("cols", kTerminalCellsMax);
    if (rows > 0) size.rows = static_cast<int>(rows);
    if (columns > 0) size.cols = static_cast<int>(columns);
    return size;
}

ProcessConfig config_in(const Message& message) {
    const auto process = message.message("process").value_or(Message());
    ProcessConfig config;
    config.command = process.text("cmd");
    config.arguments = process.texts("args");
    config.environment = process.text_map("envs");
    config.directory = process.text_if_any("cwd");
    config.tag = message.text_if_any("tag");
    config.terminal = message.has("pty");
    if (config.command.empty()) process.refuse("cmd", "is empty");
    check_text("process.cmd", config.command);
    if (config.arguments.size() > kArgumentsMax) process.refuse("args", "are too many");
    for (const auto& argument : config.arguments) check_text("process.args", argument);
    check_environment(config.environment);
    if (config.tag && config.tag->size() > kTagBytesMax) message.refuse("tag", "is too long");
    return config;
}

class ProcessService {
public:
    ProcessService(sessions::Sessions& sessions, sessions::Processes& processes,
                   std::shared_ptr<ProcessRegistry> registry)
        : sessions_(sessions), processes_(processes), registry_(std::move(registry)) {}

    asio::awaitable<void> start(net::Exchange& exchange, Message message,
                                MessageStream& stream) const {
        const auto user = user_of(exchange.request());
        auto config = config_in(message);
        sessions::ProcessStart wanted;
        wanted.as_root = user == kRoot;
        wanted.argv = {config.command};
        wanted.argv.insert(wanted.argv.end(), config.arguments.begin(), config.arguments.end());
        wanted.directory =
            envd_path(config.directory.value_or(std::string()), user.home, "process.cwd");
        wanted.stdin_open = message.flag("stdin").value_or(true);
        wanted.timeout = timeout_of(exchange.request());
        if (const auto terminal = message.message("pty")) wanted.terminal = size_in(*terminal);
        const auto process = co_await start_process(exchange, std::move(config), std::move(wanted));
        co_await stream_process(exchange, stream, process, Reader::From::Start);
    }

    asio::awaitable<void> connect(net::Exchange& exchange, Message message,
                                  MessageStream& stream) const {
        co_await enter_only(exchange);
        const auto process = selected(exchange, message, true);
        co_await stream_process(exchange, stream, process, Reader::From::Now);
    }

    asio::awaitable<json::object> list(net::Exchange& exchange, Message) const {
        co_await enter_only(exchange);
        json::array all;
        for (const auto& one : registry_->running(session_in(exchange))) {
            const auto& config = one->config();
            json::object about{{"cmd", config.command}};
            if (!config.arguments.empty()) {
                about["args"] = json::array(config.arguments.begin(), config.arguments.end());
            }
            json::object environment;
            for (const auto& [name, value] : config.environment) environment[name] = value;
            if (!environment.empty()) about["envs"] = std::move(environment);
            if (config.directory) about["cwd"] = *config.directory;
            json::object process{{"config", std::move(about)}, {"pid", one->process().pid()}};
            if (config.tag) process["tag"] = *config.tag;
            all.push_back(std::move(process));
        }
        co_return json::object{{"processes", std::move(all)}};
    }

    asio::awaitable<json::object> update(net::Exchange& exchange, Message message) const {
        const auto use = co_await enter(sessions_, exchange);
        const auto process = selected(exchange, message);
        const auto terminal = message.message("pty");
        if (!terminal) co_return json::object{};
        if (!process->config().terminal) throw not_like_this("has no terminal");
        process->process().resize(size_in(*terminal));
        co_return json::object{};
    }

    asio::awaitable<json::object> send_input(net::Exchange& exchange, Message message) const {
        const auto use = co_await enter(sessions_, exchange);
        const auto process = selected(exchange, message);
        co_await write(process, message);
        co_return json::object{};
    }

    asio::awaitable<json::object> stream_input(net::Exchange& exchange,
                                               MessageReader& messages) const {
        ProcessRegistry::ProcessPtr process;
        for (bool more = true; more;) {
            auto message = co_await messages.next();
            more = message.has_value();
            if (!more) break;
            if (const auto start = message->message("start")) {
                const auto use = co_await enter(sessions_, exchange);
                process = selected(exchange, *start);
            } else if (const auto data = message->message("data")) {
                if (!process) message->refuse("data", "comes before start");
                // Each time: the sandbox may have been put to sleep between two of them.
                const auto use = co_await enter(sessions_, exchange);
                co_await write(process, *data);
            }
        }
        co_return json::object{};
    }

    asio::awaitable<json::object> close_input(net::Exchange& exchange, Message message) const {
        const auto use = co_await enter(sessions_, exchange);
        const auto process = selected(exchange, message);
        if (process->config().terminal) {
            throw not_like_this("has a terminal, whose input ends with the key Ctrl-D");
        }
        if (!process->process().stdin_open()) throw not_like_this("has no open input");
        co_await process->process().end_input(kInputPatience);
        co_return json::object{};
    }

    asio::awaitable<json::object> send_signal(net::Exchange& exchange, Message message) const {
        const auto use = co_await enter(sessions_, exchange);
        const auto process = selected(exchange, message);
        const auto name = message.text_if_any("signal");
        if (name == "SIGNAL_SIGKILL" || (!name && message.number("signal", 64) == SIGKILL)) {
            process->process().kill();  // with all that it has started
        } else if (name == "SIGNAL_SIGTERM" || (!name && message.number("signal", 64) == SIGTERM)) {
            process->process().signal(SIGTERM);
        } else {
            message.refuse("signal", "must be SIGNAL_SIGTERM or SIGNAL_SIGKILL");
        }
        co_return json::object{};
    }

private:
    static RpcError not_like_this(std::string_view why) {
        return {"internal", Code::Conflict, "the process " + std::string(why)};
    }

    // For what needs no sandbox that is awake.
    asio::awaitable<void> enter_only(net::Exchange& exchange) const {
        const bool there = co_await is_there(sessions_, exchange);
        if (!there) throw SandboxGone();
    }

    asio::awaitable<ProcessRegistry::ProcessPtr> start_process(
        net::Exchange& exchange, ProcessConfig config, sessions::ProcessStart wanted) const {
        auto use = co_await enter(sessions_, exchange);
        co_await sessions_.check_disk(*use);
        wanted.environment =
            environment_in(use, config.environment, wanted.as_root ? kRoot : kUser);
        wanted.output_held = true;  // until its first reader is there
        const auto self = std::make_shared<std::weak_ptr<EnvdProcess>>();
        wanted.output = [self](core::Stream, std::string_view) {
            if (const auto one = self->lock()) one->look_at_readers();
        };
        const auto session = use->record().id;
        const guest_client::Files files(use.link());
        const auto directory = wanted.directory;
        std::optional<Error> failed;
        sessions::Processes::ProcessPtr process;
        try {
            process = co_await processes_.start(std::move(use), std::move(wanted));
        } catch (const ErrorException& error) { failed = error.error; }
        if (failed) co_await explain(files, directory, *failed);
        const auto one =
            std::make_shared<EnvdProcess>(std::move(config), process, exchange.executor());
        *self = one;
        registry_->add(session, one);
        co_return one;
    }

    // Whether it was the folder that is missing, or the program.
    static asio::awaitable<void> explain(guest_client::Files files, std::string directory,
                                         Error failed) {
        const auto code = failed.code;
        if (code != Code::NotFound && code != Code::Forbidden && code != Code::InvalidArgument) {
            throw ErrorException(failed);
        }
        bool is_folder = false;
        try {
            const auto entry = co_await files.stat(directory, true);
            is_folder = entry.type == guest_client::FileType::Directory;
        } catch (const ErrorException&) {}  // it is not there
        if (!is_folder) {
            throw ErrorException(
                {Code::InvalidArgument, "cwd '" + shown_path(directory) + "' does not exist"});
        }
        throw ErrorException({Code::InvalidArgument, failed.message});
    }

    ProcessRegistry::ProcessPtr selected(net::Exchange& exchange, const Message& message,
                                         bool ended = false) const {
        const auto process = message.message("process");
        if (!process) message.refuse("process", "is missing");
        const auto session = session_in(exchange);
        if (const auto tag = process->text_if_any("tag")) {
            return registry_->by_tag(session, *tag, ended);
        }
        if (!process->has("pid")) process->refuse("pid", "is missing");
        return registry_->by_pid(session, process->number("pid", 0xffff'ffff), ended);
    }

    static asio::awaitable<void> write(ProcessRegistry::ProcessPtr one, Message message) {
        const auto input = message.message("input");
        if (!input) message.refuse("input", "is missing");
        const bool to_terminal = input->has("pty");
        if (to_terminal != one->config().terminal) {
            throw not_like_this(to_terminal ? "has no terminal"
                                            : "has a terminal; send the input as pty");
        }
        const auto bytes = input->bytes(to_terminal ? "pty" : "stdin");
        auto& process = one->process();
        for (std::size_t at = 0; at < bytes.size(); at += kInputPieceBytes) {
            const bool open =
                process.stdin_open() &&
                co_await process.input(bytes.substr(at, kInputPieceBytes), kInputPatience);
            if (!open) throw not_like_this("was started without open input, or it was closed");
        }
        if (bytes.empty() && !process.stdin_open()) throw not_like_this("has no open input");
    }

    sessions::Sessions& sessions_;
    sessions::Processes& processes_;
    std::shared_ptr<ProcessRegistry> registry_;
};

}  // namespace

void add_process_service(Api& api, sessions::Sessions& sessions, sessions::Processes& processes,
                         std::shared_ptr<ProcessRegistry> registry) {
    const auto service = std::make_shared<ProcessService>(sessions, processes, std::move(registry));
    const auto call = [&](std::string_view pattern, auto method) {
        api.add(rpc_route(pattern, "run"),
                unary(sessions, [service, method](net::Exchange& exchange, Message message) {
                    return ((*service).*method)(exchange, std::move(message));
                }));
    };
    const auto stream = [&](std::string_view pattern, auto method) {
        api.add(rpc_route(pattern, "run"),
                server_stream(sessions, [service, method](net::Exchange& exchange, Message message,
                                                          MessageStream& out) {
                    return ((*service).*method)(exchange, std::move(message), out);
                }));
    };
    stream("/e2b/sandboxes/{id}/envd/process.Process/Start", &ProcessService::start);
    stream("/e2b/sandboxes/{id}/envd/process.Process/Connect", &ProcessService::connect);
    call("/e2b/sandboxes/{id}/envd/process.Process/List", &ProcessService::list);
    call("/e2b/sandboxes/{id}/envd/process.Process/Update", &ProcessService::update);
    call("/e2b/sandboxes/{id}/envd/process.Process/SendInput", &ProcessService::send_input);
    call("/e2b/sandboxes/{id}/envd/process.Process/SendSignal", &ProcessService::send_signal);
    call("/e2b/sandboxes/{id}/envd/process.Process/CloseStdin", &ProcessService::close_input);
    api.add(rpc_route("/e2b/sandboxes/{id}/envd/process.Process/StreamInput", "run"),
            client_stream(sessions, [service](net::Exchange& exchange, MessageReader& messages) {
                return service->stream_input(exchange, messages);
            }));
}

}  // namespace atl::api::e2b
