#pragma once
// Our own terminal in raw mode while it lives: keys go to the sandbox's terminal as they are typed.
#include "guest_client/program.hpp"

#include <termios.h>

namespace atl::cli {

class Terminal {
public:
    Terminal();
    ~Terminal();  // as it was before
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    [[nodiscard]] static guest_client::ProgramRequest::Terminal size();

private:
    termios before_{};
    bool changed_ = false;
};

}  // namespace atl::cli
