#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

void Reader::find_roles() {
    const bool asks_rate = has({Word::Rate, Word::Share});
    std::size_t last_group_end = 0;
    for (Said& s : said_) {
        if (s.is_value || s.is_used) continue;
        const Column& column = *s.column;
        const bool after_by = follows(s.begin, {Word::By, Word::Each, Word::Per}, 4) ||
                              std::ranges::any_of(tags_, [&](const Tag& t) {
                                  return t.word == Word::HowMany && t.end == s.begin &&
                                         s.column->is_number() &&
                                         follows(t.begin, {Word::By, Word::Each, Word::Per}, 2);
                              });
        const bool in_list = last_group_end > 0 && s.begin <= last_group_end + 2 &&
                             s.begin > last_group_end && is_at(last_group_end, Word::And);
        const bool after_which = follows(s.begin, {Word::Which}, 2);
        if (column.is_date()) {
            dates_said_.push_back(s.field);
            if (after_by && q_.groups.empty() && q_.language == Language::Chinese) {
                q_.groups.push_back({s.field, natural_grain(column)});
            }
            continue;
        }
        if (column.is_flag() && !after_by && (!after_which || asks_rate)) {
            flags_said_.push_back(&s);
            continue;
        }
        if (column.is_text() || column.is_id) {
            const bool is_person = s.score < 68 && is_person_noun(s) && !column.means("name");
            const bool is_attribute = is_person && !column.is_id && column.distinct <= 12;
            // 患者人数, of a column 患者性别
            if (is_volume_of_rows(s) || (is_counted(s) && is_attribute)) {
                says_rows_ = counts_rows_ = true;
                continue;
            }
            if (is_counted(s)) {
                counted_ = s;
                for (Said& o : said_) {  // 供应商数量: how many, not the 出库数量
                    if (o.begin == s.end && o.column->means("quantity")) o.is_used = true;
                }
                continue;
            }
            // "percentage of employees": the rows, told apart by their id
            const bool ranked = has({Word::Top, Word::Bottom, Word::Highest, Word::Lowest,
                                     Word::Oldest, Word::Youngest, Word::Common, Word::Expensive,
                                     Word::Cheap, Word::Newest, Word::Earliest});
            if (is_row_noun(s) && !after_by && !after_which &&
                (!ranked || !q_.groups.empty() || follows_most(s.begin))) {
                says_rows_ = true;
                const bool is_figure = has({Word::Mean, Word::Median, Word::Sum});
                counts_rows_ = counts_rows_ || (ranked && !is_figure);
                continue;
            }
            // 用户 is the rows, where 用户类型 is a column and another group is named
            const bool is_whose =
                !after_by && !after_which && (is_person || is_noun_behind_value(s));
            if (is_whose || is_noun_of_value(s)) {
                says_rows_ = true;
                continue;
            }
            // "average revenue per booking": of a row
            const bool is_small = schema_.tables[s.field.table].rows <= 20;
            const bool per_row = follows(s.begin, {Word::Per, Word::Each}, 2);
            const bool is_broken_down = std::ranges::any_of(said_, [&](const Said& o) {
                return &o != &s && !o.is_value && !o.is_used && o.begin > s.end &&
                       o.column->is_text() && !is_row_noun(o);
            });
            if (is_row_noun(s) && !is_small && !ranked && (per_row || is_broken_down)) {
                says_rows_ = true;
                per_row_ = per_row;
                counts_rows_ = counts_rows_ || !per_row;
                continue;
            }
            add_group(s);
            last_group_end = s.end;
            continue;
        }
        const bool is_year = column.is_year();
        if (is_year && !has({Word::Mean, Word::Maximum, Word::Minimum, Word::Median,
                             Word::Correlation, Word::Distribution})) {
            if (after_by || after_which) add_group(s);
            continue;
        }
        const bool ranks = has({Word::Top, Word::Bottom, Word::Rank});
        const bool has_other_measure = std::ranges::any_of(said_, [&](const Said& o) {
            return o.field != s.field && !o.is_value && !o.is_used && o.column->is_number() &&
                   !o.column->is_id && o.begin < s.begin;
        });
        const bool can_divide = column.nature() == Nature::Additive || column.means("weight") ||
                                column.means("area") || column.means("hours") ||
                                column.means("minutes");
        const std::string& stem = tokens_[s.begin].stem;
        const bool is_piece =
            column.means("quantity") && (stem == "unit" || stem == "item" || stem == "piece");
        const bool is_rate = s.begin > 0 && tokens_[s.begin - 1].text == "per" &&
                             (column.distinct > 40 || is_piece) && can_divide;
        if ((after_by || in_list || after_which) && !is_rate && column.distinct <= 40 && !ranks &&
            (has_other_measure || asks_to_count() || column.distinct <= 12) &&
            !has({Word::Correlation, Word::Outlier})) {
            q_.groups.push_back({s.field, Grain::None});
            last_group_end = s.end;
            continue;
        }
        const bool is_figure = can_divide && (column.distinct > 40 || is_piece);
        if (is_figure && has_other_measure && s.begin > 0 && tokens_[s.begin - 1].text == "per") {
            is_per_ = true;  // "revenue per session"
        }
        measures_said_.push_back(s);
    }
    for (std::size_t i = 1; i < tokens_.size(); ++i) {  // "sales per order", 每单金额
        const bool is_open =
            std::ranges::none_of(said_, [&](const Said& s) { return s.begin <= i && i < s.end; });
        const bool is_english = tokens_[i - 1].text == "per" && is_row_word(i) && is_open;
        const bool is_han =
            tokens_[i - 1].text == "每" && (tokens_[i].text == "单" || tokens_[i].text == "笔");
        if (is_english || is_han) per_row_ = true;
    }
    for (Said* s : flags_said_) flag(*s, asks_rate);
    // "how many units were sold": what is counted is the measure, the verb only goes with it
    for (const Said& m : measures_said_) {
        if (!follows(m.begin, {Word::HowMany}, 1)) continue;
        measures_said_ = {Said(m)};
        break;
    }
}

bool Reader::is_person_noun(const Said& s) const {
    static const auto& kNouns = word_list("is person noun nouns");
    std::string text;
    for (std::size_t i = s.begin; i < s.end; ++i) text += tokens_[i].stem;
    return kNouns.contains(text);
}

// "the most orders": how many
bool Reader::follows_most(std::size_t token) const {
    return std::ranges::any_of(tags_, [&](const Tag& t) {
        return (t.word == Word::Highest || t.word == Word::Lowest) && t.end == token &&
               is_of_number(t);
    });
}

void Reader::flag(Said& s, bool asks_rate) {
    if (has(Word::Compare) && !asks_rate) {
        add_group(s);
        return;
    }
    // "which plan has the highest churn", "churn by contract"
    const bool ranks_groups =
        !q_.groups.empty() && measures_said_.empty() &&
        !has({Word::HowMany, Word::Only, Word::Show, Word::And}) &&
        (has({Word::Highest, Word::Lowest, Word::Rank, Word::Top}) || s.begin <= 1);
    if (ranks_groups) {
        rate_ = s.field;
        return;
    }
    if (is_excluded(s.begin) && !s.column->negative.empty()) {  // "not resolved", 不住校
        filter_flag(s, false);
        says_rows_ = true;
        return;
    }
    if (has(Word::Rate) && flags_said_.size() > 1) refuse(Word::Rate);  // the rate of which?
    // 会员消费占总金额的比例: a share of the measure, with the flag as the condition
    // 会员的充电次数占比: a share of the rows
    const bool is_of_count = has(Word::HowMany);
    const bool is_part =
        has(Word::Share) && !has(Word::Rate) && (!measures_said_.empty() || is_of_count);
    if ((asks_rate && !is_part) || (has(Word::Mean) && measures_said_.empty())) {
        rate_ = s.field;
        return;
    }
    const bool was_filter =
        before_ != nullptr &&
        std::ranges::any_of(before_->filters, [&](const Filter& f) { return f.field == s.field; });
    // "cancelled flights"
    const bool is_before_rows = tokens_[s.begin].is_word() && s.end < tokens_.size() &&
                                measures_said_.empty() && q_.groups.empty() &&
                                (is_row_word(s.end) || names_row(s.end));
    if (is_before_rows) says_rows_ = true;
    if (was_filter || is_part || is_before_rows || has({Word::HowMany, Word::Only}) ||
        !measures_said_.empty() || has(Word::Show)) {
        filter_flag(s, true);
        return;
    }
    add_group(s);
}

void Reader::filter_flag(Said& s, bool is_so) {
    const Column& column = *s.column;
    if (column.is_number()) {
        add_filter(Filter::Kind::Equal, s.field, s.begin, is_so ? 1 : 0);
    } else {
        add_filter(Filter::Kind::OneOf, s.field, s.begin).values = {is_so ? column.positive
                                                                          : column.negative};
    }
    s.is_used = true;
}

// "how many customers": the noun that is counted, not a group
bool Reader::is_counted(const Said& s) const {
    if (follows(s.begin, {Word::Each, Word::By, Word::Per}, 2) &&
        !follows(s.begin, {Word::HowMany}, 2)) {
        return false;
    }
    if (follows(s.begin, {Word::HowMany, Word::Distinct}, 3)) return true;
    const auto is_before = [&](const Said& o) {  // "how many British students"
        return o.is_value && o.end == s.begin && follows(o.begin, {Word::HowMany}, 2);
    };
    if (std::ranges::any_of(said_, is_before)) return true;
    // 各大区门店数, where no column is called so
    if (s.end < tokens_.size() && tokens_[s.end].text == "数") {
        const std::string next = s.end + 1 < tokens_.size() ? tokens_[s.end + 1].text : "";
        const bool is_goods = s.column->means("product") || s.column->means("category");
        return next != "据" && !(next == "量" && is_goods) &&
               !follows(s.begin, {Word::By, Word::Which}, 2);
    }
    // 客户有多少个, 商品数
    if (precedes(s.end, {Word::HowMany}, 3) && q_.language == Language::Chinese &&
        !follows(s.begin, {Word::Each, Word::By}, 2)) {
        return true;
    }
    return false;
}

void Reader::add_group(const Said& s) {
    const bool known =
        std::ranges::any_of(q_.groups, [&](const Group& g) { return g.field == s.field; });
    if (!known && q_.groups.size() < 3) q_.groups.push_back({s.field, Grain::None});
}

void Reader::find_order() {
    const bool high =
        has({Word::Highest, Word::Top, Word::Common, Word::Expensive, Word::Oldest, Word::Newest});
    const bool low =
        has({Word::Lowest, Word::Bottom, Word::Rare, Word::Cheap, Word::Youngest, Word::Earliest});
    if (high) q_.order = Order::Highest;
    if (low) q_.order = Order::Lowest;
    if (has(Word::Rank) && q_.order == Order::None) q_.order = Order::Highest;
    for (const Tag& t : tags_) {
        const bool is_order =
            t.word == Word::Top || t.word == Word::Bottom || t.word == Word::Highest ||
            t.word == Word::Lowest || t.word == Word::Expensive || t.word == Word::Cheap ||
            t.word == Word::First || t.word == Word::Last || t.word == Word::Common ||
            t.word == Word::Preview || t.word == Word::Oldest || t.word == Word::Youngest ||
            t.word == Word::Rare;
        if (!is_order) continue;
        for (std::size_t i = t.end; i < tokens_.size() && i < t.end + 3; ++i) {
            if (take_count(i)) return;
            if (!is_filler(i)) break;
        }
        for (std::size_t i = t.begin; i > 0 && i + 2 > t.begin; --i) {
            if (take_count(i - 1)) return;
        }
    }
    // "the 5 merchants with the lowest revenue", "the 3 people with the most overtime"
    for (std::size_t i = 1; i < tokens_.size() && q_.order != Order::None; ++i) {
        const Said* said = said_at(i);
        const bool is_column = said != nullptr && !said->is_value;
        const bool is_thing =
            is_column ? said->column->is_text() || said->column->is_id : counts_people(i);
        if (is_thing && tokens_[i - 1].is_number() && take_count(i - 1)) return;
    }
    // 卖得最好的商品前三; "show 5 rows"
    for (const Tag& t : tags_) {
        if (t.word != Word::Rows && t.word != Word::Show) continue;
        const std::size_t i = t.word == Word::Rows ? (t.begin > 0 ? t.begin - 1 : 0) : t.end;
        if (has({Word::Show, Word::Preview, Word::First}) && take_count(i)) return;
    }
}

bool Reader::take_count(std::size_t i) {
    std::size_t end = 0;
    const auto value = number_at(i, end);
    if (!value || *value < 1 || *value > 1000 || condition_numbers_.contains(i)) return false;
    const bool is_percent =
        end < tokens_.size() && (tokens_[end].text == "%" || tokens_[end].stem == "percent");
    if (is_percent) return false;
    q_.count = static_cast<std::size_t>(*value);
    return true;
}

void Reader::find_person() {
    if (!q_.groups.empty() || !(has(Word::Who) || ranks_people())) return;
    // "most assists in away games, who?": of all rows of a person
    const auto is_behind = [&](const Tag& t) {  // 加班最多
        return t.word == Word::Highest && t.begin == measures_said_[0].end && says_number(t);
    };
    const bool adds_up = measures_said_.size() == 1 &&
                         (ranks_people() || follows_most(measures_said_[0].begin) ||
                          std::ranges::any_of(tags_, is_behind)) &&
                         (measures_said_[0].column->nature() == Nature::Additive ||
                          measures_said_[0].column->means("hours"));
    if (!measures_said_.empty() && !adds_up) return;
    const bool ranks =
        has({Word::Highest, Word::Lowest, Word::Common, Word::Rare, Word::Top, Word::Bottom});
    if (!ranks) return;
    if (const auto person = person_column()) q_.groups.push_back({*person, Grain::None});
}

std::optional<Field> Reader::person_column() const {
    static const auto& kPeople = word_list("person column people");
    const auto& columns = schema_.tables[q_.table].columns;
    std::optional<Field> id;  // names are read rather than numbers
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Column& column = columns[c];
        if (!column.is_text() || column.distinct < 2 || is_unique({q_.table, c})) continue;
        const bool is_person = std::ranges::any_of(
            kPeople, [&](std::string_view about) { return column.means(about); });
        if (is_person && !column.is_id) return Field{q_.table, c};
        if (is_person && !id) id = Field{q_.table, c};
    }
    return id;
}

}  // namespace atl::offline
