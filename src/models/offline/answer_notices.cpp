// What was doubtful as the table was read, told where the answer rests on it.
#include "models/offline/answer_writer.hpp"
#include "models/offline/data.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace atl::offline {
namespace {

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
    static const std::vector<std::string> patterns = data_lines("notices.txt");
    for (const std::string& pattern : patterns) {
        const std::size_t arrow = pattern.find(" => ");
        const auto holes = holes_in(sentence, pattern.substr(0, arrow));
        if (!holes) continue;
        std::string out;
        std::size_t next = 0;
        for (const char c : pattern.substr(arrow + 4)) {
            out += c == '*' && next < holes->size() ? (*holes)[next++] : std::string(1, c);
        }
        return out;
    }
    return sentence;
}

// One a line.
std::vector<std::string> sentences_of(const std::string& note) {
    std::vector<std::string> out;
    for (std::size_t begin = 0; begin < note.size();) {
        const std::size_t end = std::min(note.find('\n', begin), note.size());
        if (end > begin) out.push_back(note.substr(begin, end - begin));
        begin = end + 1;
    }
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
    for (const Measure& m : q_.measures) add(m.field);
    for (const Group& g : q_.groups) fields.push_back(g.field);
    for (const auto* filters : {&q_.filters, &q_.part}) {
        for (const Filter& f : *filters) fields.push_back(f.field);
    }
    return std::ranges::any_of(fields,
                               [&](Field field) { return at(schema_, field).name == column; });
}

std::string AnswerWriter::notices() const {
    const Table& table = schema_.tables[q_.table];
    std::string out;
    for (const std::string& sentence : sentences_of(table.note)) {
        const bool is_of_unused = std::ranges::any_of(table.columns, [&](const Column& c) {
            return sentence.find('"' + c.name + '"') != std::string::npos && !uses(c.name);
        });
        if (is_of_unused) continue;
        out += (out.empty() ? "\n\n" : " ") + escaped(zh_ ? in_chinese(sentence) : sentence);
    }
    return out;
}

}  // namespace atl::offline
