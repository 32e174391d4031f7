// Goal: no body and no headers crash what reads a message of the Model Context Protocol, and
// whatever becomes of them, the answer is one line of JSON with the id that was asked with.
#include "api/mcp/protocol.hpp"
#include "base/result.hpp"
#include "schema/json.hpp"

#include <boost/json/value.hpp>
#include <cstdint>
#include <cstdlib>

namespace json = boost::json;
namespace mcp = atl::api::mcp;

namespace {

constexpr std::size_t kBytesMax = 1 << 20;

// The headers, one a line, up to an empty one; the rest is the body.
atl::net::Headers take_headers(std::string_view& text) {
    atl::net::Headers headers;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.empty()) break;
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) continue;
        headers.add(line.substr(0, colon), line.substr(colon + 1));
    }
    return headers;
}

void check_answer(const std::string& text, const json::value& id) {
    if (text.find('\n') != std::string::npos) std::abort();
    const auto answer = atl::schema::parse_json(text, 16 * kBytesMax);
    if (answer.as_object().at("id") != id) std::abort();
}

void answer(const mcp::Message& message, const atl::net::Headers& headers) {
    const mcp::About about{"1", "text"};
    const auto era = mcp::era_of(message, headers);
    json::object result;
    if (message.method == "initialize") {
        result = mcp::initialize_result(about, mcp::negotiated(message.params));
    } else if (message.method == "tools/call") {
        result["name"] = mcp::needed_text(message.params, "name", 128);
    }
    mcp::stamp(result, era, mcp::Keep::Minutes, about);
    check_answer(mcp::result_text(message.id, std::move(result)), message.id);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto headers = take_headers(text);
    try {
        const auto message = mcp::read_message(text, kBytesMax);
        // An id is another one's only if it is the same.
        const auto key = mcp::key_of(message.id);
        if (atl::schema::parse_json(key, kBytesMax) != message.id) std::abort();
        try {
            answer(message, headers);
        } catch (const mcp::Refused& refused) {
            auto fault = refused.fault;
            fault.id = message.id;
            check_answer(mcp::fault_text(fault), message.id);
        }
    } catch (const mcp::Refused& refused) {
        check_answer(mcp::fault_text(refused.fault), refused.fault.id);
    }
    return 0;
}
