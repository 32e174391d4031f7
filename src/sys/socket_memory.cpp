#include "sys/socket_memory.hpp"

#include "base/fd.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <set>
#include <sys/socket.h>
#include <vector>

namespace atl::sys {

namespace {

struct Kind {
    int family;
    int protocol;  // 0: unix
};
constexpr std::array kKinds = {Kind{AF_UNIX, 0}, Kind{AF_INET, IPPROTO_TCP},
                               Kind{AF_INET6, IPPROTO_TCP}, Kind{AF_INET, IPPROTO_UDP},
                               Kind{AF_INET6, IPPROTO_UDP}};

bool ask(int socket, const Kind& kind) {
    struct {
        nlmsghdr header;
        union {
            unix_diag_req local;
            inet_diag_req_v2 inet;
        };
    } request{};
    std::size_t size = sizeof(nlmsghdr);
    if (kind.family == AF_UNIX) {
        request.local.sdiag_family = AF_UNIX;
        request.local.udiag_states = ~0u;
        request.local.udiag_show = UDIAG_SHOW_MEMINFO | UDIAG_SHOW_RQLEN | UDIAG_SHOW_PEER;
        size += sizeof request.local;
    } else {
        request.inet.sdiag_family = static_cast<std::uint8_t>(kind.family);
        request.inet.sdiag_protocol = static_cast<std::uint8_t>(kind.protocol);
        request.inet.idiag_ext = 1u << (INET_DIAG_SKMEMINFO - 1);
        request.inet.idiag_states = ~0u;
        size += sizeof request.inet;
    }
    request.header.nlmsg_len = static_cast<std::uint32_t>(size);
    request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    return ::send(socket, &request, size, 0) == static_cast<ssize_t>(size);
}

template <class T>
T read_as(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

struct Socket {
    ino_t inode = 0;
    ino_t peer = 0;            // of a unix socket
    std::uint64_t held = 0;    // charged to it
    std::uint64_t queued = 0;  // what waits in a unix socket, charged to whoever sent it
};

// One socket of an answer.
Socket measure(const Kind& kind, const char* body, std::size_t size) {
    const bool local = kind.family == AF_UNIX;
    const std::size_t fixed = local ? sizeof(unix_diag_msg) : sizeof(inet_diag_msg);
    if (size < fixed) return {};
    Socket socket;
    socket.inode =
        local ? read_as<unix_diag_msg>(body).udiag_ino : read_as<inet_diag_msg>(body).idiag_inode;
    for (std::size_t at = NLMSG_ALIGN(fixed); at + sizeof(rtattr) <= size;) {
        const auto attribute = read_as<rtattr>(body + at);
        if (attribute.rta_len < sizeof(rtattr) || at + attribute.rta_len > size) break;
        const char* value = body + at + sizeof(rtattr);
        const std::size_t bytes = attribute.rta_len - sizeof(rtattr);
        const int memory = local ? int{UNIX_DIAG_MEMINFO} : int{INET_DIAG_SKMEMINFO};
        if (attribute.rta_type == memory && bytes > SK_MEMINFO_WMEM_QUEUED * 4) {
            const auto field = [&](int index) {
                return std::uint64_t{read_as<std::uint32_t>(value + index * 4)};
            };
            socket.held = field(SK_MEMINFO_RMEM_ALLOC) +
                          std::max(field(SK_MEMINFO_WMEM_ALLOC), field(SK_MEMINFO_WMEM_QUEUED));
        } else if (local && attribute.rta_type == UNIX_DIAG_PEER && bytes >= 4) {
            socket.peer = read_as<std::uint32_t>(value);
        } else if (local && attribute.rta_type == UNIX_DIAG_RQLEN &&
                   bytes >= sizeof(unix_diag_rqlen)) {
            socket.queued = read_as<unix_diag_rqlen>(value).udiag_rqueue;
        }
        at += RTA_ALIGN(attribute.rta_len);
    }
    return socket;
}

// What a unix socket has sent counts as the sender's, who is not listed any more once it is closed.
void add_orphans(const std::vector<Socket>& sockets, SocketMemory& memory) {
    std::set<ino_t> listed;
    for (const auto& one : sockets) listed.insert(one.inode);
    for (const auto& one : sockets) {
        if (one.queued == 0 || listed.count(one.peer) != 0) continue;
        memory.bytes += one.queued;
        memory.of[one.inode] += one.queued;
    }
}

// False when this kernel does not tell about such sockets. What goes wrong otherwise (the machine
// is busy, or out of memory) may work the next time.
bool add_all(int socket, const Kind& kind, SocketMemory& memory) {
    if (!ask(socket, kind)) return true;
    alignas(nlmsghdr) char answer[32 * 1024];
    std::vector<Socket> locals;
    for (;;) {
        const ssize_t n = ::recv(socket, answer, sizeof answer, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        const auto bytes = static_cast<std::size_t>(n);
        for (std::size_t at = 0; at + sizeof(nlmsghdr) <= bytes;) {
            const auto header = read_as<nlmsghdr>(answer + at);
            if (header.nlmsg_type == NLMSG_DONE) {
                add_orphans(locals, memory);
                return true;
            }
            if (header.nlmsg_len < sizeof header || at + header.nlmsg_len > bytes) return true;
            if (header.nlmsg_type == NLMSG_ERROR) {
                if (header.nlmsg_len < NLMSG_LENGTH(sizeof(nlmsgerr))) return true;
                const int cause = -read_as<nlmsgerr>(answer + at + NLMSG_HDRLEN).error;
                return cause != ENOENT && cause != EINVAL && cause != EOPNOTSUPP;
            }
            const Socket one =
                measure(kind, answer + at + NLMSG_HDRLEN, header.nlmsg_len - NLMSG_HDRLEN);
            if (one.held > 0) {
                memory.bytes += one.held;
                memory.of[one.inode] += one.held;
            }
            if (kind.family == AF_UNIX) locals.push_back(one);
            at += NLMSG_ALIGN(header.nlmsg_len);
        }
    }
}

}  // namespace

SocketMemory socket_memory() {
    // A kind that the kernel lacks is asked for once: each question may make it look for a module.
    static std::array<bool, kKinds.size()> missing{};
    SocketMemory memory;
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
        if (missing[i]) continue;
        // One for each: an answer that was broken off leaves nothing for the next.
        const UniqueFd socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
        if (socket.get() < 0) return memory;  // out of descriptors
        missing[i] = !add_all(socket.get(), kKinds[i], memory);
    }
    return memory;
}

}  // namespace atl::sys
