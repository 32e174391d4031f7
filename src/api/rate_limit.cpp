#include "api/rate_limit.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cmath>
#include <netinet/in.h>

namespace atl::api {

RateLimit::RateLimit(std::uint64_t requests, std::chrono::milliseconds window,
                     std::size_t entries_max)
    : most_(static_cast<double>(requests)),
      a_second_(most_ / std::chrono::duration<double>(window).count()),
      entries_max_(entries_max) {}

std::optional<std::chrono::seconds> RateLimit::take(std::string_view who, Clock::time_point now) {
    if (const auto found = buckets_.find(who); found != buckets_.end()) {
        order_.splice(order_.begin(), order_, found->second);
    } else {
        if (order_.size() >= entries_max_) {
            buckets_.erase(order_.back().who);
            order_.pop_back();
        }
        order_.push_front({std::string(who), most_, now});
        buckets_.emplace(order_.front().who, order_.begin());
    }
    Bucket& bucket = order_.front();
    const double passed = std::chrono::duration<double>(now - bucket.seen).count();
    bucket.left = std::min(most_, bucket.left + std::max(passed, 0.0) * a_second_);
    bucket.seen = now;
    if (bucket.left >= 1) {
        bucket.left -= 1;
        return std::nullopt;
    }
    const double wait = std::ceil((1 - bucket.left) / a_second_);
    return std::chrono::seconds(static_cast<std::int64_t>(std::clamp(wait, 1.0, 86'400.0)));
}

std::string address_of_limit(const std::string& address) {
    in6_addr bytes{};
    if (::inet_pton(AF_INET6, address.c_str(), &bytes) != 1) return address;
    std::fill(std::begin(bytes.s6_addr) + 8, std::end(bytes.s6_addr), std::uint8_t{0});
    char text[INET6_ADDRSTRLEN];
    return ::inet_ntop(AF_INET6, &bytes, text, sizeof text) == nullptr ? address
                                                                       : std::string(text) + "/64";
}

}  // namespace atl::api
