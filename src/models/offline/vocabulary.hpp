#pragma once
// The words that the analyst knows, in English and Chinese, as two tables: what a phrase does in a
// question (Word), and what the columns of tables are commonly about (Concept).
//
// To teach it a word, add it to a row of vocabulary.cpp.
#include "models/offline/text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace atl::offline {

enum class Word {
    // how figures are made of many rows
    Sum,
    Mean,
    Median,
    Minimum,
    Maximum,
    Deviation,
    HowMany,
    HowMuch,
    Distinct,
    Rate,
    Running,  // totals up to each month
    Rolling,  // means over the last periods
    Moving,   // other figures over a window, weighted ones: not made here
    // order
    Highest,
    Lowest,
    Top,
    Bottom,
    Rank,
    Common,
    Rare,
    Expensive,
    Cheap,
    Oldest,
    Youngest,
    Newest,
    Earliest,
    // what is asked
    Share,
    Trend,
    Growth,
    Drop,
    Compare,
    Versus,
    Correlation,
    Outlier,
    Distribution,
    Missing,
    Duplicate,
    Ratio,
    Percentile,
    Describe,
    Columns,
    Rows,
    Preview,
    Show,
    Exist,
    Period,
    Help,
    Greeting,
    Thanks,
    // what nobody can read off a table
    Forecast,
    Why,
    Advice,
    // roles
    By,
    Each,
    Which,
    What,
    Who,
    When,
    Of,
    Per,
    // conditions
    More,
    AtLeast,
    Less,
    AtMost,
    Between,
    And,
    To,
    Or,
    Exclude,
    With,
    Only,
    Is,
    In,
    From,
    Since,
    Until,
    After,
    Before,
    Negative,
    Positive,
    Zero,
    OrMore,
    OrLess,
    Last,
    First,
    This,
    Ago,
    Half,
    Recent,
    // charts
    Chart,
    Bar,
    Line,
    Pie,
    Histogram,
    Scatter,
    Box,
    // time
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
    Hourly,
    Daily,
    Weekly,
    Monthly,
    Quarterly,
    Yearly,
    Weekday,
    Weekend,
    Workday,
    MonthOfYear,
    Previous,
    // talk
    FollowUp,
    Also,
    Noise,
};

struct Tag {
    Word word;
    std::size_t begin;  // tokens
    std::size_t end;
};

// Every phrase of the vocabulary in the question, the longest at each place. A place may carry
// several words: "by" is By, "最高" is Highest.
[[nodiscard]] std::vector<Tag> tags_of(const std::vector<Token>& tokens);

// The word of the vocabulary that a long word is one slip away from: "distribtion", "avarage".
// Empty where there is none, or where the word stands in the vocabulary itself.
[[nodiscard]] std::string meant_by_slip(const Token& token);

// How a column of this kind is totted up when the question does not say.
enum class Nature { Additive, Level, Name, Time };

struct Concept {
    std::string_view name;
    Nature nature;
    std::vector<std::vector<Token>> phrases;
};

[[nodiscard]] const std::vector<Concept>& concepts();

// Words in a column's name that do not tell it from others: id, name, code, 编号.
[[nodiscard]] bool is_weak(const Token& token);
// Whether the word alone says what a column may be about: "grade", "profit".
[[nodiscard]] bool is_concept_word(const Token& token);
// Whether these tokens are a word for things or people: "customer", 乘客.
[[nodiscard]] bool is_name_phrase(const std::vector<Token>& tokens, std::size_t begin,
                                  std::size_t end);
// Words that mean nothing for what is asked: "please", "the", 请.
[[nodiscard]] bool is_noise(const Token& token);

}  // namespace atl::offline
