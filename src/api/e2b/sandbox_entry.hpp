#pragma once
// The sandbox that a request is for, and the answers that do not depend on what was asked of it.
//
// Requests come here after the gateway has rewritten them to /e2b/sandboxes/{id}/envd/… or
// /e2b/sandboxes/{id}/interpreter/…; the id is that of a session.
// Trusts    the door for who is asking. Whatever else opens a sandbox (an access token, the
//           signature of an address) is checked in enter(), and nowhere else here.
#include "api/request_reading.hpp"
#include "net/problem.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace atl::api::e2b {

// Two names for the same authority (docs/decisions/0018-root-is-a-name.md).
struct User {
    std::string_view name;
    std::string_view home;
    bool operator==(const User&) const = default;
};
inline constexpr User kUser{"user", "/home/user"};
inline constexpr User kRoot{"root", "/root"};

// The sandbox is not there, or it went away while something was asked of it.
struct SandboxGone : std::runtime_error {
    SandboxGone() : std::runtime_error("the sandbox is not there") {}
};

// Wakes the sandbox of this request. Throws SandboxGone, ErrorException.
[[nodiscard]] boost::asio::awaitable<sessions::Use> enter(sessions::Sessions& sessions,
                                                          net::Exchange& exchange);
// Whether it is still there, for callers whose link to it was lost.
[[nodiscard]] boost::asio::awaitable<bool> is_there(sessions::Sessions& sessions,
                                                    net::Exchange& exchange);

// Whom the request is for, by HTTP basic authentication without a password, or by `name`; the
// ordinary user if nobody is named. Throws Unauthenticated for whom a sandbox does not have.
[[nodiscard]] User user_of(const net::Request& request);
[[nodiscard]] User user_named(std::string_view name);

// The variables of a program or kernel: the user's, then the sandbox's, then `more`.
[[nodiscard]] std::map<std::string, std::string> environment_in(
    const sessions::Use& use, std::map<std::string, std::string> more, const User& user);
// Throws InvalidArgument for what no program can be given.
void check_environment(const std::map<std::string, std::string>& variables);

// 502: what the client libraries take for a sandbox that has ended.
[[nodiscard]] net::Response gone_response(const net::Exchange& exchange);
// {"code": status, "message": …}
[[nodiscard]] net::Response error_response(int status, std::string_view message);
// For an answer that has begun and whose sandbox has gone: ends the connection with a reset. Some
// clients take an end without one for a failure of the server's, and do not look whether the
// sandbox is still there.
[[noreturn]] void cut_off();
[[nodiscard]] int http_status_of(const Error& error) noexcept;

// A handler whose failures become such answers. One that fails after it has begun its answer cuts
// the connection.
[[nodiscard]] net::Handler plain_http(sessions::Sessions& sessions, net::Handler handler);

}  // namespace atl::api::e2b
