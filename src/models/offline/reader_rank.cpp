// "the second highest", "3rd most expensive", 第二高: one place of a ranking, and not its first.
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace atl::offline {
namespace {

constexpr std::size_t kRankMax = 100;

std::optional<std::size_t> ordinal_word(const Token& token) {
    static constexpr std::array<std::string_view, 9> kWords = {
        "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"};
    for (std::size_t i = 0; i < kWords.size(); ++i) {
        if (token.text == kWords[i]) return i + 2;
    }
    return std::nullopt;
}

bool is_superlative(Word word) {
    static const std::set<Word> kWords = {
        Word::Highest,  Word::Lowest, Word::Expensive, Word::Cheap,  Word::Oldest,
        Word::Youngest, Word::Newest, Word::Earliest,  Word::Common, Word::Rare};
    return kWords.contains(word);
}

}  // namespace

// The ordinal that ends right before `token`: "second", "2nd"; where it begins.
std::optional<std::size_t> Reader::ordinal_before(std::size_t token, std::size_t& begin) const {
    if (token == 0) return std::nullopt;
    begin = token - 1;
    if (const auto word = ordinal_word(tokens_[begin])) return word;
    static const std::set<std::string> kEndings = {"st", "nd", "rd", "th"};
    if (token < 2 || !kEndings.contains(tokens_[begin].text)) return std::nullopt;
    --begin;
    const Token& number = tokens_[begin];
    const bool is_place = number.kind == Token::Kind::Number && number.number >= 2 &&
                          number.number <= static_cast<double>(kRankMax);
    if (!is_place) return std::nullopt;
    return static_cast<std::size_t>(number.number);
}

void Reader::take_rank(std::size_t rank, std::size_t begin, std::size_t end) {
    q_.rank = rank;
    rank_begin_ = begin;
    for (std::size_t i = begin; i < end; ++i) condition_numbers_.insert(i);
}

void Reader::find_rank() {
    std::size_t begin = 0;
    for (const Tag& t : tags_) {
        if (!is_superlative(t.word)) continue;
        const auto rank = ordinal_before(t.begin, begin);
        if (rank && !is_in_time(begin) && said_at(begin) == nullptr) {
            return take_rank(*rank, begin, t.begin);
        }
    }
    for (std::size_t i = 1; i < tokens_.size(); ++i) {  // "ranks second", "in third place"
        const auto rank = ordinal_before(i + 1, begin);
        static const std::set<std::string> kVerbs = {"rank",   "come",   "came",    "place",
                                                     "placed", "ranked", "finished"};
        const bool is_placed = (begin > 0 && (kVerbs.contains(tokens_[begin - 1].stem) ||
                                              (begin > 1 && tokens_[begin - 1].text == "in" &&
                                               kVerbs.contains(tokens_[begin - 2].stem)))) ||
                               (i + 1 < tokens_.size() && tokens_[i + 1].text == "place");
        if (!rank || !is_placed || is_in_time(begin)) continue;
        tags_.push_back({Word::Highest, i, i + 1});
        return take_rank(*rank, begin, i + 1);
    }
    find_rank_han();
}

// 第二高, 第3名, 倒数第二
void Reader::find_rank_han() {
    static const std::set<std::string> kHigh = {"高", "大", "多", "贵", "好", "长", "强",
                                                "名", "位", "的", "热", "重", "远"};
    static const std::set<std::string> kLow = {"低", "小", "少", "差", "短", "弱", "冷", "轻"};
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
        if (tokens_[i].text != "第" || is_in_time(i) || said_at(i) != nullptr) continue;
        std::size_t end = 0;
        const auto value = number_at(i + 1, end);
        if (!value || *value < 2 || *value > static_cast<double>(kRankMax)) continue;
        const bool is_last = end >= tokens_.size() || tokens_[end].kind == Token::Kind::Sign;
        const std::string text = is_last ? "的" : tokens_[end].text;
        const bool is_cheap = !is_last && matches_at(tokens_, end, tokens_of("便宜"));
        if (!kHigh.contains(text) && !kLow.contains(text) && !is_cheap) continue;
        const std::size_t to = is_last ? end : end + (is_cheap ? 2 : 1);
        std::erase_if(tags_, [&](const Tag& t) { return t.begin < to && i < t.end; });
        tags_.push_back({is_cheap              ? Word::Cheap
                         : text == "贵"        ? Word::Expensive
                         : kLow.contains(text) ? Word::Lowest
                                               : Word::Highest,
                         i, to});
        return take_rank(static_cast<std::size_t>(*value), i, to);
    }
}

// One measure, of rows or of groups; other rankings are not read here.
void Reader::complete_rank() {
    if (!q_.rank) {
        find_open_ordinal();
        return;
    }
    if (q_.order == Order::None && q_.measures.size() == 1) {
        const Aggregation a = q_.measures[0].aggregation;
        if (a == Aggregation::Maximum) q_.order = Order::Highest;
        if (a == Aggregation::Minimum) q_.order = Order::Lowest;
    }
    const bool has_one = q_.measures.size() == 1 && q_.order != Order::None && q_.periods.empty() &&
                         !q_.having && !q_.averaged && !q_.best_of_each;
    const bool of_figure = has_one && q_.intent == Intent::Aggregate && q_.groups.empty() &&
                           q_.measures[0].field && !q_.measures[0].times;
    if (of_figure) q_.intent = Intent::Rows;
    const bool of_rows =
        has_one && q_.intent == Intent::Rows && q_.measures[0].field && !q_.measures[0].times;
    const bool of_groups =
        has_one && q_.intent == Intent::Aggregate && !q_.groups.empty() && !extremes_;
    if (of_rows || of_groups) {
        q_.count.reset();
        q_.wants_one = true;
        return;
    }
    q_.absent.push_back(tokens_[rank_begin_].as_written);
    q_.rank.reset();
}

// "which came second": a place that was not understood
void Reader::find_open_ordinal() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const bool is_unit = tokens_[i].text == "second" && i > 0 &&
                             (tokens_[i - 1].text == "per" || tokens_[i - 1].text == "a" ||
                              tokens_[i - 1].kind == Token::Kind::Number);
        if (!ordinal_word(tokens_[i]) || is_unit || is_in_time(i) || said_at(i) != nullptr) {
            continue;
        }
        q_.absent.push_back(tokens_[i].as_written);
    }
}

}  // namespace atl::offline
