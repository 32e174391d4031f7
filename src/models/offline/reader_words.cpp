// Words whose sense the words beside them decide: "type of insurance", "how long", "rider age".
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {

// "type of insurance", "the kind of room": of the column that is named, not of another one's type.
void Reader::drop_kinds_of() {
    static const std::set<std::string> kKinds = {"type", "kind", "sort", "category", "class"};
    const auto named_behind = [&](const Said& s) -> const Said* {
        std::size_t i = s.end;
        if (i >= tokens_.size() || tokens_[i].text != "of") return nullptr;
        ++i;
        if (i < tokens_.size() && tokens_[i].text == "the") ++i;
        return said_at(i);
    };
    std::erase_if(said_, [&](const Said& s) {
        const bool is_kind = !s.is_value && s.end - s.begin == 1 && s.score < kOwnName &&
                             kKinds.contains(tokens_[s.begin].stem);
        if (!is_kind) return false;
        const Said* named = named_behind(s);
        return named != nullptr && !named->is_value && named->column->is_text() &&
               named->field != s.field;
    });
}

// 前5行 are the first rows, and not the highest five.
void Reader::find_first_rows() {
    for (Tag& t : tags_) {
        const bool is_before = t.word == Word::Top && tokens_[t.begin].text == "前";
        if (!is_before || t.begin + 2 >= tokens_.size()) continue;
        const std::string& unit = tokens_[t.begin + 2].text;
        static const std::set<std::string> kNumbers = {"两", "二", "三", "四", "五",
                                                       "六", "七", "八", "九", "十"};
        const Token& number = tokens_[t.begin + 1];
        const bool is_number = number.kind == Token::Kind::Number || kNumbers.contains(number.text);
        if (is_number && (unit == "行" || unit == "条")) t.word = Word::Preview;
    }
}

// "total qty" is a sum of qty also where a column is called total.
void Reader::drop_functions_of() {
    std::erase_if(said_, [&](const Said& s) {
        const bool is_function = !s.is_value && s.end - s.begin == 1 &&
                                 std::any_of(tags_.begin(), tags_.end(), [&](const Tag& t) {
                                     return t.begin == s.begin && t.end == s.end &&
                                            (t.word == Word::Sum || t.word == Word::Mean ||
                                             t.word == Word::Maximum || t.word == Word::Minimum);
                                 });
        if (!is_function) return false;
        const Said* next = said_at(s.end);
        return next != nullptr && !next->is_value && next->column->is_number();
    });
}

// "were declined" of a value Rejected falls nowhere, and the "no" of no-shows excludes nothing; nor
// does who drops out.
void Reader::drop_tags_of_values() {
    // nor do "breakdowns" break anything down, or a "field goal percentage" ask for a share
    std::erase_if(tags_, [&](const Tag& t) {
        if (t.word != Word::By && t.word != Word::Share && t.word != Word::Columns) return false;
        const Said* s = said_at(t.begin);
        if (s == nullptr || t.end > s->end) return false;
        const bool is_plural = tokens_[s->begin].text != tokens_[s->begin].stem;
        return s->is_value ? t.word == Word::By && is_plural
                           : s->score < kOwnName && s->end - s->begin > 2 && t.end - t.begin == 1;
    });
    std::erase_if(tags_, [&](const Tag& t) {
        const bool is_change = t.word == Word::Drop || t.word == Word::Growth;
        if (is_change && t.end < tokens_.size() && tokens_[t.end].text == "out") return true;
        if (!is_change && t.word != Word::Exclude) return false;
        return std::any_of(said_.begin(), said_.end(), [&](const Said& s) {
            const bool is_inside = s.begin <= t.begin && t.end <= s.end;
            const bool is_longer = s.end - s.begin > t.end - t.begin;
            return s.is_value && is_inside && (is_change || is_longer);
        });
    });
}

// "average rating of American guests": whose rating, not how many of them
void Reader::drop_persons_measured() {
    if (measures_said_.size() < 2) return;
    const auto is_person = [&](const Said& m) {
        const bool is_plural =
            m.end - m.begin == 1 && tokens_[m.begin].text != tokens_[m.begin].stem;
        const bool is_of_value = std::any_of(said_.begin(), said_.end(), [&](const Said& s) {
            return s.is_value && s.end == m.begin;
        });
        return is_plural && is_of_value && m.score < 68 &&
               (m.column->means("guests") || m.column->means("passengers") ||
                m.column->means("footfall"));
    };
    if (std::all_of(measures_said_.begin(), measures_said_.end(), is_person)) return;
    std::erase_if(measures_said_, is_person);
}

// "reasons for returns": the column of reasons holds those of returned orders only
void Reader::drop_what_has_reasons() {
    const auto is_for = [&](const Said& reason, const Said& s) {
        return !reason.is_value && reason.column->means("reason") && reason.column->is_text() &&
               reason.end < tokens_.size() && s.begin == reason.end + 1 &&
               (tokens_[reason.end].text == "for" || tokens_[reason.end].text == "of");
    };
    const std::vector<Said> said = said_;
    std::erase_if(said_, [&](const Said& s) {
        return !s.is_value && s.column->is_flag() &&
               std::any_of(said.begin(), said.end(),
                           [&](const Said& reason) { return is_for(reason, s); });
    });
}

// "how long do patients stay", where nothing in the table is long: no other figure instead.
void Reader::find_open_how() {
    static const std::set<std::string> kAdjectives = {"long",  "old", "far",  "fast", "tall",
                                                      "heavy", "hot", "warm", "cold", "late"};
    if (!q_.chose_measure) return;
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
        if (tokens_[i - 1].text != "how" || !kAdjectives.contains(tokens_[i].text)) continue;
        if (said_at(i) == nullptr) q_.absent.push_back("how " + tokens_[i].text);
    }
}

// "reason for returning", where a column holds reasons: what they are, not why something is so.
void Reader::drop_why_of_column() {
    const auto holds_reasons = [](const Table& table) {
        return std::any_of(table.columns.begin(), table.columns.end(),
                           [](const Column& c) { return c.is_text() && c.means("reason"); });
    };
    const bool is_held = std::any_of(schema_.tables.begin(), schema_.tables.end(), holds_reasons);
    if (!is_held || !has({Word::Common, Word::Rare, Word::HowMany, Word::Each, Word::By,
                          Word::Highest, Word::Share, Word::Distribution, Word::Chart})) {
        return;
    }
    std::erase_if(tags_, [&](const Tag& t) {
        const std::size_t noun = tokens_[t.begin].text == "the" ? t.begin + 1 : t.begin;
        return t.word == Word::Why && noun < t.end && tokens_[noun].stem == "reason";
    });
}

// "which carrier delivers the most": the verb of the rows, and no column that it looks like
bool Reader::is_verb_of_rows(std::size_t i) const {
    const auto& verbs = schema_.tables[q_.table].row_verbs;
    return has({Word::HowMany, Word::Highest, Word::Lowest}) && !has({Word::Mean, Word::Median}) &&
           std::any_of(verbs.begin(), verbs.end(),
                       [&](const Token& verb) { return verb.text == tokens_[i].text; });
}

// "rider age", "passenger gender": the person goes with what is said of persons. "Which rider" and
// "how many riders" ask for persons that the table may not tell apart.
bool Reader::is_person_of_column(std::size_t i) const {
    static const std::set<std::string> kPeople = {
        "rider",  "passenger", "guest",      "driver",   "cyclist",   "traveler",  "traveller",
        "buyer",  "shopper",   "tenant",     "borrower", "applicant", "candidate", "attendee",
        "reader", "player",    "subscriber", "owner",    "holder",    "person",    "people"};
    static constexpr std::array<std::string_view, 8> kOfPeople = {
        "age", "gender", "usertype", "birth", "salary", "job", "education", "agegroup"};
    if (!kPeople.contains(tokens_[i].stem)) return false;
    if (follows(i, {Word::Which, Word::By, Word::Each, Word::Per, Word::Top, Word::HowMany}, 2)) {
        const Said* next = said_at(i + 1);
        if (next == nullptr || next->is_value) return false;
    }
    return std::any_of(said_.begin(), said_.end(), [&](const Said& s) {
        return std::any_of(kOfPeople.begin(), kOfPeople.end(),
                           [&](std::string_view about) { return s.column->means(about); });
    });
}

// "in which month did customers spend the most": who did it, where something else is ranked.
bool Reader::is_bystander(const Said& s) const {
    const bool is_ranked = has({Word::Which, Word::When}) && !q_.groups.empty() &&
                           has({Word::Highest, Word::Lowest, Word::Common, Word::Rare});
    return is_ranked && is_person_noun(s) && !follows_most(s.begin) &&
           tokens_[s.begin].text != tokens_[s.begin].stem &&
           !follows(s.begin, {Word::Which, Word::By, Word::Each, Word::Per, Word::And}, 3);
}

// "waiting time of patients older than 60": whose it is, told by a condition right behind
bool Reader::is_under_condition(const Said& s) const {
    const bool is_open = !has({Word::HowMany, Word::Top, Word::Bottom, Word::Rank, Word::Who}) &&
                         !follows(s.begin, {Word::Which, Word::By, Word::Each, Word::Per}, 3);
    if (!is_open || !is_person_noun(s) || !has({Word::Mean, Word::Median, Word::Sum})) return false;
    const bool is_of_value = std::any_of(said_.begin(), said_.end(), [&](const Said& o) {
        return o.is_value && o.end == s.begin;  // 西班牙学生的平均进度
    });
    if (is_of_value) return true;
    return tokens_[s.begin].text != tokens_[s.begin].stem &&
           std::any_of(q_.filters.begin(), q_.filters.end(),
                       [&](const Filter& f) { return f.begin >= s.end && f.begin <= s.end + 2; });
}

// "home games only", "long-haul flights": which rows, and no figure for each game
bool Reader::is_noun_of_value(const Said& s) const {
    const auto value = std::find_if(said_.begin(), said_.end(), [&](const Said& o) {
        return o.is_value && o.end == s.begin && o.field != s.field;
    });
    if (value == said_.end() || tokens_[s.begin].text == tokens_[s.begin].stem) return false;
    return !follows(value->begin, {Word::Which, Word::By, Word::Each, Word::Per, Word::Top,
                                   Word::Bottom, Word::Rank, Word::HowMany, Word::Show});
}

// 加急订单, 远程办公: which rows, and no group by the 订单状态 or 办公地点 whose name begins so
bool Reader::is_noun_behind_value(const Said& s) const {
    std::string text;
    for (std::size_t i = s.begin; i < s.end; ++i) {
        if (tokens_[i].kind != Token::Kind::Han) return false;
        text += tokens_[i].text;
    }
    const bool is_part = s.score < kOwnName && s.column->name.starts_with(text) &&
                         s.column->strong.size() > s.end - s.begin;
    return is_part && std::any_of(said_.begin(), said_.end(), [&](const Said& o) {
               return o.end == s.begin && (o.is_value || o.column->is_flag());
           });
}

// 借阅量, where a row has a 借阅编号: how many rows
bool Reader::is_volume_of_rows(const Said& s) const {
    return s.end < tokens_.size() && tokens_[s.end].text == "量" && is_row_noun(s);
}

// "rides longer than 30 minutes per month": how many, where the column is only the condition
bool Reader::counts_under_condition() const {
    if (measures_said_.size() != 1 || q_.groups.empty() || q_.order != Order::None) return false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (tokens_[i].text != tokens_[i].stem && is_row_name(i)) return true;
    }
    return false;
}

// "pay back the most money": the refunds, not the sales besides
void Reader::drop_money() {
    if (measures_said_.size() < 2) return;
    std::erase_if(measures_said_, [&](const Said& m) {
        const bool is_money = m.end - m.begin == 1 && m.score < kOwnName &&
                              (tokens_[m.begin].text == "money" || tokens_[m.begin].text == "钱");
        const auto is_other = [&](const Said& o) { return o.field != m.field; };
        return is_money && std::any_of(measures_said_.begin(), measures_said_.end(), is_other);
    });
}

// "how many receipts": papers, where the column is money in cents
bool Reader::is_pieces_of_money(const Said& m) const {
    const Token& last = tokens_[m.end - 1];
    const bool is_plural = last.kind == Token::Kind::Word && last.text != last.stem;
    return is_plural && m.score < 68 && !m.column->is_whole &&
           (m.column->means("amount") || m.column->means("cost"));
}

// "waiting time", "blood pressure", where no column is about it: not another figure instead.
void Reader::find_absent_figures() {
    if (!q_.chose_measure) return;
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        for (const Concept& about : concepts()) {
            if (about.nature != Nature::Additive && about.nature != Nature::Level) continue;
            const bool is_money = about.name == "amount" || about.name == "cost";
            if (is_money && chose_money()) continue;
            const auto is_here = [&](const auto& phrase) {
                if (phrase.size() < 2 || phrase[0].kind != Token::Kind::Word) return false;
                if (!matches_at(tokens_, i, phrase)) return false;
                for (std::size_t k = i; k < i + phrase.size(); ++k) {
                    if (said_at(k) != nullptr || is_in_time(k)) return false;
                }
                return true;
            };
            const auto found = std::find_if(about.phrases.begin(), about.phrases.end(), is_here);
            if (found == about.phrases.end()) continue;
            q_.absent.push_back(tokens_[i].as_written + " " + tokens_[i + 1].as_written);
            return;
        }
    }
}

// "sent back", "called back": plain words that together say what no column holds
void Reader::find_absent_back() {
    static const std::set<std::string> kVerbs = {"sent",  "send", "sends",   "paid",  "pay",
                                                 "gave",  "give", "given",   "bring", "took",
                                                 "taken", "take", "brought", "call",  "called"};
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
        if (tokens_[i].text != "back" || !kVerbs.contains(tokens_[i - 1].text)) continue;
        if (said_at(i) == nullptr) { q_.absent.push_back(tokens_[i - 1].as_written + " back"); }
    }
}

// "waits for the parcel": what is delivered goes with the days that it takes
bool Reader::is_parcel(std::size_t i) const {
    static const std::set<std::string> kParcels = {"parcel", "package", "delivery", "shipment"};
    return kParcels.contains(tokens_[i].stem) &&
           std::any_of(said_.begin(), said_.end(),
                       [](const Said& s) { return s.column->means("transit"); });
}

// "unusually long or short": which end is odd changes nothing in the search for it.
bool Reader::is_size_of_outlier(std::size_t i) const {
    static const std::set<std::string> kSizes = {"short", "long",  "small",    "large",
                                                 "low",   "high",  "big",      "heavy",
                                                 "light", "cheap", "expensive"};
    return q_.intent == Intent::Outliers && kSizes.contains(tokens_[i].text);
}

// Revenue where no column is called so: what is counted in money and adds up.
std::optional<Field> Reader::money_column() const {
    static const std::set<std::string> kUnits = {"usd", "eur", "gbp", "cny", "rmb", "元", "费"};
    const auto& columns = schema_.tables[q_.table].columns;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const Column& column = columns[c];
        const bool is_side = column.means("discount") || column.means("refund") ||
                             column.means("tax") || column.means("shipping");
        const bool is_money = std::any_of(column.words.begin(), column.words.end(),
                                          [](const Token& w) { return kUnits.contains(w.text); });
        if (column.is_number() && !column.is_id && !is_side && is_money &&
            column.nature() == Nature::Additive && !column.means("cost")) {
            return Field{q_.table, c};
        }
    }
    return std::nullopt;
}

}  // namespace atl::offline
