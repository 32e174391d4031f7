// "7-day moving average of sales", 3个月移动平均: means over the last periods, along the time.
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {
namespace {

constexpr double kWindowMax = 1000;

}  // namespace

// "rolling 7-day average": the two words may stand apart.
std::optional<Tag> Reader::rolling_tag() {
    if (const Tag* t = tag(Word::Rolling)) return *t;
    static const std::set<std::string> kWords = {"rolling", "moving", "trailing"};
    for (const Tag& t : tags_) {
        if (t.word != Word::Mean) continue;
        for (std::size_t back = 1; back <= 4 && back <= t.begin; ++back) {
            const std::size_t i = t.begin - back;
            if (!kWords.contains(tokens_[i].text)) continue;
            const Tag found{Word::Rolling, i, t.end};
            std::erase_if(tags_,
                          [&](const Tag& o) { return o.word == Word::Mean && o.end == found.end; });
            tags_.push_back(found);
            return found;
        }
    }
    return std::nullopt;
}

// The unit behind a number: 7 days, 3个月.
std::optional<Grain> Reader::unit_behind(std::size_t end) const {
    struct Unit {
        Word word;
        Grain grain;
    };
    static constexpr std::array kUnits = {
        Unit{Word::Hour, Grain::Hour},       Unit{Word::Day, Grain::Day},
        Unit{Word::Week, Grain::Week},       Unit{Word::Month, Grain::Month},
        Unit{Word::Quarter, Grain::Quarter}, Unit{Word::Year, Grain::Year}};
    for (std::size_t i = end; i < tokens_.size() && i < end + 2; ++i) {
        for (const Unit& unit : kUnits) {
            if (is_at(i, unit.word)) return unit.grain;
        }
        if (tokens_[i].text != "个") break;
    }
    return std::nullopt;
}

void Reader::find_rolling() {
    const auto found = rolling_tag();
    if (!found) return;
    const std::size_t from = found->begin - std::min<std::size_t>(found->begin, 6);
    for (std::size_t i = from; i < tokens_.size() && i < found->end + 8; ++i) {
        std::size_t end = 0;
        const auto value = number_at(i, end);
        const bool is_window = value && *value >= 2 && *value <= kWindowMax;
        const auto unit = is_window ? unit_behind(end) : std::nullopt;
        if (!unit) continue;
        q_.rolling = static_cast<std::size_t>(*value);
        rolling_grain_ = *unit;
        for (std::size_t k = i; k < end + 2 && k < tokens_.size(); ++k) {
            if (k < end) condition_numbers_.insert(k);
            for (Said& s : said_) {  // "day" names no column here
                if (!s.is_value && s.begin == k && s.end - s.begin == 1) s.is_used = true;
            }
        }
        break;
    }
    const auto date = main_date(schema_, q_.table);
    const bool has_time = std::any_of(q_.groups.begin(), q_.groups.end(),
                                      [](const Group& g) { return g.grain != Grain::None; });
    if (q_.rolling && date && !has_time) set_grain(*date, rolling_grain_);
}

// One figure along the time, whose steps are those of the window.
void Reader::complete_rolling() {
    if (!has(Word::Rolling) && !q_.rolling) return;
    if (rolling_grain_ == Grain::None && !has(Word::Rolling) && !q_.groups.empty()) {
        rolling_grain_ = q_.groups[0].grain;  // of the question before: "as a line chart"
    }
    const auto time = std::find_if(q_.groups.begin(), q_.groups.end(), [&](const Group& g) {
        return g.grain == rolling_grain_ && g.grain != Grain::None;
    });
    const bool is_plain = q_.rolling && time != q_.groups.end() && q_.groups.size() <= 2 &&
                          q_.intent == Intent::Aggregate && q_.measures.size() == 1 &&
                          q_.periods.empty() && q_.order == Order::None && !q_.having &&
                          !q_.is_running && !q_.averaged;
    if (!is_plain) {
        refuse(Word::Rolling);
        q_.rolling.reset();
        return;
    }
    std::rotate(q_.groups.begin(), time, time + 1);
}

}  // namespace atl::offline
