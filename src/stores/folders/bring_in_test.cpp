// A file of the server's own into a session: whole, its own copy, and nowhere else.
#include "stores/folders/test_support.hpp"

namespace atl::folders {

using namespace testing;

namespace {

const SessionId kId("t-one");

UniqueFd file_with(const std::string& path, const std::string& text) {
    std::ofstream(path) << text;
    return UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST(BringIn, gives_a_session_a_copy_of_its_own) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        const std::string data = await(folders->make(kId)) + "/data/";
        const std::string original = folder.path() + "/original";
        await(folders->bring_in(kId, "a.csv", file_with(original, "x,y\n1,2\n")));
        EXPECT_EQ(text_of(data + "a.csv"), "x,y\n1,2\n");
        struct stat info {};
        ASSERT_EQ(::stat((data + "a.csv").c_str(), &info), 0);
        EXPECT_EQ(info.st_mode & 07777, 0644u);
        EXPECT_EQ(info.st_nlink, 1u);
        if (::geteuid() == 0) { EXPECT_EQ(info.st_uid, kNobody.uid); }
        // What is there stays: the session may have changed it.
        await(folders->bring_in(kId, "a.csv", file_with(original, "other")));
        EXPECT_EQ(text_of(data + "a.csv"), "x,y\n1,2\n");
        EXPECT_EQ(text_of(original), "other");
    });
}

TEST(BringIn, follows_no_link_and_takes_no_path) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        const std::string session = await(folders->make(kId));
        const std::string original = folder.path() + "/original";
        const std::string outside = folder.path() + "/outside";
        std::ofstream(outside) << "untouched";
        fs::create_symlink(outside, session + "/data/link.csv");
        await(folders->bring_in(kId, "link.csv", file_with(original, "new")));
        EXPECT_EQ(text_of(outside), "untouched");
        for (const char* name : {"../a", "a/b", "", ".", ".."}) {
            EXPECT_THROW(await(folders->bring_in(kId, name, file_with(original, "x"))),
                         ErrorException)
                << name;
        }
        fs::remove_all(session + "/data");
        fs::create_directory_symlink(folder.path(), session + "/data");
        EXPECT_THROW(await(folders->bring_in(kId, "b.csv", file_with(original, "x"))),
                     ErrorException);
        EXPECT_FALSE(fs::exists(folder.path() + "/b.csv"));
    });
}

TEST(SharedRoot, is_cleared_by_nobody_else) {
    Folder folder;
    FolderOptions options;
    options.server = "one";
    auto one = DiskFolders::open(folder.root(), kNobody, options).value();
    options.server = "two";
    auto two = DiskFolders::open(folder.root(), kNobody, options).value();
    // What the first made ahead is there still, and neither lists what may be the other's.
    for (int i = 0; i < 40; ++i) {
        await(one->make(SessionId("t-a" + std::to_string(i))));
        await(two->make(SessionId("t-b" + std::to_string(i))));
    }
    EXPECT_TRUE(await(one->list()).empty());
    options.server = "../x";
    EXPECT_FALSE(DiskFolders::open(folder.root(), kNobody, options));
}

}  // namespace atl::folders
