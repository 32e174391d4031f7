#include "guest/lib/guest_path.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::guest {

namespace fs = std::filesystem;

namespace {

class GuestPath : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "guest-path-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::string folder_;
};

}  // namespace

// Goal: what /proc tells a process about itself, file operations never tell about PID 1. Each row
// is another way to the same file.
TEST_F(GuestPath, ShowsNothingOfTheProcessItself) {
    const std::string own = "/proc/" + std::to_string(::getpid());
    fs::create_symlink(own + "/map_files", folder_ + "/link");
    for (const std::string& path :
         {own, own + "/map_files", own + "/fd", own + "/task/" + std::to_string(::getpid()),
          std::string("/proc/self/map_files"), std::string("/proc/thread-self/fd"),
          std::string("/proc/./self/../self/fd"), folder_ + "/link"}) {
        SCOPED_TRACE(path);
        const UniqueFd opened = open_path(path, O_RDONLY | O_DIRECTORY);
        EXPECT_LT(opened.get(), 0);
        EXPECT_EQ(errno, EACCES);
    }
    EXPECT_LT(entry_of("/proc/self/fd/0").folder.get(), 0);
    struct stat info {};
    EXPECT_FALSE(look_at_path("/proc/self/fd", info));
}

TEST_F(GuestPath, ShowsTheRestOfProc) {
    EXPECT_GE(open_path("/proc", O_RDONLY | O_DIRECTORY).get(), 0);
    EXPECT_GE(open_path("/proc/sys/kernel", O_RDONLY | O_DIRECTORY).get(), 0);
    EXPECT_GE(open_path("/proc/meminfo", O_RDONLY).get(), 0);
}

TEST_F(GuestPath, FollowsLinksButNoneOfProc) {
    fs::create_directory(folder_ + "/real");
    fs::create_directory_symlink("real", folder_ + "/link");
    EXPECT_GE(open_path(folder_ + "/link", O_RDONLY | O_DIRECTORY).get(), 0);
    const UniqueFd held(::open(folder_.c_str(), O_PATH | O_CLOEXEC));
    EXPECT_LT(open_path(name_of_descriptor(held.get()), O_PATH).get(), 0);
}

TEST_F(GuestPath, MakesTheFoldersOnTheWay) {
    const DirectoryEntry entry = entry_with_parents(folder_ + "/a/b/c.txt");
    ASSERT_GE(entry.folder.get(), 0);
    EXPECT_EQ(entry.name, "c.txt");
    EXPECT_TRUE(fs::is_directory(folder_ + "/a/b"));
}

}  // namespace atl::guest
