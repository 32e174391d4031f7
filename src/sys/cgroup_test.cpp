// Cgroups on folders that look like them: what is read, and what is held.
#include "sys/cgroup.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace atl::sys {

namespace {

namespace fs = std::filesystem;

// As of a host with version 1, where making a cgroup makes a folder.
class FakeHost : public ::testing::Test {
protected:
    FakeHost() {
        char pattern[] = "/tmp/atoll-cgroups-XXXXXX";
        root_ = ::mkdtemp(pattern);
        host_.version = CgroupHost::Version::V1;
        for (const char* controller : {"memory", "pids", "cpuacct"}) {
            fs::create_directory(root_ / controller);
            host_.bases.push_back({controller, (root_ / controller).string()});
        }
    }
    ~FakeHost() override { fs::remove_all(root_); }

    void put(const std::string& file, const std::string& text) const {
        std::ofstream(root_ / file) << text;
    }

    fs::path root_;
    CgroupHost host_;
};

}  // namespace

TEST_F(FakeHost, figures_are_read_one_by_one) {
    const auto cgroup = Cgroup::create(host_, "sb-1").value();
    put("memory/sb-1/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
    put("memory/sb-1/memory.max_usage_in_bytes", "8192\n");
    put("memory/sb-1/memory.usage_in_bytes", "4096\n");
    put("pids/sb-1/pids.current", "2\n");
    put("cpuacct/sb-1/cpuacct.usage", "5000000\n");
    EXPECT_EQ(cgroup.oom_kills(), 3u);
    EXPECT_EQ(cgroup.memory_peak_bytes(), 8192u);
    EXPECT_EQ(cgroup.cpu_us(), 5000u);
    const auto use = cgroup.use();
    EXPECT_EQ(use.memory_bytes, 4096u);
    EXPECT_EQ(use.memory_peak_bytes, 8192u);
    EXPECT_EQ(use.cpu_us, 5000u);
    EXPECT_EQ(use.processes, 2u);
    EXPECT_EQ(use.oom_kills, 3u);
}

TEST_F(FakeHost, processor_time_is_read_anew_each_time) {
    const auto cgroup = Cgroup::create(host_, "sb-1").value();
    put("cpuacct/sb-1/cpuacct.usage", "5000000\n");
    EXPECT_EQ(cgroup.cpu_us(), 5000u);
    put("cpuacct/sb-1/cpuacct.usage", "7000000\n");
    EXPECT_EQ(cgroup.cpu_us(), 7000u);
}

TEST_F(FakeHost, what_is_missing_is_zero) {
    const auto cgroup = Cgroup::create(host_, "sb-1").value();
    EXPECT_EQ(cgroup.oom_kills(), 0u);
    EXPECT_EQ(cgroup.cpu_us(), 0u);
    EXPECT_EQ(Cgroup().cpu_us(), 0u);
}

TEST_F(FakeHost, a_cgroup_is_held_until_it_is_removed_or_given_up) {
    {
        auto removed = Cgroup::create(host_, "sb-1").value();
        auto given_up = Cgroup::create(host_, "sb-2").value();
        EXPECT_EQ(*host_.held, (CgroupHost::Names{"sb-1", "sb-2"}));
        EXPECT_TRUE(removed.remove());
        EXPECT_EQ(*host_.held, CgroupHost::Names{"sb-2"});
        const Cgroup moved = std::move(given_up);
        EXPECT_EQ(*host_.held, CgroupHost::Names{"sb-2"});
    }
    EXPECT_TRUE(host_.held->empty());
    EXPECT_TRUE(fs::exists(root_ / "memory" / "sb-2"));  // left to the sweep
}

}  // namespace atl::sys
