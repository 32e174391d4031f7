// Atoll's side of the benchmarks: measures the native runtime from the host's side of the protocol
// and prints one JSON line a metric, for bench/run to put beside its peers.
#include "first_result.hpp"
#include "guest_client/guest_link.hpp"
#include "runtimes/native/direct.hpp"
#include "runtimes/native/runtime.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Validators.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace atl;
using Clock = std::chrono::steady_clock;
constexpr auto as_tuple = asio::as_tuple(asio::use_awaitable);

double ms_since(Clock::time_point began) {
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

void report(const char* metric, const std::vector<double>& samples, json::object extra = {}) {
    json::array list;
    for (const double sample : samples) list.emplace_back(sample);
    std::printf("%s\n", json::serialize(json::object{{"metric", metric},
                                                     {"samples_ms", std::move(list)},
                                                     {"extra", std::move(extra)}})
                            .c_str());
    std::fflush(stdout);
}

struct Live {
    std::unique_ptr<core::Sandbox> sandbox;
    std::shared_ptr<guest_client::GuestLink> link;
};

asio::awaitable<std::string> run_code(guest_client::GuestLink& link, std::string code) {
    std::string out;
    const json::object request{{"op", "kernel.run"}, {"code", code}};
    guest_client::ChannelHandlers handlers;
    handlers.output = [&out](core::Stream, std::string_view piece) { out += piece; };
    const guest_client::Channel channel = link.open(request, std::move(handlers));
    co_await channel.end();
    co_return out;
}

class Bench {
public:
    Bench(asio::io_context& context, std::size_t pool) : context_(context) {
        native::RuntimeOptions options;
        options.pool_size = pool;
        runtime_.emplace(context.get_executor(), native::Paths::find().value(), options);
    }

    asio::awaitable<void> start() { co_await runtime_->start(); }
    asio::awaitable<void> stop() { co_await runtime_->stop(); }

    asio::awaitable<Live> create() {
        Live live;
        const core::SandboxSpec spec;
        live.sandbox = co_await runtime_->create(spec);
        live.link =
            guest_client::GuestLink::start(context_.get_executor(), live.sandbox->take_stream());
        co_return live;
    }

    static void destroy(Live& live) {
        live.link->close();
        live.sandbox->destroy();
    }

    asio::awaitable<void> pool_full(std::size_t size) {
        asio::steady_timer pause(context_);
        while (runtime_->warmed() < size) {
            pause.expires_after(std::chrono::milliseconds(2));
            co_await pause.async_wait(as_tuple);
        }
    }

    asio::awaitable<double> first_result() {
        const auto began = Clock::now();
        Live live = co_await create();
        const std::string out = co_await run_code(*live.link, kFirstResult);
        const double ms = ms_since(began);
        if (out.find("dtype: int64") == std::string::npos) {
            throw std::runtime_error("unexpected result: " + out);
        }
        destroy(live);
        co_return ms;
    }

    asio::awaitable<void> sequential(const char* metric, int count, std::size_t pool) {
        std::vector<double> samples;
        for (int i = 0; i < count; ++i) {
            co_await pool_full(pool);
            samples.push_back(co_await first_result());
        }
        report(metric, samples);
    }

    asio::awaitable<void> burst(int count, std::size_t pool) {
        co_await pool_full(pool);
        std::vector<double> samples;
        int left = count, failed = 0;
        asio::steady_timer done(context_, asio::steady_timer::time_point::max());
        const auto began = Clock::now();
        for (int i = 0; i < count; ++i) {
            asio::co_spawn(context_, first_result(), [&](std::exception_ptr error, double ms) {
                if (error)
                    ++failed;
                else
                    samples.push_back(ms);
                if (--left == 0) done.cancel();
            });
        }
        while (left > 0) co_await done.async_wait(as_tuple);
        const json::object extra{{"failed", failed}, {"all_ms", ms_since(began)}};
        report("burst_100", samples, extra);
    }

    asio::awaitable<void> round_trip(int count) {
        Live live = co_await create();
        for (int i = 0; i < 20; ++i) co_await run_code(*live.link, "1+1");
        std::vector<double> samples;
        for (int i = 0; i < count; ++i) {
            const auto began = Clock::now();
            co_await run_code(*live.link, "1+1");
            samples.push_back(ms_since(began));
        }
        report("round_trip", samples);
        destroy(live);
    }

    asio::awaitable<void> restart(int count) {
        Live live = co_await create();
        std::vector<double> samples;
        for (int i = 0; i < count; ++i) {
            co_await run_code(*live.link, "import pandas; x = 1");
            const auto began = Clock::now();
            const json::object request{{"op", "kernel.restart"}};
            co_await live.link->call(request);
            co_await run_code(*live.link, "1+1");
            samples.push_back(ms_since(began));
        }
        report("restart", samples);
        destroy(live);
    }

    asio::awaitable<void> memory(int count, std::size_t pool) {
        std::vector<Live> live;
        co_await pool_full(pool);
        const std::uint64_t before = co_await measure();
        for (int i = 0; i < count; ++i) {
            live.push_back(co_await create());
            co_await pool_full(pool);
        }
        const std::uint64_t idle = co_await measure();
        for (auto& one : live) co_await run_code(*one.link, "import pandas as pd");
        const std::uint64_t after = co_await measure();
        const double each = static_cast<double>(idle - before) / count / (1 << 20);
        const double used = static_cast<double>(after - before) / count / (1 << 20);
        int alive = 0;
        for (auto& one : live) {
            if ((co_await run_code(*one.link, "print(pd.DataFrame({'a':[1]}).sum().a)")) == "1\n")
                ++alive;
        }
        const double after_frame =
            static_cast<double>(co_await measure() - before) / count / (1 << 20);
        const json::object extra{
            {"sandboxes", count},
            {"answered", alive},
            {"bytes_each", (idle - before) / static_cast<std::uint64_t>(count)},
            {"mib_each_idle", each},
            {"mib_each_imported", used},
            {"mib_each_after_a_frame", after_frame}};
        report("memory_per_sandbox", {each}, extra);
        for (auto& one : live) destroy(one);
    }

    // `keep` at a time, fresh state each: create, print(1+1), destroy.
    asio::awaitable<void> cycles(const char* metric, int count, int at_once) {
        int started = 0, left = at_once, failed = 0;
        asio::steady_timer done(context_, asio::steady_timer::time_point::max());
        const auto began = Clock::now();
        for (int worker = 0; worker < at_once; ++worker) {
            auto work = [this, &started, &failed, count]() -> asio::awaitable<void> {
                while (started < count) {
                    ++started;
                    Live live = co_await create();
                    if ((co_await run_code(*live.link, "print(1+1)")) != "2\n") ++failed;
                    destroy(live);
                }
            };
            works_.push_back(std::make_unique<std::function<asio::awaitable<void>()>>(work));
            asio::co_spawn(context_, (*works_.back())(), [&](std::exception_ptr error) {
                if (error) ++failed;
                if (--left == 0) done.cancel();
            });
        }
        while (left > 0) co_await done.async_wait(as_tuple);
        const double ms = ms_since(began);
        const json::object extra{{"runs", count},
                                 {"failed", failed},
                                 {"at_once", at_once},
                                 {"per_second", count / ms * 1000}};
        report(metric, {ms / count}, extra);
    }

private:
    // All memory of the nest's processes, what they share counted once: the sum of PSS.
    asio::awaitable<std::uint64_t> measure() {
        asio::steady_timer pause(context_, std::chrono::milliseconds(300));
        co_await pause.async_wait(as_tuple);
        std::uint64_t bytes = 0;
        for (const pid_t pid : tree(runtime_->nest()->init_pid())) {
            std::ifstream file("/proc/" + std::to_string(pid) + "/smaps_rollup");
            std::string line;
            while (std::getline(file, line)) {
                if (line.rfind("Pss:", 0) == 0) {
                    bytes += std::strtoull(line.c_str() + 4, nullptr, 10) * 1024;
                }
            }
        }
        co_return bytes;
    }
    static std::set<pid_t> tree(pid_t root) {
        std::set<pid_t> all{root};
        std::vector<pid_t> open{root};
        while (!open.empty()) {
            const std::string id = std::to_string(open.back());
            open.pop_back();
            std::ifstream file("/proc/" + id + "/task/" + id + "/children");
            pid_t child = 0;
            while (file >> child) {
                if (all.insert(child).second) open.push_back(child);
            }
        }
        return all;
    }

    asio::io_context& context_;
    std::optional<native::NativeRuntime> runtime_;
    std::vector<std::unique_ptr<std::function<asio::awaitable<void>()>>> works_;
};

struct Options {
    std::string what;
    int count = 0;
    std::optional<std::size_t> pool;
};

asio::awaitable<void> measure(asio::io_context& context, Options options) {
    const auto count = [&](int usual) { return options.count > 0 ? options.count : usual; };
    // Memory: of sandboxes forked on demand, or with --pool 1 of members that were warmed ahead.
    const std::size_t usual =
        options.what == "memory_per_sandbox" ? 0 : native::default_pool_size();
    const std::size_t pool = options.pool.value_or(usual);
    Bench bench(context, pool);
    co_await bench.start();
    if (options.what == "first_result") {
        const char* metric = pool > 0 ? "first_result_pool_hit" : "first_result_pool_empty";
        co_await bench.sequential(metric, count(100), pool);
    } else if (options.what == "burst_100") {
        co_await bench.burst(count(100), pool);
    } else if (options.what == "round_trip") {
        co_await bench.round_trip(count(1000));
    } else if (options.what == "restart") {
        co_await bench.restart(count(100));
    } else if (options.what == "ephemeral_rate") {
        co_await bench.cycles("ephemeral_rate", count(300), 8);
    } else if (options.what == "leak_check") {
        co_await bench.cycles("leak_check", count(1000), 20);
    } else {
        co_await bench.memory(count(300), pool);
    }
    co_await bench.stop();
}

}  // namespace

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN);
    CLI::App app{"Measures Atoll's native runtime; one JSON line a metric"};
    Options options;
    app.add_option("--what", options.what)
        ->required()
        ->check(CLI::IsMember({"first_result", "burst_100", "round_trip", "restart",
                               "memory_per_sandbox", "ephemeral_rate", "leak_check"}));
    app.add_option("--count", options.count, "How often, instead of the usual number");
    app.add_option("--pool", options.pool, "Sandboxes kept ready; 0 = each is forked on demand");
    CLI11_PARSE(app, argc, argv);
    asio::io_context context(1);
    int status = 0;
    asio::co_spawn(context, measure(context, options), [&](std::exception_ptr error) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const std::exception& failed) {
            std::fprintf(stderr, "atoll-bench-native: %s\n", failed.what());
            status = 1;
        }
        context.stop();
    });
    context.run();
    return status;
}
