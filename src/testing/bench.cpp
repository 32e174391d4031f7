#include "testing/bench.hpp"

#include "base/must.hpp"

#include <csignal>
#include <stdexcept>

namespace atl::testing {

namespace asio = boost::asio;
using core::Whose;

struct Bench::Server {
    Server(Bench& bench, sessions::SessionOptions options)
        : store(bench.disk, Latency(bench.loop.get_executor(), bench.clock, Dice(1))),
          folders(bench.disk, Latency(bench.loop.get_executor(), bench.clock, Dice(2))),
          runtime(bench.loop.get_executor(), bench.clock, bench.disk, Dice(3)),
          all(bench.loop.get_executor(), runtime, store, folders, std::move(options), bench.clock) {
    }
    MemoryStore store;
    MemoryFolders folders;
    ScriptedRuntime runtime;
    sessions::Sessions all;
    bool house_kept = false;
};

Bench::Bench(sessions::SessionOptions options)
    : options_([this, &options] {
          options.new_id = [this] { return "s-" + std::to_string(++ids_); };
          return std::move(options);
      }()) {
    std::signal(SIGPIPE, SIG_IGN);  // as the server does
    start();
}

Bench::~Bench() { stop(); }

sessions::Sessions& Bench::sessions() { return server_->all; }
ScriptedRuntime& Bench::runtime() { return server_->runtime; }
core::Store& Bench::store() { return server_->store; }

void Bench::start() {
    server_ = std::make_unique<Server>(*this, options_);
    const auto recover = [](sessions::Sessions& all) -> asio::awaitable<bool> {
        co_await all.recover();
        co_return true;
    };
    await(recover(server_->all));
    asio::co_spawn(loop, server_->all.keep_house(),
                   [this](std::exception_ptr) { server_->house_kept = true; });
}

void Bench::stop() {
    const auto end = [](sessions::Sessions& all) -> asio::awaitable<bool> {
        co_await all.stop();
        co_return true;
    };
    await(end(server_->all));
    wait_for([this] { return server_->house_kept; });
    pass(std::chrono::seconds(5));  // what was begun beside it
    must(server_->runtime.live() == 0, "a server that has ended has no sandboxes");
    server_.reset();
}

void Bench::restart() {
    stop();
    disk.retire();
    start();
}

void Bench::kill() {
    disk.kill();
    server_->runtime.end_all();
    stop();
    disk.faults = {};
    start();
}

void Bench::wait_for(const std::function<bool()>& condition) {
    if (!run_until(loop, clock, condition, std::chrono::minutes(10))) {
        throw std::runtime_error("ten minutes have passed, and it has not come");
    }
}

void Bench::pass(std::chrono::milliseconds time) {
    run_until(
        loop, clock, [] { return false; }, time);
}

SessionId Bench::create() {
    sessions::NewSession wanted;
    wanted.owner = "ann";
    return await(server_->all.create(std::move(wanted))).id;
}

asio::awaitable<std::string> Bench::running(SessionId id, std::string code) {
    const auto use = co_await server_->all.use(Whose::of("ann"), id);
    const auto untold = use->lost();
    std::string output;
    guest_client::Run one(use.link(), use.sandbox());
    guest_client::RunRequest wanted;
    wanted.code = std::move(code);
    wanted.timeout = std::chrono::seconds(10);
    guest_client::RunListener listener;
    listener.output = [&output](core::Stream, std::string_view piece) { output += piece; };
    co_await one.run(std::move(wanted), std::move(listener));
    if (!untold.empty()) server_->all.lost_was_told(*use, untold);
    lost = untold;
    if (!output.empty() && output.back() == '\n') output.pop_back();
    co_return output;
}

std::string Bench::run(const SessionId& id, std::string code) {
    return await(running(id, std::move(code)));
}

asio::awaitable<bool> Bench::evicted(SessionId id) {
    co_await server_->all.evict(Whose::of("ann"), id);
    co_return true;
}

asio::awaitable<bool> Bench::removed(SessionId id) {
    co_await server_->all.remove(Whose::of("ann"), id);
    co_return true;
}

asio::awaitable<core::SessionState> Bench::state_of(SessionId id) {
    const auto record = co_await server_->all.get(Whose::of("ann"), id);
    co_return record.state;
}

asio::awaitable<SessionId> Bench::forked(SessionId id) {
    const sessions::Sessions::Copies copies;
    const auto made = co_await server_->all.fork(Whose::of("ann"), id, copies);
    co_return made.at(0).id;
}

}  // namespace atl::testing
