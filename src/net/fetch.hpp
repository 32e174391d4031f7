#pragma once
// HTTP requests of the server itself, to others: libcurl on the Asio loop.
//
//     net::Fetcher fetcher(executor, net::AddressPolicy::operators());
//     auto answer = co_await fetcher.send(std::move(request));       // the head is here
//     while (co_await answer.read(piece)) …                          // the body, as it comes
//
// Owns      a Fetcher its connections, which are kept and used again (HTTP/2 where TLS offers it);
//           an answer its transfer: destroying it ends it. An answer may outlive the Fetcher.
// Threads   one, the executor's. Nothing blocks; names are resolved on a thread of curl's.
// Trusts    nobody: head and body have limits, waits have ends, schemes are http and https. The
//           policy is asked about every address before it is dialled. Redirects are not followed:
//           they are answers. Compressed bodies are neither asked for nor unpacked.
// Waits     for its reader: what was not read is kept up to 256 KiB, then the sender has to wait.
// Cancel    by cancelling the coroutine, or by destroying the answer.
// Throws    ErrorException. InvalidArgument: no URL that can be fetched. Forbidden: the policy says
//           no. Unavailable: nobody answers, or the connection broke. Timeout. TooLarge. Exhausted:
//           too many at one time.
// Environment  proxies as curl knows them (http_proxy, https_proxy, all_proxy, no_proxy), but never
//           for this machine, and never where the policy is for strangers: a proxy would dial where
//           we must not. CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR name whom TLS believes.
#include "base/result.hpp"
#include "net/address_policy.hpp"
#include "net/headers.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace atl::net {

// Zero is no limit.
struct FetchTimeouts {
    std::chrono::milliseconds connect{10'000};     // name, connection and TLS
    std::chrono::milliseconds first_byte{60'000};  // from the start to the head of the answer
    std::chrono::milliseconds idle{60'000};        // between pieces of the body
    std::chrono::milliseconds total{0};
};

struct FetchRequest {
    std::string method = "GET";
    std::string url;
    Headers headers;
    std::string body;
    FetchTimeouts timeouts;
    std::size_t head_bytes_max = 64u << 10;
    std::uint64_t body_bytes_max = 64u << 20;
};

class FetchAnswer {
public:
    FetchAnswer(FetchAnswer&&) noexcept;
    FetchAnswer& operator=(FetchAnswer&&) noexcept;
    ~FetchAnswer();

    [[nodiscard]] int status() const noexcept;
    [[nodiscard]] const Headers& headers() const noexcept;
    // Whether the end of the body is marked. If not, it ends with the connection, and nobody can
    // tell whether that was its end.
    [[nodiscard]] bool end_is_marked() const noexcept;

    // Puts what has arrived since into `piece`, in place of what was there; waits until there is
    // something. False at the end. `piece` outlives the call.
    boost::asio::awaitable<bool> read(std::string& piece);
    // All that is left. TooLarge beyond `bytes_max`.
    boost::asio::awaitable<std::string> read_all(std::size_t bytes_max);

private:
    friend class Fetcher;
    struct Transfer;
    struct Core;
    explicit FetchAnswer(std::unique_ptr<Transfer> transfer) noexcept;

    std::unique_ptr<Transfer> transfer_;
};

class Fetcher {
public:
    Fetcher(boost::asio::any_io_executor executor, AddressPolicy policy);
    ~Fetcher();
    Fetcher(const Fetcher&) = delete;
    Fetcher& operator=(const Fetcher&) = delete;

    // Returns when the head of the answer is there. A status is an answer, not a failure.
    boost::asio::awaitable<FetchAnswer> send(FetchRequest request);

    // For a reader that needs no more: the rest is dropped as it comes, for two seconds at most,
    // and a connection that ends its answer well within them is kept for the next request.
    void drop(FetchAnswer answer) noexcept;

    [[nodiscard]] std::size_t under_way() const noexcept;

private:
    std::shared_ptr<FetchAnswer::Core> core_;
};

// "https://host:8443" of any URL, for sentences: no path, no query, no credentials.
[[nodiscard]] std::string origin_of(const std::string& url);

}  // namespace atl::net
