// What a race would have to hit by luck, done on purpose: a name is no longer what it was a moment
// ago.
#include "stores/folders/hostile.hpp"

#include "stores/folders/remove_tree.hpp"
#include "stores/folders/test_support.hpp"
#include "stores/folders/walk.hpp"

#include <chrono>
#include <set>

namespace atl::folders {

using namespace testing;

namespace {

UniqueFd open_dir(const std::string& path) {
    return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

TreeWalk walk_in(const std::string& path) {
    Opened top;
    const UniqueFd parent = open_dir(fs::path(path).parent_path());
    EXPECT_EQ(open_folder(parent.get(), fs::path(path).filename().c_str(), top), 0);
    return TreeWalk(std::move(top));
}

}  // namespace

TEST(Hostile, names_that_became_links_are_not_opened) {
    as_everybody([](Folder& folder) {
        const std::string outside = folder.path() + "/outside";
        fs::create_directories(outside + "/inner");
        write_file(outside + "/precious", "secret", 0400);
        const std::string in = folder.path() + "/in";
        fs::create_directory(in);
        fs::create_symlink(outside, in + "/folder");
        fs::create_symlink(outside + "/precious", in + "/file");
        fs::create_symlink("/proc/self/cwd", in + "/magic");
        ASSERT_EQ(::mkfifo((in + "/pipe").c_str(), 0), 0);
        const UniqueFd at = open_dir(in);
        Opened opened;
        for (const char* name : {"folder", "file", "magic", "pipe"}) {
            EXPECT_NE(open_folder(at.get(), name, opened), 0) << name;
            EXPECT_NE(open_file(at.get(), name, opened), 0) << name;
            EXPECT_FALSE(loosen_entry(at.get(), name)) << name;
        }
        EXPECT_NE(open_folder(at.get(), "folder/inner", opened), 0);
        // Put there in the moment between reading the name and removing it.
        EXPECT_EQ(remove_entry(at.get(), "folder", AT_REMOVEDIR), ENOTDIR);
        EXPECT_EQ(remove_entry(at.get(), "folder", 0), 0);
        EXPECT_TRUE(exists(outside + "/inner"));
        EXPECT_EQ(look(outside + "/precious").st_mode & 07777, 0400u);
    });
}

TEST(Hostile, a_walk_does_not_enter_links_or_leave_through_moved_folders) {
    as_everybody([](Folder& folder) {
        const std::string outside = folder.path() + "/outside";
        fs::create_directories(outside);
        const std::string top = folder.path() + "/top";
        fs::create_directories(top + "/elsewhere");
        make_deep(top, 20);
        fs::create_symlink(outside, top + "/link");
        auto walk = walk_in(top);
        auto entered = walk.enter("link");
        ASSERT_TRUE(entered);
        EXPECT_FALSE(*entered);
        entered = walk.enter("nothing");
        ASSERT_TRUE(entered);
        EXPECT_FALSE(*entered);
        for (int i = 0; i < 20; ++i) {
            entered = walk.enter("d");
            ASSERT_TRUE(entered && *entered) << i;
        }
        // Level 9 goes elsewhere: in the window nobody asks for "..", above it somebody does.
        fs::rename(top + "/d/d/d/d/d/d/d/d/d", top + "/elsewhere/d");
        int left = 0;
        Result<void> moved;
        for (; moved && left < 20; ++left) moved = walk.leave();
        ASSERT_FALSE(moved);
        EXPECT_EQ(moved.error().code, Code::Conflict);
        EXPECT_LT(left, 20);
    });
}

TEST(Hostile, a_walk_that_is_given_up_puts_modes_back) {
    if (::geteuid() == 0) {
        as_process(kOrdinary, [](Folder& folder) {
            const std::string top = folder.path() + "/top";
            fs::create_directory(top);
            make_deep(top, 20);
            std::vector<std::string> all;
            std::string at = top;
            for (int i = 0; i < 20; ++i) all.push_back(at += "/d");
            for (auto each = all.rbegin(); each != all.rend(); ++each) {
                ASSERT_EQ(::chmod(each->c_str(), 0), 0);
            }
            {
                auto walk = walk_in(top);
                for (int i = 0; i < 20; ++i) {
                    const auto entered = walk.enter("d");
                    ASSERT_TRUE(entered && *entered) << i;
                }
            }
            for (const auto& each : all) {
                EXPECT_EQ(look(each).st_mode & 07777, 0u) << each;
                ASSERT_EQ(::chmod(each.c_str(), 0700), 0);
            }
        });
    } else {
        GTEST_SKIP() << "needs root to become somebody else";
    }
}

TEST(Hostile, every_name_is_read_once) {
    Folder folder(::geteuid(), disk_place());
    std::set<std::string> made;
    for (int i = 0; i < 3000; ++i) {
        made.insert("some-longer-name-" + std::to_string(i));
        write_file(folder.path() + "/some-longer-name-" + std::to_string(i), "");
    }
    std::multiset<std::string> seen;
    off_t position = 0;
    // A new descriptor every 100 names, as after a deep folder.
    for (bool more = true; more;) {
        const UniqueFd at = open_dir(folder.path());
        Names names(at.get(), position);
        Names::Entry entry;
        for (int i = 0; i < 100; ++i) {
            ASSERT_EQ(names.next(entry), 0);
            more = entry.name != nullptr;
            if (!more) break;
            seen.insert(entry.name);
        }
        position = names.position();
    }
    EXPECT_EQ(seen, std::multiset<std::string>(made.begin(), made.end()));
}

TEST(Hostile, removal_goes_on_when_its_slice_is_over) {
    Folder folder;
    fs::create_directory(folder.path() + "/tree");
    make_deep(folder.path() + "/tree", 100);
    const UniqueFd at = open_dir(folder.path());
    RemoveTree tree(at.get(), "tree");
    int slices = 0;
    while (!tree.step(Slice(std::chrono::microseconds(50)))) ++slices;
    EXPECT_TRUE(tree.gone());
    EXPECT_GT(slices, 2);
    EXPECT_FALSE(exists(folder.path() + "/tree"));
}

}  // namespace atl::folders
