// What was doubtful as the table was read, told where the answer rests on it.
#include "models/offline/answer_writer.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace atl::offline {
namespace {

// A sentence of the profile code, * for what changes, and the same in Chinese.
struct Pattern {
    std::string_view english;
    std::string_view chinese;
};
constexpr std::array kPatterns = {
    Pattern{"Some values of * are no numbers (such as *) and count as missing.",
            "*中有些值不是数字(例如 *),按缺失处理。"},
    Pattern{"Some values of * are no dates (such as *) and count as missing.",
            "*中有些值不是日期(例如 *),按缺失处理。"},
    Pattern{"Some values of * have a % sign and others do not; the signs were left out.",
            "*中有些值带 % 号、有些不带;% 号已忽略。"},
    Pattern{"* is in minutes.", "*以分钟计。"},
    Pattern{"* was read as minutes: *.", "*按分钟读取:*。"},
    Pattern{"The times in * were turned into UTC.", "*中的时间已换算为 UTC。"},
    Pattern{"Infinite values of * count as missing.", "*中的无穷值按缺失处理。"}};

// What stands for each * where the sentence is of this form.
std::optional<std::vector<std::string>> holes_in(std::string_view sentence, std::string_view form) {
    std::vector<std::string> holes;
    const std::size_t star = std::min(form.find('*'), form.size());
    if (!sentence.starts_with(form.substr(0, star))) return std::nullopt;
    sentence.remove_prefix(star);
    form.remove_prefix(star);
    while (!form.empty()) {
        form.remove_prefix(1);
        const std::string_view next = form.substr(0, form.find('*'));
        const bool is_last = next.size() == form.size();
        const std::size_t end = is_last ? (sentence.ends_with(next) ? sentence.size() - next.size()
                                                                    : std::string_view::npos)
                                        : sentence.find(next);
        if (end == std::string_view::npos) return std::nullopt;
        holes.emplace_back(sentence.substr(0, end));
        sentence.remove_prefix(end + next.size());
        form.remove_prefix(next.size());
    }
    return holes;
}

std::string in_chinese(const std::string& sentence) {
    for (const Pattern& pattern : kPatterns) {
        const auto holes = holes_in(sentence, pattern.english);
        if (!holes) continue;
        std::string out;
        std::size_t next = 0;
        for (const char c : pattern.chinese) {
            out += c == '*' && next < holes->size() ? (*holes)[next++] : std::string(1, c);
        }
        return out;
    }
    return sentence;
}

// Each begins with a capital or a name in quotes, behind the full stop of the one before.
std::vector<std::string> sentences_of(const std::string& note) {
    std::vector<std::string> out;
    std::size_t begin = 0;
    for (std::size_t i = 0; i + 2 < note.size(); ++i) {
        const char next = note[i + 2];
        const bool is_end =
            note[i] == '.' && note[i + 1] == ' ' && (next == '"' || (next >= 'A' && next <= 'Z'));
        if (!is_end) continue;
        out.push_back(note.substr(begin, i + 1 - begin));
        begin = i + 2;
    }
    if (begin < note.size()) out.push_back(note.substr(begin));
    return out;
}

}  // namespace

// Whether the figures of the answer rest on the column.
bool AnswerWriter::uses(const std::string& column) const {
    switch (q_.intent) {
        case Intent::Aggregate:
        case Intent::Share:
        case Intent::Growth:
        case Intent::Ratio:
        case Intent::Outliers:
        case Intent::Distribution: break;
        default: return true;
    }
    std::vector<Field> fields = q_.fields;
    const auto add = [&](const std::optional<Field>& field) {
        if (field) fields.push_back(*field);
    };
    const auto add_measure = [&](const Measure& m) {
        add(m.field);
        add(m.times);
        add(m.plus);
        add(m.minus);
    };
    for (const Measure& m : q_.measures) add_measure(m);
    if (q_.having) add_measure(q_.having->measure);
    for (const Group& g : q_.groups) fields.push_back(g.field);
    if (q_.averaged) fields.push_back(q_.averaged->field);
    for (const auto* filters : {&q_.filters, &q_.part, &q_.base}) {
        for (const Filter& f : *filters) fields.push_back(f.field);
    }
    return std::any_of(fields.begin(), fields.end(),
                       [&](Field field) { return at(schema_, field).name == column; });
}

std::string AnswerWriter::notices() const {
    const Table& table = schema_.tables[q_.table];
    std::string out;
    for (const std::string& sentence : sentences_of(table.note)) {
        const bool is_of_unused =
            std::any_of(table.columns.begin(), table.columns.end(), [&](const Column& c) {
                return sentence.find('"' + c.name + '"') != std::string::npos && !uses(c.name);
            });
        if (is_of_unused) continue;
        out += (out.empty() ? "\n\n" : " ") + escaped(zh_ ? in_chinese(sentence) : sentence);
    }
    return out;
}

}  // namespace atl::offline
