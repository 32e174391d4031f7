#include "guest_client/port_list.hpp"

#include "guest_client/bounded_call.hpp"

#include <boost/json/array.hpp>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kPortsMax = 1024;  // as many as a guest lists

}  // namespace

asio::awaitable<std::set<std::uint16_t>> list_ports(std::shared_ptr<GuestLink> link,
                                                    std::chrono::milliseconds patience) {
    const json::object question{{"op", "port.list"}};
    const auto listed = co_await call_within(patience, link, question);
    if (!listed) {
        throw ErrorException({Code::Timeout, "the sandbox did not list its ports in time"});
    }
    std::set<std::uint16_t> ports;
    const auto* found = listed->if_contains("ports");
    if (found == nullptr || !found->is_array()) co_return ports;
    for (const auto& one : found->get_array()) {
        boost::system::error_code wrong;
        const auto port = one.to_number<std::uint16_t>(wrong);
        if (!wrong && port > 0 && ports.size() < kPortsMax) ports.insert(port);
    }
    co_return ports;
}

}  // namespace atl::guest_client
