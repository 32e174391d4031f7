// Numbers with a unit: "more than an hour" of a column in minutes, 500万 of one in 万元.
#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace atl::offline {
namespace {

enum class Dimension { Time, Calendar, Length, Weight };

struct Unit {
    std::vector<Token> name;
    Dimension dimension;
    double size;  // in seconds, months, metres, grams
};

const std::vector<Unit>& units() {
    static const auto table = [] {
        static const std::map<std::string, Dimension> kDimensions = {
            {"Time", Dimension::Time},
            {"Calendar", Dimension::Calendar},
            {"Length", Dimension::Length},
            {"Weight", Dimension::Weight}};
        std::vector<Unit> out;
        for (const DataRow& row : data_rows("units.txt")) {
            const std::size_t space = row.key.find(' ');
            for (auto& name : phrases_of(row.phrases)) {
                out.push_back({std::move(name), kDimensions.at(row.key.substr(0, space)),
                               std::stod(row.key.substr(space + 1))});
            }
        }
        return out;
    }();
    return table;
}

// The unit that stands at a token: 小时 are two.
const Unit* unit_at(const std::vector<Token>& tokens, std::size_t i) {
    if (i < tokens.size() && tokens[i].text == "个") ++i;  // 1个小时
    for (const Unit& unit : units()) {
        if (matches_at(tokens, i, unit.name)) return &unit;
    }
    return nullptr;
}

// What a column is counted in, as its name says: wait_min, 时长(分钟), "Delivery Days".
const Unit* unit_of(const Column& column) {
    const Unit* found = nullptr;
    if (column.is_year()) return found;  // years
    for (std::size_t i = 0; i < column.words.size(); ++i) {
        const bool is_least = i == 0 && column.words[0].text == "min" && column.words.size() > 1;
        const Unit* unit = is_least ? nullptr : unit_at(column.words, i);
        if (unit != nullptr) found = unit;
    }
    return found;
}

}  // namespace

// The column that a number with a unit is about, where the unit does not name it itself.
std::optional<Field> Reader::field_of_dimension(std::size_t begin, std::size_t end) {
    const Unit* said = unit_at(tokens_, end);
    if (said == nullptr) return std::nullopt;
    const auto fits = [&](const Column& column) {
        const Unit* own = unit_of(column);
        return column.is_number() && !column.is_id && own != nullptr &&
               own->dimension == said->dimension;
    };
    if (Said* near = number_near(begin, end); near != nullptr && fits(*near->column)) {
        near->is_used = true;
        return near->field;
    }
    if (said->dimension == Dimension::Calendar) return std::nullopt;  // mostly somebody's age
    const auto& columns = schema_.tables[q_.table].columns;
    const auto is_own = [&](const Column& column) {  // a delay is no length
        return fits(column) && !column.means("delay");
    };
    const auto first = std::ranges::find_if(columns, is_own);
    if (first == columns.end() || std::count_if(first, columns.end(), is_own) > 1) {
        return std::nullopt;
    }
    return Field{q_.table, static_cast<std::size_t>(first - columns.begin())};
}

bool Reader::is_money(const Column& column) {
    static const auto& kWords = word_list("is money words");
    if (!column.is_number() || column.is_id) return false;
    for (const std::string_view about : {"amount", "price", "cost", "profit", "salary", "rent"}) {
        if (column.means(about)) return true;
    }
    return column.name.find("元") != std::string::npos ||
           std::ranges::any_of(column.words,
                               [](const Token& word) { return kWords.contains(word.stem); });
}

// "longer than 3 hours", where nothing is counted in a unit of time.
bool Reader::refuse_unit(std::size_t end) {
    const bool has_unit = unit_at(tokens_, end) != nullptr;
    if (has_unit) q_.absent.push_back(text(end - 1, end + 1));
    return has_unit;
}

// 买了多少公斤, 每袋电费: what is counted has a unit, and is no row.
void Reader::find_counted_unit() {
    const auto is_unit = [&](std::size_t i) {  // 袋 of 产量(袋)
        const auto& columns = schema_.tables[q_.table].columns;
        static const auto& kRows = word_list("counted times");
        const bool is_said = i < tokens_.size() && tokens_[i].is_han();
        if (is_said && (tokens_[i].text == "个" || kRows.contains(tokens_[i].text))) return false;
        return unit_at(tokens_, i) != nullptr || std::ranges::any_of(columns, [&](const Column& c) {
                   return is_said && c.name.find("(" + tokens_[i].text + ")") != std::string::npos;
               });
    };
    const bool counts = !q_.measures.empty() && !q_.measures[0].field;
    if (groups_by_time() || !q_.periods.empty()) return;
    for (const Tag& t : tags_) {
        const bool is_open = counts && t.word == Word::HowMany && is_unit(t.end);
        if (is_open) q_.absent.push_back(text(t.begin, t.end + 1));
    }
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        const bool is_open =
            tokens_[i].text == "每" && q_.intent != Intent::Ratio && is_unit(i + 1);
        if (is_open) q_.absent.push_back(text(i, i + 2));
    }
}

bool Reader::says_how_long() const {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        if (tokens_[i].text == "how" && tokens_[i + 1].text == "long") return true;
    }
    return false;
}

bool Reader::is_duration(const Column& column) {
    const Unit* own = unit_of(column);
    return column.is_number() && !column.is_id && own != nullptr &&
           own->dimension == Dimension::Time;
}

// The one column that is counted in minutes, hours or days.
std::optional<Field> Reader::only_duration() const {
    const auto& columns = schema_.tables[q_.table].columns;
    const auto first = std::ranges::find_if(columns, is_duration);
    if (first == columns.end() || std::count_if(first, columns.end(), is_duration) > 1) {
        return std::nullopt;
    }
    return Field{q_.table, static_cast<std::size_t>(first - columns.begin())};
}

// The word behind a number is the column's unit, or one of its kind.
bool Reader::has_unit_of(Field field, std::size_t end) const {
    const Unit* said = unit_at(tokens_, end);
    const Unit* own = unit_of(at(schema_, field));
    return said != nullptr && own != nullptr && said->dimension == own->dimension;
}

// 2 hours of a column in minutes, 500万 of one in 万元, 5 % of one that holds 0.05: numbers are not
// converted here.
bool Reader::refuse_other_unit(Field field, std::size_t end, double value) {
    const Column& column = at(schema_, field);
    const bool is_other =
        has_unit_of(field, end) && unit_at(tokens_, end)->size != unit_of(column)->size;
    const bool is_scaled = value > column.high && (column.name.find("万") != std::string::npos ||
                                                   column.name.find("亿") != std::string::npos ||
                                                   column.name.find("千元") != std::string::npos);
    const bool is_percent =
        end < tokens_.size() && (tokens_[end].text == "%" || tokens_[end].stem == "percent");
    const bool is_share = is_percent && column.high <= 2 && value > column.high;
    if (is_other || is_scaled || is_share) q_.absent.push_back(text(end - 1, end + 1));
    return is_other || is_scaled || is_share;
}

}  // namespace atl::offline
