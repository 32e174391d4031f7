#pragma once
// What the handlers of the control API share: the sandbox that a path names, its tokens for an
// answer, lengths of life, and how a route of it is described.
#include "api/e2b/body.hpp"
#include "api/e2b/control_routes.hpp"
#include "api/e2b/views.hpp"
#include "net/exchange.hpp"
#include "schema/document.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <string_view>

namespace atl::api::e2b {

// The caller's sandbox that the path names, snapshots not counted. Throws net::Problem (404).
boost::asio::awaitable<core::SessionRecord> sandbox_in(const ControlParts& parts,
                                                       net::Exchange& exchange);
// Those that the caller's key may use.
[[nodiscard]] Tokens tokens_for(const ControlParts& parts, const core::SessionRecord& record,
                                const net::Request& request);
// Whoever connects with a good key has tokens that are good, even if the key that the sandbox was
// made with is not any more. Answers with the record as it is then.
boost::asio::awaitable<core::SessionRecord> with_good_key(ControlParts parts,
                                                          core::SessionRecord record,
                                                          net::Exchange& exchange);

// The field `timeout`, in whole seconds.
[[nodiscard]] std::chrono::seconds timeout_in(const Body& body, const char* name = "timeout",
                                              std::int64_t least = 1);
[[nodiscard]] net::Response json_text(int status, const boost::json::value& value);

// A route that the server's own document does not list.
[[nodiscard]] schema::Route unlisted(std::string_view method, std::string_view pattern,
                                     std::string_view id, std::string_view scope);

}  // namespace atl::api::e2b
