#include "sys/open_files.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace atl::sys {

namespace {

// In a child, since the limits are the process's own.
template <class Check>
bool holds_in_child(rlim_t soft, rlim_t hard, Check check) {
    const pid_t child = ::fork();
    if (child == 0) {
        const rlimit files{soft, hard};
        ::_exit(::setrlimit(RLIMIT_NOFILE, &files) == 0 && check() ? 0 : 1);
    }
    int status = 1;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST(OpenFiles, TheServerTakesAllThatItMayHave) {
    EXPECT_TRUE(holds_in_child(64, 512, [] {
        if (allow_many_open_files() != 512 || allow_many_open_files() != 512) return false;
        rlimit files{};
        ::getrlimit(RLIMIT_NOFILE, &files);
        return files.rlim_cur == 512 && files.rlim_max == 512;
    }));
}

// A message carries at most 253 descriptors, and one is refused only when the limit is passed
// already: what a sandbox can have on the way stays below what its server may have.
TEST(OpenFiles, ProgramsStayFarBelowTheServer) {
    EXPECT_TRUE(holds_in_child(1024, 1024, [] {
        return open_files_for_programs(65'536) == 512 && open_files_for_programs(100) == 100 &&
               open_files_for_programs(65'536) + 253 < 1024;
    }));
}

TEST(OpenFiles, TheMachineHasALimit) { EXPECT_GT(machine_open_files(), 1024u); }

}  // namespace atl::sys
