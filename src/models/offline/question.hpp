#pragma once
// A question as a value: what is measured, how, by what, of which rows, and how it is shown.
// Resolved against a schema: fields are columns that exist.
#include "models/offline/dates.hpp"
#include "models/offline/schema.hpp"

#include <optional>
#include <string>
#include <vector>

namespace atl::offline {

enum class Language { English, Chinese };

enum class Intent {
    Unknown,
    Help,
    Greeting,
    Thanks,
    Shape,      // how many rows and columns
    Columns,    // which columns
    Describe,   // the usual statistics
    Rows,       // rows themselves, perhaps the largest
    Values,     // which values a column has
    Period,     // from when to when
    Aggregate,  // a figure, or one for each group
    Share,      // in percent of a total
    Growth,     // change against the period before
    Correlation,
    Outliers,
    Distribution,
    Missing,
    Duplicates,
    Ratio,  // one figure divided by another
};

// What no table can tell, however it is asked.
enum class Limit { None, Forecast, Reason, Advice };

enum class Aggregation { Sum, Mean, Median, Minimum, Maximum, Deviation, Count, Distinct, Rate };

struct Measure {
    Aggregation aggregation = Aggregation::Sum;
    std::optional<Field> field;  // none: rows are counted
    bool operator==(const Measure&) const = default;
};

enum class Grain {
    None,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    HourOfDay,
    Weekday,
    WorkdayOrWeekend,
    MonthOfYear,
};

struct Group {
    Field field;
    Grain grain = Grain::None;
    bool operator==(const Group&) const = default;
};

struct Filter {
    enum class Kind {
        OneOf,
        NoneOf,
        Less,
        LessOrEqual,
        Greater,
        GreaterOrEqual,
        Between,
        Equal,
        Dates,
        Months,
        Weekdays,
        Missing,  // the cell is empty
        Present
    };
    Kind kind = Kind::OneOf;
    Field field;
    std::vector<std::string> values;  // OneOf, NoneOf
    double low = 0;                   // numbers
    double high = 0;
    TimeSpan time;          // Dates, Months, Weekdays
    std::size_t begin = 0;  // where in the question it was said
};

enum class ChartKind { None, Any, Bar, Line, Pie, Histogram, Scatter };
enum class Order { None, Highest, Lowest };

struct Question {
    Language language = Language::English;
    Intent intent = Intent::Unknown;
    std::size_t table = 0;
    std::vector<Measure> measures;
    std::vector<Group> groups;
    std::vector<Filter> filters;
    std::vector<Filter> part;       // Share: what is related to the whole
    std::vector<TimeSpan> periods;  // set side by side
    std::vector<Field> fields;      // columns that the intent is about
    Order order = Order::None;
    bool wants_one = false;  // "which region …": the first of the ranking is the answer
    std::optional<std::size_t> count;
    ChartKind chart = ChartKind::None;
    bool chose_measure = false;      // the question named none: the answer says which was taken
    bool against_last_year = false;  // Growth: 同比, year over year
    bool of_growth = false;          // Growth: which period grew most
    bool in_percent = false;         // Ratio
    Limit limit = Limit::None;
    std::optional<Field> open;        // the total or the average of it?
    std::vector<std::string> absent;  // things asked about that the table does not have
    std::vector<std::string> names;   // unknown words that look like values of the table
};

}  // namespace atl::offline
