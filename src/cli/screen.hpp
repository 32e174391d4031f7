#pragma once
// The terminal in full-screen mode: the alternate screen, no cursor, and keys as they are typed.
// The destructor restores what was there before, however the command ends (except by SIGKILL):
// Ctrl-C and SIGTERM set net::Client::interrupt(), also when they come twice.
#include <chrono>
#include <string>
#include <termios.h>

namespace atl::cli {

class Screen {
public:
    Screen();
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    // Lines of text, cut where the window ends, and how to leave below them.
    void draw(std::string text);
    // Handles changes of the window until then. True as soon as somebody pressed q or Ctrl-C.
    [[nodiscard]] bool left_within(std::chrono::duration<double> time);

private:
    struct Size {
        std::size_t rows = 24, cols = 80;
        bool operator==(const Size&) const = default;
    };
    [[nodiscard]] static Size size();
    void redraw();

    std::string text_;
    Size drawn_;
    termios before_{};
    bool has_keys_ = false;
};

}  // namespace atl::cli
