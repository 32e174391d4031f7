// What runs left, summed up for somebody: blocks of their runs and of no others'.
#include "stores/folders/disk_outputs.hpp"
#include "stores/folders/test_support.hpp"

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
    UniqueFd file = outputs.begin(id, path).value();
    const std::string content(bytes, 'x');
    ASSERT_EQ(::write(file.get(), content.data(), content.size()),
              static_cast<ssize_t>(content.size()));
    ASSERT_TRUE(outputs.finish(id, path, std::move(file)));
}

}  // namespace

TEST(Outputs, AreSummedUpForWhoseRunsTheyAre) {
    const Folder folder;
    fs::create_directory(folder.path() + "/sessions");
    asio::io_context context;
    const auto root = folder.path() + "/outputs";
    auto outputs =
        DiskOutputs::open(context.get_executor(), folder.path() + "/sessions", root).value();
    const auto sum = [&](const std::string& begin) {
        std::uint64_t bytes = 0;
        const auto ask = [&]() -> asio::awaitable<void> {
            std::function<bool(const std::string&)> theirs = [begin](const std::string& run) {
                return run.rfind(begin, 0) == 0;
            };
            bytes = co_await outputs->use_of_runs(std::move(theirs));
        };
        std::exception_ptr failed;
        asio::co_spawn(context, ask, [&](std::exception_ptr error) { failed = error; });
        context.restart();
        context.run();
        if (failed) std::rethrow_exception(failed);
        return bytes;
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

    EXPECT_EQ(outputs->removals(), 0u);
    outputs->remove_older(std::chrono::hours{1});
    EXPECT_EQ(outputs->removals(), 0u);
    outputs->remove_older(std::chrono::seconds{-10});
    EXPECT_EQ(outputs->removals(), 3u);
    EXPECT_EQ(sum("r-"), 0u);
    fs::remove(root);
    EXPECT_THROW(sum("r-"), ErrorException);
}

}  // namespace atl::folders::testing
