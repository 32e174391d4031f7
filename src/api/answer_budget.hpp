#pragma once
// Memory for answers that are collected before they are sent: one budget for the whole server.
//
// A client may ask for megabytes of output in one JSON answer, and many may ask at once. What they
// print lies in the server's own memory, which no limit of a sandbox counts. So every piece is
// counted here; no owner gets more than half of the budget. Streams need none: they hold no more
// than the credit of one channel.
//
//     AnswerBudget::Share share(budget, owner);
//     if (!share.take(piece.size())) …                // full: the run is cancelled
//
// Threads   one, the loop's. A share must not outlive the budget.
#include "base/must.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace atl::api {

class AnswerBudget {
public:
    static constexpr std::uint64_t kBytesMax = 512u << 20;
    explicit AnswerBudget(std::uint64_t bytes_max = kBytesMax) : bytes_max_(bytes_max) {}

    // Of what did not fit.
    [[nodiscard]] static Error full() {
        return {Code::Exhausted,
                "the run was ended: answers that are being collected take up all the memory that "
                "there is for them; print less, ask for a stream of events, or try again later"};
    }

    // What one answer holds; given back when it goes.
    class [[nodiscard]] Share {
    public:
        Share(AnswerBudget& budget, std::string owner)
            : budget_(budget), owner_(std::move(owner)) {}
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        ~Share() { budget_.give_back(owner_, held_); }

        // False: it does not fit, and is not taken.
        [[nodiscard]] bool take(std::uint64_t bytes) {
            if (!budget_.take(owner_, bytes)) return false;
            held_ += bytes;
            return true;
        }

    private:
        AnswerBudget& budget_;
        const std::string owner_;
        std::uint64_t held_ = 0;
    };

    [[nodiscard]] std::uint64_t held() const noexcept { return held_; }

private:
    bool take(const std::string& owner, std::uint64_t bytes) {
        const auto found = owners_.find(owner);
        const std::uint64_t theirs = found == owners_.end() ? 0 : found->second;
        if (bytes > bytes_max_ - held_) return false;
        if (theirs + bytes > bytes_max_ / 2) return false;
        owners_[owner] = theirs + bytes;
        held_ += bytes;
        return true;
    }
    void give_back(const std::string& owner, std::uint64_t bytes) {
        if (bytes == 0) return;
        const auto found = owners_.find(owner);
        must(found != owners_.end() && found->second >= bytes && held_ >= bytes,
             "an answer gives back what it took");
        held_ -= bytes;
        found->second -= bytes;
        if (found->second == 0) owners_.erase(found);
    }

    const std::uint64_t bytes_max_;
    std::uint64_t held_ = 0;
    std::map<std::string, std::uint64_t> owners_;
};

}  // namespace atl::api
