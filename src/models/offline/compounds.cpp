#include "models/offline/compounds.hpp"

#include "models/offline/vocabulary.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace atl::offline {
namespace {

constexpr std::size_t kTokensOfName = 8;

// Words that stand before a noun in the names of columns and are none by themselves: the concepts
// of the vocabulary hold the nouns.
constexpr std::array<std::string_view, 23> kBefore = {
    "charger|充电桩|充电器",
    "buyer|购买者|买家",
    "donor|捐赠者|捐款者|捐助者",
    "destination|dest|to|目的|收件|收货|到达",
    "origin|sender|departure|from|start|寄件|发件|发货|出发|始发",
    "membership|member|会员",
    "aircraft|plane|飞机",
    "route|航线|路线",
    "ticket|票务|机票|门票",
    "building|建筑|楼宇",
    "energy|能源|能耗",
    "fuel|燃油|燃料",
    "peak|峰值|高峰|最高",
    "unit|单位",
    "delivery|shipping|配送|交货|物流",
    "payment|pay|支付|付款",
    "loan|credit|贷款|信贷",
    "service|服务",
    "repair|maintenance|维修|保养",
    "labour|labor|人工",
    "material|材料|物料",
    "contract|合同",
    "vehicle|car|车辆|汽车"};

// Words that end such names and are none by themselves.
constexpr std::array<std::string_view, 2> kBehind = {"fee|fees|pay|charge|charges|cost|费|费用",
                                                     "method|mode|way|方式"};

using Phrases = std::vector<std::vector<Token>>;

// Each word's phrases, as in the vocabulary.
template <std::size_t N>
std::vector<Phrases> taken_apart(const std::array<std::string_view, N>& lists) {
    std::vector<Phrases> out;
    for (const std::string_view list : lists) out.push_back(phrases_of(list));
    return out;
}

const std::vector<Phrases>& parts_at(std::size_t word) {
    static const auto before = taken_apart(kBefore);
    static const auto behind = taken_apart(kBehind);
    return word == 0 ? before : behind;
}

struct Pairing {
    const std::vector<Token>& name;
    const std::vector<Token>& tokens;
    std::size_t end;

    // Units and weak words: (kg), _name
    [[nodiscard]] bool is_over(std::size_t word) const {
        return std::all_of(
            name.begin() + static_cast<std::ptrdiff_t>(word), name.end(), [&](const Token& rest) {
                return is_weak(rest) || rest.kind == Token::Kind::Sign || rest.kind != name[0].kind;
            });
    }

    [[nodiscard]] bool goes(std::size_t word, std::size_t at, std::size_t parts) const {
        if (at == end) return parts > 1 && is_over(word);
        if (word >= name.size()) return false;
        const auto& own = parts_at(word);
        const bool is_own = std::any_of(own.begin(), own.end(), [&](const auto& phrases) {
            return goes_by(phrases, word, at, parts);
        });
        if (is_own) return true;
        return std::any_of(concepts().begin(), concepts().end(), [&](const Concept& about) {
            return goes_by(about.phrases, word, at, parts);
        });
    }

    [[nodiscard]] bool goes_by(const std::vector<std::vector<Token>>& phrases, std::size_t word,
                               std::size_t at, std::size_t parts) const {
        for (const auto& named : phrases) {
            if (named[0].kind != name[0].kind || word + named.size() > name.size()) continue;
            if (!matches_at(name, word, named)) continue;
            for (const auto& said : phrases) {
                if (said[0].kind != tokens[at].kind || at + said.size() > end) continue;
                if (!matches_at(tokens, at, said)) continue;
                if (goes(word + named.size(), at + said.size(), parts + 1)) return true;
            }
        }
        return false;
    }
};

}  // namespace

bool is_compound_of(const std::vector<Token>& name, const std::vector<Token>& tokens,
                    std::size_t begin, std::size_t end) {
    if (name.size() < 2 || end - begin < 2 || end - begin > kTokensOfName) return false;
    const Token::Kind said = tokens[begin].kind;
    const bool is_other = (said == Token::Kind::Word && name[0].kind == Token::Kind::Han) ||
                          (said == Token::Kind::Han && name[0].kind == Token::Kind::Word);
    if (!is_other) return false;
    for (std::size_t i = begin; i < end; ++i) {
        if (tokens[i].kind != said) return false;
    }
    return Pairing{name, tokens, end}.goes(0, begin, 0);
}

}  // namespace atl::offline
