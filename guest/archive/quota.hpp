#pragma once
// What an archive may cost. Counted as it is spent, never as a header promises: a bomb's header
// says whatever suits it.
#include "base/result.hpp"

#include <cstdint>
#include <limits>

namespace atl::archive {

class Quota {
public:
    Quota(std::uint64_t bytes_max, std::uint64_t entries_max)
        : bytes_max_(bytes_max),
          bytes_left_(bytes_max),
          entries_max_(entries_max),
          entries_left_(entries_max) {}

    Result<void> take_bytes(std::uint64_t count) {
        if (count > bytes_left_) {
            return Error{Code::Exhausted, "more than " + std::to_string(bytes_max_) + " bytes"};
        }
        bytes_left_ -= count;
        return {};
    }
    Result<void> take_entry() {
        if (entries_left_ == 0) {
            return Error{Code::Exhausted, "more than " + std::to_string(entries_max_) + " entries"};
        }
        --entries_left_;
        return {};
    }
    [[nodiscard]] std::uint64_t bytes_left() const { return bytes_left_; }

    // Headers, names and padding cost as well, though they never reach the disk. A container that
    // is larger than its contents may be plus a generous header for each entry is an attack on our
    // time, or on the disk that it waits on.
    [[nodiscard]] std::uint64_t container_bytes_max() const {
        constexpr std::uint64_t kHeaderBytes = 4096;
        constexpr auto kNoLimit = std::numeric_limits<std::uint64_t>::max();
        constexpr std::uint64_t kSlack = 1u << 20;
        if (entries_max_ > (kNoLimit - kSlack) / kHeaderBytes) return kNoLimit;
        const std::uint64_t headers = entries_max_ * kHeaderBytes + kSlack;
        return bytes_max_ > kNoLimit - headers ? kNoLimit : bytes_max_ + headers;
    }

private:
    std::uint64_t bytes_max_;
    std::uint64_t bytes_left_;
    std::uint64_t entries_max_;
    std::uint64_t entries_left_;
};

}  // namespace atl::archive
