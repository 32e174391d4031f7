#include "models/offline/text.hpp"
#include "models/offline/data.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace atl::offline {
namespace {

struct Point {
    char32_t code = 0;
    std::size_t length = 1;
};

Point point_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned first = byte(at);
    const auto follow = [&](std::size_t i) { return (byte(at + i) & 0xC0U) == 0x80U; };
    if (first < 0x80) return {static_cast<char32_t>(first), 1};
    if (first >= 0xC2 && first < 0xE0 && follow(1)) {
        return {static_cast<char32_t>(((first & 0x1FU) << 6U) | (byte(at + 1) & 0x3FU)), 2};
    }
    if (first >= 0xE0 && first < 0xF0 && follow(1) && follow(2)) {
        return {static_cast<char32_t>(((first & 0x0FU) << 12U) | ((byte(at + 1) & 0x3FU) << 6U) |
                                      (byte(at + 2) & 0x3FU)),
                3};
    }
    if (first >= 0xF0 && first < 0xF5 && follow(1) && follow(2) && follow(3)) {
        return {0x10000, 4};  // no letters that a question needs
    }
    return {0, 1};
}

bool is_han(char32_t c) { return (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF); }

// Full-width letters, digits and signs are the ASCII ones; a few Chinese signs have cousins there.
char32_t folded(char32_t c) {
    if (c >= 0xFF01 && c <= 0xFF5E) return c - 0xFEE0;
    switch (c) {
        case 0x3000: return ' ';
        case 0x3001: return ',';
        case 0x3002: return '.';
        case 0x201C:
        case 0x201D:
        case 0x300C:
        case 0x300D: return '"';
        case 0x2018:
        case 0x2019: return '\'';
        case 0x2013:
        case 0x2014: return '-';
        default: return c;
    }
}

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }

bool is_letter(char32_t c) {
    if (c < 0x80) return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return c >= 0xC0 && c != 0xD7 && c != 0xF7 && c < 0x2000;
}

struct Character {
    char32_t code;
    std::size_t begin;
    std::size_t length;
};

std::string lower(std::string_view text) {
    std::string out(text);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i] >= 'A' && out[i] <= 'Z') {
            out[i] = static_cast<char>(out[i] - 'A' + 'a');
        } else if (out[i] == '\xC3' && i + 1 < out.size()) {  // À to Þ
            const auto next = static_cast<unsigned char>(out[i + 1]);
            if (next >= 0x80 && next <= 0x9E && next != 0x97) {
                out[i + 1] = static_cast<char>(next + 0x20);
            }
            ++i;
        }
    }
    return out;
}

std::string two_digits(int value) { return (value < 10 ? "0" : "") + std::to_string(value); }

class Scanner {
public:
    explicit Scanner(std::string_view text, bool is_name) : text_(text), is_name_(is_name) {
        for (std::size_t at = 0; at < text.size();) {
            const Point point = point_at(text, at);
            characters_.push_back({folded(point.code), at, point.length});
            at += point.length;
        }
    }

    std::vector<Token> scan() {
        while (at_ < characters_.size()) step();
        return std::move(tokens_);
    }

private:
    [[nodiscard]] char32_t code(std::size_t i) const {
        return i < characters_.size() ? characters_[i].code : 0;
    }
    [[nodiscard]] std::string written(std::size_t from, std::size_t to) const {
        std::string out;
        for (std::size_t i = from; i < to; ++i) {
            const Character& c = characters_[i];
            if (c.code < 0x80) {
                out += static_cast<char>(c.code);
            } else {
                out += text_.substr(c.begin, c.length);
            }
        }
        return out;
    }
    void add(Token token) {
        token.is_quoted = quoted_;
        token.is_bracketed = bracketed_;
        tokens_.push_back(std::move(token));
    }

    void step() {
        const char32_t c = code(at_);
        if (c == '"' && !is_name_) {
            quoted_ = !quoted_;
            ++at_;
        } else if ((c == '(' || c == ')') && !is_name_) {
            bracketed_ = c == '(';
            ++at_;
        } else if (is_han(c)) {
            const std::string text = written(at_, at_ + 1);
            add({Token::Kind::Han, text, text, text, 0, "", false});
            ++at_;
        } else if (is_digit(c)) {
            if (!take_date()) take_number();
        } else if (is_letter(c)) {
            take_word();
        } else {
            take_sign(c);
        }
    }

    // 2024-03-05, 2024/3/5, 2024.3.5, 2024-03
    bool take_date() {
        std::size_t i = at_;
        const auto digits = [&](std::size_t most) {
            int value = 0;
            std::size_t n = 0;
            for (; is_digit(code(i)) && n < most; ++n, ++i) {
                value = value * 10 + static_cast<int>(code(i) - '0');
            }
            return n == 0 || is_digit(code(i)) ? -1 : value;
        };
        const int year = digits(4);
        if (year < 1900 || year > 2100) return false;
        const char32_t sign = code(i);
        if (sign != '-' && sign != '/' && sign != '.') return false;
        ++i;
        const int month = digits(2);
        if (month < 1 || month > 12) return false;
        std::string date = std::to_string(year) + "-" + two_digits(month);
        if (code(i) == sign && is_digit(code(i + 1))) {
            ++i;
            const int day = digits(2);
            if (day < 1 || day > 31) return false;
            date += "-" + two_digits(day);
        } else if (sign == '.') {
            return false;
        }
        const std::string text = written(at_, i);
        add({Token::Kind::Date, text, text, text, 0, date, false});
        at_ = i;
        return true;
    }

    void take_number() {
        std::size_t i = at_;
        std::string digits;
        while (is_digit(code(i)) ||
               ((code(i) == '.' || code(i) == ',') && is_digit(code(i + 1)) && i > at_)) {
            if (code(i) == ',' &&
                !(is_digit(code(i + 2)) && is_digit(code(i + 3)) && !is_digit(code(i + 4)))) {
                break;
            }
            if (code(i) != ',') digits += static_cast<char>(code(i));
            ++i;
        }
        Token token{
            Token::Kind::Number, "", "", "", std::strtod(digits.c_str(), nullptr), "", false};
        const char32_t unit = code(i) | 0x20U;
        if ((unit == 'k' || unit == 'm') && !is_letter(code(i + 1))) {
            token.number *= unit == 'k' ? 1e3 : 1e6;
            ++i;
        } else if (is_letter(code(i)) && digits.size() < 6 && !is_name_ && !is_suffix(i)) {
            // "3M-200" and "4th": a word that begins with digits
            take_word();
            return;
        }
        token.text = written(at_, i);
        token.stem = token.as_written = token.text;
        if (at_ > 0 && code(at_ - 1) == '-' && (at_ < 2 || code(at_ - 2) == ' ')) {
            token.number = -token.number;
        }
        add(std::move(token));
        at_ = i;
    }
    // 1st, 2nd, 3rd, 4th, 30s, 10pm: the number counts
    [[nodiscard]] bool is_suffix(std::size_t i) const {
        const std::string rest = lower(written(i, std::min(i + 2, characters_.size())));
        const bool is_ordinal = rest == "st" || rest == "nd" || rest == "rd" || rest == "th";
        if (is_ordinal && !is_letter(code(i + 2))) return true;
        std::size_t end = i;
        while (is_letter(code(end))) ++end;
        static const auto& kUnits = word_list("number units");
        const std::string unit = lower(written(i, end));
        return !is_digit(code(end)) && kUnits.contains(unit);
    }

    void take_word() {
        std::size_t i = at_;
        const auto is_part = [&](std::size_t k) {
            const char32_t c = code(k);
            if (is_letter(c)) return true;
            if (is_digit(c)) return !is_name_;
            // C-0042, O'Neill, R&D stay whole in a question; an e-mail address too
            return !is_name_ && (c == '_' || c == '@' || c == '&' || c == '\'' || c == '-') &&
                   k > at_ && (is_letter(code(k + 1)) || is_digit(code(k + 1))) &&
                   (c != '-' || is_digit(code(k + 1)));
        };
        while (is_part(i)) {
            const bool camel = is_name_ && i > at_ && code(i) < 0x80 && code(i) >= 'A' &&
                               code(i) <= 'Z' &&
                               (code(i - 1) >= 'a' || (code(i + 1) >= 'a' && code(i + 1) <= 'z'));
            if (camel) break;
            ++i;
        }
        if (i == at_) i = at_ + 1;
        std::string as_written = written(at_, i);
        std::string text = lower(as_written);
        if (text.size() > 2 && text.ends_with("'s")) text.resize(text.size() - 2);
        if (!is_name_ && text.find('_') != std::string::npos) {
            take_snake(as_written);  // payment_method, said as the column's name
        } else {
            add({Token::Kind::Word, text, stem_of(text), as_written, 0, "", false});
        }
        at_ = i;
    }
    void take_snake(const std::string& as_written) {
        for (Token& part : tokens_of_name(as_written)) add(std::move(part));
    }

    void take_sign(char32_t c) {
        static constexpr std::array<std::pair<char32_t, const char*>, 12> kSigns = {{{'<', "<"},
                                                                                     {'>', ">"},
                                                                                     {'=', "="},
                                                                                     {'%', "%"},
                                                                                     {0x2265, ">="},
                                                                                     {0x2264, "<="},
                                                                                     {0x2260, "!="},
                                                                                     {'!', "!"},
                                                                                     {',', ","},
                                                                                     {'?', "?"},
                                                                                     {';', ","},
                                                                                     {'~', "-"}}};
        for (const auto& [sign, name] : kSigns) {
            if (sign != c || is_name_) continue;
            std::string text = name;
            if (code(at_ + 1) == '=' && (c == '<' || c == '>' || c == '!')) {
                text += "=";
                ++at_;
            }
            if (text != "!") add({Token::Kind::Sign, text, text, text, 0, "", false});
            break;
        }
        if (c == '-' && !is_name_ && at_ > 0 && is_digit(code(at_ - 1)) &&
            is_digit(code(at_ + 1))) {
            add({Token::Kind::Sign, "-", "-", "-", 0, "", false});
        }
        ++at_;
    }

    std::string_view text_;
    bool is_name_;
    std::vector<Character> characters_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    bool quoted_ = false;
    bool bracketed_ = false;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) { return Scanner(text, false).scan(); }
std::vector<Token> tokens_of_name(std::string_view name) { return Scanner(name, true).scan(); }

std::vector<std::string_view> parts_of(std::string_view list) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t bar = std::min(list.find('|', at), list.size());
        if (bar > at) parts.push_back(list.substr(at, bar - at));
        at = bar + 1;
    }
    return parts;
}

std::vector<std::vector<Token>> phrases_of(std::string_view list) {
    std::vector<std::vector<Token>> phrases;
    for (const std::string_view part : parts_of(list)) {
        auto tokens = tokens_of(part);
        if (!tokens.empty()) phrases.push_back(std::move(tokens));
    }
    return phrases;
}

std::string stem_of(std::string_view word) {
    std::string stem(word);
    const auto drop = [&](std::size_t n) { stem.resize(stem.size() - n); };
    if (stem.size() > 4 && stem.ends_with("ies")) {
        drop(3);
        return stem + "y";
    }
    for (const char* end : {"sses", "ches", "shes", "xes"}) {
        if (stem.size() > 4 && stem.ends_with(end)) {
            drop(2);
            return stem;
        }
    }
    if (stem.size() > 3 && stem.ends_with("s") && !stem.ends_with("ss") && !stem.ends_with("us") &&
        !stem.ends_with("is")) {
        drop(1);
    }
    return stem;
}

bool has_han(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const Point point = point_at(text, at);
        if (is_han(point.code)) return true;
        at += point.length;
    }
    return false;
}

std::optional<double> number_word(const Token& token) {
    static const std::array<std::pair<std::string_view, double>, 32> kWords = {
        {{"one", 1},       {"two", 2},      {"three", 3},   {"four", 4},    {"five", 5},
         {"six", 6},       {"seven", 7},    {"eight", 8},   {"nine", 9},    {"ten", 10},
         {"twelve", 12},   {"fifteen", 15}, {"twenty", 20}, {"thirty", 30}, {"fifty", 50},
         {"hundred", 100}, {"一", 1},       {"二", 2},      {"两", 2},      {"三", 3},
         {"四", 4},        {"五", 5},       {"六", 6},      {"七", 7},      {"八", 8},
         {"九", 9},        {"十", 10},      {"廿", 20},     {"百", 100},    {"dozen", 12},
         {"零", 0},        {"千", 1000}}};
    if (token.is_number()) return token.number;
    for (const auto& [word, value] : kWords) {
        if (token.text == word) return value;
    }
    return std::nullopt;
}

bool matches_at(const std::vector<Token>& tokens, std::size_t at,
                const std::vector<Token>& phrase) {
    if (phrase.empty() || at + phrase.size() > tokens.size()) return false;
    for (std::size_t i = 0; i < phrase.size(); ++i) {
        if (tokens[at + i].stem != phrase[i].stem && tokens[at + i].text != phrase[i].text) {
            return false;
        }
    }
    return true;
}

}  // namespace atl::offline
