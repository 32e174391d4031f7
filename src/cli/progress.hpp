#pragma once
// One line on a terminal that says how far a transfer is; nothing if stderr is not a terminal.
#include <chrono>
#include <cstdint>
#include <string>

namespace atl::cli {

class Progress {
public:
    // `of` is 0 when the size is not known.
    Progress(std::string name, std::uint64_t of);
    ~Progress();  // ends the line
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void at(std::uint64_t bytes, std::uint64_t of = 0);

private:
    using Clock = std::chrono::steady_clock;
    void draw();

    std::string name_;
    std::uint64_t bytes_ = 0;
    std::uint64_t of_;
    bool shown_;
    bool drawn_ = false;
    Clock::time_point began_ = Clock::now();
    Clock::time_point last_{};
};

}  // namespace atl::cli
