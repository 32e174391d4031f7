#include "cli/mcp/bridge.hpp"

#include "base/encoding.hpp"
#include "base/worker_thread.hpp"
#include "cli/server.hpp"
#include "net/event_reader.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdio>

namespace atl::cli {

namespace json = boost::json;

namespace {

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kServerError = -32000;
constexpr int kNotFound = 404;
constexpr std::chrono::milliseconds kLook{200};
constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
constexpr std::string_view kStatelessKey = "io.modelcontextprotocol/protocolVersion";

std::optional<json::object> parsed_object(std::string_view text) {
    boost::system::error_code failed;
    json::value value = json::parse(text, failed);
    if (failed || !value.is_object()) return std::nullopt;
    return std::move(value.get_object());
}

const json::object* object_in(const json::object& from, std::string_view key) {
    const auto* found = from.if_contains(key);
    return found != nullptr && found->is_object() ? &found->get_object() : nullptr;
}

bool is_stateless(const json::object& message) {
    const auto* params = object_in(message, "params");
    const auto* meta = params == nullptr ? nullptr : object_in(*params, "_meta");
    return meta != nullptr && meta->contains(kStatelessKey);
}

// Messages out of the body of an answer, which is one of them or a stream of events.
class Messages {
public:
    explicit Messages(std::function<void(const std::string&)> take)
        : take_(std::move(take)), events_([this](const net::EventReader::Event& event) {
              if (!event.data.empty()) take_(event.data);
          }) {}

    bool feed(std::string_view piece) {
        if (piece.empty()) return true;
        if (!is_json_) is_json_ = piece.front() == '{';
        if (!*is_json_) return events_.feed(piece).has_value();
        text_ += piece;
        return text_.size() <= kTextBytesMax;
    }
    void end() {
        if (!text_.empty()) take_(text_);
    }

private:
    static constexpr std::size_t kTextBytesMax = 64u << 20;
    std::function<void(const std::string&)> take_;
    net::EventReader events_;
    std::optional<bool> is_json_;
    std::string text_;
};

// Of an answer that is an error: as the server says it.
std::string sentence_of(const net::ClientAnswer& answer) {
    const auto body = parsed_object(answer.body);
    if (body) {
        if (const auto* error = object_in(*body, "error")) return text_in(*error, "message");
        if (auto detail = text_in(*body, "detail"); !detail.empty()) return detail;
    }
    return "the server answered with status " + std::to_string(answer.status);
}

}  // namespace

McpBridge::McpBridge(ServerAddress address, const std::string& session)
    : address_(std::move(address)),
      path_(session.empty() ? "/mcp" : "/mcp?session=" + percent_encoded(session)) {}

McpBridge::Session McpBridge::session() {
    const std::lock_guard lock(mutex_);
    return session_;
}

void McpBridge::print(std::string_view message) {
    const std::lock_guard lock(printing_);
    std::fwrite(message.data(), 1, message.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

void McpBridge::print_fault(const std::string& id, int code, const std::string& sentence) {
    print("{\"jsonrpc\":\"2.0\",\"id\":" + (id.empty() ? "null" : id) + ",\"error\":" +
          json::serialize(json::object{{"code", code}, {"message", sentence}}) + "}");
}

void McpBridge::refuse_long_line() { print_fault("", kParseError, "a message has at most 8 MiB"); }

void McpBridge::take(std::string line) {
    const auto message = parsed_object(line);
    if (!message) {
        print_fault("", kParseError, "a message is one JSON object on one line");
        return;
    }
    Asked asked{"", std::move(line)};
    const auto method = text_in(*message, "method");
    const auto* id = message->if_contains("id");
    if (id != nullptr && !method.empty()) asked.id = json::serialize(*id);
    if (asked.id.empty()) {
        if (method == "notifications/cancelled") {
            const auto* params = object_in(*message, "params");
            const auto* which = params == nullptr ? nullptr : params->if_contains("requestId");
            const std::lock_guard lock(mutex_);
            if (which != nullptr && !threads_.empty()) cancelled_.insert(json::serialize(*which));
        }
        ask(asked);  // in the order in which they came
        return;
    }
    if (method == "initialize") {
        begin_session(asked);
        return;
    }
    if (is_stateless(*message)) {
        print_fault(asked.id, kMethodNotFound, "over stdio a client begins with initialize");
        return;
    }
    join_ended();
    const std::lock_guard lock(mutex_);
    if (threads_.size() >= kRequestsMax) {
        print_fault(asked.id, kInvalidRequest, "32 requests are under way; wait for one of them");
        return;
    }
    const auto number = ++begun_;
    threads_[number] = std::thread([this, number, asked = std::move(asked)] {
        become_worker("mcp-request");
        ask(asked);
        const std::lock_guard end(mutex_);
        cancelled_.erase(asked.id);
        ended_.push_back(std::move(threads_.at(number)));
        threads_.erase(number);
        if (threads_.empty()) cancelled_.clear();
        one_ended_.notify_all();
    });
}

void McpBridge::join_ended() {
    std::vector<std::thread> ended;
    {
        const std::lock_guard lock(mutex_);
        ended.swap(ended_);
    }
    for (auto& thread : ended) thread.join();
}

void McpBridge::wait(const std::function<bool()>& give_up) {
    {
        std::unique_lock lock(mutex_);
        while (!threads_.empty()) {
            one_ended_.wait_for(lock, kLook);
            if (!threads_.empty() && give_up()) net::Client::interrupt().store(true);
        }
    }
    join_ended();
}

void McpBridge::finish() {
    const auto had = session();
    if (had.id.empty()) return;
    net::Client::interrupt().store(false);
    net::Client client(address_.url, address_.key);
    net::ClientRequest request;
    request.method = "DELETE";
    request.path = path_;
    request.headers.set(kSessionHeader, had.id);
    // One that the server has forgotten is as good as ended.
    static_cast<void>(client.send(request));
}

Result<net::ClientAnswer> McpBridge::post(net::Client& client, const Session& session,
                                          const std::string& line,
                                          const std::function<bool(std::string_view)>& sink) {
    net::ClientRequest request;
    request.method = "POST";
    request.path = path_;
    request.headers.set("Accept", "application/json, text/event-stream");
    if (!session.id.empty()) {
        request.headers.set(kSessionHeader, session.id);
        request.headers.set("MCP-Protocol-Version", session.revision);
    }
    request.body = line;
    request.sink = sink;
    return client.send(request);
}

void McpBridge::begin_session(const Asked& asked) {
    std::string text;
    const auto keep = [&text](std::string_view piece) {
        text += piece;
        return text.size() <= kLineBytesMax;
    };
    net::Client client(address_.url, address_.key);
    const auto answer = post(client, {}, asked.line, keep);
    if (!answer) return print_fault(asked.id, kServerError, answer.error().message);
    if (answer->status >= 300) return print_fault(asked.id, kServerError, sentence_of(*answer));
    const auto said = parsed_object(text);
    const auto* result = said ? object_in(*said, "result") : nullptr;
    if (result != nullptr) {
        const std::lock_guard lock(mutex_);
        session_.id = answer->headers.get_or(kSessionHeader, {});
        session_.revision = text_in(*result, "protocolVersion");
        ++session_.number;
        initialize_ = asked.line;
    }
    print(text);
}

bool McpBridge::begin_anew(std::uint64_t number) {
    const std::lock_guard beginning(beginning_);
    auto now = session();
    if (now.number != number) return true;  // somebody else did
    std::string initialize;
    {
        const std::lock_guard lock(mutex_);
        initialize = initialize_;
    }
    if (initialize.empty()) return false;
    const auto ignore = [](std::string_view) { return true; };
    net::Client client(address_.url, address_.key);
    const auto answer = post(client, {}, initialize, ignore);
    if (!answer || answer->status >= 300 || !answer->headers.contains(kSessionHeader)) return false;
    now.id = answer->headers.get_or(kSessionHeader, {});
    ++now.number;
    static_cast<void>(
        post(client, now, R"({"jsonrpc":"2.0","method":"notifications/initialized"})", ignore));
    const std::lock_guard lock(mutex_);
    session_ = now;
    return true;
}

void McpBridge::ask(const Asked& asked) {
    if (!try_to_ask(asked, true)) static_cast<void>(try_to_ask(asked, false));
}

bool McpBridge::try_to_ask(const Asked& asked, bool may_begin_anew) {
    bool answered = asked.id.empty();
    const auto show = [&](const std::string& text) {
        const auto message = parsed_object(text);
        if (!message) return;
        const auto* id = message->if_contains("id");
        if (id != nullptr && json::serialize(*id) == asked.id) answered = true;
        print(text);
    };
    Messages messages(show);
    const auto sink = [&messages](std::string_view piece) { return messages.feed(piece); };
    const auto in = session();
    net::Client client(address_.url, address_.key);
    const auto answer = post(client, in, asked.line, sink);
    if (answer && answer->status < 300) messages.end();
    if (answer && answer->status == kNotFound && !in.id.empty() && may_begin_anew &&
        begin_anew(in.number)) {
        return false;
    }
    if (answered) return true;
    if (!answer) {
        print_fault(asked.id, kServerError, answer.error().message);
    } else if (answer->status >= 300) {
        print_fault(asked.id, kServerError, sentence_of(*answer));
    } else {
        const std::lock_guard lock(mutex_);
        // Who has cancelled a request waits for no answer.
        if (cancelled_.contains(asked.id)) return true;
        print_fault(asked.id, kServerError, "the server ended its answer too early");
    }
    return true;
}

}  // namespace atl::cli
