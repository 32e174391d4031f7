#pragma once
// How long to wait before asking a provider again: what it says itself, else twice as long each
// time, and never all at the same moment.
#include "net/headers.hpp"

#include <chrono>
#include <optional>
#include <random>

namespace atl::openai {

struct RetryOptions {
    int attempts_max = 4;
    std::chrono::milliseconds first{500};        // before the second attempt, at most
    std::chrono::milliseconds longest{8'000};    // of our own choice
    std::chrono::milliseconds patience{30'000};  // a provider that wants us to wait longer is busy
};

// What Retry-After (seconds or a date) or retry-after-ms say. Nothing when they make no sense.
[[nodiscard]] std::optional<std::chrono::milliseconds> wait_asked_for(
    const net::Headers& headers, std::chrono::system_clock::time_point now);

class Backoff {
public:
    explicit Backoff(RetryOptions options) : options_(options), random_(std::random_device{}()) {}

    // The wait after so many attempts (1, 2, …); nothing when it is enough.
    [[nodiscard]] std::optional<std::chrono::milliseconds> after(
        int attempts, std::optional<std::chrono::milliseconds> asked_for);

private:
    RetryOptions options_;
    std::minstd_rand random_;
};

}  // namespace atl::openai
