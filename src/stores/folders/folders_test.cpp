// The port: making, naming, listing, measuring, the state beside; and which roots are refused.
#include "stores/folders/names.hpp"
#include "stores/folders/test_support.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace atl::folders {

using namespace testing;

namespace {

const SessionId kId("a-Session_1");

Result<std::unique_ptr<DiskFolders>> try_open(const std::string& root, Ids ids = kNobody) {
    return DiskFolders::open(root, ids);
}

std::string read_all(const UniqueFd& file) {
    char text[100]{};
    const ssize_t n = ::pread(file.get(), text, sizeof text, 0);
    return n < 0 ? "failed" : std::string(text, static_cast<std::size_t>(n));
}

void put_state(DiskFolders& folders, const SessionId& id, const std::string& name,
               const std::string& text) {
    auto file = folders.begin_state(id, name);
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(::write(file->get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    auto kept = folders.finish_state(id, name, std::move(*file));
    ASSERT_TRUE(kept) << kept.error().message;
}

}  // namespace

TEST(Folders, are_made_with_owners_and_modes) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        const bool root = ::geteuid() == 0;
        // More than were made ahead, so that both ways are seen.
        for (int i = 0; i < 60; ++i) {
            const SessionId id("s" + std::to_string(i));
            const std::string path = await(folders->make(id));
            EXPECT_EQ(path, folder.root() + "/" + id.text());
            EXPECT_EQ(path, folders->path_of(id));
            const std::pair<const char*, mode_t> expected[] = {
                {"", 0755},
                {"/session", 0755},
                {"/session/artifacts", 0755},
                {"/data", 0755},
                {"/data/outputs", 0755},
                {"/work", 0755},
                {"/work/artifacts", 0755},
                {"/home", 0750},
                {"/home/.cache", 0755},
                {"/home/.cache/matplotlib", 0755},
                {"/root", 0700},
                {"/tmp", 01777},
                {"/vartmp", 01777},
            };
            for (const auto& [name, mode] : expected) {
                const auto info = look(path + name);
                EXPECT_EQ(info.st_mode, S_IFDIR | mode) << name;
                EXPECT_EQ(info.st_uid, root ? kNobody.uid : ::geteuid()) << name;
                EXPECT_EQ(info.st_gid, root ? kNobody.gid : ::getegid()) << name;
            }
            EXPECT_EQ(entries_in(path), 7u);
        }
        for (const char* name : {"", "/.making", "/.trash", "/.broken"}) {
            EXPECT_EQ(look(folder.root() + name).st_mode & 07777, 0700u) << name;
            EXPECT_EQ(look(folder.root() + name).st_uid, ::geteuid()) << name;
        }
    });
}

TEST(Folders, of_an_id_are_made_once) {
    Folder folder;
    auto folders = open_folders(folder.root());
    write_file(await(folders->make(kId)) + "/session/x", "1");
    put_state(*folders, kId, "v", "state");
    for (int i = 0; i < 40; ++i) EXPECT_EQ(error_of(folders->make(kId)).code, Code::Conflict);
    EXPECT_EQ(read_file(folders->path_of(kId) + "/session/x"), "1");
    EXPECT_EQ(folders->list_state(kId)->size(), 1u);
}

TEST(Folders, inherit_no_state_of_an_earlier_session) {
    Folder folder;
    auto folders = open_folders(folder.root());
    await(folders->make(kId));
    put_state(*folders, kId, "v", "old");
    // As a person might, who does not know of the other.
    fs::remove_all(folder.root() + "/" + kId.text());
    EXPECT_EQ(error_of(folders->remove(kId)).code, Code::NotFound);
    EXPECT_FALSE(exists(folder.root() + "/" + kId.text() + ".state"));
    fs::create_directory(folder.root() + "/" + kId.text() + ".state");
    write_file(folder.root() + "/" + kId.text() + ".state/v", "old");
    await(folders->make(kId));
    EXPECT_TRUE(folders->list_state(kId)->empty());
}

TEST(Folders, take_only_ids_that_are_names) {
    Folder folder;
    auto folders = open_folders(folder.root());
    const std::string bad[] = {"",
                               ".",
                               "..",
                               "a/b",
                               "../x",
                               "a.b",
                               "a.state",
                               ".trash",
                               "a\nb",
                               std::string("a\0b", 3),
                               "a b",
                               "ü",
                               std::string(129, 'a'),
                               "/",
                               "a/../b"};
    for (const auto& text : bad) {
        const SessionId id(text);
        EXPECT_EQ(error_of(folders->make(id)).code, Code::InvalidArgument) << text;
        EXPECT_EQ(error_of(folders->remove(id)).code, Code::InvalidArgument) << text;
        EXPECT_EQ(error_of(folders->use(id)).code, Code::InvalidArgument) << text;
        EXPECT_EQ(error_of(folders->copy(id, kId)).code, Code::InvalidArgument) << text;
        EXPECT_EQ(error_of(folders->copy(kId, id)).code, Code::InvalidArgument) << text;
        EXPECT_EQ(folders->begin_state(id, "v").error().code, Code::InvalidArgument) << text;
        EXPECT_EQ(folders->open_state(id, "v").error().code, Code::InvalidArgument) << text;
        EXPECT_EQ(folders->list_state(id).error().code, Code::InvalidArgument) << text;
        EXPECT_EQ(folders->remove_state(id, "v").error().code, Code::InvalidArgument) << text;
        EXPECT_THROW((void)folders->path_of(id), ErrorException) << text;
    }
    EXPECT_EQ(await(folders->list()).size(), 0u);
    const SessionId longest(std::string(128, 'z'));
    await(folders->make(longest));
    put_state(*folders, longest, std::string(128, 'n'), "x");
    await(folders->remove(longest));
}

TEST(Folders, are_listed) {
    Folder folder;
    auto folders = open_folders(folder.root());
    for (const char* name : {"b", "a", "c"}) await(folders->make(SessionId(name)));
    put_state(*folders, SessionId("b"), "v", "x");
    write_file(folder.root() + "/file", "");
    fs::create_symlink("/", folder.root() + "/link");
    fs::create_directory(folder.root() + "/lost+found");
    for (int round = 0; round < 2; ++round) {
        auto found = await(folders->list());
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, (std::vector{SessionId("a"), SessionId("b"), SessionId("c")}));
    }
}

TEST(Folders, are_measured) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        EXPECT_EQ(error_of(folders->use(kId)).code, Code::NotFound);
        const std::string path = await(folders->make(kId));
        const auto fresh = await(folders->use(kId));
        EXPECT_EQ(fresh.files, 13u);
        write_file(path + "/data/big", std::string(1 << 20, 'x'));
        fs::create_hard_link(path + "/data/big", path + "/work/same");
        fs::create_symlink("/usr", path + "/work/link");
        {
            const UniqueFd sparse(::open((path + "/data/sparse").c_str(), O_RDWR | O_CREAT, 0600));
            ASSERT_EQ(::ftruncate(sparse.get(), 1ll << 40), 0);
        }
        fs::create_directories(path + "/work/shut/inner");
        write_file(path + "/work/shut/inner/f", std::string(1 << 20, 'y'));
        ASSERT_EQ(::chmod((path + "/work/shut").c_str(), 0), 0);
        const auto use = await(folders->use(kId));
        EXPECT_EQ(use.files, fresh.files + 6);
        EXPECT_GE(use.bytes - fresh.bytes, 2u << 20);
        EXPECT_LT(use.bytes - fresh.bytes, 3u << 20);
        EXPECT_TRUE(use.complete);
        EXPECT_EQ(look(path + "/work/shut").st_mode & 07777, 0u);
    });
}

TEST(Folders, measuring_stops_at_its_limits) {
    Folder folder;
    FolderOptions options = few_ready();
    options.use.entries_max = 50;
    auto folders = open_folders(folder.root(), options);
    const std::string path = await(folders->make(kId));
    for (int i = 0; i < 100; ++i) write_file(path + "/work/" + std::to_string(i), "");
    const auto use = await(folders->use(kId));
    EXPECT_FALSE(use.complete);
    EXPECT_GE(use.files, 40u);
    EXPECT_LE(use.files, 51u);
}

TEST(Folders, know_the_room_that_is_left) {
    Folder folder;
    auto folders = open_folders(folder.root());
    const auto space = fs::space(folder.root());
    const auto room = await(folders->room());
    EXPECT_GT(room, space.available / 2);
    EXPECT_LE(room, space.capacity);
}

TEST(State, is_kept_whole_and_private) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        EXPECT_EQ(folders->begin_state(kId, "v").error().code, Code::NotFound);
        await(folders->make(kId));
        EXPECT_EQ(folders->open_state(kId, "v").error().code, Code::NotFound);
        EXPECT_TRUE(folders->list_state(kId)->empty());
        put_state(*folders, kId, "vars.pickle", "first");
        put_state(*folders, kId, "a", "other");
        EXPECT_EQ(*folders->list_state(kId), (std::vector<std::string>{"a", "vars.pickle"}));
        EXPECT_EQ(read_all(folders->open_state(kId, "vars.pickle").value()), "first");

        const std::string path = folder.root() + "/" + kId.text() + ".state";
        EXPECT_EQ(look(path).st_mode & 07777, 0700u);
        EXPECT_EQ(look(path).st_uid, ::geteuid());
        EXPECT_EQ(look(path + "/a").st_mode & 07777, 0600u);
        EXPECT_EQ(look(path + "/a").st_uid, ::geteuid());

        // Begun and dropped: as it was, and no trace.
        {
            auto dropped = folders->begin_state(kId, "vars.pickle");
            ASSERT_TRUE(dropped);
            ASSERT_EQ(::write(dropped->get(), "half", 4), 4);
            EXPECT_EQ(read_all(folders->open_state(kId, "vars.pickle").value()), "first");
        }
        EXPECT_EQ(entries_in(path), 2u);
        // What a crash at the worst moment leaves is not shown, and goes with the next one.
        write_file(path + "/.new.vars.pickle", "crashed");
        EXPECT_EQ(folders->list_state(kId)->size(), 2u);
        const UniqueFd reader = folders->open_state(kId, "vars.pickle").value();
        put_state(*folders, kId, "vars.pickle", "second");
        EXPECT_EQ(entries_in(path), 2u);
        EXPECT_EQ(read_all(folders->open_state(kId, "vars.pickle").value()), "second");
        EXPECT_EQ(read_all(reader), "first");

        EXPECT_TRUE(folders->remove_state(kId, "vars.pickle"));
        EXPECT_TRUE(folders->remove_state(kId, "vars.pickle"));
        EXPECT_EQ(folders->open_state(kId, "vars.pickle").error().code, Code::NotFound);
        auto late = folders->begin_state(kId, "late");
        await(folders->remove(kId));
        EXPECT_FALSE(exists(path));
        EXPECT_EQ(folders->finish_state(kId, "late", std::move(*late)).error().code,
                  Code::NotFound);
        EXPECT_FALSE(exists(path));
    });
}

TEST(State, that_cannot_be_read_is_not_missing) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        await(folders->make(kId));
        put_state(*folders, kId, "v", "kept");
        {
            const NoDescriptors none;
            EXPECT_EQ(folders->list_state(kId).error().code, Code::Unavailable);
            EXPECT_EQ(folders->open_state(kId, "v").error().code, Code::Unavailable);
            EXPECT_EQ(folders->remove_state(kId, "v").error().code, Code::Unavailable);
            EXPECT_EQ(folders->share_state(kId, SessionId("other")).error().code,
                      Code::Unavailable);
        }
        EXPECT_EQ(read_all(folders->open_state(kId, "v").value()), "kept");
    });
}

TEST(Folders, know_that_their_root_is_gone) {
    as_everybody([](Folder& folder) {
        auto folders = open_folders(folder.root());
        await(folders->make(kId));
        EXPECT_TRUE(folders->check_root());
        fs::rename(folder.root(), folder.root() + "-away");
        const auto gone = folders->check_root();
        EXPECT_EQ(gone.error().code, Code::Unavailable);
        EXPECT_EQ(gone.error().message.find(folder.root()), std::string::npos);
        EXPECT_EQ(error_of(folders->remove(kId)).code, Code::Unavailable);
        fs::rename(folder.root() + "-away", folder.root());
        EXPECT_TRUE(folders->check_root());
        await(folders->remove(kId));
    });
}

TEST(State, has_names_that_are_names) {
    Folder folder;
    auto folders = open_folders(folder.root());
    await(folders->make(kId));
    for (const std::string& name :
         {std::string(""), std::string("."), std::string(".."), std::string("../x"),
          std::string("a/b"), std::string(".hidden"), std::string("a b"), std::string("a\0b", 3),
          std::string(129, 'a'), std::string("\xff")}) {
        EXPECT_EQ(folders->begin_state(kId, name).error().code, Code::InvalidArgument) << name;
        EXPECT_EQ(folders->finish_state(kId, name, UniqueFd()).error().code, Code::InvalidArgument);
        EXPECT_EQ(folders->open_state(kId, name).error().code, Code::InvalidArgument) << name;
        EXPECT_EQ(folders->remove_state(kId, name).error().code, Code::InvalidArgument) << name;
    }
}

TEST(State, of_two_writers_is_the_last_one) {
    Folder folder;
    auto folders = open_folders(folder.root());
    await(folders->make(kId));
    auto one = folders->begin_state(kId, "v").value();
    auto two = folders->begin_state(kId, "v").value();
    ASSERT_EQ(::write(one.get(), "one", 3), 3);
    ASSERT_EQ(::write(two.get(), "two", 3), 3);
    ASSERT_TRUE(folders->finish_state(kId, "v", std::move(two)));
    EXPECT_EQ(read_all(folders->open_state(kId, "v").value()), "two");
    ASSERT_TRUE(folders->finish_state(kId, "v", std::move(one)));
    EXPECT_EQ(read_all(folders->open_state(kId, "v").value()), "one");
}

TEST(Root, is_made_and_closed_to_others) {
    as_everybody([](Folder& folder) {
        ASSERT_TRUE(try_open(folder.path() + "/a/b/sessions/"));
        EXPECT_EQ(look(folder.path() + "/a/b/sessions").st_mode & 07777, 0700u);
        fs::create_directory(folder.path() + "/read");
        ASSERT_EQ(::chmod((folder.path() + "/read").c_str(), 0755), 0);
        auto opened = try_open(folder.path() + "/read//");
        ASSERT_TRUE(opened);
        EXPECT_EQ((*opened)->root(), folder.path() + "/read");
        EXPECT_EQ(look(folder.path() + "/read").st_mode & 07777, 0700u);
    });
}

TEST(Root, of_others_is_refused) {
    as_everybody([](Folder& folder) {
        const std::string path = folder.path() + "/open";
        fs::create_directory(path);
        for (const mode_t mode : {0777, 0770, 0702, 01777}) {
            ASSERT_EQ(::chmod(path.c_str(), mode), 0);
            auto opened = try_open(path);
            ASSERT_FALSE(opened);
            EXPECT_NE(opened.error().message.find("may write"), std::string::npos);
            EXPECT_EQ(look(path).st_mode & 07777, mode) << "must stay as it was";
            EXPECT_EQ(entries_in(path), 0u);
        }
        write_file(folder.path() + "/file", "");
        EXPECT_FALSE(try_open(folder.path() + "/file"));
        EXPECT_EQ(try_open("").error().code, Code::InvalidArgument);
        EXPECT_EQ(try_open("/").error().code, Code::InvalidArgument);
        EXPECT_EQ(try_open("/tmp/..").error().code, Code::InvalidArgument);
        if (::geteuid() == 0) {
            fs::create_directory(folder.path() + "/theirs");
            ASSERT_EQ(::chown((folder.path() + "/theirs").c_str(), kOrdinary, kOrdinary), 0);
            auto opened = try_open(folder.path() + "/theirs");
            ASSERT_FALSE(opened);
            EXPECT_NE(opened.error().message.find("belongs to user 54321"), std::string::npos);
            EXPECT_EQ(try_open(folder.path() + "/x", Ids{0, 5}).error().code,
                      Code::InvalidArgument);
        }
    });
}

// Goal: as many long tasks as can be active, and more that wait, do not keep a look
// waiting, which a run waits for.
TEST(FolderThread, lets_looks_pass_others_that_have_all_places) {
    struct Long final : Work<void> {
        explicit Long(const std::atomic<bool>& over) : over_(over) {}
        std::optional<Result<void>> step(const Slice&) override {
            if (!over_) return std::nullopt;
            return Result<void>();
        }
        const std::atomic<bool>& over_;
    };
    struct Look final : Work<int> {
        std::optional<Result<int>> step(const Slice&) override { return Result<int>(42); }
    };
    asio::io_context loop;
    std::atomic<bool> over = false;
    int looked = 0, ended = 0;
    FolderThread worker(12);
    const auto work_long = [&]() -> asio::awaitable<void> {
        co_await worker.ask<void>(Speed::Long, std::make_unique<Long>(over));
        EXPECT_EQ(looked, 42);
        ++ended;
    };
    const auto look = [&]() -> asio::awaitable<void> {
        looked = co_await worker.ask<int>(Speed::Look, std::make_unique<Look>());
        over = true;
    };
    const auto check = [](std::exception_ptr failed) { EXPECT_FALSE(failed); };
    for (int i = 0; i < 12; ++i) asio::co_spawn(loop, work_long, check);
    asio::co_spawn(loop, look, check);
    loop.run();
    EXPECT_EQ(ended, 12);
}

TEST(FolderThread, lets_short_work_pass_long_work) {
    Folder folder;
    auto folders = open_folders(folder.root());
    const std::string path = await(folders->make(SessionId("big")));
    for (int i = 0; i < 30'000; ++i) {
        const UniqueFd file(
            ::open((path + "/work/" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT, 0600));
        ASSERT_TRUE(file);
    }
    await(folders->make(SessionId("small")));
    asio::io_context loop;
    bool copied = false;
    int passed = 0;
    auto check = [](std::exception_ptr e) { EXPECT_FALSE(e); };
    asio::co_spawn(loop, folders->copy(SessionId("big"), SessionId("twin")),
                   [&](std::exception_ptr e) {
                       EXPECT_FALSE(e);
                       copied = true;
                   });
    auto others = [&]() -> asio::awaitable<void> {
        for (int i = 0; i < 3 && !copied; ++i) {
            const SessionId name("fork" + std::to_string(i));
            co_await folders->copy(SessionId("small"), name);
            co_await folders->list();
            co_await folders->remove(name);
            if (!copied) ++passed;
        }
    };
    asio::co_spawn(loop, others(), check);
    loop.run();
    EXPECT_GE(passed, 1);
    EXPECT_EQ(entries_in(folders->path_of(SessionId("twin")) + "/work"), 30'001u);
}

TEST(FolderThread, takes_no_more_than_it_may_hold) {
    Folder folder;
    FolderOptions options = few_ready();
    options.waiting_max = 20;
    auto folders = open_folders(folder.root(), options);
    const std::string path = await(folders->make(SessionId("a")));
    for (int i = 0; i < 500; ++i) write_file(path + "/work/" + std::to_string(i), "");
    asio::io_context loop;
    int done = 0, refused = 0;
    for (int i = 0; i < 200; ++i) {
        auto ended = [&](std::exception_ptr e, const core::FolderUse&) {
            try {
                if (e) std::rethrow_exception(e);
                ++done;
            } catch (const ErrorException& thrown) {
                EXPECT_EQ(thrown.error.code, Code::Unavailable);
                ++refused;
            }
        };
        asio::co_spawn(loop, folders->use(SessionId("a")), ended);
    }
    loop.run();
    EXPECT_EQ(done + refused, 200);
    EXPECT_GE(done, 15);  // folders made ahead may take a place
    EXPECT_GE(refused, 1);
    EXPECT_EQ(folders->counts().refused, static_cast<std::uint64_t>(refused));
    EXPECT_EQ(folders->counts().waiting, 0u);
}

TEST(FolderThread, at_its_end_answers_everybody) {
    Folder folder;
    auto folders = open_folders(folder.root());
    const std::string path = await(folders->make(SessionId("a")));
    for (int i = 0; i < 20'000; ++i) write_file(path + "/work/" + std::to_string(i), "");
    asio::io_context loop;
    int answered = 0;
    for (int i = 0; i < 30; ++i) {
        asio::co_spawn(loop, folders->copy(SessionId("a"), SessionId("c" + std::to_string(i))),
                       [&](std::exception_ptr) { ++answered; });
    }
    asio::co_spawn(loop, folders->remove(SessionId("a")), [&](std::exception_ptr) { ++answered; });
    loop.poll();
    folders.reset();
    loop.run();
    EXPECT_EQ(answered, 31);
    // The next one finds a clean house.
    folders = open_folders(folder.root());
    for (int i = 0; i < 1000 && entries_in(folder.root() + "/.trash") > 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(entries_in(folder.root() + "/.trash"), 0u);
    // Removed, or not begun with: never half.
    if (exists(path)) { EXPECT_EQ(entries_in(path + "/work"), 20'001u); }
    EXPECT_EQ(await(folders->list()).size(), exists(path) ? 1u : 0u);
}

TEST(Names, are_told_without_their_tricks) {
    EXPECT_EQ(printable("plain-1.txt"), "plain-1.txt");
    EXPECT_EQ(printable("a\nb\x1b[31m\xff\\"), "a\\x0ab\\x1b[31m\\xff\\x5c");
    EXPECT_LT(printable(std::string(5000, '\n')).size(), 100u);
    EXPECT_NE(with_random_end("x"), with_random_end("x"));
}

}  // namespace atl::folders
