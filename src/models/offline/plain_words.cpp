#include "models/offline/plain_words.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

namespace atl::offline {
namespace {

// clang-format off
constexpr std::string_view kEnglish =
    // what is done with things
    "achieve accept accumulate add amass appear arrive ask attend attain attract averaging award "
    "bear become begin begun belong book bought break bring broke buy call calculated carry cause "
    "change changed check choose chose chosen claim close collect comprise concern conduct consist "
    "consume contain cover deal deliver deliverd depart deserve differ divide divided do done "
    "detect drive "
    "end enter enrolled evolve exceed excel expect experience explain face fare feature feel "
    "file fill finish fit fly follow found gave generate get give given go goes going gone handle "
    "happen hand hear held help hold identify include incur involve issue join keep kept laid land "
    "last lead leave led left lie list live load log look made maintain manage mean "
    "measure meet mention met move multiplied name need note notice observe obtain occur "
    "offer "
    "open operate order own paid pass perform performed performing pick place play plot point post "
    "predominate present process produce provide publish purchase push put raise ran range reach "
    "read realise realize receive record refer register relate release remain report represent "
    "request respond result reveal review run said sat saw say score see seem seen select "
    "sell send sent serve set settle ship show sign sit sold solve sort spend spent stand start "
    "state stay stop store submit suffer supply support switch take taken talk tell tend test "
    "think "
    "took track trade transact travel treat turn understand undergo use utilise utilize vary visit "
    "wait want watch went wish work worked write written yield analyse analyze examine "
    "investigate evaluate estimate inspect tabulate break divide plotted drawn display displayed "
    "played placed hosted scored bought recorded received collected conceded submitted resolved "
    "reported filed handled done delivered shipped performed earned ended started registered "
    "counted measured observed produced given taken booked reserved stayed visited listed posted "
    "raised opened closed completed finished created logged issued ordered attended treated "
    "admitted discharged enrolled joined signed hired employed working serving living belonging "
    "having being getting doing making taking going coming using selling buying paying spending "
    "running giving showing sorting bring brings brought exist pull pulled "
    // how, when, where
    "about above across actually again ago ahead almost along already also altogether always am "
    "among and another anyhow anyone anything anyway approximately are around aside at away back "
    "badly basically because been before behind below beside besides best better between beyond "
    "big bit both briefly but by certain certainly clearly close closely collectively common "
    "commonly consistently correct correctly currently different differently directly each either "
    "else enough especially even evenly ever every everyone everything exact exactly extra fairly "
    "far few first for frequent from fully further general generally good great greatly hardly "
    "here high highly hence how however if important in indeed individually instead into itself "
    "jointly kindly large largely later least less likely little long lot lots low mainly many "
    "maybe me merely more moreover mostly much namely near nearly necessarily neither never "
    "nevertheless new next no none nor normal normally not now obviously of off often old on once "
    "one only onto or other others otherwise our out over overall own particular particularly "
    "perhaps pls plus please possible possibly precisely precise present previously probably "
    "properly quick quickly quite rather raw real really recently regarding regardless relatively "
    "respectively right roughly same second secondly seldom self separate separately several "
    "simply simple since single small so some somehow someone something sometimes soon specific "
    "specifically still strictly strongly such surely tend than that the their them themselves "
    "then there therefore these they thing things this those though through throughout thus "
    "till to together too total totally toward towards true truly typical typically under unlike "
    "until up upon us usual usually various vary version very via was way ways well were what "
    "whatever when whenever where wherever whether which while who whole whom whose why wide "
    "widely will with within without worth would yes yet you your yours him her his she he it its "
    "yeah hmm hey hello dear kind nice cool fine sorry lets let's im i'm id i'd ive i've don't "
    "doesn't didn't can't won't isn't aren't wasn't weren't what's that's there's who's where's "
    // nouns that say nothing about which column
    "amount analysis answer aspect average base basis breakdown case categories chart column count "
    "couple curious data database dataset date detail details difference digit digits entity "
    "evidence example extent fact factor feature field figure figures file form format frame group "
    "groups idea individual info information insight insights instance instances interest item "
    "kind kinds list lists look manner matter mean measure metric metrics middle minimum moment "
    "name names number numbers object occasion occasions occurrence occurrences option outcome "
    "overview part parts people person piece place point portion position possibility problem "
    "purpose quantity question range rate ratio reason regard relation result results role row "
    "rows sample section series set side size sort sorts source spot standing statistic status "
    "sum summary table term terms thing time times top total type types unit units value values "
    "view volume world board decimal decimals place integer percent percentage euro euros dollar "
    "dollars usd eur cents pound pounds yuan rmb money bucks cash order orders descending "
    "ascending "
    "desc asc alphabetical alphabetically horizontal vertical stacked grouped "
    "axis axes title labels legend png image picture figure svg excel csv python pandas "
    "guys folks everyone anybody somebody nobody "
    "degree degrees higher lower highest lowest bigger smaller larger fewer greater longer shorter "
    "older younger cheaper faster slower cheapest fastest slowest busiest earlier later latest "
    "strong stronger weak weaker weakest strongest significant significantly noticeable notable "
    "interesting relevant available existing corresponding given following above-mentioned "
    "pipeline portfolio catalog catalogue system archive league registry "
    "down aged apart toward per plus minus versus hereby thereof "
    "must typo typos mistake mistakes obviously presumably "
    "positive negative normal distinct separate matching respective remaining entire complete";

constexpr std::string_view kChinese =
    "一共 总共 共有 共 有没有 有无 是否 没有 有 是 多少 几 哪 什么 怎么样 怎样 如何 怎么 "
    "请 帮 帮我 麻烦 想 想要 想知道 想看 看 看看 查 查看 查询 统计 计算 算 求 求出 给 给我 给出 列出 列 显示 展示 "
    "告诉 告诉我 分析 画 画出 做 做出 做个 生成 绘制 用 使用 采用 通过 以 按 按照 根据 "
    "的 地 得 了 着 过 吗 呢 吧 啊 呀 哦 嘛 么 在 于 从 到 至 对 对于 关于 为 为了 被 把 将 让 使 "
    "和 与 及 以及 并 并且 或 或者 还是 还 也 又 再 都 就 才 只 仅 最 更 较 比较 很 非常 十分 太 不 没 "
    "这 那 这个 那个 这些 那些 此 该 其 其中 它 它们 他 她 他们 我 我们 你 您 大家 自己 "
    "上 下 中 里 内 外 前 后 左右 之 之间 之中 期间 时候 时 当 当中 里面 "
    "个 条 次 名 位 人 家 种 类 项 件 笔 单 份 张 台 辆 本 部 只 瓶 杯 元 块 块钱 天 日 月 年 周 岁 号 度 分 分钟 小时 公里 千米 "
    "米 公斤 千克 克 吨 万 亿 千 百 十 % 数 数目 数量 量 额 值 数值 总数 总量 总额 总和 合计 总计 总 全部 所有 整体 总体 全体 "
    "整个 各 每 各个 每个 每一 各自 分别 不同 各种 各类 某 某个 另 另外 其他 其它 同 同样 一样 相同 一 一个 一下 一些 "
    "情况 结果 信息 数据 表 表格 表中 文件 记录 内容 问题 方面 角度 水平 程度 力度 幅度 规模 范围 区间 关系 特征 状况 现状 表现 明细 详情 清单 列表 名单 "
    "高 低 大 小 多 少 长 短 好 差 快 慢 贵 便宜 早 晚 新 旧 强 弱 热 冷 重 轻 主要 大致 大概 大约 约 左右 具体 详细 分别 一般 通常 普遍 "
    "产生 发生 出现 进行 完成 达到 超过 得到 获得 收到 来自 属于 位于 处于 存在 包含 包括 具有 拥有 占 占有 占据 造成 导致 带来 贡献 "
    "变化 发展 变动 走势 趋势 排名 排序 排列 顺序 降序 升序 名次 对比 相比 比 差 差异 差别 "
    "经手 经办 负责 处理 买 卖 花 花费 花了 消耗 用了 使用了 下 点 去 来 做了 打 打了 开 关 收 交 付 领 得了 获 拿 送 借 还 "
    "最近 目前 现在 当前 至今 以来 截至 起 开始 结束 "
    "图 图表 柱状 折线 饼 表示 呈现 可视化 标注 "
    "均 平均 人均 日均 月均 每人 每天 每日 每月 每年 每周 每次 每单 "
    "超 不到 不足 以上 以下 大于 小于 高于 低于 等于 "
    "成 型 式 性 者 员 者们 们 等 等等 约为 分布 样 款 场 回 趟 遍 组 队 班 层 级 段 "
    "人次 人数 次数 天数 个数 条数 笔数 单数 件数 家数 名称 名字 "
    "叫 叫做 称 名为 比例 比率 率 百分比 份额 最高 最低 最大 最小 最多 最少 第 首 末 "
    "客观 真实 实际 一直 经常 常 常常 往往 几乎 明显 显著 突出 "
    "受 欢迎 热门 流行 冷门 畅销 常见 集中 落在 分 分成 分为 拆分 细分 汇总 归类 单独 "
    "录入 登记 就行 即可 就好 "
    "最长 最短 最快 最慢 最贵 最便宜 最早 最晚 最新 最旧 总的 说 说说 讲讲 谈谈";
// clang-format on

const std::set<std::string>& english() {
    static const auto words = [] {
        std::set<std::string> out;
        std::istringstream in{std::string(kEnglish)};
        for (std::string word; in >> word;) {
            out.insert(stem_of(word));
            out.insert(word);
        }
        return out;
    }();
    return words;
}

const std::set<std::string>& chinese() {
    static const auto words = [] {
        std::set<std::string> out;
        std::istringstream in{std::string(kChinese)};
        for (std::string word; in >> word;) out.insert(word);
        return out;
    }();
    return words;
}

// ran, running, runs: the endings of a verb apart
bool is_form(const std::string& word) {
    static constexpr std::array<std::string_view, 4> kEndings = {"ing", "ed", "es", "ly"};
    return std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view ending) {
        if (word.size() < ending.size() + 3 || !word.ends_with(ending)) return false;
        std::string stem = word.substr(0, word.size() - ending.size());
        if (english().contains(stem) || english().contains(stem + "e")) return true;
        const bool is_double = stem.size() > 3 && stem[stem.size() - 1] == stem[stem.size() - 2];
        if (is_double) stem.pop_back();
        return is_double && english().contains(stem);
    });
}

}  // namespace

bool is_plain_word(const Token& token) {
    return english().contains(token.text) || english().contains(token.stem) || is_form(token.text);
}

std::size_t plain_length(const std::vector<Token>& tokens, std::size_t at) {
    constexpr std::size_t kLongest = 4;
    std::string word;
    std::size_t found = 0;
    for (std::size_t n = 1; n <= kLongest && at + n <= tokens.size(); ++n) {
        word += tokens[at + n - 1].text;
        if (chinese().contains(word)) found = n;
    }
    return found;
}

}  // namespace atl::offline
