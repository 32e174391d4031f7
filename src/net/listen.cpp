#include "net/listen.hpp"

#include "net/server.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace atl::net {

namespace {

constexpr int kBacklog = 1024;
constexpr std::string_view kUnixPrefix = "unix:";
constexpr unsigned kUserTimeoutMs = 60000;
constexpr int kKeepAliveSeconds = 60;

union AnyAddress {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
    sockaddr_un local;
    sockaddr_storage room;
};

Error failed(const std::string& what, int cause) {
    const auto code = cause == EADDRINUSE ? Code::Conflict
                      : cause == EACCES   ? Code::Forbidden
                                          : Code::Internal;
    std::string why = std::strerror(cause);
    if (cause == EADDRINUSE) why = "in use by another program; choose another with --listen";
    return {code, what + ": " + why};
}

std::string text_of(const AnyAddress& address, std::uint16_t& port) {
    char text[INET6_ADDRSTRLEN] = "";
    if (address.any.sa_family == AF_INET) {
        ::inet_ntop(AF_INET, &address.v4.sin_addr, text, sizeof text);
        port = ntohs(address.v4.sin_port);
    } else {
        port = ntohs(address.v6.sin6_port);
        if (IN6_IS_ADDR_V4MAPPED(&address.v6.sin6_addr)) {
            ::inet_ntop(AF_INET, &address.v6.sin6_addr.s6_addr[12], text, sizeof text);
        } else {
            ::inet_ntop(AF_INET6, &address.v6.sin6_addr, text, sizeof text);
        }
    }
    return text;
}

Error no_address(const std::string& text, const std::string& why) {
    return {Code::InvalidArgument, "\"" + text + "\" is not an address to listen on: " + why +
                                       "write 127.0.0.1:8000, [::1]:8000 or unix:/path"};
}

Result<AnyAddress> parse_tcp(const std::string& address, socklen_t& bytes) {
    const auto colon = address.rfind(':');
    if (colon == std::string::npos) return no_address(address, "");
    auto host = address.substr(0, colon);
    std::uint16_t port = 0;
    const char* const end = address.data() + address.size();
    const auto [at, wrong] = std::from_chars(address.data() + colon + 1, end, port);
    if (wrong == std::errc::result_out_of_range && at == end) {
        return no_address(address, "the highest port is 65535; ");
    }
    if (wrong != std::errc() || at != end) return no_address(address, "");
    AnyAddress parsed{};
    std::memset(&parsed, 0, sizeof parsed);
    if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
        host = host.substr(1, host.size() - 2);
        if (::inet_pton(AF_INET6, host.c_str(), &parsed.v6.sin6_addr) != 1) {
            return no_address(address, "");
        }
        parsed.v6.sin6_family = AF_INET6;
        parsed.v6.sin6_port = htons(port);
        bytes = sizeof parsed.v6;
    } else {
        if (::inet_pton(AF_INET, host.c_str(), &parsed.v4.sin_addr) != 1) {
            return no_address(address, host.empty() ? "" : "names are not looked up; ");
        }
        parsed.v4.sin_family = AF_INET;
        parsed.v4.sin_port = htons(port);
        bytes = sizeof parsed.v4;
    }
    return parsed;
}

bool is_unix(const std::string& address) { return address.rfind(kUnixPrefix, 0) == 0; }

Result<std::string> unix_path(const std::string& address) {
    auto path = address.substr(kUnixPrefix.size());
    if (path.empty()) return no_address(address, "it names no file; ");
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
        return no_address(address, "the path of a socket must be shorter than 108 bytes; ");
    }
    return path;
}

Result<Bound> listen_on_unix(const std::string& address, unsigned mode) {
    const auto named = unix_path(address);
    if (!named) return named.error();
    const std::string& path = *named;
    AnyAddress where{};
    std::memset(&where, 0, sizeof where);
    where.local.sun_family = AF_UNIX;
    std::memcpy(where.local.sun_path, path.data(), path.size());
    struct stat found {};
    if (::lstat(path.c_str(), &found) == 0 && S_ISSOCK(found.st_mode)) {
        const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        if (::connect(probe.get(), &where.any, sizeof where.local) < 0 && errno == ECONNREFUSED) {
            ::unlink(path.c_str());
        }
    }
    Bound bound{UniqueFd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), address,
                path};
    if (!bound.socket) return failed("socket", errno);
    // Closed to others from the first moment: the mode is opened to what was asked afterwards.
    const auto before = ::umask(0177);
    const int done = ::bind(bound.socket.get(), &where.any, sizeof where.local);
    const int cause = errno;
    ::umask(before);
    if (done < 0) return failed("listen on " + address, cause);
    if (::chmod(path.c_str(), mode) < 0) return failed("open the mode of " + path, errno);
    if (::listen(bound.socket.get(), kBacklog) < 0) return failed("listen on " + address, errno);
    return bound;
}

}  // namespace

Result<void> check_listen_address(const std::string& address) {
    if (is_unix(address)) {
        if (const auto path = unix_path(address); !path) return path.error();
        return {};
    }
    socklen_t bytes = 0;
    if (const auto where = parse_tcp(address, bytes); !where) return where.error();
    return {};
}

Result<Bound> listen_on(const std::string& address, unsigned unix_mode) {
    if (is_unix(address)) return listen_on_unix(address, unix_mode);
    socklen_t bytes = 0;
    auto where = parse_tcp(address, bytes);
    if (!where) return where.error();
    Bound bound{UniqueFd(::socket(where->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
                                  IPPROTO_TCP)),
                {},
                {}};
    if (!bound.socket) return failed("socket", errno);
    const int on = 1;
    ::setsockopt(bound.socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (where->any.sa_family == AF_INET6) {
        ::setsockopt(bound.socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    }
    if (::bind(bound.socket.get(), &where->any, bytes) < 0 ||
        ::listen(bound.socket.get(), kBacklog) < 0) {
        return failed("listen on " + address, errno);
    }
    AnyAddress real{};
    socklen_t real_bytes = sizeof real;
    if (::getsockname(bound.socket.get(), &real.any, &real_bytes) < 0) {
        return failed("listen on " + address, errno);
    }
    std::uint16_t port = 0;
    const auto host = text_of(real, port);
    bound.address =
        (real.any.sa_family == AF_INET6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
    return bound;
}

Accepted accept_one(int listener) {
    Accepted accepted;
    AnyAddress from{};
    socklen_t bytes = sizeof from;
    accepted.socket =
        UniqueFd(::accept4(listener, &from.any, &bytes, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!accepted.socket) {
        accepted.cause = errno;
        return accepted;
    }
    const int fd = accepted.socket.get();
    if (from.any.sa_family == AF_UNIX) {
        ucred who{};
        socklen_t size = sizeof who;
        accepted.peer.address = "unix";
        if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0) {
            accepted.peer.uid = who.uid;
        }
        return accepted;
    }
    accepted.peer.address = text_of(from, accepted.peer.port);
    accepted.limit_key = accepted.peer.address;
    accepted.loopback = accepted.peer.address.starts_with("127.") || accepted.peer.address == "::1";
    if (from.any.sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&from.v6.sin6_addr)) {
        // Whoever has one IPv6 address has 2^64 of them.
        accepted.limit_key.assign(reinterpret_cast<const char*>(&from.v6.sin6_addr), 8);
    }
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kKeepAliveSeconds, sizeof kKeepAliveSeconds);
    // A client that vanished without a word is given up a minute after the first unanswered byte.
    ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof kUserTimeoutMs);
    return accepted;
}

}  // namespace atl::net
