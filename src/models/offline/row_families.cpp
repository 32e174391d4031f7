#include "models/offline/row_families.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

namespace atl::offline {
namespace {

struct Family {
    std::string_view nouns;  // separated by |
    std::string_view verbs;  // what is done in such a row; they count nothing
};

// clang-format off
constexpr std::array kFamilies = {
    Family{"trip|ride|journey|rental|骑行|行程|出行|租借|租车|用车",
           "ride|rode|ridden|riding|rented|travelled|traveled"},
    Family{"appointment|booking|visit|consultation|encounter|预约|就诊|挂号|门诊|看诊|就医|看病",
           "seen|consulted"},
    Family{"booking|reservation|stay|预订|预定|订房|入住", "reserved|stayed"},
    Family{"signup|registration|subscription|account|subscriber|注册|开户|开通|订阅|账户|账号",
           "subscribed|registered"},
    Family{"enrollment|enrolment|signup|registration|报名|注册|选课", "enrolled|registered"},
    Family{"order|purchase|transaction|checkout|订单|交易|购买|下单|成交", "purchased"},
    Family{"ticket|issue|incident|case|complaint|enquiry|inquiry|工单|投诉|报障|报修", ""},
    Family{"call|conversation|通话|来电|电话", "called|phoned|phone"},
    Family{"delivery|shipment|parcel|package|consignment|配送|包裹|快件|快递|运单|发货|派送|外卖",
           "shipped|dispatched|deliver|delivers|delivered"},
    Family{"loan|borrowing|lending|借阅|借书|借出", "borrowed|lent|lend|lends"},
    Family{"loan|贷款|借款|放款", "borrowed|lent|lend|lends|loaned|disbursed"},
    Family{"flight|departure|航班", "flown|flew"},
    Family{"match|game|fixture|比赛|赛事", ""},
    Family{"project|initiative|项目|工程", ""},
    Family{"invoice|bill|账单|发票", "invoiced|billed"},
    Family{"claim|case|理赔|赔案", "claimed"},
    Family{"application|applicant|candidate|投递|申请|简历|候选人|应聘", "applied"},
    Family{"session|visit|访问|会话", ""},
    Family{"visit|checkin|workout|到店|到访|签到|打卡|锻炼", "trained|exercised"},
    Family{"review|评论|评价|点评", "reviewed"},
    Family{"listing|property|house|home|flat|apartment|房源|房子|房屋", ""},
    Family{"accident|crash|collision|事故", "crashed"},
    Family{"donation|gift|contribution|捐款|捐赠", "donated"},
    Family{"repair|maintenance|维修|检修|保养", "repaired"},
    Family{"inspection|audit|检查|检验|巡检", "inspected|audited"},
    Family{"vehicle|car|listing|车辆|汽车|车源|二手车|车", ""},
    Family{"exam|test|assessment|考试|测验|测试", ""},
    Family{"measurement|reading|测量|读数|监测", "measured"},
    Family{"response|respondent|survey|questionnaire|问卷|答卷", "surveyed"},
    Family{"opportunity|deal|prospect|商机|线索", ""},
    Family{"admission|hospitalisation|hospitalization|stay|住院|入院",
           "admitted|hospitalised|hospitalized"},
    Family{"lease|tenancy|租约", "leased"},
    Family{"policy|保单|投保", "insured"},
    Family{"payment|transfer|付款|转账|支付", "transferred"},
    Family{"student|pupil|学生|同学", ""},
    Family{"employee|staff|worker|colleague|员工|职工|雇员", ""},
    Family{"member|membership|subscriber|会员", ""},
    Family{"charging|充电", "charged"},
    Family{"parking|停车|泊车", "parked"},
};
// clang-format on

bool is_word(const std::vector<Token>& noun, const Token& word) {
    return noun.size() == 1 && noun[0].kind == Token::Kind::Word && noun[0].stem == word.stem;
}

bool is_inside(const std::vector<Token>& noun, const std::vector<Token>& name) {
    for (std::size_t i = 0; i + noun.size() <= name.size(); ++i) {
        if (matches_at(name, i, noun)) return true;
    }
    return false;
}

// What the table itself calls a row: its file, what tells its rows apart, its dates.
std::vector<Token> own_words(const Table& table) {
    std::vector<Token> words = table.words;
    words.insert(words.end(), table.row_words.begin(), table.row_words.end());
    for (const Column& column : table.columns) {
        const bool is_unique = (column.distinct + column.missing) * 100 >= table.rows * 98;
        if (!column.is_id || !is_unique) continue;
        words.insert(words.end(), column.strong.begin(), column.strong.end());
    }
    std::erase_if(words, [](const Token& word) { return word.kind != Token::Kind::Word; });
    return words;
}

}  // namespace

bool is_family_word(const Token& token) {
    static const auto stems = [] {
        std::set<std::string> out;
        for (const Family& family : kFamilies) {
            for (const auto& noun : phrases_of(family.nouns)) out.insert(noun[0].stem);
            for (const auto& verb : phrases_of(family.verbs)) out.insert(verb[0].stem);
        }
        return out;
    }();
    return token.kind == Token::Kind::Word && stems.contains(token.stem);
}

bool is_family_noun(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
    static const auto nouns = [] {
        std::vector<std::vector<Token>> out;
        for (const Family& family : kFamilies) {
            for (auto& noun : phrases_of(family.nouns)) out.push_back(std::move(noun));
        }
        return out;
    }();
    return std::any_of(nouns.begin(), nouns.end(), [&](const auto& noun) {
        return noun.size() == end - begin && matches_at(tokens, begin, noun);
    });
}

void add_row_family(Table& table) {
    const auto words = own_words(table);
    for (const Family& family : kFamilies) {
        const auto nouns = phrases_of(family.nouns);
        const bool is_own = std::any_of(nouns.begin(), nouns.end(), [&](const auto& noun) {
            return std::any_of(words.begin(), words.end(),
                               [&](const Token& word) { return is_word(noun, word); }) ||
                   std::any_of(table.row_nouns.begin(), table.row_nouns.end(),
                               [&](const auto& name) { return is_inside(noun, name); });
        });
        if (!is_own) continue;
        for (const auto& noun : nouns) table.row_names.push_back(noun);
        for (const auto& verb : phrases_of(family.verbs)) table.row_verbs.push_back(verb[0]);
    }
}

}  // namespace atl::offline
