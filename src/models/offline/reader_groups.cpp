// Conditions on groups ("departments with an average salary above 75,000", 订单超过5次的客户) are
// not computed: the comparison would be of a figure of each group, not of each row, and is refused.
#include "models/offline/data.hpp"
#include "models/offline/reader.hpp"

#include <algorithm>

namespace atl::offline {

const Said* Reader::said_at(std::size_t i) const {
    for (const Said& s : said_) {
        if (s.begin <= i && i < s.end) return &s;
    }
    return nullptr;
}

// A column that tells groups of rows apart.
bool Reader::is_group_noun(const Said& s) const {
    const bool is_whose = s.score < 68 && is_person_noun(s) && !s.column->means("name") &&
                          !s.column->is_id && s.column->distinct <= 12;  // 患者, of 患者性别
    return !is_whose && !s.is_value && !s.column->is_flag() &&
           (s.column->is_text() || s.column->is_id) && !is_unique(s.field) &&
           s.column->distinct > 1;
}

// "how many times did a player get 30 points": rows, not players
bool Reader::asks_times() const {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        if (text(i, i + 2) == "manytimes" || text(i, i + 2) == "howoften") return true;
    }
    return false;
}

bool Reader::is_of_groups(std::size_t begin, std::size_t end) {
    static const auto& kAbout = word_pairs("condition about");
    for (const auto& [said, about] : kAbout) {  // "patients older than 60" are rows
        if (tokens_[begin].text == said && field_meaning(about)) return false;
    }
    static const auto& kTimes = word_list("counted times");
    const Said* near = number_near(begin, end);
    const auto are_beside = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to; ++i) {
            if (!is_filler(i) && !is_at(i, Word::Is)) return false;
        }
        return from <= to;
    };
    const bool has_group = groups_by_time() || std::ranges::any_of(said_, [&](const Said& s) {
                               return is_group_noun(s) && !follows(s.begin, {Word::HowMany}, 2);
                           });
    const auto is_figure = [&](const Tag& t) {
        if (t.word != Word::Sum && t.word != Word::Mean && t.word != Word::Median) return false;
        if (t.begin >= end) return t.begin <= end + 2 && t.end - t.begin > 1;  // "… in total"
        const bool is_before = t.end <= begin && begin - t.end <= 4;
        // "is the average salary above 75,000"
        const bool is_of_near = near != nullptr && near->end <= begin &&
                                are_beside(t.end, near->begin) && are_beside(near->end, begin);
        return is_before && (is_of_near || has_group);
    };
    const bool counts = end < tokens_.size() && !asks_times() &&
                        (kTimes.contains(tokens_[end].text) ||
                         (is_row_word(end) && number_near(begin, end) == nullptr));
    const bool counted_before = std::ranges::any_of(tags_, [&](const Tag& t) {
        return t.word == Word::HowMany && t.end <= begin && begin - t.end <= 2 && t.begin > 0;
    });
    // "products with sales over 10,000": of each row, or of all rows of a product?
    const bool may_add_up =
        near != nullptr && near->column->nature() == Nature::Additive && near->end <= begin;
    const auto is_subject = [&](const Said& s) {
        const bool is_before = s.end <= begin || q_.language == Language::Chinese;
        return is_before && is_group_noun(s) &&
               !follows(s.begin, {Word::By, Word::Each, Word::Per, Word::HowMany}, 3);
    };
    const bool has_subject = std::ranges::any_of(said_, is_subject);
    if (!std::ranges::any_of(tags_, is_figure) && !counts &&
        !(counted_before && (has_subject || groups_by_time())) && !(may_add_up && has_subject)) {
        return false;
    }
    q_.absent.push_back(text(begin, end));
    return true;
}

}  // namespace atl::offline
