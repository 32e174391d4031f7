#include "sessions/job_spec.hpp"

#include <gtest/gtest.h>

namespace atl::sessions {

TEST(JobSpec, IsReadAsItWasWritten) {
    JobSpec spec;
    spec.template_name = "other";
    spec.context = "c \"1\"";
    spec.environment = {{"A", "b\nc"}, {"D", ""}};
    spec.limits.memory_bytes_max = 300u << 20;
    spec.limits.cpus_max = 1.5;
    const auto read = job_spec_from(job_spec_text(spec).value()).value();
    EXPECT_EQ(read.template_name, spec.template_name);
    EXPECT_EQ(read.context, spec.context);
    EXPECT_EQ(read.environment, spec.environment);
    EXPECT_EQ(read.limits, spec.limits);
}

TEST(JobSpec, OfAnOlderRecordIsTheDefault) {
    const auto read = job_spec_from("{}").value();
    EXPECT_EQ(read.template_name, "default");
    EXPECT_EQ(read.limits, core::Limits{});
}

TEST(JobSpec, WhatNoSandboxCouldBeIsRefused) {
    JobSpec spec;
    spec.environment = {{"A=B", "c"}};
    EXPECT_EQ(job_spec_text(spec).error().code, Code::InvalidArgument);
    EXPECT_FALSE(job_spec_from("no JSON"));
}

}  // namespace atl::sessions
