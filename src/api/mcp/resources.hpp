#pragma once
// Files of sessions as MCP resources: listed for the client's own session, read from any of the
// caller's.
//
//     atoll://sessions/{session}/files/{path}      the path without its first slash,
//     percent-encoded
//
// Trusts    nothing that a client writes; nothing that comes out of a sandbox. A listing has a
//           thousand files of a folder at most, a file that is read kResourceBytesMax.
#include "api/answer_budget.hpp"
#include "api/mcp/tool_calls.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <string>
#include <string_view>

namespace atl::api::mcp {

inline constexpr std::uint64_t kResourceBytesMax = 4u << 20;

struct ResourceAddress {
    std::string session;
    std::string path;  // absolute
};
[[nodiscard]] std::string resource_uri(std::string_view session, std::string_view path);
// Throws Refused: it is none of ours.
[[nodiscard]] ResourceAddress resource_address(std::string_view uri);

[[nodiscard]] boost::json::object resource_templates();
// Throws Refused, or ErrorException when the sandbox cannot be had. A session that is not there has
// no files.
[[nodiscard]] boost::asio::awaitable<boost::json::object> list_resources(
    sessions::Sessions& sessions, const Place& place, std::string cursor);
[[nodiscard]] boost::asio::awaitable<boost::json::object> read_resource(
    sessions::Sessions& sessions, const Place& place, std::string uri, AnswerBudget::Share& share);

}  // namespace atl::api::mcp
