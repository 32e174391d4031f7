#include "api/job_status.hpp"

#include "api/job_types.hpp"
#include "api/request_reading.hpp"

#include <memory>

namespace atl::api {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kReadBytes = 256 * 1024;

enum class Part { Printed, Errors };

Part part_of(const core::LogChunk& chunk) {
    return chunk.stream == core::LogStream::Stdout ? Part::Printed : Part::Errors;
}

asio::awaitable<void> write_text(net::Exchange& exchange, std::string text) {
    const net::Produce give = [text = std::move(text)](std::string& out) {
        out += text;
        return true;
    };
    co_await exchange.write_large(give);
}

// Sends one part of the chunks from `next` on. Returns where the first of the other part stands;
// `end` if none does.
asio::awaitable<std::uint64_t> write_part(net::Exchange& exchange, sessions::Jobs& jobs, JobId id,
                                          Part part, std::uint64_t next, std::uint64_t end) {
    const auto asker = whose(exchange);
    std::uint64_t other = end;
    while (next < end) {
        auto read = co_await jobs.read_log(asker, id, next, kReadBytes);
        if (read.chunks.empty()) break;
        next = read.next_sequence;
        for (const auto& chunk : read.chunks) {
            if (part_of(chunk) != part) other = std::min(other, chunk.sequence);
        }
        const auto chunks =
            std::make_shared<const std::vector<core::LogChunk>>(std::move(read.chunks));
        const net::Produce print = [chunks, part, end](std::string& out) {
            for (const auto& chunk : *chunks) {
                if (part_of(chunk) != part || chunk.sequence >= end) continue;
                schema::append_json_characters(out, chunk.bytes);
            }
            return true;
        };
        co_await exchange.write_large(print);
    }
    co_return other;
}

}  // namespace

asio::awaitable<void> send_long_status(net::Exchange& exchange, sessions::Jobs& jobs,
                                       core::JobRecord record) {
    net::Headers headers;
    headers.set("Content-Type", "application/json");
    co_await exchange.begin_large(200, std::move(headers));
    if (exchange.request().method != "HEAD") {
        std::string text = R"({"state":)";
        schema::append_json_string(text, status_word(record.state));
        text += R"(,"stdout":")";
        co_await write_text(exchange, std::move(text));
        const auto end = record.log_next;
        const auto errors = co_await write_part(exchange, jobs, record.id, Part::Printed, 0, end);
        text = R"(","stderr":")";
        if (errors == end && core::has_ended(record.state)) {
            schema::append_json_characters(text, record.error);
        }
        co_await write_text(exchange, std::move(text));
        co_await write_part(exchange, jobs, record.id, Part::Errors, errors, end);
        co_await write_text(exchange, "\"}");
    }
    co_await exchange.end();
}

}  // namespace atl::api
