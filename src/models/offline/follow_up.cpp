#include "models/offline/follow_up.hpp"

#include <algorithm>

namespace atl::offline {
namespace {

bool is_time(const Filter& filter) {
    return filter.kind == Filter::Kind::Dates || filter.kind == Filter::Kind::Months ||
           filter.kind == Filter::Kind::Weekdays;
}

void change_filters(Question& out, const Question& now) {
    for (const Filter& filter : now.filters) {
        std::erase_if(out.filters, [&](const Filter& old) {
            return old.field == filter.field && (is_time(old) == is_time(filter)) &&
                   (!is_time(old) || old.kind == filter.kind || filter.kind == Filter::Kind::Dates);
        });
        out.filters.push_back(filter);
        if (filter.kind == Filter::Kind::Dates) out.periods.clear();
    }
}

// "and what is that in percent?" after one figure of some rows: of the figure of all rows
void ask_share_of(Question& out) {
    const bool is_one = out.groups.empty() && out.periods.empty() && out.measures.size() == 1 &&
                        (out.intent == Intent::Aggregate || out.intent == Intent::Rows);
    const bool adds_up = is_one && (out.measures[0].aggregation == Aggregation::Sum ||
                                    out.measures[0].aggregation == Aggregation::Count ||
                                    out.measures[0].aggregation == Aggregation::Distinct);
    if (!adds_up || out.filters.empty()) return;
    const bool only_time = std::ranges::all_of(out.filters, is_time);
    std::vector<Filter> whole;
    for (const Filter& filter : out.filters) {
        (only_time || !is_time(filter) ? out.part : whole).push_back(filter);
    }
    out.filters = whole;
    out.intent = Intent::Share;
}

void change_groups(Question& out, const Question& now, bool adds) {
    if (now.groups.empty()) return;
    if (adds && out.groups.size() + now.groups.size() <= 3) {
        out.groups.insert(out.groups.end(), now.groups.begin(), now.groups.end());
    } else {
        out.groups = now.groups;
    }
    // "and by region?" after "which month was best" asks for all regions
    if (now.order == Order::None) {
        out.order = Order::None;
        out.wants_one = false;
        out.count.reset();
    }
}

}  // namespace

Question follow_up(const Question& before, const Question& now, const QuestionParts& parts) {
    Question out = before;
    out.language = now.language;
    out.names = now.names;
    out.chart = now.chart;
    if (parts.has_measure && !now.measures.empty()) {
        out.measures = now.measures;
        out.chose_measure = false;
        if (out.intent != Intent::Share && out.intent != Intent::Growth) out.intent = now.intent;
        if (now.intent == Intent::Shape || now.intent == Intent::Rows)
            out.intent = Intent::Aggregate;
    } else if (!parts.aggregations.empty()) {
        for (std::size_t i = 0; i < out.measures.size(); ++i) {
            if (out.measures[i].field) out.measures[i].aggregation = parts.aggregations[0];
        }
        if (out.intent == Intent::Share) out.intent = Intent::Aggregate;
    }
    const bool can_be_share = out.intent == Intent::Aggregate && !out.groups.empty() &&
                              out.measures.size() == 1 &&
                              (out.measures[0].aggregation == Aggregation::Sum ||
                               out.measures[0].aggregation == Aggregation::Count);
    if (parts.asks_share && can_be_share) out.intent = Intent::Share;
    if (parts.asks_share && now.part.empty() && now.filters.empty() && now.groups.empty()) {
        ask_share_of(out);
    }
    if (now.intent == Intent::Share || now.intent == Intent::Growth) {
        out.intent = now.intent;
        out.part = now.part;
    }
    const bool had_figures = out.intent == Intent::Aggregate || out.intent == Intent::Share ||
                             out.intent == Intent::Growth || out.intent == Intent::Distribution ||
                             out.intent == Intent::Outliers || out.intent == Intent::Rows;
    if (!had_figures && (!now.groups.empty() || !now.filters.empty())) {
        out.intent = Intent::Aggregate;
        if (out.measures.empty()) out.measures.push_back({Aggregation::Count, {}});
    }
    change_groups(out, now, parts.adds);
    change_filters(out, now);
    if (!now.periods.empty()) {
        out.periods = now.periods;
        out.fields = now.fields;
        std::erase_if(out.filters, is_time);
    }
    if (now.order != Order::None) {
        out.order = now.order;
        out.wants_one = now.wants_one;
    }
    if (now.count) {
        out.count = now.count;
        if (out.order == Order::None) out.order = Order::Highest;
        out.wants_one = false;
    }
    return out;
}

}  // namespace atl::offline
