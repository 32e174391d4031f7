#pragma once
// A request and an answer as plain values: what handlers in other rooms see of HTTP.
#include "net/headers.hpp"
#include "net/target.hpp"

#include <any>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace atl::net {

// Who is at the other end, as the kernel says; never what a header claims.
struct Peer {
    std::string address;     // "192.0.2.7", "2001:db8::1", or "unix"
    std::uint16_t port = 0;  // 0 on a unix socket
    // Whose process it is: on unix sockets, and over loopback where ServerOptions::wants_peer_uid
    // asks for it. None where the kernel could not tell.
    std::optional<uid_t> uid;
    bool encrypted = false;  // came over TLS
    [[nodiscard]] bool is_unix() const noexcept { return address == "unix"; }
};

struct Request {
    std::string method;
    Target target;
    int version = 11;  // 10 or 11
    Headers headers;
    Peer peer;
    std::string id;  // the client's X-Request-Id if it is a sane one, else ours; in every log line

    // Set by the Router.
    std::vector<std::pair<std::string, std::string>> parameters;
    std::string route;  // the pattern that matched; empty before, or when none did

    // For whoever admits the request (who is calling, which quota); net does not look inside.
    std::any context;

    std::chrono::steady_clock::time_point began{};

    // A parameter of the route. Asking for one that the pattern does not name is a bug: Internal.
    [[nodiscard]] const std::string& parameter(std::string_view name) const;
    // Host, or the authority of an absolute target; with the port, if there is one.
    [[nodiscard]] std::string_view host() const noexcept;
};

// Appends the next piece of a text, some tens or hundreds of KiB; false: that was the last. Called
// on a worker's thread, while whoever gave it waits.
using Produce = std::function<bool(std::string& out)>;

struct Response {
    int status = 200;
    Headers headers;
    std::string body;
    // What comes behind the body, for answers too large to be made on the loop. Their length is not
    // known when they begin, so they are sent in chunks.
    Produce rest = {};

    [[nodiscard]] static Response text(int status, std::string body);
    [[nodiscard]] static Response json(int status, const boost::json::value& value);
    [[nodiscard]] static Response empty(int status = 204) { return {status, {}, {}}; }
};

[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

}  // namespace atl::net
