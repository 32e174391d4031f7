#include "api/e2b/envd_routes.hpp"

#include "api/e2b/envd_files.hpp"
#include "api/e2b/filesystem_service.hpp"
#include "api/e2b/process_service.hpp"
#include "api/e2b/sandbox_entry.hpp"
#include "base/fields.hpp"

#include <algorithm>
#include <ctime>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

asio::awaitable<void> send_health(sessions::Sessions& sessions, net::Exchange& exchange) {
    const bool there = co_await is_there(sessions, exchange);
    if (!there) throw SandboxGone();
    co_await exchange.respond(net::Response::empty());
}

asio::awaitable<void> send_environment(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto use = co_await enter(sessions, exchange);
    json::object all;
    for (const auto& [name, value] : use->environment()) all[name] = value;
    co_await exchange.respond(net::Response::json(200, all));
}

asio::awaitable<void> send_metrics(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto use = co_await enter(sessions, exchange);
    const auto usage = use.sandbox().usage();
    const auto& limits = use->limits();
    const json::object question{{"op", "stats"}};
    const json::object stats = co_await use.link()->call(question);
    const double cpus = std::max(limits.cpus_max, 0.01);
    // A count and no percentage: what lies between two questions is for whoever asks them.
    const json::object metrics{
        {"ts", std::time(nullptr)},
        {"cpu_count", std::max<std::int64_t>(1, static_cast<std::int64_t>(cpus + 0.5))},
        {"cpu_used_us", usage.cpu_us},
        {"mem_total", limits.memory_bytes_max},
        {"mem_used", usage.memory_bytes},
        {"mem_cache", 0},
        {"disk_used", std::max<std::int64_t>(0, fields::number_of(stats, "disk_bytes_used"))},
        {"disk_total", limits.disk_bytes_max},
    };
    co_await exchange.respond(net::Response::json(200, metrics));
}

using Answer = asio::awaitable<void> (*)(sessions::Sessions&, net::Exchange&);

void add_get(Api& api, sessions::Sessions& sessions, std::string_view pattern, Answer answer) {
    schema::Route route;
    route.method = "GET";
    route.pattern = pattern;
    route.id = pattern;
    route.scope = "run";
    route.listed = false;
    const net::Handler handler = [&sessions, answer](net::Exchange& exchange) {
        return answer(sessions, exchange);
    };
    api.add(std::move(route), plain_http(sessions, handler));
}

}  // namespace

void add_envd_routes(Api& api, sessions::Sessions& sessions, sessions::Processes& processes,
                     const EnvdState& state) {
    add_process_service(api, sessions, processes, state.processes);
    add_filesystem_service(api, sessions, state.watchers);
    add_envd_files(api, sessions);
    add_get(api, sessions, "/e2b/sandboxes/{id}/envd/health", send_health);
    add_get(api, sessions, "/e2b/sandboxes/{id}/envd/envs", send_environment);
    add_get(api, sessions, "/e2b/sandboxes/{id}/envd/metrics", send_metrics);
}

}  // namespace atl::api::e2b
