"""The last set before the report, on two more new tables."""
from questions import Lead, pct, top

K = [
    (["how many tickets did each agent handle?"], lambda t: list(t.agent.value_counts())),
    (["average resolution time by priority"], lambda t: list(t.groupby("priority").resolution_hours.mean())),
    (["which agent is the fastest on average"], lambda t: [Lead(t.groupby("agent").resolution_hours.mean().idxmin())]),
    (["what share of tickets came in by phone"], lambda t: [pct((t.channel == "phone").sum(), len(t))]),
    (["average csat per channel"], lambda t: list(t.groupby("channel").csat.mean())),
    (["reopen rate by agent"], lambda t: [100 * v for v in t.groupby("agent").reopened.mean()]),
    (["tickets per month"], lambda t: list(t.groupby(t.created_at.dt.strftime("%Y-%m")).size())),
    (["at which hour do most tickets arrive?"], lambda t: [t.groupby(t.created_at.dt.hour).size().max()]),
    (["high priority tickets of Beth"], lambda t: [((t.priority == "high") & (t.agent == "Beth")).sum()]),
    (["how many tickets took more than 48 hours?"], lambda t: [(t.resolution_hours > 48).sum()]),
    (["how many csat scores are missing"], lambda t: [t.csat.isna().sum()]),
    (["median resolution hours for chat vs email"], lambda t: [t[t.channel == c].resolution_hours.median() for c in ("chat", "email")]),
    (["percentage of high priority tickets per channel"], lambda t: [100 * v for v in t.groupby("channel").priority.apply(lambda s: (s == "high").mean())]),
    (["is csat correlated with resolution hours"], lambda t: [round(t.csat.corr(t.resolution_hours), 3)]),
    (["bar chart of tickets by priority and channel"], lambda t: list(t.groupby(["priority", "channel"]).size()) + [".png"]),
    (["tickets created on Mondays"], lambda t: [(t.created_at.dt.day_of_week == 0).sum()]),
    (["average number of tickets per day"], lambda t: [t.groupby(t.created_at.dt.date).size().mean()]),
    (["worst rated agent"], lambda t: []),
]
Z = [
    (["哪家门店的营业额最高"], lambda t: [Lead(t.groupby("门店").实收金额.sum().idxmax())]),
    (["卖得最好的饮品是什么"], lambda t: []),
    (["每种饮品卖了多少杯"], lambda t: list(t.groupby("饮品").杯数.sum())),
    (["会员消费占总金额的比例"], lambda t: [pct(t[t.会员 == "是"].实收金额.sum(), t.实收金额.sum())]),
    (["各门店的平均评分"], lambda t: list(t.groupby("门店").评分.mean())),
    (["上午和晚上的销售额差多少"], lambda t: [t[t.时段 == k].实收金额.sum() for k in ("上午", "晚上")]),
    (["2024年2月的总收入"], lambda t: [t[t.日期.dt.strftime("%Y-%m") == "2024-02"].实收金额.sum()]),
    (["每周的销售额趋势图"], lambda t: [".png"]),
    (["评分为5的订单有多少"], lambda t: [(t.评分 == 5).sum()]),
    (["拿铁和美式哪个卖得多"], lambda t: []),
    (["周末的平均消费金额"], lambda t: [t[t.日期.dt.day_of_week >= 5].实收金额.mean()]),
    (["朝阳店各饮品的销量"], lambda t: list(t[t.门店 == "朝阳店"].groupby("饮品").杯数.sum())),
    (["金额最大的3笔订单"], lambda t: [t.实收金额.max()]),
    (["总共多少杯", "朝阳店呢"], lambda t: [t[t.门店 == "朝阳店"].杯数.sum()]),
]
CASES = [(name, talk, truth) for name, cases in [("tickets", K), ("cafe", Z)] for talk, truth in cases]
