#pragma once
// The system calls that untrusted code may make, compiled to the kernel's filter language.
//
// A list of what is allowed, because a list of what is forbidden is out of date with the next
// kernel. Unknown calls answer ENOSYS, so that libraries fall back as they do on an old kernel;
// calls that are known and refused answer EPERM, so that people see a refusal.
// Compiled on the host with libseccomp and handed to the guest as bytes: the guest needs no
// library.
#include "base/result.hpp"

#include <cstdint>
#include <vector>

struct sock_filter;

namespace atl::sys {

enum class Profile {
    User,   // untrusted code in a sandbox
    Guest,  // PID 1 and the zygote: may mount and clone, nothing that reaches the kernel's insides
};

[[nodiscard]] Result<std::vector<sock_filter>> compile_filter(Profile profile);

}  // namespace atl::sys
