#include "stores/recall/words.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace atl::recall {

namespace {

constexpr std::size_t kWordBytesMax = 64;

enum class Kind { Gap, Letter, Pictograph };

struct Point {
    char32_t code = 0;
    std::size_t bytes = 1;
};

// What is no UTF-8 is a gap of one byte.
Point read_point(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length) return {0, 1};
    char32_t code = first & (0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {0, 1};
        code = code << 6 | (byte(i) & 0x3fu);
    }
    return {code, length};
}

bool between(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

Kind kind_of(char32_t code) {
    if (code < 0x80) {
        const bool letter =
            between(code, '0', '9') || between(code, 'a', 'z') || between(code, 'A', 'Z');
        return letter ? Kind::Letter : Kind::Gap;
    }
    struct Range {
        char32_t first;
        char32_t last;
        Kind kind;
    };
    static constexpr Range ranges[] = {
        {0x80, 0xa9, Kind::Gap},
        {0xab, 0xb4, Kind::Gap},
        {0xb6, 0xb9, Kind::Gap},
        {0xbb, 0xbf, Kind::Gap},
        {0xd7, 0xd7, Kind::Gap},
        {0xf7, 0xf7, Kind::Gap},
        {0x2000, 0x206f, Kind::Gap},
        {0x20a0, 0x20cf, Kind::Gap},
        {0x2190, 0x2bff, Kind::Gap},
        {0x3005, 0x3007, Kind::Pictograph},
        {0x3000, 0x303f, Kind::Gap},
        {0x30fb, 0x30fb, Kind::Gap},
        {0x3040, 0x312f, Kind::Pictograph},
        {0x3400, 0x4dbf, Kind::Pictograph},
        {0x4e00, 0x9fff, Kind::Pictograph},
        {0xac00, 0xd7af, Kind::Pictograph},
        {0xd800, 0xf8ff, Kind::Gap},
        {0xf900, 0xfaff, Kind::Pictograph},
        {0xfe10, 0xfe6f, Kind::Gap},
        {0xff66, 0xff9f, Kind::Pictograph},
        {0xff00, 0xffff, Kind::Gap},
        {0x1f000, 0x1faff, Kind::Gap},
        {0x20000, 0x323af, Kind::Pictograph},
        {0xe0000, 0x10ffff, Kind::Gap},
    };
    for (const auto& range : ranges) {
        if (between(code, range.first, range.last)) return range.kind;
    }
    return Kind::Letter;
}

struct Word {
    std::string text;
    bool is_start = false;  // of any word that begins so
};

class Splitter {
public:
    explicit Splitter(bool for_query) : for_query_(for_query) {}

    std::vector<Word> split(std::string_view text) {
        while (!text.empty()) {
            const Point point = read_point(text);
            std::string_view letter = text.substr(0, point.bytes);
            char wide = 0;  // ２０２４ is 2024
            if (between(point.code, 0xff10, 0xff5a)) {
                const char32_t plain = point.code - 0xfee0;
                if (kind_of(plain) == Kind::Letter) {
                    wide = static_cast<char>(plain);
                    letter = {&wide, 1};
                }
            }
            const Kind kind = wide != 0 ? Kind::Letter : kind_of(point.code);
            if (kind != Kind::Letter) end_word();
            if (kind != Kind::Pictograph) end_run();
            if (kind == Kind::Letter && word_.size() + letter.size() <= kWordBytesMax) {
                word_ += letter;
            }
            if (kind == Kind::Pictograph) add_to_run(letter);
            text.remove_prefix(point.bytes);
        }
        end_word();
        end_run();
        return std::move(words_);
    }

private:
    void end_word() {
        if (!word_.empty()) words_.push_back({std::move(word_), false});
        word_.clear();
    }
    void add_to_run(std::string_view letter) {
        if (!last_.empty()) {
            words_.push_back({last_ + std::string(letter), false});
            paired_ = true;
        }
        last_ = letter;
    }
    // The last letter stands alone in the index, so that a question of one letter finds it as the
    // start of a pair or as this.
    void end_run() {
        if (!last_.empty() && (!for_query_ || !paired_)) {
            words_.push_back({std::move(last_), for_query_});
        }
        last_.clear();
        paired_ = false;
    }

    const bool for_query_;
    std::vector<Word> words_;
    std::string word_;
    std::string last_;  // of the run
    bool paired_ = false;
};

// What nearly every English message has: to look all of them up and rank them is work for nothing.
bool is_common(const std::string& word) {
    static const std::set<std::string, std::less<>> common{
        "a",    "about", "all",  "also", "am",    "an",   "and",   "any",  "are",   "as",
        "at",   "be",    "been", "but",  "by",    "can",  "could", "did",  "do",    "does",
        "for",  "from",  "had",  "has",  "have",  "he",   "how",   "i",    "if",    "in",
        "is",   "it",    "its",  "me",   "my",    "no",   "not",   "of",   "on",    "or",
        "our",  "she",   "so",   "than", "that",  "the",  "them",  "then", "there", "these",
        "they", "this",  "to",   "was",  "we",    "were", "what",  "when", "where", "which",
        "who",  "why",   "will", "with", "would", "you",  "your",
    };
    std::string lower = word;
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return common.contains(lower);
}

std::string mark_of(std::int64_t thread) { return std::to_string(thread) + "q"; }

}  // namespace

std::string words_of(std::string_view text, std::int64_t thread) {
    const std::string mark = mark_of(thread);
    std::string all;
    all.reserve(text.size() * 2);
    for (const auto& word : Splitter(false).split(text)) {
        if (!all.empty()) all += ' ';
        all += mark;
        all += word.text;
    }
    return all;
}

std::vector<std::string> queries_of(std::string_view text, std::int64_t thread,
                                    std::size_t words_max) {
    const std::string mark = mark_of(thread);
    std::vector<std::string> queries;
    std::set<std::string> seen;
    const auto words = Splitter(true).split(text);
    const bool all_common = std::all_of(words.begin(), words.end(),
                                        [](const Word& word) { return is_common(word.text); });
    for (const auto& word : words) {
        if (seen.size() >= words_max) break;
        if (!all_common && is_common(word.text)) continue;
        if (!seen.insert(word.text).second) continue;
        queries.push_back('"' + mark + word.text + '"' + (word.is_start ? " *" : ""));
    }
    return queries;
}

std::string query_of(std::string_view text, std::int64_t thread, std::size_t words_max) {
    return joined(queries_of(text, thread, words_max), " OR ");
}

std::string joined(const std::vector<std::string>& queries, std::string_view with) {
    std::string query;
    for (const auto& one : queries) {
        if (!query.empty()) query += with;
        query += one;
    }
    return query;
}

}  // namespace atl::recall
