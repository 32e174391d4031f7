#include "net/address_policy.hpp"

#include <gtest/gtest.h>

namespace atl::net {

namespace {

bool strangers_may(const char* text) {
    return AddressPolicy::strangers().allows(boost::asio::ip::make_address(text));
}

}  // namespace

// Hostile case N11. No packet is sent: these are addresses and an answer.
TEST(AddressPolicy, StrangersReachNothingThatIsNotPublic) {
    for (const char* text :
         {"0.0.0.0",         "0.1.2.3",         "10.0.0.1",        "10.255.255.255",
          "100.64.0.1",      "100.100.100.200", "100.127.255.255", "127.0.0.1",
          "127.255.255.254", "169.254.169.254", "169.254.170.2",   "172.16.0.1",
          "172.31.255.255",  "192.0.0.192",     "192.0.2.1",       "192.88.99.1",
          "192.168.1.1",     "198.18.0.1",      "198.19.255.255",  "198.51.100.7",
          "203.0.113.9",     "224.0.0.1",       "239.255.255.250", "240.0.0.1",
          "255.255.255.255", "168.63.129.16"}) {
        EXPECT_FALSE(strangers_may(text)) << text;
    }
    for (const char* text : {"::",
                             "::1",
                             "::ffff:127.0.0.1",
                             "::ffff:10.0.0.1",
                             "::ffff:8.8.8.8",
                             "::127.0.0.1",
                             "64:ff9b::7f00:1",
                             "64:ff9b::a9fe:a9fe",
                             "64:ff9b:1::808:808",
                             "100::1",
                             "fc00::1",
                             "fd00:ec2::254",
                             "fe80::1",
                             "fe80::1%1",
                             "febf::1",
                             "fec0::1",
                             "ff02::1",
                             "2001::1",
                             "2001:db8::1",
                             "2001:10::1",
                             "2002:7f00:1::1",
                             "2002:808:808::1",
                             "3fff::1",
                             "4000::1"}) {
        EXPECT_FALSE(strangers_may(text)) << text;
    }
}

TEST(AddressPolicy, StrangersReachThePublicInternet) {
    for (const char* text : {"1.1.1.1",
                             "8.8.8.8",
                             "9.255.255.255",
                             "11.0.0.0",
                             "100.63.255.255",
                             "100.128.0.0",
                             "126.255.255.255",
                             "128.0.0.0",
                             "169.253.255.255",
                             "172.15.255.255",
                             "172.32.0.0",
                             "192.167.255.255",
                             "192.169.0.0",
                             "198.17.255.255",
                             "198.20.0.0",
                             "223.255.255.255",
                             "2606:4700:4700::1111",
                             "2001:4860:4860::8888",
                             "2a00:1450::1",
                             "64:ff9b::808:808"}) {
        EXPECT_TRUE(strangers_may(text)) << text;
    }
}

TEST(AddressPolicy, OperatorsGoWhereTheyWrote) {
    for (const char* text : {"127.0.0.1", "10.0.0.1", "::1", "fe80::1", "8.8.8.8"}) {
        EXPECT_TRUE(AddressPolicy::operators().allows(boost::asio::ip::make_address(text))) << text;
    }
}

// Goal: an administrator on another machine does not read the credentials of this one.
TEST(AddressPolicy, AdministratorsGoAnywhereButToCredentials) {
    for (const char* text : {"127.0.0.1", "10.0.0.1", "::1", "8.8.8.8", "fd12::1", "169.253.0.1"}) {
        EXPECT_TRUE(AddressPolicy::administrators().allows(boost::asio::ip::make_address(text)))
            << text;
    }
    for (const char* text :
         {"169.254.169.254", "169.254.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe",
          "fe80::1", "fd00:ec2::254", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42",
          "::169.254.169.254", "2002:a9fe:a9fe::1", "100.100.100.200", "192.0.0.192",
          "168.63.129.16"}) {
        EXPECT_FALSE(AddressPolicy::administrators().allows(boost::asio::ip::make_address(text)))
            << text;
    }
}

TEST(AddressPolicy, ThisMachineIsLoopback) {
    const auto policy = AddressPolicy::this_machine();
    for (const char* text : {"127.0.0.1", "127.8.8.8", "::1"}) {
        EXPECT_TRUE(policy.allows(boost::asio::ip::make_address(text))) << text;
    }
    for (const char* text : {"0.0.0.0", "10.0.0.1", "192.168.1.1", "8.8.8.8", "fe80::1"}) {
        EXPECT_FALSE(policy.allows(boost::asio::ip::make_address(text))) << text;
    }
    EXPECT_FALSE(policy.allows_proxies());
}

}  // namespace atl::net
