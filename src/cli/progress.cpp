#include "cli/progress.hpp"

#include "cli/table.hpp"
#include "core/spec.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace atl::cli {

namespace {

constexpr std::chrono::milliseconds kBetween{100};
constexpr std::uint64_t kBarWidth = 30;
// In one row: a line that wraps is not wiped by the next, and the window would fill with them. What
// is known gives way first, the name, then what is only nice to see, the bar.
std::string fitting(const std::string& name, const std::string& bar, const std::string& figures) {
    const std::size_t room = columns_of_stderr() - 1;  // some terminals wrap at the last column
    constexpr std::size_t kNameColumns = 12;
    if (kNameColumns + bar.size() + figures.size() <= room) {
        return clipped(name, room - bar.size() - figures.size()) + bar + figures;
    }
    const bool named = kNameColumns + figures.size() <= room;
    if (named) return clipped(name, room - figures.size()) + figures;
    return clipped(std::string_view(figures).substr(1), room);
}

}  // namespace

Progress::Progress(std::string name, std::uint64_t of)
    : name_(std::move(name)), of_(of), shown_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (!drawn_) return;
    draw();
    std::fputc('\n', stderr);
}

void Progress::at(std::uint64_t bytes, std::uint64_t of) {
    bytes_ = bytes;
    if (of > 0) of_ = of;
    if (!shown_ || Clock::now() - last_ < kBetween) return;
    draw();
}

void Progress::draw() {
    last_ = Clock::now();
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(last_ - began_).count();
    const auto speed =
        static_cast<std::uint64_t>(static_cast<double>(bytes_) / std::max(seconds, 0.001));
    std::string bar, part;
    if (of_ > 0) {
        const auto full = std::min(bytes_, of_) * kBarWidth / of_;
        bar = " [" + std::string(full, '=') + std::string(kBarWidth - full, ' ') + "]";
        part = " " + std::to_string(std::min(bytes_, of_) * 100 / of_) + " %";
    }
    const std::string figures =
        part + " " + core::format_bytes(bytes_) + " " + core::format_bytes(speed) + "/s";
    std::fprintf(stderr, "\r\x1b[K%s", fitting(name_, bar, figures).c_str());
    std::fflush(stderr);
}

}  // namespace atl::cli
