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

// "in percent", "percentage", 百分比: how a change is told as well as a share
bool Reader::is_percent_word(std::size_t i) const {
    if (tokens_[i].text == "in" || tokens_[i].text == "as") return true;
    return tokens_[i].stem == "percent" || tokens_[i].stem == "percentage" ||
           tokens_[i].text == "%" || tokens_[i].text == "百";
}

// "in which month did customers spend the most": who did it, where something else is ranked.
bool Reader::is_bystander(const Said& s) const {
    const bool is_ranked = has({Word::Which, Word::When}) && !q_.groups.empty() &&
                           has({Word::Highest, Word::Lowest, Word::Common, Word::Rare});
    return is_ranked && is_person_noun(s) && tokens_[s.begin].text != tokens_[s.begin].stem &&
           !follows(s.begin, {Word::Which, Word::By, Word::Each, Word::Per, Word::And}, 3);
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

// "unusually long or short": which end is odd changes nothing in the search for it.
bool Reader::is_size_of_outlier(std::size_t i) const {
    static const std::set<std::string> kSizes = {"short", "long",  "small",    "large",
                                                 "low",   "high",  "big",      "heavy",
                                                 "light", "cheap", "expensive"};
    return q_.intent == Intent::Outliers && kSizes.contains(tokens_[i].text);
}

}  // namespace atl::offline
