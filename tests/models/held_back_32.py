"""A charity's donations, charging sessions of electric cars, 采购订单: what a product's reviewer tries."""
from held_back_31 import WEEKDAYS, first, growth, month, named, outside, quarter, year
from wanted import AnyOf, CHART, Lead, REFUSAL


def row_of(t, column, key, low=False):
    """The greatest (or least) value and the row that holds it."""
    i = t[column].idxmin() if low else t[column].idxmax()
    return [t.loc[i, column], str(t.loc[i, key])]


def changed(before, after):
    """By how much, in percent or as a difference; a fall may be told with or without its sign."""
    return [AnyOf(*(sign * v for v in (growth(before, after), after - before) for sign in ((1, -1) if after < before else (1,))))]


DONATIONS = [
    (["What is the total amount donated?"], lambda t: [Lead(t["Amount"].sum())]),
    (["amount raised by campaign"], lambda t: named(t.groupby("Campaign")["Amount"].sum())),
    (["Could you please show me the ten donors who gave the most in total?"], lambda t: named(t.groupby("Donor")["Amount"].sum().nlargest(10))),
    (["What's the average gift from companies compared with individuals?"], lambda t: list(t.groupby("Donor Type")["Amount"].mean()[["Company", "Individual"]])),
    (["How many donations did we receive in 2024?"], lambda t: [Lead((year(t["Date"]) == 2024).sum())]),
    (["Monthly donation totals for 2024 as a line chart"], lambda t: [CHART] + list(t[year(t["Date"]) == 2024].groupby(month(t["Date"]))["Amount"].sum())),
    (["What share of the money came in through the website?"], lambda t: [Lead(t[t["Channel"] == "Website"]["Amount"].sum() / t["Amount"].sum() * 100)]),
    (["how many different donors do we have"], lambda t: [Lead(t["Donor"].nunique())]),
    (["By how many percent did the donated amount change from Q1 2024 to Q2 2024?"], lambda t: [Lead(growth(*(t[quarter(t["Date"]) == q]["Amount"].sum() for q in ("2024Q1", "2024Q2"))))]),
    (["Is donor age correlated with the amount given?"], lambda t: [t["Donor Age"].corr(t["Amount"])]),
    (["wich columns have missing values and how many are missing in each"], lambda t: named(t.isna().sum()[["Donor Age", "Region", "Channel"]])),
    (["What was the largest single donation, and which donor made it?"], lambda t: row_of(t, "Amount", "Donor")),
    (["median donation by region"], lambda t: named(t.groupby("Region")["Amount"].median())),
    (["Total amount by channel", "and by region?"], lambda t: named(t.groupby("Region")["Amount"].sum())),
    (["How many gifts above $500 were made by phone?"], lambda t: [Lead(((t["Amount"] > 500) & (t["Channel"] == "Phone")).sum())]),
    (["% of donations that are recurring"], lambda t: [Lead((t["Recurring"] == "Yes").mean() * 100)]),
    (["各地区的捐款总额"], lambda t: named(t.groupby("Region")["Amount"].sum())),
    (["2023年筹款金额最高的三个活动是哪些？"], lambda t: named(t[year(t["Date"]) == 2023].groupby("Campaign")["Amount"].sum().nlargest(3))),
    (["How much did each volunteer raise?"], lambda t: [REFUSAL]),
]

CHARGING = [
    (["sessions per city"], lambda t: named(t["city"].value_counts())),
    (["Top 3 stations by energy delivered"], lambda t: named(t.groupby("station")["energy_kwh"].sum().nlargest(3))),
    (["Average cost of a session for members versus non-members"], lambda t: list(t.groupby("is_member")["cost_eur"].mean())),
    (["What is the median duration on the DC 150kW chargers?"], lambda t: [Lead(t[t["charger_type"] == "DC 150kW"]["duration_min"].median())]),
    (["Number of sessions by day of the week, as a bar chart"], lambda t: [CHART] + list(t["start_time"].dt.day_of_week.value_counts()) + [AnyOf(*each) for each in WEEKDAYS]),
    (["Are there any outliers in the session duration?"], lambda t: [outside(t["duration_min"]), 1822]),
    (["Is there a relationship between duration and energy?"], lambda t: [t["duration_min"].corr(t["energy_kwh"])]),
    (["What percentage of sessions started with the battery below 20% (start_soc)?"], lambda t: [Lead((t["start_soc"] < 20).mean() * 100)]),
    (["How much revenue did we make in July 2024?"], lambda t: [Lead(t[month(t["start_time"]) == "2024-07"]["cost_eur"].sum())]),
    (["Which vehicle model takes the most energy on average?"], lambda t: [first(t.groupby("vehicle_model")["energy_kwh"].mean())]),
    (["what was the cheapest session and what did it cost?"], lambda t: row_of(t, "cost_eur", "session_id", low=True)),
    (["Avg rating by charger type", "as a bar chart please"], lambda t: [CHART] + named(t.groupby("charger_type")["rating"].mean())),
    (["energy by month", "only Porto"], lambda t: list(t[t["city"] == "Porto"].groupby(month(t["start_time"]))["energy_kwh"].sum())),
    (["how many sessions lasted longer than 60 minutes and cost less than 20 euros?"], lambda t: [Lead(((t["duration_min"] > 60) & (t["cost_eur"] < 20)).sum())]),
    (["Show me the distribution of energy_kwh"], lambda t: [CHART]),
    (["I would like to compare total revenue in Lyon and Turin, please"], lambda t: list(t.groupby("city")["cost_eur"].sum()[["Lyon", "Turin"]])),
    (["每个城市的平均充电时长"], lambda t: named(t.groupby("city")["duration_min"].mean())),
    (["会员的充电次数占比是多少？"], lambda t: [t["is_member"].mean() * 100]),
    (["What will the weather be like in Porto tomorrow?"], lambda t: [REFUSAL]),
]

PURCHASES = [
    (["采购总金额是多少？"], lambda t: [Lead(t["采购金额(元)"].sum())]),
    (["采购金额排名前5的供应商"], lambda t: named(t.groupby("供应商")["采购金额(元)"].sum().nlargest(5))),
    (["2024年每个月的采购金额，画个折线图"], lambda t: [CHART] + list(t[year(t["下单日期"]) == 2024].groupby(month(t["下单日期"]))["采购金额(元)"].sum())),
    (["加急订单占多少比例？"], lambda t: [Lead((t["是否加急"] == "是").mean() * 100)]),
    (["哪家供应商平均到货最慢？"], lambda t: [first(t.groupby("供应商")["到货天数"].mean())]),
    (["到货天数的中位数"], lambda t: [Lead(t["到货天数"].median())]),
    (["单笔金额超过5万元的订单有多少个"], lambda t: [Lead((t["采购金额(元)"] > 50000).sum())]),
    (["2024年二季度的采购金额比一季度增长了多少"], lambda t: changed(*(t[quarter(t["下单日期"]) == q]["采购金额(元)"].sum() for q in ("2024Q1", "2024Q2")))),
    (["数量和单价之间有关系吗？"], lambda t: [t["数量"].corr(t["单价(元)"])]),
    (["帮我看下哪些列有缺失值"], lambda t: named(t.isna().sum()[["到货天数", "合格率", "采购员"]])),
    (["各物料类别的采购金额", "那按事业部呢？"], lambda t: named(t.groupby("事业部")["采购金额(元)"].sum())),
    (["金额最大的一笔采购是哪一单，是哪个供应商的？"], lambda t: row_of(t, "采购金额(元)", "采购单号") + row_of(t, "采购金额(元)", "供应商")[1:]),
    (["一共有多少家供应商"], lambda t: [Lead(t["供应商"].nunique())]),
    (["各供应商的付款账期是多少天？"], lambda t: [REFUSAL]),
    (["Average pass rate (合格率) by supplier"], lambda t: named(t.groupby("供应商")["合格率"].mean())),
    (["total spend by material category", "show it as a pie chart"], lambda t: [CHART] + [AnyOf(v, v / t["采购金额(元)"].sum() * 100) for v in t.groupby("物料类别")["采购金额(元)"].sum()]),
    (["how many orders are still in transit (在途)?"], lambda t: [Lead((t["订单状态"] == "在途").sum())]),
]

CASES = [(name, asked, truth) for name, cases in [("donations_32", DONATIONS), ("ev_charging_32", CHARGING), ("purchase_zh_32", PURCHASES)] for asked, truth in cases]
