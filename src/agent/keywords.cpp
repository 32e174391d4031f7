#include "agent/keywords.hpp"

#include "base/encoding.hpp"
#include "base/utf8.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace atl::agent {

namespace {

constexpr std::size_t kWordBytesMax = 40;
constexpr std::size_t kTextBytesMax = 256u << 10;
constexpr std::size_t kSentencesMax = 400;
constexpr std::size_t kFoundMax = 2000;  // that an excerpt is chosen among

// The bytes of the character that begins here.
std::string_view character_at(std::string_view text, std::size_t at) {
    std::size_t bytes = 1;
    while (bytes < 4 && at + bytes < text.size() && is_continuation(text[at + bytes])) ++bytes;
    return text.substr(at, bytes);
}

enum class Kind { Gap, Letter, Pictograph };

Kind kind_of(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
    const auto first = byte(0);
    if (first < 0x80) {
        const bool letter = (first >= '0' && first <= '9') || (first >= 'a' && first <= 'z') ||
                            (first >= 'A' && first <= 'Z');
        return letter ? Kind::Letter : Kind::Gap;
    }
    if (character.size() == 2) return first == 0xc2 ? Kind::Gap : Kind::Letter;
    if (character.size() == 4)
        return first == 0xf0 && byte(1) >= 0xa0 ? Kind::Pictograph : Kind::Gap;
    if (character.size() != 3) return Kind::Gap;
    if (first >= 0xe4 && first <= 0xed) return Kind::Pictograph;  // U+4000 and on
    if (first == 0xe3) {  // from U+3040 on: before are signs
        const bool sign = byte(1) == 0x80 || (byte(1) == 0x83 && byte(2) == 0xbb);
        return sign ? Kind::Gap : Kind::Pictograph;
    }
    if (first == 0xe2 || first == 0xef || first == 0xee) return Kind::Gap;
    return Kind::Letter;
}

bool is_common(const std::string& word) {
    static const std::set<std::string, std::less<>> common{
        "a",    "about", "all",  "also", "am",    "an",   "and",  "any",    "are",   "as",
        "at",   "be",    "been", "but",  "by",    "can",  "did",  "do",     "does",  "for",
        "from", "had",   "has",  "have", "he",    "how",  "i",    "if",     "in",    "is",
        "it",   "its",   "me",   "my",   "no",    "not",  "of",   "on",     "or",    "our",
        "she",  "so",    "than", "that", "the",   "them", "then", "there",  "these", "they",
        "this", "to",    "us",   "was",  "we",    "were", "what", "when",   "where", "which",
        "who",  "why",   "will", "with", "would", "you",  "your", "please",
    };
    return common.contains(word);
}

std::string without_plural(std::string word) {
    const bool plain = std::all_of(word.begin(), word.end(), [](char c) { return c > 0; });
    if (!plain || word.size() < 4 || word.back() != 's') return word;
    if (word.ends_with("ss") || word.ends_with("us") || word.ends_with("is")) return word;
    if (word.ends_with("ies")) return word.substr(0, word.size() - 3) + "y";
    word.pop_back();
    return word;
}

struct WordAt {
    std::string word;
    std::size_t at = 0;
};

// Every word and pair of the text, with its position.
std::vector<WordAt> words_in(std::string_view text) {
    text = text.substr(0, kTextBytesMax);
    std::vector<WordAt> words;
    std::string word, before;
    std::size_t word_at = 0, before_at = 0;
    const auto end_word = [&] {
        if (!word.empty()) words.push_back({without_plural(ascii_lower(word)), word_at});
        word.clear();
    };
    for (std::size_t i = 0; i < text.size();) {
        const auto character = character_at(text, i);
        const auto kind = kind_of(character);
        if (kind != Kind::Letter) end_word();
        if (kind == Kind::Letter) {
            if (word.empty()) word_at = i;
            if (word.size() + character.size() <= kWordBytesMax) word += character;
        }
        if (kind == Kind::Pictograph && !before.empty()) {
            words.push_back({before + std::string(character), before_at});
        }
        before = kind == Kind::Pictograph ? std::string(character) : std::string();
        before_at = i;
        i += character.size();
    }
    end_word();
    return words;
}

}  // namespace

std::vector<std::string> keywords_of(std::string_view text, std::size_t most) {
    std::vector<std::string> words, common;
    std::set<std::string> seen;
    for (auto& found : words_in(text)) {
        if (words.size() >= most) break;
        if (!seen.insert(found.word).second) continue;
        auto& list = is_common(found.word) ? common : words;
        if (list.size() < most) list.push_back(std::move(found.word));
    }
    return words;
}

std::vector<std::string> shared_words(const std::vector<std::string>& words,
                                      std::string_view text) {
    std::set<std::string> there;
    for (auto& found : words_in(text)) there.insert(std::move(found.word));
    std::vector<std::string> shared;
    std::copy_if(words.begin(), words.end(), std::back_inserter(shared),
                 [&](const std::string& word) { return there.contains(word); });
    return shared;
}

std::string excerpt(std::string_view text, const std::vector<std::string>& words,
                    std::size_t bytes_max) {
    if (text.size() <= bytes_max) return std::string(text);
    const std::set<std::string> wanted(words.begin(), words.end());
    std::vector<WordAt> hits;
    for (auto& found : words_in(text)) {
        if (hits.size() >= kFoundMax) break;
        if (wanted.contains(found.word)) hits.push_back(std::move(found));
    }
    // The stretch with the most different words in it, the earliest of equals.
    std::size_t best = 0, best_words = 0;
    for (std::size_t i = 0; i < hits.size(); ++i) {
        std::set<std::string_view> inside;
        for (std::size_t j = i; j < hits.size() && hits[j].at < hits[i].at + bytes_max / 2; ++j) {
            inside.insert(hits[j].word);
            if (inside.size() == wanted.size()) break;
        }
        if (inside.size() > best_words) {
            best = hits[i].at;
            best_words = inside.size();
        }
        if (best_words == wanted.size()) break;
    }
    std::size_t from = best > bytes_max / 4 ? best - bytes_max / 4 : 0;
    from = std::min(from, text.size() - bytes_max);
    while (from > 0 && is_continuation(text[from])) --from;
    std::size_t to = std::min(from + bytes_max, text.size());
    while (to > from && to < text.size() && is_continuation(text[to])) --to;
    return (from > 0 ? "… " : "") + std::string(text.substr(from, to - from)) +
           (to < text.size() ? " …" : "");
}

std::vector<std::string> sentences_of(std::string_view text) {
    text = text.substr(0, kTextBytesMax);
    std::vector<std::string> sentences;
    std::string now;
    bool space = false;
    const auto end = [&] {
        if (!now.empty() && sentences.size() < kSentencesMax) sentences.push_back(std::move(now));
        now.clear();
        space = false;
    };
    for (std::size_t i = 0; i < text.size();) {
        const auto character = character_at(text, i);
        i += character.size();
        const auto byte = static_cast<unsigned char>(character.front());
        if (character == "\n" || character == "\r") {
            end();
            continue;
        }
        if (byte <= ' ' || byte == 0x7f) {
            space = !now.empty();
            continue;
        }
        if (std::exchange(space, false)) now += ' ';
        now += character;
        const bool stops = character == "。" || character == "！" || character == "？" ||
                           ((byte == '.' || byte == '!' || byte == '?') &&
                            (i >= text.size() || text[i] == ' ' || text[i] == '\n'));
        // Not behind an initial or a number of a list: "3. The total".
        if (stops && now.size() > 3) end();
    }
    end();
    return sentences;
}

}  // namespace atl::agent
