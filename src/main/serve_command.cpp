// `atoll serve`: the server, put together from its parts and taken apart again in order.
#include "api/api.hpp"
#include "api/context_routes.hpp"
#include "api/door.hpp"
#include "api/file_routes.hpp"
#include "api/port_routes.hpp"
#include "api/process_routes.hpp"
#include "api/run_routes.hpp"
#include "api/server_routes.hpp"
#include "api/session_routes.hpp"
#include "api/terminal_routes.hpp"
#include "main/commands.hpp"
#include "net/server.hpp"
#include "runtimes/native/runtime.hpp"
#include "sessions/processes.hpp"
#include "sessions/sessions.hpp"
#include "stores/folders/disk_folders.hpp"
#include "stores/folders/disk_outputs.hpp"
#include "stores/sqlite/store.hpp"
#include "sys/memory.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace atl::main {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kGrace{10};
constexpr std::chrono::hours kOutputsStay{24};
constexpr int kStoppedTwice = 130;
// Nobody's on the host, and below the ids of sandboxes (docs/decisions/0003): what untrusted code
// wrote to disk.
constexpr folders::Ids kNobodys{1'899'999'999, 1'899'999'999};

struct ServeOptions {
    std::vector<std::string> listen{"127.0.0.1:8000"};
    std::string data_dir;
    std::size_t pool = native::default_pool_size();
    bool access_log = false;
    std::chrono::seconds ports_answer_timeout{60};
};

std::string walls_of(const sys::CgroupHost& host) {
    std::string text = "namespaces, seccomp, ";
    switch (host.version) {
        case sys::CgroupHost::Version::V1: text += "cgroup v1"; break;
        case sys::CgroupHost::Version::V2: text += "cgroup v2"; break;
        case sys::CgroupHost::Version::None: text += "no cgroup (memory is watched)"; break;
    }
    return text;
}

// Everything that lives as long as the server does, in the order in which it depends on what stands
// above it.
class Assembly {
public:
    Assembly(asio::io_context& context, const ServeOptions& options)
        : context_(context), options_(options) {}

    asio::awaitable<void> run() {
        std::exception_ptr failed;
        try {
            co_await serve_until_told();
        } catch (...) { failed = std::current_exception(); }
        co_await take_down();
        if (failed) std::rethrow_exception(failed);
    }

private:
    asio::awaitable<void> serve_until_told() {
        door_ = std::make_unique<api::Door>(options_.listen);
        const auto paths = native::Paths::find().value();
        const std::string data = options_.data_dir.empty() ? paths.data : options_.data_dir;
        const std::string kept_root = data + "/sessions";
        store_ = sqlite::SqliteStore::open({.path = data + "/atoll.db"}).value();
        folders_ = folders::DiskFolders::open(context_.get_executor(), kept_root, kNobodys).value();
        outputs_ = folders::DiskOutputs::open(kept_root, data + "/outputs").value();
        outputs_->remove_older(kOutputsStay);
        native::RuntimeOptions runtime;
        runtime.pool_size = options_.pool;
        runtime.kept_root = kept_root;
        runtime_ = std::make_unique<native::NativeRuntime>(context_.get_executor(), paths, runtime);
        sessions::SessionOptions session_options;
        session_options.memory_free = [] { return sys::memory_free(); };
        sessions_ = std::make_unique<sessions::Sessions>(context_.get_executor(), *runtime_,
                                                         *store_, *folders_, session_options);
        processes_ = std::make_unique<sessions::Processes>(context_.get_executor());
        make_http();
        http_->bind();  // a port that is taken is said at once
        spdlog::info("raising the template default");
        co_await runtime_->start();
        co_await sessions_->recover();
        http_->start();
        asio::co_spawn(
            context_, [this] { return sessions_->keep_house(); }, asio::detached);
        for (const auto& address : http_->addresses()) {
            spdlog::info("listening on {}; the API's documentation is at /docs", address);
        }
        asio::co_spawn(
            context_, [this] { return clear_outputs(); }, asio::detached);
        signals_.emplace(context_, SIGINT, SIGTERM);
        co_await signals_->async_wait(asio::as_tuple(asio::use_awaitable));
        spdlog::info("stopping: requests under way may end, sessions are saved; again to stop now");
        stopping_ = true;
        signals_->async_wait([](boost::system::error_code cancelled, int) {
            // As if killed: what is on disk is whole, and the next start clears the rest.
            if (!cancelled) std::_Exit(kStoppedTwice);
        });
        co_await http_->stop(kGrace);
    }

    // In order, whatever of it is there: coroutines must end before what they refer to.
    asio::awaitable<void> take_down() {
        stopping_ = true;
        if (sessions_) co_await sessions_->stop();
        if (runtime_) co_await runtime_->stop();
        processes_.reset();
        sessions_.reset();
        folders_.reset();
        store_.reset();
        http_.reset();
        runtime_.reset();
    }

    asio::awaitable<void> clear_outputs() {
        asio::steady_timer hour(context_);
        while (!stopping_) {
            hour.expires_after(std::chrono::hours{1});
            co_await hour.async_wait(asio::as_tuple(asio::use_awaitable));
            outputs_->remove_older(kOutputsStay);
        }
    }

    void make_http() {
        api::ServerFacts facts;
        facts.version = ATOLL_VERSION;
        facts.pooled = [this] { return runtime_->pooled(); };
        facts.walls = [walls = walls_of(sys::CgroupHost::detect())] { return walls; };
        facts.stopping = [this] { return stopping_; };
        api::add_server_routes(api_, std::move(facts), *sessions_, *store_);
        api::add_session_routes(api_, *sessions_);
        api::add_run_routes(api_, *sessions_, *outputs_, {});
        api::add_file_routes(api_, *sessions_);
        api::add_context_routes(api_, *sessions_);
        api::add_process_routes(api_, *sessions_, *processes_);
        api::add_terminal_routes(api_, *sessions_);
        api::add_port_routes(api_, *sessions_, {options_.ports_answer_timeout});
        api_.finish({.title = "Atoll",
                     .version = ATOLL_VERSION,
                     .description = "A safe place for AI agents to work.",
                     .tags = {{"Sessions", "What a client holds on to."},
                              {"Runs", "Code in, output and results out."},
                              {"Files", "The files of a session, from outside."},
                              {"Contexts", "Python kernels and what stands in them."},
                              {"Processes", "Programs to come back to, and terminals."},
                              {"Ports", "Web servers inside of sandboxes."},
                              {"Server", "About the server itself."}}});
        net::ServerOptions http;
        http.listen = options_.listen;
        http.admit = [this](net::Request& request) {
            api::let_port_pages_in(request);
            door_->admit(request);
        };
        if (options_.access_log) http.access_log = spdlog::stderr_logger_mt("access");
        const auto root = [this](net::Exchange& exchange) {
            return api_.router().handle(exchange);
        };
        http_ = std::make_unique<net::Server>(context_.get_executor(), std::move(http), root);
    }

    asio::io_context& context_;
    const ServeOptions& options_;
    std::optional<asio::signal_set> signals_;  // until then a signal ends us, as it would anybody
    std::unique_ptr<sqlite::SqliteStore> store_;
    std::unique_ptr<folders::DiskFolders> folders_;
    std::unique_ptr<folders::DiskOutputs> outputs_;
    std::unique_ptr<native::NativeRuntime> runtime_;
    std::unique_ptr<sessions::Sessions> sessions_;
    std::unique_ptr<sessions::Processes> processes_;
    std::unique_ptr<api::Door> door_;
    api::Api api_;
    std::unique_ptr<net::Server> http_;
    bool stopping_ = false;
};

int serve(const ServeOptions& options) {
    std::signal(SIGPIPE, SIG_IGN);
    spdlog::set_default_logger(spdlog::stderr_logger_mt("atoll"));
    spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    asio::io_context context(1);
    Assembly assembly(context, options);
    int status = 0;
    asio::co_spawn(
        context, [&] { return assembly.run(); },
        [&](std::exception_ptr failed) {
            try {
                if (failed) std::rethrow_exception(failed);
            } catch (const std::exception& error) {
                std::fprintf(stderr, "atoll serve: %s\n", error.what());
                status = 1;
            }
            context.stop();
        });
    context.run();
    return status;
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("serve", "Serve sessions over HTTP");
    const auto options = std::make_shared<ServeOptions>();  // lives as long as the callback
    command->add_option("--listen", options->listen,
                        "Address and port, [::1]:port or unix:/path; may be given again");
    command->add_option("--data-dir", options->data_dir,
                        "Where sessions and the database lie; templates stay where they are");
    command->add_option("--pool", options->pool, "Sandboxes kept ready");
    command->add_flag("--access-log", options->access_log, "One line for each request");
    command
        ->add_option_function<unsigned>(
            "--ports-answer-timeout",
            [options](unsigned seconds) {
                options->ports_answer_timeout = std::chrono::seconds(seconds);
            },
            "Seconds that a web server in a sandbox may take to answer (60)")
        ->check(CLI::Range(1u, 3600u));
    command->callback([options, &exit_code] { exit_code = serve(*options); });
}

}  // namespace atl::main
