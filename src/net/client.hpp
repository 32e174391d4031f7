#pragma once
// HTTP requests to a server, one after the other and waiting for each: for the command line. The
// server itself never uses it, for it must not wait.
//
//     net::Client client("http://127.0.0.1:8000", key);
//     auto answer = client.send({.method = "GET", .path = "/v1/sessions"});
//
// Owns      its connection, which is kept between requests.
// Threads   whoever made it. `interrupt` may be set by a signal handler.
// Trusts    the server as far as its user does: what it answers is bounded, and nothing is followed
//           (no redirects, no schemes but http and https).
// A status is an answer, not a failure; a Result is an Error when there was no whole answer.
#include "base/result.hpp"
#include "net/headers.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace atl::net {

struct ClientRequest {
    std::string method = "GET";
    std::string path;  // with its query; percent-encoded already
    Headers headers;
    std::string body;
    // Instead of the body: fills the buffer, says how much; 0 at the end. Throws to give up.
    std::function<std::size_t(char* buffer, std::size_t size)> source;
    std::optional<std::uint64_t> source_bytes;  // left out: in chunks
    // Gets the body of an answer with a status below 300 as it comes; false ends it. Left out:
    // the body stands in the answer.
    std::function<bool(std::string_view piece)> sink;
    // How much of the answer has come, and of how much (0: not known).
    std::function<void(std::uint64_t come, std::uint64_t of)> progress;
};

struct ClientAnswer {
    int status = 0;
    Headers headers;
    std::string body;
    bool ended_by_sink = false;
};

class Client {
public:
    // `url`: http://host:port, https://…, or unix:/path of a socket. `key` goes along as a bearer
    // token when it is not empty.
    Client(std::string url, std::string key);
    ~Client();
    Client(Client&&) noexcept;
    Client& operator=(Client&&) noexcept;

    // InvalidArgument: the URL is none. Unavailable: nobody answers there. Timeout: nobody took the
    // connection. Conflict: interrupted. TooLarge: an answer beyond 64 MiB.
    [[nodiscard]] Result<ClientAnswer> send(const ClientRequest& request);

    // Set from anywhere: a request under way ends within a second.
    [[nodiscard]] static std::atomic<bool>& interrupt() noexcept;
    [[nodiscard]] const std::string& url() const noexcept { return url_; }

private:
    struct Transfer;
    std::string url_;
    std::string key_;
    std::unique_ptr<Transfer> transfer_;
};

}  // namespace atl::net
