#include "models/offline/reader.hpp"

#include <algorithm>

namespace atl::offline {

// "the top 10 % of customers", 前10%的订单: a part of the ranking, and no share of a total.
void Reader::find_top_percent() {
    for (const Tag& t : tags_) {
        const bool is_high = t.word == Word::Top || t.word == Word::Highest;
        const bool is_low = t.word == Word::Bottom || t.word == Word::Lowest;
        if (!is_high && !is_low) continue;
        std::size_t i = t.end;
        while (i < tokens_.size() && i < t.end + 2 && is_filler(i) &&
               tokens_[i].kind != Token::Kind::Number) {
            ++i;
        }
        std::size_t end = 0;
        const auto value = number_at(i, end);
        const bool is_percent = value && end < tokens_.size() &&
                                (tokens_[end].text == "%" || tokens_[end].stem == "percent");
        if (!is_percent || *value <= 0 || *value >= 100) continue;
        q_.percent = *value;
        condition_numbers_.insert(i);
        std::erase_if(tags_, [&](const Tag& other) {
            return other.word == Word::Share && other.begin <= end && end < other.end;
        });
        return;
    }
}

// Behind a number they are units: "below 90 %" asks for no share, 3分 divides nothing.
void Reader::drop_units() {
    std::erase_if(tags_, [&](const Tag& t) {
        const bool is_unit = (t.word == Word::Share && tokens_[t.begin].text == "%") ||
                             (t.word == Word::By && tokens_[t.begin].text == "分");
        return is_unit && t.begin > 0 && t.end - t.begin == 1 &&
               tokens_[t.begin - 1].kind == Token::Kind::Number;
    });
}

void Reader::decide_top_percent() {
    q_.intent = Intent::TopPercent;
    std::erase_if(q_.groups, [&](const Group& g) { return is_unique(g.field); });
    if (q_.measures.size() > 1) q_.measures.resize(1);
    q_.count.reset();
    q_.wants_one = false;
}

// A word that changes the figure and cannot be heeded here.
void Reader::refuse(Word word) {
    const Tag* t = tag(word);
    if (t == nullptr) return;
    std::string text;
    for (std::size_t i = t->begin; i < t->end; ++i) {
        const bool is_word = tokens_[i].kind == Token::Kind::Word;
        text += (text.empty() || !is_word ? "" : " ") + tokens_[i].as_written;
    }
    q_.absent.push_back(text);
}

// "cumulative sales by month": only figures that add up, along the time
void Reader::complete_running() {
    if (!q_.is_running) return;
    const auto is_time = [](const Group& g) {
        switch (g.grain) {
            case Grain::Hour:
            case Grain::Day:
            case Grain::Week:
            case Grain::Month:
            case Grain::Quarter:
            case Grain::Year: return true;
            default: return false;
        }
    };
    const auto adds_up = [](const Measure& m) {
        return m.aggregation == Aggregation::Sum || m.aggregation == Aggregation::Count;
    };
    auto time = std::find_if(q_.groups.begin(), q_.groups.end(), is_time);
    // 累计销售额, "accumulated sales by region": simply all of them
    const bool is_total = q_.language == Language::Chinese || !q_.groups.empty() ||
                          !q_.periods.empty() || !main_date(schema_, q_.table);
    if (time == q_.groups.end() && is_total) {
        q_.is_running = false;
        return;
    }
    const bool is_plain = q_.intent == Intent::Aggregate && q_.periods.empty() &&
                          q_.order == Order::None && q_.measures.size() == 1 &&
                          adds_up(q_.measures[0]) && !is_filter_field_of_measure();
    if (!is_plain) {
        refuse(Word::Running);
        q_.is_running = false;
        return;
    }
    if (time == q_.groups.end()) {
        const Field date = *main_date(schema_, q_.table);
        q_.groups.push_back({date, natural_grain(at(schema_, date)), 0});
        time = q_.groups.end() - 1;
    }
    std::rotate(q_.groups.begin(), time, time + 1);
}

// "when did cumulative sales pass 10,000" asks of the totals, not of rows above that
bool Reader::is_filter_field_of_measure() const {
    const auto& field = q_.measures[0].field;
    return std::any_of(q_.filters.begin(), q_.filters.end(), [&](const Filter& f) {
        const bool compares = f.kind == Filter::Kind::Less || f.kind == Filter::Kind::Greater ||
                              f.kind == Filter::Kind::LessOrEqual ||
                              f.kind == Filter::Kind::GreaterOrEqual;
        return field && compares && f.field == *field;
    });
}

}  // namespace atl::offline
