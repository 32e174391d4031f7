#include "cli/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace atl::cli {

Terminal::Terminal() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    termios raw = before_;
    ::cfmakeraw(&raw);
    changed_ = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
}

Terminal::~Terminal() {
    if (changed_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_);
}

guest_client::ProgramRequest::Terminal Terminal::size() {
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_row == 0) return {};
    return {window.ws_row, window.ws_col};
}

}  // namespace atl::cli
