#pragma once
// Signed links to single files of threads: what stands in an answer, and opens in a browser that
// has no key.
//
//     /v1/links/<name of the file>?link=<what, as letters>.<HMAC-SHA256 of it>
//
// In the query, which no log of ours has. What: whose thread, which file, until when, and the key
// that asked. So nothing is stored, a link opens one path for reading and nothing else, it ends
// with its time, with that key and with its thread, and neither key nor owner can be changed in it.
// Whoever has the link has the file: it is as public as the page in which it stands.
//
// Owns      nothing. Signer and keys are borrowed and outlive it.
// Threads   the server's one.
// Trusts    nothing in a link before its signature is right.
#include "api/keys.hpp"
#include "api/tokens.hpp"
#include "net/exchange.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace atl::api::openai {

inline constexpr std::string_view kLinkPlace = "/v1/links/";

struct FileLink {
    std::string owner;
    std::string key_id;  // that asked for the answer; empty: none was needed
    std::string thread;
    std::string path;
    core::Time until{};

    bool operator==(const FileLink&) const = default;
};

// What stands in the query.
[[nodiscard]] std::string signed_link(const Signer& signer, const FileLink& link);
// Nothing when it is not ours, was changed, is past its end, or would last longer than `life`.
[[nodiscard]] std::optional<FileLink> read_link(const Signer& signer, std::string_view token,
                                                core::Time now, std::chrono::milliseconds life);

class FileLinks {
public:
    struct Options {
        std::chrono::milliseconds life = std::chrono::hours{7 * 24};
        // "https://atoll.example", where clients reach this server by another address than the
        // browsers that open links; empty: by the address that they have used.
        std::string public_url;
    };
    FileLinks(const Signer& signer, const KeyRing& keys, std::function<bool()> keys_needed,
              Options options)
        : signer_(signer),
          keys_(keys),
          keys_needed_(std::move(keys_needed)),
          options_(std::move(options)) {}

    // Whole addresses, for the files of one thread and whoever sends this request.
    [[nodiscard]] std::function<std::string(std::string_view path)> links_for(
        const net::Request& request, std::string thread) const;

    // An usher (Api::usher_below): says that the caller is who the link was made for. Throws
    // net::Problem (401).
    boost::asio::awaitable<void> admit(net::Exchange& exchange) const;
    // Of a request that was admitted.
    [[nodiscard]] FileLink link_in(const net::Request& request) const;

private:
    const Signer& signer_;
    const KeyRing& keys_;
    std::function<bool()> keys_needed_;
    Options options_;
};

}  // namespace atl::api::openai
