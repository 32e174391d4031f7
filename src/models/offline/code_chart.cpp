// The picture of a result.
#include "models/offline/code_writer.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace atl::offline {

void CodeWriter::chart() {
    if (q_.chart == ChartKind::None || keys().empty()) return;
    const std::string key = py(keys()[0]);
    const Measure& m = q_.measures[0];
    const std::string value = q_.intent == Intent::Growth  ? py(kChangePercentColumn)
                              : q_.intent == Intent::Share ? py(kShareColumn)
                                                           : py(label(m));
    const bool is_time =
        !q_.groups.empty() && q_.groups[0].grain != Grain::None && q_.order == Order::None;
    ChartKind kind = q_.chart;
    if (kind == ChartKind::Any || kind == ChartKind::Histogram || kind == ChartKind::Scatter ||
        kind == ChartKind::Box) {
        kind = q_.intent == Intent::Share && q_.periods.empty() ? ChartKind::Pie
               : is_time && q_.intent != Intent::Growth         ? ChartKind::Line
                                                                : ChartKind::Bar;
    }
    begin_chart(label(m));
    line("shown = result.head(" + std::string(is_time ? "400" : "20") + ")");
    const std::string labels = "shown[" + key + "].astype(str)";
    if (kind == ChartKind::Pie) {
        line("axes.pie(shown[" + value + "].clip(lower=0), labels=" + labels +
             ", autopct='%1.1f%%')");
    } else if (kind == ChartKind::Line) {
        line("axes.plot(" + labels + ", shown[" + value + "], marker='o')");
    } else {
        line("axes.bar(" + labels + ", shown[" + value + "])");
    }
    if (kind != ChartKind::Pie) {
        line("axes.set_xlabel(" + key + ")");
        line("axes.set_ylabel(" + value + ")");
        line("axes.tick_params(axis='x', rotation=45)");
        if (is_time) { line("axes.set_xticks(range(0, len(shown), max(1, len(shown) // 24)))"); }
    }
    end_chart();
}

void CodeWriter::begin_chart(const std::string& about) {
    std::string title = about;
    for (const Group& g : q_.groups) {
        title += (q_.language == Language::Chinese ? " · " : " by ") + name_of(q_, schema_, g);
    }
    chart_title_ = title;
    line("figure, axes = start_chart(" + py(title) + ")");
}

void CodeWriter::end_chart() {
    chart_file_ = file_name();
    line("save_chart(figure, " + py(chart_file_) + ")");
}

std::string CodeWriter::file_name() const {
    std::string slug;
    for (const char c : chart_title_) {
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        if (is_plain || (lower >= 'a' && lower <= 'z')) {
            slug += lower;
        } else if (!slug.empty() && slug.back() != '_') {
            slug += '_';
        }
        if (slug.size() >= 40) break;
    }
    while (!slug.empty() && slug.back() == '_') slug.pop_back();
    std::uint32_t hash = 2166136261U;
    for (const char c : code_) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    std::array<char, 12> number{};
    std::snprintf(number.data(), number.size(), "%04x", hash & 0xFFFFU);
    return (slug.empty() ? "chart" : slug) + "_" + number.data() + ".png";
}

}  // namespace atl::offline
