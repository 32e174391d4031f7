#include "cli/screen.hpp"

#include "cli/table.hpp"
#include "net/client.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <vector>

namespace atl::cli {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kStep{100};

constexpr const char* kEnter = "\x1b[?1049h\x1b[?25l";
constexpr const char* kLeave = "\x1b[?25h\x1b[?1049l";
constexpr const char* kTop = "\x1b[H";
constexpr const char* kRestOfLine = "\x1b[K";
constexpr const char* kRestOfScreen = "\x1b[J";

void print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
}

void on_signal(int) { net::Client::interrupt().store(true); }

// Not only once, unlike in other commands: a second Ctrl-C must not end us before the terminal is
// put back.
void catch_signals() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    ::sigemptyset(&action.sa_mask);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        ::sigaction(number, &action, nullptr);
    }
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t from = 0; from < text.size();) {
        const auto end = std::min(text.find('\n', from), text.size());
        lines.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

}  // namespace

Screen::Screen() {
    catch_signals();
    if (::isatty(STDIN_FILENO) == 1 && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
        termios keys = before_;
        keys.c_lflag &= static_cast<tcflag_t>(~(ICANON | ECHO));
        keys.c_cc[VSUSP] = _POSIX_VDISABLE;  // Ctrl-Z would leave a shell on our screen
        keys.c_cc[VMIN] = 0;
        keys.c_cc[VTIME] = 0;
        has_keys_ = ::tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) == 0;
    }
    print(kEnter);
}

Screen::~Screen() {
    print(kLeave);
    // What was typed until now was for us, not for the shell.
    if (has_keys_) ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

Screen::Size Screen::size() {
    winsize window{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) != 0) return {};
    if (window.ws_row == 0 || window.ws_col == 0) return {};
    return {window.ws_row, window.ws_col};
}

void Screen::draw(std::string text) {
    text_ = std::move(text);
    redraw();
}

void Screen::redraw() {
    drawn_ = size();
    auto lines = lines_of(text_);
    const std::size_t room = std::max<std::size_t>(drawn_.rows, 2) - 1;  // the last is the footer's
    std::string footer = has_keys_ ? "q ends" : "Ctrl-C ends";
    if (lines.size() > room) {
        footer = std::to_string(lines.size() - room) + " more; " + footer;
        lines.resize(room);
    }
    lines.push_back(footer);
    std::string frame = kTop;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        frame += (i == 0 ? "" : "\n") + clipped(lines[i], drawn_.cols) + kRestOfLine;
    }
    print(frame + kRestOfScreen);
}

bool Screen::left_within(std::chrono::duration<double> time) {
    const auto until = Clock::now() + time;
    while (Clock::now() < until) {
        if (net::Client::interrupt().load()) return true;
        if (size() != drawn_) redraw();
        pollfd keys{has_keys_ ? STDIN_FILENO : -1, POLLIN, 0};
        if (::poll(&keys, 1, static_cast<int>(kStep.count())) <= 0) continue;
        char key = 0;
        // Readable and empty: the terminal is gone.
        if (::read(STDIN_FILENO, &key, 1) <= 0 || key == 'q' || key == 'Q') return true;
    }
    return net::Client::interrupt().load();
}

}  // namespace atl::cli
