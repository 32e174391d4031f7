#include "net/peer_user.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sstream>
#include <sys/socket.h>

namespace atl::net {

namespace {

constexpr int kRepliesMax = 16;  // of which all but one are late answers to earlier questions

// One end: an IPv4 address has one word.
struct End {
    std::array<std::uint32_t, 4> address{};  // as on the wire, like the port
    std::uint16_t port = 0;
    bool operator==(const End&) const = default;
};

struct Ends {
    sa_family_t family = AF_UNSPEC;
    End ours;
    End theirs;
};

std::optional<End> end_of(const sockaddr_storage& from) {
    End end;
    if (from.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
        end.address[0] = v4.sin_addr.s_addr;
        end.port = v4.sin_port;
        return end;
    }
    if (from.ss_family != AF_INET6) return std::nullopt;
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
    std::memcpy(end.address.data(), &v6.sin6_addr, sizeof end.address);
    end.port = v6.sin6_port;
    return end;
}

std::optional<Ends> ends_of(int socket) {
    sockaddr_storage here{}, there{};
    socklen_t here_bytes = sizeof here, there_bytes = sizeof there;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&here), &here_bytes) != 0 ||
        ::getpeername(socket, reinterpret_cast<sockaddr*>(&there), &there_bytes) != 0) {
        return std::nullopt;
    }
    const auto ours = end_of(here), theirs = end_of(there);
    if (!ours || !theirs) return std::nullopt;
    return Ends{here.ss_family, *ours, *theirs};
}

// That of a client which has said what it had to say, and still hears us.
bool is_other_end(int state) {
    return state == TCP_ESTABLISHED || state == TCP_FIN_WAIT1 || state == TCP_FIN_WAIT2;
}

// Whether the kernel still holds the connection: then its ends cannot have been reused.
bool still_stands(int socket) {
    tcp_info info{};
    socklen_t bytes = sizeof info;
    if (::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0) return false;
    return info.tcpi_state == TCP_ESTABLISHED || info.tcpi_state == TCP_CLOSE_WAIT;
}

struct Found {
    bool answered = false;  // the kernel knows sockets by their ends
    std::optional<uid_t> user;
};

// The socket that has `local` as its own end and `remote` as its other.
Found ask_kernel(int netlink, std::uint32_t sequence, sa_family_t family, const End& local,
                 const End& remote) {
    struct {
        nlmsghdr head;
        inet_diag_req_v2 body;
    } question{};
    question.head.nlmsg_len = sizeof question;
    question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    question.head.nlmsg_flags = NLM_F_REQUEST;
    question.head.nlmsg_seq = sequence;
    question.body.sdiag_family = static_cast<__u8>(family);
    question.body.sdiag_protocol = IPPROTO_TCP;
    question.body.idiag_states = ~0u;
    auto& id = question.body.id;
    id.idiag_sport = local.port;
    id.idiag_dport = remote.port;
    std::memcpy(id.idiag_src, local.address.data(), sizeof id.idiag_src);
    std::memcpy(id.idiag_dst, remote.address.data(), sizeof id.idiag_dst);
    id.idiag_cookie[0] = id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    if (::send(netlink, &question, sizeof question, MSG_DONTWAIT) < 0) return {};

    alignas(nlmsghdr) char buffer[4096];
    for (int i = 0; i < kRepliesMax; ++i) {
        const auto got = ::recv(netlink, buffer, sizeof buffer, MSG_DONTWAIT);
        if (got < static_cast<ssize_t>(sizeof(nlmsghdr))) return {};
        nlmsghdr head{};
        std::memcpy(&head, buffer, sizeof head);
        if (head.nlmsg_seq != sequence) continue;
        if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
            got < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(inet_diag_msg)))) {
            return {};
        }
        inet_diag_msg socket{};
        std::memcpy(&socket, buffer + NLMSG_HDRLEN, sizeof socket);
        Found found;
        found.answered = true;
        // Where there is no such connection, the kernel goes on to listeners. A socket of the other
        // family may speak IPv4, and names its ends as such ones do.
        const bool mapped = family == AF_INET && socket.idiag_family == AF_INET6;
        const bool same = socket.id.idiag_sport == local.port &&
                          socket.id.idiag_dport == remote.port &&
                          socket.id.idiag_src[mapped ? 3 : 0] == local.address[0] &&
                          socket.id.idiag_dst[mapped ? 3 : 0] == remote.address[0];
        if (same && is_other_end(socket.idiag_state) && socket.idiag_inode != 0) {
            found.user = socket.idiag_uid;
        }
        return found;
    }
    return {};
}

std::string proc_text(const End& end, int words) {
    std::string text;
    char part[16];
    for (int i = 0; i < words; ++i) {
        std::snprintf(part, sizeof part, "%08X", end.address[static_cast<std::size_t>(i)]);
        text += part;
    }
    std::snprintf(part, sizeof part, ":%04X", ntohs(end.port));
    return text + part;
}

std::optional<uid_t> look_in(const char* file, const std::string& local,
                             const std::string& remote) {
    std::ifstream lines(file);
    std::string line;
    while (std::getline(lines, line)) {
        if (line.find(local) == std::string::npos) continue;
        std::istringstream words(line);
        std::string number, here, there, state, queues, timer, again, uid, timeout, inode;
        words >> number >> here >> there >> state >> queues >> timer >> again >> uid >> timeout >>
            inode;
        if (here != local || there != remote || inode.empty() || inode == "0") continue;
        if (!is_other_end(static_cast<int>(std::strtol(state.c_str(), nullptr, 16)))) continue;
        return static_cast<uid_t>(std::strtoul(uid.c_str(), nullptr, 10));
    }
    return std::nullopt;
}

std::optional<uid_t> look_in_proc(const Ends& ends) {
    if (ends.family == AF_INET6) {
        return look_in("/proc/net/tcp6", proc_text(ends.theirs, 4), proc_text(ends.ours, 4));
    }
    if (const auto found =
            look_in("/proc/net/tcp", proc_text(ends.theirs, 1), proc_text(ends.ours, 1))) {
        return found;
    }
    // A client may speak IPv4 through a socket of the other family.
    const auto mapped = [](const End& end) {
        End wide = end;
        wide.address = {0, 0, htonl(0xffff), end.address[0]};
        return proc_text(wide, 4);
    };
    return look_in("/proc/net/tcp6", mapped(ends.theirs), mapped(ends.ours));
}

// The one as which all users appear that our user namespace does not know.
std::optional<uid_t> unknown_user() {
    std::ifstream map("/proc/self/uid_map");
    std::uint64_t inside = 1, outside = 1, count = 0;
    map >> inside >> outside >> count;
    constexpr std::uint64_t kAll = 0xffff'ffff;
    if (inside == 0 && outside == 0 && count == kAll) return std::nullopt;
    std::ifstream file("/proc/sys/kernel/overflowuid");
    uid_t unknown = 65534;
    file >> unknown;
    return unknown;
}

}  // namespace

PeerUsers::PeerUsers(Ways ways) : by_netlink_(ways == Ways::Both), unknown_(unknown_user()) {}
PeerUsers::PeerUsers() : PeerUsers(Ways::Both) {}

std::optional<uid_t> PeerUsers::of(int socket) {
    const auto ends = ends_of(socket);
    if (!ends) return std::nullopt;
    if (by_netlink_ && !netlink_) {
        netlink_ = UniqueFd(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    }
    std::optional<uid_t> user;
    if (netlink_) {
        const auto found =
            ask_kernel(netlink_.get(), ++sequence_, ends->family, ends->theirs, ends->ours);
        user = found.user;
        // Not found, or no kernel that could find anything? Our own end is certainly there.
        if (!found.answered && !proven_) {
            const auto own =
                ask_kernel(netlink_.get(), ++sequence_, ends->family, ends->ours, ends->theirs);
            proven_ = own.answered;
            if (!own.answered && still_stands(socket)) {
                by_netlink_ = false;
                netlink_.reset();
            }
        }
        proven_ = proven_ || found.answered;
    }
    if (!by_netlink_) user = look_in_proc(*ends);
    if (!user || user == unknown_ || !still_stands(socket)) return std::nullopt;
    return user;
}

}  // namespace atl::net
