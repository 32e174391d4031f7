// Words whose sense the words beside them decide: "type of insurance", "how long", "rider age".
#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

// 前5行 are the first rows, and not the highest five.
void Reader::find_first_rows() {
    for (Tag& t : tags_) {
        const bool is_before = t.word == Word::Top && tokens_[t.begin].text == "前";
        if (!is_before || t.begin + 2 >= tokens_.size()) continue;
        const std::string& unit = tokens_[t.begin + 2].text;
        static const auto& kNumbers = word_list("find first rows numbers");
        const Token& number = tokens_[t.begin + 1];
        const bool is_number = number.is_number() || kNumbers.contains(number.text);
        if (is_number && (unit == "行" || unit == "条")) t.word = Word::Preview;
    }
}

// "waiting time of patients older than 60": whose it is, told by a condition right behind
bool Reader::is_under_condition(const Said& s) const {
    const bool is_open = !has({Word::HowMany, Word::Top, Word::Bottom, Word::Rank, Word::Who}) &&
                         !follows(s.begin, {Word::Which, Word::By, Word::Each, Word::Per}, 3);
    if (!is_open || !is_person_noun(s) || !has({Word::Mean, Word::Median, Word::Sum})) return false;
    const bool is_of_value = std::ranges::any_of(said_, [&](const Said& o) {
        return o.is_value && o.end == s.begin;  // 西班牙学生的平均进度
    });
    if (is_of_value) return true;
    return tokens_[s.begin].text != tokens_[s.begin].stem &&
           std::ranges::any_of(q_.filters, [&](const Filter& f) {
               return f.begin >= s.end && f.begin <= s.end + 2;
           });
}

// "home games only", "long-haul flights": which rows, and no figure for each game
bool Reader::is_noun_of_value(const Said& s) const {
    const auto value = std::ranges::find_if(
        said_, [&](const Said& o) { return o.is_value && o.end == s.begin && o.field != s.field; });
    if (value == said_.end() || tokens_[s.begin].text == tokens_[s.begin].stem) return false;
    return !follows(value->begin, {Word::Which, Word::By, Word::Each, Word::Per, Word::Top,
                                   Word::Bottom, Word::Rank, Word::HowMany, Word::Show});
}

// 加急订单, 远程办公: which rows, and no group by the 订单状态 or 办公地点 whose name begins so
bool Reader::is_noun_behind_value(const Said& s) const {
    std::string text;
    for (std::size_t i = s.begin; i < s.end; ++i) {
        if (!tokens_[i].is_han()) return false;
        text += tokens_[i].text;
    }
    const bool is_part = s.score < kOwnName && s.column->name.starts_with(text) &&
                         s.column->strong.size() > s.end - s.begin;
    return is_part && std::ranges::any_of(said_, [&](const Said& o) {
               return o.end == s.begin && (o.is_value || o.column->is_flag());
           });
}

// 借阅量, where a row has a 借阅编号: how many rows
bool Reader::is_volume_of_rows(const Said& s) const {
    return s.end < tokens_.size() && tokens_[s.end].text == "量" && is_row_noun(s);
}

// "sent back", "called back": plain words that together say what no column holds
void Reader::find_absent_back() {
    static const auto& kVerbs = word_list("find absent back verbs");
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
        if (tokens_[i].text != "back" || !kVerbs.contains(tokens_[i - 1].text)) continue;
        if (said_at(i) == nullptr) { q_.absent.push_back(tokens_[i - 1].as_written + " back"); }
    }
}

// Behind a number they are units: "below 90 %" asks for no share, 3分 divides nothing.
void Reader::drop_units() {
    std::erase_if(tags_, [&](const Tag& t) {
        const bool is_unit = (t.word == Word::Share && tokens_[t.begin].text == "%") ||
                             (t.word == Word::By && tokens_[t.begin].text == "分");
        return is_unit && t.begin > 0 && t.end - t.begin == 1 && tokens_[t.begin - 1].is_number();
    });
}

// A word that changes the figure and cannot be heeded here.
void Reader::refuse(Word word) {
    const Tag* t = tag(word);
    if (t == nullptr) return;
    std::string text;
    for (std::size_t i = t->begin; i < t->end; ++i) {
        const bool is_word = tokens_[i].is_word();
        text += (text.empty() || !is_word ? "" : " ") + tokens_[i].as_written;
    }
    q_.absent.push_back(text);
}

}  // namespace atl::offline
