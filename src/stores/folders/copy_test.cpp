// Copies: whole or not at all, nothing of the outside, nothing that runs as somebody else.
#include "stores/folders/test_support.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>

namespace atl::folders {

using namespace testing;

namespace {

const SessionId kFrom("from");
const SessionId kTo("to");

bool nothing_is_half_made(const std::string& root) {
    for (const auto& entry : fs::directory_iterator(root + "/.making")) {
        if (entry.path().filename().string().starts_with("copy")) return false;
    }
    return entries_in(root + "/.broken") == 0;
}

void set_time(const std::string& path, time_t when) {
    const timespec times[2] = {{when, 111}, {when + 1, 222}};
    if (::utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) give_up(path);
}

}  // namespace

TEST(Copy, has_files_links_modes_and_times) {
    as_everybody(
        [](Folder& folder) {
            auto folders = open_folders(folder.root());
            const std::string from = await(folders->make(kFrom));
            const std::string to = folders->path_of(kTo);
            const std::string big(3'000'000, 'b');
            write_file(from + "/session/big", big, 0640);
            write_file(from + "/session/program", "#!", 0755);
            write_file(from + "/session/secret", "s", 0);
            write_file(from + "/session/empty", "", 0444);
            write_file(from + "/data/a\nb", "n");
            write_file(from + "/data/\xff\xfe", "u");
            fs::create_directories(from + "/work/shut/inner");
            write_file(from + "/work/shut/inner/f", "deep");
            fs::create_symlink("../session/big", from + "/work/link");
            ASSERT_EQ(::chmod((from + "/session/artifacts").c_str(), 01777), 0);
            for (const char* name : {"/session/big", "/work/link", "/work/shut/inner", "/data"}) {
                set_time(from + name, 1'000'000'000);
            }
            ASSERT_EQ(::chmod((from + "/work/shut/inner").c_str(), 0), 0);
            ASSERT_EQ(::chmod((from + "/work/shut").c_str(), 0311), 0);
            await(folders->copy(kFrom, kTo));

            EXPECT_EQ(read_file(to + "/session/big"), big);
            EXPECT_EQ(look(to + "/session/big").st_mode & 07777, 0640u);
            EXPECT_EQ(look(to + "/session/program").st_mode & 07777, 0755u);
            EXPECT_EQ(look(to + "/session/secret").st_mode & 07777, 0u);
            EXPECT_EQ(look(to + "/session/secret").st_size, 1);
            EXPECT_EQ(look(from + "/session/secret").st_mode & 07777, 0u);
            EXPECT_EQ(look(to + "/session/empty").st_mode & 07777, 0444u);
            EXPECT_EQ(look(to + "/session/artifacts").st_mode & 07777, 01777u);
            EXPECT_EQ(look(to + "/home").st_mode & 07777, 0750u);
            EXPECT_EQ(read_file(to + "/data/a\nb"), "n");
            EXPECT_EQ(read_file(to + "/data/\xff\xfe"), "u");
            EXPECT_EQ(fs::read_symlink(to + "/work/link"), "../session/big");
            for (const char* name : {"/session/big", "/work/link", "/data"}) {
                EXPECT_EQ(look(to + name).st_mtim.tv_sec, 1'000'000'001) << name;
                EXPECT_EQ(look(to + name).st_mtim.tv_nsec, 222) << name;
            }
            // The source has the modes that it had, also those that were in the way.
            for (const std::string& top : {from, to}) {
                EXPECT_EQ(look(top + "/work/shut").st_mode & 07777, 0311u);
                ASSERT_EQ(::chmod((top + "/work/shut").c_str(), 0755), 0);
                EXPECT_EQ(look(top + "/work/shut/inner").st_mode & 07777, 0u);
                EXPECT_EQ(look(top + "/work/shut/inner").st_mtim.tv_sec, 1'000'000'001);
                ASSERT_EQ(::chmod((top + "/work/shut/inner").c_str(), 0755), 0);
                EXPECT_EQ(read_file(top + "/work/shut/inner/f"), "deep");
            }
            for (const auto& entry : fs::recursive_directory_iterator(to)) {
                const auto owner = ::geteuid() == 0 ? kNobody.uid : ::geteuid();
                EXPECT_EQ(look(entry.path().string()).st_uid, owner) << entry.path();
            }
            EXPECT_TRUE(nothing_is_half_made(folder.root()));
            await(folders->remove(kFrom));
            EXPECT_EQ(read_file(to + "/session/big"), big);
        },
        disk_place());
}

TEST(Copy, brings_nothing_from_outside_and_nothing_odd) {
    as_everybody([](Folder& folder) {
        const std::string outside = folder.path() + "/outside";
        fs::create_directory(outside);
        write_file(outside + "/precious", "secret", 0640);
        auto folders = open_folders(folder.root());
        const std::string from = await(folders->make(kFrom));
        const std::string to = folders->path_of(kTo);
        fs::create_symlink(outside, from + "/session/folder");
        fs::create_symlink(outside + "/precious", from + "/session/file");
        fs::create_symlink("/proc/self/root", from + "/session/magic");
        write_file(from + "/session/setuid", "x", 06755);
        ASSERT_EQ(::chmod((from + "/session/artifacts").c_str(), 02755), 0);
        ASSERT_EQ(::mkfifo((from + "/session/pipe").c_str(), 0600), 0);
        const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::strncpy(address.sun_path, (from + "/s").c_str(), sizeof address.sun_path - 1);
        ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
        if (::geteuid() == 0) {
            // Of zeros: a copy of it would never end.
            ASSERT_EQ(::mknod((from + "/session/zero").c_str(), S_IFCHR | 0666, 0x105), 0);
        }
        await(folders->copy(kFrom, kTo));
        EXPECT_EQ(fs::read_symlink(to + "/session/folder"), outside);
        EXPECT_EQ(fs::read_symlink(to + "/session/file"), outside + "/precious");
        EXPECT_TRUE(fs::is_symlink(to + "/session/magic"));
        EXPECT_EQ(look(to + "/session/setuid").st_mode & 07777, 0755u);
        EXPECT_EQ(look(to + "/session/artifacts").st_mode & 07777, 0755u);
        EXPECT_FALSE(exists(to + "/session/pipe"));
        EXPECT_FALSE(exists(to + "/s"));
        EXPECT_FALSE(exists(to + "/session/zero"));
        await(folders->remove(kTo));
        EXPECT_EQ(read_file(outside + "/precious"), "secret");
        EXPECT_EQ(look(outside + "/precious").st_mode & 07777, 0640u);
    });
}

TEST(Copy, leaves_out_what_is_mounted) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root";
    as_process(0, [](Folder& folder) {
        if (::unshare(CLONE_NEWNS) != 0 ||
            ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
            return;  // not in this container
        }
        const std::string outside = folder.path() + "/outside";
        fs::create_directory(outside);
        write_file(outside + "/precious", "secret");
        auto folders = open_folders(folder.root());
        const std::string from = await(folders->make(kFrom));
        const std::string at = from + "/session/artifacts";
        write_file(from + "/session/file", "");
        const core::FolderUse before = await(folders->use(kFrom));
        ASSERT_EQ(::mount(outside.c_str(), at.c_str(), nullptr, MS_BIND, nullptr), 0);
        ASSERT_EQ(::mount((outside + "/precious").c_str(), (from + "/session/file").c_str(),
                          nullptr, MS_BIND, nullptr),
                  0);
        await(folders->copy(kFrom, kTo));
        EXPECT_FALSE(exists(folders->path_of(kTo) + "/session/artifacts"));
        EXPECT_EQ(read_file(folders->path_of(kTo) + "/session/file"), "");
        EXPECT_EQ(await(folders->use(kFrom)).files, before.files - 1);
    });
}

TEST(Copy, keeps_holes) {
    as_everybody(
        [](Folder& folder) {
            auto folders = open_folders(folder.root());
            const std::string from = await(folders->make(kFrom));
            const std::string name = "/data/sparse";
            {
                const UniqueFd file(
                    ::open((from + name).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
                ASSERT_EQ(::pwrite(file.get(), "begin", 5, 0), 5);
                ASSERT_EQ(::pwrite(file.get(), "middle", 6, 1ll << 33), 6);
                ASSERT_EQ(::ftruncate(file.get(), 1ll << 40), 0);
            }
            await(folders->copy(kFrom, kTo));
            const std::string copy = folders->path_of(kTo) + name;
            EXPECT_EQ(look(copy).st_size, 1ll << 40);
            EXPECT_LT(look(copy).st_blocks * 512, 1 << 20);
            const UniqueFd file(::open(copy.c_str(), O_RDONLY | O_CLOEXEC));
            char text[6]{};
            ASSERT_EQ(::pread(file.get(), text, 6, 1ll << 33), 6);
            EXPECT_EQ(std::string(text, 6), "middle");
            ASSERT_EQ(::pread(file.get(), text, 5, 0), 5);
            EXPECT_EQ(std::string(text, 5), "begin");
        },
        disk_place());
}

TEST(Copy, keeps_files_with_several_names_one_file) {
    as_everybody(
        [](Folder& folder) {
            FolderOptions options = few_ready();
            options.copy.bytes_max = 150'000;  // twice would be too much
            auto folders = open_folders(folder.root(), options);
            const std::string from = await(folders->make(kFrom));
            write_file(from + "/session/one", std::string(100'000, 'x'), 0);
            for (int i = 0; i < 50; ++i) {
                fs::create_hard_link(from + "/session/one", from + "/data/" + std::to_string(i));
            }
            await(folders->copy(kFrom, kTo));
            const auto first = look(folders->path_of(kTo) + "/session/one");
            EXPECT_EQ(first.st_nlink, 51u);
            EXPECT_EQ(look(folders->path_of(kTo) + "/data/49").st_ino, first.st_ino);
            EXPECT_NE(look(from + "/session/one").st_ino, first.st_ino);
            EXPECT_TRUE(nothing_is_half_made(folder.root()));
        },
        disk_place());
}

TEST(Copy, reaches_10000_levels_with_few_descriptors) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        const std::string from = await(folders->make(kFrom));
        make_deep(from + "/work", 10'000);
        // A second branch beside the way back up, to be found after it.
        make_deep(from + "/work/d/d", 0);
        fs::create_directories(from + "/work/d/e/after");
        fs::create_directories(from + "/work/zz/after");
        rlimit few{};
        ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &few), 0);
        few.rlim_cur = static_cast<rlim_t>(open_descriptors()) + 28;
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
        await(folders->copy(kFrom, kTo));
        EXPECT_EQ(depth_of(folders->path_of(kTo) + "/work"), 10'000);
        EXPECT_TRUE(exists(folders->path_of(kTo) + "/work/d/e/after"));
        EXPECT_TRUE(exists(folders->path_of(kTo) + "/work/zz/after"));
        const core::FolderUse use = await(folders->use(kTo));
        EXPECT_EQ(use.files, 13u + 20'000u + 4u);
        EXPECT_TRUE(use.complete);
        await(folders->remove(kTo));
        await(folders->remove(kFrom));
    });
}

TEST(Copy, beyond_its_limits_is_exhausted_and_leaves_nothing) {
    Folder folder;
    FolderOptions options = few_ready();
    options.copy.bytes_max = 1 << 20;
    options.copy.files_max = 100;
    auto folders = open_folders(folder.root(), options);
    const std::string from = await(folders->make(kFrom));
    write_file(from + "/data/a", std::string(700'000, 'a'));
    write_file(from + "/data/b", std::string(700'000, 'b'));
    Error error = error_of(folders->copy(kFrom, kTo));
    EXPECT_EQ(error.code, Code::Exhausted);
    EXPECT_NE(error.message.find("bytes"), std::string::npos) << error.message;
    EXPECT_FALSE(exists(folders->path_of(kTo)));
    EXPECT_TRUE(nothing_is_half_made(folder.root()));
    fs::remove(from + "/data/a");
    for (int i = 0; i < 100; ++i) write_file(from + "/work/" + std::to_string(i), "");
    error = error_of(folders->copy(kFrom, kTo));
    EXPECT_EQ(error.code, Code::Exhausted);
    EXPECT_NE(error.message.find("files"), std::string::npos) << error.message;
    EXPECT_FALSE(exists(folders->path_of(kTo)));
    EXPECT_TRUE(nothing_is_half_made(folder.root()));
}

TEST(Copy, of_nothing_or_onto_something_is_refused) {
    Folder folder;
    auto folders = open_folders(folder.root());
    EXPECT_EQ(error_of(folders->copy(kFrom, kTo)).code, Code::NotFound);
    const std::string from = await(folders->make(kFrom));
    EXPECT_EQ(error_of(folders->copy(kFrom, kFrom)).code, Code::Conflict);
    write_file(await(folders->make(kTo)) + "/session/mine", "m");
    ASSERT_TRUE(folders->finish_state(kTo, "v", folders->begin_state(kTo, "v").value()));
    EXPECT_EQ(error_of(folders->copy(kFrom, kTo)).code, Code::Conflict);
    EXPECT_EQ(read_file(folders->path_of(kTo) + "/session/mine"), "m");
    EXPECT_EQ(folders->list_state(kTo)->size(), 1u);
    EXPECT_TRUE(nothing_is_half_made(folder.root()));
}

// A program that runs on swaps folders for links and back while its session is copied.
TEST(Copy, of_a_session_that_fights_back_stays_inside) {
    as_everybody([](Folder& folder) {
        const std::string outside = folder.path() + "/outside";
        fs::create_directory(outside);
        write_file(outside + "/precious", "secret");
        auto folders = open_folders(folder.root());
        const std::string from = await(folders->make(kFrom));
        for (int i = 0; i < 50; ++i) {
            const std::string at = from + "/work/" + std::to_string(i);
            fs::create_directories(at + "/1/2/3/4/5/6/7/8/9/a/b");
            write_file(at + "/file", "mine");
        }
        fs::create_symlink(outside, from + "/session/link");
        fs::create_symlink(outside + "/precious", from + "/session/file-link");
        std::atomic<bool> stop = false;
        std::thread program([&] {
            for (int i = 0; !stop; i = (i + 1) % 50) {
                const std::string at = from + "/work/" + std::to_string(i);
                // Exchanges leave no moment without a name.
                const std::string link = from + "/session/link";
                ::renameat2(AT_FDCWD, at.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
                ::renameat2(AT_FDCWD, at.c_str(), AT_FDCWD, link.c_str(), RENAME_EXCHANGE);
                const std::string file = at + "/file";
                const std::string other = from + "/session/file-link";
                ::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
                ::renameat2(AT_FDCWD, file.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE);
                const std::string deep = at + "/1/2/3/4/5/6/7/8/9";
                const std::string away = from + "/session/away";
                ::rename(deep.c_str(), away.c_str());
                ::rename(away.c_str(), deep.c_str());
            }
        });
        int whole = 0;
        for (int round = 0; round < 40; ++round) {
            const Error error = error_of(folders->copy(kFrom, kTo));
            if (!error.message.empty()) {
                EXPECT_EQ(error.code, Code::Conflict) << error.message;
                EXPECT_FALSE(exists(folders->path_of(kTo)));
                continue;
            }
            ++whole;
            for (const auto& entry : fs::recursive_directory_iterator(folders->path_of(kTo))) {
                const std::string path = entry.path().string();
                EXPECT_NE(entry.path().filename(), "precious") << path;
                if (S_ISREG(look(path).st_mode)) { EXPECT_EQ(read_file(path), "mine") << path; }
            }
            await(folders->remove(kTo));
        }
        stop = true;
        program.join();
        EXPECT_EQ(read_file(outside + "/precious"), "secret");
        EXPECT_TRUE(nothing_is_half_made(folder.root()));
        (void)whole;  // how many depends on who was quicker
    });
}

TEST(Copy, does_not_wait_for_a_lease) {
    Folder folder;
    auto folders = open_folders(folder.root());
    const std::string from = await(folders->make(kFrom));
    write_file(from + "/session/leased", "x");
    const UniqueFd file(::open((from + "/session/leased").c_str(), O_RDWR | O_CLOEXEC));
    if (::fcntl(file.get(), F_SETLEASE, F_WRLCK) != 0) GTEST_SKIP() << "no leases here";
    ::signal(SIGIO, SIG_IGN);
    const auto began = std::chrono::steady_clock::now();
    EXPECT_EQ(error_of(folders->copy(kFrom, kTo)).code, Code::Conflict);
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

TEST(Copy, fails_when_its_source_is_removed_meanwhile) {
    Folder folder;
    auto folders = open_folders(folder.root());
    const std::string from = await(folders->make(kFrom));
    for (int i = 0; i < 20'000; ++i) {
        const UniqueFd file(
            ::open((from + "/work/" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600));
        ASSERT_TRUE(file);
    }
    asio::io_context loop;
    std::exception_ptr copied, removed;
    asio::co_spawn(loop, folders->copy(kFrom, kTo), [&](std::exception_ptr e) { copied = e; });
    loop.poll();
    while (nothing_is_half_made(folder.root())) std::this_thread::yield();
    asio::co_spawn(loop, folders->remove(kFrom), [&](std::exception_ptr e) { removed = e; });
    loop.poll();
    // Another session takes the id as soon as it is free; it is not what was to be copied.
    while (exists(from)) std::this_thread::yield();
    await(folders->make(kFrom));
    loop.run();
    EXPECT_FALSE(removed);
    ASSERT_TRUE(copied);
    try {
        std::rethrow_exception(copied);
    } catch (const ErrorException& thrown) { EXPECT_EQ(thrown.error.code, Code::Conflict); }
    EXPECT_FALSE(exists(folders->path_of(kTo)));
    EXPECT_EQ(entries_in(from + "/work"), 1u);
    EXPECT_TRUE(nothing_is_half_made(folder.root()));
}

}  // namespace atl::folders
