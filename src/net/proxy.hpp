#pragma once
// Passes one request on to a web server at the end of a byte stream, and its answer back: HTTP with
// bodies both ways at once, and WebSocket (or any upgrade) as a tunnel.
//
// Trusts neither side. The inner server is a guest's: the size and number of its headers are
// limited, its framing is read strictly and written anew, hop-by-hop headers stop here both ways.
// If it answers badly or not at all the client gets 502 or 504 with a sentence; once the answer has
// begun, the connection is cut instead.
#include "net/exchange.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace atl::net {

struct ProxyOptions {
    std::string target;  // path and query as the inner server shall see them
    std::string host;    // its Host header
    std::string prefix;  // X-Forwarded-Prefix: what was cut from the path; empty: none
    // Client headers, in addition to the hop-by-hop ones, that the guest must not see: credentials.
    std::vector<std::string> hidden_headers{"Authorization", "X-Api-Key", "Cookie"};
    // Of the guest's answer: what would bind a browser to more than this one page.
    std::vector<std::string> hidden_response_headers{"Strict-Transport-Security", "Alt-Svc",
                                                     "Clear-Site-Data"};
    Headers added_headers;                        // to the inner server
    Headers added_response_headers;               // to the client; replace the guest's
    std::function<void(Headers&)> edit_response;  // before these are added; may be left out
    std::size_t header_bytes_max = 32 * 1024;
    std::size_t headers_max = 100;
    std::uint64_t request_bytes_max = 1ull << 30;
    // From the request to the answer's head. After an upgrade: how long nothing may pass while the
    // server in the sandbox does not read, or once the client has ended its side; at most twice.
    std::chrono::milliseconds answer_timeout{60000};
};

// Takes the stream and closes it before returning.
boost::asio::awaitable<void> proxy(Exchange& exchange, std::unique_ptr<ByteStream> inner,
                                   ProxyOptions options);

}  // namespace atl::net
