"""A hundred questions about four tables of their own, half of them in Chinese, as people in an office type them, by
someone who never saw how the analyst works. What the tables do not hold it must refuse: those truths are refusals."""
import pandas as pd
from wanted import CHART, REFUSAL, AnyOf, Lead

WEEKDAYS = [("Monday", "星期一", "周一"), ("Tuesday", "星期二", "周二"), ("Wednesday", "星期三", "周三"),
            ("Thursday", "星期四", "周四"), ("Friday", "星期五", "周五"), ("Saturday", "星期六", "周六"),
            ("Sunday", "星期日", "周日")]


def month(t, column):
    return t[column].dt.strftime("%Y-%m")


def in_year(t, column, year):
    return t[t[column].dt.year == year]


def between(t, column, first, end):
    """From the first day to the one before the end."""
    return t[(t[column] >= first) & (t[column] < end)]


def named(figures):
    """Each name and its figure."""
    return [item for name, figure in figures.items() for item in (name, figure)]


def either(*figures):
    """Each name, and its figure in one of the readings."""
    return [item for name in figures[0].index for item in (name, AnyOf(*(f[name] for f in figures)))]


def unless_asked(wanted):
    """All of these, or it asks back."""
    return [AnyOf(each, REFUSAL) for each in wanted]


def change(before, after):
    return (after - before) / before * 100


def called(when):
    """The names of a month, the first thing said."""
    d = pd.Timestamp(when)
    return AnyOf(*(Lead(label) for label in (f"{d:%Y-%m}", f"{d:%B}", f"{d:%b %Y}", f"{d:%Y/%m}", f"{d.year}年{d.month}月", f"{d.month}月")))


def on(day):
    d = pd.Timestamp(day)
    return AnyOf(str(d.date()), f"{d:%Y/%m/%d}", f"{d.year}年{d.month}月{d.day}日", f"{d:%B} {d.day}", f"{d.day} {d:%B}", f"{d:%b} {d.day}")


def highest(t, measure, *columns):
    """The highest figure, and what its row says in other columns."""
    return [t[measure].max(), *t.loc[t[measure].idxmax(), [*columns]]]


def late(t):
    return t["returned_on"] > t["due_on"]


def over_half_an_hour(t):
    long = (t["Wait (min)"] > 30).sum()
    return [long, AnyOf(*(long / whole * 100 for whole in (len(t), t["Wait (min)"].notna().sum(), (t["Status"] == "attended").sum())))]


def no_shows(t):
    missed, came = (t[t["Status"] == s].groupby("Department").size() for s in ("no-show", "attended"))
    return either(missed / t.groupby("Department").size() * 100, missed / (missed + came) * 100)


def unpaid(t):
    open_ = t[t["缴费日期"].isna()]
    return [AnyOf(len(open_), open_["电费(元)"].notna().sum()), open_["电费(元)"].sum()]


def orders(t):
    return t.drop_duplicates("订单号")


def done(t):
    return t[t["订单状态"] == "已完成"]


def member_share(t):
    return [AnyOf(*(Lead(orders(d)["会员号"].notna().mean() * 100) for d in (t, done(t))))]


def spent(t):
    """What is paid on average: for an order, or by a guest."""
    whole, dine = done(t), done(t[t["渠道"] == "堂食"])
    return [AnyOf(Lead(whole["实付金额(元)"].sum() / whole["订单号"].nunique()),
                  Lead(dine["实付金额(元)"].sum() / orders(dine)["用餐人数"].sum()), REFUSAL)]


def best_dish_of_each(t):
    """By all that a dish brought in, or by the dearest single line."""
    summed, single = (t.groupby(["门店", "菜品"])["实付金额(元)"].agg(f) for f in ("sum", "max"))
    return [item for shop in summed.index.unique("门店")
            for item in (shop, AnyOf(*(d.loc[[shop]].idxmax()[1] for d in (summed, single))))]


# What follows a case says what kind of question it is.
LIBRARY = [
    (["How many loans are in this file?"], lambda t: [Lead(len(t))]),  # count
    (["how many different members have borrowed something"], lambda t: [Lead(t["card_no"].nunique())]),  # distinct
    (["total fines per branch"], lambda t: named(t.groupby("branch")["fine_eur"].sum())),  # total
    (["On average, how many days does it take until an item is returned?"], lambda t: [Lead((t["returned_on"] - t["borrowed_on"]).dt.days.mean())]),  # date
    (["How many loans have not been returned yet?"], lambda t: [Lead(t["returned_on"].isna().sum())]),  # missing
    (["top 5 most borrowed titles please"], lambda t: named(t["title"].value_counts().nlargest(5))),  # top
    (["loans by genre in 2024"], lambda t: named(in_year(t, "borrowed_on", 2024).groupby("genre").size())),  # count
    (["What percent of the returned loans came back late, i.e. after the due date?"], lambda t: [Lead(late(t).sum() / t["returned_on"].notna().sum() * 100)]),  # share
    (["how many crime loans did Harbour have from March to May 2024"], lambda t: [Lead((lambda d: ((d["genre"] == "crime") & (d["branch"] == "Harbour")).sum())(between(t, "borrowed_on", "2024-03-01", "2024-06-01")))]),  # date
    (["line chart of the number of loans per month in 2024"], lambda t: [CHART, *(lambda d: d.groupby(month(d, "borrowed_on")).size())(in_year(t, "borrowed_on", 2024))]),  # chart
    (["What is the highest fine anyone got, and what's the card number?"], lambda t: highest(t, "fine_eur", "card_no")),  # extreme
    (["average rating by genre"], lambda t: named(t.groupby("genre")["rating"].mean())),  # average
    (["How much do students still owe us in unpaid fines?"], lambda t: [Lead(t[(t["member_type"] == "student") & (t["fine_paid"] == "no")]["fine_eur"].sum())]),  # filter
    (["compare Central and Westgate: number of loans and total fines"], lambda t: [item for b in ("Central", "Westgate") for item in (b, (t["branch"] == b).sum(), t[t["branch"] == b]["fine_eur"].sum())]),  # comparison
    (["which branch has never lent out an audiobook?"], lambda t: [Lead("Mill Lane")]),  # never
    (["whats the list price of Night Trains"], lambda t: [Lead(t.loc[t["title"] == "Night Trains", "list_price_eur"].iloc[0])]),  # look-up
    (["How many loans were renewed at least twice?"], lambda t: [Lead((t["renewals"] >= 2).sum())]),  # filter
    (["In which month of 2024 did we have the most loans?"], lambda t: [called((lambda d: d.groupby(month(d, "borrowed_on")).size().idxmax())(in_year(t, "borrowed_on", 2024)))]),  # extreme
    (["fines 2023 vs 2024"], lambda t: [AnyOf(*(in_year(t, c, y)["fine_eur"].sum() for c in ("borrowed_on", "returned_on", "due_on")), REFUSAL) for y in (2023, 2024)]),  # ambiguous
    (["how many items were due in December 2024"], lambda t: [Lead((month(t, "due_on") == "2024-12").sum())]),  # date
    (["number of loans per branch", "and only for seniors?"], lambda t: named(t[t["member_type"] == "senior"].groupby("branch").size())),  # follow-up
    (["prices by format"], lambda t: [AnyOf(*readings, REFUSAL) for readings in zip(*(named(d.groupby("format")["list_price_eur"].mean()) for d in (t, t.drop_duplicates(["format", "title"]))))]),  # ambiguous
    (["Which author gets borrowed the most?"], lambda t: [REFUSAL]),  # refusal
    (["Should we close the Mill Lane branch?"], lambda t: [REFUSAL]),  # refusal
    (["每个branch各有多少次借阅"], lambda t: named(t.groupby("branch").size())),  # count
]

CLINIC = [
    (["How many appointments were there in 2024?"], lambda t: [(lambda d: AnyOf(Lead(len(d)), Lead((d["Status"] == "attended").sum()), REFUSAL))(in_year(t, "Appointment Time", 2024))]),  # count
    (["no-show rate by department in %"], no_shows),  # share
    (["average wait for Dr. Patel"], lambda t: [Lead(t[t["Doctor"] == "Dr. Patel"]["Wait (min)"].mean())]),  # average
    (["Total fees per doctor in 2024, highest first"], lambda t: named(in_year(t, "Appointment Time", 2024).groupby("Doctor")["Fee ($)"].sum().sort_values(ascending=False))),  # total
    (["Top 3 doctors by number of attended appointments"], lambda t: named(t[t["Status"] == "attended"]["Doctor"].value_counts().nlargest(3))),  # top
    (["how many unique patients do we have in here"], lambda t: [AnyOf(Lead(t["Patient No"].nunique()), Lead(t[t["Status"] == "attended"]["Patient No"].nunique()))]),  # distinct
    (["How many appointments were for people aged 65 or older?"], lambda t: [Lead((t["Age"] >= 65).sum())]),  # filter
    (["How many days ahead do people book on average?"], lambda t: [AnyOf(*(Lead(d.mean()) for d in ((t["Appointment Time"].dt.normalize() - t["Booked On"]).dt.days, (t["Appointment Time"] - t["Booked On"]) / pd.Timedelta(days=1))))]),  # date
    (["What was the longest wait and which doctor was it?"], lambda t: highest(t, "Wait (min)", "Doctor")),  # extreme
    (["Which weekday is our busiest?"], lambda t: [AnyOf(*(Lead(label) for label in WEEKDAYS[t["Appointment Time"].dt.day_of_week.value_counts().idxmax()]), REFUSAL)]),  # date
    (["pie chart of appointments by insurer"], lambda t: [CHART, *(AnyOf(k, k / len(t) * 100, k / t["Insurer"].notna().sum() * 100) for k in t["Insurer"].value_counts())]),  # chart
    (["how many appts have no insurer filled in"], lambda t: [Lead(t["Insurer"].isna().sum())]),  # missing
    (["What share of all fees comes from Cardiology?"], lambda t: [Lead(t[t["Department"] == "Cardiology"]["Fee ($)"].sum() / t["Fee ($)"].sum() * 100)]),  # share
    (["Average amount paid by the patient, per visit type"], lambda t: named(t.groupby("Visit Type")["Patient Paid ($)"].mean())),  # average
    (["How many appointments had a wait of more than 30 min, and what percentage is that?"], over_half_an_hour),  # filter
    (["compare the total fees of Q1 2023 and Q1 2024"], lambda t: [between(t, "Appointment Time", f"{y}-01-01", f"{y}-04-01")["Fee ($)"].sum() for y in (2023, 2024)]),  # comparison
    (["Do people wait longer in the afternoon (from 12 o'clock) than in the morning?"], lambda t: unless_asked([*t.groupby(t["Appointment Time"].dt.hour >= 12)["Wait (min)"].mean()])),  # comparison
    (["total fees by department", "just the new patients"], lambda t: named(t[t["Visit Type"] == "new"].groupby("Department")["Fee ($)"].sum())),  # follow-up
    (["shortest and longest consultation"], lambda t: [t["Consultation (min)"].min(), t["Consultation (min)"].max()]),  # extreme
    (["show me the monthly fees for 2024"], lambda t: [*(lambda d: d.groupby(month(d, "Appointment Time"))["Fee ($)"].sum())(in_year(t, "Appointment Time", 2024))]),  # trend
    (["avg age of Cardiolgy patients"], lambda t: [(lambda d: AnyOf(Lead(d["Age"].mean()), Lead(d.drop_duplicates("Patient No")["Age"].mean())))(t[t["Department"] == "Cardiology"])]),  # misspelling
    (["How many nurses were on duty in May?"], lambda t: [REFUSAL]),  # refusal
    (["What is the most common diagnosis?"], lambda t: [REFUSAL]),  # refusal
    (["How many appointments will we get next quarter?"], lambda t: [REFUSAL]),  # refusal
    (["Dermatology的平均等待时间是多少分钟"], lambda t: [Lead(t[t["Department"] == "Dermatology"]["Wait (min)"].mean())]),  # average
]

METERS = [
    (["2024年总共用了多少度电"], lambda t: [Lead(in_year(t, "抄表日期", 2024)["用电量(kWh)"].sum())]),  # total
    (["各楼栋的电费合计"], lambda t: named(t.groupby("楼栋")["电费(元)"].sum())),  # total
    (["累计用电量最高的三块表是哪几块"], lambda t: named(t.groupby("表号")["用电量(kWh)"].sum().nlargest(3))),  # top
    (["平均电价是多少"], lambda t: [AnyOf(Lead(t["电价(元/kWh)"].mean()), Lead(t["电费(元)"].sum() / t["用电量(kWh)"].sum()))]),  # average
    (["C座空调2024年7月用了多少电"], lambda t: [Lead(t[(t["楼栋"] == "C座") & (t["用途"] == "空调") & (month(t, "抄表日期") == "2024-07")]["用电量(kWh)"].sum())]),  # filter
    (["画一张2024年每月电费的折线图"], lambda t: [CHART, *(lambda d: d.groupby(month(d, "抄表日期"))["电费(元)"].sum())(in_year(t, "抄表日期", 2024))]),  # chart
    (["功率因数低于0.9的记录有多少条"], lambda t: [Lead((t["功率因数"] < .9).sum())]),  # filter
    (["还有多少笔没有缴费?一共欠多少电费"], unpaid),  # missing
    (["充电桩用电占总用电量的百分之几"], lambda t: [Lead(t[t["用途"] == "充电桩"]["用电量(kWh)"].sum() / t["用电量(kWh)"].sum() * 100)]),  # share
    (["表里一共有几块电表"], lambda t: [Lead(t["表号"].nunique())]),  # distinct
    (["DB-0203在2024年3月的本期读数是多少"], lambda t: [Lead(t.loc[(t["表号"] == "DB-0203") & (month(t, "抄表日期") == "2024-03"), "本期读数"].item())]),  # look-up
    (["A座和B座谁用电多,多多少"], lambda t: [(lambda u: AnyOf(u["A座"] - u["B座"], u["B座"] - u["A座"]))(t.groupby("楼栋")["用电量(kWh)"].sum()), t.groupby("楼栋")["用电量(kWh)"].sum()[["A座", "B座"]].idxmax()]),  # comparison
    (["2024年电费比2023年涨了百分之多少"], lambda t: [Lead(change(*(in_year(t, "抄表日期", y)["电费(元)"].sum() for y in (2023, 2024))))]),  # growth
    (["2024年哪个月用电最多"], lambda t: [called((lambda d: d.groupby(month(d, "抄表日期"))["用电量(kWh)"].sum().idxmax())(in_year(t, "抄表日期", 2024)))]),  # extreme
    (["最大需量最高的一次是多少,是哪块表"], lambda t: highest(t, "最大需量(kW)", "表号")),  # extreme
    (["B座2023年每个季度的用电量走势"], lambda t: [*(lambda d: d.groupby(d["抄表日期"].dt.quarter)["用电量(kWh)"].sum())(in_year(t[t["楼栋"] == "B座"], "抄表日期", 2023))]),  # trend
    (["从抄表到缴费平均隔几天"], lambda t: [Lead((t["缴费日期"] - t["抄表日期"]).dt.days.mean())]),  # date
    (["把备注是表故障的记录列出来"], lambda t: [item for number, day in t[t["备注"] == "表故障"][["表号", "抄表日期"]].itertuples(index=False) for item in (number, on(day))]),  # list
    (["按用途统计用电量", "只看B座"], lambda t: named(t[t["楼栋"] == "B座"].groupby("用途")["用电量(kWh)"].sum())),  # follow-up
    (["2024年12月的总电费跟11月比变化了多少"], lambda t: [(lambda a, b: AnyOf(b - a, a - b, change(a, b), -change(a, b)))(*(t[month(t, "抄表日期") == m]["电费(元)"].sum() for m in ("2024-11", "2024-12")))]),  # growth
    (["用电量高于同用途平均值的记录有多少条"], lambda t: [Lead((t["用电量(kWh)"] > t.groupby("用途")["用电量(kWh)"].transform("mean")).sum())]),  # above group
    (["明年的电费预算应该定多少"], lambda t: [REFUSAL]),  # refusal
    (["哪家租户用电最多"], lambda t: [REFUSAL]),  # refusal
    (["屋顶光伏今年发了多少电"], lambda t: [REFUSAL]),  # refusal
    (["total 电费 for 地下车库 in 2023"], lambda t: [Lead((lambda d: d[d["楼栋"] == "地下车库"]["电费(元)"].sum())(in_year(t, "抄表日期", 2023)))]),  # filter
]

RESTAURANT = [
    (["一共有多少笔订单?"], lambda t: [AnyOf(Lead(t["订单号"].nunique()), Lead(done(t)["订单号"].nunique()))]),  # distinct
    (["总营业额是多少(按实付金额)"], lambda t: [Lead(t["实付金额(元)"].sum())]),  # total
    (["销量前五的菜是哪些,各卖了多少份"], lambda t: either(*(d.groupby("菜品")["数量"].sum().loc[[*t.groupby("菜品")["数量"].sum().nlargest(5).index]] for d in (t, done(t))))),  # top
    (["2024年各门店实付金额"], lambda t: named(in_year(t, "下单时间", 2024).groupby("门店")["实付金额(元)"].sum())),  # total
    (["外卖占总实付金额的比例"], lambda t: [Lead(t[t["渠道"] == "外卖"]["实付金额(元)"].sum() / t["实付金额(元)"].sum() * 100)]),  # share
    (["客单价是多少"], spent),  # ambiguous
    (["宫保鸡丁最低卖过多少钱,最高多少钱"], lambda t: (lambda d: [AnyOf(*(p, f)) for p, f in zip((d["单价(元)"].min(), d["单价(元)"].max()), (d["实付金额(元)"].min(), d["实付金额(元)"].max()))])(t[t["菜品"] == "宫保鸡丁"])),  # extreme
    (["出餐最慢的一次用了多少分钟,是哪个菜"], lambda t: highest(t, "出餐时长(分钟)", "菜品")),  # extreme
    (["周末和工作日的营业额分别是多少"], lambda t: [t[t["下单时间"].dt.day_of_week >= 5]["实付金额(元)"].sum(), t[t["下单时间"].dt.day_of_week < 5]["实付金额(元)"].sum()]),  # comparison
    (["2024年每个月的营业额做个柱状图"], lambda t: [CHART, *(lambda d: d.groupby(month(d, "下单时间"))["实付金额(元)"].sum())(in_year(t, "下单时间", 2024))]),  # chart
    (["评分在3分以下(不含3分)的订单有几笔"], lambda t: [Lead(t[t["评分"] < 3]["订单号"].nunique())]),  # distinct
    (["堂食总共接待了多少位客人"], lambda t: [AnyOf(*(Lead(orders(d)["用餐人数"].sum()) for d in (t, done(t))), REFUSAL)]),  # ambiguous
    (["哪道菜从来没有做过外卖"], lambda t: [Lead("石锅鱼")]),  # never
    (["会员下的订单占全部订单的百分之多少"], member_share),  # share
    (["下午五点以后的营业额"], lambda t: [Lead(t[t["下单时间"].dt.hour >= 17]["实付金额(元)"].sum())]),  # date
    (["小李服务的桌一共消费了多少钱"], lambda t: [Lead(t[t["服务员"] == "小李"]["实付金额(元)"].sum())]),  # filter
    (["2024年5月营业额多少", "6月呢"], lambda t: [Lead(t[month(t, "下单时间") == "2024-06"]["实付金额(元)"].sum())]),  # follow-up
    (["单价超过50块的菜有哪几道"], lambda t: [*t[t["单价(元)"] > 50]["菜品"].unique()]),  # list
    (["被取消的订单有多少笔"], lambda t: [Lead(t[t["订单状态"] == "已取消"]["订单号"].nunique())]),  # distinct
    (["每个门店实付金额最高的菜分别是什么"], best_dish_of_each),  # extreme per group
    (["热菜里哪道菜卖的钱最多"], lambda t: [Lead(t[t["菜品分类"] == "热菜"].groupby("菜品")["实付金额(元)"].sum().idxmax())]),  # extreme
    (["哪道菜的毛利最高"], lambda t: [REFUSAL]),  # refusal
    (["为什么高新店的生意不好"], lambda t: [REFUSAL]),  # refusal
    (["水煮牛肉要不要再涨价?"], lambda t: [REFUSAL]),  # refusal
    (["revenue by 渠道 in 2024 please"], lambda t: named(in_year(t, "下单时间", 2024).groupby("渠道")["实付金额(元)"].sum())),  # total
]

CASES = [(name, asked, truth) for name, cases in [
    ("library_41", LIBRARY), ("clinic_41", CLINIC), ("meters_zh_41", METERS), ("restaurant_zh_41", RESTAURANT)] for asked, truth in cases]
