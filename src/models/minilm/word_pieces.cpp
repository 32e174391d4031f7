#include "models/minilm/word_pieces.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace atl::minilm {

namespace {

constexpr std::size_t kWordLettersMax = 100;  // a longer one is no word
constexpr std::size_t kVocabularyBytesMax = 16u << 20;

struct Point {
    char32_t code = 0;
    std::size_t bytes = 1;
};

// 0 for what is no UTF-8.
Point point_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> char32_t {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
    };
    const auto more = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
    const auto first = byte(0);
    if (first < 0x80) return {first, 1};
    if (first >= 0xc2 && first < 0xe0 && more(1)) {
        return {(first & 0x1f) << 6 | (byte(1) & 0x3f), 2};
    }
    if (first >= 0xe0 && first < 0xf0 && more(1) && more(2)) {
        return {(first & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f), 3};
    }
    if (first >= 0xf0 && first < 0xf5 && more(1) && more(2) && more(3)) {
        return {(first & 0x07) << 18 | (byte(1) & 0x3f) << 12 | (byte(2) & 0x3f) << 6 |
                    (byte(3) & 0x3f),
                4};
    }
    return {0, 1};
}

bool within(char32_t code, char32_t first, char32_t last) { return code >= first && code <= last; }

bool is_ideograph(char32_t c) {
    return within(c, 0x4e00, 0x9fff) || within(c, 0x3400, 0x4dbf) || within(c, 0x20000, 0x2ceaf) ||
           within(c, 0xf900, 0xfaff) || within(c, 0x2f800, 0x2fa1f);
}

bool is_sign(char32_t c) {
    return within(c, 33, 47) || within(c, 58, 64) || within(c, 91, 96) || within(c, 123, 126) ||
           c == 0xa1 || c == 0xa7 || c == 0xab || c == 0xb6 || c == 0xb7 || c == 0xbb ||
           c == 0xbf || within(c, 0x2010, 0x2027) || within(c, 0x2030, 0x205e) ||
           within(c, 0x3001, 0x3003) || within(c, 0x3008, 0x3011) || within(c, 0xff01, 0xff0f) ||
           within(c, 0xff1a, 0xff20);
}

bool is_gap(char32_t c) {
    return c <= 0x20 || within(c, 0x7f, 0xa0) || c == 0xad || within(c, 0x2000, 0x200f) ||
           within(c, 0x2028, 0x202f) || c == 0x3000 || c == 0xfeff || c == 0xfffd;
}

// Small, and without its accent: what stands for the letters from U+00C0 and from U+0100 on. A
// space keeps the letter.
char plain_letter(char32_t c) {
    static constexpr std::string_view kLatin1 =
        "aaaaaa ceeeeiiii nooooo  uuuuy  aaaaaa ceeeeiiii nooooo  uuuuy y";
    static constexpr std::string_view kExtended =
        "aaaaaaccccccccdd  eeeeeeeeeegggggggghh  iiiiiiiii   jjkk llllll    nnnnnn   oooooo  "
        "rrrrrrss"
        "sssssstttt  uuuuuuuuuuuuwwyyyzzzzzz ";
    if (within(c, 0xc0, 0xff)) return kLatin1[c - 0xc0];
    if (within(c, 0x100, 0x17f) && c - 0x100 < kExtended.size()) return kExtended[c - 0x100];
    return ' ';
}

// The letter in its small form, as UTF-8; empty for an accent that stands by itself.
std::string letter_of(char32_t c, std::string_view written) {
    if (within(c, 'A', 'Z')) return std::string(1, static_cast<char>(c + 32));
    if (c < 0x80) return std::string(written);
    if (within(c, 0x300, 0x36f)) return {};
    if (const char plain = plain_letter(c); plain != ' ') return std::string(1, plain);
    const bool capital = within(c, 0x391, 0x3a9) || within(c, 0x410, 0x42f);
    if (within(c, 0xc0, 0xde) || capital) {
        const char32_t small = c + 32;
        return {static_cast<char>(0xc0 | small >> 6), static_cast<char>(0x80 | (small & 0x3f))};
    }
    return std::string(written);
}

}  // namespace

Result<WordPieces> WordPieces::open(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error{Code::NotFound, path + " cannot be opened: " + std::strerror(errno)};
    std::string text(kVocabularyBytesMax, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    auto pieces = from_text(text);
    if (!pieces) return pieces.error().during(path);
    return pieces;
}

Result<WordPieces> WordPieces::from_text(std::string_view vocabulary) {
    WordPieces pieces;
    std::uint32_t id = 0;
    while (!vocabulary.empty()) {
        auto line = vocabulary.substr(0, vocabulary.find('\n'));
        vocabulary.remove_prefix(std::min(line.size() + 1, vocabulary.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        pieces.ids_.emplace(std::string(line), id++);
    }
    for (const auto& [name, place] :
         {std::pair("[UNK]", &pieces.unknown_), std::pair("[CLS]", &pieces.begin_),
          std::pair("[SEP]", &pieces.end_)}) {
        const auto found = pieces.ids_.find(name);
        if (found == pieces.ids_.end()) {
            return Error{Code::InvalidArgument, std::string("the vocabulary has no ") + name};
        }
        *place = found->second;
    }
    return pieces;
}

void WordPieces::add_word(const std::string& word, std::vector<std::uint32_t>& into) const {
    std::vector<std::uint32_t> pieces;
    std::size_t at = 0;
    const auto letters =
        static_cast<std::size_t>(std::count_if(word.begin(), word.end(), [](char c) {
            return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
        }));
    while (at < word.size() && letters <= kWordLettersMax) {
        std::size_t end = word.size();
        auto found = ids_.end();
        while (end > at) {
            found = ids_.find((at > 0 ? "##" : "") + word.substr(at, end - at));
            if (found != ids_.end()) break;
            // Not in the middle of a character.
            do {
                --end;
            } while (end > at && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80);
        }
        if (end == at) break;
        pieces.push_back(found->second);
        at = end;
    }
    if (at < word.size()) {
        into.push_back(unknown_);
    } else {
        into.insert(into.end(), pieces.begin(), pieces.end());
    }
}

std::vector<std::uint32_t> WordPieces::pieces_of(std::string_view text, std::size_t most) const {
    std::vector<std::uint32_t> pieces{begin_};
    std::string word;
    const auto end_word = [&] {
        if (!word.empty()) add_word(word, pieces);
        word.clear();
    };
    for (std::size_t at = 0; at < text.size() && pieces.size() < most;) {
        const auto point = point_at(text, at);
        const auto written = text.substr(at, point.bytes);
        at += point.bytes;
        if (point.code == 0) continue;
        if (is_gap(point.code)) {
            end_word();
        } else if (is_sign(point.code) || is_ideograph(point.code)) {
            end_word();
            add_word(std::string(written), pieces);
        } else {
            word += letter_of(point.code, written);
        }
    }
    if (pieces.size() < most) end_word();
    if (pieces.size() > most - 1) pieces.resize(most - 1);
    pieces.push_back(end_);
    return pieces;
}

}  // namespace atl::minilm
