#include "guest/archive/failure.hpp"

#include <cerrno>
#include <cstring>

namespace atl::archive {

namespace {

Code code_of(int cause) {
    switch (cause) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG: return Code::Exhausted;
        case EIO:
        case EROFS:
        case EMFILE:
        case ENFILE:
        case ENOMEM:
        case EBADF:
        case ENOSYS: return Code::Internal;
        case ENOENT: return Code::NotFound;
        default: return Code::InvalidArgument;
    }
}

}  // namespace

Error errno_error(const std::string& what) {
    const int cause = errno;  // building the text may change it
    const char* why = std::strerror(cause);
    // With links never followed, this is what a link in the way looks like.
    if (cause == ELOOP) why = "its path contains a symbolic link";
    return {code_of(cause), what + ": " + why};
}

}  // namespace atl::archive
