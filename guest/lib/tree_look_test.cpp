// Goal: what changed between two looks is seen, and nothing outside of the folders.
#include "guest/lib/tree_look.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace atl::guest {
namespace {

namespace fs = std::filesystem;

class TreeLooks : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = fs::temp_directory_path() / "atoll-look-XXXXXX";
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
    }
    void TearDown() override { fs::remove_all(root_); }

    void write(const std::string& name, const std::string& text) {
        fs::create_directories((root_ / name).parent_path());
        std::ofstream(root_ / name) << text;
    }
    [[nodiscard]] TreeLook look() const { return look_at_trees({root_.string()}); }

    fs::path root_;
};

TEST_F(TreeLooks, FindsFilesInFoldersOfAnyDepth) {
    write("a", "1");
    write("b/c/d", "2");
    const TreeLook found = look();
    EXPECT_TRUE(found.complete);
    ASSERT_EQ(found.files.size(), 2u);
    EXPECT_EQ(found.files.at((root_ / "b/c/d").string()).bytes, 1u);
}

TEST_F(TreeLooks, TellsAFileThatWasWrittenAgainWithAsManyBytes) {
    write("a", "1");
    const TreeLook before = look();
    EXPECT_EQ(before.files, look().files);
    fs::last_write_time(root_ / "a", fs::last_write_time(root_ / "a") - std::chrono::hours(1));
    EXPECT_NE(before.files, look().files);
}

TEST_F(TreeLooks, FollowsNoLinks) {
    fs::create_directory_symlink("/etc", root_ / "link");
    const TreeLook found = look();
    ASSERT_EQ(found.files.size(), 1u);
    EXPECT_EQ(found.files.begin()->first, (root_ / "link").string());
}

TEST_F(TreeLooks, FoldersWithoutFilesCountToo) {
    for (int i = 0; i < 20001; ++i) fs::create_directory(root_ / std::to_string(i));
    EXPECT_FALSE(look().complete);
}

TEST_F(TreeLooks, AFolderThatIsNotThereHasNothing) {
    EXPECT_TRUE(look_at_trees({(root_ / "none").string()}).files.empty());
}

}  // namespace
}  // namespace atl::guest
