#include "api/mcp/protocol.hpp"

#include "base/encoding.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>

namespace atl::api::mcp {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 4> kWithSessions{"2024-11-05", "2025-03-26", "2025-06-18",
                                                        "2025-11-25"};
constexpr std::string_view kStateless = "2026-07-28";
constexpr std::string_view kEnvelopeRevision = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kEnvelopeCapabilities = "io.modelcontextprotocol/clientCapabilities";
constexpr std::string_view kServerInfo = "io.modelcontextprotocol/serverInfo";
constexpr std::int64_t kMinutesMs = 300'000;

bool has_sessions(std::string_view revision) {
    return std::find(kWithSessions.begin(), kWithSessions.end(), revision) != kWithSessions.end();
}

json::array all_revisions() {
    json::array all{kStateless};
    for (auto one = kWithSessions.rbegin(); one != kWithSessions.rend(); ++one) {
        all.emplace_back(*one);
    }
    return all;
}

json::object info_of(const About& about) {
    return {{"name", "atoll"}, {"title", "Atoll"}, {"version", about.version}};
}

json::object capabilities() { return {{"tools", json::object{}}, {"resources", json::object{}}}; }

[[noreturn]] void refuse_revision(const json::value& id, std::string_view requested) {
    json::object data{{"supported", all_revisions()}, {"requested", requested.substr(0, 64)}};
    throw Refused(Fault{kUnsupportedRevision, "this revision of the protocol is not spoken here",
                        json::value(std::move(data)), id});
}

const json::object* envelope_of(const Message& message) {
    const auto* meta = message.params.if_contains("_meta");
    if (meta == nullptr || !meta->is_object()) return nullptr;
    return meta->get_object().contains(kEnvelopeRevision) ? &meta->get_object() : nullptr;
}

// A header's value, which says what is no plain text as =?base64?…?=.
std::string plain(std::string_view value) {
    constexpr std::string_view kBegin = "=?base64?", kEnd = "?=";
    if (!value.starts_with(kBegin) || !value.ends_with(kEnd) ||
        value.size() < kBegin.size() + kEnd.size()) {
        return std::string(value);
    }
    value.remove_prefix(kBegin.size());
    value.remove_suffix(kEnd.size());
    return base64_decoded(value);
}

// Whatever passes requests on by their headers must not be told another story than the body's.
void check_header(const Message& message, const net::Headers& headers, std::string_view name,
                  std::string_view wanted) {
    const auto all = headers.get_all(name);
    if (all.size() == 1 && plain(all.front()) == wanted) return;
    throw Refused(Fault{kHeaderMismatch,
                        "the header " + std::string(name) + " does not say what the request says",
                        std::nullopt, message.id});
}

void check_envelope(const Message& message, const net::Headers& headers) {
    const auto* envelope = envelope_of(message);
    const auto revision =
        envelope == nullptr ? std::nullopt : text_in(*envelope, kEnvelopeRevision);
    if (!revision || !envelope->contains(kEnvelopeCapabilities)) {
        throw Refused(Fault{kInvalidParams,
                            "params._meta must say " + std::string(kEnvelopeRevision) + " and " +
                                std::string(kEnvelopeCapabilities),
                            std::nullopt, message.id});
    }
    check_header(message, headers, kRevisionHeader, *revision);
    check_header(message, headers, "Mcp-Method", message.method);
    const char* named = message.method == "tools/call"       ? "name"
                        : message.method == "resources/read" ? "uri"
                                                             : nullptr;
    if (named != nullptr) {
        if (const auto name = text_in(message.params, named)) {
            check_header(message, headers, "Mcp-Name", *name);
        }
    }
    if (*revision != kStateless) refuse_revision(message.id, *revision);
}

}  // namespace

std::string negotiated(const json::object& params) {
    const auto wanted = needed_text(params, "protocolVersion", 64);
    return has_sessions(wanted) ? wanted : std::string(kWithSessions.back());
}

json::object initialize_result(const About& about, std::string revision) {
    return {{"protocolVersion", std::move(revision)},
            {"capabilities", capabilities()},
            {"serverInfo", info_of(about)},
            {"instructions", about.instructions}};
}

json::object discover_result(const About& about) {
    return {{"supportedVersions", all_revisions()},
            {"capabilities", capabilities()},
            {"instructions", about.instructions}};
}

Era era_of(const Message& message, const net::Headers& headers) {
    const auto said = headers.get(kRevisionHeader);
    // `initialize` is what begins a session, whatever stands beside it.
    if (message.kind == Message::Kind::Request && message.method == "initialize") {
        return Era::Sessions;
    }
    if ((said && *said == kStateless) || envelope_of(message) != nullptr) {
        if (message.kind == Message::Kind::Request) check_envelope(message, headers);
        return Era::Stateless;
    }
    if (said && !has_sessions(*said)) refuse_revision(message.id, *said);
    return Era::Sessions;
}

void stamp(json::object& result, Era era, Keep keep, const About& about) {
    if (era == Era::Sessions) return;
    result["resultType"] = "complete";
    result["_meta"] = json::object{{kServerInfo, info_of(about)}};
    if (keep == Keep::Unsaid) return;
    // What one caller may see is not everybody's.
    result["cacheScope"] = "private";
    result["ttlMs"] = keep == Keep::Minutes ? kMinutesMs : std::int64_t{0};
}

int status_of(int code, Era era) noexcept {
    switch (code) {
        case kParseError:
        case kInvalidRequest:
        case kHeaderMismatch:
        case kUnsupportedRevision: return 400;
        case kInvalidParams: return era == Era::Stateless ? 400 : 200;
        case kMethodNotFound: return era == Era::Stateless ? 404 : 200;
        default: return 200;
    }
}

}  // namespace atl::api::mcp
