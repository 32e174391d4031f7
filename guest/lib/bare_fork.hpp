#pragma once
// A fork without libc's part in it.
//
// libc's fork takes and gives back its locks in the parent's memory. The zygote's helper shares
// that memory with the zygote and can be killed at any instruction, with its sandbox: a lock that
// it held would stay locked for ever. So it forks by the system call alone. No lock is held in the
// zygote at that moment, which is all that libc's care is about; only the thread's own id, which
// libc keeps a copy of, has to be put right by us.
#include <sys/types.h>

namespace atl::guest {

// In the zygote, before the first bare_fork. Finds where libc keeps the copy, by trying.
void prepare_bare_fork() noexcept;

// As fork(2), without handlers and without locks. Uses nothing but the system call.
pid_t bare_fork() noexcept;

}  // namespace atl::guest
