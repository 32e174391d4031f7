#pragma once
// How many requests somebody may send: a bucket each that holds a window's worth and fills evenly.
//
// Threads   the server's one.
// Memory    at most `entries_max` buckets; the one longest unseen goes first. Whoever is forgotten
//           starts anew with a full bucket, so an attacker with many addresses gains what the
//           addresses alone would give.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace atl::api {

class RateLimit {
public:
    using Clock = std::chrono::steady_clock;

    RateLimit(std::uint64_t requests, std::chrono::milliseconds window,
              std::size_t entries_max = 65'536);

    // Counts one request. Nothing: it may pass; else how long to wait, a second at least.
    [[nodiscard]] std::optional<std::chrono::seconds> take(std::string_view who,
                                                           Clock::time_point now);
    [[nodiscard]] std::size_t entries() const noexcept { return buckets_.size(); }

private:
    struct Bucket {
        std::string who;
        double left;
        Clock::time_point seen;
    };
    double most_;
    double a_second_;
    std::size_t entries_max_;
    std::list<Bucket> order_;  // the longest unseen at the end
    std::unordered_map<std::string_view, std::list<Bucket>::iterator> buckets_;
};

// What an address counts as: an IPv6 network of 64 bits is one.
[[nodiscard]] std::string address_of_limit(const std::string& address);

}  // namespace atl::api
