// `atoll serve`: the server, put together from its parts and taken apart again in order.
#include "api/api.hpp"
#include "api/door.hpp"
#include "api/job_routes.hpp"
#include "api/run_routes.hpp"
#include "api/server_routes.hpp"
#include "api/session_routes.hpp"
#include "main/commands.hpp"
#include "net/server.hpp"
#include "runtimes/native/runtime.hpp"
#include "sessions/jobs.hpp"
#include "sessions/sessions.hpp"
#include "stores/folders/disk_folders.hpp"
#include "stores/sqlite/store.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace atl::main {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kGrace{10};
// Nobody's on the host, and below the ids of sandboxes (docs/decisions/0003): what untrusted code
// wrote to disk.
constexpr folders::Ids kNobodys{1'899'999'999, 1'899'999'999};

struct ServeOptions {
    std::vector<std::string> listen{"127.0.0.1:8000"};
    std::string data_dir;
    std::size_t pool = native::default_pool_size();
    std::size_t jobs = 0;
    bool access_log = false;
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
        door_ = std::make_unique<api::Door>(options_.listen);
        const auto paths = native::Paths::find().value();
        const std::string data = options_.data_dir.empty() ? paths.data : options_.data_dir;
        const std::string kept_root = data + "/sessions";
        store_ = sqlite::SqliteStore::open({.path = data + "/atoll.db"}).value();
        folders_ = folders::DiskFolders::open(context_.get_executor(), kept_root, kNobodys).value();
        native::RuntimeOptions runtime;
        runtime.pool_size = options_.pool;
        runtime.kept_root = kept_root;
        runtime_ = std::make_unique<native::NativeRuntime>(context_.get_executor(), paths, runtime);
        sessions_ = std::make_unique<sessions::Sessions>(
            context_.get_executor(), *runtime_, *store_, *folders_, sessions::SessionOptions{});
        sessions::JobOptions jobs;
        jobs.running_max = options_.jobs;
        jobs_ =
            std::make_unique<sessions::Jobs>(context_.get_executor(), *store_, *sessions_, jobs);
        spdlog::info("raising the template default");
        co_await runtime_->start();
        co_await sessions_->recover();
        const auto recovered = co_await jobs_->recover();
        if (const auto again = recovered.queued_again.size(), failed = recovered.failed.size();
            again + failed > 0) {
            spdlog::info("jobs that were running when the server ended: {} run again, {} failed",
                         again, failed);
        }
        start_http();
        asio::co_spawn(
            context_, [this] { return sessions_->keep_house(); }, asio::detached);
        asio::co_spawn(
            context_, [this] { return jobs_->run(); }, asio::detached);
        for (const auto& address : http_->addresses()) {
            spdlog::info("listening on {}; the API's documentation is at /docs", address);
        }
        asio::signal_set signals(context_, SIGINT, SIGTERM);
        co_await signals.async_wait(asio::as_tuple(asio::use_awaitable));
        spdlog::info("stopping: requests under way may end, sessions are saved");
        stopping_ = true;
        jobs_->begin_stop();
        const auto jobs_until = std::chrono::steady_clock::now() + kGrace;
        co_await http_->stop(kGrace);
        co_await jobs_->stop(jobs_until);
        co_await sessions_->stop();
        co_await runtime_->stop();
        jobs_.reset();
        sessions_.reset();
        folders_.reset();
        store_.reset();
        http_.reset();
        runtime_.reset();
    }

private:
    void start_http() {
        api::ServerFacts facts;
        facts.version = ATOLL_VERSION;
        facts.pooled = [this] { return runtime_->pooled(); };
        facts.walls = [walls = walls_of(sys::CgroupHost::detect())] { return walls; };
        facts.stopping = [this] { return stopping_; };
        api::add_server_routes(api_, std::move(facts), *sessions_, *store_);
        api::add_session_routes(api_, *sessions_);
        api::add_run_routes(api_, *sessions_);
        api::add_job_routes(api_, *jobs_);
        api_.finish({.title = "Atoll",
                     .version = ATOLL_VERSION,
                     .description = "A safe place for AI agents to work.",
                     .tags = {{"Sessions", "What a client holds on to."},
                              {"Runs", "Code in, output and results out."},
                              {"Jobs", "Code that is queued, and run when its turn comes."},
                              {"Server", "About the server itself."}}});
        net::ServerOptions http;
        http.listen = options_.listen;
        http.admit = [this](net::Request& request) { door_->admit(request); };
        if (options_.access_log) http.access_log = spdlog::stderr_logger_mt("access");
        const auto root = [this](net::Exchange& exchange) {
            return api_.router().handle(exchange);
        };
        http_ = std::make_unique<net::Server>(context_.get_executor(), std::move(http), root);
        http_->start();
    }

    asio::io_context& context_;
    const ServeOptions& options_;
    std::unique_ptr<sqlite::SqliteStore> store_;
    std::unique_ptr<folders::DiskFolders> folders_;
    std::unique_ptr<native::NativeRuntime> runtime_;
    std::unique_ptr<sessions::Sessions> sessions_;
    std::unique_ptr<sessions::Jobs> jobs_;
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
    command->add_option("--jobs", options->jobs,
                        "Jobs that run at one time; 0 is one for each processor");
    command->add_flag("--access-log", options->access_log, "One line for each request");
    command->callback([options, &exit_code] { exit_code = serve(*options); });
}

}  // namespace atl::main
