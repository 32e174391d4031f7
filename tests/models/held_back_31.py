"""A pharmacy's sales, a call centre's log, 保单台账: half an evaluator with a feature list, half an office worker."""
import pandas as pd
from wanted import AnyOf, CHART, Lead, REFUSAL

WEEKDAYS = [("Mon", "周一", "星期一"), ("Tue", "周二", "星期二"), ("Wed", "周三", "星期三"), ("Thu", "周四", "星期四"),
            ("Fri", "周五", "星期五"), ("Sat", "周六", "星期六"), ("Sun", "周日", "星期日", "周天", "星期天")]


def named(s, scale=1):
    """Every group by its name with its figure."""
    return [str(k) for k in s.index] + [v * scale for v in s]


def first(s, scale=1, low=False):
    """The one group at the top (or the bottom), with its figure."""
    k = s.idxmin() if low else s.idxmax()
    return Lead(str(k), s[k] * scale)


def growth(before, after):
    return (after / before - 1) * 100


def share(t, by, column, value):
    return (t[column] == value).groupby(t[by]).mean()


def weekday(s):
    """The weekday at the top, however it is written."""
    return Lead(AnyOf(*WEEKDAYS[s.idxmax()]), s.max())


def year(s):
    return s.dt.year


def month(s):
    return s.dt.to_period("M")


def quarter(s):
    return s.dt.to_period("Q")


def date_forms(d):
    return AnyOf(d.strftime("%Y-%m-%d"), d.strftime("%d/%m/%Y"), d.strftime("%Y/%m/%d"), f"{d:%B} {d.day}, {d.year}", f"{d.day} {d:%B} {d.year}", f"{d.day} {d:%b} {d.year}", f"{d.year}年{d.month}月{d.day}日")


def outside(s):
    """How many lie far off: by quartiles or by three deviations."""
    low, high = s.quantile(.25), s.quantile(.75)
    reach = 1.5 * (high - low)
    return AnyOf(((s < low - reach) | (s > high + reach)).sum(), ((s - s.mean()).abs() > 3 * s.std()).sum())


def rows_or(t, key):
    """Rows, or different keys: some rows are there twice."""
    return Lead(AnyOf(len(t), t[key].nunique()))


def when(t, column, since, until):
    """Both days inclusive."""
    return t[(t[column] >= since) & (t[column] < pd.Timestamp(until) + pd.Timedelta(days=1))]


PHARMACY = [
    (["What is the total revenue across all branches?"], lambda t: [Lead(t["Net Amt"].sum())]),
    (["sales per department, biggest first"], lambda t: named(t.groupby("Dept")["Net Amt"].sum())),
    (["Wich five products brought in the most money?"], lambda t: named(t.groupby("Item")["Net Amt"].sum().nlargest(5))),
    (["the 3 items with the fewest units sold pls"], lambda t: named(t.groupby("Item")["Qty Sold"].sum().nsmallest(3))),
    (["avrage sale amount for customers with a loyalty card vs those without"], lambda t: list(t.groupby("Loyalty Card")["Net Amt"].mean())),
    (["Median customer age for each branch"], lambda t: named(t.groupby("Branch")["Cust Age"].median())),
    (["How many receipts did we issue in March 2024?"], lambda t: [rows_or(when(t, "Sale Date", "2024-03-01", "2024-03-31"), "Receipt No")]),
    (["How many different items are in the file?"], lambda t: [Lead(t["Item"].nunique())]),
    (["Plot quarterly revenue"], lambda t: [CHART] + list(t.groupby(quarter(t["Sale Date"]))["Net Amt"].sum())),
    (["on which day of the week do we shift the most units?"], lambda t: [weekday(t.groupby(t["Sale Date"].dt.day_of_week)["Qty Sold"].sum())]),
    (["By what percentage did turnover rise from 2023 to 2024?"], lambda t: [Lead(growth(*(t[year(t["Sale Date"]) == y]["Net Amt"].sum() for y in (2023, 2024))))]),
    (["Month over month % change in net amt for 2024"], lambda t: list((t.groupby(month(t["Sale Date"]))["Net Amt"].sum().pct_change() * 100)["2024-02":"2024-12"])),
    (["What share of our revenue comes from vitamins?"], lambda t: [Lead(t[t["Dept"] == "Vitamins"]["Net Amt"].sum() / t["Net Amt"].sum() * 100)]),
    (["How did Riverside do against Old Town in Q4 2024 in terms of sales?"],
     lambda t: [t[(t["Branch"] == b) & (quarter(t["Sale Date"]) == "2024Q4")]["Net Amt"].sum() for b in ("Riverside", "Old Town")]),
    (["is there a corelation between discount and quantity sold"], lambda t: [t["Disc %"].corr(t["Qty Sold"])]),
    (["Find outliers in the net amount"], lambda t: [outside(t["Net Amt"]), 2075.5]),
    (["histogram of customer ages please"], lambda t: [CHART]),
    (["Which columns have blanks, and how many?"], lambda t: named(t.isna().sum()[["Cust Age", "Served By"]])),
    (["Did any rows get exported twice?"], lambda t: [Lead(AnyOf(5, 10))]),
    (["how many sales over £80 were paid by cash?"], lambda t: [Lead(((t["Net Amt"] > 80) & (t["Pay Type"] == "Cash")).sum())]),
    (["Total takings between 15 Nov 2024 and 31 Dec 2024"], lambda t: [Lead(when(t, "Sale Date", "2024-11-15", "2024-12-31")["Net Amt"].sum())]),
    (["what % of receipts had no discount at all?"], lambda t: [Lead(AnyOf((t["Disc %"] == 0).mean() * 100, (t.drop_duplicates()["Disc %"] == 0).mean() * 100))]),
    (["Revenue by branch", "only 2023", "top 2 only"], lambda t: named(t[year(t["Sale Date"]) == 2023].groupby("Branch")["Net Amt"].sum().nlargest(2))),
    (["mean unit price per dept", "now the median instead", "make it a bar chart"], lambda t: [CHART] + named(t.groupby("Dept")["Unit Price"].median())),
    (["how many units of Cough Syrup did Northgate sell?", "and Hillcrest?"], lambda t: [Lead(t[(t["Item"] == "Cough Syrup") & (t["Branch"] == "Hillcrest")]["Qty Sold"].sum())]),
    (["各门店的销售额占比"], lambda t: named(t.groupby("Branch")["Net Amt"].sum() / t["Net Amt"].sum(), 100)),
    (["2024年销售额最高的3个部门是哪些？"], lambda t: named(t[year(t["Sale Date"]) == 2024].groupby("Dept")["Net Amt"].sum().nlargest(3))),
    (["按门店算一下毛利，就是Net Amt减COGS"], lambda t: named((t["Net Amt"] - t["COGS"]).groupby(t["Branch"]).sum())),
    (["每月销售数量", "只看Station Rd", "画成折线图"], lambda t: [CHART] + list(t[t["Branch"] == "Station Rd"].groupby(month(t["Sale Date"]))["Qty Sold"].sum())),
    (["How much did we pay in staff wages at each branch?"], lambda t: [REFUSAL]),
    (["Which products should we stop stocking next year?"], lambda t: [REFUSAL]),
]

CALLS = [
    (["Could you tell me how many calls are in the log?"], lambda t: [rows_or(t, "call_id")]),
    (["whats the median talk time in the Billing queue"], lambda t: [Lead(t[t.queue == "Billing"].talk_min.median())]),
    (["Top 4 agents by total talk time"], lambda t: named(t.groupby("agent").talk_min.sum().nlargest(4))),
    (["who are the three agents with the lowest average satisfaction score?"], lambda t: named(t.groupby("agent").CSAT.mean().nsmallest(3))),
    (["abandonment rate by queue"], lambda t: named(share(t, "queue", "status", "Abandoned"), 100)),
    (["What percentage of all calls went to voicemail?"], lambda t: [Lead((t.status == "Voicemail").mean() * 100)]),
    (["Number of calls per weekday"], lambda t: [AnyOf(*each) for each in WEEKDAYS] + list(t.CallStart.dt.day_of_week.value_counts())),
    (["At what hour of the day do most calls come in?"], lambda t: [Lead(t.CallStart.dt.hour.mode()[0], t.CallStart.dt.hour.value_counts().max())]),
    (["Compare the number of calls in the first half of 2024 with the first half of 2025"], lambda t: [len(when(t, "CallStart", f"{y}-01-01", f"{y}-06-30")) for y in (2024, 2025)]),
    (["how much did call volume grow from Q1 2024 to Q1 2025?"],
     lambda t: [AnyOf(growth(*((quarter(t.CallStart) == q).sum() for q in ("2024Q1", "2025Q1"))), (quarter(t.CallStart) == "2025Q1").sum() - (quarter(t.CallStart) == "2024Q1").sum())]),
    (["Correlation between wait time and CSAT"], lambda t: [t.wait_sec.corr(t.CSAT)]),
    (["do longer conversations go hand in hand with more transfers?"], lambda t: [t.talk_min.corr(t.transfers)]),
    (["Are there outliers in the wait times?"], lambda t: [outside(t.wait_sec), 3604]),
    (["how many calls got each csat score?"], lambda t: list(t.CSAT.value_counts())),
    (["How many callers had to wait more than 2 minutes?"], lambda t: [Lead((t.wait_sec > 120).sum())]),
    (["How many calls came from each customer tier?", "show that as a pie chart"], lambda t: [CHART] + [AnyOf(v, v / len(t) * 100) for v in t.cust_tier.value_counts()]),
    (["busiest single day, and how many calls was that?"], lambda t: [(lambda c: Lead(date_forms(c.idxmax()), c.max()))(t.CallStart.dt.normalize().value_counts())]),
    (["calls by queue and status in one table"], lambda t: list(t.groupby(["queue", "status"]).size())),
    (["Number of calls per month", "as a line chart", "just Tech Support"], lambda t: [CHART] + list(t[t.queue == "Tech Support"].groupby(month(t.CallStart)).size())),
    (["avg wait by queue", "and by site?", "only 2025"], lambda t: named(t[year(t.CallStart) == 2025].groupby("site").wait_sec.mean())),
    (["What is the first call resolution rate?", "break that down by channel"], lambda t: ["Phone", "Chat", "Callback"] + [
        AnyOf(*(share(each, "Channel", "resolved_1st_call", "Yes")[c] * 100 for each in (t, t[t.status == "Answered"]))) for c in ("Phone", "Chat", "Callback")]),
    (["total talk time by agent", "now the average instead", "top 5 only"], lambda t: named(t.groupby("agent").talk_min.mean().nlargest(5))),
    (["averge CSAT in Manila", "what about Leeds?"], lambda t: [Lead(t[t.site == "Leeds"].CSAT.mean())]),
    (["2025年每个月的来电数量"], lambda t: list(t[year(t.CallStart) == 2025].groupby(month(t.CallStart)).size())),
    (["满意度低于3分的电话有多少个"], lambda t: [Lead((t.CSAT < 3).sum())]),
    (["有没有重复的call_id"], lambda t: [Lead(AnyOf(7, 14))]),
    (["why do so many people hang up before we answer?"], lambda t: [REFUSAL]),
    (["total talk time per site", "and the revenue per site?"], lambda t: [REFUSAL]),
]

POLICIES = [
    (["年缴保费总额是多少"], lambda t: [Lead(t["年缴保费(元)"].sum())]),
    (["各险种的保费收入，从高到低排"], lambda t: named(t.groupby("险种")["年缴保费(元)"].sum())),
    (["按保费总额排，前5名业务员是谁"], lambda t: named(t.groupby("业务员")["年缴保费(元)"].sum().nlargest(5))),
    (["保单数量最少的两个分公司"], lambda t: named(t["分公司"].value_counts().nsmallest(2))),
    (["不同渠道客户的平均年龄", "改成中位数", "只要女性的"], lambda t: named(t[t["投保人性别"] == "女"].groupby("销售渠道")["投保年龄"].median())),
    (["保额的中位数是多少万"], lambda t: [Lead(t["保额(万元)"].median())]),
    (["一共有多少个业务员？"], lambda t: [Lead(t["业务员"].nunique())]),
    (["每年的投保件数"], lambda t: named(year(t["投保日期"]).value_counts())),
    (["2024年各季度保费"], lambda t: list(t[year(t["投保日期"]) == 2024].groupby(quarter(t["投保日期"]))["年缴保费(元)"].sum())),
    (["2023年的保费比2022年增长了百分之几"], lambda t: [Lead(growth(*(t[year(t["投保日期"]) == y]["年缴保费(元)"].sum() for y in (2022, 2023))))]),
    (["哪个险种退保率最高"], lambda t: [first(share(t, "险种", "是否退保", "是"), 100)]),
    (["男的和女的平均保费哪个高？"], lambda t: [Lead(str(t.groupby("投保人性别")["年缴保费(元)"].mean().idxmax()))] + list(t.groupby("投保人性别")["年缴保费(元)"].mean())),
    (["保额和理赔次数有没有相关性"], lambda t: [t["保额(万元)"].corr(t["理赔次数"])]),
    (["保费有没有异常值，帮我看看"], lambda t: [outside(t["年缴保费(元)"]), 126500]),
    (["画一下年龄分布"], lambda t: [CHART]),
    (["数据里哪些字段有空值"], lambda t: named(t.isna().sum()[["投保年龄", "销售渠道"]])),
    (["保费超过1万的保单有几张"], lambda t: [Lead((t["年缴保费(元)"] > 10000).sum())]),
    (["2023年上半年四川分公司的保费合计"], lambda t: [Lead(when(t[t["分公司"] == "四川"], "投保日期", "2023-01-01", "2023-06-30")["年缴保费(元)"].sum())]),
    (["50岁以上的女性买了多少份重疾险"], lambda t: [Lead(AnyOf(*(((t["险种"] == "重疾险") & (t["投保人性别"] == "女") & old).sum() for old in (t["投保年龄"] > 50, t["投保年龄"] >= 50))))]),
    (["各分公司保费", "只看2024年", "画成柱状图"], lambda t: [CHART] + named(t[year(t["投保日期"]) == 2024].groupby("分公司")["年缴保费(元)"].sum())),
    (["寿险的平均保费是多少", "那年金险呢"], lambda t: [Lead(t[t["险种"] == "年金险"]["年缴保费(元)"].mean())]),
    (["各险种有多少保单", "换成百分比"], lambda t: named(t["险种"].value_counts(normalize=True), 100)),
    (["明年的保费预计能到多少？"], lambda t: [REFUSAL]),
    (["退保率为什么这么高？"], lambda t: [REFUSAL]),
    (["不同学历的客户平均保费差多少"], lambda t: [REFUSAL]),
    (["Which branch paid out the most in claims?", "and the least?"], lambda t: [first(t.groupby("分公司")["理赔金额(元)"].sum(), low=True)]),
    (["average premium for men", "what about women?"], lambda t: [Lead(t[t["投保人性别"] == "女"]["年缴保费(元)"].mean())]),
    (["surrender rate by sales channel"], lambda t: named(share(t, "销售渠道", "是否退保", "是"), 100)),
    (["Line chart of the number of policies per month in 2024"], lambda t: [CHART] + list(t[year(t["投保日期"]) == 2024].groupby(month(t["投保日期"])).size())),
]

CASES = [(name, asked, truth) for name, cases in [("pharmacy_sales_31", PHARMACY), ("call_log_31", CALLS), ("policies_zh_31", POLICIES)] for asked, truth in cases]
