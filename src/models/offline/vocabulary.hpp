#pragma once
// The words that the analyst knows, in English and Chinese, as two tables: what a phrase does in a
// question (Word), and what the columns of tables are commonly about (Concept).
//
// To teach it a word, add it to a row of data/words.txt or data/concepts.txt.
#include "models/offline/text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace atl::offline {

// What a phrase does in a question; the phrases of each stand in data/words.txt.
// clang-format off
#define ATOLL_OFFLINE_WORDS(X) \
    X(Sum) X(Mean) X(Median) X(Minimum) X(Maximum) X(Deviation) X(HowMany) X(HowMuch) \
    X(Distinct) X(Rate) X(Running) X(Rolling) X(Moving) X(Highest) X(Lowest) X(Top) X(Bottom) \
    X(Rank) X(Common) X(Rare) X(Expensive) X(Cheap) X(Oldest) X(Youngest) X(Newest) \
    X(Earliest) X(Share) X(Trend) X(Growth) X(Drop) X(Compare) X(Versus) X(Correlation) \
    X(Outlier) X(Distribution) X(Missing) X(Duplicate) X(Ratio) X(Describe) \
    X(Columns) X(Rows) X(Preview) X(Show) X(Exist) X(Period) X(Help) X(Greeting) X(Thanks) \
    X(Forecast) X(Why) X(Advice) X(By) X(Each) X(Which) X(What) X(Who) X(When) X(Of) X(Per) \
    X(More) X(AtLeast) X(Less) X(AtMost) X(Between) X(And) X(To) X(Or) X(Exclude) X(With) \
    X(Only) X(Is) X(In) X(From) X(Since) X(Until) X(After) X(Before) X(Negative) X(Positive) \
    X(Zero) X(OrMore) X(OrLess) X(Last) X(First) X(This) X(Ago) X(Half) X(Recent) X(Chart) \
    X(Bar) X(Line) X(Pie) X(Histogram) X(Scatter) X(Hour) X(Day) X(Week) X(Month) \
    X(Quarter) X(Year) X(Hourly) X(Daily) X(Weekly) X(Monthly) X(Quarterly) X(Yearly) \
    X(Weekday) X(Weekend) X(Workday) X(MonthOfYear) X(Previous) X(FollowUp) X(Also) X(Noise)
// clang-format on
enum class Word {
#define ATOLL_OFFLINE_WORD(name) name,
    ATOLL_OFFLINE_WORDS(ATOLL_OFFLINE_WORD)
#undef ATOLL_OFFLINE_WORD
};

struct Tag {
    Word word;
    std::size_t begin;  // tokens
    std::size_t end;
};

// Every phrase of the vocabulary in the question, the longest at each place. A place may carry
// several words: "by" is By, "最高" is Highest.
[[nodiscard]] std::vector<Tag> tags_of(const std::vector<Token>& tokens);

// How a column of this kind is totted up when the question does not say.
enum class Nature { Additive, Level, Name, Time };

struct Concept {
    std::string name;
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
