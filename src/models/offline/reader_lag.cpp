// "how many days from date_in to date_out", 从下单到发货平均几天: the time between two dates of a
// row.
#include "models/offline/reader.hpp"

#include <algorithm>
#include <set>

namespace atl::offline {

// Nothing but a word for "until" stands between them.
bool Reader::joins_dates(std::size_t from, std::size_t to) const {
    static const std::set<std::string> kJoins = {"to", "until", "till", "and", "-",
                                                 "到", "至",    "和",   "与"};
    static const std::set<std::string> kArticles = {"the", "its", "their"};
    std::string words;
    for (std::size_t i = from; i < to; ++i) {
        if (!kArticles.contains(tokens_[i].text)) words += tokens_[i].text;
    }
    return kJoins.contains(words);
}

// In which unit the time is told, in seconds; none where the question asks for no length.
std::optional<int> Reader::lag_unit(const Said& a, const Said& b) const {
    static const std::set<std::string> kLengths = {
        "long",  "time",   "duration", "lag",  "gap",  "interval", "elapsed",
        "delay", "length", "take",     "took", "pass", "between",  "difference"};
    constexpr int kMinute = 60;
    constexpr int kHour = 3600;
    constexpr int kDay = 86400;
    const bool has_time = a.column->has_time && b.column->has_time;
    bool is_length = false;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const std::string& stem = tokens_[i].stem;
        if (i >= a.begin && i < b.end) continue;
        if (stem == "day" || stem == "天") return kDay;
        if (stem == "hour" || matches_at(tokens_, i, tokens_of("小时"))) return kHour;
        if (stem == "minute" || matches_at(tokens_, i, tokens_of("分钟"))) return kMinute;
        is_length = is_length || kLengths.contains(stem) || kLengths.contains(tokens_[i].text);
        for (const char* word : {"多久", "多长", "时长", "间隔", "相隔", "周期", "相差", "耗时"}) {
            is_length = is_length || matches_at(tokens_, i, tokens_of(word));
        }
    }
    if (!is_length) return std::nullopt;
    return has_time ? kHour : kDay;
}

void Reader::find_lag() {
    for (std::size_t m = 0; m + 1 < said_.size() && !formula_; ++m) {
        Said& a = said_[m];
        const Said b = said_[m + 1];
        const bool are_dates = !a.is_value && !b.is_value && a.column->is_date() &&
                               b.column->is_date() && a.field != b.field;
        if (!are_dates || !joins_dates(a.end, b.begin)) continue;
        const auto unit = lag_unit(a, b);
        if (!unit) continue;
        Measure made;
        made.aggregation = Aggregation::Mean;
        made.field = b.field;
        made.minus = a.field;
        made.lag = *unit;
        formula_ = made;
        a.field = b.field;
        a.column = b.column;
        a.end = b.end;
        const std::size_t begin = a.begin;
        const Field field = b.field;
        said_.erase(said_.begin() + static_cast<std::ptrdiff_t>(m + 1));
        std::erase_if(said_, [&](const Said& s) {  // the "time" from one to the other is no date
            return !s.is_value && s.column->is_date() && s.score < kOwnName && s.field != field;
        });
        // "how many days" asks for the length, and for no count or group of days
        for (Tag& t : tags_) {
            const bool is_unit = t.word == Word::HowMany || t.word == Word::Day ||
                                 t.word == Word::Hour || t.word == Word::Compare ||
                                 t.word == Word::Hourly || t.word == Word::Between;
            const bool is_inside = t.begin + 1 >= begin && t.end <= b.end;
            if (is_unit || is_inside) t.word = Word::Noise;
        }
    }
}

}  // namespace atl::offline
