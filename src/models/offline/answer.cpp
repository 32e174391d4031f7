#include "models/offline/answer.hpp"
#include "models/offline/data.hpp"

#include "models/offline/answer_writer.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace atl::offline {
namespace {

namespace json = boost::json;

constexpr std::size_t kCellBytesMax = 80;

Cell cell_of(const json::value& value) {
    if (value.is_string()) return std::string(value.get_string());
    if (value.is_bool()) return std::string(value.get_bool() ? "True" : "False");
    if (value.is_number()) {
        boost::system::error_code ignored;
        return value.to_number<double>(ignored);
    }
    return std::monostate{};
}

bool is_percent_column(std::string_view name) { return name.ends_with("(%)"); }

}  // namespace

std::string bold(const std::string& text) { return "**" + text + "**"; }

std::string percent(double value) {
    std::array<char, 40> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.2f%%", value);
    return buffer.data();
}

std::string AnswerWriter::say(std::string_view sentence_name, const Values& values) const {
    return sentence(sentence_name, q_.language, [&](std::string_view wanted) -> std::string {
        for (const auto& [key, value] : values) {
            if (key == wanted) return value;
        }
        if (wanted == "scope") return scope();
        if (wanted == "keys") return keys_text();
        if (wanted == "where") return conditions(q_.filters);
        if (wanted == "with") return in_brackets(conditions(q_.filters));
        if (wanted == "measure") return q_.measures.empty() ? "" : name(q_.measures[0]);
        if (wanted == "field") return q_.fields.empty() ? "" : name(q_.fields[0]);
        if (wanted == "file") return "`" + escaped(schema_.tables[q_.table].title()) + "`";
        if (wanted.size() == 3 && wanted[1] == ':') {
            return cell(static_cast<std::size_t>(wanted[0] - '0'),
                        static_cast<std::size_t>(wanted[2] - '0'));
        }
        return figure(wanted);
    });
}

std::string AnswerWriter::write(const std::string& chart_file) {
    std::string out = body() + remarks() + notices();
    if (!chart_file.empty()) out += "\n\n" + say("chart", {{"chart", chart_file}});
    return out;
}

std::string AnswerWriter::remarks() const {
    std::string out;
    const auto add = [&](const char* sentence_name, const std::string& list) {
        out += "\n\n" + say(sentence_name, {{"list", list}});
    };
    std::optional<Field> chosen;
    if (!q_.measures.empty()) chosen = q_.measures[0].field;
    if (!chosen && !q_.fields.empty()) chosen = q_.fields[0];
    if (q_.chose_measure && chosen) out += "\n\n" + say("chosen", {{"column", name(*chosen)}});
    if (figure_value("left_out") > 0) {
        std::vector<std::string> keys;
        for (const Group& g : q_.groups) {
            if (at(schema_, g.field).missing > 0) keys.push_back(name(g.field));
        }
        add("left out", listed(keys, "`"));
    }
    if (figure_value("empty") > 0) add("empty groups", "");
    std::vector<std::string> names;
    for (const std::string& n : q_.names) names.push_back(escaped(n));
    if (!names.empty()) add("names", listed(names, ""));
    // of which sheet the figures are, where there are others
    const Table& table = schema_.tables[q_.table];
    std::vector<std::string> sheets;
    for (const Table& t : schema_.tables) {
        if (t.path != table.path || t.sheet == table.sheet || t.columns.empty()) continue;
        sheets.push_back(escaped(t.sheet));
    }
    if (!table.sheet.empty() && !sheets.empty()) {
        out += "\n\n" + say("sheet", {{"sheet", "`" + escaped(table.sheet) + "`"},
                                      {"list", listed(sheets, "`")}});
    }
    return out;
}

std::string AnswerWriter::figure(std::string_view name) const {
    const auto value = result_.figure(name);
    return value ? number_text(*value) : "–";
}

double AnswerWriter::figure_value(std::string_view name) const {
    return result_.figure(name).value_or(0);
}

std::optional<double> AnswerWriter::number(std::size_t row, std::size_t column) const {
    if (row >= result_.rows.size() || column >= result_.rows[row].size()) return std::nullopt;
    const auto* value = std::get_if<double>(&result_.rows[row][column]);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::string AnswerWriter::cell(std::size_t row, std::size_t column) const {
    if (row >= result_.rows.size() || column >= result_.rows[row].size()) return "–";
    const std::string label = column < result_.columns.size() ? result_.columns[column] : "";
    const auto value = number(row, column);
    if (value && is_name_like(label)) return plain(*value);
    if (value) return is_percent_column(label) ? percent(*value) : number_text(*value);
    const auto* text = std::get_if<std::string>(&result_.rows[row][column]);
    return text != nullptr ? escaped(*text) : "–";
}

bool AnswerWriter::tells_rows(const std::string& column) const {
    const Table& t = schema_.tables[q_.table];
    return std::ranges::any_of(t.columns, [&](const Column& c) {
        return c.name == column && (c.is_text() || c.is_id) && t.rows > 5 &&
               c.missing * 2 < t.rows && (c.distinct + c.missing) * 10 >= t.rows * 9;
    });
}

bool AnswerWriter::is_date(const std::string& column) const {
    const auto& columns = schema_.tables[q_.table].columns;
    return std::ranges::any_of(columns,
                               [&](const Column& c) { return c.name == column && c.is_date(); });
}

bool AnswerWriter::is_name_like(const std::string& column) const {
    const auto& columns = schema_.tables[q_.table].columns;
    return std::ranges::any_of(columns, [&](const Column& c) {
        return c.name == column && c.is_number() && (c.is_id || c.is_year());
    });
}

std::size_t AnswerWriter::key_count() const {
    return q_.groups.size() + (q_.periods.empty() ? 0 : 1);
}

// What the code calls a column of its own, in the language of the answer.
std::string AnswerWriter::heading(std::size_t c) const {
    static const auto& kNames = word_pairs("headings");
    const std::string& own = result_.columns[c];
    const auto& columns = schema_.tables[q_.table].columns;
    const bool is_of_table =
        std::ranges::any_of(columns, [&](const Column& column) { return column.name == own; });
    for (const auto& [name, chinese] : kNames) {
        if (zh_ && !is_of_table && own == name) return chinese;
    }
    return escaped(own);
}

std::string AnswerWriter::table(std::size_t most) const {
    if (result_.rows.empty()) return "";
    std::string out = "\n\n|";
    std::string rule = "\n|";
    for (std::size_t c = 0; c < result_.columns.size(); ++c) {
        out += " " + heading(c) + " |";
        const bool is_number = number(0, c).has_value() || number(1, c).has_value();
        rule += is_number ? " ---: |" : " --- |";
    }
    out += rule;
    const std::size_t shown = std::min(most, result_.rows.size());
    for (std::size_t r = 0; r < shown; ++r) {
        out += "\n|";
        for (std::size_t c = 0; c < result_.columns.size(); ++c) out += " " + cell(r, c) + " |";
    }
    if (shown < result_.length) {
        const std::string all = number_text(static_cast<double>(result_.length));
        out += "\n\n" + say("shown", {{"shown", std::to_string(shown)}, {"all", all}});
    }
    return out;
}

std::string AnswerWriter::nothing() const { return say(q_.filters.empty() ? "empty" : "no match"); }

std::string AnswerWriter::body() const {
    switch (q_.intent) {
        case Intent::Shape: return say("shape");
        case Intent::Columns: return say("columns") + table();
        case Intent::Describe: return say("describe") + table();
        case Intent::Rows: return rows();
        case Intent::Values: return say("values") + table();
        case Intent::Period: return period();
        case Intent::Aggregate: return aggregate();
        case Intent::Share: return share();
        case Intent::Growth: return growth();
        case Intent::Correlation: return correlation();
        case Intent::Outliers:
            return q_.fields.empty() ? say("no number") : say("outliers") + table(10);
        case Intent::Distribution: return distribution();
        case Intent::Missing: return missing();
        case Intent::Duplicates: return duplicates();
        case Intent::Ratio: return ratio();
        default: return table();
    }
}

std::optional<double> Result::figure(std::string_view name) const {
    for (const auto& [key, value] : figures) {
        if (key == name && std::holds_alternative<double>(value)) return std::get<double>(value);
    }
    return std::nullopt;
}

std::optional<Result> result_in(std::string_view tool_output) {
    const std::string_view line = marked_line(tool_output, "atoll_result");
    if (line.empty()) return std::nullopt;
    boost::system::error_code failed;
    const json::value value = json::parse(line, failed);
    if (failed || !value.is_object()) return std::nullopt;
    const json::object& object = value.get_object();
    Result result;
    if (const auto* columns = object.if_contains("columns"); columns && columns->is_array()) {
        for (const json::value& v : columns->get_array()) {
            result.columns.push_back(v.is_string() ? std::string(v.get_string()) : "");
        }
    }
    if (const auto* rows = object.if_contains("rows"); rows && rows->is_array()) {
        for (const json::value& v : rows->get_array()) {
            if (!v.is_array()) continue;
            std::vector<Cell> row;
            for (const json::value& c : v.get_array()) row.push_back(cell_of(c));
            row.resize(result.columns.size());
            result.rows.push_back(std::move(row));
        }
    }
    if (const auto* length = object.if_contains("length"); length && length->is_int64()) {
        result.length = static_cast<std::size_t>(std::max<std::int64_t>(0, length->get_int64()));
    }
    result.length = std::max(result.length, result.rows.size());
    if (const auto* figures = object.if_contains("figures"); figures && figures->is_object()) {
        for (const auto& member : figures->get_object()) {
            result.figures.emplace_back(std::string(member.key()), cell_of(member.value()));
        }
    }
    return result;
}

std::string number_text(double value) {
    if (!std::isfinite(value)) return "–";
    std::array<char, 64> buffer{};
    const double size = std::fabs(value);
    const bool is_whole = value == std::floor(value) && size < 1e15;
    if (is_whole) {
        std::snprintf(buffer.data(), buffer.size(), "%.0f", value);
    } else if (size >= 1) {
        std::snprintf(buffer.data(), buffer.size(), "%.2f", value);
    } else {
        std::snprintf(buffer.data(), buffer.size(), "%.4g", value);
    }
    std::string text = buffer.data();
    if (text.find('e') != std::string::npos) return text;
    std::size_t end = std::min(text.find('.'), text.size());
    const std::size_t begin = text[0] == '-' ? 1 : 0;
    while (end > begin + 3) {
        end -= 3;
        text.insert(end, ",");
    }
    return text;
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, kCellBytesMax * 2)) {
        if (c == '\n' || c == '\r' || c == '\t') {
            out += ' ';
        } else if (static_cast<unsigned char>(c) < 0x20) {
            continue;
        } else {
            if (c == '<' || c == '>') {
                out += c == '<' ? "&lt;" : "&gt;";
                continue;
            }
            if (std::string_view("|`[]*\\!").find(c) != std::string_view::npos) out += '\\';
            out += c;
        }
    }
    // not in the middle of a character
    while (text.size() > kCellBytesMax * 2 && !out.empty() &&
           (static_cast<unsigned char>(out.back()) & 0xC0U) == 0x80U) {
        out.pop_back();
    }
    return out;
}

std::string answer(const Question& question, const Schema& schema, const Result& result,
                   const std::string& chart_file) {
    return AnswerWriter(question, schema, result).write(chart_file);
}

}  // namespace atl::offline
