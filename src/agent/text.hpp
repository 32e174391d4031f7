#pragma once
// Texts of programs on their way to a model: cut where they are long, in the middle, with a note;
// and the part of a traceback that helps.
//
// Pure functions. What comes in may be any bytes; what goes out is cut between characters where the
// text is UTF-8.
#include <cstddef>
#include <string>
#include <string_view>

namespace atl::agent {

// At most about `bytes_max`: the beginning, a note of what is missing, the end.
[[nodiscard]] std::string cut_in_the_middle(std::string_view text, std::size_t bytes_max);

// The same for a text that comes in pieces: keeps no more than it will give.
class MiddleCut {
public:
    explicit MiddleCut(std::size_t bytes_max) : half_(bytes_max / 2) {}
    void add(std::string_view piece);
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool cut() const noexcept { return left_out_ > 0; }
    [[nodiscard]] bool empty() const noexcept { return head_.empty(); }

private:
    std::size_t half_;
    std::string head_;
    std::string tail_;
    std::size_t left_out_ = 0;
};

// A Python traceback without the frames of libraries in its middle: what the cell did, where it
// ended, and the error itself.
[[nodiscard]] std::string useful_traceback(std::string_view text, std::size_t bytes_max);

// The first `characters_max` characters on one line; for titles.
[[nodiscard]] std::string first_line(std::string_view text, std::size_t characters_max);

// "48,213 bytes", "1.2 MB": for people and models.
[[nodiscard]] std::string size_text(std::uint64_t bytes);
// In single quotes, as a shell takes it.
[[nodiscard]] std::string shell_quoted(std::string_view text);
// Of an image that models and people look at, by its name; empty: it is none.
[[nodiscard]] std::string_view image_type_of(std::string_view path) noexcept;

}  // namespace atl::agent
