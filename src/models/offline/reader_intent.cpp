#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

void Reader::decide(Intent intent, std::optional<std::vector<Field>> fields) {
    q_.intent = intent;
    if (fields) q_.fields = std::move(*fields);
}

void Reader::decide_intent() {
    q_.intent = Intent::Unknown;
    const bool has_columns_word = has(Word::Columns);
    const bool has_named =
        !q_.groups.empty() || !q_.measures.empty() || !q_.filters.empty() || !q_.periods.empty();
    for (const Said& s : said_) {
        if (!s.is_value) columns_said_.push_back(s.field);
    }
    if (!has_named && tokens_.size() <= 8 && has({Word::Greeting, Word::Thanks, Word::Help}) &&
        columns_said_.empty()) {
        return decide(has(Word::Help)     ? Intent::Help
                      : has(Word::Thanks) ? Intent::Thanks
                                          : Intent::Greeting);
    }
    if (has(Word::Duplicate)) return decide(Intent::Duplicates);
    if (has(Word::Missing)) return decide(Intent::Missing, columns_said_);
    std::vector<Field> numbers;
    for (const Said& s : measures_said_) numbers.push_back(s.field);
    if (has(Word::Outlier)) return decide(Intent::Outliers, numbers);
    if ((has({Word::Ratio, Word::Share}) || is_per_) && decide_ratio()) return;
    if (has(Word::Correlation) || q_.chart == ChartKind::Scatter || asks_relation()) {
        decide_correlation();
        if (q_.intent != Intent::Unknown) return;
    }
    if (has_columns_word && q_.measures.empty()) {
        return decide(has(Word::HowMany) && !has(Word::Which) ? Intent::Shape : Intent::Columns);
    }
    if (has_columns_word && has(Word::HowMany)) return decide(Intent::Shape);
    if ((has({Word::Distribution}) || q_.chart == ChartKind::Histogram) &&
        !(q_.groups.size() == 1 && measures_said_.empty())) {
        if (!numbers.empty() || q_.groups.empty()) return decide(Intent::Distribution, numbers);
    }
    if (has(Word::Distribution) && q_.groups.size() == 1 && q_.measures.empty()) {
        add_measure({Aggregation::Count, {}});
        return decide(Intent::Aggregate);
    }
    if (has(Word::Period) && q_.measures.empty()) return decide(Intent::Period, dates_said_);
    if (!dates_said_.empty() && q_.measures.empty() && q_.groups.empty() &&
        has({Word::Earliest, Word::Newest, Word::First, Word::Last, Word::Minimum,
             Word::Maximum})) {
        return decide(Intent::Period, dates_said_);
    }
    // "click through rate", of a number: what it is divided by is not said
    for (const Said& m : measures_said_) {
        const Tag* t = tag(Word::Rate);
        if (t == nullptr || rate_ || m.is_used || !tokens_[t->begin].is_word()) { break; }
        const bool is_named = std::ranges::any_of(
            m.column->words, [](const Token& word) { return word.stem == "rate"; });
        if (!is_named && m.end <= t->begin && t->begin - m.end <= 1) refuse(Word::Rate);
    }
    // "return rate by product": of rows with that value
    const bool rate_of_value =
        has(Word::Rate) && !rate_ && measures_said_.empty() &&
        std::ranges::any_of(q_.filters, [](const Filter& f) {
            return f.kind == Filter::Kind::OneOf || f.kind == Filter::Kind::Present;
        });
    if (rate_of_value) {
        q_.measures = {{Aggregation::Count, {}}};
        q_.intent = Intent::Share;
        split_share();
        return;
    }
    // "how did sales change from 2023 to 2024, in percent": a change, not a share
    const bool is_change = has({Word::Growth, Word::Drop}) && tag(Word::Share) != nullptr &&
                           q_.part.empty() && tokens_[tag(Word::Share)->begin].text != "share";
    const bool by_time = groups_by_time();
    if (is_change &&
        (!q_.periods.empty() || by_time || main_date(schema_, q_.table) == std::nullopt)) {
        return decide(Intent::Growth);
    }
    if (has(Word::Share) && (!q_.groups.empty() || !q_.filters.empty() || !q_.periods.empty())) {
        q_.intent = Intent::Share;
        if (!rate_) {
            split_share();
            return;
        }
    }
    const bool by_year = std::ranges::any_of(q_.groups, [&](const Group& g) {
        const Column& c = at(schema_, g.field);
        return c.is_number() && c.is_year();
    });
    if (has({Word::Growth, Word::Drop}) &&
        (main_date(schema_, q_.table) || !q_.periods.empty() || by_year)) {
        return decide(Intent::Growth);
    }
    const bool has_agg = said_aggregation_ || !aggregations_said_.empty();
    if (has(Word::Describe) && !has_agg && q_.groups.empty()) {
        return decide(Intent::Describe, columns_said_);
    }
    if (has({Word::Exist, Word::Distinct}) && has({Word::Which, Word::Exist}) &&
        !measures_said_.empty() && q_.groups.empty() && !said_aggregation_) {
        refuse(has(Word::Exist) ? Word::Exist : Word::Distinct);  // 挂号费有哪几种
    }
    if (wants_rows()) return decide(Intent::Rows);
    if (has({Word::Rows}) && q_.measures.empty() && q_.groups.empty() && q_.filters.empty()) {
        const bool shows = has({Word::Preview, Word::Show, Word::First, Word::Last});
        return decide(shows ? Intent::Rows : Intent::Shape);
    }
    if (has(Word::HowMany) && q_.groups.empty() && q_.filters.empty() && q_.periods.empty() &&
        q_.measures.size() == 1 && q_.measures[0].aggregation == Aggregation::Count) {
        q_.intent = Intent::Shape;
        bool is_named = row_noun_said() || says_rows_ || counted_ || has(Word::Rows);
        for (std::size_t i = 0; i < tokens_.size(); ++i) is_named = is_named || names_row(i);
        if (!is_named) refuse(Word::HowMany);
        if (!has({Word::Sum, Word::Rows})) {  // an average number of what?
            refuse(Word::Mean);
            refuse(Word::Median);
        }
        return;
    }
    if (lists_values()) {
        q_.intent = Intent::Values;
        q_.fields.clear();
        for (const Group& g : q_.groups) q_.fields.push_back(g.field);
        q_.groups.clear();
        return;
    }
    if (!q_.measures.empty() || (!aggregations_said_.empty() && main_measure(schema_, q_.table)) ||
        (!q_.groups.empty()) || (!q_.periods.empty()) ||
        (has({Word::Trend, Word::Compare}) && !q_.filters.empty())) {
        return decide(Intent::Aggregate);
    }
}

bool Reader::asks_relation() const {
    static const std::set<std::string> kFirst = {"do", "does", "did", "is", "are"};
    if (tokens_.empty() || !kFirst.contains(tokens_[0].text)) return false;
    std::set<std::size_t> columns;
    for (const Said& s : measures_said_) columns.insert(s.field.column);
    if (columns.size() != 2 || !q_.groups.empty() || !q_.filters.empty()) return false;
    return !said_aggregation_ && !has({Word::Compare, Word::HowMany, Word::And, Word::Or}) &&
           q_.periods.empty();
}

bool Reader::decide_ratio() {
    const auto operand = [&](const Said& s) {
        const bool adds_up =
            s.column->nature() == Nature::Additive && !has({Word::Mean, Word::Median});
        return Measure{adds_up ? Aggregation::Sum : Aggregation::Mean, s.field};
    };
    std::vector<Said> numbers;
    for (const Said& s : measures_said_) {
        const bool is_known =
            std::ranges::any_of(numbers, [&](const Said& o) { return o.field == s.field; });
        if (!s.is_used && !is_known) numbers.push_back(s);
    }
    const bool is_ratio = has(Word::Ratio) || is_per_;
    const bool is_plain = q_.filters.empty() && q_.groups.empty();
    // "bonus as a percentage of salary by department"
    const Tag* of_second = tag(Word::Share);
    const bool is_as_part =
        numbers.size() == 2 && of_second != nullptr && numbers[0].end <= of_second->begin &&
        numbers[1].begin >= of_second->end && follows(numbers[1].begin, {Word::Share}, 3);
    if (numbers.size() == 2 && (is_ratio || is_plain || is_as_part)) {
        Measure upper = operand(numbers[0]);
        Measure lower = operand(numbers[1]);
        const Tag* share = tag(Word::Share);
        if (!is_ratio && share != nullptr) {
            // the whole stands right behind "share of"
            const bool first_is_whole = numbers[0].begin >= share->end &&
                                        follows(numbers[0].begin, {Word::Of, Word::Share}, 3);
            if (first_is_whole) std::swap(upper, lower);
            q_.in_percent = true;
        }
        if (upper.aggregation != lower.aggregation) {
            upper.aggregation = lower.aggregation = Aggregation::Mean;
        }
        q_.measures = {upper, lower};
        q_.order = Order::None;
        q_.intent = Intent::Ratio;
        return true;
    }
    refuse(Word::Ratio);  // not of two columns
    return false;
}

void Reader::decide_correlation() {
    std::vector<Field> numbers;
    for (const Said& s : measures_said_) {
        const bool is_new = std::ranges::find(numbers, s.field) == numbers.end();
        if (is_new) numbers.push_back(s.field);
    }
    q_.fields = numbers;
    q_.intent = Intent::Correlation;
    q_.groups.clear();
}

// What is related to what: conditions on numbers, else the only value, else the time. Of two values
// either may be the part.
void Reader::split_share() {
    // "what fraction of transactions were paid by card": rows, whatever the verb
    const Tag* share = tag(Word::Share);
    for (std::size_t i = share == nullptr ? tokens_.size() : share->end;
         i < std::min(tokens_.size(), share == nullptr ? 0 : share->end + 4); ++i) {
        if (!is_row_word(i) || is_measure_token(i)) continue;
        q_.measures = {{Aggregation::Count, {}}};
        measures_said_.clear();
    }
    if (q_.filters.empty()) return;
    const auto is_number = [](const Filter& f) {
        return f.kind == Filter::Kind::Less || f.kind == Filter::Kind::LessOrEqual ||
               f.kind == Filter::Kind::Greater || f.kind == Filter::Kind::GreaterOrEqual ||
               f.kind == Filter::Kind::Between || f.kind == Filter::Kind::Equal ||
               f.kind == Filter::Kind::Present || f.kind == Filter::Kind::Missing;
    };
    const auto is_value = [](const Filter& f) { return f.kind == Filter::Kind::OneOf; };
    if (!q_.groups.empty()) {
        // "percentage of women in each department" against "share of sales by category in 2023"
        const bool measured_only =
            std::ranges::all_of(measures_said_, [](const Said& m) { return m.is_used; });
        if (!measured_only) {  // "what share of sales is paid by card by region"
            if (std::ranges::any_of(q_.filters, is_value)) refuse(Word::Share);
            return;
        }
        std::vector<Filter> kept;
        for (const Filter& f : q_.filters) {
            (is_number(f) || is_value(f) ? q_.part : kept).push_back(f);
        }
        q_.filters = kept;
        if (!q_.part.empty()) { q_.measures = {{Aggregation::Count, {}}}; }
        return;
    }
    std::vector<Filter> part;
    std::vector<Filter> whole;
    const bool any_number = std::ranges::any_of(q_.filters, is_number);
    const auto values = std::ranges::count_if(q_.filters, is_value);
    // "what percentage of women are on a yearly contract": the part is behind the verb
    const auto is_behind = [&](const Filter& f) {
        return is_value(f) && std::ranges::any_of(tags_, [&](const Tag& t) {
                   return t.word == Word::Is && share != nullptr && t.begin > share->end &&
                          t.end <= f.begin;
               });
    };
    const bool is_told = std::ranges::count_if(q_.filters, is_behind) == 1;
    if (values > 1 && !any_number && !is_told) refuse(Word::Share);
    const bool any_time = std::ranges::any_of(
        q_.filters, [&](const Filter& f) { return !is_number(f) && !is_value(f); });
    for (const Filter& f : q_.filters) {
        const bool is_part = any_number   ? is_number(f)
                             : is_told    ? is_behind(f)
                             : values > 0 ? is_value(f)
                                          : any_time && f.kind != Filter::Kind::NoneOf;
        (is_part ? part : whole).push_back(f);
    }
    q_.part = part;
    q_.filters = whole;
}

bool Reader::wants_rows() const {
    if (said_aggregation_ && !extremes_) return false;
    const bool is_of_row =
        q_.groups.size() == 1 && q_.groups[0].grain == Grain::None && is_unique(q_.groups[0].field);
    const bool ranks = q_.order != Order::None || extremes_;
    const bool is_row_ranked = ranks && (row_noun_said() || is_of_row);
    if (has(Word::HowMany) || (has(Word::HowMuch) && !is_row_ranked)) return false;
    if (!q_.groups.empty() && !is_of_row) return false;
    if ((has(Word::Who) || is_of_row) && (ranks || !q_.filters.empty())) return true;
    const bool asks = has({Word::Show, Word::Which, Word::Who, Word::Preview});
    return is_row_ranked || (asks && !q_.filters.empty() && q_.measures.empty());
}

bool Reader::is_unique(Field field) const {
    const Column& column = at(schema_, field);
    const std::size_t rows = schema_.tables[field.table].rows;
    return field.table == q_.table && rows > 5 &&
           (column.distinct + column.missing) * 10 >= rows * 9;
}

// A word for one row: row, record, the file's name, what a unique id is of.
bool Reader::row_noun_said() const {
    if (has(Word::Rows)) return true;
    const Table& table = schema_.tables[q_.table];
    static const auto& kNouns = word_list("row noun said nouns");
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (is_measure_token(i)) continue;
        if (kNouns.contains(tokens_[i].stem) || row_noun_at(i) > 0) return true;
        for (const Token& word : table.words) {
            const bool is_same = word.stem == tokens_[i].stem;
            if (is_same && word.text.size() > 2 && word.is_word()) return true;
        }
    }
    for (const char* noun : {"订单", "交易", "记录", "员工", "笔", "条", "请求", "消费", "一单",
                             "一次", "一场", "一天", "哪次", "哪单", "哪场"}) {
        const auto phrase = tokens_of(noun);
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (matches_at(tokens_, i, phrase) && !is_measure_token(i)) return true;
        }
    }
    return false;
}

bool Reader::is_measure_token(std::size_t i) const {
    return std::ranges::any_of(measures_said_,
                               [&](const Said& m) { return m.begin <= i && i < m.end; });
}

bool Reader::lists_values() const {
    if (q_.groups.empty() || !q_.measures.empty() || said_aggregation_ || q_.order != Order::None ||
        q_.chart != ChartKind::None) {
        return false;
    }
    if (q_.groups.size() > 1 || q_.groups[0].grain != Grain::None) return false;
    return has({Word::Exist, Word::Which, Word::What, Word::Show, Word::Distinct}) &&
           !has({Word::By, Word::Compare, Word::Trend});
}

QuestionParts Reader::parts() const {
    QuestionParts parts;
    parts.has_measure =
        !measures_said_.empty() || rate_.has_value() || counted_.has_value() || (asks_to_count());
    parts.aggregations = aggregations_said_;
    parts.adds = has(Word::Also);
    parts.asks_share = has(Word::Share);
    parts.has_time = !q_.periods.empty();
    return parts;
}

bool Reader::builds_on_before() const {
    switch (before_->intent) {
        case Intent::Unknown:
        case Intent::Help:
        case Intent::Greeting:
        case Intent::Thanks: return false;
        default: break;
    }
    switch (q_.intent) {
        case Intent::Unknown:
            return has(Word::Share) || !aggregations_said_.empty() || q_.chart != ChartKind::None ||
                   q_.count.has_value() || !q_.filters.empty() || q_.order != Order::None;
        case Intent::Aggregate:
        case Intent::Share:
        case Intent::Growth:
        case Intent::Values:
        case Intent::Rows:
        case Intent::Distribution:
        case Intent::Shape:
        case Intent::Outliers: break;
        case Intent::Correlation:  // "scatter plot please"
            return before_->intent == Intent::Correlation && q_.fields.empty() &&
                   q_.chart != ChartKind::None;
        default: return false;
    }
    const bool has_measure = parts().has_measure;
    const bool begins_with_cue = !tokens_.empty() && starts_with_cue();
    const bool has_cue = begins_with_cue || ends_with_cue();
    if (q_.intent == Intent::Rows) return has_cue && q_.filters.empty() && q_.measures.empty();
    if (q_.intent == Intent::Values) return has_cue;
    if (has_measure) {
        // "what about quantity?", "and the average salary?"
        return has_cue && q_.groups.empty();
    }
    if (has_cue) return true;
    if (stands_alone()) return false;
    // a fragment: "by region", "top 3 only", "in 2023"
    return tokens_.size() <= (q_.language == Language::Chinese ? 14U : 8U) &&
           !has({Word::Which, Word::Who, Word::HowMuch, Word::Compare});
}

// "average transaction by region" after "how many rows are there?": a figure of its own, which no
// count before has
bool Reader::stands_alone() const {
    const bool is_figure = !aggregations_said_.empty();
    if (before_->intent == Intent::Shape) return is_figure || q_.order != Order::None;
    const bool counted_before = std::ranges::none_of(
        before_->measures, [](const Measure& m) { return m.field.has_value(); });
    return is_figure && !q_.groups.empty() && (says_rows_ || counted_before);
}

bool Reader::starts_with_cue() const {
    static const auto& kFirst = word_list("starts with cue first");
    if (kFirst.contains(tokens_[0].text)) return true;
    return is_at(0, Word::FollowUp);
}

bool Reader::ends_with_cue() const {
    for (std::size_t i = tokens_.size(); i > 0 && i + 3 > tokens_.size(); --i) {
        const std::string& text = tokens_[i - 1].text;
        if (is_in_value(i - 1)) continue;  // IT, the department
        if (text == "呢" || text == "instead" || text == "only" || text == "too" ||
            text == "that" || text == "this" || text == "it") {
            return true;
        }
    }
    return false;
}

}  // namespace atl::offline
