// How two columns go together, and how one is spread.
#include "models/offline/answer_writer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace atl::offline {

std::string AnswerWriter::strength(double r) const {
    const double size = std::fabs(r);
    if (size < 0.1) return say("practically no linear relation", "几乎没有线性关系");
    const std::string sign = r > 0 ? say("positive", "正") : say("negative", "负");
    const std::string how = size < 0.3   ? say("weak ", "弱")
                            : size < 0.6 ? say("moderate ", "中等")
                                         : say("strong ", "强");
    return say("a " + how + sign + " relation", how + sign + "相关");
}

std::string AnswerWriter::r_text(double r) {
    std::array<char, 24> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.3f", r);
    return buffer.data();
}

std::string AnswerWriter::correlation() const {
    if (q_.fields.size() == 2) {
        const auto r = result_.figure("r");
        if (!r) return say("The correlation cannot be computed.", "无法计算相关系数。");
        return say("The correlation between `" + name(q_.fields[0]) + "` and `" +
                       name(q_.fields[1]) + "` is **r = " + r_text(*r) + "** (Pearson, " +
                       figure("pairs") + " rows; rank correlation " +
                       r_text(figure_value("spearman")) + "): " + strength(*r) + ".",
                   "`" + name(q_.fields[0]) + "` 与 `" + name(q_.fields[1]) +
                       "` 的相关系数 **r = " + r_text(*r) + "**(Pearson," + figure("pairs") +
                       " 行;秩相关 " + r_text(figure_value("spearman")) + "):" + strength(*r) +
                       "。");
    }
    if (result_.rows.empty()) {
        return say("There are not two number columns to relate.", "没有两个可比较的数值列。");
    }
    std::string out = say("The strongest correlations:", "相关性最强的列:");
    for (std::size_t r = 0; r < std::min<std::size_t>(10, result_.rows.size()); ++r) {
        const std::size_t last = result_.columns.size() - 1;
        std::string who = "`" + cell(r, 0) + "`";
        if (last == 2) {
            who += " – `" + cell(r, 1) + "`";
        } else if (!q_.fields.empty()) {
            who = "`" + name(q_.fields[0]) + "` – " + who;
        }
        out += "\n- " + who + ": **r = " + r_text(number(r, last).value_or(0)) + "**";
    }
    return out;
}

std::string AnswerWriter::outliers() const {
    if (q_.fields.empty()) return say("There is no number column.", "没有数值列。");
    const std::string field = name(q_.fields[0]);
    return say("`" + field + "` has " + bold(figure("count")) + " outliers among " +
                   figure("rows") + " values by the 1.5 × IQR rule: " + figure("above") +
                   " above " + figure("fence_high") + " and " + figure("below") + " below " +
                   figure("fence_low") + "." + scope_of_filters(),
               "`" + field + "` 按 1.5 × IQR 规则,在 " + figure("rows") + " 个值中有 " +
                   bold(figure("count")) + " 个异常值:高于 " + figure("fence_high") + " 的 " +
                   figure("above") + " 个,低于 " + figure("fence_low") + " 的 " + figure("below") +
                   " 个。" + scope_of_filters()) +
           table(10);
}

std::string AnswerWriter::distribution() const {
    if (q_.fields.empty()) return say("There is no number column.", "没有数值列。");
    const std::string field = name(q_.fields[0]);
    if (!q_.groups.empty()) {
        return say("`" + field + "` by " + keys_text() + scope() + ":",
                   "按" + keys_text() + "的 `" + field + "` 分布" + scope() + ":") +
               table();
    }
    // describe(): count, mean, std, min, 25%, 50%, 75%, max
    return say(
        "`" + field + "`: mean " + bold(cell(1, 1)) + ", median " + bold(cell(5, 1)) + ", from " +
            cell(3, 1) + " to " + cell(7, 1) + "; the middle half lies between " + cell(4, 1) +
            " and " + cell(6, 1) + " (standard deviation " + cell(2, 1) + ", " + figure("rows") +
            " values)." + scope_of_filters(),
        "`" + field + "`:均值 " + bold(cell(1, 1)) + ",中位数 " + bold(cell(5, 1)) + ",范围 " +
            cell(3, 1) + " 至 " + cell(7, 1) + ";中间一半在 " + cell(4, 1) + " 与 " + cell(6, 1) +
            " 之间(标准差 " + cell(2, 1) + "," + figure("rows") + " 个值)。" + scope_of_filters());
}

}  // namespace atl::offline
