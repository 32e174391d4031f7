#pragma once
// Text as the pieces of words that a BERT model knows, by its vocabulary (`vocab.txt`, a piece a
// line): lower case without accents, punctuation and Chinese characters by themselves, each word as
// the longest pieces that fit, "##" before those that go on.
//
// Threads   any; it does not change. Trusts    nothing in the text: what is no UTF-8 is left out.
#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace atl::minilm {

class WordPieces {
public:
    [[nodiscard]] static Result<WordPieces> open(const std::string& path);
    // For tests, too: one piece a line.
    [[nodiscard]] static Result<WordPieces> from_text(std::string_view vocabulary);

    [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
    // With the marks for beginning and end; at most `most` of them.
    [[nodiscard]] std::vector<std::uint32_t> pieces_of(std::string_view text,
                                                       std::size_t most) const;

private:
    void add_word(const std::string& word, std::vector<std::uint32_t>& into) const;

    std::unordered_map<std::string, std::uint32_t> ids_;
    std::uint32_t unknown_ = 0, begin_ = 0, end_ = 0;
};

}  // namespace atl::minilm
