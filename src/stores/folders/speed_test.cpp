// What things cost. Not run by itself: --gtest_also_run_disabled_tests --gtest_filter='*Speed*'.
#include "stores/folders/test_support.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace atl::folders {

using namespace testing;

namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point began) {
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

void say_percentiles(const char* what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    std::printf("%-44s p50 %.3f ms  p99 %.3f ms  max %.3f ms\n", what, times[times.size() / 2],
                times[times.size() * 99 / 100], times.back());
}

asio::awaitable<void> make_many(DiskFolders& folders, std::string stem, int count,
                                std::chrono::microseconds pause, std::vector<double>& times) {
    for (int i = 0; i < count; ++i) {
        const SessionId id(stem + std::to_string(i));
        const auto began = Clock::now();
        co_await folders.make(id);
        times.push_back(ms_since(began));
        std::this_thread::sleep_for(pause);
    }
}

void measure(Folder& folder) {
    std::printf("as user %u\n", ::geteuid());
    auto folders = open_folders(folder.root(), FolderOptions());
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::vector<double> times;
    await(make_many(*folders, "calm", 300, std::chrono::milliseconds(5), times));
    say_percentiles("make, 200 a second", times);
    times.clear();
    await(make_many(*folders, "burst", 500, std::chrono::microseconds(0), times));
    say_percentiles("make, 500 at once", times);

    const std::string path = folders->path_of(SessionId("calm0"));
    for (int i = 0; i < 10'000; ++i) {
        write_file(path + "/work/" + std::to_string(i), "some small text");
    }
    auto began = Clock::now();
    const auto use = await(folders->use(SessionId("calm0")));
    std::printf("use of %llu files: %.1f ms\n", static_cast<unsigned long long>(use.files),
                ms_since(began));
    began = Clock::now();
    await(folders->copy(SessionId("calm0"), SessionId("twin")));
    std::printf("copy of 10,000 small files: %.1f ms\n", ms_since(began));
    began = Clock::now();
    await(folders->remove(SessionId("calm0")));
    std::printf("remove of 10,000 small files: %.1f ms\n", ms_since(began));
    times.clear();
    await(make_many(*folders, "after", 100, std::chrono::milliseconds(5), times));
    say_percentiles("make, 200 a second, after that removal", times);

    write_file(folders->path_of(SessionId("calm1")) + "/data/big", std::string(50u << 20, 'x'));
    began = Clock::now();
    await(folders->copy(SessionId("calm1"), SessionId("big")));
    std::printf("copy of 50 MB: %.1f ms\n", ms_since(began));
    began = Clock::now();
    await(folders->copy(SessionId("calm2"), SessionId("small")));
    std::printf("copy of a fresh session: %.1f ms\n", ms_since(began));
    make_deep(folders->path_of(SessionId("calm3")) + "/work", 10'000);
    began = Clock::now();
    await(folders->remove(SessionId("calm3")));
    std::printf("remove of 10,000 levels: %.1f ms\n", ms_since(began));
    auto state = folders->begin_state(SessionId("calm4"), "v").value();
    const std::string megabyte(1u << 20, 'v');
    EXPECT_GT(::write(state.get(), megabyte.data(), megabyte.size()), 0);
    began = Clock::now();
    EXPECT_TRUE(folders->finish_state(SessionId("calm4"), "v", std::move(state)));
    std::printf("finish_state of 1 MB: %.1f ms\n", ms_since(began));
    std::fflush(stdout);
}

}  // namespace

TEST(Speed, DISABLED_of_everything) { as_everybody(measure, disk_place()); }

}  // namespace atl::folders
