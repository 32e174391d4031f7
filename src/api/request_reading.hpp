#pragma once
// Request parsing that handlers of many resources share.
#include "api/api.hpp"
#include "base/workers.hpp"
#include "core/records.hpp"

#include <functional>

namespace atl::api {

// Whose records the caller may see.
[[nodiscard]] core::Whose whose(const net::Exchange& exchange);
// The session that the path names.
[[nodiscard]] SessionId session_in(const net::Exchange& exchange);
// What writes a session that the request makes at its first use to the audit log.
[[nodiscard]] std::function<void(const SessionId&)> notes_session(const net::Exchange& exchange);
// Whether it asks for events in place of one answer.
[[nodiscard]] bool wants_events(const net::Request& request);

// The boundary of a multipart form. Throws 415 if the body is none, 400 if it names no boundary.
[[nodiscard]] std::string form_boundary(const net::Request& request);

// The body as a described value. A large one is taken apart on a worker: text that is made for it
// can take a second.
template <schema::Described T, bool kMayBeEmpty = false>
boost::asio::awaitable<T> read_json(net::Exchange& exchange) {
    const std::string body = co_await exchange.read_body(kBodyBytesMax);
    if (kMayBeEmpty && body.empty()) co_return T{};
    if (body.size() <= kWholeBytesMax) co_return schema::from_json<T>(body, kBodyBytesMax);
    const auto read = [&body] { return schema::from_json<T>(body, kBodyBytesMax); };
    co_return co_await workers_of(exchange.executor()).run(read);
}
// The same where all may be left out, and then the body as well.
template <schema::Described T>
boost::asio::awaitable<T> read_json_if_any(net::Exchange& exchange) {
    return read_json<T, true>(exchange);
}

}  // namespace atl::api
