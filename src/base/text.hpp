#pragma once
// Text that others wrote, on its way to a person.
//
// Control characters (C0, DEL, C1) steer a terminal. Bidi controls show a line in another order
// than it has, so that a name reads like another one. Line and paragraph separators forge lines.
// Bytes that are not UTF-8 can be any of these to an older terminal.
//
// A name that a client gives us must be harmless. What is shown in a terminal, whoever sent it, is
// made printable.
#include <string>
#include <string_view>

namespace atl {

// UTF-8 without any of the above.
[[nodiscard]] bool is_harmless(std::string_view text) noexcept;

// The same with each of the above replaced; for names of files.
[[nodiscard]] std::string harmless(std::string_view text, char instead);

enum class Lines { Escaped, Kept };
// The same with all of the above made visible: \u001b, \u202e, and \xff for bytes that are no text.
// JSON that was printable stays JSON.
[[nodiscard]] std::string printable(std::string_view text, Lines lines = Lines::Escaped);

// What a program prints, on its way to a terminal in pieces. As printable, but its lines, tabs,
// returns, backspaces and colours are left alone.
class TerminalText {
public:
    [[nodiscard]] std::string pass(std::string_view piece);
    // What was held back for an end that did not come.
    [[nodiscard]] std::string finish();

private:
    std::string take(bool at_end);

    std::string held_;  // a character or a colour that is not complete yet
};

}  // namespace atl
