#include "models/openai/retry.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>

namespace atl::openai {

namespace {

using std::chrono::milliseconds;

std::optional<double> number_in(std::string_view text) {
    double value = 0;
    const auto end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(value) || value < 0) {
        return std::nullopt;
    }
    return std::min(value, 1e9);
}

}  // namespace

std::optional<milliseconds> wait_asked_for(const net::Headers& headers,
                                           std::chrono::system_clock::time_point now) {
    if (const auto ms = headers.get("retry-after-ms")) {
        if (const auto number = number_in(net::trimmed(*ms))) {
            return milliseconds(static_cast<std::int64_t>(*number));
        }
    }
    const auto after = headers.get("Retry-After");
    if (!after) return std::nullopt;
    if (const auto seconds = number_in(net::trimmed(*after))) {
        return milliseconds(static_cast<std::int64_t>(*seconds * 1000));
    }
    std::tm parts{};
    const std::string date(net::trimmed(*after));
    if (::strptime(date.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &parts) == nullptr) {
        return std::nullopt;
    }
    const auto then = std::chrono::system_clock::from_time_t(::timegm(&parts));
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(then - now));
}

std::optional<milliseconds> Backoff::after(int attempts, std::optional<milliseconds> asked_for) {
    if (attempts >= options_.attempts_max) return std::nullopt;
    if (asked_for && *asked_for > options_.patience) return std::nullopt;
    const int doublings = std::clamp(attempts - 1, 0, 20);
    const auto most = std::min(options_.longest, options_.first * (1 << doublings));
    // Half of it for certain, half by chance; what was asked for is the least.
    std::uniform_int_distribution<std::int64_t> chance(most.count() / 2, most.count());
    const milliseconds own(chance(random_));
    if (!asked_for) return own;
    std::uniform_int_distribution<std::int64_t> little(
        0, std::max<std::int64_t>(1, asked_for->count() / 10));
    return *asked_for + milliseconds(little(random_));
}

}  // namespace atl::openai
