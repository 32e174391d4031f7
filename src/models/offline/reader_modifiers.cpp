// Words whose sense a column's name decides: 票务收入 where the table says Ticket Revenue, 平均延误
// where both a number and a status are about delays, "people rate" where nothing is a rate.
#include "models/offline/reader.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace atl::offline {
namespace {

struct Pair {
    std::string_view han;
    std::string_view english;  // separated by |
};

// What stands before the noun of a figure, in both languages.
// clang-format off
constexpr std::array kPairs = {
    Pair{"票务", "ticket"}, Pair{"机票", "ticket"}, Pair{"门票", "ticket|admission"},
    Pair{"燃油", "fuel"},
    Pair{"燃料", "fuel"}, Pair{"信用", "credit"}, Pair{"贷款", "loan"},
    Pair{"放款", "loan|disbursal"},
    Pair{"广告", "ad|ads|advertising"}, Pair{"营销", "marketing"},
    Pair{"推广", "marketing|promotion"},
    Pair{"人工", "labor|labour"}, Pair{"人力", "labor|labour|staff"},
    Pair{"材料", "material|materials"},
    Pair{"原料", "material|materials"}, Pair{"维修", "repair|maintenance"},
    Pair{"维护", "maintenance"},
    Pair{"运输", "shipping|transport|freight"}, Pair{"物流", "shipping|logistics"},
    Pair{"能源", "energy"},
    Pair{"电力", "electricity|power"}, Pair{"培训", "training"}, Pair{"保险", "insurance"},
    Pair{"医疗", "medical"}, Pair{"治疗", "treatment"}, Pair{"药品", "drug|medication"},
    Pair{"住宿", "room|accommodation"}, Pair{"客房", "room"}, Pair{"餐饮", "food|meal"},
    Pair{"食品", "food"}, Pair{"运营", "operating|operation"}, Pair{"经营", "operating"},
    Pair{"生产", "production"}, Pair{"采购", "purchase|procurement"},
    Pair{"销售", "sale|sales"},
    Pair{"年度", "annual|yearly"}, Pair{"每月", "monthly"}, Pair{"月度", "monthly"},
    Pair{"客户", "customer|client"}, Pair{"顾客", "customer"}, Pair{"员工", "employee|staff"},
    Pair{"产品", "product"}, Pair{"商品", "product|item"}, Pair{"订单", "order"},
    Pair{"项目", "project"},
    Pair{"合同", "contract"}, Pair{"考试", "exam|test"}, Pair{"复习", "revision|study"},
    Pair{"学习", "study"}, Pair{"飞行", "flight"}, Pair{"航班", "flight"},
    Pair{"出发", "departure"},
    Pair{"到达", "arrival"}, Pair{"响应", "response"},
    Pair{"处理", "processing|handling|resolution"},
    Pair{"退款", "refund"}, Pair{"折扣", "discount"}, Pair{"净", "net"}, Pair{"单位", "unit"}};
// clang-format on

bool holds_word(const Column& column, std::string_view list) {
    const auto parts = parts_of(list);
    return std::any_of(column.words.begin(), column.words.end(), [&](const Token& own) {
        return std::any_of(parts.begin(), parts.end(), [&](std::string_view word) {
            return own.text == word || own.stem == word;
        });
    });
}

}  // namespace

// 燃油 of Fuel Cost: these tokens are a word of the column's name in the other language.
bool Reader::is_said_in_name(std::size_t begin, std::size_t end, const Column& c) const {
    std::string said;
    for (std::size_t i = begin; i < end; ++i) {
        if (tokens_[i].kind != Token::Kind::Han) return false;
        said += tokens_[i].text;
    }
    return std::any_of(kPairs.begin(), kPairs.end(), [&](const Pair& pair) {
        return pair.han == said && holds_word(c, pair.english);
    });
}

// "the money" of a loan is what was lent, though an income is money too.
void Reader::prefer_main_money(const Mention& m, std::vector<Candidate>& here) const {
    static const std::set<std::string> kMoney = {"money", "cash", "金额", "钱"};
    constexpr int kNear = 20;
    std::string said;
    for (std::size_t i = m.begin; i < m.end; ++i) said += tokens_[i].stem;
    if (!kMoney.contains(said) || here.empty() || here[0].score >= kOwnName) return;
    const auto main = main_measure(schema_, q_.table);
    const auto own = std::find_if(here.begin(), here.end(), [&](const Candidate& c) {
        return main == c.field && c.score + kNear >= here[0].score;
    });
    if (own == here.end()) return;
    own->score = here[0].score + 1;
    std::rotate(here.begin(), own, own + 1);
}

// 平均延误: a mean is of the number, not of the rows with that status.
std::optional<Candidate> Reader::figure_of_value(const Mention& m) const {
    const bool is_han = m.is_value && tokens_[m.begin].kind == Token::Kind::Han;
    if (!is_han || !follows(m.begin, {Word::Mean, Word::Median, Word::Maximum, Word::Minimum}, 1)) {
        return std::nullopt;
    }
    const auto is_about = [&](const Concept* about) {
        return std::any_of(about->phrases.begin(), about->phrases.end(), [&](const auto& phrase) {
            return phrase.size() == m.end - m.begin && matches_at(tokens_, m.begin, phrase);
        });
    };
    const auto& columns = schema_.tables[q_.table].columns;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (!columns[c].is_number() || columns[c].is_id || columns[c].is_flag()) continue;
        if (std::any_of(columns[c].meanings.begin(), columns[c].meanings.end(), is_about)) {
            return Candidate{{q_.table, c}, kOwnName - 1, ""};
        }
    }
    return std::nullopt;
}

// "do people rate A better than B": a verb, and no share of rows
void Reader::drop_rate_of_people() {
    static const std::set<std::string> kPeople = {
        "people", "customer", "passenger", "guest", "user", "client",   "visitor", "they",
        "we",     "student",  "patient",   "buyer", "who",  "traveler", "reader",  "employee"};
    static const std::set<std::string> kFigures = {"satisfaction", "rating", "score", "star"};
    const bool says_figure = std::any_of(tokens_.begin(), tokens_.end(),
                                         [&](const Token& t) { return kFigures.contains(t.stem); });
    if (!says_figure) return;  // then the verb is all that tells what is compared
    std::erase_if(tags_, [&](const Tag& t) {
        return t.word == Word::Rate && t.begin > 1 && tokens_[t.begin].text == "rate" &&
               kPeople.contains(tokens_[t.begin - 1].stem) &&
               (tokens_[t.begin - 2].text == "do" || tokens_[t.begin - 2].text == "did");
    });
}

// "by how many percent", 多少个百分点: a share or a change, and nothing is counted
void Reader::drop_counts_of_percent() {
    std::erase_if(tags_, [&](const Tag& t) {
        if (t.word != Word::HowMany || t.end >= tokens_.size()) return false;
        const Token& next = tokens_[t.end];
        return next.stem == "percent" || next.stem == "percentage" || next.text == "%" ||
               matches_at(tokens_, t.end, tokens_of("百分点"));
    });
}

// 加班总时长: one name, 加班小时, parted by what is made of it
void Reader::join_parted_names() {
    static const std::set<std::string> kLengths = {"时长", "时间", "时数", "小时数"};
    const auto text_of = [&](const Said& s) {
        std::string text;
        for (std::size_t i = s.begin; i < s.end; ++i) text += tokens_[i].text;
        return text;
    };
    const auto is_open = [&](const Said& s) {
        return !s.is_value && s.column->is_number() && s.score < kOwnName &&
               tokens_[s.begin].kind == Token::Kind::Han;
    };
    for (std::size_t m = 0; m + 1 < said_.size(); ++m) {
        Said& a = said_[m];
        const Said b = said_[m + 1];
        if (!is_open(a) || !is_open(b) || a.field == b.field || b.begin > a.end + 2) continue;
        bool is_parted = true;
        for (std::size_t i = a.end; i < b.begin; ++i) {
            is_parted = is_parted && (is_at(i, Word::Sum) || is_at(i, Word::Mean));
        }
        if (!is_parted) continue;
        const std::string first = text_of(a);
        const std::string second = text_of(b);
        const auto& columns = schema_.tables[q_.table].columns;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            if (!columns[c].is_number() || !columns[c].name.starts_with(first)) continue;
            const bool is_length = kLengths.contains(second) && is_duration(columns[c]);
            const bool is_named = second.find(columns[c].last_word().text) != std::string::npos;
            if (!is_length && !is_named) continue;
            a.field = {q_.table, c};
            a.column = &columns[c];
            said_.erase(said_.begin() + static_cast<std::ptrdiff_t>(m + 1));
            break;
        }
    }
}

}  // namespace atl::offline
