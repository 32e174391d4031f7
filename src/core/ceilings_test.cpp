#include "core/ceilings.hpp"

#include <gtest/gtest.h>

namespace atl::core {

namespace {

Ceilings low() {
    Ceilings ceilings;
    ceilings.memory_bytes = 1ull << 30;
    ceilings.processes = 100;
    ceilings.cpus = 2;
    ceilings.open_files = 64;
    ceilings.disk_bytes = 1ull << 20;
    ceilings.disk_files = 1000;
    ceilings.run_time = std::chrono::minutes(1);
    return ceilings;
}

}  // namespace

// Goal: each field has its own ceiling, and what is at it passes. A row that stays silent names the
// check that went missing.
TEST(Ceilings, EachFieldHasOne) {
    struct Row {
        const char* field;
        void (*raise)(Limits&);
    };
    const Row rows[] = {
        {"memory_bytes_max", [](Limits& limits) { limits.memory_bytes_max += 1; }},
        {"processes_max", [](Limits& limits) { limits.processes_max += 1; }},
        {"open_files_max", [](Limits& limits) { limits.open_files_max += 1; }},
        {"disk_bytes_max", [](Limits& limits) { limits.disk_bytes_max += 1; }},
        {"disk_files_max", [](Limits& limits) { limits.disk_files_max += 1; }},
        {"cpus_max", [](Limits& limits) { limits.cpus_max += 0.5; }},
        {"cpus_max", [](Limits& limits) { limits.cpus_max = 0; }},
    };
    const auto highest = below(
        Limits{.memory_bytes_max = 1ull << 40, .processes_max = 10'000, .disk_files_max = 1 << 30},
        low());
    EXPECT_TRUE(beyond(highest, low()).empty());
    for (const auto& row : rows) {
        SCOPED_TRACE(row.field);
        auto limits = highest;
        row.raise(limits);
        const auto found = beyond(limits, low());
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].field, row.field);
        EXPECT_NE(found[0].sentence.find("at most"), std::string::npos);
        EXPECT_TRUE(beyond(limits, Ceilings{}).empty());
        EXPECT_EQ(below(limits, low()), highest);
    }
}

// Each alone is fine, and both together are half of the machine's table.
TEST(Ceilings, OpenFilesOfAllProcessesTogether) {
    Ceilings ceilings;
    ceilings.open_files_together = 100'000;
    Limits limits;
    limits.open_files_max = 1000;
    limits.processes_max = 100;
    EXPECT_TRUE(beyond(limits, ceilings).empty());
    EXPECT_EQ(below(limits, ceilings), limits);
    limits.processes_max = 101;
    const auto found = beyond(limits, ceilings);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].field, "open_files_max");
    EXPECT_EQ(found[0].sentence,
              "times processes_max must be at most 100000, a sandbox's share of the machine's open "
              "files, not 1000 times 101");
    EXPECT_EQ(below(limits, ceilings).open_files_max, 990u);
    EXPECT_TRUE(beyond(below(limits, ceilings), ceilings).empty());
    // The product does not fit 32 bits.
    limits.open_files_max = 1'048'576;
    limits.processes_max = 4'000'000;
    EXPECT_EQ(beyond(limits, ceilings).size(), 1u);
    EXPECT_EQ(below(limits, ceilings).open_files_max, 64u);
}

TEST(Ceilings, TimesOfRuns) {
    EXPECT_EQ(beyond(std::chrono::minutes(1), low()), "");
    EXPECT_EQ(beyond(std::chrono::seconds(0), low()), "");
    EXPECT_EQ(beyond(std::chrono::milliseconds(60'500), low()),
              "must be at most 60 s, which is all that this server gives, not 60.5 s");
    EXPECT_EQ(beyond(std::chrono::hours(24), Ceilings{}), "");
    EXPECT_EQ(below(Limits{}, low()).wall_time_max, std::chrono::minutes(1));
}

}  // namespace atl::core
