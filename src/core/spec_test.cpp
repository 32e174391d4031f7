#include "core/spec.hpp"

#include "core/spec_grants_for_tests.hpp"

#include <gtest/gtest.h>
#include <type_traits>

namespace atl::core {

// Goal: the spec is the one gate for limits. Each row breaks one thing only, so that a failing row
// names the check that went missing.
TEST(SpecBuilder, RefusesWhatNoRuntimeCouldHonour) {
    struct Row {
        const char* name;
        const char* image;
        Limits limits;
        const char* complaint;
    };
    const Row rows[] = {
        {"no template", "", {}, "template name"},
        {"path as template", "../etc", {}, "template name"},
        {"tiny memory", "default", {.memory_bytes_max = 4096}, "at least 32 MiB"},
        {"absurd memory", "default", {.memory_bytes_max = ~0ull}, "64 TiB"},
        {"no processes", "default", {.processes_max = 0}, "at least 4"},
        {"negative cpus", "default", {.cpus_max = -1}, "cpus"},
        {"no file size", "default", {.file_bytes_max = 0}, "file size is 0"},
        {"no open files", "default", {.open_files_max = 0}, "open files"},
        {"no disk", "default", {.disk_bytes_max = 0}, "disk"},
        {"no output", "default", {.output_bytes_max = 0}, "output is 0"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        const auto spec = SpecBuilder().from_template(row.image).limits(row.limits).build();
        ASSERT_FALSE(spec.has_value());
        EXPECT_EQ(spec.error().code, Code::InvalidArgument);
        EXPECT_NE(spec.error().message.find(row.complaint), std::string::npos)
            << spec.error().message;
    }
    EXPECT_TRUE(SpecBuilder().build().has_value());
}

// Goal: all variables together fit one message to a zygote, however they are written. Each row is
// one step beyond, or just at the bound.
TEST(SpecBuilder, BoundsTheEnvironmentAsAWhole) {
    const auto build = [](std::size_t count, std::size_t bytes, char filler) {
        SpecBuilder builder;
        for (std::size_t i = 0; i < count; ++i) {
            builder.environment("V" + std::to_string(i), std::string(bytes, filler));
        }
        return builder.build();
    };
    struct Row {
        const char* name;
        std::size_t count, bytes;
        char filler;
        bool good;
    };
    const Row rows[] = {
        {"none", 0, 0, 'x', true},
        {"five large ones", 5, 32 * 1024, 'x', true},
        {"seven large ones", 7, 32 * 1024, 'x', false},
        {"many small ones", 60'000, 0, 'x', false},
        {"at the bound", 1, kEnvironmentBytesMax - 10, 'x', true},
        {"a byte beyond", 1, kEnvironmentBytesMax - 9, 'x', false},
        {"quotes take two", 1, kEnvironmentBytesMax / 2, '"', false},
        {"control characters take six", 1, kEnvironmentBytesMax / 6, '\x01', false},
        {"control characters that fit", 1, kEnvironmentBytesMax / 6 - 2, '\x01', true},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        const auto spec = build(row.count, row.bytes, row.filler);
        EXPECT_EQ(spec.has_value(), row.good);
        if (spec || row.good) continue;
        EXPECT_EQ(spec.error().code, Code::InvalidArgument);
        EXPECT_NE(spec.error().message.find("196608"), std::string::npos) << spec.error().message;
    }
}

TEST(SpecBuilder, KeepsMountsOffItsOwnTrees) {
    for (const char* target : {"/", "/proc", "/usr/lib", "/etc/passwd", "relative", "/data/../etc",
                               "/sessions", "/dev/shm", "/tmp", "/mnt/x"}) {
        SCOPED_TRACE(target);
        EXPECT_FALSE(SpecBuilder().mount(GrantsForTests::mount({"/srv", target, false})).build());
    }
    for (const char* target : {"/data", "/data/sets/a", "/session", "/work/x"}) {
        SCOPED_TRACE(target);
        EXPECT_TRUE(SpecBuilder().mount(GrantsForTests::mount({"/srv", target, false})).build());
    }
}

// Goal: no wall opens without a grant, and a spec cannot be changed once it is built.
static_assert(!std::is_constructible_v<GrantedMount, Mount>);
static_assert(!std::is_constructible_v<GrantedFolder, std::string>);
static_assert(!std::is_default_constructible_v<GrantedMount>);
static_assert(!std::is_invocable_v<decltype(&SpecBuilder::mount), SpecBuilder&, Mount>);
static_assert(!std::is_invocable_v<decltype(&SpecBuilder::keep_in), SpecBuilder&, std::string>);
static_assert(!std::is_aggregate_v<SandboxSpec>);

TEST(SpecBuilder, TakesGrantsAndKeepsWhatTheyName) {
    const auto first = SpecBuilder()
                           .environment("A", "1")
                           .mount(GrantsForTests::mount({"/srv", "/data/a", false}))
                           .build()
                           .value();
    const auto second = SpecBuilder(first)
                            .keep_in(GrantsForTests::folder("/srv/kept"))
                            .limits({.processes_max = 7})
                            .build()
                            .value();
    EXPECT_TRUE(first.kept_folder().empty());
    EXPECT_EQ(second.kept_folder(), "/srv/kept");
    EXPECT_EQ(second.limits().processes_max, 7u);
    EXPECT_EQ(second.environment(), first.environment());
    const std::vector<Mount> mounts{{"/srv", "/data/a", false}};
    EXPECT_EQ(second.mounts(), mounts);
    EXPECT_FALSE(SpecBuilder().keep_in(GrantsForTests::folder("kept")).build());
}

// What is built from a spec is checked again as a whole: no way round the checks.
TEST(SpecBuilder, ChecksWhatItIsBuiltFrom) {
    const auto good = SpecBuilder().build().value();
    EXPECT_FALSE(SpecBuilder(good).limits({.processes_max = 0}).build());
    EXPECT_FALSE(SpecBuilder(good).from_template("../x").build());
    EXPECT_FALSE(SpecBuilder(good).mount(GrantsForTests::mount({"/srv", "/usr", false})).build());
}

TEST(Sizes, AreReadAsPeopleWriteThem) {
    EXPECT_EQ(parse_bytes("512m").value(), 512ull << 20);
    EXPECT_EQ(parse_bytes("1.5GiB").value(), 1536ull << 20);
    EXPECT_EQ(parse_bytes("1048576").value(), 1048576u);
    for (const char* bad : {"", "x", "-1", "1x", "1e99", "nan", "12 mm"}) {
        SCOPED_TRACE(bad);
        EXPECT_FALSE(parse_bytes(bad).has_value());
    }
    EXPECT_EQ(parse_duration("500ms").value().count(), 500);
    EXPECT_EQ(parse_duration("2m").value().count(), 120'000);
    EXPECT_EQ(parse_duration("1.5").value().count(), 1500);
    EXPECT_FALSE(parse_duration("-1s").has_value());
    EXPECT_EQ(format_bytes(1536ull << 20), "1.5 GiB");
}

}  // namespace atl::core
