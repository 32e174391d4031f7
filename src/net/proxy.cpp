#include "net/proxy.hpp"

#include "base/as_tuple.hpp"
#include "net/chunks.hpp"
#include "net/parser.hpp"
#include "net/problem.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <exception>

namespace atl::net {

namespace asio = boost::asio;
using namespace asio::experimental::awaitable_operators;

namespace {

constexpr std::size_t kPieceBytesMin = 16 * 1024;  // what an idle stream holds
constexpr std::size_t kPieceBytesMax = 128 * 1024;
constexpr int kInterimMax = 8;  // 100, 103 and the like before the real answer

bool is_hop_by_hop(std::string_view name) noexcept {
    for (const std::string_view hop :
         {"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization",
          "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length"}) {
        if (same_ignoring_case(name, hop)) return true;
    }
    return false;
}

// What one side may not tell the other: hop-by-hop headers and those that Connection names.
Headers passed_on(const Headers& from, const std::vector<std::string>& hidden) {
    Headers to;
    for (const auto& [name, value] : from) {
        const auto same = [&name = name](const std::string& other) {
            return same_ignoring_case(name, other);
        };
        if (is_hop_by_hop(name) || from.has_token("Connection", name) ||
            std::any_of(hidden.begin(), hidden.end(), same)) {
            continue;
        }
        to.add(name, value);
    }
    return to;
}

[[noreturn]] void bad_gateway(const std::string& sentence) {
    throw Problem(Code::Unavailable, "the server in the sandbox " + sentence).with_status(502);
}

class Forward {
public:
    Forward(Exchange& exchange, std::unique_ptr<ByteStream> inner, ProxyOptions options)
        : exchange_(exchange),
          request_(exchange.request()),
          options_(std::move(options)),
          shared_(std::make_shared<Shared>(Shared{std::move(inner)})),
          deadline_(exchange.executor()),
          quiet_(std::make_shared<asio::steady_timer>(exchange.executor())),
          forever_(exchange.executor(), asio::steady_timer::time_point::max()) {}
    Forward(const Forward&) = delete;
    Forward& operator=(const Forward&) = delete;

    ~Forward() {
        shared_->over = true;
        shared_->inner->close();
        quiet_->cancel();
    }

    asio::awaitable<void> run() {
        const auto head = request_head();
        guard_answer();
        const auto shared = shared_;
        gone_ = exchange_.on_gone([shared] {
            if (!shared->over) shared->inner->close();
        });
        exchange_.limit_body(options_.request_bytes_max);
        if (exchange_.content_length() == 0u) {
            co_await answer_to(head);
        } else {
            auto both = pump(head) || relay();
            co_await std::move(both);
            if (pump_failed_) std::rethrow_exception(pump_failed_);
            if (relay_failed_) std::rethrow_exception(relay_failed_);
        }
    }

private:
    // Outlives us in the hands of timers and callbacks.
    struct Shared {
        std::unique_ptr<ByteStream> inner;
        bool expired = false;
        bool over = false;
        ByteStream* client = nullptr;  // of a tunnel; valid until it is over
        std::uint64_t pieces = 0;      // that passed through the tunnel, either way
        bool client_ended = false;
        bool offering = false;  // what the client said waits to be read in the sandbox
    };
    using SharedPtr = std::shared_ptr<Shared>;

    ByteStream& inner() { return *shared_->inner; }

    std::string request_head() {
        const auto breaks = [](std::string_view text) {
            return std::any_of(text.begin(), text.end(), [](char c) {
                return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f;
            });
        };
        if (options_.target.empty() || options_.target.front() != '/' || breaks(options_.target) ||
            options_.host.empty() || breaks(options_.host) || breaks(options_.prefix)) {
            throw ErrorException({Code::Internal, "the proxy was given a target it cannot send"});
        }
        auto hidden = options_.hidden_headers;
        for (const char* ours :
             {"Host", "Expect", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host",
              "X-Forwarded-Proto", "X-Forwarded-Prefix", "X-Real-IP", "X-Request-Id"}) {
            hidden.emplace_back(ours);
        }
        auto headers = passed_on(request_.headers, hidden);
        headers.add("X-Forwarded-For", request_.peer.address);
        headers.add("X-Forwarded-Host", request_.host());
        headers.add("X-Forwarded-Proto", request_.peer.encrypted ? "https" : "http");
        if (!options_.prefix.empty()) headers.add("X-Forwarded-Prefix", options_.prefix);
        headers.add("X-Request-Id", request_.id);
        for (const auto& [name, value] : options_.added_headers) headers.set(name, value);
        const auto protocol = request_.headers.get("Upgrade");
        upgrades_ = protocol && request_.version >= 11 &&
                    request_.headers.has_token("Connection", "upgrade") &&
                    exchange_.content_length() == 0u;
        if (upgrades_) headers.add("Upgrade", *protocol);
        headers.add("Connection", upgrades_ ? "Upgrade" : "close");
        const auto length = exchange_.content_length();
        if (!length) {
            headers.add("Transfer-Encoding", "chunked");
        } else if (*length > 0 || request_.headers.contains("Content-Length")) {
            headers.add("Content-Length", std::to_string(*length));
        }
        std::string head = request_.method + " " + options_.target +
                           " HTTP/1.1\r\nHost: " + options_.host + "\r\n";
        for (const auto& [name, value] : headers) {
            if (!is_token(name) || !is_field_value(value)) {
                throw ErrorException(
                    {Code::Internal, "the proxy was given a header it cannot send"});
            }
            head.append(name).append(": ").append(value).append("\r\n");
        }
        head.append("\r\n");
        return head;
    }

    void guard_answer() {
        deadline_.expires_after(options_.answer_timeout);
        deadline_.async_wait([shared = shared_](boost::system::error_code stopped) {
            if (stopped || shared->over) return;
            shared->expired = true;
            shared->inner->close();
        });
    }

    // Sends the request with its body, then waits to be cancelled: the answer decides when all is
    // over, and it may come before the body has gone.
    asio::awaitable<void> pump(std::string head) {
        try {
            bool takes_more = co_await offer(std::move(head));
            std::string piece(kPieceBytesMin, '\0');
            while (takes_more) {
                const auto bytes = co_await exchange_.read_into(piece);
                if (bytes == 0) break;
                std::string framed = framed_piece(std::string_view(piece).substr(0, bytes));
                takes_more = co_await offer(std::move(framed));
                if (bytes == piece.size() && bytes < kPieceBytesMax) piece.resize(2 * bytes);
            }
            if (takes_more && !exchange_.content_length()) co_await offer("0\r\n\r\n");
        } catch (const boost::system::system_error&) {
            // Cancelled: the answer is complete.
        } catch (...) {
            pump_failed_ = std::current_exception();  // the client went, or sent too much
            shared_->inner->close();
        }
        co_await forever_.async_wait(kAsTuple);
    }

    std::string framed_piece(std::string_view piece) {
        if (exchange_.content_length()) return std::string(piece);
        char digits[20];
        const auto end = std::to_chars(digits, digits + sizeof digits, piece.size(), 16).ptr;
        std::string framed(digits, end);
        framed.append("\r\n").append(piece).append("\r\n");
        return framed;
    }

    // False when the inner server reads no more. It may still have answered.
    asio::awaitable<bool> offer(std::string bytes) {
        bool taken = true;
        try {
            co_await inner().write_all(bytes);
        } catch (const std::exception&) { taken = false; }
        co_return taken;
    }

    asio::awaitable<void> relay() {
        try {
            co_await receive();
        } catch (...) { relay_failed_ = std::current_exception(); }
        inner().close();
    }

    asio::awaitable<void> answer_to(std::string head) {
        co_await offer(std::move(head));
        co_await receive();
    }

    // More of the answer, behind what is left of the last; 0 at its end.
    asio::awaitable<std::size_t> more() {
        std::size_t bytes = 0;
        bool broke = false;
        try {
            bytes = co_await inner().read_some(buffer_);
        } catch (const std::exception&) { broke = true; }
        if (exchange_.client_gone() && (broke || bytes == 0)) throw ClientGone();
        if (shared_->expired) {
            throw Problem(Code::Timeout, "the server in the sandbox did not answer in time");
        }
        // Once the head is here, a broken stream is no orderly end.
        if (broke) bad_gateway("closed the connection");
        if (bytes == buffer_.size() && bytes < kPieceBytesMax) grow_ = true;
        co_return bytes;
    }

    void grow_buffer() {
        if (grow_) buffer_.resize(buffer_.size() * 2);
        grow_ = false;
    }

    asio::awaitable<void> receive() {
        Head head;
        std::string rest;
        for (int interim = 0;; ++interim) {
            if (interim > kInterimMax) bad_gateway("sends nothing but interim answers");
            const auto parser =
                HeadParser::make(request_.method == "HEAD" ? HeadParser::Kind::ResponseToHead
                                                           : HeadParser::Kind::Response,
                                 {options_.header_bytes_max, options_.headers_max});
            for (;;) {
                if (!rest.empty()) {
                    auto taken = parser->take(rest);
                    rest.erase(0, taken.used);
                    if (taken.refusal) bad_gateway("answers badly: " + taken.refusal->sentence);
                    if (parser->head_done()) break;
                }
                const auto bytes = co_await more();
                if (bytes == 0) bad_gateway("closed the connection without an answer");
                rest.append(buffer_.data(), bytes);
            }
            head = std::move(parser->head());
            if (head.status >= 200 || head.status == 101) break;
        }
        deadline_.cancel();
        auto headers = passed_on(head.headers, options_.hidden_response_headers);
        if (options_.edit_response) options_.edit_response(headers);
        for (const auto& [name, value] : options_.added_response_headers) headers.set(name, value);
        if (head.status == 101) {
            if (!upgrades_) bad_gateway("switched protocols without being asked");
            if (const auto protocol = head.headers.get("Upgrade"))
                headers.set("Upgrade", *protocol);
            co_await tunnel(std::move(headers), std::move(rest));
            co_return;
        }
        std::optional<std::uint64_t> length;
        if (head.framing == Framing::Length) length = head.length;
        if (head.framing == Framing::None) length = bodiless_length(head);
        co_await exchange_.begin(head.status, std::move(headers), length);
        switch (head.framing) {
            case Framing::None: break;
            case Framing::Length: co_await pass_length(std::move(rest), head.length); break;
            case Framing::Chunked: co_await pass_chunks(std::move(rest)); break;
            case Framing::UntilClose: co_await pass_until_close(std::move(rest)); break;
        }
        co_await exchange_.end();
    }

    // HEAD: what a GET would have had, if it was said. Otherwise the parser saw a length of 0.
    static std::optional<std::uint64_t> bodiless_length(const Head& head) {
        const auto text = head.headers.get("Content-Length");
        std::uint64_t length = 0;
        if (!text) return std::nullopt;
        std::from_chars(text->data(), text->data() + text->size(), length);
        return length;
    }

    asio::awaitable<void> pass_length(std::string rest, std::uint64_t length) {
        std::string_view piece = rest;
        for (;;) {
            piece = piece.substr(
                0, static_cast<std::size_t>(std::min<std::uint64_t>(length, piece.size())));
            co_await exchange_.write(piece);
            length -= piece.size();
            if (length == 0) co_return;
            grow_buffer();
            const auto bytes = co_await more();
            if (bytes == 0) bad_gateway("ended its answer early");
            piece = std::string_view(buffer_).substr(0, bytes);
        }
    }

    asio::awaitable<void> pass_chunks(std::string rest) {
        ChunkDecoder decoder;
        std::string body(std::max(rest.size(), buffer_.size()), '\0');
        std::string_view input = rest;
        for (;;) {
            const auto taken = decoder.take(input, body);  // the body has room for all of it
            if (decoder.broken()) bad_gateway("sends malformed chunks");
            co_await exchange_.write(std::string_view(body).substr(0, taken.wrote));
            if (decoder.done()) co_return;
            grow_buffer();
            if (body.size() < buffer_.size()) body.resize(buffer_.size());
            const auto bytes = co_await more();
            if (bytes == 0) bad_gateway("ended its answer early");
            input = std::string_view(buffer_).substr(0, bytes);
        }
    }

    asio::awaitable<void> pass_until_close(std::string rest) {
        co_await exchange_.write(rest);
        for (;;) {
            grow_buffer();
            const auto bytes = co_await more();
            if (bytes == 0) co_return;
            co_await exchange_.write(std::string_view(buffer_).substr(0, bytes));
        }
    }

    asio::awaitable<void> tunnel(Headers headers, std::string rest) {
        gone_.reset();  // from here on an end of one direction is just that
        ByteStream* const client = co_await exchange_.upgrade(std::move(headers));
        shared_->client = client;
        if (!rest.empty()) co_await client->write_all(rest);
        gone_ = exchange_.on_gone([this] {
            shared_->client_ended = true;
            if (exchange_.connection_broken()) close_tunnel(*shared_);
        });
        end_when_stuck(shared_, quiet_, options_.answer_timeout, false);
        auto both = copy(*shared_, *client, inner(), true) && copy_back(*shared_, inner(), *client);
        co_await std::move(both);
    }

    static void close_tunnel(Shared& shared) {
        if (shared.over) return;
        shared.inner->close();
        shared.client->close();
    }

    // A tunnel may be silent for ever, but not stuck. If the server in the sandbox does not read,
    // nobody can tell whether the client is still there: its last bytes wait behind those that are
    // not read. And one that has ended its side may be listening or gone. Both have a while.
    static void end_when_stuck(SharedPtr shared, std::shared_ptr<asio::steady_timer> timer,
                               std::chrono::milliseconds patience, bool was_waiting) {
        timer->expires_after(patience);
        const auto seen = shared->pieces;
        timer->async_wait([=](boost::system::error_code) {
            if (shared->over) return;
            const bool waiting = shared->client_ended || shared->offering;
            if (was_waiting && waiting && shared->pieces == seen) return close_tunnel(*shared);
            end_when_stuck(shared, timer, patience, waiting);
        });
    }

    // One direction, until its end or until either side breaks, which ends the other as well.
    static asio::awaitable<void> copy(Shared& shared, ByteStream& from, ByteStream& to,
                                      bool inwards) {
        bool broke = false;
        try {
            std::string piece(kPieceBytesMin, '\0');
            for (;;) {
                const auto bytes = co_await from.read_some(piece);
                if (bytes == 0) break;
                const auto ready = std::string_view(piece).substr(0, bytes);
                if (inwards) shared.offering = true;
                co_await to.write_all(ready);
                if (inwards) shared.offering = false;
                ++shared.pieces;
            }
            to.shutdown_write();
        } catch (const std::exception&) { broke = true; }
        if (broke) {
            from.close();
            to.close();
        }
    }

    // A server that has ended has nothing more to hear; a client that has may still listen.
    static asio::awaitable<void> copy_back(Shared& shared, ByteStream& from, ByteStream& to) {
        co_await copy(shared, from, to, false);
        from.close();
        to.close();
    }

    Exchange& exchange_;
    const Request& request_;
    ProxyOptions options_;
    SharedPtr shared_;
    asio::steady_timer deadline_;
    std::shared_ptr<asio::steady_timer> quiet_;
    asio::steady_timer forever_;
    std::string buffer_ = std::string(kPieceBytesMin, '\0');
    bool grow_ = false;
    bool upgrades_ = false;
    std::exception_ptr pump_failed_;
    std::exception_ptr relay_failed_;
    Callbacks::Guard gone_;  // the last: it refers to what stands above
};

}  // namespace

asio::awaitable<void> proxy(Exchange& exchange, std::unique_ptr<ByteStream> inner,
                            ProxyOptions options) {
    Forward forward(exchange, std::move(inner), std::move(options));
    co_await forward.run();
}

}  // namespace atl::net
