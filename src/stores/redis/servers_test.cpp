// Two servers on one Redis, killed at random while clients ask: no message is lost, none is there
// twice, and every history is in order.
#include "stores/redis/test_support.hpp"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <map>
#include <poll.h>
#include <random>
#include <set>

namespace atl::redis::testing {

namespace {

using core::Whose;
using core::contract::says;
using core::contract::thread;
using core::contract::turn_request;
using std::chrono::milliseconds;

constexpr int kMessages = 1000;
constexpr int kThreads = 100;
constexpr std::size_t kAtOnce = 24;

std::string thread_of(int number) { return "t" + std::to_string(number % kThreads); }

// Until this message is answered, as a server with a client's request would.
asio::awaitable<void> serve_one(RedisThreads* threads, std::string instance, int number, int say) {
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer pause(executor);
    const std::string name = std::to_string(number);
    while (true) {
        bool busy = false;
        try {
            auto wanted = turn_request(thread_of(number), instance, "question " + name, name, 250);
            const auto begun = co_await threads->begin_turn(std::move(wanted));
            if (!begun.repeated) {
                const std::string turn = std::to_string(begun.hold.turn);
                auto part = says("thinking about " + name + " in turn " + turn);
                co_await threads->append(begun.hold, part);
                pause.expires_after(milliseconds(number % 7));
                co_await pause.async_wait(asio::use_awaitable);
                auto answer = says("answer to " + name);
                co_await threads->end_turn(begun.hold, answer);
            }
        } catch (const ErrorException& thrown) {
            if (thrown.error.code != Code::Conflict) throw;
            busy = true;
        }
        if (!busy) break;
        pause.expires_after(milliseconds(15));
        co_await pause.async_wait(asio::use_awaitable);
    }
    const std::string line = name + "\n";
    [[maybe_unused]] const auto unread = ::write(say, line.data(), line.size());
}

asio::awaitable<void> take_requests(RedisThreads* threads, std::string instance, int from,
                                    int say) {
    const auto executor = co_await asio::this_coro::executor;
    asio::posix::stream_descriptor in(executor, from);
    std::string text;
    while (true) {
        const auto bytes = co_await asio::async_read_until(in, asio::dynamic_buffer(text), '\n',
                                                           asio::use_awaitable);
        const int number = std::stoi(text.substr(0, bytes - 1));
        text.erase(0, bytes);
        // A failure ends the process: its client sees that nobody answers, and asks the other.
        asio::co_spawn(executor, serve_one(threads, instance, number, say),
                       [](std::exception_ptr failed) {
                           if (failed) ::_exit(3);
                       });
    }
}

// A server process. Its name is new with each life, as a server's is.
class ServerProcess {
public:
    ServerProcess(const RedisServer& redis, const std::string& instance) {
        int in[2];
        int out[2];
        if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) {
            throw std::runtime_error("pipe2");
        }
        ask_ = UniqueFd(in[1]);
        heard_ = UniqueFd(out[0]);
        const UniqueFd from(in[0]);
        const UniqueFd say(out[1]);
        const pid_t parent = ::getpid();
        pid_ = ::fork();
        if (pid_ < 0) throw std::runtime_error("fork");
        if (pid_ > 0) return;
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(1);
        try {
            asio::io_context loop;
            RedisThreads threads(loop.get_executor(), options_of(redis));
            asio::co_spawn(loop, take_requests(&threads, instance, ::dup(from.get()), say.get()),
                           [](std::exception_ptr) { ::_exit(0); });
            loop.run();
        } catch (const std::exception&) {}
        ::_exit(2);
    }
    ServerProcess(const ServerProcess&) = delete;
    ServerProcess& operator=(const ServerProcess&) = delete;
    ~ServerProcess() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    // By itself. Its pipe does not tell: a younger server has a copy of the other end.
    [[nodiscard]] bool has_ended() {
        if (::waitpid(pid_, nullptr, WNOHANG) != pid_) return false;
        pid_ = -1;
        return true;
    }
    void ask(int number) {
        const std::string line = std::to_string(number) + "\n";
        [[maybe_unused]] const auto unread = ::write(ask_.get(), line.data(), line.size());
        under_way.insert(number);
    }
    // What it has answered meanwhile.
    void listen(std::set<int>& answered) {
        char piece[4096];
        const auto n = ::read(heard_.get(), piece, sizeof piece);
        if (n <= 0) return;
        text_.append(piece, static_cast<std::size_t>(n));
        for (std::size_t end = 0; (end = text_.find('\n')) != text_.npos;) {
            const int number = std::stoi(text_.substr(0, end));
            text_.erase(0, end + 1);
            under_way.erase(number);
            answered.insert(number);
        }
    }
    [[nodiscard]] int heard() const { return heard_.get(); }

    std::set<int> under_way;

private:
    pid_t pid_ = -1;
    UniqueFd ask_;
    UniqueFd heard_;
    std::string text_;
};

TEST(RedisServers, KilledAtRandomTheyLoseAndDoubleNothing) {
    RedisServer redis;
    {
        asio::io_context loop;
        RedisThreads threads(loop.get_executor(), options_of(redis));
        for (int i = 0; i < kThreads; ++i) {
            await(loop, threads.create_thread(thread("t" + std::to_string(i), "ann"), 0));
        }
    }
    std::signal(SIGPIPE, SIG_IGN);  // a server that is asked may be gone
    std::mt19937 random(314);
    int lives = 0;
    const auto start = [&] {
        return std::make_unique<ServerProcess>(redis, "server-" + std::to_string(++lives));
    };
    std::unique_ptr<ServerProcess> servers[2] = {start(), start()};
    std::vector<int> to_ask;
    for (int i = kMessages; i-- > 0;) to_ask.push_back(i);
    std::set<int> answered;
    using Clock = std::chrono::steady_clock;
    const auto give_up = Clock::now() + std::chrono::seconds(60);
    std::size_t next_kill = 10;
    int kills = 0;
    while (answered.size() < kMessages) {
        ASSERT_LT(Clock::now(), give_up) << answered.size() << " answered";
        const auto replace = [&](std::unique_ptr<ServerProcess>& server) {
            for (const int number : server->under_way) to_ask.push_back(number);
            server = start();
        };
        while (!to_ask.empty() &&
               servers[0]->under_way.size() + servers[1]->under_way.size() < kAtOnce) {
            const int number = to_ask.back();
            to_ask.pop_back();
            // Now and then to both: a client that was impatient.
            servers[random() % 2]->ask(number);
            if (random() % 10 == 0) servers[random() % 2]->ask(number);
        }
        pollfd ends[2] = {{servers[0]->heard(), POLLIN, 0}, {servers[1]->heard(), POLLIN, 0}};
        ::poll(ends, 2, 20);
        for (std::size_t i = 0; i < 2; ++i) {
            if ((ends[i].revents & POLLIN) != 0) servers[i]->listen(answered);
            if (servers[i]->has_ended()) replace(servers[i]);
        }
        if (answered.size() >= next_kill) {
            next_kill = answered.size() + 20 + random() % 40;
            replace(servers[random() % 2]);
            ++kills;
        }
    }
    servers[0].reset();
    servers[1].reset();

    asio::io_context loop;
    RedisThreads threads(loop.get_executor(), options_of(redis));
    std::map<std::string, int> seen;
    int notes = 0;
    for (int i = 0; i < kThreads; ++i) {
        const ThreadId id("t" + std::to_string(i));
        std::uint64_t next = 1;
        std::uint64_t turn = 0;
        while (true) {
            const auto more = await(loop, threads.read(Whose::of("ann"), id, next, 1u << 20));
            if (more.empty()) break;
            for (const auto& message : more) {
                EXPECT_EQ(message.sequence, next++);
                EXPECT_GE(message.turn, turn);
                turn = message.turn;
                if (message.role == core::MessageRole::Note) {
                    ++notes;
                } else {
                    ++seen[message.content];
                }
            }
        }
        EXPECT_EQ(await(loop, threads.get_thread(Whose::of("ann"), id)).messages, next - 1);
    }
    for (int i = 0; i < kMessages; ++i) {
        EXPECT_EQ(seen["question " + std::to_string(i)], 1) << i;
        EXPECT_EQ(seen["answer to " + std::to_string(i)], 1) << i;
    }
    std::printf("%d messages over %d threads, %d kills, %d turns cut off\n", kMessages, kThreads,
                kills, notes);
    EXPECT_GE(kills, 10);
}

}  // namespace

}  // namespace atl::redis::testing
