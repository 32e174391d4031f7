#pragma once
// How much of the audit log each owner may fill: a number of actions per second, after an initial
// burst; the rest is counted, and the count is in the owner's next record. So one owner's flood
// suppresses no other owner's records, and cannot fill the disk.
//
// Owners here are those that keys name, and one for unauthenticated requests. Threads: one.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace atl::api {

class AuditShares {
public:
    using Clock = std::chrono::steady_clock;
    enum class Kind { Done, Denied };

    static constexpr double kDoneMost = 2000;
    static constexpr double kDoneASecond = 20;
    static constexpr double kDeniedMost = 50;
    static constexpr double kDeniedASecond = 5;
    static constexpr std::size_t kWaitingMax = 1024;  // of one owner, not yet written

    // Whether it may be written down. If so it waits until written() is said.
    [[nodiscard]] bool take(const std::string& owner, Kind kind, Clock::time_point now) {
        Share& share = share_of(owner, now);
        double& left = kind == Kind::Done ? share.done : share.denied;
        if (left < 1 || share.waiting >= kWaitingMax) {
            ++share.left_out;
            return false;
        }
        left -= 1;
        ++share.waiting;
        return true;
    }
    void written(const std::string& owner) {
        Share& share = shares_[owner];
        if (share.waiting > 0) --share.waiting;
    }
    void left_out(const std::string& owner) { ++shares_[owner].left_out; }
    // How many were left out since this was last asked.
    [[nodiscard]] std::uint64_t take_left_out(const std::string& owner) {
        return std::exchange(shares_[owner].left_out, 0);
    }

private:
    struct Share {
        double done = kDoneMost;
        double denied = kDeniedMost;
        std::size_t waiting = 0;
        std::uint64_t left_out = 0;
        Clock::time_point at{};
    };

    Share& share_of(const std::string& owner, Clock::time_point now) {
        Share& share = shares_[owner];
        const double passed = share.at == Clock::time_point{}
                                  ? 0
                                  : std::chrono::duration<double>(now - share.at).count();
        share.done = std::min(kDoneMost, share.done + passed * kDoneASecond);
        share.denied = std::min(kDeniedMost, share.denied + passed * kDeniedASecond);
        share.at = now;
        return share;
    }

    std::map<std::string, Share> shares_;
};

}  // namespace atl::api
