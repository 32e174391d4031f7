"""Questions of an evaluator with a feature list and of a manager in a hurry: moulding batches, box scores, 快递运单."""
from held_back_7 import growth, month, outside
from held_back_22 import best, rate, ups
from wanted import AnyOf, CHART, Lead, REFUSAL

DAYS = {name: AnyOf(name, name[:3], f"周{zh}", f"星期{zh}") for name, zh in
        zip(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"], "一二三四五六日")}
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]


def listed(s):
    """The names of groups and their figures."""
    return [str(k) for k in s.index] + list(s)


def least(s):
    return Lead(s.idxmin(), s.min())


def many(rows, key):
    """How many: a row sent twice is counted twice or once."""
    return AnyOf(Lead(len(rows)), Lead(rows[key].nunique()))


def spoken(m):
    """A month as it may be written."""
    year, number = m.split("-")
    word = MONTHS[int(number) - 1]
    return AnyOf(m, f"{year}/{number}", f"{word} {year}", f"{word[:3]} {year}", f"{year}年{int(number)}月", f"{year}年{number}月")


def topmonth(s):
    return Lead(spoken(s.idxmax()), s.max())


def daily(s):
    return [DAYS[k] for k in s.index] + list(s)


def quarter(s):
    return s.dt.to_period("Q")


MOULDING = [
    # by the feature list
    (["What is the total number of good parts produced in 2024?"], lambda t: [Lead(t[t["Prod Date"].dt.year == 2024]["Good Qty"].sum())]),
    (["List the top 5 operators by good quantity."], lambda t: listed(t.groupby("Operator")["Good Qty"].sum().nlargest(5))),
    (["Show the three lines with the lowest average cycle time."], lambda t: listed(t.groupby("Line")["Cycle Time (s)"].mean().nsmallest(3))),
    (["Calculate the median downtime for each stop reason"], lambda t: listed(t.groupby("Stop Reason")["Downtime_min"].median())),
    (["How many batches failed the QC check?"], lambda t: [many(t[t["QC Result"] == "Fail"], "Batch No")]),
    (["How many distinct operators worked in the Porto plant?"], lambda t: [Lead(t[t.Plant == "Porto"].Operator.nunique())]),
    (["Plot the monthly scrap quantity for 2024 as a line chart."], lambda t: [CHART] + list(t[t["Prod Date"].dt.year == 2024].groupby(month(t["Prod Date"]))["Scrap Qty"].sum())),
    (["On which weekday is the average downtime the highest?"], lambda t: [(lambda s: Lead(DAYS[s.idxmax()], s.max()))(t.groupby(t["Prod Date"].dt.day_name())["Downtime_min"].mean())]),
    (["Quarter-over-quarter growth of energy consumption"], lambda t: list(ups(t.groupby(quarter(t["Prod Date"]))["Energy kWh"].sum()))),
    (["What share of the total scrap was made on the night shift?"], lambda t: [Lead(t[t.Shift == "Night"]["Scrap Qty"].sum() / t["Scrap Qty"].sum() * 100)]),
    (["Is the mould temperature correlated with the amount of scrap?"], lambda t: [t["Mould Temp C"].corr(t["Scrap Qty"])]),
    (["Detect outliers in the downtime column."], lambda t: [outside(t["Downtime_min"]), 480]),
    (["Which columns contain missing values, and how many each?"], lambda t: ["Operator", 13, "Mould Temp C", 38]),
    (["Check the data for duplicated records"], lambda t: [AnyOf(5, 10)]),
    (["Give me scrap as a percentage of planned quantity for each plant."], lambda t: [AnyOf(a, b) for a, b in zip(
        t.groupby("Plant")["Scrap Qty"].sum() / t.groupby("Plant")["Planned Qty"].sum() * 100, (t["Scrap Qty"] / t["Planned Qty"] * 100).groupby(t.Plant).mean())]),
    (["How much good quantity did line L2 make between 1 March 2024 and 31 May 2024?"], lambda t: [Lead(t[(t.Line == "L2") & t["Prod Date"].between("2024-03-01", "2024-05-31")]["Good Qty"].sum())]),
    (["How much energy did we use per year?", "and per quater?", "only Gdansk"], lambda t: list(t[t.Plant == "Gdansk"].groupby(quarter(t["Prod Date"]))["Energy kWh"].sum())),
    (["Draw a pie chart of downtime by stop reason for the late shift."], lambda t: [CHART] + [AnyOf(a, b) for a, b in (lambda s: zip(s, s / s.sum() * 100))(
        t[t.Shift == "Late"].groupby("Stop Reason")["Downtime_min"].sum().loc[["Breakdown", "Material", "Tool change"]])]),
    # in a hurry
    (["minutes lost to breakdowns in Gdansk, total"], lambda t: [Lead(t[(t["Stop Reason"] == "Breakdown") & (t.Plant == "Gdansk")]["Downtime_min"].sum())]),
    (["scrap 2nd half 2024 vs 2nd half 2023"], lambda t: [t[(t["Prod Date"].dt.year == y) & (t["Prod Date"].dt.month > 6)]["Scrap Qty"].sum() for y in (2023, 2024)]),
    (["wich part gets scrapped the most"], lambda t: [best(t.groupby("Part")["Scrap Qty"].sum())]),
    (["good qty by plant", "and by line?", "only 2023"], lambda t: listed(t[t["Prod Date"].dt.year == 2023].groupby("Line")["Good Qty"].sum())),
    (["total scrap at Porto", "and Leeds?", "now the average instead"], lambda t: [Lead(t[t.Plant == "Leeds"]["Scrap Qty"].mean())]),
    (["downtime per operator, worst ones first", "top 3 only", "as a bar chart"], lambda t: [CHART] + listed(t.groupby("Operator")["Downtime_min"].sum().nlargest(3))),
    (["why is Gdansk making so much scrap?"], lambda t: [REFUSAL]),
    (["scrap per supplier pls"], lambda t: [REFUSAL]),
    # 中文
    (["各班次的平均停机时间是多少?"], lambda t: listed(t.groupby("Shift")["Downtime_min"].mean())),
    (["2024年的报废数量比2023年增加了百分之几"], lambda t: [growth(*(t[t["Prod Date"].dt.year == y]["Scrap Qty"].sum() for y in (2023, 2024)))]),
    (["每条产线的能耗总和", "只看Porto"], lambda t: listed(t[t.Plant == "Porto"].groupby("Line")["Energy kWh"].sum())),
]

HOOPS = [
    # by the feature list
    (["Which player has scored the most points overall?"], lambda t: [best(t.groupby("player").PTS.sum())]),
    (["Top 5 players by total rebounds"], lambda t: listed(t.groupby("player").REB.sum().nlargest(5))),
    (["Show the bottom 3 teams by total assists."], lambda t: listed(t.groupby("team").AST.sum().nsmallest(3))),
    (["What is the median number of minutes played, by position?"], lambda t: listed(t.groupby("pos").MIN.median())),
    (["How many different games does the 2023-24 season have?"], lambda t: [Lead(t[t.season == "2023-24"].game_id.nunique())]),
    (["Average points for each day of the week"], lambda t: daily(t.groupby(t.game_date.dt.day_name()).PTS.mean())),
    (["By how much did the total number of fouls rise from the 2022-23 season to 2023-24?"], lambda t: [(lambda a, b: AnyOf(growth(a, b), b - a))(*(t[t.season == s].fouls.sum() for s in ("2022-23", "2023-24")))]),
    (["What percentage of all points was scored by guards?"], lambda t: [Lead(t[t.pos == "Guard"].PTS.sum() / t.PTS.sum() * 100)]),
    (["How many points per team?", "as a percentage of the total"], lambda t: listed(t.groupby("team").PTS.sum() / t.PTS.sum() * 100)),
    (["Plot a histogram of field goal percentage"], lambda t: [CHART]),
    (["Which month had the most total turnovers?"], lambda t: [topmonth(t.groupby(month(t.game_date)).TOV.sum())]),
    (["Do players with more minutes score more points?"], lambda t: [t.MIN.corr(t.PTS)]),
    (["What was the average score of players who were on court for more than 35 minutes after January 1, 2024?"], lambda t: [Lead(t[(t.MIN > 35) & (t.game_date > "2024-01-01")].PTS.mean())]),
    # in a hurry
    (["how many times did a player get 30 points or more?"], lambda t: [Lead((t.PTS >= 30).sum())]),
    (["most assists in away games, who?"], lambda t: [best(t[t.venue == "Away"].groupby("player").AST.sum())]),
    (["points scored against the comets, total"], lambda t: [Lead(t[t.opponent == "Comets"].PTS.sum())]),
    (["turnovers avg, Vipers vs Sabres"], lambda t: [t[t.team == x].TOV.mean() for x in ("Vipers", "Sabres")]),
    (["win rate by team"], lambda t: [AnyOf(a, b) for a, b in zip(rate(t, "team", "result", "W"), rate(t.drop_duplicates(["game_id", "team"]), "team", "result", "W"))]),
    (["avg points by team", "and by position?", "only home games", "and the median instead"], lambda t: listed(t[t.venue == "Home"].groupby("pos").PTS.median())),
    (["rebounds by team", "home games only", "as a bar chart"], lambda t: [CHART] + listed(t[t.venue == "Home"].groupby("team").REB.sum())),
    (["top 10 players by points", "just the top 4", "only the 2022-23 season"], lambda t: listed(t[t.season == "2022-23"].groupby("player").PTS.sum().nlargest(4))),
    (["total fouls by the Ravens", "what about Harbor?"], lambda t: [Lead(t[t.team == "Harbor"].fouls.sum())]),
    (["who is going to win the title next season?"], lambda t: [REFUSAL]),
    (["salary bill per team"], lambda t: [REFUSAL]),
    # 中文
    (["每支球队的场均篮板"], lambda t: [AnyOf(a, b) for a, b in zip(t.groupby("team").REB.mean(), t.groupby("team").REB.sum() / t.groupby("team").game_id.nunique())]),
    (["2024年1月一共有多少次助攻"], lambda t: [Lead(t[month(t.game_date) == "2024-01"].AST.sum())]),
    (["主场和客场的平均得分对比"], lambda t: listed(t.groupby("venue").PTS.mean())),
]

COURIER = [
    # 对照功能清单
    (["2024年的运费总额是多少?"], lambda t: [Lead(t[t["寄件日期"].dt.year == 2024]["运费(元)"].sum())]),
    (["列出运费总额最高的前3个寄件城市"], lambda t: listed(t.groupby("寄件城市")["运费(元)"].sum().nlargest(3))),
    (["按目的省份统计票数,显示最少的两个"], lambda t: listed(t["目的省份"].value_counts().nsmallest(2))),
    (["哪种产品的平均时效最短?"], lambda t: [least(t.groupby("产品类型")["时效(小时)"].mean())]),
    (["有没有重复的运单记录"], lambda t: [AnyOf(4, 8)]),
    (["一共有多少个不同的客户?"], lambda t: [Lead(t["客户编号"].nunique())]),
    (["按月统计运单数量,并画折线图"], lambda t: [CHART] + list(t.groupby(month(t["寄件日期"])).size())),
    (["2024年各季度运费的环比增长率"], lambda t: list(ups(t.groupby(quarter(t["寄件日期"]))["运费(元)"].sum()).loc["2024Q2":"2024Q4"])),
    (["各产品类型的运费占比"], lambda t: listed(t.groupby("产品类型")["运费(元)"].sum() / t["运费(元)"].sum() * 100)),
    (["重量和运费之间的相关系数"], lambda t: [t["重量(kg)"].corr(t["运费(元)"])]),
    (["时效有异常值吗?"], lambda t: [outside(t["时效(小时)"]), t["时效(小时)"].max()]),
    (["哪些字段有缺失值"], lambda t: ["年龄", t["年龄"].isna().sum(), "满意度", t["满意度"].isna().sum()]),
    (["重量超过15公斤并且延误的运单有几票?"], lambda t: [many(t[(t["重量(kg)"] > 15) & (t["是否延误"] == "是")], "运单号")]),
    (["请画出客户年龄的直方图"], lambda t: [CHART]),
    (["哪种客户类型的总运费最高?", "平均运费呢?"], lambda t: listed(t.groupby("客户类型")["运费(元)"].mean().nlargest(1))),
    # 赶时间
    (["延误率最高的是哪个城市"], lambda t: [best(t.groupby("寄件城市")["是否延误"].agg(lambda s: (s == "是").mean() * 100))]),
    (["星期几寄件最多"], lambda t: [(lambda s: Lead(DAYS[s.idxmax()], s.max()))(t["寄件日期"].dt.day_name().value_counts())]),
    (["女客户总运费", "男的呢"], lambda t: [Lead(t[t["性别"] == "男"]["运费(元)"].sum())]),
    (["各省运费", "只看2024年", "前三名就行"], lambda t: listed(t[t["寄件日期"].dt.year == 2024].groupby("目的省份")["运费(元)"].sum().nlargest(3))),
    (["各会员等级平均运费", "换成中位数", "做成柱状图"], lambda t: [CHART] + listed(t.groupby("会员等级")["运费(元)"].median())),
    (["上海寄了多少票", "深圳呢", "占全部的百分之几"], lambda t: [AnyOf(Lead((t["寄件城市"] == "深圳").mean() * 100), Lead((t.drop_duplicates()["寄件城市"] == "深圳").mean() * 100))]),
    (["下个月运费大概会是多少"], lambda t: [REFUSAL]),
    (["每个快递员派了多少件"], lambda t: [REFUSAL]),
    # English
    (["What is the average weight by product type?"], lambda t: listed(t.groupby("产品类型")["重量(kg)"].mean())),
    (["How many parcels were delayed?"], lambda t: [many(t[t["是否延误"] == "是"], "运单号")]),
    (["total complains by membership level"], lambda t: listed(t.groupby("会员等级")["投诉次数"].sum())),
    (["avg satisfaction of women", "what about men?"], lambda t: [Lead(t[t["性别"] == "男"]["满意度"].mean())]),
    (["total freight by year", "and by quarter?", "as a chart"], lambda t: [CHART] + list(t.groupby(quarter(t["寄件日期"]))["运费(元)"].sum())),
    (["what should we do to get fewer complaints?"], lambda t: [REFUSAL]),
]

CASES = [(name, asked, truth) for name, cases in [("moulding_29", MOULDING), ("hoops_29", HOOPS), ("courier_zh_29", COURIER)] for asked, truth in cases]
