#include "base/worker_thread.hpp"

#include <csignal>
#include <pthread.h>

namespace atl {

void become_worker(const char* name) noexcept {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, fault);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    ::pthread_setname_np(::pthread_self(), name);
}

}  // namespace atl
