#pragma once
// Messages over a unix socket with descriptors along (SCM_RIGHTS).
//
// Received descriptors are owned at once and close-on-exec, so that none can leak into a child
// between here and its user.
#include "base/fd.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace atl::sys {

inline constexpr std::size_t kDescriptorsAMessage = 32;

// As send(2): bytes sent, or -1 with errno.
ssize_t send_with(int socket, std::string_view bytes, std::span<const int> descriptors) noexcept;
// As recv(2); what came along is appended to `descriptors`. `cut`: some of it did not arrive, as
// there were more than kDescriptorsAMessage, or no free number in this process for one.
ssize_t receive_with(int socket, char* into, std::size_t size, int flags,
                     std::vector<UniqueFd>& descriptors, bool* cut = nullptr);

}  // namespace atl::sys
