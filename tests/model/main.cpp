// atoll-model: the chat model of models/openai on a leash, for tests.
//
// Reads one JSON object a line from stdin and answers on stdout, each line with the `id` of its
// question, in any order:
//
//     {"id": 1, "do": "chat", "base_url": …, "key": …, "model": …, "request": {…}}
//         {"id": 1, "text": "Hel"} {"id": 1, "reasoning": "…"} … {"id": 1, "reply": {…}}
//     {"id": 2, "do": "embed", "base_url": …, "model": …, "texts": […]}      {"id": 2, "vectors":
//     …}
//     {"id": 3, "do": "fetch", "url": …, "policy": "strangers"}              {"id": 3, "status": …}
//     {"id": 4, "do": "cancel", "of": 1}                                     {"id": 4, "ok": true}
//     {"id": 5, "do": "usage"}               processor time of this program, connections under way
//
// What fails answers {"id": …, "error": {"code": …, "message": …}}. A chat that is "quiet" counts
// its pieces in place of printing them. End of file ends it.
#include "models/openai/embeddings.hpp"
#include "models/openai/model.hpp"
#include "net/fetch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <iostream>
#include <map>
#include <sys/resource.h>
#include <unistd.h>

namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using namespace atl;
using Clock = std::chrono::steady_clock;

std::string text_in(const json::object& from, std::string_view key, std::string otherwise = "") {
    const auto* value = from.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : otherwise;
}

std::int64_t number_in(const json::object& from, std::string_view key, std::int64_t otherwise) {
    const auto* value = from.if_contains(key);
    return value != nullptr && value->is_number() ? value->to_number<std::int64_t>() : otherwise;
}

json::array list_in(const json::object& from, std::string_view key) {
    const auto* value = from.if_contains(key);
    return value != nullptr && value->is_array() ? value->get_array() : json::array();
}

void print(const json::object& line) { std::cout << json::serialize(line) << std::endl; }

const char* name_of(Code code) {
    switch (code) {
        case Code::InvalidArgument: return "InvalidArgument";
        case Code::Forbidden: return "Forbidden";
        case Code::TooLarge: return "TooLarge";
        case Code::Exhausted: return "Exhausted";
        case Code::Unavailable: return "Unavailable";
        case Code::Timeout: return "Timeout";
        case Code::Internal: return "Internal";
        default: return "another";
    }
}

// Bytes as two hexadecimal digits each.
std::string bytes_of(const std::string& hex) {
    std::string bytes;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
        bytes.push_back(static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16)));
    }
    return bytes;
}

core::ToolCall call_of(const json::object& from) {
    return {text_in(from, "id"), text_in(from, "name"), text_in(from, "arguments")};
}

core::ChatRequest request_of(const json::object& from) {
    core::ChatRequest request;
    for (const auto& one : list_in(from, "messages")) {
        const auto& object = one.as_object();
        core::ChatMessage message;
        const auto role = text_in(object, "role");
        message.role = role == "system"      ? core::ChatRole::System
                       : role == "assistant" ? core::ChatRole::Assistant
                       : role == "tool"      ? core::ChatRole::Tool
                                             : core::ChatRole::User;
        message.text =
            object.contains("hex") ? bytes_of(text_in(object, "hex")) : text_in(object, "text");
        message.tool_call_id = text_in(object, "tool_call_id");
        for (const auto& call : list_in(object, "tool_calls")) {
            message.tool_calls.push_back(call_of(call.as_object()));
        }
        for (const auto& image : list_in(object, "images")) {
            message.images.push_back({text_in(image.as_object(), "media_type"),
                                      bytes_of(text_in(image.as_object(), "hex"))});
        }
        request.messages.push_back(std::move(message));
    }
    for (const auto& one : list_in(from, "tools")) {
        const auto& tool = one.as_object();
        request.tools.push_back(
            {text_in(tool, "name"), text_in(tool, "description"), text_in(tool, "parameters")});
    }
    request.answer_tokens_max = static_cast<std::uint32_t>(number_in(from, "answer_tokens_max", 0));
    return request;
}

openai::Endpoint endpoint_of(const json::object& from) {
    using std::chrono::milliseconds;
    openai::Endpoint endpoint;
    endpoint.base_url = text_in(from, "base_url");
    endpoint.key = text_in(from, "key");
    endpoint.connect = milliseconds(number_in(from, "connect_ms", 5000));
    endpoint.silence = milliseconds(number_in(from, "silence_ms", 20'000));
    endpoint.total = milliseconds(number_in(from, "total_ms", 60'000));
    endpoint.retry.attempts_max = static_cast<int>(number_in(from, "attempts", 4));
    endpoint.retry.first = milliseconds(number_in(from, "retry_first_ms", 20));
    endpoint.retry.patience = milliseconds(number_in(from, "patience_ms", 2000));
    return endpoint;
}

class Listener final : public core::ChatListener {
public:
    Listener(std::int64_t id, bool quiet) : id_(id), quiet_(quiet) {}
    void text(std::string_view piece) noexcept override { heard("text", piece); }
    void reasoning(std::string_view piece) noexcept override { heard("reasoning", piece); }

    std::int64_t pieces = 0;
    double gap_ms = 0;  // the longest between two pieces

private:
    void heard(const char* what, std::string_view piece) noexcept {
        ++pieces;
        if (!quiet_) {
            print({{"id", id_}, {what, json::string_view(piece.data(), piece.size())}});
            return;
        }
        const auto now = Clock::now();
        if (pieces > 1) {
            const std::chrono::duration<double, std::milli> gap = now - last_;
            gap_ms = std::max(gap_ms, gap.count());
        }
        last_ = now;
    }

    std::int64_t id_;
    bool quiet_;
    Clock::time_point last_;
};

json::object shown(const core::ChatReply& reply, bool quiet) {
    static constexpr const char* kFinish[] = {"stop", "tool_calls", "length", "filtered"};
    json::array calls;
    for (const auto& call : reply.tool_calls) {
        calls.push_back(
            json::object{{"id", call.id}, {"name", call.name}, {"arguments", call.arguments}});
    }
    return {{"text", quiet ? std::string() : reply.text},
            {"reasoning", reply.reasoning},
            {"tool_calls", std::move(calls)},
            {"finish", kFinish[static_cast<int>(reply.finish)]},
            {"prompt_tokens", reply.usage.prompt_tokens},
            {"answer_tokens", reply.usage.answer_tokens}};
}

class Program {
public:
    explicit Program(asio::io_context& context)
        : context_(context),
          operators_(context.get_executor(), net::AddressPolicy::operators()),
          strangers_(context.get_executor(), net::AddressPolicy::strangers()) {}

    void take(const json::object& line) {
        const auto id = number_in(line, "id", 0);
        const auto what = text_in(line, "do");
        if (what == "cancel") {
            const auto of = number_in(line, "of", 0);
            if (running_.contains(of)) running_.at(of).emit(asio::cancellation_type::terminal);
            print({{"id", id}, {"ok", true}});
        } else if (what == "usage") {
            rusage usage{};
            ::getrusage(RUSAGE_SELF, &usage);
            const auto us = [](const timeval& t) { return t.tv_sec * 1'000'000 + t.tv_usec; };
            print({{"id", id},
                   {"cpu_us", us(usage.ru_utime) + us(usage.ru_stime)},
                   {"under_way", operators_.under_way()}});
        } else {
            asio::co_spawn(context_, carry_out(id, what, line),
                           asio::bind_cancellation_slot(
                               running_[id].slot(), [this, id](const std::exception_ptr&) {
                                   asio::post(context_, [this, id] { running_.erase(id); });
                               }));
        }
    }

private:
    asio::awaitable<void> carry_out(std::int64_t id, std::string what, json::object line) {
        try {
            if (what == "chat") {
                co_await chat(id, std::move(line));
            } else if (what == "embed") {
                co_await embed(id, std::move(line));
            } else {
                co_await fetch(id, std::move(line));
            }
        } catch (const ErrorException& failed) {
            print({{"id", id},
                   {"error", json::object{{"code", name_of(failed.error.code)},
                                          {"message", failed.error.message}}}});
        } catch (const std::exception& failed) {
            print({{"id", id},
                   {"error", json::object{{"code", "exception"}, {"message", failed.what()}}}});
        }
    }

    asio::awaitable<void> chat(std::int64_t id, json::object line) {
        openai::ModelOptions options;
        options.endpoint = endpoint_of(line);
        options.model = text_in(line, "model", "scripted");
        if (const auto* sees = line.if_contains("sees_images"))
            options.sees_images = sees->as_bool();
        openai::OpenAiModel model(operators_, options);
        const bool quiet = line.contains("quiet");
        Listener listener(id, quiet);
        auto request = request_of(line.at("request").as_object());
        const auto reply = co_await model.chat(std::move(request), listener);
        print({{"id", id},
               {"reply", shown(reply, quiet)},
               {"pieces", listener.pieces},
               {"gap_ms", listener.gap_ms}});
    }

    asio::awaitable<void> embed(std::int64_t id, json::object line) {
        openai::OpenAiEmbeddings embeddings(operators_, endpoint_of(line),
                                            text_in(line, "model", "scripted"));
        std::vector<std::string> texts;
        for (const auto& text : list_in(line, "texts")) texts.emplace_back(text.as_string());
        const auto vectors = co_await embeddings.embed(std::move(texts));
        json::array rows;
        for (const auto& vector : vectors)
            rows.emplace_back(json::array(vector.begin(), vector.end()));
        print({{"id", id}, {"vectors", std::move(rows)}});
    }

    asio::awaitable<void> fetch(std::int64_t id, json::object line) {
        net::FetchRequest request;
        request.url = text_in(line, "url");
        auto& fetcher = text_in(line, "policy") == "strangers" ? strangers_ : operators_;
        auto answer = co_await fetcher.send(std::move(request));
        const auto body = co_await answer.read_all(1u << 20);
        print({{"id", id}, {"status", answer.status()}, {"body", body}});
    }

    asio::io_context& context_;
    net::Fetcher operators_;
    net::Fetcher strangers_;
    std::map<std::int64_t, asio::cancellation_signal> running_;
};

asio::awaitable<void> read_lines(asio::io_context& context) {
    Program program(context);
    asio::posix::stream_descriptor in(context, ::dup(STDIN_FILENO));
    asio::streambuf buffer(64u << 20);
    for (;;) {
        const auto [failed, bytes] =
            co_await asio::async_read_until(in, buffer, '\n', asio::as_tuple(asio::use_awaitable));
        if (failed) break;
        std::string line(bytes, '\0');
        buffer.sgetn(line.data(), static_cast<std::streamsize>(bytes));
        const auto parsed = json::parse(line);
        program.take(parsed.as_object());
    }
    context.stop();
}

}  // namespace

int main() {
    asio::io_context context(1);
    asio::co_spawn(context, read_lines(context), asio::detached);
    context.run();
    std::cout.flush();
    ::_exit(0);  // what is under way ends with the program
}
