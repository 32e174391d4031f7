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
    static constexpr std::array<std::pair<std::string_view, double>, 10> kScales = {
        {{"k", 1e3},
         {"thousand", 1e3},
         {"m", 1e6},
         {"mn", 1e6},
         {"mio", 1e6},
         {"mm", 1e6},
         {"million", 1e6},
         {"bn", 1e9},
         {"billion", 1e9},
         {"千元", 1e3}}};
    if (han_scale_of(column) > 1) return han_scale_of(column);
    for (const Token& word : column.words) {
        for (const auto& [name, scale] : kScales) {
            if (word.text == name || word.stem == name) return scale;
        }
    }
    return 1;
}

Token number_token(const Token& said, double value) {
    Token token = said;
    token.kind = Token::Kind::Number;
    token.number = value;
    token.text = value == 0.5 ? "0.5" : std::to_string(static_cast<int>(value));
    token.stem = token.as_written = token.text;
    return token;
}

bool compares(const Token& token) {
    static const auto& kWords = word_list("compares words");
    return kWords.contains(token.text);
}

}  // namespace

// "more than once" as more than 1 times, "over half an hour" as over 0.5 hours.
void Reader::spell_out_numbers() {
    const auto put = [&](std::size_t i, std::size_t count, std::vector<Token> tokens) {
        const auto at = tokens_.begin() + static_cast<std::ptrdiff_t>(i);
        tokens_.erase(at, at + static_cast<std::ptrdiff_t>(count));
        tokens_.insert(tokens_.begin() + static_cast<std::ptrdiff_t>(i), tokens.begin(),
                       tokens.end());
    };
    Token times;
    times.text = times.stem = times.as_written = "times";
    times.stem = stem_of("times");
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
        const std::string& word = tokens_[i].text;
        const bool is_once = word == "once";
        if ((is_once || word == "twice") && compares(tokens_[i - 1])) {
            put(i, 1, {number_token(tokens_[i], is_once ? 1 : 2), times});
            continue;
        }
        const bool is_only = tokens_[i - 1].text == "only" || tokens_[i - 1].text == "exactly" ||
                             tokens_[i - 1].text == "just";
        if (is_once && is_only) {  // who came only once came less than twice
            const auto less = tokens_of("less than");
            put(i - 1, 2, {less[0], less[1], number_token(tokens_[i], 2), times});
            continue;
        }
        if (!compares(tokens_[i - 1])) continue;
        const bool is_half = word == "half";
        const std::size_t article = is_half ? i + 1 : i;
        const bool has_article = article < tokens_.size() &&
                                 (tokens_[article].text == "a" || tokens_[article].text == "an");
        if (!has_article || unit_at(tokens_, article + 1) == nullptr) continue;
        put(i, article + 1 - i, {number_token(tokens_[i], is_half ? 0.5 : 1)});
    }
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {  // 半小时, 半个小时
        if (tokens_[i].text != "半" || unit_at(tokens_, i + 1) == nullptr) continue;
        if (unit_at(tokens_, i + 1)->size != 3600) continue;
        tokens_[i] = number_token(tokens_[i], 0.5);
    }
}

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
