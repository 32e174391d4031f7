#pragma once
// Where a request of an E2B SDK goes. Before the door and the router look at it, a request for
// something in a sandbox is written as the route of that:
//
//     port 49983 (envd)                    /e2b/sandboxes/{session}/envd/…
//     port 49999 (the code interpreter)    /e2b/sandboxes/{session}/interpreter/…
//     any other port                       /e2b/sandboxes/{session}/ports/{port}/…
//
// It names sandbox and port by headers (E2b-Sandbox-Id, -Port), by its host ({port}-{id}.<domain>),
// or, for a file, by a signature alone. What remains is the control API, whose paths stand as they
// are. Whoever writes such a path themselves comes past the same usher (access.hpp).
//
// Owns      nothing. Access is borrowed and outlives it.
// Threads   the server's one; it never waits.
// Trusts    nothing in a request. What a header or a host names is only looked for.
#include "api/e2b/access.hpp"
#include "api/e2b/sandbox_id.hpp"
#include "net/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace atl::api::e2b {

inline constexpr std::uint16_t kEnvdPort = 49983;
inline constexpr std::uint16_t kInterpreterPort = 49999;

struct SandboxHost {
    SessionId session{""};
    std::uint16_t port = 0;
};
// Of a Host with or without a port of its own. An empty domain has none.
[[nodiscard]] std::optional<SandboxHost> sandbox_host_of(std::string_view host,
                                                         std::string_view domain);

class Gateway {
public:
    // `domain`: sandboxes are at {port}-{id}.<domain>, the control API at api.<domain>.
    Gateway(std::string domain, const Access& access)
        : domain_(std::move(domain)), access_(access) {}

    // Whether it was for something in a sandbox, and is written so now. Throws net::Problem for one
    // that names a sandbox which cannot be.
    bool enter(net::Request& request) const;
    // For DoorOptions::stays_inside: a sandbox's host is for that port of it, and api.<domain> for
    // the control API.
    [[nodiscard]] std::optional<bool> stays_inside(const net::Request& request) const;
    // Of sandboxes' hosts as whoever sent this can reach them, with the server's port; empty: it
    // came by another name, of which nothing is known.
    [[nodiscard]] std::string domain_for(const net::Request& request) const;

private:
    std::string domain_;
    const Access& access_;
};

}  // namespace atl::api::e2b
