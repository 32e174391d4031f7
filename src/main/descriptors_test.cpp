// What the server may open, and what of it connections may have.
#include "main/descriptors.hpp"

#include <gtest/gtest.h>

namespace atl::main {

namespace {

SettingsInForce settings_with(std::optional<std::uint64_t> connections) {
    SettingsInForce settings;
    settings.values.connections_max = connections;
    settings.from["http.connections"] = "ATOLL_CONNECTIONS";
    return settings;
}

}  // namespace

TEST(Descriptors, ConnectionsNeverHaveThemAll) {
    const struct {
        std::uint64_t files;
        std::size_t connections;
        std::size_t per_address;
        int end;
    } rows[] = {
        {640, 320, 80, 480},
        {1024, 512, 128, 768},
        {4096, 2048, 512, 3072},
        {8192, 4096, 1024, 6144},
        {1 << 20, 4096, 1024, (1 << 20) - 8192},
    };
    for (const auto& row : rows) {
        const auto plan = plan_descriptors(row.files, settings_with(std::nullopt));
        ASSERT_TRUE(plan.has_value()) << row.files;
        EXPECT_EQ(plan->connections_max, row.connections) << row.files;
        EXPECT_EQ(plan->connections_per_address_max, row.per_address) << row.files;
        EXPECT_EQ(plan->connections_end, row.end) << row.files;
    }
}

TEST(Descriptors, TooFewAreSaidAtTheStart) {
    const auto plan = plan_descriptors(256, settings_with(std::nullopt));
    ASSERT_FALSE(plan.has_value());
    EXPECT_NE(plan.error().message.find("may open 256 files"), std::string::npos);
}

TEST(Descriptors, WhatSomebodySetIsCheckedAgainstWhatThereIs) {
    const auto good = plan_descriptors(1024, settings_with(768));
    ASSERT_TRUE(good.has_value());
    EXPECT_EQ(good->connections_max, 768u);
    const auto bad = plan_descriptors(1024, settings_with(769));
    ASSERT_FALSE(bad.has_value());
    EXPECT_EQ(bad.error().code, Code::InvalidArgument);
    EXPECT_NE(bad.error().message.find("http.connections (ATOLL_CONNECTIONS): 769"),
              std::string::npos)
        << bad.error().message;
    EXPECT_NE(bad.error().message.find("1024 files"), std::string::npos) << bad.error().message;
}

}  // namespace atl::main
