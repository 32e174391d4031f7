// A disk that is really full: small file systems in memory, in a mount namespace of the test's own.
#include "stores/folders/test_support.hpp"

#include <sched.h>
#include <sys/mount.h>

namespace atl::folders {

using namespace testing;

namespace {

// Runs `body` with a root on a file system of this size, as root and as an ordinary user of it.
void on_small_disk(const std::string& size, const std::function<void(const std::string&)>& body) {
    for (const uid_t who : {uid_t{0}, kOrdinary}) {
        as_process(0, [&](Folder& folder) {
            if (::unshare(CLONE_NEWNS) != 0 ||
                ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
                ::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, size.c_str()) != 0) {
                return;  // not in this container
            }
            if (who != 0) {
                ASSERT_EQ(::chown(folder.path().c_str(), who, who), 0);
                ASSERT_EQ(::setresgid(who, who, who), 0);
                ASSERT_EQ(::setresuid(who, who, who), 0);
            }
            body(folder.root());
        });
    }
}

void fill(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    const std::string piece(4096, 'x');
    while (::write(file.get(), piece.data(), piece.size()) > 0) {}
}

}  // namespace

TEST(FullDisk, ends_a_copy_which_leaves_nothing) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    on_small_disk("size=4m", [](const std::string& root) {
        auto folders = open_folders(root);
        const std::string path = await(folders->make(SessionId("a")));
        for (int i = 0; i < 5; ++i) {
            write_file(path + "/data/" + std::to_string(i), std::string(500'000, 'x'));
        }
        const auto before = await(folders->room());
        const Error error = error_of(folders->copy(SessionId("a"), SessionId("b")));
        EXPECT_EQ(error.code, Code::DiskFull);
        EXPECT_NE(error.message.find("the disk is full"), std::string::npos) << error.message;
        EXPECT_FALSE(exists(root + "/b"));
        EXPECT_EQ(await(folders->room()), before);
        await(folders->remove(SessionId("a")));
        EXPECT_GT(await(folders->room()), before);
    });
}

TEST(FullDisk, ends_making_and_state_and_not_removing) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    on_small_disk("size=2m,nr_inodes=200", [](const std::string& root) {
        FolderOptions options = few_ready();
        options.ready_max = 0;  // the disk is full when this thread says so
        auto folders = open_folders(root, options);
        int made = 0;
        Error error;
        for (; made < 100 && error.message.empty(); ++made) {
            error = error_of(folders->make(SessionId("s" + std::to_string(made))));
        }
        EXPECT_EQ(error.code, Code::DiskFull);
        EXPECT_NE(error.message.find("the disk is full"), std::string::npos) << error.message;
        EXPECT_GT(made, 10);
        EXPECT_EQ(await(folders->list()).size(), static_cast<std::size_t>(made) - 1);

        EXPECT_LE(entries_in(root + "/.making"), 1u);  // the bench
        EXPECT_EQ(entries_in(root + "/.making/bench"), 0u);
        // A server that comes up on a full disk can still make room.
        folders.reset();
        fill(root + "/s0/data/all");
        for (int i = 0; i < 100; ++i) std::ofstream(root + "/s0/work/" + std::to_string(i));
        folders = open_folders(root, options);
        EXPECT_EQ(error_of(folders->make(SessionId("other"))).code, Code::DiskFull);
        await(folders->remove(SessionId("s0")));
        await(folders->remove(SessionId("s1")));
        EXPECT_EQ(error_of(folders->make(SessionId("other"))).message, "");
    });
}

TEST(FullDisk, keeps_the_state_that_was_there) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    on_small_disk("size=1m", [](const std::string& root) {
        const SessionId id("a");
        auto folders = open_folders(root);
        const std::string path = await(folders->make(id));
        auto first = folders->begin_state(id, "v").value();
        ASSERT_EQ(::write(first.get(), "kept", 4), 4);
        ASSERT_TRUE(folders->finish_state(id, "v", std::move(first)));
        fill(path + "/data/all");
        auto second = folders->begin_state(id, "v");
        if (second) {
            const std::string much(8192, 'x');
            EXPECT_LE(::write(second->get(), much.data(), much.size()), 0);
            second->reset();
        } else {
            EXPECT_EQ(second.error().code, Code::DiskFull);
        }
        EXPECT_EQ(read_file(root + "/a.state/v"), "kept");
        EXPECT_EQ(entries_in(root + "/a.state"), 1u);
    });
}

}  // namespace atl::folders
