#include "cli/doctor.hpp"

#include "sys/host_checks.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace atl::cli {

namespace {

Diagnosis sample(Check::Status status) {
    Diagnosis diagnosis;
    diagnosis.setting = "as root, cgroup v2, Landlock 4";
    diagnosis.checks = {{"Kernel", "version", Check::Status::Ok, "6.1", "", ""},
                        {"Kernel", "mounts", status, "found", "the cost", "the fix"}};
    return diagnosis;
}

}  // namespace

TEST(Doctor, ComparesKernelVersions) {
    struct Row {
        const char* release;
        bool enough;
    };
    for (const Row& row :
         {Row{"5.12.0", true}, Row{"5.9.0", false}, Row{"6.1.0-18-amd64", true}, Row{"4.19", false},
          Row{"5.12", true}, Row{"", false}, Row{"x", false}}) {
        EXPECT_EQ(version_at_least(row.release, 5, 12), row.enough) << row.release;
    }
}

TEST(Doctor, ReadsMeminfo) {
    const std::string text = "MemTotal:       16 kB\nMemAvailable:   8 kB\nSwapTotal: 0 kB\n";
    EXPECT_EQ(meminfo_bytes(text, "MemAvailable"), 8192u);
    EXPECT_EQ(meminfo_bytes(text, "SwapTotal"), 0u);
    EXPECT_EQ(meminfo_bytes(text, "Mem"), 0u);
}

// Goal: only what makes sandboxes impossible fails the host.
TEST(Doctor, VerdictFollowsTheWorst) {
    EXPECT_TRUE(sample(Check::Status::Ok).ok());
    EXPECT_TRUE(sample(Check::Status::Warn).ok());
    EXPECT_FALSE(sample(Check::Status::Fail).ok());
    EXPECT_EQ(sample(Check::Status::Warn).verdict(),
              "This host can run Atoll: native walls, as root, cgroup v2, Landlock 4; 1 remark "
              "above.");
    EXPECT_EQ(sample(Check::Status::Fail).verdict(),
              "This host cannot run Atoll's native sandboxes: mounts.");
}

TEST(Doctor, TableIsPlainWhereItMustBe) {
    const auto plain = as_table(sample(Check::Status::Fail), false);
    for (const char c : plain) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
    EXPECT_NE(plain.find("FAIL mounts   found"), std::string::npos) << plain;
    EXPECT_NE(plain.find("costs: the cost"), std::string::npos);
    EXPECT_NE(as_table(sample(Check::Status::Fail), true).find("✗ mounts"), std::string::npos);
}

TEST(Doctor, JsonHasWhatTheTableHas) {
    const auto value = boost::json::parse(as_json(sample(Check::Status::Warn)));
    EXPECT_TRUE(value.at("ok").as_bool());
    const auto& check = value.at("checks").as_array().at(1);
    EXPECT_EQ(check.at("name"), "mounts");
    EXPECT_EQ(check.at("status"), "warn");
    EXPECT_EQ(check.at("found"), "found");
    EXPECT_EQ(check.at("cost"), "the cost");
    EXPECT_EQ(check.at("fix"), "the fix");
}

// The probes answer on any host; which answer is the host's affair. A refusal says why.
TEST(Doctor, ProbesEndAndExplain) {
    for (const auto& probe : {sys::probe_user_namespace(), sys::probe_mounts(), sys::probe_proc(),
                              sys::probe_overlay(), sys::probe_seccomp(), sys::probe_openat2(),
                              sys::probe_pidfd(), sys::probe_idmapped_mount("/tmp")}) {
        if (!probe.works) { EXPECT_NE(probe.failure.step[0], '\0'); }
    }
    EXPECT_FALSE(sys::probe_idmapped_mount("/nonexistent").works);
}

}  // namespace atl::cli
