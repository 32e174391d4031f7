#pragma once
// Reads one question: the steps from its words to a Question, which share what was found so far.
// Only understand.cpp makes one. Each part of the class has a file: reader_<part>.cpp.
#include "models/offline/follow_up.hpp"
#include "models/offline/mentions.hpp"
#include "models/offline/question.hpp"
#include "models/offline/sheet_names.hpp"
#include "models/offline/understand.hpp"

#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace atl::offline {

inline constexpr std::size_t kTokensMax = 300;  // of a question

// A mention with its role still open.
struct Said {
    Field field;
    const Column* column = nullptr;
    int score = 0;
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_value = false;
    std::string value;
    bool is_used = false;  // by a filter
};

class Reader {
public:
    Reader(std::string_view text, const Schema& schema, const Question* before)
        : schema_(schema), before_(before), tokens_(tokens_of(text)) {
        if (tokens_.size() > kTokensMax) tokens_.resize(kTokensMax);
        sheet_ = take_sheet(tokens_, schema);
        tags_ = tags_of(tokens_);
        find_first_rows();
        q_.language = has_han(text) && !is_english_around() ? Language::Chinese : Language::English;
    }
    Question read();

private:
    // ---- looking at words
    // "what share of orders is 已验收": Chinese names in an English sentence
    [[nodiscard]] bool is_english_around() const;
    [[nodiscard]] bool has(Word word) const;
    [[nodiscard]] bool has(std::initializer_list<Word> words) const;
    [[nodiscard]] const Tag* tag(Word word) const;
    [[nodiscard]] bool is_at(std::size_t token, Word word) const;
    [[nodiscard]] bool has_tag(std::size_t token) const;
    [[nodiscard]] bool groups_by_time() const;  // a group is of a time
    [[nodiscard]] bool is_filler(std::size_t i) const;
    // The tokens as one text without spaces.
    [[nodiscard]] std::string text(std::size_t begin, std::size_t end) const;
    [[nodiscard]] bool follows(std::size_t token, std::initializer_list<Word> words,
                               std::size_t reach = 3) const;
    [[nodiscard]] bool precedes(std::size_t token, std::initializer_list<Word> words,
                                std::size_t reach = 3) const;
    [[nodiscard]] bool is_in_time(std::size_t token) const;
    [[nodiscard]] bool is_in_value(std::size_t token) const;
    [[nodiscard]] std::optional<double> number_at(std::size_t i, std::size_t& end) const;

    // ---- the top 10 %, running totals
    void drop_units();
    void refuse(Word word);

    // ---- the table
    void choose_table_and_mentions();
    [[nodiscard]] bool is_value_name(const TimeSpan& span) const;
    [[nodiscard]] bool is_column_name(const TimeSpan& span) const;
    void prefer_said(const Mention& m, std::vector<Candidate>& here) const;
    [[nodiscard]] std::size_t default_table() const;
    [[nodiscard]] bool is_first_sheet(std::size_t table) const;
    [[nodiscard]] DataPeriod data_period(std::size_t table) const;
    [[nodiscard]] std::optional<std::size_t> named_file() const;
    // Which of its candidates a mention is: the question's table first, then what can be joined.
    void settle(const Mention& m);
    [[nodiscard]] bool is_rows_of_number(const Mention& m, const Candidate& chosen) const;

    // ---- words that the words beside them decide
    void find_first_rows();
    [[nodiscard]] bool is_noun_of_value(const Said& s) const;
    [[nodiscard]] bool is_noun_behind_value(const Said& s) const;
    [[nodiscard]] bool is_volume_of_rows(const Said& s) const;

    // ---- one row, and what is asked of it
    [[nodiscard]] bool names_one_row(const Tag& t) const;

    // ---- people who come back in several rows
    [[nodiscard]] std::optional<Field> person_id() const;
    [[nodiscard]] bool counts_people(std::size_t i) const;
    void count_people();
    [[nodiscard]] bool ranks_people() const;

    // ---- charts
    void find_chart();

    // ---- time
    void find_time();
    void set_dates(Field date, const std::vector<TimeSpan>& dates);
    static Filter time_filter(Filter::Kind kind, Field field, const TimeSpan& span);
    void find_year_column();
    [[nodiscard]] bool is_column_said(Word word) const;
    void find_grain(std::optional<Field> date);
    [[nodiscard]] bool top_number_before(std::size_t token) const;
    void set_grain(Field date, Grain grain);

    // ---- conditions on numbers
    Filter& add_filter(Filter::Kind kind, Field field, std::size_t begin, double low = 0,
                       double high = 0);
    [[nodiscard]] Said* number_near(std::size_t begin, std::size_t end);
    [[nodiscard]] std::optional<Field> field_meaning(std::string_view name) const;
    [[nodiscard]] std::optional<Field> condition_field(std::size_t begin, std::size_t end);
    void find_comparisons();
    void try_between(std::size_t i, std::set<std::size_t>& done);
    void add_comparison(Filter::Kind kind, double value, std::size_t begin, std::size_t end);
    void find_equalities(std::set<std::size_t>& done);
    void find_signs();

    // ---- conditions on groups: refused
    [[nodiscard]] const Said* said_at(std::size_t i) const;
    [[nodiscard]] bool is_group_noun(const Said& s) const;
    [[nodiscard]] bool asks_times() const;
    bool is_of_groups(std::size_t begin, std::size_t end);

    // ---- conditions on values
    [[nodiscard]] bool is_excluded(std::size_t begin) const;
    void find_value_filters();

    // "orders with a refund", "no rating", 没有评分: cells that are there or not
    void find_presence();
    void add_presence(Said& s, bool is_there);

    // ---- roles of columns
    [[nodiscard]] bool asks_to_count() const { return has(Word::HowMany) || has(Word::Common); }
    void find_roles();
    // "who opened the most issues": the column of names that comes back
    void find_person();
    [[nodiscard]] std::optional<Field> person_column() const;
    [[nodiscard]] bool is_person_noun(const Said& s) const;
    [[nodiscard]] bool follows_most(std::size_t token) const;
    void flag(Said& s, bool asks_rate);
    void filter_flag(Said& s, bool is_so);
    [[nodiscard]] bool is_counted(const Said& s) const;
    void add_group(const Said& s);

    // ---- order and number
    void find_order();
    bool take_count(std::size_t i);

    // ---- which date a time is of
    [[nodiscard]] std::optional<Field> date_said() const;
    [[nodiscard]] std::optional<Field> date_of_verb() const;
    [[nodiscard]] std::optional<Field> date_before(std::size_t time, std::size_t first) const;

    // ---- names that several columns end in
    [[nodiscard]] std::vector<Field> namesakes(const Said& s) const;
    void find_namesakes();

    // ---- numbers with a unit
    [[nodiscard]] std::optional<Field> field_of_dimension(std::size_t begin, std::size_t end);
    bool refuse_unit(std::size_t end);
    void find_counted_unit();
    [[nodiscard]] bool says_how_long() const;
    [[nodiscard]] static bool is_duration(const Column& column);
    [[nodiscard]] std::optional<Field> only_duration() const;
    [[nodiscard]] bool has_unit_of(Field field, std::size_t end) const;
    bool refuse_other_unit(Field field, std::size_t end, double value);

    // ---- measures
    struct AggregationTag {
        Aggregation aggregation;
        std::size_t begin;
        std::size_t end;
    };
    [[nodiscard]] std::vector<AggregationTag> aggregations() const;
    void find_measures();
    [[nodiscard]] bool is_of_number(const Tag& t) const;
    [[nodiscard]] bool group_is_each(const Group& g) const;
    void add_measure(Measure measure);
    void find_counts();
    [[nodiscard]] bool says_sold() const;
    [[nodiscard]] bool is_filter_field(Field field) const;
    [[nodiscard]] bool is_row_noun(const Said& s) const;
    [[nodiscard]] bool asks_money() const;
    void find_product();

    // ---- what is asked
    void decide(Intent intent, std::optional<std::vector<Field>> fields = {});
    void decide_intent();
    void decide_correlation();
    // "ratio of A to B", "what fraction of sales was refunded": false where there are not two sides
    bool decide_ratio();
    // "does more homework go with better marks?": two numbers and no figure of either asked for
    [[nodiscard]] bool asks_relation() const;
    void split_share();
    [[nodiscard]] bool wants_rows() const;
    [[nodiscard]] bool is_unique(Field field) const;
    [[nodiscard]] bool row_noun_said() const;
    [[nodiscard]] bool is_measure_token(std::size_t i) const;
    [[nodiscard]] bool lists_values() const;

    // ---- follow-ups
    [[nodiscard]] QuestionParts parts() const;
    [[nodiscard]] bool builds_on_before() const;
    [[nodiscard]] bool stands_alone() const;
    [[nodiscard]] bool starts_with_cue() const;
    [[nodiscard]] bool ends_with_cue() const;

    // ---- what is left open
    void complete();
    void complete_growth();
    void find_open_figure();
    void group_by_values(std::size_t i);
    [[nodiscard]] std::optional<Field> superlative_field() const;
    void find_open_superlative();
    void choose_measure();
    [[nodiscard]] bool row_noun_counts() const;
    [[nodiscard]] bool is_row_word(std::size_t i) const;
    [[nodiscard]] std::size_t row_noun_at(std::size_t i) const;
    // A word of the family that the table's own word for a row belongs to.
    [[nodiscard]] bool is_row_name(std::size_t i) const;
    [[nodiscard]] bool says_number(const Tag& t) const;
    [[nodiscard]] static bool is_usual_measure(const Column& column);
    void complete_aggregate();
    [[nodiscard]] bool says_rate_of_time() const;
    // What cannot be answered is not answered: times to come, reasons, things the table lacks.
    void find_limits();
    [[nodiscard]] bool is_said_beside_names(Word word) const;
    void find_denied();
    void find_compared_with_figure();
    void find_open_rate();
    void find_span_of_dates();
    void find_second_question();
    void find_ordinal();
    void find_extreme_of_each();
    void find_open_worst();
    void find_absent();
    void find_absent_han();
    void find_unused();
    void find_absent_numbers();
    void find_absent_features();
    // ---- what is in no part of the figure
    void find_unread();
    void find_open_date();
    void find_contradiction();
    void find_groups_of_ids();
    void find_brackets();
    void find_counted_attribute();
    void find_unread_words();
    void find_unread_periods();
    [[nodiscard]] std::size_t concept_length(std::size_t i) const;
    [[nodiscard]] bool is_in_column_name(std::size_t begin, std::size_t length) const;
    // Said beside what it belongs to: "rainy" where there is rain, "card users".
    [[nodiscard]] bool goes_with(std::size_t i) const;
    [[nodiscard]] static bool is_money(const Column& column);
    // A word for what a row of this table is about.
    [[nodiscard]] bool names_row(std::size_t i) const;
    [[nodiscard]] bool is_known(std::size_t i) const;
    [[nodiscard]] bool is_table_word(std::size_t i) const;
    void find_names();
    const Schema& schema_;
    const Question* before_;
    std::vector<Token> tokens_;
    std::optional<std::size_t> sheet_;  // the table that the question names as a sheet
    std::vector<Tag> tags_;
    std::vector<TimeSpan> times_;
    std::vector<Said> said_;
    std::vector<Said> measures_said_;
    std::vector<Field> columns_said_;
    std::vector<Field> dates_said_;
    std::vector<Said*> flags_said_;
    std::optional<Said> counted_;
    bool says_rows_ = false;  // a noun for one row
    bool counts_rows_ = false;
    bool is_per_ = false;  // "revenue per session", both numbers
    bool ranks_grain_ = false;
    bool per_row_ = false;  // "revenue per order"
    std::optional<Field> rate_;
    std::optional<Field> open_;  // taken as an average that nobody asked for
    std::vector<Aggregation> aggregations_said_;
    std::set<std::size_t> condition_numbers_;
    bool said_aggregation_ = false;
    bool extremes_ = false;
    Question q_;
};

}  // namespace atl::offline
