#include "stores/redis/connection.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <hiredis/hiredis.h>
#include <mutex>

namespace atl::redis {

namespace asio = boost::asio;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using StreamSocket = asio::generic::stream_protocol::socket;

namespace {

struct FreeReader {
    void operator()(redisReader* reader) const noexcept { redisReaderFree(reader); }
};
struct FreeReply {
    void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
};

// hiredis makes room for a list before its first element is there: a stranger who announces two
// thousand million of them would have all memory. Its own function makes the list, if it may be;
// the types of its arguments differ between versions of hiredis.
constexpr auto kListMax = 1u << 20;
decltype(redisReplyObjectFunctions::createArray) make_list = nullptr;
template <class Number>
void* make_bounded_list(const redisReadTask* task, Number count) {
    return static_cast<std::size_t>(count) > kListMax ? nullptr : make_list(task, count);
}

redisReader* make_reader() {
    redisReader* reader = redisReaderCreate();
    static redisReplyObjectFunctions functions = [reader] {
        auto ours = *reader->fn;
        make_list = ours.createArray;
        ours.createArray = &make_bounded_list;
        return ours;
    }();
    reader->fn = &functions;
    return reader;
}

Reply value_of(const redisReply& from) {
    Reply reply;
    switch (from.type) {
        case REDIS_REPLY_INTEGER:
            reply.kind = Reply::Kind::Number;
            reply.number = from.integer;
            break;
        case REDIS_REPLY_ARRAY:
            reply.kind = Reply::Kind::List;
            reply.list.reserve(from.elements);
            for (std::size_t i = 0; i < from.elements; ++i) {
                reply.list.push_back(value_of(*from.element[i]));
            }
            break;
        case REDIS_REPLY_STRING:
        case REDIS_REPLY_STATUS:
            reply.kind = Reply::Kind::Text;
            reply.text.assign(from.str, static_cast<std::size_t>(from.len));
            break;
        case REDIS_REPLY_ERROR:
            reply.kind = Reply::Kind::Refusal;
            reply.text.assign(from.str, static_cast<std::size_t>(from.len));
            break;
        default: break;
    }
    return reply;
}

std::string command_of(std::span<const std::string_view> words) {
    std::vector<const char*> starts;
    std::vector<std::size_t> lengths;
    for (const auto word : words) {
        starts.push_back(word.data());
        lengths.push_back(word.size());
    }
    char* text = nullptr;
    const int length = redisFormatCommandArgv(&text, static_cast<int>(words.size()), starts.data(),
                                              lengths.data());
    if (length < 0) throw ErrorException({Code::Internal, "a command for Redis cannot be written"});
    std::string command(text, static_cast<std::size_t>(length));
    redisFreeCommand(text);
    return command;
}

bool begins_with(const std::string& text, std::string_view start) {
    return text.compare(0, start.size(), start) == 0;
}

std::string name_of(const RedisOptions& options) {
    if (!options.socket.empty()) return "Redis at " + options.socket;
    return "Redis at " + options.host + ":" + std::to_string(options.port);
}

// Somebody who waits for an answer.
class Waiter {
public:
    virtual ~Waiter() = default;
    virtual void answer(Result<Reply> outcome) = 0;  // once
};

template <class Handler>
class AwaitedReply final : public Waiter {
public:
    explicit AwaitedReply(Handler handler)
        // Tracked: a loop must not run out of work while a coroutine of its own waits here.
        : executor_(asio::prefer(asio::any_io_executor(asio::get_associated_executor(handler)),
                                 asio::execution::outstanding_work.tracked)),
          handler_(std::move(handler)) {}
    void answer(Result<Reply> outcome) override {
        auto resume = [handler = std::move(handler_), outcome = std::move(outcome)]() mutable {
            std::move(handler)(std::move(outcome));
        };
        asio::post(executor_, std::move(resume));
    }

private:
    asio::any_io_executor executor_;
    Handler handler_;
};

struct Request {
    std::string command;  // empty once it is with the socket
    std::size_t bytes = 0;
    Clock::time_point deadline;
    std::unique_ptr<Waiter> waiter;
};

}  // namespace

Error explain(const std::string& refusal, const std::string& where) {
    struct Row {
        std::string_view start;
        Code code;
        std::string_view meaning;
    };
    static constexpr Row rows[] = {
        {"LOADING", Code::Unavailable, "is still reading its data; try again in a moment"},
        {"OOM", Code::Exhausted, "has no memory left; give it more, or remove some threads"},
        {"MISCONF", Code::Unavailable, "cannot write its data to its disk"},
        {"READONLY", Code::Unavailable, "is a replica that cannot be written; name the primary"},
        {"MASTERDOWN", Code::Unavailable, "has lost its primary"},
        {"BUSY", Code::Unavailable, "is busy with a script; try again in a moment"},
        {"NOAUTH", Code::Unavailable, "wants a password; set REDIS_PASSWORD"},
        {"WRONGPASS", Code::Unavailable, "refuses the password; check REDIS_PASSWORD"},
        {"NOPERM", Code::Unavailable, "does not let this user do what threads need"},
        {"DENIED", Code::Unavailable, "refuses other machines (protected mode)"},
    };
    // Before Redis 7, what a script met stands inside the sentence.
    const bool inside = begins_with(refusal, "ERR Error running script");
    for (const auto& row : rows) {
        if (begins_with(refusal, row.start) ||
            (inside && refusal.find(": -" + std::string(row.start)) != refusal.npos)) {
            return {row.code, where + " " + std::string(row.meaning) + " (" + refusal + ")"};
        }
    }
    return {Code::Internal, where + ": " + refusal};
}

class Connection::Life : public std::enable_shared_from_this<Connection::Life> {
public:
    Life(asio::any_io_executor executor, RedisOptions options,
         std::span<const std::string_view> scripts)
        : executor_(std::move(executor)),
          options_(std::move(options)),
          where_(redis::name_of(options_)),
          scripts_(scripts.begin(), scripts.end()),
          digests_(scripts.size()),
          retry_(executor_),
          over_(executor_),
          watch_(executor_) {}

    // Detached: it holds this, refers to nothing else, and ends after stop().
    void start() { asio::co_spawn(executor_, live(shared_from_this()), asio::detached); }

    void stop() {
        stopped_ = true;
        lose("the server is stopping");
        retry_.cancel();
    }

    [[nodiscard]] const std::string& where() const { return where_; }
    [[nodiscard]] std::string_view script(std::size_t number) const { return scripts_[number]; }
    [[nodiscard]] std::string digest(std::size_t number) const {
        const std::lock_guard guard(mutex_);
        return digests_[number];
    }
    [[nodiscard]] const asio::any_io_executor& executor() const { return executor_; }
    [[nodiscard]] std::string trouble() const {
        const std::lock_guard guard(mutex_);
        return trouble_;
    }

    void submit(Request request) {
        if (state_ == State::Down) {
            request.waiter->answer(unreachable());
            return;
        }
        if (requests_.size() >= options_.requests_max ||
            (!requests_.empty() && requests_bytes_ + request.bytes > options_.requests_bytes_max)) {
            request.waiter->answer(Error{
                Code::Unavailable, where_ + " is behind: " + std::to_string(requests_.size()) +
                                       " requests wait already; try again in a moment"});
            return;
        }
        request.deadline = Clock::now() + options_.answer_timeout;
        requests_bytes_ += request.bytes;
        requests_.push_back(std::move(request));
        // While connecting, the greeting has the socket for itself.
        if (state_ == State::Ready) hand_over();
    }

private:
    enum class State { Connecting, Ready, Down };
    struct Link {
        explicit Link(const asio::any_io_executor& executor)
            : socket(executor), resolver(executor), reader(make_reader()) {}
        StreamSocket socket;
        asio::ip::tcp::resolver resolver;
        std::unique_ptr<redisReader, FreeReader> reader;
        std::size_t reply_bytes = 0;  // of the reply that is not whole yet
        std::string out;              // to be written next
        std::string writing;
        bool lost = false;
    };

    static asio::awaitable<void> live(std::shared_ptr<Life> self) {
        auto pause = self->options_.retry_min;
        while (!self->stopped_) {
            bool was_ready = false;
            std::string fault;
            try {
                was_ready = co_await self->serve();
            } catch (const std::exception& failed) { fault = failed.what(); }
            // No memory, or no thread to look the name up: as any other outage, it is tried again.
            if (!fault.empty()) self->lose(fault);
            if (self->stopped_) break;
            if (was_ready) pause = self->options_.retry_min;
            self->retry_.expires_after(pause);
            error_code ignored;
            co_await self->retry_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
            pause = std::min(pause * 2, self->options_.retry_max);
            if (!self->stopped_) self->state_ = State::Connecting;
        }
    }

    // From the first packet to the last. Whether it was ever ready.
    asio::awaitable<bool> serve() {
        auto link = std::make_shared<Link>(executor_);
        link_ = link;
        watch_until(Clock::now() + options_.connect_timeout, "did not answer in time");
        error_code failed;
        co_await connect(link, failed);
        if (link->lost) co_return false;  // the watch was faster
        if (failed) {
            lose("cannot be reached: " + failed.message());
            co_return false;
        }
        read_more(link);
        std::string refusal;
        co_await greet(link, refusal);
        if (link->lost) co_return false;
        if (!refusal.empty()) {
            lose_because(explain(refusal, where_).message);
            co_return false;
        }
        state_ = State::Ready;
        {
            const std::lock_guard guard(mutex_);
            trouble_.clear();
        }
        watch_.cancel();
        const auto deadline = Clock::now() + options_.answer_timeout;
        for (auto& request : requests_) request.deadline = deadline;
        hand_over();
        over_.expires_at(Clock::time_point::max());
        if (!link->lost) {
            error_code ignored;
            co_await over_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        }
        co_return true;
    }

    asio::awaitable<void> connect(std::shared_ptr<Link> link, error_code& failed) {
        auto token = asio::redirect_error(asio::use_awaitable, failed);
        if (!options_.socket.empty()) {
            // Longer than an address of a unix socket may be: Asio would throw.
            if (options_.socket.size() > 107) {
                failed = asio::error::name_too_long;
                co_return;
            }
            const asio::generic::stream_protocol::endpoint there(
                asio::local::stream_protocol::endpoint(options_.socket));
            co_await link->socket.async_connect(there, token);
            co_return;
        }
        // Asio asks for names on a thread of its own.
        const std::string port = std::to_string(options_.port);
        const auto found = co_await link->resolver.async_resolve(
            options_.host, port, asio::ip::resolver_base::numeric_service, token);
        if (failed) co_return;
        failed = asio::error::host_not_found;
        for (const auto& entry : found) {
            error_code ignored;
            link->socket.close(ignored);
            const asio::generic::stream_protocol::endpoint there(entry.endpoint());
            co_await link->socket.async_connect(there, token);
            if (!failed || link->lost) break;
        }
        error_code ignored;
        if (!failed) link->socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    }

    // Password, database, scripts. `refusal` is what Redis does not like of it.
    asio::awaitable<void> greet(std::shared_ptr<Link> link, std::string& refusal) {
        std::vector<std::vector<std::string_view>> words;
        if (!options_.password.empty()) {
            words.push_back({"AUTH"});
            if (!options_.username.empty()) words.back().push_back(options_.username);
            words.back().push_back(options_.password);
        }
        const std::string database = std::to_string(options_.database);
        if (options_.database != 0) words.push_back({"SELECT", database});
        const std::size_t first_script = words.size();
        for (const auto script : scripts_) words.push_back({"SCRIPT", "LOAD", script});
        for (std::size_t i = 0; i < words.size(); ++i) {
            const std::string command = command_of(words[i]);
            auto outcome = co_await greet_once(link, command);
            if (!outcome) co_return;  // the link is lost
            if (outcome->kind == Reply::Kind::Refusal) {
                refusal = outcome->text;
                co_return;
            }
            if (i >= first_script) {
                const std::lock_guard guard(mutex_);
                digests_[i - first_script] = outcome->text;
            }
        }
    }

    asio::awaitable<Result<Reply>> greet_once(std::shared_ptr<Link> link, std::string command) {
        auto begin = [this, link, &command](auto handler) {
            using Handler = std::decay_t<decltype(handler)>;
            Request request;
            request.waiter = std::make_unique<AwaitedReply<Handler>>(std::move(handler));
            if (link->lost) {
                request.waiter->answer(unreachable());
                return;
            }
            greeting_ = std::move(request.waiter);
            link->out += command;
            write_more(link);
        };
        Result<Reply> outcome =
            co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<Reply>)>(
                std::move(begin), asio::use_awaitable);
        co_return outcome;
    }

    // What waits goes to the socket.
    void hand_over() {
        auto link = link_;
        for (; sent_ < requests_.size(); ++sent_) {
            link->out += requests_[sent_].command;
            requests_[sent_].command = {};
        }
        write_more(link);
        watch_requests();
    }

    void write_more(const std::shared_ptr<Link>& link) {
        if (link->lost || link->out.empty() || !link->writing.empty()) return;
        link->writing.swap(link->out);
        auto written = [self = shared_from_this(), link](error_code failed, std::size_t) {
            link->writing.clear();
            if (link->lost) return;
            if (failed) return self->lose("has gone: " + failed.message());
            self->write_more(link);
        };
        asio::async_write(link->socket, asio::buffer(link->writing), std::move(written));
    }

    void read_more(const std::shared_ptr<Link>& link) {
        auto came = [self = shared_from_this(), link](error_code failed, std::size_t bytes) {
            if (link->lost) return;
            if (failed) {
                return self->lose(failed == asio::error::eof ? "has closed the connection"
                                                             : "has gone: " + failed.message());
            }
            if (self->take_in(*link, bytes) && !link->lost) self->read_more(link);
        };
        link->socket.async_read_some(asio::buffer(in_), std::move(came));
    }

    bool take_in(Link& link, std::size_t bytes) {
        link.reply_bytes += bytes;
        if (link.reply_bytes > options_.reply_bytes_max) {
            lose("sent a reply that is larger than expected");
            return false;
        }
        bool fine = redisReaderFeed(link.reader.get(), in_.data(), bytes) == REDIS_OK;
        while (fine) {
            void* made = nullptr;
            fine = redisReaderGetReply(link.reader.get(), &made) == REDIS_OK;
            if (!fine || made == nullptr) break;
            const std::unique_ptr<redisReply, FreeReply> reply(static_cast<redisReply*>(made));
            link.reply_bytes = 0;
            if (!deliver(value_of(*reply))) return false;
        }
        if (!fine) lose("sent an invalid reply: " + std::string(link.reader->errstr));
        return fine;
    }

    bool deliver(Reply reply) {
        if (greeting_) {
            auto waiter = std::move(greeting_);
            waiter->answer(std::move(reply));
            return true;
        }
        if (sent_ == 0) {
            lose(reply.kind == Reply::Kind::Refusal ? "said: " + reply.text
                                                    : "sent an unexpected reply");
            return false;
        }
        Request request = std::move(requests_.front());
        requests_.pop_front();
        --sent_;
        requests_bytes_ -= request.bytes;
        request.waiter->answer(std::move(reply));
        return true;
    }

    // Answers come in order, so the first deadline is the only one to watch.
    void watch_requests() {
        if (watching_ || sent_ == 0) return;
        watching_ = true;
        watch_.expires_at(requests_.front().deadline);
        auto rang = [self = shared_from_this()](error_code cancelled) {
            self->watching_ = false;
            if (cancelled || self->state_ != State::Ready || self->sent_ == 0) return;
            if (self->requests_.front().deadline <= Clock::now()) {
                self->lose("did not answer in time");
            } else {
                self->watch_requests();
            }
        };
        watch_.async_wait(std::move(rang));
    }

    void watch_until(Clock::time_point end, std::string why) {
        watch_.expires_at(end);
        auto rang = [self = shared_from_this(), link = link_,
                     why = std::move(why)](error_code cancelled) {
            if (!cancelled && !link->lost && self->state_ == State::Connecting) self->lose(why);
        };
        watch_.async_wait(std::move(rang));
    }

    void lose(const std::string& why) { lose_because(where_ + " " + why); }

    // Whoever waits is told, and the next attempt can begin.
    void lose_because(std::string sentence) {
        state_ = State::Down;
        {
            const std::lock_guard guard(mutex_);
            trouble_ = std::move(sentence);
        }
        if (link_ && !link_->lost) {
            link_->lost = true;
            error_code ignored;
            link_->socket.close(ignored);
            link_->resolver.cancel();
        }
        watch_.cancel();
        over_.cancel();
        if (greeting_) {
            auto waiter = std::move(greeting_);
            waiter->answer(unreachable());
        }
        std::deque<Request> failed;
        failed.swap(requests_);
        sent_ = 0;
        requests_bytes_ = 0;
        for (auto& request : failed) request.waiter->answer(unreachable());
    }

    [[nodiscard]] Error unreachable() const {
        return {Code::Unavailable,
                "conversations are out of reach: " + trouble() + "; try again in a moment"};
    }

    asio::any_io_executor executor_;
    const RedisOptions options_;
    const std::string where_;
    const std::vector<std::string_view> scripts_;
    bool stopped_ = false;
    State state_ = State::Connecting;
    std::shared_ptr<Link> link_;
    std::deque<Request> requests_;  // the first `sent_` are with Redis
    std::size_t sent_ = 0;
    std::size_t requests_bytes_ = 0;
    std::unique_ptr<Waiter> greeting_;
    bool watching_ = false;
    std::array<char, 64u << 10> in_{};

    mutable std::mutex mutex_;  // of what other threads may ask for
    std::string trouble_ = "the connection is being established";
    std::vector<std::string> digests_;

    asio::steady_timer retry_;
    asio::steady_timer over_;
    asio::steady_timer watch_;
};

Connection::Connection(asio::any_io_executor executor, RedisOptions options,
                       std::span<const std::string_view> scripts)
    : life_(std::make_shared<Life>(std::move(executor), std::move(options), scripts)) {
    life_->start();
}

Connection::~Connection() { life_->stop(); }

std::string Connection::trouble() const { return life_->trouble(); }

namespace {

template <class Life>
asio::awaitable<Reply> send(std::shared_ptr<Life> life, std::string command) {
    auto begin = [life, &command](auto handler) {
        using Handler = std::decay_t<decltype(handler)>;
        Request request;
        request.bytes = command.size() + 256;
        request.command = std::move(command);
        request.waiter = std::make_unique<AwaitedReply<Handler>>(std::move(handler));
        auto submit = [life, request = std::move(request)]() mutable {
            life->submit(std::move(request));
        };
        asio::dispatch(life->executor(), std::move(submit));
    };
    Result<Reply> outcome =
        co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Result<Reply>)>(
            std::move(begin), asio::use_awaitable);
    co_return std::move(outcome).value();
}

}  // namespace

asio::awaitable<Reply> Connection::ask(std::vector<std::string> words) {
    const std::vector<std::string_view> views(words.begin(), words.end());
    return send(life_, command_of(views));
}

asio::awaitable<Reply> Connection::run(std::size_t script, std::vector<std::string> keys,
                                       std::vector<std::string> arguments) {
    const auto life = life_;
    const std::string count = std::to_string(keys.size());
    const std::string digest = life->digest(script);
    std::vector<std::string_view> views{"EVALSHA", digest, count};
    views.insert(views.end(), keys.begin(), keys.end());
    views.insert(views.end(), arguments.begin(), arguments.end());
    // Before the first greeting there is no digest, and somebody may have emptied Redis' cache.
    const auto with_source = [&] {
        views[0] = "EVAL";
        views[1] = life->script(script);
    };
    if (digest.empty()) with_source();
    std::string command = command_of(views);
    Reply reply = co_await send(life, std::move(command));
    if (reply.kind == Reply::Kind::Refusal && begins_with(reply.text, "NOSCRIPT")) {
        with_source();
        std::string again = command_of(views);
        reply = co_await send(life, std::move(again));
    }
    if (reply.kind == Reply::Kind::Refusal)
        throw ErrorException(explain(reply.text, life->where()));
    co_return reply;
}

}  // namespace atl::redis
