#pragma once
// Shows the progress of a template's build: on a terminal one line per step, with the seconds that
// it has taken so far; otherwise a line when a step begins.
//
// Threads   the one that builds.
#include "runtimes/native/template.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace atl::cli {

class BuildDisplay {
public:
    using Log = std::function<void(const std::string& sentence)>;
    explicit BuildDisplay(Log log);
    ~BuildDisplay();  // ends the line
    BuildDisplay(const BuildDisplay&) = delete;
    BuildDisplay& operator=(const BuildDisplay&) = delete;

    // Lives no longer than this.
    [[nodiscard]] native::BuildListener listener();

private:
    using Clock = std::chrono::steady_clock;
    void begin(const std::string& sentence);
    void draw(char end);

    Log log_;
    bool on_terminal_;
    std::string step_;  // empty before the first
    Clock::time_point began_{};
    long seconds_drawn_ = -1;
};

// A log for commands whose stderr is for people, whether or not it is a terminal.
void tell_build_step(const std::string& sentence);

}  // namespace atl::cli
