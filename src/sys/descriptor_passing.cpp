#include "sys/descriptor_passing.hpp"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace atl::sys {

ssize_t send_with(int socket, std::string_view bytes, std::span<const int> descriptors) noexcept {
    if (descriptors.size() > kDescriptorsAMessage) {
        errno = E2BIG;
        return -1;
    }
    iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int) * kDescriptorsAMessage)] = {};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (!descriptors.empty()) {
        message.msg_control = space;
        message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
        cmsghdr* rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
        std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
    }
    return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

ssize_t receive_with(int socket, char* into, std::size_t size, int flags,
                     std::vector<UniqueFd>& descriptors, bool* cut) {
    iovec piece{into, size};
    alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int) * kDescriptorsAMessage)] = {};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = space;
    message.msg_controllen = sizeof space;
    const ssize_t n = ::recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
    if (n < 0) return n;
    if (cut != nullptr) *cut = (message.msg_flags & MSG_CTRUNC) != 0;
    for (cmsghdr* c = CMSG_FIRSTHDR(&message); c != nullptr; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(c) + i * sizeof fd, sizeof fd);
            descriptors.emplace_back(fd);
        }
    }
    return n;
}

}  // namespace atl::sys
