#include "models/offline/mentions.hpp"
#include "models/offline/data.hpp"

#include "models/offline/plain_words.hpp"
#include "models/offline/row_families.hpp"
#include "models/offline/same_values.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace atl::offline {
namespace {

using Words = std::vector<Token>;

constexpr std::size_t kPhraseMax = 10;  // tokens of a name or value said in a question
constexpr int kLeast = 45;

// Whether tokens without the spaces between them are the text: "order date" and orderdate.
bool reads_together(const Words& tokens, std::size_t begin, std::size_t end,
                    std::string_view text) {
    for (std::size_t i = begin; i < end; ++i) {
        if (!text.starts_with(tokens[i].text)) return false;
        text.remove_prefix(tokens[i].text.size());
    }
    return text.empty();
}

// The tokens as one text: English words with spaces between them, Chinese without.
std::string joined(const Words& tokens, std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) {
        const bool is_apart = !text.empty() && !tokens[i].is_han();
        text += (is_apart ? " " : "") + tokens[i].text;
    }
    return text;
}

bool is_equal(const Token& a, const Token& b) { return a.stem == b.stem || a.text == b.text; }

// cancelled and cancellation, recommend and recommendation
std::string root_of(std::string word) {
    for (const std::string_view ending :
         {"ations", "ation", "ance", "ments", "ment", "ions", "ion", "ings", "ing", "ers", "er",
          "ed", "es", "al", "ly", "e"}) {
        if (word.size() >= ending.size() + 5 && word.ends_with(ending)) {
            word.resize(word.size() - ending.size());
            break;
        }
    }
    if (word.size() > 5 && word[word.size() - 1] == word[word.size() - 2]) word.pop_back();
    return word;
}

// resolution and resolved, conversion and converted
bool is_noun_of_verb(std::string_view noun, std::string_view verb) {
    static const auto& kEndings = word_pairs("noun and verb");
    for (const auto& [of_noun, of_verb] : kEndings) {
        if (noun.size() < of_noun.size() + 2 || noun.size() < 7 || !noun.ends_with(of_noun))
            continue;
        std::string stem(noun.substr(0, noun.size() - of_noun.size()));
        if (of_verb != "*") stem += of_verb;
        if (verb.starts_with(stem) && verb.size() <= stem.size() + 3) return true;
    }
    return false;
}

// Nearly the same word: another ending (refund, refunded).
bool is_near(const Token& said, const Token& meant) {
    if (is_equal(said, meant)) return true;
    if (!said.is_word() || !meant.is_word()) return false;
    if (said.stem.substr(0, 4) != meant.stem.substr(0, 4)) return false;
    if (root_of(said.stem).size() >= 5 && root_of(said.stem) == root_of(meant.stem)) return true;
    if (is_noun_of_verb(said.stem, meant.stem) || is_noun_of_verb(meant.stem, said.stem))
        return true;
    const auto& shorter = said.stem.size() < meant.stem.size() ? said.stem : meant.stem;
    const auto& longer = said.stem.size() < meant.stem.size() ? meant.stem : said.stem;
    if (shorter.size() < 4 || longer.size() - shorter.size() > 5 || !longer.starts_with(shorter)) {
        return false;
    }
    const std::string ending = longer.substr(shorter.size());
    if (shorter.size() == 4) return ending == "ing" || ending == "ed";
    static const auto& kEndings = word_list("is near endings");
    return kEndings.contains(ending);
}

template <class Same>
bool stands_in(const Words& tokens, std::size_t at, const Words& words, std::size_t from,
               std::size_t count, Same same) {
    for (std::size_t i = 0; i < count; ++i) {
        if (!same(tokens[at + i], words[from + i])) return false;
    }
    return true;
}

bool is_form_of_be(const Token& token) {
    static const std::set<std::string> kForms = {"is", "are", "was", "were", "been", "being"};
    return kForms.contains(token.text);
}

class Matcher {
public:
    Matcher(const Words& tokens, const std::vector<Tag>& tags, const std::vector<TimeSpan>& times,
            const Schema& schema)
        : tokens_(tokens),
          schema_(schema),
          taken_(tokens.size()),
          tag_length_(tokens.size()),
          is_function_(tokens.size()),
          is_grain_(tokens.size()) {
        for (const Token& token : tokens) is_noise_.push_back(is_noise(token));
        for (const TimeSpan& time : times) {
            for (std::size_t i = time.begin; i < time.end; ++i) taken_[i] = true;
        }
        for (const Tag& tag : tags) {
            for (std::size_t i = tag.begin; i < tag.end; ++i) {
                tag_length_[i] = std::max(tag_length_[i], tag.end - tag.begin);
                const bool may_name = tag.word == Word::Of || tag.word == Word::Negative ||
                                      tag.word == Word::Forecast || tag.word == Word::Why ||
                                      tag.word == Word::Advice || tag.word == Word::Ratio;
                if (!may_name) is_function_[i] = true;
                if (tag.word == Word::Yearly || tag.word == Word::Monthly ||
                    tag.word == Word::Quarterly || tag.word == Word::Weekly ||
                    tag.word == Word::Daily || tag.word == Word::Hourly) {
                    is_grain_[i] = true;
                }
            }
        }
    }

    std::vector<Mention> find() {
        std::vector<Mention> out;
        for (std::size_t at = 0; at < tokens_.size();) {
            Mention best;
            const std::size_t longest = std::min(kPhraseMax, tokens_.size() - at);
            for (std::size_t n = longest; n > 0 && best.candidates.empty(); --n) {
                best = mention(at, at + n);
            }
            if (best.candidates.empty()) {
                ++at;
            } else {
                at = best.end;
                out.push_back(std::move(best));
            }
        }
        return out;
    }

private:
    [[nodiscard]] bool is_free(std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i) {
            // inside a longer phrase of the vocabulary: "how many", 人数
            const bool is_grain = is_grain_[i] && end - begin == 1 && is_after_by(i);
            if (taken_[i] || (tag_length_[i] > end - begin && !is_grain)) return false;
        }
        return !tokens_[begin].is_sign();
    }

    [[nodiscard]] Mention mention(std::size_t begin, std::size_t end) const {
        Mention out;
        if (!is_free(begin, end)) return out;
        out.begin = begin;
        out.end = end;
        std::vector<Candidate> columns;
        std::vector<Candidate> values;
        for (std::size_t t = 0; t < schema_.tables.size(); ++t) {
            for (std::size_t c = 0; c < schema_.tables[t].columns.size(); ++c) {
                const Column& column = schema_.tables[t].columns[c];
                const int score = column_score(column, begin, end);
                if (score < kOwnName && column.is_flag() &&
                    are_rows(schema_.tables[t], begin, end)) {
                    continue;
                }
                if (score >= kLeast) columns.push_back({{t, c}, score, ""});
                best_value(column, {t, c}, begin, end, values);
            }
        }
        drop_shared_beginnings(columns, begin, end);
        drop_beginnings_of_names(columns, begin, end);
        const auto better = [](const Candidate& a, const Candidate& b) {
            return a.score > b.score;
        };
        std::ranges::stable_sort(columns, better);
        std::ranges::stable_sort(values, better);
        const int column_best = columns.empty() ? 0 : columns[0].score;
        const int value_best = values.empty() ? 0 : values[0].score;
        out.is_value = value_best > column_best;
        out.candidates = out.is_value ? std::move(values) : std::move(columns);
        return out;
    }

    // "calls" of a call log are its rows, and not resolved_1st_call.
    [[nodiscard]] bool are_rows(const Table& table, std::size_t begin, std::size_t end) const {
        const auto is_same = [&](const Token& word) { return word.stem == tokens_[begin].stem; };
        return end - begin == 1 && (std::ranges::any_of(table.words, is_same) ||
                                    std::ranges::any_of(table.row_words, is_same));
    }

    // "sales" are the money where there is some, and not the beginning of Sales Channel.
    void drop_beginnings_of_names(std::vector<Candidate>& columns, std::size_t begin,
                                  std::size_t end) const {
        const auto is_figure = [&](const Candidate& c) {
            const Column& column = at(schema_, c.field);
            return column.is_number() && !column.is_id && !column.is_flag();
        };
        // with a price and a quantity sales are their product, and no column at all
        static const std::set<std::string> kMoney = {"sale", "revenue", "turnover"};
        const bool is_money = end - begin == 1 && kMoney.contains(tokens_[begin].stem);
        if (!is_money && std::ranges::none_of(columns, is_figure)) return;
        std::erase_if(columns, [&](const Candidate& c) {
            const Column& column = at(schema_, c.field);
            const int part = part_score(column.strong, begin, end, false);
            return column.is_text() && part > 0 && part < 68 && part == c.score;
        });
    }

    // 患者 begins several names and is none of them.
    void drop_shared_beginnings(std::vector<Candidate>& columns, std::size_t begin,
                                std::size_t end) const {
        const auto is_beginning = [&](const Candidate& c) {
            const Column& column = at(schema_, c.field);
            const int part = part_score(column.strong, begin, end, column.is_number());
            return part > 0 && part < 68 && part == c.score;
        };
        if (std::ranges::count_if(columns, is_beginning) <= 1) return;
        // 读者 is the one of 读者姓名, not of 读者类型
        const auto is_name = [&](const Candidate& c) {
            const Column& column = at(schema_, c.field);
            return column.is_text() && column.means("name");
        };
        const auto named = std::ranges::find_if(
            columns, [&](const Candidate& c) { return is_beginning(c) && is_name(c); });
        std::optional<Field> kept =
            named == columns.end() ? std::nullopt : std::optional(named->field);
        std::erase_if(columns, [&](const Candidate& c) {
            return is_beginning(c) && (!kept || c.field != *kept);
        });
    }
    // "by make", "per year", "which state"; 各店
    [[nodiscard]] bool is_after_by(std::size_t at) const {
        static const auto& kWords = word_list("is after by words");
        return at > 0 && kWords.contains(tokens_[at - 1].text);
    }
    // Function words are columns only when the name is exactly theirs: "total", "month".
    [[nodiscard]] bool only_functions(std::size_t begin, std::size_t end) const {
        bool is_word = end - begin > 1;  // 分类: two characters that are particles by themselves
        for (std::size_t i = begin; i < end; ++i) {
            if (!is_function_[i] && !is_noise_[i]) return false;
            is_word = is_word && tokens_[i].is_han() && tag_length_[i] <= 1;
        }
        return !is_word;
    }

    [[nodiscard]] int column_score(const Column& column, std::size_t begin, std::size_t end) const {
        const Words& words = column.words;
        const std::size_t n = end - begin;
        if (words.empty()) return 0;
        const bool strict = only_functions(begin, end);
        // 是否相关 asks of no column 是否破损
        if (n == 2 && tokens_[begin].text == "是" && tokens_[begin + 1].text == "否") return 0;
        if (n == words.size() && stands_in(tokens_, begin, words, 0, n, is_equal)) {
            const bool is_stop = n == 1 && is_noise(tokens_[begin]) && !tokens_[begin].is_quoted;
            return is_stop && !is_after_by(begin) ? 0 : 100;  // "by make" of a column "make"
        }
        if (n == 1 && tag_length_[begin] > 1) return 0;  // "by year": only the very name
        if (n < words.size() + 3 && reads_together(tokens_, begin, end, column.together)) {
            return 96;
        }
        const Words& strong = column.strong;
        if (strict) return 0;
        if (!strong.empty() && n == strong.size() &&
            stands_in(tokens_, begin, strong, 0, n, is_equal)) {
            return 95;
        }
        int best = 0;
        if (n == words.size() && stands_in(tokens_, begin, words, 0, n, is_near)) best = 80;
        if (n == strong.size() && stands_in(tokens_, begin, strong, 0, n, is_near)) best = 78;
        // on_time is said in full
        static const auto& kTimes = word_list("column score times");
        const bool is_of_flag = column.is_flag() && n == 1 && kTimes.contains(tokens_[begin].stem);
        if (!is_of_flag) best = std::max(best, part_score(strong, begin, end, column.is_number()));
        const bool is_kind = n == 1 && column.is_text() && words.size() > 1 &&
                             tokens_[begin].stem == "type" && words.back().stem == "type" &&
                             (end == tokens_.size() || tokens_[end].text != "of");
        if (is_kind) best = std::max(best, 62);  // "by type" of Expense Type
        best = std::max(best, composed_score(column, begin, end));
        return std::max(best, meaning_score(column, begin, end));
    }

    [[nodiscard]] static bool names_person(const Token& token) {
        static const auto& kPeople = word_list("names person people");
        return kPeople.contains(token.stem);
    }
    [[nodiscard]] int part_score(const Words& strong, std::size_t begin, std::size_t end,
                                 bool is_number) const {
        const std::size_t n = end - begin;
        if (n >= strong.size()) return 0;
        if (n == 1 && tokens_[begin].is_han()) return 0;
        if (n == 1 && tokens_[begin].is_word() && tokens_[begin].text.size() < 3) { return 0; }
        if (n == 1 && (is_noise(tokens_[begin]) || tokens_[begin].is_number())) { return 0; }
        for (std::size_t from = 0; from + n <= strong.size(); ++from) {
            if (!stands_in(tokens_, begin, strong, from, n, is_near)) continue;
            // "driver" is none of DriverRating, though "rating" is; nor "by customer" by country
            if (from == 0 && n == 1 && names_person(tokens_[begin]) &&
                (is_number || is_after_by(begin))) {
                return 0;
            }
            if (from == 0 && is_number && tokens_[begin].is_han() &&
                is_name_phrase(tokens_, begin, end)) {
                return 0;  // 乘客 of 乘客评分
            }
            const int share = static_cast<int>(10 * n / strong.size());
            return (from + n == strong.size() ? 68 : 54) + share;
        }
        return 0;
    }

    // 贷款 is rather 贷款余额 than 存款余额, though both are balances.
    [[nodiscard]] int own_words(const Column& column, std::size_t begin, std::size_t end) const {
        std::string said;
        for (std::size_t i = begin; i < end; ++i) {
            if (!tokens_[i].is_han()) return 0;
            said += tokens_[i].text;
        }
        return column.name.find(said) != std::string::npos ? 2 : 0;
    }
    // 城市 is rather "city" than "site_name", though both are places.
    [[nodiscard]] static int is_named_so(const Column& column, const Concept& about) {
        return column.words.size() == 1 && column.words[0].stem == about.name ? 1 : 0;
    }
    // "net sales" for Net Amt.: each word is one of the name's or says what the column is about.
    [[nodiscard]] int composed_score(const Column& column, std::size_t begin,
                                     std::size_t end) const {
        if (end - begin < 2 || end - begin > 4) return 0;
        std::size_t by_name = 0;
        std::size_t by_meaning = 0;
        for (std::size_t i = begin; i < end; ++i) {
            if (!tokens_[i].is_word()) return 0;
            const bool is_inside = i > begin && i + 1 < end;
            if (is_inside && (tokens_[i].text == "of" || tokens_[i].text == "the")) continue;
            const bool is_named = std::ranges::any_of(
                column.strong, [&](const Token& word) { return is_near(tokens_[i], word); });
            if (is_named) {
                ++by_name;
            } else if (says_meaning(column, i)) {
                ++by_meaning;
            } else {
                return 0;
            }
        }
        return by_name > 0 && by_meaning > 0 ? 76 : 0;
    }
    [[nodiscard]] bool says_meaning(const Column& column, std::size_t at) const {
        return std::ranges::any_of(column.meanings, [&](const Concept* c) {
            return std::ranges::any_of(c->phrases, [&](const Words& phrase) {
                return phrase.size() == 1 && matches_at(tokens_, at, phrase);
            });
        });
    }

    [[nodiscard]] int meaning_score(const Column& column, std::size_t begin,
                                    std::size_t end) const {
        int worth = 67;
        std::size_t index = 0;
        for (const Concept* about : column.meanings) {
            // 项目经理 is a manager, and a project only in front of it
            if (column.is_text() && index++ >= column.head_meanings) {
                worth = std::min(worth, kLeast + 5);
            }
            for (const Words& phrase : about->phrases) {
                if (phrase.size() != end - begin) continue;
                const bool is_one_character = phrase.size() == 1 && phrase[0].is_han();
                const bool is_name = about->nature == Nature::Name;
                if (is_one_character && is_name && !is_after_by(begin))
                    continue;  // 接单 is no 订单
                // "by customer" is no CustomerCountry
                if (is_name && about != column.meanings[0] && phrase.size() == 1 &&
                    names_person(tokens_[begin]) && is_after_by(begin)) {
                    continue;
                }
                if (matches_at(tokens_, begin, phrase))
                    return worth + own_words(column, begin, end) + is_named_so(column, *about);
            }
            worth = std::max(kLeast + 5, worth - 8);
        }
        return 0;
    }

    void best_value(const Column& column, Field field, std::size_t begin, std::size_t end,
                    std::vector<Candidate>& out) const {
        if (!column.is_text() || column.is_flag()) return;
        // 哪个更高 compares and names no risk 高
        static const std::set<std::string> kDegrees = {"更", "最", "较", "很", "越", "偏", "太"};
        const bool is_degree = end - begin == 1 && begin > 0 && tokens_[begin].is_han() &&
                               kDegrees.contains(tokens_[begin - 1].text);
        if (is_degree) return;
        Candidate best{field, 0, ""};
        std::size_t partial = 0;
        for (std::size_t v = 0; v < column.values.size(); ++v) {
            const int score = value_score(column.values[v], column.value_words[v], begin, end);
            if (score > 0 && score < 60) ++partial;
            if (score > best.score) best = {field, score, column.values[v]};
        }
        // part of several values says none of them
        if (best.score >= kLeast && (best.score >= 60 || partial == 1)) { out.push_back(best); }
    }

    // "women" for F, 德国 for Germany; one character is too little for a word of its own
    [[nodiscard]] bool is_said_otherwise(const Words& words, std::size_t begin,
                                         std::size_t end) const {
        constexpr std::size_t kLongest = 4;
        if (end - begin > kLongest) return false;
        // "did not show up" is four words that mean little one by one
        const bool is_state = begin > 0 && is_form_of_be(tokens_[begin - 1]);  // "were declined"
        if (end - begin == 1 &&
            (tokens_[begin].text.size() < 2 || (only_functions(begin, end) && !is_state))) {
            return false;
        }
        if (tokens_[begin].is_han() && end - begin < 2) return false;
        const std::string value = joined(words, 0, words.size());
        if (is_other_word_for(joined(tokens_, begin, end), value)) return true;
        return end - begin == 1 && is_other_word_for(tokens_[begin].stem, value);
    }

    [[nodiscard]] int value_score(const std::string& value, const Words& words, std::size_t begin,
                                  std::size_t end) const {
        const std::size_t n = end - begin;
        if (words.empty()) return 0;
        if (is_said_otherwise(words, begin, end)) return 84;
        if (n > words.size()) return 0;
        const Token& first = tokens_[begin];
        if (n == words.size() && stands_in(tokens_, begin, words, 0, n, is_equal)) {
            if (n == 1 && first.is_number() && !first.is_quoted) return 0;
            // "breakdowns" of a value Breakdown: many of them are no way to group
            const bool is_plural = n == 1 && first.text == words[0].text + "s";
            const bool is_common = only_functions(begin, end) && !is_plural;
            if (is_common && first.is_word() && !first.is_quoted) {
                // "IT" and "in", "US" and "us": only as it is written in the table
                return n == 1 && first.as_written == value && first.as_written != first.text ? 92
                       : n > 1                                                               ? 90
                                                                                             : 0;
            }
            if (is_common && n == 1 && first.is_han()) return 0;
            return 92;
        }
        if (only_functions(begin, end)) return 0;
        if (n == words.size()) {
            // a word that has its own sense is no slip of the keyboard: "grade" is not Grace
            const bool may_be_slip =
                n > 1 ||
                (first.text.size() >= 6 && !is_concept_word(first) && !is_plain_word(first)) ||
                first.is_han() || root_of(first.stem) == root_of(words[0].stem);
            return may_be_slip && stands_in(tokens_, begin, words, 0, n, is_near) ? 72 : 0;
        }
        const bool is_long = first.is_han() ? n >= 2 : first.text.size() >= 4;
        const bool is_prefix = stands_in(tokens_, begin, words, 0, n, is_equal);
        const bool is_pronoun = first.text == "ones" || first.text == "others";
        if (is_long && is_prefix && !first.is_number() && !is_pronoun) return 56;
        return 0;
    }

    const Words& tokens_;
    const Schema& schema_;
    std::vector<bool> taken_;
    std::vector<std::size_t> tag_length_;
    std::vector<bool> is_function_;
    std::vector<bool> is_grain_;
    std::vector<bool> is_noise_;
};

}  // namespace

std::vector<Mention> mentions_of(const std::vector<Token>& tokens, const std::vector<Tag>& tags,
                                 const std::vector<TimeSpan>& times, const Schema& schema) {
    return Matcher(tokens, tags, times, schema).find();
}

}  // namespace atl::offline
