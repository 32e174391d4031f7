#pragma once
// The messages on a terminal's WebSocket, apart from the bytes themselves.
#include "schema/json.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace atl::api {

struct OpenTerminal {
    std::uint16_t rows = 24;
    std::uint16_t cols = 80;
    std::string cwd = "/session";
    std::optional<std::string> command;
    bool pty = true;
    std::chrono::milliseconds timeout{0};
};
ATOLL_DESCRIBED(OpenTerminal);

struct TerminalSize {
    std::uint16_t rows = 24;
    std::uint16_t cols = 80;
};
ATOLL_DESCRIBED(TerminalSize);

struct TerminalControl {
    std::optional<TerminalSize> resize;
    bool end_input = false;
};
ATOLL_DESCRIBED(TerminalControl);

struct TerminalEnd {
    int exit_code = 0;
    int signal = 0;
    std::string reason;
};
ATOLL_DESCRIBED(TerminalEnd);

struct TerminalNote {
    std::optional<TerminalEnd> ended;
    std::optional<std::string> error;
};
ATOLL_DESCRIBED(TerminalNote);

}  // namespace atl::api
