#include "api/mcp/protocol.hpp"

#include <gtest/gtest.h>

namespace atl::api::mcp {

namespace json = boost::json;

namespace {

Message asking(std::string method, json::object params = {}) {
    Message message;
    message.id = 1;
    message.method = std::move(method);
    message.params = std::move(params);
    return message;
}

json::object enveloped(const char* revision, json::object params = {}) {
    params["_meta"] = json::object{{"io.modelcontextprotocol/protocolVersion", revision},
                                   {"io.modelcontextprotocol/clientCapabilities", json::object{}}};
    return params;
}

int refusal(const Message& message, const net::Headers& headers) {
    try {
        static_cast<void>(era_of(message, headers));
    } catch (const Refused& refused) { return refused.fault.code; }
    return 0;
}

TEST(McpProtocol, AKnownRevisionIsKeptAndAnUnknownOneIsAnsweredWithTheLatest) {
    EXPECT_EQ(negotiated({{"protocolVersion", "2025-03-26"}}), "2025-03-26");
    EXPECT_EQ(negotiated({{"protocolVersion", "2025-11-25"}}), "2025-11-25");
    EXPECT_EQ(negotiated({{"protocolVersion", "2026-07-28"}}), "2025-11-25");
    EXPECT_EQ(negotiated({{"protocolVersion", "soon"}}), "2025-11-25");
    EXPECT_THROW(static_cast<void>(negotiated({})), Refused);
    EXPECT_THROW(static_cast<void>(negotiated({{"protocolVersion", 3}})), Refused);
}

TEST(McpProtocol, TheEraIsToldByHeaderOrEnvelope) {
    EXPECT_EQ(era_of(asking("tools/list"), {}), Era::Sessions);
    EXPECT_EQ(era_of(asking("tools/list"), {{"MCP-Protocol-Version", "2025-06-18"}}),
              Era::Sessions);
    EXPECT_EQ(era_of(asking("initialize"), {{"MCP-Protocol-Version", "2026-07-28"}}),
              Era::Sessions);
    EXPECT_EQ(era_of(asking("tools/list", enveloped("2026-07-28")),
                     {{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", "tools/list"}}),
              Era::Stateless);
    EXPECT_EQ(refusal(asking("tools/list"), {{"MCP-Protocol-Version", "1999-01-01"}}),
              kUnsupportedRevision);
}

TEST(McpProtocol, HeadersThatContradictTheBodyAreRefused) {
    const auto call = asking("tools/call", enveloped("2026-07-28", {{"name", "run_python"}}));
    const net::Headers good{{"MCP-Protocol-Version", "2026-07-28"},
                            {"Mcp-Method", "tools/call"},
                            {"Mcp-Name", "run_python"}};
    EXPECT_EQ(era_of(call, good), Era::Stateless);
    for (const char* name : {"MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"}) {
        auto wrong = good;
        wrong.set(name, "other");
        EXPECT_EQ(refusal(call, wrong), kHeaderMismatch) << name;
        auto twice = good;
        twice.add(name, "other");
        EXPECT_EQ(refusal(call, twice), kHeaderMismatch) << name;
        auto none = good;
        none.remove(name);
        EXPECT_EQ(refusal(call, none), kHeaderMismatch) << name;
    }
    auto encoded = good;
    encoded.set("Mcp-Name", "=?base64?cnVuX3B5dGhvbg==?=");
    EXPECT_EQ(era_of(call, encoded), Era::Stateless);
    const auto later = asking("tools/list", enveloped("2031-01-01"));
    EXPECT_EQ(
        refusal(later, {{"MCP-Protocol-Version", "2031-01-01"}, {"Mcp-Method", "tools/list"}}),
        kUnsupportedRevision);
    EXPECT_EQ(refusal(asking("tools/list"), {{"MCP-Protocol-Version", "2026-07-28"}}),
              kInvalidParams);
}

TEST(McpProtocol, OnlyTheStatelessEraStampsItsResults) {
    const About about{"1.2", "Go."};
    json::object result;
    stamp(result, Era::Sessions, Keep::Minutes, about);
    EXPECT_TRUE(result.empty());
    stamp(result, Era::Stateless, Keep::Not, about);
    EXPECT_EQ(result["resultType"].as_string(), "complete");
    EXPECT_EQ(result["ttlMs"].as_int64(), 0);
    EXPECT_EQ(result["cacheScope"].as_string(), "private");
    EXPECT_EQ(status_of(kMethodNotFound, Era::Sessions), 200);
    EXPECT_EQ(status_of(kMethodNotFound, Era::Stateless), 404);
}

}  // namespace

}  // namespace atl::api::mcp
