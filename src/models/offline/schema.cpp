#include "models/offline/schema.hpp"
#include "models/offline/data.hpp"

#include "models/offline/row_families.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <set>
#include <utility>

namespace atl::offline {
namespace {

namespace json = boost::json;

constexpr std::size_t kTablesMax = 24;
constexpr std::size_t kColumnsMax = 80;
constexpr std::size_t kFoundColumnsMax = 200;  // by their names, in a whole conversation
constexpr std::size_t kValuesMax = 100;
constexpr std::size_t kLineBytesMax = 64 * 1024;

std::string text_of(const json::value& value) {
    return value.is_string() ? std::string(value.get_string()) : std::string();
}

double number_of(const json::value& value) {
    boost::system::error_code ignored;
    const double number = value.to_number<double>(ignored);
    return ignored ? 0 : number;
}

std::size_t count_of(const json::value& value) {
    const double number = number_of(value);
    return number > 0 && number < 1e15 ? static_cast<std::size_t>(number) : 0;
}

bool holds(const std::vector<Token>& words, const std::vector<Token>& phrase) {
    for (std::size_t i = 0; i + phrase.size() <= words.size(); ++i) {
        if (matches_at(words, i, phrase)) return true;
    }
    return false;
}

bool is_han_money(const Column& column) {
    const std::string end = column.last_word().text;
    return column.is_number() && (end == "费" || end == "额");
}

// The concept whose phrase ends latest in the name is what it is about: customer_age is an age.
void find_meanings(Column& column) {
    struct Found {
        const Concept* about;
        std::size_t end;
        std::size_t length;
    };
    std::vector<Found> found;
    std::size_t size = column.words.size();
    while (size > 1 && is_weak(column.words[size - 1])) --size;
    std::vector<Token> words(column.words.begin(),
                             column.words.begin() + static_cast<std::ptrdiff_t>(size));
    for (const Concept& about : concepts()) {
        const bool fits = about.nature == Nature::Time   ? column.is_date()
                          : about.nature == Nature::Name ? !column.is_date()
                                                         : column.is_number();
        if (!fits) continue;
        Found best{&about, 0, 0};
        for (const auto& phrase : about.phrases) {
            // a room type is more than a room: weak words count inside a longer phrase
            const std::vector<Token>& in = phrase.size() > 1 ? column.words : words;
            for (std::size_t i = 0; i + phrase.size() <= in.size(); ++i) {
                if (!matches_at(in, i, phrase)) continue;
                // a driver's rating is no driver
                const bool is_head = i + phrase.size() >= words.size();
                if (about.nature == Nature::Name && column.is_number() && !is_head) continue;
                if (std::pair(i + phrase.size(), phrase.size()) >
                    std::pair(best.end, best.length)) {
                    best.end = i + phrase.size();
                    best.length = phrase.size();
                }
            }
        }
        if (best.end > 0) found.push_back(best);
    }
    std::ranges::stable_sort(found, [](const Found& a, const Found& b) {
        return std::pair(a.end, a.length) > std::pair(b.end, b.length);
    });
    // units sold are no money, though "sold" alone speaks of it
    const auto pieces = std::ranges::find_if(
        found, [](const Found& f) { return f.about->name == "quantity" && f.length > 1; });
    if (pieces != found.end()) {
        const std::size_t begin = pieces->end - pieces->length;
        const std::size_t end = pieces->end;
        std::erase_if(found, [&](const Found& f) {
            return f.about->name == "amount" && f.end - f.length >= begin && f.end <= end;
        });
    }
    // 乘客评分 is a rating, and nothing that 乘客 is
    if (column.is_number() && !found.empty() && found[0].end >= words.size()) {
        std::erase_if(found, [&](const Found& f) {
            const std::size_t begin = f.end - f.length;
            return f.end < found[0].end && begin == 0 && f.end <= column.words.size() &&
                   is_name_phrase(column.words, begin, f.end);
        });
    }
    // 加班费 is money: no hours, though 加班 are
    if (is_han_money(column)) {
        std::erase_if(found, [](const Found& f) { return f.about->name == "hours"; });
    }
    for (const Found& f : found) {
        column.meanings.push_back(f.about);
        if (f.end >= words.size()) column.head_meanings = column.meanings.size();
    }
}

bool is_id(const Column& column, std::size_t rows) {
    static const auto& kNames = word_list("is id names");
    for (const std::string_view name : kNames) {
        if (holds(column.words, tokens_of(name)) &&
            (column.is_text() || (column.is_number() && column.is_whole))) {
            return true;
        }
    }
    // 1, 2, 3, … without a telling name counts rows
    const bool is_measure = std::ranges::any_of(column.meanings, [](const Concept* about) {
        return about->nature == Nature::Additive || about->nature == Nature::Level;
    });
    return !is_measure && column.is_number() && column.is_whole && rows > 20 &&
           column.distinct == rows && column.low <= 1 &&
           column.high - column.low + 1 == static_cast<double>(rows);
}

void find_flag(Column& column) {
    static const auto& kPairs = word_pairs("yes and no");
    if (column.is_number()) {
        if (column.is_whole && column.low == 0 && column.high == 1 && column.distinct == 2) {
            column.positive = "1";
            column.negative = "0";
        }
        return;
    }
    if (column.distinct > 2 || column.values.empty() || column.values.size() > 2) return;
    const auto text = [&](std::size_t i) {
        std::string out;
        if (i < column.value_words.size()) {
            for (const Token& word : column.value_words[i]) out += word.text;
        }
        return out;
    };
    for (const auto& [yes, no] : kPairs) {
        for (std::size_t i = 0; i < column.values.size(); ++i) {
            if (text(i) == yes && (column.values.size() == 1 || text(1 - i) == no)) {
                column.positive = column.values[i];
                column.negative = column.values.size() == 1 ? "" : column.values[1 - i];
            }
        }
    }
}

// What people shorten in headers is said in full in questions.
std::string written_out(const std::string& word) {
    static const auto& kShort = word_pairs("written out");
    for (const auto& [written, meant] : kShort) {
        if (word == written) return std::string(meant);
    }
    return word;
}

std::optional<Column> column_of(const json::value& value, std::size_t rows) {
    if (!value.is_array()) return std::nullopt;
    const json::array& facts = value.get_array();
    if (facts.size() < 4 || !facts[0].is_string()) return std::nullopt;
    Column column;
    column.name = text_of(facts[0]);
    const std::string kind = text_of(facts[1]);
    column.distinct = count_of(facts[2]);
    column.missing = count_of(facts[3]);
    if ((kind == "i" || kind == "f") && facts.size() >= 6) {
        column.kind = Column::Kind::Number;
        column.is_whole = kind == "i";
        column.low = number_of(facts[4]);
        column.high = number_of(facts[5]);
    } else if ((kind == "d" || kind == "s") && facts.size() >= 6) {
        column.kind = Column::Kind::Date;
        column.has_time = kind == "s";
        column.from = text_of(facts[4]);
        column.to = text_of(facts[5]);
    } else if (facts.size() >= 5 && facts[4].is_array()) {
        for (const json::value& v : facts[4].get_array()) {
            if (column.values.size() == kValuesMax) break;
            if (v.is_string()) column.values.push_back(text_of(v));
        }
    }
    column.words = tokens_of_name(column.name);
    for (std::size_t i = 0; i < column.words.size(); ++i) {
        Token& word = column.words[i];
        if (word.text == "min" && i == 0) continue;  // min_temp is the lowest, time_min are minutes
        word.stem = written_out(word.stem);
    }
    for (const Token& word : column.words) {
        for (const char c : word.text) {
            if (c != '.') column.together += c;  // PM2.5 is scanned otherwise in a question
        }
        if (!is_weak(word)) column.strong.push_back(word);
    }
    // 票房(万元), Consumption [kWh]: the unit tells no column from others
    if (const std::size_t unit = column.name.find_first_of("(["); unit != std::string::npos) {
        const std::size_t count = tokens_of_name(column.name.substr(0, unit)).size();
        std::vector<Token> named;
        for (std::size_t i = 0; i < std::min(count, column.words.size()); ++i) {
            if (!is_weak(column.words[i])) named.push_back(column.words[i]);
        }
        if (!named.empty()) column.strong = std::move(named);
    }
    for (const std::string& v : column.values) column.value_words.push_back(tokens_of(v));
    find_meanings(column);
    column.is_id = is_id(column, rows);
    find_flag(column);
    return column;
}

// 骑行编号, 借阅单号, 外卖订单: the noun in front, what a row is
std::string han_noun(std::string name) {
    static const auto& kEndings = word_row("han noun endings");
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view ending : kEndings) {
            if (name.size() > ending.size() && name.ends_with(ending)) {
                name.resize(name.size() - ending.size());
                again = true;
            }
        }
    }
    return has_han(name) ? name : "";
}

// Sheet1, 工作表 2, Tabelle3
bool is_number_of_sheet(const std::string& name) {
    for (const std::string_view word : {"sheet", "工作表", "tabelle", "feuil", "hoja"}) {
        const auto tokens = tokens_of(name);
        std::string text;
        for (const Token& token : tokens) text += token.text;
        if (text.starts_with(word) &&
            text.find_first_not_of("0123456789", word.size()) == std::string::npos) {
            return true;
        }
    }
    return false;
}

std::optional<Table> table_of(const json::value& value) {
    if (!value.is_object()) return std::nullopt;
    const json::object& facts = value.get_object();
    const auto get = [&](const char* name) {
        const json::value* found = facts.if_contains(name);
        return found == nullptr ? json::value() : *found;
    };
    Table table;
    table.path = text_of(get("path"));
    if (table.path.empty()) return std::nullopt;
    table.sheet = text_of(get("sheet"));
    table.error = text_of(get("error"));
    table.note = text_of(get("note"));
    table.rows = count_of(get("rows"));
    table.width = count_of(get("width"));
    const json::value columns = get("columns");
    if (columns.is_array()) {
        for (const json::value& v : columns.get_array()) {
            if (table.columns.size() == kColumnsMax) break;
            if (auto column = column_of(v, table.rows)) table.columns.push_back(std::move(*column));
        }
    }
    table.described = table.columns.size();
    std::string stem = table.file_name();
    stem = stem.substr(0, stem.rfind('.'));
    // "Sheet1" says nothing of what is on it, the file's name may
    const bool is_told = !table.sheet.empty() && !is_number_of_sheet(table.sheet);
    table.words = tokens_of_name(is_told ? table.sheet : stem);
    const auto add_noun = [&](const std::string& name) {
        auto noun = tokens_of(han_noun(name));
        std::erase_if(noun, [](const Token& t) { return !t.is_han(); });
        if (noun.size() >= 2) table.row_nouns.push_back(std::move(noun));
    };
    add_noun(is_told ? table.sheet : stem);
    for (const Column& column : table.columns) {
        if (column.is_id && (column.distinct + column.missing) * 100 >= table.rows * 98) {
            add_noun(column.name);
        }
        if (!column.is_date()) continue;
        add_noun(column.name);  // 投递日期: 投递
        static const auto& kGeneric = word_list("table of generic");
        for (const Token& word : column.words) {
            if (word.is_word() && word.text.size() > 3 && !kGeneric.contains(word.stem)) {
                table.row_words.push_back(word);
            }
        }
    }
    add_row_family(table);
    return table;
}

}  // namespace

bool Column::means(std::string_view concept_name) const {
    return std::ranges::any_of(meanings,
                               [&](const Concept* about) { return about->name == concept_name; });
}

Token Column::last_word() const {
    if (words.empty()) return {};
    std::size_t last = words.size() - 1;
    const std::size_t unit = name.find_first_of("([");
    if (unit != std::string::npos && unit > 0) {
        const auto before = tokens_of_name(name.substr(0, unit));
        if (!before.empty()) last = before.size() - 1;
    }
    return words[std::min(last, words.size() - 1)];
}

Nature Column::nature() const {
    if (is_text()) return Nature::Name;
    if (is_date()) return Nature::Time;
    for (const Token& word : words) {
        // an average or a rate in the name is no sum, whatever else it is about
        static const auto& kLevels = word_list("nature levels");
        // 年缴保费 is a premium, though one a year
        // 单件成本, 单价: of one piece
        if (&word == &words.front() && word.text == "单") return Nature::Level;
        const bool is_how_often = &word == &words.front() && word.text == "年" && words.size() > 1;
        if (is_how_often) continue;
        if (kLevels.contains(word.text)) { return Nature::Level; }
    }
    // invoices have a column "total": totals add up
    static const auto& kTotals = word_list("nature totals");
    const auto is_total = [](const Token& word) { return kTotals.contains(word.text); };
    if (!words.empty() && is_total(words.back())) return Nature::Additive;
    if (is_han_money(*this)) return Nature::Additive;
    // Downtime_min is downtime: the unit says least
    const auto is_figure = [](const Concept* about) {
        return about->nature == Nature::Additive || about->nature == Nature::Level;
    };
    const auto figures = std::ranges::count_if(meanings, is_figure);
    for (const Concept* about : meanings) {
        if (!is_figure(about) || (figures > 1 && about->name == "minutes")) continue;
        return about->nature;
    }
    // tips_usd, 佣金(元): money adds up
    for (const Token& word : words) {
        static const auto& kMoney = word_list("nature money");
        if (kMoney.contains(word.text)) { return Nature::Additive; }
    }
    // 药费, 退款额; Conversions: what its name ends with
    if (words.empty()) return Nature::Level;
    static const auto& kSums = word_list("nature sums");
    const Token end = last_word();
    if (kSums.contains(end.text)) return Nature::Additive;
    const bool is_plural =
        end.is_word() && end.text.size() > 4 && end.text != end.stem && is_whole && low >= 0;
    return is_plural ? Nature::Additive : Nature::Level;
}

std::string Table::file_name() const {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string Table::title() const {
    return sheet.empty() ? file_name() : file_name() + " / " + sheet;
}

bool Schema::has_data() const {
    return std::ranges::any_of(tables, [](const Table& table) { return !table.columns.empty(); });
}

const Column& at(const Schema& schema, Field field) {
    return schema.tables.at(field.table).columns.at(field.column);
}

std::string_view marked_line(std::string_view tool_output, std::string_view marker) {
    const std::string begin = "{\"" + std::string(marker) + "\":";
    std::size_t at = 0;
    while (at < tool_output.size()) {
        const std::size_t end = std::min(tool_output.find('\n', at), tool_output.size());
        const std::string_view line = tool_output.substr(at, end - at);
        if (line.starts_with(begin) && line.size() <= kLineBytesMax) return line;
        at = end + 1;
    }
    return {};
}

namespace {

// A list in the line that the loader's code marked so; none where there is no such line.
std::optional<json::array> list_in(std::string_view tool_output, std::string_view marker,
                                   std::string_view key) {
    const std::string_view line = marked_line(tool_output, marker);
    if (line.empty()) return std::nullopt;
    boost::system::error_code failed;
    const json::value value = json::parse(line, failed);
    if (failed || !value.is_object()) return std::nullopt;
    const json::value* found = value.get_object().if_contains(key);
    if (found == nullptr || !found->is_array()) return std::nullopt;
    return found->get_array();
}

}  // namespace

std::optional<Schema> schema_in(std::string_view tool_output) {
    const auto tables = list_in(tool_output, "atoll_schema", "tables");
    if (!tables) return std::nullopt;
    Schema schema;
    for (const json::value& v : *tables) {
        if (schema.tables.size() == kTablesMax) break;
        if (auto table = table_of(v)) schema.tables.push_back(std::move(*table));
    }
    return schema;
}

void add_found(Schema& schema, std::string_view tool_output) {
    const auto found = list_in(tool_output, "atoll_found", "values").value_or(json::array());
    std::size_t added = 0;
    for (const json::value& v : found) {
        if (!v.is_array() || v.get_array().size() != 5 || ++added > kValuesMax) continue;
        const json::array& facts = v.get_array();
        for (Table& table : schema.tables) {
            if (table.path != text_of(facts[0]) || table.sheet != text_of(facts[1])) continue;
            for (Column& column : table.columns) {
                if (column.name != text_of(facts[2]) || !column.is_text()) continue;
                column.values.push_back(text_of(facts[4]));
                column.value_words.push_back(tokens_of(text_of(facts[3])));
            }
        }
    }
}

void add_columns(Schema& schema, std::string_view tool_output) {
    const auto found = list_in(tool_output, "atoll_columns", "columns").value_or(json::array());
    for (const json::value& v : found) {
        if (!v.is_array() || v.get_array().size() != 3) continue;
        const json::array& facts = v.get_array();
        for (Table& table : schema.tables) {
            if (table.path != text_of(facts[0]) || table.sheet != text_of(facts[1])) continue;
            auto column = column_of(facts[2], table.rows);
            const bool is_new = column && std::ranges::none_of(table.columns, [&](const Column& c) {
                                    return c.name == column->name;
                                });
            if (is_new && table.columns.size() < kColumnsMax + kFoundColumnsMax) {
                table.columns.push_back(std::move(*column));
            }
        }
    }
}

std::vector<std::string> searched_in(std::string_view tool_output) {
    std::vector<std::string> out;
    const auto wanted = list_in(tool_output, "atoll_found", "wanted").value_or(json::array());
    for (const json::value& v : wanted) out.push_back(text_of(v));
    return out;
}

}  // namespace atl::offline
