#include "api/e2b/process_stream.hpp"

#include "api/e2b/sandbox_entry.hpp"
#include "base/encoding.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kPieceBytesMax = 32 * 1024;

json::object event_of(std::string_view kind, json::object fields) {
    return {{"event", {{kind, std::move(fields)}}}};
}

// As the clients of this protocol know them.
std::string signal_words(int number) {
    std::string words;
    switch (number) {
        case SIGHUP: words = "hangup"; break;
        case SIGINT: words = "interrupt"; break;
        case SIGQUIT: words = "quit"; break;
        case SIGILL: words = "illegal instruction"; break;
        case SIGABRT: words = "aborted"; break;
        case SIGFPE: words = "floating point exception"; break;
        case SIGKILL: words = "killed"; break;
        case SIGSEGV: words = "segmentation fault"; break;
        case SIGPIPE: words = "broken pipe"; break;
        case SIGALRM: words = "alarm clock"; break;
        case SIGTERM: words = "terminated"; break;
        default: words = "signal " + std::to_string(number);
    }
    return "signal: " + words;
}

json::object end_event(const sessions::ProcessEnd& end) {
    json::object fields;
    if (end.signal != 0) {
        const auto words = signal_words(end.signal);
        fields["exitCode"] = -1;
        fields["status"] = words;
        using core::EndReason;
        const bool by_limit = end.reason == EndReason::Memory || end.reason == EndReason::Disk;
        fields["error"] =
            by_limit ? words + " (" + std::string(core::name_of(end.reason)) + ")" : words;
    } else {
        const auto words = "exit status " + std::to_string(end.exit_code);
        fields["exitCode"] = end.exit_code;
        fields["exited"] = true;
        fields["status"] = words;
        if (end.exit_code != 0) fields["error"] = words;
    }
    return event_of("end", std::move(fields));
}

void check_end(const sessions::ProcessEnd& end) {
    if (end.with_sandbox) throw SandboxGone();
    if (end.reason == core::EndReason::Timeout) {
        throw ErrorException({Code::Timeout, "the command has reached its timeout and was ended"});
    }
}

}  // namespace

asio::awaitable<void> stream_process(net::Exchange& exchange, MessageStream& stream,
                                     ProcessRegistry::ProcessPtr one,
                                     EnvdProcess::Reader::From from) {
    auto& process = one->process();
    const auto& log = process.output_log();
    EnvdProcess::Reader reader(one, from);
    const auto gone = exchange.on_gone([&process] { process.wake(); });
    const auto stopping = exchange.on_stopping([&process] { process.wake(); });
    const auto pause = keepalive_of(exchange.request());
    bool silent = false;  // for so long
    core::Timer keepalive(exchange.executor(), core::system_clock());
    const auto wait_again = [&] {
        silent = false;
        keepalive.expires_after(pause);
        keepalive.then([&] {
            silent = true;
            process.wake();
        });
    };
    json::object start{{"pid", process.pid()}};
    co_await stream.send(event_of("start", std::move(start)));
    wait_again();
    for (;;) {
        if (exchange.client_gone()) throw net::ClientGone();
        if (exchange.stopping()) {
            throw ErrorException({Code::Unavailable, "the server is stopping"});
        }
        if (reader.dropped()) {
            throw ErrorException(
                {Code::Exhausted, "this client took no output for too long; the command goes on"});
        }
        if (reader.at() < log.begin()) {
            throw RpcError("data_loss", Code::Internal, "some output came too fast and was lost");
        }
        if (const auto piece = log.at(reader.at())) {
            const auto bytes = piece->bytes.substr(0, kPieceBytesMax);
            const char* name = one->config().terminal                  ? "pty"
                               : piece->stream == core::Stream::Stdout ? "stdout"
                                                                       : "stderr";
            const auto size = bytes.size();
            json::object data{{name, base64_encoded(bytes)}};
            co_await stream.send(event_of("data", std::move(data)));
            reader.took(size);
            wait_again();
        } else if (process.ended()) {
            check_end(*process.ended());
            co_await stream.send(end_event(*process.ended()));
            co_return;
        } else if (silent) {
            co_await stream.send(event_of("keepalive", {}));
            wait_again();
        } else {
            co_await process.news();
        }
    }
}

}  // namespace atl::api::e2b
