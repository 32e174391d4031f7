// Goal: what listens is found in the Linux kernel's tables, and nothing else is taken for it.
#include "guest/lib/listening.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace atl::guest {

namespace {

using Ports = std::set<std::uint16_t>;

TEST(Listening, TablesOfTheKernel) {
    const std::string head = "  sl  local_address rem_address   st tx_queue rx_queue\n";
    const std::string four = "   0: 0100007F:1F40 00000000:0000 0A 00000000:00000000 00:00000000\n";
    const std::string six =
        "   1: 00000000000000000000000000000000:0016 00000000000000000000000000000000:0000 0A\n";
    const std::string open = "   2: 0100007F:1F41 0100007F:C350 01 00000000:00000000 00:00000000\n";
    struct Row {
        std::string table;
        Ports ports;
    };
    const Row rows[] = {
        {"", {}},
        {head, {}},
        {head + four, {8000}},
        {head + four + four + six, {22, 8000}},
        {head + open, {}},
        {"0: nothing x 0A\n", {}},
        {"0: A:10000 B:0 0A\n0: A: B 0A\n0: A:0000 B 0A\n0: A:12z4 B 0A", {}},
        {"0: A:0050 B:0 0A", {80}},
    };
    for (const auto& row : rows) {
        Ports found;
        add_listening(row.table, found);
        EXPECT_EQ(found, row.ports) << row.table;
    }
}

TEST(Listening, ASocketOfOurs) {
    const int one = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ASSERT_GE(one, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::bind(one, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    ASSERT_EQ(::getsockname(one, reinterpret_cast<sockaddr*>(&address), &size), 0);
    const std::uint16_t port = ntohs(address.sin_port);
    EXPECT_EQ(listening_ports().count(port), 0u);
    ASSERT_EQ(::listen(one, 1), 0);
    EXPECT_EQ(listening_ports().count(port), 1u);
    ::close(one);
}

}  // namespace

}  // namespace atl::guest
