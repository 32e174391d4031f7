#pragma once
// What local models write into their text for want of fields of their own: thoughts between <think>
// and </think> at the beginning, and calls of tools between <tool_call> and </tool_call>. Takes
// them out of text that comes in pieces.
//
// A call is JSON with name and arguments, or <function=name> with <parameter=…> in it. One that is
// neither is dropped: nobody reads such text. In a fence of code, or within a line, a mark is text.
//
// Trusts    nothing; holds what may become a mark (some bytes), or the call that is open.
#include "core/chat.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::openai {

class InlineMarks {
public:
    struct Piece {
        enum class Kind { Text, Thought, Call };
        Kind kind = Kind::Text;
        std::string text;  // of a call: all that stood between its marks
        bool operator==(const Piece&) const = default;
    };

    [[nodiscard]] std::vector<Piece> add(std::string_view text);
    // At the end: what was held back. A call that is still open counts as closed.
    [[nodiscard]] std::vector<Piece> rest();

private:
    enum class State { Text, Thought, Call };

    void take(std::vector<Piece>& out, bool at_end);
    void take_text(std::vector<Piece>& out, bool at_end);
    void take_inside(std::vector<Piece>& out, std::string_view close, bool at_end);
    void say(std::vector<Piece>& out, std::string_view text);

    State state_ = State::Text;
    std::string held_;
    std::size_t taken_ = 0;  // of it, in this round
    std::string call_;
    std::string line_;       // the beginning of the line that is being said
    bool said_any_ = false;  // besides space
    bool in_fence_ = false;
    bool after_thought_ = false;  // space that follows a thought or a call belongs to it
};

// The call that stood between the marks; nothing when it is none.
[[nodiscard]] std::optional<core::ToolCall> call_in(std::string_view text);

}  // namespace atl::openai
