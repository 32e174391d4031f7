#include "api/audit_shares.hpp"

#include <gtest/gtest.h>

namespace atl::api {

namespace {

using Kind = AuditShares::Kind;
const AuditShares::Clock::time_point kStart{std::chrono::hours{1}};

// As the log does, when the store keeps up.
bool write(AuditShares& shares, const std::string& owner, Kind kind,
           AuditShares::Clock::time_point now) {
    if (!shares.take(owner, kind, now)) return false;
    shares.written(owner);
    return true;
}

}  // namespace

// Goal: one owner fills neither the disk nor another's place in the log.
TEST(AuditShares, OneOwnersFloodLeavesOutItsOwnAlone) {
    AuditShares shares;
    for (const auto kind : {Kind::Done, Kind::Denied}) {
        int written = 0;
        for (int i = 0; i < 10'000; ++i) written += write(shares, "ann", kind, kStart);
        EXPECT_EQ(written, kind == Kind::Done ? 2000 : 50);
        EXPECT_TRUE(write(shares, "bob", kind, kStart));
        EXPECT_EQ(shares.take_left_out("ann"), static_cast<std::uint64_t>(10'000 - written));
        EXPECT_EQ(shares.take_left_out("ann"), 0u);
        EXPECT_EQ(shares.take_left_out("bob"), 0u);
    }
    EXPECT_FALSE(write(shares, "ann", Kind::Done, kStart));
    EXPECT_TRUE(write(shares, "ann", Kind::Done, kStart + std::chrono::seconds{1}));
}

// Goal: a store that is slow keeps one owner's records in memory only up to a number.
TEST(AuditShares, WhatWaitsHasALimit) {
    AuditShares shares;
    for (std::size_t i = 0; i < AuditShares::kWaitingMax; ++i) {
        EXPECT_TRUE(shares.take("ann", Kind::Done, kStart));
    }
    EXPECT_FALSE(shares.take("ann", Kind::Done, kStart));
    EXPECT_TRUE(shares.take("bob", Kind::Done, kStart));
    shares.written("ann");
    EXPECT_TRUE(shares.take("ann", Kind::Done, kStart));
}

}  // namespace atl::api
