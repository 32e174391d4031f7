#include "main/client_progress.hpp"

#include "core/spec.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace atl::main {

namespace {

constexpr std::chrono::milliseconds kBetween{100};
constexpr std::uint64_t kBarWidth = 30;

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
    std::string bar;
    if (of_ > 0) {
        const auto full = std::min(bytes_, of_) * kBarWidth / of_;
        bar = " [" + std::string(full, '=') + std::string(kBarWidth - full, ' ') + "] " +
              std::to_string(std::min(bytes_, of_) * 100 / of_) + " %";
    }
    std::fprintf(stderr, "\r\x1b[K%s%s %s %s/s", name_.c_str(), bar.c_str(),
                 core::format_bytes(bytes_).c_str(), core::format_bytes(speed).c_str());
    std::fflush(stderr);
}

}  // namespace atl::main
