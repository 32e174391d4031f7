// Removal: whatever a program left behind goes, and nothing outside does.
#include "stores/folders/test_support.hpp"

#include <atomic>
#include <chrono>
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

namespace atl::folders {

using namespace testing;

namespace {

const SessionId kId("victim");

bool is_clean_aside(const std::string& root) {
    return entries_in(root + "/.trash") == 0 && entries_in(root + "/.broken") == 0;
}

bool is_clean(const std::string& root) {
    return !exists(root + "/victim") && !exists(root + "/victim.state") && is_clean_aside(root);
}

bool set_flag(const std::string& path, int flag) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    int flags = 0;
    if (!file || ::ioctl(file.get(), FS_IOC_GETFLAGS, &flags) != 0) return false;
    flags |= flag;
    return ::ioctl(file.get(), FS_IOC_SETFLAGS, &flags) == 0;
}

}  // namespace

TEST(Remove, takes_files_and_state_and_frees_the_id) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        const std::string path = await(folders->make(kId));
        write_file(path + "/session/x", "1");
        ASSERT_TRUE(folders->finish_state(kId, "v", folders->begin_state(kId, "v").value()));
        await(folders->remove(kId));
        EXPECT_TRUE(is_clean(folder.root()));
        EXPECT_EQ(await(folders->make(kId)), path);
        EXPECT_FALSE(exists(path + "/session/x"));
        EXPECT_TRUE(folders->list_state(kId)->empty());
    });
}

TEST(Remove, of_nothing_is_not_found) {
    Folder folder;
    auto folders = open_folders(folder.root());
    EXPECT_EQ(error_of(folders->remove(SessionId("nobody"))).code, Code::NotFound);
}

TEST(Remove, never_follows_a_link) {
    as_everybody([](Folder& folder) {
        const std::string outside = folder.path() + "/outside";
        fs::create_directory(outside);
        write_file(outside + "/precious", "keep", 0640);
        auto folders = open_folders(folder.root());
        const std::string path = await(folders->make(kId));
        fs::create_symlink(outside, path + "/session/folder");
        fs::create_symlink(outside + "/precious", path + "/session/file");
        fs::create_symlink("/nowhere", path + "/session/dangling");
        fs::create_symlink("..", path + "/session/artifacts/up");
        fs::create_hard_link(outside + "/precious", path + "/data/hard");
        fs::remove_all(path + "/work");
        fs::create_symlink(outside, path + "/work");
        await(folders->remove(kId));
        EXPECT_TRUE(is_clean(folder.root()));
        EXPECT_EQ(read_file(outside + "/precious"), "keep");
        EXPECT_EQ(look(outside + "/precious").st_mode & 07777, 0640u);
        EXPECT_EQ(look(outside + "/precious").st_nlink, 1u);
    });
}

TEST(Remove, takes_every_kind_name_and_mode) {
    as_everybody(
        [](Folder& folder) {
            auto folders = open_folders(folder.root());
            const std::string path = await(folders->make(kId));
            const std::string in = path + "/session/";
            write_file(in + "line\nbreak", "");
            write_file(in + "\xff\xfe\x80", "");
            write_file(in + std::string(255, 'n'), "");
            write_file(in + "-rf", "");
            write_file(in + "lifted-0", "");
            write_file(in + "setuid", "", 06755);
            ASSERT_EQ(::mkfifo((in + "pipe").c_str(), 0600), 0);
            const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            std::strncpy(address.sun_path, (in + "s").c_str(), sizeof address.sun_path - 1);
            ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address),
                      0);
            for (const mode_t mode : {0, 0100, 0200, 0300, 0400, 0500, 0600}) {
                const std::string shut = in + "mode" + std::to_string(mode);
                fs::create_directories(shut + "/a/b");
                write_file(shut + "/a/b/f", "x", 0);
                ASSERT_EQ(::chmod((shut + "/a").c_str(), mode), 0);
                ASSERT_EQ(::chmod(shut.c_str(), mode), 0);
            }
            ASSERT_EQ(::chmod((path + "/home").c_str(), 0), 0);
            ASSERT_EQ(::chmod(path.c_str(), 0), 0);
            await(folders->remove(kId));
            EXPECT_TRUE(is_clean(folder.root()));
        },
        disk_place());
}

TEST(Remove, takes_10000_levels_with_few_descriptors) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        const std::string path = await(folders->make(kId));
        make_deep(path + "/work", 10'000);
        rlimit few{};
        ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &few), 0);
        few.rlim_cur = static_cast<rlim_t>(open_descriptors()) + 16;
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
        await(folders->remove(kId));
        EXPECT_TRUE(is_clean(folder.root()));
    });
}

TEST(Remove, takes_deep_folders_that_shut_their_owner_out) {
    as_everybody(
        [](Folder& folder) {
            auto folders = open_folders(folder.root());
            const std::string path = await(folders->make(kId));
            make_deep(path + "/work", 40);
            std::vector<std::string> all;
            std::string at = path + "/work";
            for (int i = 0; i < 40; ++i) all.push_back(at += "/d");
            for (auto each = all.rbegin(); each != all.rend(); ++each) {
                ASSERT_EQ(::chmod(each->c_str(), 0), 0);
            }
            // Names that ours could take for its own.
            write_file(path + "/lifted-0", "");
            fs::create_directory(path + "/lifted-1");
            await(folders->remove(kId));
            EXPECT_TRUE(is_clean(folder.root()));
        },
        disk_place());
}

TEST(Remove, takes_20000_files_in_one_folder_and_many_folders) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        const std::string path = await(folders->make(kId));
        for (int i = 0; i < 18'000; ++i) {
            const UniqueFd file(::open((path + "/data/file" + std::to_string(i)).c_str(),
                                       O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
            ASSERT_TRUE(file);
        }
        for (int i = 0; i < 1000; ++i) {
            fs::create_directories(path + "/data/outputs/" + std::to_string(i) + "/x");
        }
        const auto before = open_descriptors();
        await(folders->remove(kId));
        EXPECT_TRUE(is_clean(folder.root()));
        EXPECT_EQ(open_descriptors(), before);
    });
}

TEST(Remove, as_root_takes_immutable_files) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    Folder folder(0, disk_place());
    auto folders = open_folders(folder.root());
    const std::string path = await(folders->make(kId));
    const std::string in = path + "/session/";
    fs::create_directories(in + "folder/inner");
    write_file(in + "folder/inner/file", "x");
    write_file(in + "append", "x");
    if (!set_flag(in + "append", FS_APPEND_FL)) GTEST_SKIP() << "no flags on this file system";
    ASSERT_TRUE(set_flag(in + "folder/inner/file", FS_IMMUTABLE_FL));
    ASSERT_TRUE(set_flag(in + "folder/inner", FS_IMMUTABLE_FL));
    ASSERT_TRUE(set_flag(in + "folder", FS_IMMUTABLE_FL | FS_APPEND_FL));
    await(folders->remove(kId));
    EXPECT_TRUE(is_clean(folder.root()));
}

TEST(Remove, puts_aside_what_is_mounted_and_frees_the_id) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    as_process(0, [](Folder& folder) {
        if (::unshare(CLONE_NEWNS) != 0 ||
            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
            return;  // not in this container
        }
        const std::string outside = folder.path() + "/outside";
        fs::create_directory(outside);
        write_file(outside + "/precious", "keep");
        std::vector<std::string> told;
        FolderOptions options = few_ready();
        options.tell = [&told](const std::string& sentence) { told.push_back(sentence); };
        auto folders = open_folders(folder.root(), options);
        const std::string path = await(folders->make(kId));
        // Of the same file system, so that the device alone does not tell.
        fs::create_directories(path + "/session/a/here\nthere");
        write_file(path + "/session/a/other", "x");
        write_file(path + "/data/other", "x");
        ASSERT_EQ(::mount(outside.c_str(), (path + "/session/a/here\nthere").c_str(), nullptr,
                          MS_BIND, nullptr),
                  0);
        await(folders->remove(kId));
        EXPECT_EQ(read_file(outside + "/precious"), "keep");
        ASSERT_EQ(told.size(), 1u);  // the log hears of it
        EXPECT_NE(told[0].find("here\\x0athere"), std::string::npos) << told[0];
        const auto at = told[0].find(folder.root() + "/.broken/victim.");
        ASSERT_NE(at, std::string::npos) << told[0];
        const std::string aside = told[0].substr(at);
        EXPECT_TRUE(exists(aside + "/session/a/here\nthere/precious"));
        EXPECT_FALSE(exists(aside + "/session/a/other"));
        EXPECT_FALSE(exists(aside + "/data"));
        EXPECT_EQ(entries_in(folder.root() + "/.trash"), 0u);
        EXPECT_EQ(await(folders->make(kId)), path);
        ASSERT_EQ(::umount2((aside + "/session/a/here\nthere").c_str(), MNT_DETACH), 0);
        // The next start tries again.
        folders.reset();
        folders = open_folders(folder.root());
        EXPECT_TRUE(eventually([&] { return is_clean_aside(folder.root()); }));
    });
}

TEST(Remove, without_descriptors_is_finished_later) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        const std::string path = await(folders->make(kId));
        fs::create_directories(path + "/session/a/b");
        write_file(path + "/session/a/b/c", "x");
        const auto remove = [&]() -> asio::awaitable<void> {
            const NoDescriptors none;
            co_await folders->remove(kId);
        };
        await(remove());
        EXPECT_FALSE(exists(path));
        EXPECT_EQ(entries_in(folder.root() + "/.trash"), 1u);
        EXPECT_EQ(entries_in(folder.root() + "/.broken"), 0u);
        await(folders->tidy());
        EXPECT_TRUE(is_clean(folder.root()));
    });
}

TEST(Remove, is_finished_by_the_next_server) {
    as_everybody([](Folder& folder) {
        {
            auto folders = open_folders(folder.root());
            const std::string path = await(folders->make(kId));
            make_deep(path + "/work", 300);
        }
        // As a server that was killed leaves it: in the trash, half a copy, folders made ahead.
        const std::string root = folder.root();
        fs::rename(root + "/victim", root + "/.trash/victim.0123456789abcdef");
        fs::create_directories(root + "/.making/copy.x/files/session");
        write_file(root + "/.making/copy.x/files/session/half", "x", 0);
        auto folders = open_folders(root);
        EXPECT_FALSE(exists(root + "/.making/copy.x"));
        for (int i = 0; i < 500 && entries_in(root + "/.trash") > 0; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        EXPECT_TRUE(is_clean(root));
    });
}

TEST(Remove, survives_a_program_that_goes_on_writing) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        const std::string path = await(folders->make(kId));
        fs::create_directory(path + "/work/busy");
        const UniqueFd busy(::open((path + "/work/busy").c_str(), O_RDONLY | O_DIRECTORY));
        std::atomic<bool> stop = false;
        std::thread program([&] {
            for (int i = 0; i < 200'000 && !stop; ++i) {
                const std::string name = "n" + std::to_string(i);
                UniqueFd file(::openat(busy.get(), name.c_str(), O_WRONLY | O_CREAT, 0600));
                ::renameat(busy.get(), name.c_str(), busy.get(), "again");
                ::mkdirat(busy.get(), ("d" + name).c_str(), 0);
            }
        });
        const Error error = error_of(folders->remove(kId));
        stop = true;
        program.join();
        EXPECT_FALSE(exists(path));
        // Either it was quick enough, or the rest was put aside: never half in the open.
        EXPECT_EQ(entries_in(folder.root() + "/.trash"), 0u) << error.message;
    });
}

}  // namespace atl::folders
