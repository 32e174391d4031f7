#include "guest/lib/memory_watch.hpp"

#include "base/fd.hpp"
#include "sys/process_folder.hpp"

#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace atl::guest {

namespace {

constexpr std::uint64_t kMiB = 1u << 20;
constexpr int kNoNamespaces = 77;

int wait_for(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// The process goes on in another thread, and /proc/PID shows a zombie that has nothing. `then` is
// called when it does.
template <class Then>
[[noreturn]] void leave_first_thread(Then then) {
    const std::string whole = "/proc/" + std::to_string(::getpid());
    std::thread([whole, then] {
        while (sys::process_folder(whole.substr(6)) == whole) ::usleep(1000);
        then();
        for (;;) ::pause();
    }).detach();
    ::syscall(SYS_exit, 0);
    ::abort();
}

// `check` runs as PID 1 beside one other process that has done `hold`, and nobody else is to be
// seen: the numbers are theirs alone. 0 when it holds.
int as_pid_one(void (*hold)(), bool (*check)(pid_t holder), bool first_thread_leaves) {
    const pid_t outer = ::fork();
    if (outer == 0) {
        if (::unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET) != 0) {
            ::_exit(kNoNamespaces);
        }
        const pid_t one = ::fork();
        if (one == 0) {
            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
            if (::mount("proc", "/proc", "proc", 0, nullptr) != 0) ::_exit(kNoNamespaces);
            int ends[2];
            if (::pipe(ends) != 0) ::_exit(2);
            const pid_t holder = ::fork();
            if (holder == 0) {
                hold();
                const auto tell = [said = ends[1]] { (void)!::write(said, "x", 1); };
                if (first_thread_leaves) leave_first_thread(tell);
                tell();
                for (;;) ::pause();
            }
            char byte = 0;
            (void)!::read(ends[0], &byte, 1);
            ::_exit(check(holder) ? 0 : 1);
        }
        ::_exit(wait_for(one));
    }
    return wait_for(outer);
}

void hold_memory_file() {
    const int file = ::memfd_create("test", 0);
    if (::fallocate(file, 0, 0, 64 * kMiB) != 0) ::_exit(1);
}

void hold_in_sockets() {
    const std::string piece(64 * 1024, 'x');
    for (int i = 0; i < 200; ++i) {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) ::_exit(1);
        if (::send(ends[0], piece.data(), piece.size(), MSG_DONTWAIT) <= 0) ::_exit(1);
        ::close(ends[0]);  // what was sent stays with the other end
    }
}

void hold_pages() {
    void* const pages =
        ::mmap(nullptr, 64 * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) ::_exit(1);
    std::memset(pages, 1, 64 * kMiB);
}

void hold_nothing() {}

}  // namespace

// Goal: each place where memory can lie besides pages counts, in the quick look and in the detailed
// one, and whoever has it is named; also if the first thread of that process has ended.
TEST(MemoryWatch, SeesWhereMemoryCanLie) {
    struct Row {
        const char* name;
        void (*hold)();
        bool (*check)(pid_t);
    };
    const Row rows[] = {
        {"nothing", hold_nothing,
         [](pid_t) {
             const auto use = measure_memory();
             return use.processes == 2 && use.bytes < 60 * kMiB;
         }},
        {"pages", hold_pages,
         [](pid_t holder) {
             const auto use = measure_memory();
             return use.bytes >= 64 * kMiB && use.largest == holder && memory_bound() >= 64 * kMiB;
         }},
        {"a memory file", hold_memory_file,
         [](pid_t holder) {
             const auto use = measure_memory();
             return use.bytes >= 64 * kMiB && use.largest == holder && memory_bound() >= 64 * kMiB;
         }},
        {"sockets", hold_in_sockets,
         [](pid_t holder) {
             const auto use = measure_memory();
             return use.bytes >= 12 * kMiB && use.largest == holder && memory_bound() >= 12 * kMiB;
         }},
    };
    for (const auto& row : rows) {
        for (const bool first_thread_leaves : {false, true}) {
            SCOPED_TRACE(row.name + std::string(first_thread_leaves ? ", no first thread" : ""));
            const int result = as_pid_one(row.hold, row.check, first_thread_leaves);
            if (result == kNoNamespaces) GTEST_SKIP() << "no namespaces for us here";
            EXPECT_EQ(result, 0);
        }
    }
}

TEST(MemoryWatch, OwnDataGrowsWithWhatIsMapped) {
    const auto before = own_data_bytes();
    ASSERT_GT(before, 0u);
    void* const more =
        ::mmap(nullptr, 64 * kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(more, MAP_FAILED);
    EXPECT_GE(own_data_bytes(), before + 64 * kMiB);
    ::munmap(more, 64 * kMiB);
}

}  // namespace atl::guest
