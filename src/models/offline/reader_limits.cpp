// What cannot be read off the table: better said than answered with another figure.
#include "models/offline/data.hpp"
#include "models/offline/plain_words.hpp"
#include "models/offline/reader.hpp"
#include "models/offline/row_families.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {
namespace {

// Nouns for rows of any table, and for people, who are rows only of a table about them.
const std::set<std::string>& row_nouns() {
    static const auto& nouns = word_list("row nouns nouns");
    return nouns;
}

bool shares_concept(const Token& a, const Token& b) {
    return std::ranges::any_of(concepts(), [&](const Concept& about) {
        const auto holds = [&](const Token& token) {
            return std::ranges::any_of(about.phrases, [&](const auto& phrase) {
                return phrase.size() == 1 && phrase[0].stem == token.stem;
            });
        };
        return about.nature == Nature::Name && holds(a) && holds(b);
    });
}

bool holds_text(const std::vector<Token>& words, const Token& said) {
    return std::ranges::any_of(words, [&](const Token& word) { return word.text == said.text; });
}

bool is_noun_ending(const Token& token) {
    static const auto& kEndings = word_list("is noun ending endings");
    return kEndings.contains(token.text);
}

}  // namespace

void Reader::find_limits() {
    if (is_said_beside_names(Word::Forecast)) {
        q_.limit = Limit::Forecast;
    } else if (is_said_beside_names(Word::Why)) {
        q_.limit = Limit::Reason;
    } else if (is_said_beside_names(Word::Advice)) {
        q_.limit = Limit::Advice;
    }
    // 哪些客户会流失
    for (const Said& s : said_) {
        if (s.begin > 0 && tokens_[s.begin - 1].text == "会" && s.column->is_flag()) {
            q_.limit = Limit::Forecast;
        }
    }
    switch (q_.intent) {
        case Intent::Help:
        case Intent::Greeting:
        case Intent::Thanks: q_.limit = Limit::None; return;
        default: break;
    }
    if (q_.limit != Limit::None) {
        q_.intent = Intent::Unknown;
        return;
    }
    for (const Word word : {Word::Moving, Word::Rolling, Word::Running, Word::Zero}) {
        if (is_said_beside_names(word)) refuse(word);
    }
    for (const Tag& t : tags_) {  // "last month vs the month before": the latter is no time here
        const bool is_of_time =
            is_in_time(t.end) || is_in_time(t.end + 1) || (t.begin > 0 && is_in_time(t.begin - 1));
        if (t.word == Word::Before && !is_of_time && q_.intent != Intent::Growth) refuse(t.word);
    }
    find_denied();
    find_compared_with_figure();
    find_open_rate();
    find_span_of_dates();
    find_second_question();
    find_counted_unit();
    find_ordinal();
    find_open_worst();
    find_extreme_of_each();
    find_unused();
    find_absent();
    if (q_.intent != Intent::Unknown && q_.absent.empty()) find_unread();
    if (!q_.absent.empty()) q_.intent = Intent::Unknown;
}

// "never bought tea", 没有买过茶: what did not happen stands in no row.
void Reader::find_denied() {
    static const std::set<std::string> kVerbs = {"did", "do", "does", "has", "have", "had"};
    static const auto& kNever = word_list("find denied never");
    const bool asks_groups = q_.intent == Intent::Values || !q_.groups.empty();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const Token& token = tokens_[i];
        const Said* said = said_at(i);
        if (said != nullptr && said->is_value) continue;
        const bool is_not = i > 0 && token.text == "not" && kVerbs.contains(tokens_[i - 1].text);
        if (kNever.contains(token.text) || is_not) {
            if (token.text == "never" || asks_groups) q_.absent.push_back(token.as_written);
        }
        const std::string two = text(i, i + 2);
        const bool is_done = token.text == "没" && text(i, i + 5).find("过") != std::string::npos;
        if (two == "从未" || two == "从来" || two == "从不" || is_done || token.text == "越")
            q_.absent.push_back(two);
    }
}

// "above their department's average", 高于本部门平均: no number, and another one for each row.
void Reader::find_compared_with_figure() {
    static const std::set<std::string> kOpen = {"a", "an", "half", "once", "twice", "半"};
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {  // 比各自部门平均更高
        if (tokens_[i].text != "比" || has_tag(i) || is_in_value(i)) continue;
        for (std::size_t k = i + 1; k < tokens_.size() && k < i + 7; ++k) {
            if (is_at(k, Word::Mean)) q_.absent.push_back(text(i, k + 1));
            if (is_at(k, Word::Mean)) return;
        }
    }
    for (const Tag& t : tags_) {
        const bool is_than = t.word == Word::More || t.word == Word::Less ||
                             t.word == Word::AtLeast || t.word == Word::AtMost;
        if (!is_than) continue;
        for (std::size_t i = t.end; i < tokens_.size() && i < t.end + 6; ++i) {
            // "more than an hour", "only once": a number that no figure says
            const bool is_open = i < t.end + 2 && kOpen.contains(tokens_[i].text) &&
                                 said_at(i) == nullptr && !is_in_time(i);
            if (is_open)
                q_.absent.push_back(tokens_[t.begin].as_written + " " + tokens_[i].as_written);
            if (tokens_[i].is_number() || number_word(tokens_[i]) || is_open) break;
            if (!is_at(i, Word::Mean) && !is_at(i, Word::Median)) continue;
            q_.absent.push_back(tokens_[t.begin].as_written + " … " + tokens_[i].as_written);
            return;
        }
    }
}

// 蓝牙耳机的退货率, where nothing tells of returns: not the share of something else. Nor is 人均
// the mean of rows that are no people.
void Reader::find_open_rate() {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        const bool is_per_head = text(i, i + 2) == "人均" || text(i, i + 2) == "每人";
        if (is_per_head && said_at(i) == nullptr) q_.absent.push_back(text(i, i + 2));
        const bool is_each = counts_people(i + 1) && follows(i + 1, {Word::Per, Word::Each}, 1);
        if (is_each && said_at(i + 1) == nullptr) q_.absent.push_back(text(i + 1, i + 2));
    }
    const Tag* t = tag(Word::Rate);
    if (t == nullptr || t->begin == 0 || q_.intent != Intent::Share) return;
    if (tokens_[t->begin].is_han() && said_at(t->begin - 1) == nullptr) {
        q_.absent.push_back(tokens_[t->begin - 1].as_written + tokens_[t->begin].as_written);
    }
}

// "total by station and which carrier is cheapest?": two questions in one.
void Reader::find_second_question() {
    for (const Tag& t : tags_) {
        const bool is_next = t.word == Word::And && !tokens_[t.begin].is_sign() &&
                             (is_at(t.end, Word::Which) || is_at(t.end, Word::Who));
        const bool is_same = tokens_.back().text == "it";  // "and which match was it"
        if (is_next && !is_same && t.begin > 0 && q_.intent == Intent::Aggregate) {
            q_.absent.push_back(tokens_[t.begin].as_written + " " + tokens_[t.end].as_written);
        }
    }
}

// "how many days from date_in to date_out": the time between two dates is not computed here.
void Reader::find_span_of_dates() {
    const Said* first = nullptr;
    for (const Said& s : said_) {
        if (s.is_value || !s.column->is_date()) continue;
        if (first != nullptr && s.field != first->field) {
            q_.absent.push_back(first->column->name + " – " + s.column->name);
            return;
        }
        first = &s;
    }
}

// "reason" may be a column and "Will" a name.
bool Reader::is_said_beside_names(Word word) const {
    return std::ranges::any_of(tags_, [&](const Tag& t) {
        return t.word == word && std::ranges::none_of(said_, [&](const Said& s) {
                   return s.begin < t.end && t.begin < s.end;
               });
    });
}

// "the second highest", 第二高: one place of a ranking is not told here.
void Reader::find_ordinal() {
    static const auto& kWords = word_list("find ordinal words");
    static const std::set<std::string> kEndings = {"nd", "rd", "th"};
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const bool is_unit = i > 0 && (tokens_[i - 1].text == "per" || tokens_[i - 1].text == "a" ||
                                       tokens_[i - 1].is_number());
        const bool is_word = kWords.contains(tokens_[i].text) && !is_unit;
        const bool is_ending = kEndings.contains(tokens_[i].text) && is_unit;
        const bool is_han = tokens_[i].text == "第" && i + 1 < tokens_.size() &&
                            number_word(tokens_[i + 1]).value_or(0) > (groups_by_time() ? 0 : 1);
        if ((!is_word && !is_ending && !is_han) || is_in_time(i) || said_at(i) != nullptr) continue;
        q_.absent.push_back(tokens_[i].as_written + (is_han ? tokens_[i + 1].as_written : ""));
    }
}

// "the worst default rate" is the highest: which end is bad is not told by the number.
void Reader::find_open_worst() {
    static const auto& kWorst = word_list("find open worst worst");
    static const auto& kGood = word_list("find open worst good");
    const bool is_good = std::ranges::all_of(q_.measures, [&](const Measure& m) {
        return !m.field || std::ranges::any_of(kGood, [&](const std::string& about) {
            return at(schema_, *m.field).means(about);
        });
    });
    const bool has_rate = rate_.has_value() || q_.intent == Intent::Share;
    if (q_.order == Order::None || (is_good && !has_rate)) return;
    for (const Tag& t : tags_) {
        const std::string word = text(t.begin, t.end);
        if (kWorst.contains(word)) q_.absent.push_back(word);
    }
}

// "the oldest animal of each species": the first of each group is not picked out, but the highest
// value of each is a figure like others.
void Reader::find_extreme_of_each() {
    static const auto& kEach = word_list("one by one");
    const bool is_figure = !q_.groups.empty() && q_.order == Order::None;
    const bool is_fine = is_figure || has(Word::Rank);
    for (std::size_t i = 0; i < tokens_.size() && !is_fine; ++i) {
        const bool is_each = kEach.contains(tokens_[i].text) && !is_in_time(i) && !is_in_value(i);
        const bool is_superlative =
            q_.order != Order::None || extremes_ || has({Word::Highest, Word::Lowest});
        if (is_each && is_superlative) q_.absent.push_back(text(i, i + 2));
    }
    static const std::set<std::string> kYesOrNo = {"do", "does", "did"};
    const bool is_open = q_.intent == Intent::Aggregate && q_.groups.empty() && before_ == nullptr;
    if (is_open && q_.periods.empty() && kYesOrNo.contains(tokens_[0].text)) {
        q_.absent.push_back(tokens_[0].as_written);  // "does wind make us late"
    }
    if (q_.intent == Intent::Rows && q_.order == Order::None && !has(Word::Preview)) {
        for (const Word word : {Word::First, Word::Last}) {  // "which of them came first"
            if (!q_.count && is_said_beside_names(word)) refuse(word);
        }
    }
}

void Reader::find_absent() {
    for (std::size_t i = 0; i < tokens_.size() && q_.absent.size() < 5; ++i) {
        const Token& token = tokens_[i];
        if (!token.is_word() || token.text.size() < 3) continue;
        const bool is_explained = has_tag(i) || said_at(i) != nullptr ||
                                  condition_numbers_.contains(i) || is_in_time(i) ||
                                  is_noise(token) || names_row(i) || is_table_word(i) ||
                                  number_word(token) || is_plain_word(token) || goes_with(i);
        if (!is_explained) q_.absent.push_back(token.as_written.substr(0, 40));
    }
    find_absent_features();
    find_absent_han();
    find_absent_numbers();
}

// What is not computed here though every word of it is known: who left and who stayed, which of
// several columns, a product of two, pieces that were sold, groups by what they earned.
void Reader::find_absent_features() {
    static const auto& kLeft = word_list("find absent features left");
    static const std::set<std::string> kTimes = {"times", "multiplied", "乘", "×"};
    static const std::set<std::string> kStill = {"current", "currently", "employed"};
    const auto& columns = schema_.tables[q_.table].columns;
    const bool may_leave = std::ranges::any_of(columns, [](const Column& c) {
        return (c.is_date() && c.missing > 0) || c.means("attrition");
    });
    const auto quantity = field_meaning("quantity");
    const bool is_of_quantity =
        q_.measures.size() == 1 && quantity && q_.measures[0].field == quantity;
    for (std::size_t i = 0; i < tokens_.size() && q_.absent.size() < 5; ++i) {
        const Said* said = said_at(i);
        if (said != nullptr && (said->is_value || !said->column->is_date())) continue;
        if (is_at(i, Word::Period)) continue;  // the date range
        const std::string two =
            tokens_[i].text + (i + 1 < tokens_.size() ? tokens_[i + 1].text : "");
        const Said* next = i + 2 < tokens_.size() ? said_at(i + 2) : nullptr;
        const bool is_of_column = said_at(i + 1) != nullptr || next != nullptr;  // 各科室, 哪门课程
        const bool is_subject = two.ends_with("科") || two.ends_with("门");
        const bool is_left = kLeft.contains(tokens_[i].text) ||
                             (kLeft.contains(two) && !(is_subject && is_of_column));
        const bool is_still = may_leave && kStill.contains(tokens_[i].text);
        const bool is_piece = (tokens_[i].text == "件" || tokens_[i].text == "台") && i > 1 &&
                              tokens_[i - 1].text == "少" && quantity && !is_of_quantity;
        const Said* before = i > 0 ? said_at(i - 1) : nullptr;
        const bool is_product = before != nullptr && before->column->is_number() &&
                                said_at(i + 1) != nullptr && kTimes.contains(tokens_[i].text);
        if (is_left || is_still || is_piece || is_product) {
            q_.absent.push_back(tokens_[i].is_han() ? two : tokens_[i].as_written);
        }
    }
}

// A number column that was named and is in no part of the figure: another question is answered.
void Reader::find_unused() {
    const bool is_figure = q_.intent == Intent::Aggregate || q_.intent == Intent::Share ||
                           q_.intent == Intent::Growth ||
                           (q_.intent == Intent::Shape && q_.language == Language::Chinese);
    if (!is_figure || before_ != nullptr) return;
    for (const Said& s : measures_said_) {
        const auto is_of = [&](const auto& part) { return part.field == s.field; };
        const bool is_used = s.is_used || std::ranges::any_of(q_.measures, is_of) ||
                             std::ranges::any_of(q_.filters, is_of) ||
                             std::ranges::any_of(q_.part, is_of) ||
                             std::ranges::any_of(q_.groups, is_of);
        if (!is_used) q_.absent.push_back(text(s.begin, s.end));
    }
}

// A number that became neither a condition nor a count was not understood.
void Reader::find_absent_numbers() {
    for (std::size_t i = 0; i < tokens_.size() && q_.absent.size() < 5; ++i) {
        const Token& token = tokens_[i];
        if (!token.is_number() || is_in_time(i)) continue;
        const bool is_count = q_.count && static_cast<double>(*q_.count) == token.number;
        const bool is_condition = condition_numbers_.contains(i) ||
                                  (i > 0 && condition_numbers_.contains(i - 1)) ||
                                  std::ranges::any_of(q_.filters, [&](const Filter& f) {
                                      return f.low == token.number || f.high == token.number;
                                  });
        if (said_at(i) == nullptr && !is_count && !is_condition) q_.absent.push_back(token.text);
    }
}

// Said beside what it belongs to: "rainy" where there is rain, "card users", "revenue" of price and
// quantity.
bool Reader::goes_with(std::size_t i) const {
    const Token& token = tokens_[i];
    static const auto& kPeople = word_list("goes with people");
    const bool after_value =
        std::ranges::any_of(said_, [&](const Said& s) { return s.is_value && s.end == i; });
    if (after_value && (kPeople.contains(token.stem) || is_concept_word(token))) return true;
    static const auto& kFigures = word_list("goes with figures");  // "history grade"
    static const auto& kLengths = word_list("goes with lengths");  // "rental length"
    for (const Said& s : said_) {
        const bool is_number = !s.is_value && s.column->is_number();
        if (!is_number || (s.end != i && s.begin != i + 1)) continue;
        if (kFigures.contains(token.stem)) return true;
        if (is_duration(*s.column) && kLengths.contains(token.stem)) return true;
    }
    // "which driver" asks for drivers, even where drivers have ratings
    const bool is_head = follows(i, {Word::Which, Word::By, Word::Each, Word::Per, Word::Top}, 2) ||
                         (i > 1 && is_at(i - 2, Word::Which));
    const auto is_own = [&](const Token& word) { return word.text == token.text; };  // kWh
    return !is_head && std::ranges::any_of(schema_.tables[q_.table].columns, [&](const Column& c) {
        return std::ranges::any_of(c.words, is_own);
    });
}

// Chinese has no spaces: what neither the vocabulary nor the table explains, two characters at
// least.
void Reader::find_absent_han() {
    std::vector<bool> known(tokens_.size());
    const auto mark = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) known[i] = true;
    };
    for (const Said& s : said_) { mark(s.begin, s.end); }
    for (const Tag& t : tags_) {
        if (t.end - t.begin > 1) mark(t.begin, t.end);
    }
    for (const TimeSpan& t : times_) mark(t.begin, t.end);
    // 年龄, where no column is about it
    for (std::size_t i = 0; i < tokens_.size() && q_.absent.size() < 5;) {
        const std::size_t length = concept_length(i);
        const bool is_open =
            length > 0 && std::none_of(known.begin() + static_cast<std::ptrdiff_t>(i),
                                       known.begin() + static_cast<std::ptrdiff_t>(i + length),
                                       [](bool b) { return b; });
        const bool is_plain = plain_length(tokens_, i) >= length;
        if (is_open && !is_plain && !is_row_word(i) && !is_in_column_name(i, length)) {
            q_.absent.push_back(text(i, i + length));
            mark(i, i + length);
        }
        i += std::max<std::size_t>(length, 1);
    }
    for (const Tag& t : tags_) mark(t.begin, t.end);
    for (const TimeSpan& t : times_) mark(t.begin, t.end);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const std::size_t behind = i + std::max<std::size_t>(row_noun_at(i), 1);
        // 快递员 is no 快递
        const bool is_person = behind < tokens_.size() && tokens_[behind].text == "员";
        if (is_row_word(i) && !is_person) mark(i, behind);
        if (is_row_word(i) && is_person && said_at(i) == nullptr) {
            q_.absent.push_back(text(i, behind + 1));
            mark(i, behind + 1);
        }
    }
    for (std::size_t i = 0; i < tokens_.size();) {
        const std::size_t length = plain_length(tokens_, i);
        mark(i, i + length);
        i += std::max<std::size_t>(length, 1);
    }
    for (std::size_t i = 0; i < tokens_.size() && q_.absent.size() < 5;) {
        std::string word;
        std::size_t end = i;
        while (end < tokens_.size() && tokens_[end].is_han() && !known[end] &&
               !is_noise(tokens_[end])) {
            word += tokens_[end].text;
            ++end;
        }
        // 房型: what ends a noun goes with what is not known before it
        if (end - i == 1 && end < tokens_.size() && is_noun_ending(tokens_[end])) {
            word += tokens_[end].text;
            ++end;
        }
        const auto is_part = [&](const Column& c) {
            return c.name.find(word) != std::string::npos;
        };
        const auto& columns = schema_.tables[q_.table].columns;
        // 住院 where there is 住院费用
        const bool is_of_table = std::ranges::any_of(columns, is_part);
        if (end - i >= 2 && !is_of_table) q_.absent.push_back(word);
        i = std::max(end, i + 1);
    }
}

// How many Chinese tokens from `i` on say what a number may be about.
std::size_t Reader::concept_length(std::size_t i) const {
    if (!tokens_[i].is_han()) return 0;
    std::size_t longest = 0;
    for (const Concept& about : concepts()) {
        if (about.nature != Nature::Additive && about.nature != Nature::Level) continue;
        for (const auto& phrase : about.phrases) {
            if (phrase.size() > 1 && phrase.size() > longest && matches_at(tokens_, i, phrase)) {
                longest = phrase.size();
            }
        }
    }
    return longest;
}

bool Reader::is_in_column_name(std::size_t begin, std::size_t length) const {
    const std::string word = text(begin, begin + length);
    const auto& columns = schema_.tables[q_.table].columns;
    return std::ranges::any_of(
        columns, [&](const Column& c) { return c.name.find(word) != std::string::npos; });
}

bool Reader::names_row(std::size_t i) const {
    const Token& token = tokens_[i];
    if (row_nouns().contains(token.stem)) return true;
    const Table& table = schema_.tables[q_.table];
    const auto is_about = [&](const Token& word) {
        return word.stem == token.stem || shares_concept(word, token);
    };
    if (std::ranges::any_of(table.words, is_about)) return true;
    if (std::ranges::any_of(table.row_words, is_about)) return true;
    if (is_row_name(i) || holds_text(table.row_verbs, token)) return true;
    static const auto& kPeople = word_list("names row people");
    const bool is_of_people = std::ranges::any_of(table.columns, [&](const Column& c) {
        return c.means("age") || c.means("gender") || c.means("salary") || c.means("job");
    });
    if (is_of_people && kPeople.contains(token.stem)) return true;
    return std::ranges::any_of(table.columns, [&](const Column& c) {
        const bool is_unique = (c.distinct + c.missing) * 100 >= table.rows * 98;
        return is_unique && !c.is_date() && std::ranges::any_of(c.words, is_about);
    });
}

}  // namespace atl::offline
