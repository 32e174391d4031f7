#include "cli/build_display.hpp"

#include "base/text.hpp"
#include "cli/table.hpp"

#include <cstdio>
#include <unistd.h>

namespace atl::cli {

BuildDisplay::BuildDisplay(Log log)
    : log_(std::move(log)), on_terminal_(::isatty(STDERR_FILENO) == 1) {}

BuildDisplay::~BuildDisplay() {
    if (!step_.empty()) draw('\n');
}

native::BuildListener BuildDisplay::listener() {
    return {[this](const std::string& sentence) { begin(sentence); },
            [this] {
                const auto spent = std::chrono::floor<std::chrono::seconds>(Clock::now() - began_);
                if (!step_.empty() && spent.count() != seconds_drawn_) draw('\0');
            }};
}

void BuildDisplay::begin(const std::string& sentence) {
    if (!on_terminal_) {
        log_(sentence);
        return;
    }
    if (!step_.empty()) draw('\n');
    step_ = printable(sentence);
    began_ = Clock::now();
    draw('\0');
}

// In one row: a line that wraps is not wiped by the next.
void BuildDisplay::draw(char end) {
    const auto spent = std::chrono::floor<std::chrono::seconds>(Clock::now() - began_);
    seconds_drawn_ = static_cast<long>(spent.count());
    const std::string time = seconds_drawn_ > 0 ? " " + std::to_string(seconds_drawn_) + " s" : "";
    const std::size_t taken = 2 + time.size() + 1;  // some terminals wrap at the last column
    const std::size_t room = columns_of_stderr() > taken ? columns_of_stderr() - taken : 1;
    std::fprintf(stderr, "\r\x1b[K  %s%s", clipped(step_, room).c_str(), time.c_str());
    if (end != '\0') std::fputc(end, stderr);
    std::fflush(stderr);
}

void tell_build_step(const std::string& sentence) {
    std::fprintf(stderr, "  %s\n", printable(sentence).c_str());
    std::fflush(stderr);
}

}  // namespace atl::cli
