#pragma once
// The address of this server as a client knows it, for links in answers: by its Host, which Door
// has checked.
#include "net/message.hpp"

#include <string>

namespace atl::api {

// "https://atoll.example:8443", without a slash at the end. Empty on a unix socket: a link there
// has a path and no more.
[[nodiscard]] inline std::string base_url_of(const net::Request& request) {
    if (request.peer.is_unix() || request.host().empty()) return {};
    const auto proto = request.headers.get_or("X-Forwarded-Proto", {});
    // What a proxy says of itself decides over the scheme of a link, and over nothing else.
    const bool encrypted = request.peer.encrypted || proto == "https";
    return std::string(encrypted ? "https://" : "http://").append(request.host());
}

}  // namespace atl::api
