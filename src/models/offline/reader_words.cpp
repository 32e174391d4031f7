// Words whose sense the words beside them decide: "how long", "home games", and "goals" where there
// are home_goals and away_goals.
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

// The number columns whose names end in what is said, where no name is said in full.
std::vector<Field> Reader::namesakes(const Said& s) const {
    const std::size_t length = s.end - s.begin;
    const bool is_short = tokens_[s.begin].is_han() && length < 2;
    if (s.is_value || s.field.table != q_.table || !s.column->is_number() || is_short) return {};
    const auto& columns = schema_.tables[q_.table].columns;
    std::vector<Field> found;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto& words = columns[c].strong;
        if (!columns[c].is_number() || columns[c].is_id || words.size() <= length) continue;
        const std::size_t front = words.size() - length;
        bool is_tail = true;
        for (std::size_t i = 0; i < length; ++i) {
            is_tail = is_tail && words[front + i].stem == tokens_[s.begin + i].stem;
        }
        if (!is_tail) continue;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {  // "goals at home"
            const bool is_named =
                (i < s.begin || i >= s.end) && std::ranges::any_of(words, [&](const Token& word) {
                    return word.stem == tokens_[i].stem;
                });
            if (is_named) return {};
        }
        found.push_back({q_.table, c});
    }
    const bool is_one = std::ranges::find(found, s.field) != found.end();
    return is_one && found.size() > 1 ? found : std::vector<Field>();
}

// Which of them is meant is asked back.
void Reader::find_namesakes() {
    for (const Said& s : said_) {
        const auto fields = namesakes(s);
        if (fields.empty()) continue;
        q_.absent.push_back(at(schema_, fields[0]).name + " / " + at(schema_, fields[1]).name);
        return;
    }
}

}  // namespace atl::offline
