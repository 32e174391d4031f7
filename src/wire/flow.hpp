#pragma once
// Credit: how much one side may still send on one channel (docs/guest-protocol.md, "flow control").
//
// A flood of output must slow the program that writes it and never fill the host's memory. So a
// sender pays for each byte, and the receiver gives credit back once it has passed the bytes on.
#include <cstdint>

namespace atl::wire {

inline constexpr std::int64_t kInitialCredit = 256 * 1024;

class SendCredit {
public:
    // One frame may overdraw the account: frames are bounded, so the debt is too.
    [[nodiscard]] bool open() const noexcept { return balance_ > 0; }
    void spend(std::size_t bytes) noexcept { balance_ -= static_cast<std::int64_t>(bytes); }
    void add(std::uint32_t bytes) noexcept {
        // A peer that grants more than it could ever need only harms itself; the cap keeps the sum
        // from overflowing when it does so for ever.
        if (balance_ < kBalanceMax) balance_ += bytes;
    }

private:
    static constexpr std::int64_t kBalanceMax = std::int64_t{1} << 40;
    std::int64_t balance_ = kInitialCredit;
};

// The receiver's side: grants in steps, so that a stream of small frames does not cause as many
// credit frames; and knows what the sender may still send, so that one who ignores credit shows.
class ReceiveCredit {
public:
    // False when the sender had no right to send these bytes.
    [[nodiscard]] bool arrived(std::size_t bytes) noexcept {
        const bool allowed = open_ > 0;
        open_ -= static_cast<std::int64_t>(bytes);
        return allowed;
    }
    // Bytes to grant now, or 0 to wait for more.
    [[nodiscard]] std::uint32_t consumed(std::size_t bytes) noexcept {
        owed_ += static_cast<std::int64_t>(bytes);
        if (owed_ < kInitialCredit / 4) return 0;
        const auto grant = static_cast<std::uint32_t>(owed_);
        open_ += owed_;
        owed_ = 0;
        return grant;
    }

private:
    std::int64_t open_ = kInitialCredit;
    std::int64_t owed_ = 0;
};

}  // namespace atl::wire
