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
    Pattern{"Infinite values of * count as missing.", "*中的无穷值按缺失处理。"},
    Pattern{"In *, dates such as * were read as month/day; nothing in it tells whether the day "
            "comes first.",
            "*中像 * 这样的日期按“月/日”读取;数据本身看不出日在前还是月在前。"},
    Pattern{"In *, some dates begin with the day and others with the month; what could be either "
            "was read like most of them.",
            "*中有些日期日在前、有些月在前;两可的按多数读取。"},
    Pattern{"* holds several currencies (*); they were taken as plain numbers, nothing was "
            "converted.",
            "*含有多种货币(*);只按数字计算,没有换算。"},
    Pattern{"Whole numbers of more than 15 digits, as in *, are shown rounded.",
            "超过 15 位的整数(如*)显示时有舍入。"},
    Pattern{"* was left as text: * may be hours and minutes, or minutes and seconds.",
            "*保留为文本:* 可能是时分,也可能是分秒。"},
    Pattern{"In *, dots stand between thousands: * was read as *.",
            "*中的点是千位分隔符:* 读作 *。"},
    Pattern{"The last row is called a total, but is no sum of the others; it was counted.",
            "最后一行写着合计,但不等于其他行之和;已按普通行计入。"},
    Pattern{"A row that adds up the others (*) was left out.", "合计行(*)已排除。"},
    Pattern{"* rows that add up the others (*) were left out.", "* 行合计(*)已排除。"},
    Pattern{"The table has no names of columns; they are called column 1, column 2 and so on.",
            "表中没有列名;依次称为 column 1、column 2 等。"},
    Pattern{"The row * was taken for the names of the columns.", "*这一行被当作列名。"},
    Pattern{"* row has more columns than the header; what stands beyond was left out.",
            "* 行的列数多于表头;多出的部分已忽略。"},
    Pattern{"* rows have more columns than the header; what stands beyond was left out.",
            "* 行的列数多于表头;多出的部分已忽略。"},
    Pattern{"* row has more columns than the header; they were left out.",
            "* 行的列数多于表头,已排除。"},
    Pattern{"* rows have more columns than the header; they were left out.",
            "* 行的列数多于表头,已排除。"},
    Pattern{"Only the first * rows of about * were read, the file is too large.",
            "文件太大,只读取了前 * 行(共约 * 行)。"},
    Pattern{"Some characters of the file are damaged; the rest of it is UTF-8.",
            "文件中有些字符已损坏;其余为 UTF-8。"},
    Pattern{"How the letters of the file are written is a guess: *.", "文件的文字编码是推测的:*。"},
    Pattern{"Sheets too many to be read, and left out: *.", "工作表太多,未读取:*。"},
    Pattern{"Too many to be read, and left out: *.", "太多,未读取:*。"},
    Pattern{"Not in these figures, though of the same form: *.", "以上数字不包括结构相同的:*。"}};

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
