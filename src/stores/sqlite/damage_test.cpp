// Goal: a damaged file is noticed, reported, served as far as it can be read, and never written to;
// a full disk fails the write and nothing else. With real files and a real full disk.
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/store.hpp"
#include "stores/sqlite/test_support.hpp"

#include <fstream>
#include <iterator>
#include <random>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace atl::sqlite {

using namespace testing;
using core::StoreHealth;
using core::Whose;

namespace {

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void put(const std::string& path, std::size_t offset, const std::string& bytes) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

// A database of about 1.5 MB, closed.
void fill(const std::string& file) {
    const auto store = open_store(file);
    asio::io_context loop;
    auto write = [&](int i) -> asio::awaitable<void> {
        auto record = session("s-" + std::to_string(i), "alice", i);
        record.spec_json = std::string(500, 'x');
        record.metadata = {{"n", std::to_string(i)}};
        co_await store->create_session(record, 0);
        const auto added = job("j-" + std::to_string(i), "alice", i);
        co_await store->add_job(added, 0);
    };
    for (int i = 0; i < 1000; ++i) asio::co_spawn(loop, write(i), asio::detached);
    loop.run();
}

void expect_refused_and_told(SqliteStore& store, const std::string& path) {
    // Clients read these sentences: they name the file, and not where on the host it lies.
    const std::string file = path.substr(path.rfind('/') + 1);
    EXPECT_EQ(store.health().state, StoreHealth::State::ReadOnly);
    EXPECT_NE(store.health().sentence.find(file), std::string::npos) << store.health().sentence;
    EXPECT_EQ(store.health().sentence.find(path), std::string::npos) << store.health().sentence;
    const auto error = error_of(store.create_session(session("new", "alice", 1), 0));
    EXPECT_EQ(error.code, Code::Unavailable);
    EXPECT_NE(error.message.find("read-only"), std::string::npos) << error.message;
    EXPECT_NE(error.message.find(file), std::string::npos) << error.message;
    EXPECT_EQ(error.message.find(path), std::string::npos) << error.message;
    EXPECT_NE(error.message.find("backup"), std::string::npos) << error.message;
}

// Everything a server would ask of it. Any answer will do, but there must be one.
void use(SqliteStore& store) {
    const auto whose = Whose::of("alice");
    for (int i = 0; i < 1000; i += 97) {
        (void)error_of(store.get_session(whose, SessionId("s-" + std::to_string(i))));
        (void)error_of(store.get_job(whose, JobId("j-" + std::to_string(i))));
    }
    core::SessionQuery query{whose, {}, {}, {}, 1000};
    (void)error_of(store.list_sessions(query));
    core::JobQuery jobs{whose, {}, {}, 1000, true, {}};
    (void)error_of(store.list_jobs(jobs));
    (void)error_of(store.take_job(job_request("one", 1)));
    (void)error_of(store.create_session(session("new", "alice", 1), 0));
    (void)error_of(store.recover("one", at(1)));
}

}  // namespace

TEST(Damage, GarbageInItsPagesMakesItReadOnlyAndIsLeftAsItIs) {
    const Folder folder;
    fill(folder.file());
    const auto size = bytes_of(folder.file()).size();
    ASSERT_GT(size, 800'000u);
    // Three pages in the middle; the first, with the schema, stays whole.
    put(folder.file(), size / 2 / 4096 * 4096, std::string(3 * 4096, '\xaa'));
    const auto damaged = bytes_of(folder.file());
    {
        const auto store = open_store(folder.file());
        expect_refused_and_told(*store, folder.file());
        use(*store);
        // What is not in the bad pages can still be read.
        int readable = 0;
        for (int i = 0; i < 1000; i += 10) {
            const SessionId id("s-" + std::to_string(i));
            if (error_of(store->get_session(Whose::of("alice"), id)).message.empty()) ++readable;
        }
        EXPECT_GT(readable, 50);
    }
    EXPECT_TRUE(bytes_of(folder.file()) == damaged);
}

TEST(Damage, ACutOffFileIsNoticedAndLeftAsItIs) {
    for (const std::size_t keep :
         {std::size_t{50}, std::size_t{4096}, std::size_t{100'000}, std::size_t{600'001}}) {
        SCOPED_TRACE(keep);
        const Folder folder;
        fill(folder.file());
        std::filesystem::resize_file(folder.file(), keep);
        const auto damaged = bytes_of(folder.file());
        {
            auto opened = SqliteStore::open({.path = folder.file()});
            if (opened) {
                expect_refused_and_told(**opened, folder.file());
                use(**opened);
            } else {
                EXPECT_EQ(opened.error().code, Code::Unavailable);
                EXPECT_NE(opened.error().message.find(folder.file()), std::string::npos);
                EXPECT_NE(opened.error().message.find("damaged"), std::string::npos)
                    << opened.error().message;
            }
        }
        EXPECT_TRUE(bytes_of(folder.file()) == damaged);
    }
}

TEST(Damage, AnythingButADatabaseIsNamedAndLeftAsItIs) {
    struct Row {
        const char* name;
        std::string content;
    };
    const Row rows[] = {
        {"one byte", "x"},
        {"a text", std::string(5000, 'y')},
        {"a header and garbage", std::string("SQLite format 3\0", 16) + std::string(8176, '\xee')},
        {"zeros", std::string(8192, '\0')},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        const Folder folder;
        std::ofstream(folder.file(), std::ios::binary) << row.content;
        auto opened = SqliteStore::open({.path = folder.file()});
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().code, Code::Unavailable);
        EXPECT_NE(opened.error().message.find(folder.file()), std::string::npos)
            << opened.error().message;
        EXPECT_TRUE(bytes_of(folder.file()) == row.content);
    }
}

TEST(Damage, ALogWithoutItsDatabaseIsKept) {
    const Folder folder;
    Child writer([&](int fd) {
        const auto store = open_store(folder.file());
        await(store->create_session(session("s", "alice", 1), 0));
        say(fd, "x");
        ::pause();
    });
    char byte = 0;
    ASSERT_EQ(::read(writer.heard(), &byte, 1), 1);
    writer.kill();
    const auto log = bytes_of(folder.file() + "-wal");
    ASSERT_FALSE(log.empty());
    std::filesystem::resize_file(folder.file(), 0);
    for (int i = 0; i < 2; ++i) {
        auto opened = SqliteStore::open({.path = folder.file()});
        ASSERT_FALSE(opened);
        EXPECT_NE(opened.error().message.find("its log is there"), std::string::npos);
        EXPECT_TRUE(bytes_of(folder.file() + "-wal") == log);
        std::filesystem::remove(folder.file());  // the second time it is missing
    }
}

TEST(Damage, AMissingOrEmptyOneBesideWhatWasMadeWithItIsLost) {
    const Folder folder;
    const std::string beside = folder.path() + "/token.key";
    StoreOptions options;
    options.path = folder.file();
    options.made_after = {beside};
    ASSERT_TRUE(SqliteStore::open(options));  // new
    std::filesystem::remove(folder.file());
    for (int i = 0; i < 2; ++i) {
        std::ofstream(beside) << "secret";
        auto opened = SqliteStore::open(options);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().code, Code::Unavailable);
        EXPECT_NE(opened.error().message.find("missing or empty"), std::string::npos);
        options.open_unreadable = true;
        opened = SqliteStore::open(options);
        ASSERT_TRUE(opened);
        expect_refused_and_told(**opened, folder.file());
        opened = Error{};
        options.open_unreadable = false;
        std::filesystem::remove(beside);
        std::ofstream(folder.file()).flush();  // the second time it is empty
    }
    EXPECT_TRUE(SqliteStore::open(options));
}

TEST(Damage, ALogOfADamagedDatabaseIsNotMovedIntoIt) {
    const Folder folder;
    fill(folder.file());
    Child writer([&](int fd) {
        const auto store = open_store(folder.file());
        await(store->create_session(session("in the log", "alice", 1), 0));
        say(fd, "x");
        ::pause();
    });
    char byte = 0;
    ASSERT_EQ(::read(writer.heard(), &byte, 1), 1);
    writer.kill();
    const auto size = bytes_of(folder.file()).size();
    put(folder.file(), size / 2 / 4096 * 4096, std::string(3 * 4096, '\xaa'));
    const auto damaged = bytes_of(folder.file());
    const auto log = bytes_of(folder.file() + "-wal");
    ASSERT_FALSE(log.empty());
    {
        const auto store = open_store(folder.file());
        expect_refused_and_told(*store, folder.file());
        // And yet what the log holds is read.
        await(store->get_session(Whose::of("alice"), SessionId("in the log")));
    }
    EXPECT_TRUE(bytes_of(folder.file()) == damaged);
    EXPECT_TRUE(bytes_of(folder.file() + "-wal") == log);
}

TEST(Damage, WhatGoesBadWhileItRunsIsNoticedWhenItIsMet) {
    const Folder folder;
    fill(folder.file());
    const auto store = open_store(folder.file());
    EXPECT_EQ(store->health().state, StoreHealth::State::Ok);
    // Under its hands, as a failing disk would. A write by another program first makes SQLite
    // forget what it had in memory.
    {
        auto other = Connection::open(folder.file(), Connection::Mode::ReadWrite, 1000).value();
        other->script("UPDATE sessions SET disk_bytes = 1 WHERE id = 's-1';");
        other->checkpoint();
    }
    const auto size = std::filesystem::file_size(folder.file());
    put(folder.file(), 10 * 4096, std::string(size - 20 * 4096, '\xaa'));
    core::SessionQuery query{Whose::of("alice"), {}, {}, {}, 1000};
    const auto error = error_of(store->list_sessions(query));
    EXPECT_EQ(error.code, Code::Unavailable) << error.message;
    expect_refused_and_told(*store, folder.file());
}

TEST(Damage, NoDamageMakesItCrash) {
    const Folder source;
    fill(source.file());
    const auto sound = bytes_of(source.file());
    std::mt19937 random(20240607);  // fixed, so that a failure can be had again
    int opened_count = 0;
    int read_only = 0;
    for (int round = 0; round < 40; ++round) {
        SCOPED_TRACE(round);
        auto damaged = sound;
        const int wounds = 1 + static_cast<int>(random() % 4);
        for (int i = 0; i < wounds; ++i) {
            const std::size_t length = 1 + random() % (round % 2 == 0 ? 16 : 6000);
            const std::size_t from = random() % (damaged.size() - length);
            for (std::size_t k = 0; k < length; ++k) {
                damaged[from + k] = static_cast<char>(random());
            }
        }
        if (round % 7 == 0) damaged.resize(random() % damaged.size());
        const Folder folder;
        std::ofstream(folder.file(), std::ios::binary) << damaged;
        auto opened = SqliteStore::open({.path = folder.file()});
        if (!opened) continue;
        ++opened_count;
        if ((*opened)->health().state == StoreHealth::State::ReadOnly) ++read_only;
        use(**opened);
    }
    EXPECT_GT(opened_count, 10);  // else nothing was tried
    EXPECT_GT(read_only, 5);
}

TEST(Damage, AFileThatMayNotBeWrittenIsServedReadOnly) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
    const Folder folder;
    fill(folder.file());
    ASSERT_EQ(::chmod(folder.file().c_str(), 0400), 0);
    const auto store = open_store(folder.file());
    EXPECT_EQ(store->health().state, StoreHealth::State::ReadOnly);
    await(store->get_session(Whose::of("alice"), SessionId("s-1")));
    EXPECT_EQ(error_of(store->create_session(session("n", "alice", 1), 0)).code, Code::Unavailable);
}

// ---- A full disk ----

namespace {

// Writes until it fails, then lets `make_room`, then writes again. Says what went wrong.
void fill_up(SqliteStore& store, int fd, const std::function<void()>& make_room) {
    int written = 0;
    Error error;
    for (; written < 2000; ++written) {
        auto record = session("s-" + std::to_string(written), "alice", written);
        record.spec_json = std::string(16'000, 'x');
        record.metadata = {{"n", std::to_string(written)}};
        error = error_of(store.create_session(record, 0));
        if (!error.message.empty()) break;
    }
    if (written < 10 || written == 2000) say(fd, "wrote " + std::to_string(written) + "\n");
    if (error.code != Code::DiskFull) say(fd, "not DiskFull: " + error.message + "\n");
    if (error.message.find("nothing was written") == error.message.npos) {
        say(fd, "sentence: " + error.message + "\n");
    }
    if (store.health().state != StoreHealth::State::Failing) say(fd, "health says nothing\n");
    // The one that failed is not there, nor any part of it; all before it are.
    core::SessionQuery query{Whose::of("alice"), {}, {}, {}, 100};
    int found = 0;
    do {
        const auto page = await(store.list_sessions(query));
        for (const auto& record : page.sessions) {
            ++found;
            if (record.metadata.size() != 1) say(fd, "half of " + record.id.text() + "\n");
        }
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    if (found != written) say(fd, "found " + std::to_string(found) + "\n");
    make_room();
    for (int i = 0; i < 50; ++i) {
        auto record = session("later-" + std::to_string(i), "alice", i);
        record.spec_json = std::string(1000, 'x');
        const auto late = error_of(store.create_session(record, 0));
        if (!late.message.empty()) say(fd, "after room: " + late.message + "\n");
    }
    if (store.health().state != StoreHealth::State::Ok) say(fd, "health did not recover\n");
}

// A tmpfs of this size over the folder, in a mount namespace of our own. False: not allowed here.
bool mount_small_disk(const std::string& folder, const char* size) {
    const auto uid = ::geteuid();
    const auto gid = ::getegid();
    if (::unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    if (uid != 0) {  // without a name in the new namespace nothing can be made on the disk
        std::ofstream("/proc/self/setgroups") << "deny";
        std::ofstream("/proc/self/uid_map") << "0 " << uid << " 1";
        std::ofstream("/proc/self/gid_map") << "0 " << gid << " 1";
    }
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    return ::mount("tmpfs", folder.c_str(), "tmpfs", 0, size) == 0;
}

}  // namespace

TEST(FullDisk, AFileLimitFailsTheWriteAndNothingElse) {
    const Folder folder;
    Child child([&](int fd) {
        const auto store = open_store(folder.file());
        rlimit small{3u << 20, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &small);
        fill_up(*store, fd, [] {
            rlimit none{RLIM_INFINITY, RLIM_INFINITY};
            ::setrlimit(RLIMIT_FSIZE, &none);
        });
    });
    EXPECT_EQ(child.listen(), "");
    EXPECT_EQ(child.wait(), 0);
    const auto store = open_store(folder.file());
    EXPECT_EQ(store->health().state, StoreHealth::State::Ok);
    await(store->get_session(Whose::of("alice"), SessionId("later-49")));
}

TEST(FullDisk, ARealOneFailsTheWriteAndNothingElse) {
    const Folder folder;
    Child child([&](int fd) {
        if (!mount_small_disk(folder.path(), "size=8m")) {
            say(fd, "skip");
            return;
        }
        const std::string ballast = folder.path() + "/ballast";
        std::ofstream(ballast) << std::string(3u << 20, 'x');
        const auto store = open_store(folder.file());
        fill_up(*store, fd, [&] { std::filesystem::remove(ballast); });
    });
    const auto said = child.listen();
    if (said == "skip") GTEST_SKIP() << "no mount namespaces here";
    EXPECT_EQ(said, "");
    EXPECT_EQ(child.wait(), 0);
}

TEST(FullDisk, OneThatDoesNotFitTakesNobodyWithIt) {
    const Folder folder;
    Child child([&](int fd) {
        if (!mount_small_disk(folder.path(), "size=4m")) {
            say(fd, "skip");
            return;
        }
        const auto store = open_store(folder.file());
        asio::io_context loop;
        int small = 0;
        int refused = 0;
        auto write = [&](int i) -> asio::awaitable<void> {
            auto record = session("s-" + std::to_string(i), "alice", i);
            if (i == 20) record.spec_json = std::string(6u << 20, 'x');
            try {
                co_await store->create_session(record, 0);
                ++small;
            } catch (const ErrorException& e) {
                if (e.error.code == Code::DiskFull) ++refused;
            }
        };
        for (int i = 0; i < 64; ++i) asio::co_spawn(loop, write(i), asio::detached);
        loop.run();
        if (small != 63 || refused != 1) {
            say(fd, std::to_string(small) + " written, " + std::to_string(refused) + " refused\n");
        }
    });
    const auto said = child.listen();
    if (said == "skip") GTEST_SKIP() << "no mount namespaces here";
    EXPECT_EQ(said, "");
    EXPECT_EQ(child.wait(), 0);
}

TEST(FullDisk, AStoreThatCannotBeMadeSaysWhy) {
    const Folder folder;
    Child child([&](int fd) {
        if (!mount_small_disk(folder.path(), "size=16k")) {
            say(fd, "skip");
            return;
        }
        auto opened = SqliteStore::open({.path = folder.file()});
        if (opened) {
            say(fd, "it opened\n");
        } else if (opened.error().code != Code::DiskFull) {
            say(fd, opened.error().message + "\n");
        }
    });
    const auto said = child.listen();
    if (said == "skip") GTEST_SKIP() << "no mount namespaces here";
    EXPECT_EQ(said, "");
}

}  // namespace atl::sqlite
