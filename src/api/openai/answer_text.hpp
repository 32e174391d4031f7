#pragma once
// The events of a turn as one Markdown text, for clients that know nothing but text: code that runs
// and what it printed as fenced blocks, images and files as links, tables where the code is not
// shown. It comes in pieces, and whoever puts them together has the same as who waits for the end.
//
//     ```python          code_start
//     …
//     ```
//     ```text            code_run: its output, cut in the middle
//     …
//     ```
//     ![chart.png](…)    image
//     The answer …       token; links to files of the sandbox become links that open
//
// Owns      what is not taken yet. Threads   one.
// Trusts    nothing: a fence is longer than any in what it holds, and a path is escaped. What the
//           model writes stays Markdown: a front end must treat it as any model's.
#include "agent/live_turn.hpp"

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace atl::api::openai {

// A link in Markdown whose target comes in pieces, and is replaced if it is a path of the sandbox.
class PathLinks {
public:
    using LinkTo = std::function<std::string(std::string_view path)>;
    explicit PathLinks(LinkTo link_to) : link_to_(std::move(link_to)) {}

    // What can be said by now.
    [[nodiscard]] std::string add(std::string_view text);
    // The rest.
    [[nodiscard]] std::string end();

private:
    [[nodiscard]] std::string replaced(const std::string& target) const;

    LinkTo link_to_;
    bool after_bracket_ = false;
    bool in_target_ = false;
    std::string target_;
};

struct AnswerPiece {
    std::string content;
    std::string reasoning;

    [[nodiscard]] bool empty() const noexcept { return content.empty() && reasoning.empty(); }
    [[nodiscard]] std::size_t size() const noexcept { return content.size() + reasoning.size(); }
};

class AnswerText {
public:
    // `link_to` makes an address of a path in the sandbox.
    AnswerText(bool shows_code, PathLinks::LinkTo link_to)
        : shows_code_(shows_code), link_to_(link_to), links_(std::move(link_to)) {}

    // One event of `turn`, as its log has it.
    void event(const agent::LiveTurn& turn, std::string_view name, const std::string& data);
    // Events were dropped before they were seen: what is missing, as the turn has it, without code.
    void catch_up(const agent::LiveTurn& turn);
    // The turn has ended.
    void end();

    [[nodiscard]] AnswerPiece take() { return std::exchange(piece_, {}); }
    [[nodiscard]] bool empty() const noexcept { return piece_.empty(); }
    // All content so far, taken or not; what a client sends back next time.
    [[nodiscard]] const std::string& whole() const noexcept { return whole_; }
    // More than that is not said.
    static constexpr std::size_t kContentBytesMax = 8u << 20;
    [[nodiscard]] bool cut() const noexcept { return cut_; }

private:
    void say(std::string_view text);
    void words(std::string_view text);  // of the model
    void paragraph();                   // an empty line before what comes next
    void block(std::string_view language, std::string_view text);
    void show_new_files(const agent::LiveTurn& turn);
    void table(const std::string& data);

    const bool shows_code_;
    PathLinks::LinkTo link_to_;
    PathLinks links_;
    AnswerPiece piece_;
    std::string whole_;
    bool cut_ = false;
    bool after_block_ = false;
    std::size_t words_seen_ = 0;  // of the turn's answer, in bytes
    std::size_t files_seen_ = 0;
    std::set<std::string> shown_;  // paths of images
};

// For [text](…): no brackets, nothing that ends a line.
[[nodiscard]] std::string link_text(std::string_view name);
// A run of backticks longer than any in it, three at least.
[[nodiscard]] std::string fence_for(std::string_view text);

}  // namespace atl::api::openai
