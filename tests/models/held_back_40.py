"""A hundred questions about four tables of their own, half of them in Chinese, by someone who never saw how the
analyst works. What the tables do not hold it must refuse: those truths are refusals."""
import pandas as pd
from held_back_34 import month, named
from held_back_36 import change, in_year
from wanted import CHART, REFUSAL, AnyOf, Lead

WEEKDAYS = [("Monday", "星期一", "周一"), ("Tuesday", "星期二", "周二"), ("Wednesday", "星期三", "周三"),
            ("Thursday", "星期四", "周四"), ("Friday", "星期五", "周五"), ("Saturday", "星期六", "周六"),
            ("Sunday", "星期日", "周日")]


def between(t, column, first, end):
    return t[(t[column] >= first) & (t[column] < end)]


def quarters(t, column, year, measure):
    held = in_year(t, column, year)
    return [*held.groupby(held[column].dt.quarter)[measure].sum()]


def unless_asked(wanted):
    """All of these, or it asks back."""
    return [AnyOf(each, REFUSAL) for each in wanted]


def named_or_numbered(animal):
    return animal["animal_id"] if pd.isna(animal["name"]) else AnyOf(animal["animal_id"], animal["name"])


def oldest_of_each(t):
    oldest = [t.loc[i] for i in t.groupby("species")["age_years"].idxmax()]
    return [*map(named_or_numbered, oldest), *(animal["age_years"] for animal in oldest)]


def first_still_here(t):
    here = t[t["outcome"] == "still here"]
    return [named_or_numbered(here.loc[here["intake_date"].idxmin()])]


def steepest_month(t):
    by_month = t.groupby(month(t, "Departure"))["Passengers"].sum()
    found = [by_month.diff().idxmax(), by_month.pct_change().idxmax()]
    return [AnyOf(*(Lead(label) for m in found for label in (m, pd.Timestamp(m).strftime("%B %Y"), pd.Timestamp(m).strftime("%b %Y"))))]


def best_day(t):
    may = t[month(t, "日期") == "2024-05"]
    by_day, single = may.groupby("日期")["产量(件)"].sum().idxmax(), may.loc[may["产量(件)"].idxmax(), "日期"]
    return [AnyOf(*(Lead(label) for d in (by_day, single) for label in (str(d.date()), f"{d.year}年{d.month}月{d.day}日", f"{d.month}月{d.day}日")))]


def best_coach_of_each(t):
    fees = t.groupby(["门店", "教练"])["课时费(元)"].sum()
    best = fees.groupby("门店").idxmax()
    return [item for shop, coach in best for item in (shop, coach, fees[shop, coach])]


def rate(t, key, part, whole):
    summed = t.groupby(key)[[part, whole]].sum()
    return summed[part] / summed[whole]


# What follows a case says what kind of question it is.
SHELTER = [
    (["How many animals came in altogether?"], lambda t: [Lead(len(t))]),  # count
    (["dogs taken in during 2024, how many"], lambda t: [Lead((in_year(t, "intake_date", 2024)["species"] == "dog").sum())]),  # filter
    (["what's the average age of the cats"], lambda t: [Lead(t[t["species"] == "cat"]["age_years"].mean())]),  # average
    (["adoption fees by species pls"], lambda t: [AnyOf(a, b, REFUSAL) for a, b in zip(*(named(t.groupby("species")["adoption_fee_usd"].agg(f)) for f in ("sum", "mean")))]),  # ambiguous
    (["Whats our adoption rate? I mean how many percent of all the animals got adopted"], lambda t: [AnyOf(Lead((t["outcome"] == "adopted").mean() * 100), Lead((t[t["outcome"] != "still here"]["outcome"] == "adopted").mean() * 100))]),  # share
    (["how many strays were vacinated"], lambda t: [Lead(((t["intake_reason"] == "stray") & (t["vaccinated"] == "yes")).sum())]),  # misspelling
    (["Which species was never seized?"], lambda t: [Lead("rabbit")]),  # never
    (["How many days does an adopted dog stay with us on average, from intake to outcome?"], lambda t: [Lead((lambda d: (d["outcome_date"] - d["intake_date"]).dt.days.mean())(t[(t["species"] == "dog") & (t["outcome"] == "adopted")]))]),  # date
    (["Of the animals that are still here, which one came in first?"], first_still_here),  # extreme
    (["top 5 heaviest dogs"], lambda t: [*t[t["species"] == "dog"]["weight_kg"].nlargest(5)]),  # top
    (["list the cats with no age"], lambda t: [*t[(t["species"] == "cat") & t["age_years"].isna()]["animal_id"]]),  # missing
    (["Draw me a bar chart of intakes per month for 2024"], lambda t: [CHART, *in_year(t, "intake_date", 2024).groupby(month(in_year(t, "intake_date", 2024), "intake_date")).size()]),  # chart
    (["intakes by reason", "and just the cats?"], lambda t: named(t[t["species"] == "cat"].groupby("intake_reason").size())),  # follow-up
    (["How many rabbits came in in 2023?", "and in 2024?"], lambda t: [Lead((in_year(t, "intake_date", 2024)["species"] == "rabbit").sum())]),  # follow-up
    (["How many animals were adopted in May 2024?"], lambda t: [AnyOf(Lead(((month(t, "outcome_date") == "2024-05") & (t["outcome"] == "adopted")).sum()), REFUSAL)]),  # ambiguous
    (["weight by species"], lambda t: unless_asked(named(t.groupby("species")["weight_kg"].mean()))),  # ambiguous
    (["Median adoption fee?"], lambda t: [Lead(t["adoption_fee_usd"].median())]),  # median
    (["Hi! I'm writing the newsletter and need to know which breed of dog we see the most, thanks"], lambda t: [Lead(t[t["species"] == "dog"]["breed"].value_counts().idxmax())]),  # extreme
    (["Oldest animal of each species"], oldest_of_each),  # extreme per group
    (["How many animals are heavier than the average for their own species?"], lambda t: [Lead((t["weight_kg"] > t.groupby("species")["weight_kg"].transform("mean")).sum())]),  # above group
    (["how old is Biscuit"], lambda t: [Lead(t.loc[t["name"] == "Biscuit", "age_years"].item())]),  # look-up
    (["Why do so many owners give up their pets?"], lambda t: [REFUSAL]),  # refusal
    (["Which volunteer walked the most dogs?"], lambda t: [REFUSAL]),  # refusal
    (["How many kittens should we expect next spring?"], lambda t: [REFUSAL]),  # refusal
    (["2024年一共收进来多少只动物"], lambda t: [AnyOf(Lead(len(in_year(t, "intake_date", 2024))), REFUSAL)]),  # filter
    (["Do animals with a microchip go back to their owner more often?"], lambda t: [REFUSAL]),  # refusal
]

FERRIES = [
    (["What will our diesel bill be next year?"], lambda t: [REFUSAL]),  # refusal
    (["passengers and vehicles by route"], lambda t: [*named(t.groupby("Route")["Passengers"].sum()), *t.groupby("Route")["Vehicles"].sum()]),  # total
    (["avarage pasengers per crosing for Puffin"], lambda t: [Lead(t[t["Vessel"] == "Puffin"]["Passengers"].mean())]),  # misspelling
    (["What percentage of crossings on the Late Link got cancelled?"], lambda t: [Lead((t[t["Route"] == "Late Link"]["Status"] == "cancelled").mean() * 100)]),  # share
    (["total fuel per vessel in summer 2024 (June-August)"], lambda t: named(between(t, "Departure", "2024-06-01", "2024-09-01").groupby("Vessel")["Fuel (l)"].sum())),  # date
    (["Which vessel never did the Late Link?"], lambda t: [Lead("Kittiwake")]),  # never
    (["top 3 skippers by vehicles carried"], lambda t: named(t.groupby("Skipper")["Vehicles"].sum().nlargest(3))),  # top
    (["What was the coldest water we measured, and on which day?"], lambda t: [t["Water temp (C)"].min(), str(t.loc[t["Water temp (C)"].idxmin(), "Departure"].date())]),  # extreme
    (["line chart of the average water temp per month"], lambda t: [CHART, t.groupby(month(t, "Departure"))["Water temp (C)"].mean().max()]),  # chart
    (["How many crossings were more than 20 minutes late with wind over 25 knots?"], lambda t: [Lead(((t["Delay (min)"] > 20) & (t["Wind (kn)"] > 25)).sum())]),  # filter
    (["Does wind make us late?"], lambda t: [AnyOf(round(t["Wind (kn)"].corr(t["Delay (min)"]), 3), REFUSAL)]),  # correlation
    (["compare Gannet and Puffin on litres of fuel per passenger"], lambda t: unless_asked([*rate(t, "Vessel", "Fuel (l)", "Passengers")[["Gannet", "Puffin"]]])),  # comparison
    (["passengers per quarter in 2024", "now the vehicles"], lambda t: quarters(t, "Departure", 2024, "Vehicles")),  # follow-up
    (["In which month did passenger numbers grow the most compared to the month before?"], steepest_month),  # growth
    (["how did passengers change from 2023 to 2024"], lambda t: [(lambda a, b: AnyOf(b - a, change(a, b)))(*(in_year(t, "Departure", y)["Passengers"].sum() for y in (2023, 2024)))]),  # growth
    (["How many of the crossings in the log were on a weekend?"], lambda t: [Lead((t["Departure"].dt.day_of_week >= 5).sum())]),  # date
    (["Which columns have gaps in them and how many?"], lambda t: [item for c, k in t.isna().sum().items() if k for item in (c, k)]),  # missing
    (["show me the crossings with a medical incident"], lambda t: [*t[t["Incident"] == "medical"]["Departure"].dt.strftime("%Y-%m-%d")]),  # list
    (["what's the biggest number of passengers each vessel ever had on board"], lambda t: named(t.groupby("Vessel")["Passengers"].max())),  # extreme per group
    (["fuel Tern 2023"], lambda t: [AnyOf(Lead((lambda d: d[d["Vessel"] == "Tern"]["Fuel (l)"].sum())(in_year(t, "Departure", 2023))), REFUSAL)]),  # ambiguous
    (["How many empty seats did we sail with?"], lambda t: [REFUSAL]),  # refusal
    (["why was the Tern so late in October"], lambda t: [REFUSAL]),  # refusal
    (["How many of our passengers were children?"], lambda t: [REFUSAL]),  # refusal
    (["Passengers总共是多少"], lambda t: [Lead(t["Passengers"].sum())]),  # total
    (["哪条Route取消的班次最多"], lambda t: [AnyOf(Lead(t[t["Status"] == "cancelled"]["Route"].value_counts().idxmax()), REFUSAL)]),  # extreme
]

TRAINERS = [
    (["一共有多少节课?"], lambda t: [AnyOf(Lead(len(t)), Lead((t["状态"] == "已完成").sum()), REFUSAL)]),  # ambiguous
    (["下个月课时费大概能收多少"], lambda t: [REFUSAL]),  # refusal
    (["瑜伽课平均一节消耗多少热量"], lambda t: [Lead(t[t["课程类型"] == "瑜伽"]["消耗热量(千卡)"].mean())]),  # average
    (["爽约的课占百分之几"], lambda t: [Lead((t["状态"] == "爽约").mean() * 100)]),  # share
    (["城东店2024年第二季度课时费收了多少"], lambda t: [Lead((lambda d: d[d["门店"] == "城东店"]["课时费(元)"].sum())(between(t, "上课日期", "2024-04-01", "2024-07-01")))]),  # date
    (["平均心率超过一百四十的课有多少节"], lambda t: [Lead((t["平均心率"] > 140).sum())]),  # Chinese number
    (["孙倩从来没有教过哪种课程类型"], lambda t: [Lead("拳击")]),  # never
    (["哪些会员一次都没有爽约过"], lambda t: [m for m in t["会员"].unique() if not ((t["会员"] == m) & (t["状态"] == "爽约")).any()]),  # never
    (["女会员里总消耗热量最多的前五名是谁"], lambda t: named(t[t["会员性别"] == "女"].groupby("会员")["消耗热量(千卡)"].sum().nlargest(5))),  # top
    (["每个月课时费一共收了多少,画个折线图看看"], lambda t: [CHART, t.groupby(month(t, "上课日期"))["课时费(元)"].sum().max()]),  # chart
    (["微信付款的课在2023年有几节", "2024年呢"], lambda t: [Lead((in_year(t, "上课日期", 2024)["付款方式"] == "微信").sum())]),  # follow-up
    (["按教练统计课时费合计", "只看大学城店的"], lambda t: named(t[t["门店"] == "大学城店"].groupby("教练")["课时费(元)"].sum())),  # follow-up
    (["课时费的中位数"], lambda t: [Lead(t["课时费(元)"].median())]),  # median
    (["九十分钟的力量课上了多少节"], lambda t: [AnyOf(Lead(((t["时长(分钟)"] == 90) & (t["课程类型"] == "力量")).sum()), Lead(((t["时长(分钟)"] == 90) & (t["课程类型"] == "力量") & (t["状态"] == "已完成")).sum()))]),  # Chinese number
    (["每个门店课时费合计最高的教练分别是谁"], best_coach_of_each),  # extreme per group
    (["有多少节课没有填满意度"], lambda t: [AnyOf(Lead(t["满意度"].isna().sum()), Lead(t[t["状态"] == "已完成"]["满意度"].isna().sum()))]),  # missing
    (["周末的课和工作日的课各有多少节"], lambda t: [AnyOf(on.sum(), (on & (t["状态"] == "已完成")).sum()) for on in (t["上课日期"].dt.day_of_week >= 5, t["上课日期"].dt.day_of_week < 5)]),  # date
    (["课时费高于本店平均水平的课有多少节"], lambda t: [Lead((t["课时费(元)"] > t.groupby("门店")["课时费(元)"].transform("mean")).sum())]),  # above group
    (["男女会员的年龄"], lambda t: [AnyOf(a, b, REFUSAL) for a, b in zip(t.groupby("会员性别")["会员年龄"].mean(), t.drop_duplicates("会员").groupby("会员性别")["会员年龄"].mean())]),  # ambiguous
    (["哪个教练的满意渡最低"], lambda t: [AnyOf(Lead(t.groupby("教练")["满意度"].mean().idxmin()), REFUSAL)]),  # misspelling
    (["为什么赵敏的课老是被取消"], lambda t: [REFUSAL]),  # refusal
    (["哪个会员体脂降得最多"], lambda t: [REFUSAL]),  # refusal
    (["今年给教练一共发了多少工资"], lambda t: [REFUSAL]),  # refusal
    (["How many sessions were cancelled (已取消)?"], lambda t: [Lead((t["状态"] == "已取消").sum())]),  # count
    (["total 课时费 of 林晓 in 2024"], lambda t: [Lead((lambda d: d[d["教练"] == "林晓"]["课时费(元)"].sum())(in_year(t, "上课日期", 2024)))]),  # filter
]

SHIFTS = [
    (["总产量是多少件"], lambda t: [Lead(t["产量(件)"].sum())]),  # total
    (["为什么夜班的次品这么多"], lambda t: [REFUSAL]),  # refusal
    (["哪条线的次品率最高"], lambda t: [AnyOf(Lead(rate(t, "生产线", "次品数(件)", "产量(件)").idxmax()), REFUSAL)]),  # ratio
    (["夜班总共比早班少产多少件"], lambda t: [(lambda s: AnyOf(s["早班"] - s["夜班"], s["夜班"] - s["早班"]))(t.groupby("班次")["产量(件)"].sum())]),  # comparison
    (["三号线从来没生产过什么产品?"], lambda t: [Lead("阀门")]),  # never
    (["停机超过半小时的有多少个班"], lambda t: [Lead((t["停机时间(分钟)"] > 30).sum())]),  # Chinese number
    (["因为故障一共停了多少分钟机"], lambda t: [Lead(t[t["停机原因"] == "故障"]["停机时间(分钟)"].sum())]),  # filter
    (["最常见的停机原因是什么"], lambda t: [Lead(t["停机原因"].value_counts().idxmax())]),  # extreme
    (["2024年上半年各月产量做成柱状图"], lambda t: (lambda d: [CHART, *d.groupby(month(d, "日期"))["产量(件)"].sum()])(between(t, "日期", "2024-01-01", "2024-07-01"))),  # chart
    (["二〇二四年五月哪一天产量最高"], best_day),  # Chinese number
    (["每个班次的平均车间温度"], lambda t: named(t.groupby("班次")["车间温度(℃)"].mean())),  # average
    (["各产品的单件成本"], lambda t: unless_asked(named(t.groupby("产品")["单件成本(元)"].mean()))),  # ambiguous
    (["产量高于同产品平均的班占多大比例"], lambda t: [Lead((t["产量(件)"] > t.groupby("产品")["产量(件)"].transform("mean")).mean() * 100)]),  # above group
    (["二号线做了多少件齿轮"], lambda t: [Lead(t[(t["生产线"] == "二号线") & (t["产品"] == "齿轮")]["产量(件)"].sum())]),  # filter
    (["不算停电,其他原因一共停机多少分钟"], lambda t: [Lead(t[t["停机原因"] != "停电"]["停机时间(分钟)"].sum())]),  # filter
    (["帮我看下产量排前三的班长,月底发奖金用"], lambda t: named(t.groupby("班长")["产量(件)"].sum().nlargest(3))),  # top
    (["2024年产量比2023年增长了百分之多少"], lambda t: [Lead(change(*(in_year(t, "日期", y)["产量(件)"].sum() for y in (2023, 2024))))]),  # growth
    (["各班次的次品数", "换成饼图"], lambda t: [CHART, *(AnyOf(n, n / t["次品数(件)"].sum() * 100) for n in t.groupby("班次")["次品数(件)"].sum())]),  # follow-up
    (["星期几的平均产量最高"], lambda t: [Lead(AnyOf(*WEEKDAYS[t.groupby(t["日期"].dt.day_of_week)["产量(件)"].mean().idxmax()]))]),  # date
    (["每条线单班最高产量是多少"], lambda t: named(t.groupby("生产线")["产量(件)"].max())),  # extreme per group
    (["产量在一千到一千五之间的有几个班"], lambda t: [Lead(t["产量(件)"].between(1000, 1500).sum())]),  # Chinese number
    (["温度越高次品越多吗"], lambda t: [AnyOf(round(t["车间温度(℃)"].corr(t["次品数(件)"]), 3), REFUSAL)]),  # correlation
    (["哪个工人操作失误最多"], lambda t: [REFUSAL]),  # refusal
    (["明年一季度产量能到多少"], lambda t: [REFUSAL]),  # refusal
]

CASES = [(name, asked, truth) for name, cases in [
    ("shelter_40", SHELTER), ("ferries_40", FERRIES), ("trainers_zh_40", TRAINERS), ("shifts_zh_40", SHIFTS)] for asked, truth in cases]
