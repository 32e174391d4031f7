#include "models/offline/same_values.hpp"

#include "models/offline/text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

namespace atl::offline {
namespace {

// clang-format off
constexpr std::array<std::string_view, 129> kSame = {
    "male|men|man|m|男|男性|男士|男生|boy|guy",
    "female|women|woman|f|女|女性|女士|女生|girl|lady",
    "usa|us|united states|united states of america|america|american|u.s.|美国",
    "uk|united kingdom|britain|great britain|british|england|英国",
    "germany|german|de|德国", "china|cn|中国", "france|french|fr|法国", "spain|spanish|西班牙",
    "italy|italian|意大利", "japan|japanese|jp|日本", "canada|canadian|加拿大", "brazil|brazilian|巴西",
    "india|indian|印度", "australia|australian|澳大利亚|澳洲", "netherlands|dutch|holland|荷兰",
    "sweden|swedish|瑞典", "norway|norwegian|挪威", "denmark|danish|丹麦", "finland|finnish|芬兰",
    "poland|polish|波兰", "austria|austrian|奥地利", "switzerland|swiss|瑞士", "belgium|belgian|比利时",
    "portugal|portuguese|葡萄牙", "greece|greek|希腊", "ireland|irish|爱尔兰", "russia|russian|俄罗斯",
    "turkey|turkish|土耳其", "mexico|mexican|墨西哥", "argentina|argentinian|阿根廷", "chile|chilean|智利",
    "south korea|korea|korean|韩国", "singapore|singaporean|新加坡", "thailand|thai|泰国",
    "vietnam|vietnamese|越南", "malaysia|malaysian|马来西亚", "indonesia|indonesian|印度尼西亚|印尼",
    "south africa|south african|南非", "egypt|egyptian|埃及", "new zealand|新西兰",
    "beijing|北京|北京市", "shanghai|上海|上海市", "guangzhou|广州|广州市", "shenzhen|深圳|深圳市",
    "chengdu|成都|成都市", "hangzhou|杭州|杭州市", "wuhan|武汉|武汉市", "nanjing|南京|南京市",
    "xi'an|xian|西安|西安市", "chongqing|重庆|重庆市", "tianjin|天津|天津市", "suzhou|苏州|苏州市",
    "qingdao|青岛", "xiamen|厦门", "changsha|长沙", "hong kong|香港", "taipei|台北",
    "london|伦敦", "new york|纽约", "paris|巴黎", "berlin|柏林", "tokyo|东京", "madrid|马德里", "rome|罗马",
    "home|at home|主场", "away|客场",
    "online|web|internet|线上|网上", "offline|in store|instore|线下|门店",
    "won|win|winning|winner|w|胜", "lost|lose|losing|loser|l|loss|负", "d|draw|tie|平局|平",
    "fail|failed|failing|failure|失败|不及格", "pass|passed|passing|及格", "emergency|急诊",
    "follow up|followup|复诊|复查", "urgent|加急|紧急",
    "paid|pay|已付|已付款|已支付", "unpaid|未付|未付款|未支付", "sold|sell|已售|售出", "sent|send",
    "married|marry|已婚", "single|unmarried|未婚", "divorced|离婚|离异",
    "cancelled|canceled|cancel|cancellation|cancellations|churn|churned|取消|已取消",
    "completed|complete|completion|完成|已完成",
    "no show|noshow|no shows|missed|did not show up|didn't show up|not show up|did not turn up|爽约|"
    "失约|未到|缺席", "active|活跃|在用|生效|有效", "inactive|不活跃|停用|失效",
    "paused|on hold|suspended|暂停|中止", "pending|waiting|待处理|待定|等待中",
    "in progress|ongoing|进行中|处理中", "open|未关闭", "closed|已关闭|关闭",
    "accepted|已验收|验收|已接受", "rejected|refused|declined|rejection|rejections|拒绝|已拒绝|驳回",
    "approved|approval|approvals|批准|已批准",
    "terminated|已终止|终止", "resolved|solved|已解决|解决",
    "returned|sent back|send back|sends back|sending back|brought back|退货|已退货|退回",
    "rain|rainy|raining|rained|雨|雨天|下雨|有雨", "sunny|clear|sun|晴|晴天",
    "cloudy|overcast|clouds|多云|阴|阴天",
    "snow|snowy|snowing|雪|雪天|下雪", "fog|foggy|雾|雾天", "refunded|退款|已退款",
    "delivered|已送达|送达|已签收|签收", "shipped|已发货|发货", "delayed|延误|延期|晚点",
    "cash|现金", "credit card|信用卡", "debit card|借记卡", "bank card|银行卡", "card|刷卡|卡",
    "bank transfer|transfer|银行转账|转账", "wechat|wechat pay|微信|微信支付", "alipay|支付宝",
    "dine in|eat in|堂食", "takeaway|takeout|take away|take out|外卖", "pickup|pick up|自提|自取",
    "breakfast|早餐", "lunch|午餐|午饭", "dinner|supper|晚餐|晚饭", "late night|夜宵|宵夜",
    "high|高", "medium|mid|中", "low|低",
    "government|public sector|政府", "referral|推荐|转介绍", "member|members|会员",
};
// clang-format on

const std::map<std::string, std::vector<std::size_t>>& rows_of_words() {
    static const auto table = [] {
        std::map<std::string, std::vector<std::size_t>> rows;
        for (std::size_t row = 0; row < kSame.size(); ++row) {
            for (const std::string_view word : parts_of(kSame[row])) {
                rows[std::string(word)].push_back(row);
            }
        }
        return rows;
    }();
    return table;
}

}  // namespace

bool is_other_word_for(const std::string& said, const std::string& value) {
    const auto a = rows_of_words().find(said);
    const auto b = rows_of_words().find(value);
    if (a == rows_of_words().end() || b == rows_of_words().end()) return false;
    return std::any_of(a->second.begin(), a->second.end(), [&](std::size_t row) {
        return std::find(b->second.begin(), b->second.end(), row) != b->second.end();
    });
}

}  // namespace atl::offline
