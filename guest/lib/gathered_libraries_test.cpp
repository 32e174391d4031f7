// Goal: the memory map is read as it is, and a process works on after its libraries were gathered
// and the holes of its heap filled.
#include "guest/lib/gathered_libraries.hpp"

#include "guest/lib/holes.hpp"
#include "guest/lib/memory_map.hpp"

#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace atl::guest {

namespace {

const Mapping* mapping_of(const std::vector<Mapping>& all, const void* at) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    const auto found = std::find_if(all.begin(), all.end(), [&](const Mapping& one) {
        return one.begin <= address && address < one.end;
    });
    return found == all.end() ? nullptr : &*found;
}

// Code and data of libc, before and after they were moved.
bool libc_works() {
    std::vector<std::string> words;
    for (int i = 0; i < 5000; ++i)
        words.push_back(std::to_string(i * 7919 % 5000) + "-long-enough");
    std::sort(words.begin(), words.end());
    ::setenv("GATHERED", "yes", 1);
    return words.front() == "0-long-enough" && std::string(std::getenv("GATHERED")) == "yes";
}

}  // namespace

TEST(MemoryMap, IsAscendingAndKnowsCodeFilesAndTheStack) {
    const auto all = read_memory_map();
    ASSERT_FALSE(all.empty());
    for (std::size_t i = 1; i < all.size(); ++i) EXPECT_LE(all[i - 1].end, all[i].begin);
    const Mapping* code = mapping_of(all, reinterpret_cast<const void*>(&std::strtol));
    ASSERT_NE(code, nullptr);
    EXPECT_EQ(code->rights[2], 'x');
    EXPECT_NE(code->inode, 0u);
    EXPECT_FALSE(code->special);
    const int here = 0;
    const Mapping* stack = mapping_of(all, &here);
    ASSERT_NE(stack, nullptr);
    EXPECT_EQ(stack->rights[1], 'w');
}

TEST(GatheredLibraries, AProcessWorksOnAfterwards) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer's own memory must not move";
#endif
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        if (!libc_works()) ::_exit(1);
        fill_heap_holes();
        if (!libc_works()) ::_exit(2);
        if (gather_libraries() < 0) ::_exit(3);
        // Again: now there is less to gather, and what was gathered stays.
        if (gather_libraries() < 0 || !libc_works()) ::_exit(4);
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

}  // namespace atl::guest
