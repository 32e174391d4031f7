#pragma once
// Which revision of the Model Context Protocol a client speaks, and what that means for an answer.
//
//     until 2025-11-25   `initialize` begins a session, which Mcp-Session-Id names from then on
//     2026-07-28         no session: each request says its revision in `_meta` and in its headers
//
// Pure: no I/O. Trusts nothing of a request.
#include "api/mcp/messages.hpp"
#include "net/headers.hpp"

#include <string>
#include <string_view>

namespace atl::api::mcp {

inline constexpr std::string_view kSessionHeader = "Mcp-Session-Id";
inline constexpr std::string_view kRevisionHeader = "MCP-Protocol-Version";

enum class Era : std::uint8_t { Sessions, Stateless };

// How the server names itself, and what it tells a model about its tools.
struct About {
    std::string version;
    std::string instructions;
};

// The revision that `initialize` ends with: the client's, or the latest that begins so.
[[nodiscard]] std::string negotiated(const boost::json::object& params);
[[nodiscard]] boost::json::object initialize_result(const About& about, std::string revision);
[[nodiscard]] boost::json::object discover_result(const About& about);

// By its headers and its envelope. Throws Refused: a revision that is not spoken here; a request
// without a session whose headers and body contradict each other.
[[nodiscard]] Era era_of(const Message& message, const net::Headers& headers);

// How long a client may keep an answer for itself; only the stateless era says so.
enum class Keep : std::uint8_t { Unsaid, Not, Minutes };
// What each result of an era carries besides its own members.
void stamp(boost::json::object& result, Era era, Keep keep, const About& about);

// Of an answer that is an error. Clients with sessions get 200 for what their method did not like.
[[nodiscard]] int status_of(int code, Era era) noexcept;

}  // namespace atl::api::mcp
