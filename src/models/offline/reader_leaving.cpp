// "employees who left", 在职员工: told by a date of leaving that is there or not.
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace atl::offline {
namespace {

bool is_end_date(const Column& column) {
    static const std::set<std::string> kWords = {"end",  "ended",    "termination", "terminated",
                                                 "exit", "exited",   "leave",       "leaving",
                                                 "left", "resigned", "resignation", "separation"};
    if (!column.is_date() || column.missing == 0) return false;
    for (const char* part : {"离职", "离开", "终止", "退出", "结束"}) {
        if (column.name.find(part) != std::string::npos) return true;
    }
    return std::any_of(column.words.begin(), column.words.end(),
                       [](const Token& word) { return kWords.contains(word.text); });
}

// How many tokens say that someone has gone.
std::size_t leaving_words(const std::vector<Token>& tokens, std::size_t i) {
    static const std::set<std::string> kWords = {
        "left", "leave",  "leaves", "leaving",    "leaver",    "leavers", "resigned",
        "quit", "exited", "gone",   "terminated", "attrition", "departed"};
    if (kWords.contains(tokens[i].text)) return 1;
    for (const char* word : {"离职", "离开", "辞职"}) {
        if (matches_at(tokens, i, tokens_of(word))) return 2;
    }
    return tokens[i].text == "turnover" && i + 1 < tokens.size() && tokens[i + 1].text == "rate";
}

}  // namespace

std::optional<Field> Reader::end_date() const {
    const auto& columns = schema_.tables[q_.table].columns;
    const auto found = std::find_if(columns.begin(), columns.end(), is_end_date);
    if (found == columns.end()) return std::nullopt;
    return Field{q_.table, static_cast<std::size_t>(found - columns.begin())};
}

// "current employees", "still employed", 在职: how many tokens.
std::size_t Reader::staying_words(std::size_t i) const {
    static const std::set<std::string> kNow = {"current", "active", "present", "existing"};
    static const std::set<std::string> kStill = {"employed", "working", "here",  "with",
                                                 "at",       "active",  "there", "employees"};
    if (matches_at(tokens_, i, tokens_of("在职"))) return 2;
    if (said_at(i) != nullptr || i + 1 >= tokens_.size()) return 0;
    const std::string& next = tokens_[i + 1].text;
    if (tokens_[i].text == "still" && kStill.contains(next)) return 2;
    if (tokens_[i].text == "currently" && (next == "employed" || next == "working")) return 2;
    const bool is_of_people = is_row_word(i + 1) || names_row(i + 1) || next == "headcount";
    return kNow.contains(tokens_[i].text) && is_of_people ? 1 : 0;
}

void Reader::find_leaving() {
    const auto end = end_date();
    const auto& columns = schema_.tables[q_.table].columns;
    const auto flag = std::find_if(columns.begin(), columns.end(), [](const Column& c) {
        return c.is_flag() && c.means("attrition");
    });
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (const std::size_t stays = staying_words(i); stays > 0) {
            if (end) return take_leaving(*end, i, stays, false);
            if (flag == columns.end() || flag->negative.empty()) continue;
            return stay_by_flag({q_.table, static_cast<std::size_t>(flag - columns.begin())}, i);
        }
        const std::size_t length = leaving_words(tokens_, i);
        if (length == 0 || !end || flag != columns.end()) continue;
        const Said* said = said_at(i);
        const bool is_other = said != nullptr && (said->field != *end || said->is_value ||
                                                  said->end - said->begin > length);
        if (is_other) continue;  // the column itself: 离职日期
        static const std::set<std::string> kDenials = {"not", "haven't", "hasn't", "didn't",
                                                       "未",  "没",      "没有",   "never"};
        bool is_denied = is_excluded(i);
        for (std::size_t back = 1; back <= 2 && back <= i; ++back) {
            is_denied = is_denied || kDenials.contains(tokens_[i - back].text);
        }
        // "how many are left": those who stayed
        const bool remain = i > 0 && tokens_[i].text == "left" &&
                            (tokens_[i - 1].text == "are" || tokens_[i - 1].text == "is");
        return take_leaving(*end, i, length, !is_denied && !remain);
    }
}

void Reader::take_leaving(Field field, std::size_t begin, std::size_t length, bool has_left) {
    std::erase_if(said_, [&](const Said& s) { return s.begin == begin && s.field == field; });
    std::erase_if(tags_, [&](const Tag& t) {  // 没有离职, "not left": said of this
        return t.word == Word::Exclude && t.end <= begin && t.end + 2 > begin && !has_left;
    });
    Said said;
    said.field = field;
    said.column = &at(schema_, field);
    said.begin = begin;
    said.end = begin + length;
    said.is_used = true;
    if (has_left) {
        said_.push_back(said);
    } else {
        for (std::size_t i = begin; i < begin + length; ++i) condition_numbers_.insert(i);
    }
    says_rows_ = true;
    left_ = has_left ? Filter::Kind::Present : Filter::Kind::Missing;
    left_begin_ = begin;
}

void Reader::stay_by_flag(Field field, std::size_t begin) {
    const Column& column = at(schema_, field);
    Filter filter;
    filter.field = field;
    filter.begin = begin;
    filter.kind = column.is_number() ? Filter::Kind::Equal : Filter::Kind::OneOf;
    if (!column.is_number()) filter.values = {column.negative};
    q_.filters.push_back(filter);
    says_rows_ = true;
}

// A time of leaving says as much: "left in 2023".
void Reader::apply_leaving() {
    if (!left_) return;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {  // those who stayed beside those who left
        static const std::set<std::string> kStayed = {"stayed", "stay", "remained", "remain"};
        const bool is_other = kStayed.contains(tokens_[i].text) ||
                              (left_ == Filter::Kind::Present && staying_words(i) > 0) ||
                              (left_ == Filter::Kind::Missing && i != left_begin_ &&
                               leaving_words(tokens_, i) > 0 && has({Word::Compare, Word::And}));
        if (is_other) q_.absent.push_back(tokens_[i].as_written);
    }
    const Field field = *end_date();
    const bool is_timed = std::any_of(q_.filters.begin(), q_.filters.end(),
                                      [&](const Filter& f) { return f.field == field; });
    if (is_timed && *left_ == Filter::Kind::Present) return;
    Filter filter;
    filter.kind = *left_;
    filter.field = field;
    filter.begin = left_begin_;
    q_.filters.push_back(filter);
}

// Of several dates that are said, the one beside the time: "hired in 2020 and left since".
std::optional<Field> Reader::date_said() const {
    std::optional<Field> found;
    std::size_t least = tokens_.size() + 1;
    for (const Said& s : said_) {
        if (s.is_value || !s.column->is_date()) continue;
        std::size_t gap = 0;
        if (!times_.empty()) {
            const TimeSpan& time = times_[0];
            gap = s.end <= time.begin ? time.begin - s.end
                                      : s.begin - std::min(s.begin, time.end) + 1;
        }
        if (gap > least) continue;
        least = gap;
        found = s.field;
    }
    return found ? found : date_of_verb();
}

// "cancelled in 2024", where there is a Cancel Date: the day of what was done, not the main date.
std::optional<Field> Reader::date_of_verb() const {
    return times_.empty() ? std::nullopt : date_before(times_[0].begin, 0);
}

// The date that is named or meant by a verb shortly before a time, from `first` on.
std::optional<Field> Reader::date_before(std::size_t time, std::size_t first) const {
    const auto& columns = schema_.tables[q_.table].columns;
    const auto is_of = [](const Token& word, const Token& said) {
        const std::size_t shorter = std::min(word.text.size(), said.text.size());
        std::size_t same = 0;
        while (same < shorter && word.text[same] == said.text[same]) ++same;
        return word.kind == Token::Kind::Word && same >= 4 && same + 2 >= shorter;
    };
    for (std::size_t back = 1; back <= 4 && first + back <= time; ++back) {
        const Said* named = said_at(time - back);
        if (named != nullptr && !named->is_value && named->column->is_date()) return named->field;
        const Token& said = tokens_[time - back];
        if (said.kind != Token::Kind::Word) continue;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (!columns[c].is_date()) continue;
            const auto& words = columns[c].strong;
            if (std::any_of(words.begin(), words.end(),
                            [&](const Token& word) { return is_of(word, said); })) {
                return Field{q_.table, c};
            }
        }
    }
    return std::nullopt;
}

}  // namespace atl::offline
