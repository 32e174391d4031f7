#include "runtimes/native/file_table.hpp"

#include "base/fd.hpp"
#include "sys/open_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace atl::native {

TEST(FileTable, EndsTheOneWithMostAndOnlyBeyondTheBound) {
    EXPECT_EQ(greediest({}, 0), std::nullopt);
    EXPECT_EQ(greediest({10, 20, 30}, 60), std::nullopt);
    EXPECT_EQ(greediest({10, 30, 21}, 60), 1u);
    EXPECT_EQ(greediest({0, 0, 61}, 60), 2u);
}

TEST(FileTable, CountsWhatAProcessHasOpen) {
    const auto before = sys::open_files_of(::getpid());
    ASSERT_GT(before, 2u);
    std::vector<UniqueFd> more;
    for (int i = 0; i < 300; ++i) more.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(sys::open_files_of(::getpid()), before + 300);
    EXPECT_GE(sys::machine_open_files_now(), 300u);
    EXPECT_LE(sys::machine_open_files_now(), sys::machine_open_files());
    EXPECT_EQ(sys::open_files_of(1 << 30), 0u);
}

}  // namespace atl::native
