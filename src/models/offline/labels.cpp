#include "models/offline/labels.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace atl::offline {
namespace {

struct Name {
    const char* english;
    const char* chinese;
};

Name grain_name(Grain grain) {
    switch (grain) {
        case Grain::Hour:
        case Grain::HourOfDay: return {"hour", "小时"};
        case Grain::Day: return {"day", "日期(天)"};
        case Grain::Week: return {"week from", "周(起始日)"};
        case Grain::Month: return {"month", "月份"};
        case Grain::Quarter: return {"quarter", "季度"};
        case Grain::Year: return {"year", "年份"};
        case Grain::Weekday: return {"weekday", "星期"};
        case Grain::WorkdayOrWeekend: return {"part of the week", "工作日或周末"};
        case Grain::MonthOfYear: return {"month of the year", "月"};
        case Grain::None: break;
    }
    return {"range", "区间"};
}

bool is_taken(const Question& q, const Schema& schema, const std::string& name) {
    const auto& columns = schema.tables[q.table].columns;
    return std::ranges::any_of(columns, [&](const Column& c) { return c.name == name; });
}

}  // namespace

std::string name_of(const Question& /*question*/, const Schema& schema, Field field) {
    return at(schema, field).name;
}

std::string name_of(const Question& question, const Schema& schema, const Group& group) {
    const std::string field = name_of(question, schema, group.field);
    if (group.grain == Grain::None) return field;
    const Name name = grain_name(group.grain);
    const bool chinese = question.language == Language::Chinese;
    std::string label = chinese ? name.chinese : name.english;
    return is_taken(question, schema, label) ? label + " (" + field + ")" : label;
}

std::string name_of(const Question& question, const Schema& schema, const Measure& measure) {
    const bool chinese = question.language == Language::Chinese;
    if (measure.aggregation == Aggregation::Count) {
        const std::string label = chinese ? "行数" : "rows";
        return is_taken(question, schema, label) ? label + " " : label;
    }
    const std::string name = value_name(question, schema, measure);
    switch (measure.aggregation) {
        case Aggregation::Sum: {
            const bool says_so = name.starts_with("total") || name.starts_with("Total");
            return chinese ? name + " 合计" : (says_so ? "sum of " : "total ") + name;
        }
        case Aggregation::Mean: return chinese ? name + " 平均" : "average " + name;
        case Aggregation::Median: return chinese ? name + " 中位数" : "median " + name;
        case Aggregation::Minimum: return chinese ? name + " 最小值" : "lowest " + name;
        case Aggregation::Maximum: return chinese ? name + " 最大值" : "highest " + name;
        case Aggregation::Deviation:
            return chinese ? name + " 标准差" : "standard deviation of " + name;
        case Aggregation::Distinct: return chinese ? name + " 去重数" : "distinct " + name;
        case Aggregation::Rate: {
            const std::string& yes = at(schema, *measure.field).positive;
            return name + " = " + yes + " (%)";
        }
        case Aggregation::Count: break;
    }
    return name;
}

std::string value_name(const Question& question, const Schema& schema, const Measure& measure) {
    return measure.field ? name_of(question, schema, *measure.field) : "";
}

}  // namespace atl::offline
