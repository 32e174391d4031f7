// What runs left, summed up for somebody: blocks of their runs and of no others'.
#include "stores/folders/disk_outputs.hpp"
#include "stores/folders/test_support.hpp"

#include <boost/asio/post.hpp>
#include <thread>

namespace atl::folders::testing {

namespace {

std::uint64_t blocks_of(const std::string& path) {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0) give_up(path);
    return static_cast<std::uint64_t>(info.st_blocks) * 512;
}

void leave(DiskOutputs& outputs, const std::string& run, const std::string& path,
           std::size_t bytes) {
    const core::RunId id(run);
    UniqueFd file = await(outputs.begin(id, path));
    const std::string content(bytes, 'x');
    ASSERT_EQ(::write(file.get(), content.data(), content.size()),
              static_cast<ssize_t>(content.size()));
    ASSERT_FALSE(await(outputs.finish(id, path, std::move(file))).empty());
}

}  // namespace

TEST(Outputs, AreSummedUpForWhoseRunsTheyAre) {
    const Folder folder;
    fs::create_directory(folder.path() + "/sessions");
    const auto root = folder.path() + "/outputs";
    auto outputs = DiskOutputs::open(folder.path() + "/sessions", root).value();
    const auto sum = [&](const std::string& begin) {
        std::function<bool(const std::string&)> theirs = [begin](const std::string& run) {
            return run.rfind(begin, 0) == 0;
        };
        return await(outputs->use_of_runs(std::move(theirs)));
    };
    EXPECT_EQ(sum("r-ann"), 0u);
    leave(*outputs, "r-ann1", "a/b.txt", 100'000);
    leave(*outputs, "r-ann2", "c.txt", 1);
    leave(*outputs, "r-bob1", "d.txt", 500'000);
    EXPECT_EQ(sum("r-ann"), blocks_of(root + "/r-ann1") + blocks_of(root + "/r-ann1/a") +
                                blocks_of(root + "/r-ann1/a/b.txt") + blocks_of(root + "/r-ann2") +
                                blocks_of(root + "/r-ann2/c.txt"));
    EXPECT_GE(sum("r-bob"), 500'000u);
    EXPECT_EQ(sum("r-carl"), 0u);

    // Begun before, so done before: the outputs' thread takes them in turns, and these are short.
    EXPECT_EQ(outputs->removals(), 0u);
    outputs->remove_older(std::chrono::hours{1});
    outputs->remove_older(std::chrono::seconds{-10});
    for (int i = 0; i < 1000 && sum("r-") > 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(sum("r-"), 0u);
    EXPECT_EQ(outputs->removals(), 3u);
    fs::remove(root);
    EXPECT_THROW(sum("r-"), ErrorException);
}

// Goal: a source with very many files is counted and emptied while the loop goes on.
// Method: something is on the loop's queue behind each call. Had the call done its work on the
// loop, it would have ended before that came to its turn.
TEST(Outputs, NothingIsCountedOrRemovedOnTheLoop) {
    const Folder folder;
    fs::create_directories(folder.path() + "/sessions/s1/artifacts/deep");
    asio::io_context context;
    auto outputs =
        DiskOutputs::open(folder.path() + "/sessions", folder.path() + "/outputs").value();
    const core::OutputSource source = SessionId("s1");
    std::vector<std::string> paths{"not there", "../odd"};
    for (int i = 0; i < 500; ++i) {
        paths.push_back((i % 2 == 0 ? "f" : "deep/f") + std::to_string(i));
        write_file(folder.path() + "/sessions/s1/artifacts/" + paths.back(), "12345");
    }
    bool ended = false, went_on = false;
    const auto beside = [&](asio::awaitable<void> what) {
        ended = went_on = false;
        asio::co_spawn(context, std::move(what), [&](std::exception_ptr failed) {
            ended = true;
            EXPECT_FALSE(failed);
        });
        asio::post(context, [&] { went_on = !ended; });
        context.restart();
        context.run();
        EXPECT_TRUE(ended);
        EXPECT_TRUE(went_on);
    };
    std::uint64_t used = 0;
    const auto count = [&]() -> asio::awaitable<void> { used = co_await outputs->use(source); };
    beside(count());
    EXPECT_EQ(used, 2500u);
    beside(outputs->remove(source, paths));
    beside(count());
    EXPECT_EQ(used, 0u);
    EXPECT_FALSE(fs::exists(folder.path() + "/sessions/s1/artifacts/deep"));
    const auto write = [&]() -> asio::awaitable<void> {
        UniqueFd file = co_await outputs->begin(source, "one/two");
        co_await outputs->finish(source, "one/two", std::move(file));
    };
    beside(write());
    EXPECT_TRUE(fs::exists(folder.path() + "/sessions/s1/artifacts/one/two"));
}

}  // namespace atl::folders::testing
