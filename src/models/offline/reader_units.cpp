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

double han_scale_of(const Column& column) {
    if (column.name.find("万") != std::string::npos) return 1e4;
    if (column.name.find("亿") != std::string::npos) return 1e8;
    return column.name.find("千元") != std::string::npos ? 1e3 : 1;
}

// How many ones a column's one is: 万元, (k), (mn).
double scale_of(const Column& column) {
    static const auto& kScales = word_pairs("column scales");
    if (han_scale_of(column) > 1) return han_scale_of(column);
    for (const Token& word : column.words) {
        for (const auto& [name, scale] : kScales) {
            if (word.text == name || word.stem == name) return std::stod(scale);
        }
    }
    return 1;
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
    const Unit* said = unit_at(tokens_, end);
    if (said == nullptr || tokens_[end].text == "min") return false;
    q_.absent.push_back(tokens_[end - 1].as_written + " " + said->name[0].text);
    condition_numbers_.insert(end);
    return true;
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

// By what a number has to be multiplied to be one of the column's.
double Reader::unit_factor(Field field, std::size_t end, double value) const {
    const Column& column = at(schema_, field);
    const double scale = scale_of(column);
    if (has_unit_of(field, end)) {  // 5万公里 are 5 of a column in 万公里
        return unit_at(tokens_, end)->size / (unit_of(column)->size * han_scale_of(column));
    }
    // 500万 and 5,000,000 are 500 of a column in 万元, where no row reaches so far otherwise
    static const auto& kSaid = word_list("unit factor said");
    static const std::set<std::string> kMoney = {"元", "块", "yuan", "dollar", "euro", "usd"};
    const bool is_said = (end > 0 && kSaid.contains(tokens_[end - 1].text)) ||
                         (end < tokens_.size() && kMoney.contains(tokens_[end].stem));
    if (scale > 1 && is_said && value > column.high && value >= scale) return 1 / scale;
    return percent_unit(field, end, value);
}

}  // namespace atl::offline
