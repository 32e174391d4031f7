#pragma once
// Remarks on stderr, a line each and not without end.
#include "guest/archive/entry_name.hpp"

#include <cstdint>
#include <cstdio>
#include <string>

namespace atl::archive {

class Notes {
public:
    void skipped(const std::string& name, const std::string& why) {
        if (++count_ > kLinesMax) return;
        std::fprintf(stderr, "atoll-archive: %s: %s\n", printable(name).c_str(), why.c_str());
    }
    // A loss: the archive is not all that was asked for.
    void lost(const std::string& name, const std::string& why) {
        ++lost_;
        skipped(name, why);
    }
    [[nodiscard]] bool complete() const { return lost_ == 0; }

    Notes() = default;
    Notes(const Notes&) = delete;
    Notes& operator=(const Notes&) = delete;
    ~Notes() {
        if (count_ > kLinesMax) {
            std::fprintf(stderr, "atoll-archive: and %llu more\n",
                         static_cast<unsigned long long>(count_ - kLinesMax));
        }
    }

private:
    static constexpr std::uint64_t kLinesMax = 100;
    std::uint64_t count_ = 0;
    std::uint64_t lost_ = 0;
};

}  // namespace atl::archive
