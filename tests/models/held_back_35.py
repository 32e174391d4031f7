"""A hundred questions about tables of their own, half of them in Chinese, written before anything was tried.
What the analyst cannot compute it must refuse: those truths are refusals."""
from held_back_34 import month, named
from wanted import CHART, REFUSAL, AnyOf, Lead


def change(before, after):
    return (after - before) / before * 100


MUSEUM = [
    (["How many visitors did we have in total?"], lambda t: [Lead(t["visitors"].sum())]),
    (["Which exhibition drew the most visitors?"], lambda t: [Lead(t.groupby("exhibition")["visitors"].sum().idxmax())]),
    (["total admission fee by ticket type"], lambda t: named(t.groupby("ticket_type")["admission_fee"].sum())),
    (["average shop spend of members"], lambda t: [Lead(t[t["member"] == "yes"]["shop_spend"].mean())]),
    (["How long do visitors stay on average in the Dinosaurs exhibition?"], lambda t: [AnyOf(Lead(t[t["exhibition"] == "Dinosaurs"]["minutes_inside"].mean()), REFUSAL)]),
    (["visitors per month in 2024 as a line chart"], lambda t: [CHART, t[t["visit_date"].dt.year == 2024].groupby(month(t, "visit_date"))["visitors"].sum().max()]),
    (["How many visits lasted more than 3 hours?"], lambda t: [Lead((t["minutes_inside"] > 180).sum())]),
    (["What percentage of visits were by members?"], lambda t: [Lead((t["member"] == "yes").mean() * 100)]),
    (["median minutes inside by exhibition"], lambda t: named(t.groupby("exhibition")["minutes_inside"].median())),
    (["Admission fees 2023 vs 2024"], lambda t: [t[t["visit_date"].dt.year == y]["admission_fee"].sum() for y in (2023, 2024)]),
    (["Which ticket type has the lowest average shop spend?"], lambda t: [Lead(t.groupby("ticket_type")["shop_spend"].mean().idxmin())]),
    (["Who never came back?"], lambda t: [REFUSAL]),
    (["How many children visited on Sundays?"], lambda t: [AnyOf(Lead(t[(t["ticket_type"] == "child") & (t["visit_date"].dt.dayofweek == 6)]["visitors"].sum()), Lead(((t["ticket_type"] == "child") & (t["visit_date"].dt.dayofweek == 6)).sum()), REFUSAL)]),
    (["share of admission fees by exhibition"], lambda t: named(t.groupby("exhibition")["admission_fee"].sum() / t["admission_fee"].sum() * 100)),
    (["What was the highest shop spend?"], lambda t: [Lead(t["shop_spend"].max())]),
    (["Why do seniors spend less?"], lambda t: [REFUSAL]),
    (["Top 2 exhibitions by shop spend in 2023"], lambda t: named(t[t["visit_date"].dt.year == 2023].groupby("exhibition")["shop_spend"].sum().nlargest(2))),
    (["Is there a correlation between minutes inside and shop spend?"], lambda t: [round(t["minutes_inside"].corr(t["shop_spend"]), 3)]),
    (["number of visits per weekday"], lambda t: named(t.groupby(t["visit_date"].dt.day_name()).size())),
    (["total visitors excluding school groups"], lambda t: [Lead(t[t["ticket_type"] != "school group"]["visitors"].sum())]),
    (["Which exhibition should we close?"], lambda t: [REFUSAL]),
    (["How much did non-members spend in the shop in Q3 2024?"], lambda t: [Lead(t[(t["member"] == "no") & (t["visit_date"].dt.year == 2024) & (t["visit_date"].dt.quarter == 3)]["shop_spend"].sum())]),
    (["exhibitions with more than 1000 visitors"], lambda t: [n for n, v in t.groupby("exhibition")["visitors"].sum().items() if v > 1000]),
    (["By how many percent did visitor numbers change from 2023 to 2024?"], lambda t: [change(*(t[t["visit_date"].dt.year == y]["visitors"].sum() for y in (2023, 2024)))]),
    (["total visitors by exhibition", "and by ticket type?"], lambda t: named(t.groupby("ticket_type")["visitors"].sum())),
]

TURBINES = [
    (["What did repairs cost in total?"], lambda t: [Lead(t["repair_cost"].sum())]),
    (["average downtime hours by manufacturer"], lambda t: named(t.groupby("manufacturer")["downtime_hours"].mean())),
    (["Which wind farm has the highest repair cost?"], lambda t: [AnyOf(Lead(t.groupby("wind_farm")["repair_cost"].sum().idxmax()), Lead(t.loc[t["repair_cost"].idxmax(), "wind_farm"]))]),
    (["How many services were urgent?"], lambda t: [Lead((t["urgent"] == "yes").sum())]),
    (["top 3 technicians by number of services"], lambda t: named(t.groupby("technician").size().nlargest(3))),
    (["repair cost per year"], lambda t: list(t.groupby(t["service_date"].dt.year)["repair_cost"].sum())),
    (["Share of gearbox services"], lambda t: [Lead((t["component"] == "gearbox").mean() * 100)]),
    (["What is the most expensive service?"], lambda t: [Lead(t["repair_cost"].max())]),
    (["services with downtime between 10 and 20 hours, how many?"], lambda t: [Lead(t["downtime_hours"].between(10, 20).sum())]),
    (["bar chart of total downtime by component"], lambda t: [CHART, *t.groupby("component")["downtime_hours"].sum()]),
    (["Did Marsh or Silva do more services?"], lambda t: [(t["technician"] == "Marsh").sum(), (t["technician"] == "Silva").sum()]),
    (["Average repair cost of urgent blade services at Sandbank"], lambda t: [Lead(t[(t["urgent"] == "yes") & (t["component"] == "blade") & (t["wind_farm"] == "Sandbank")]["repair_cost"].mean())]),
    (["Which component causes the least downtime in Highfell?"], lambda t: [Lead(t[t["wind_farm"] == "Highfell"].groupby("component")["downtime_hours"].sum().idxmin())]),
    (["When will the next gearbox fail?"], lambda t: [REFUSAL]),
    (["How many technicians are there?"], lambda t: [Lead(t["technician"].nunique())]),
    (["Which technicians have above average downtime for their wind farm?"], lambda t: [REFUSAL]),
    (["repair cost in the last 6 months"], lambda t: [AnyOf(Lead(t[t["service_date"] > "2024-06-30"]["repair_cost"].sum()), t[t["service_date"] >= "2024-07-01"]["repair_cost"].sum())]),
    (["Are there outliers in repair cost?"], lambda t: [(lambda q: ((t["repair_cost"] < q[.25] - 1.5 * (q[.75] - q[.25])) | (t["repair_cost"] > q[.75] + 1.5 * (q[.75] - q[.25]))).sum())(t["repair_cost"].quantile([.25, .75]))]),
    (["total cost by wind farm and manufacturer"], lambda t: [t[(t["wind_farm"] == "Sandbank") & (t["manufacturer"] == "Aerix")]["repair_cost"].sum(), t[(t["wind_farm"] == "Highfell") & (t["manufacturer"] == "Vento")]["repair_cost"].sum()]),
    (["technicians with an average repair cost above 3600"], lambda t: [n for n, v in t.groupby("technician")["repair_cost"].mean().items() if v > 3600]),
    (["Which month of 2023 had the most downtime?"], lambda t: [Lead(t[t["service_date"].dt.year == 2023].groupby(month(t, "service_date"))["downtime_hours"].sum().idxmax())]),
    (["How much electricity did Northmoor produce?"], lambda t: [REFUSAL]),
    (["lowest repair cost for a generator"], lambda t: [Lead(t[t["component"] == "generator"]["repair_cost"].min())]),
    (["What percentage of total downtime is due to blades?"], lambda t: [Lead(t[t["component"] == "blade"]["downtime_hours"].sum() / t["downtime_hours"].sum() * 100)]),
    (["the 5 services with the longest downtime"], lambda t: list(t["downtime_hours"].nlargest(5))),
]

GYM = [
    (["一共有多少次打卡?"], lambda t: [Lead(len(t))]),
    (["各场馆的课程费合计"], lambda t: named(t.groupby("场馆")["课程费(元)"].sum())),
    (["哪门课程的平均满意度最高"], lambda t: [Lead(t.groupby("课程")["满意度"].mean().idxmax())]),
    (["女会员的平均锻炼时长"], lambda t: [Lead(t[t["性别"] == "女"]["锻炼时长(分钟)"].mean())]),
    (["瑜伽课消耗热量总共多少"], lambda t: [Lead(t[t["课程"] == "瑜伽"]["消耗热量(千卡)"].sum())]),
    (["每个教练带了多少次课"], lambda t: named(t.groupby("教练").size())),
    (["2024年每月课程费趋势图"], lambda t: [CHART, t.groupby(month(t, "打卡日期"))["课程费(元)"].sum().max()]),
    (["锻炼超过90分钟的有多少次"], lambda t: [Lead((t["锻炼时长(分钟)"] > 90).sum())]),
    (["滨江馆课程费占总课程费的百分之几"], lambda t: [Lead(t[t["场馆"] == "滨江馆"]["课程费(元)"].sum() / t["课程费(元)"].sum() * 100)]),
    (["课程费最高的3个教练"], lambda t: [*t.groupby("教练")["课程费(元)"].sum().nlargest(3).index]),
    (["有多少个会员"], lambda t: [Lead(t["会员编号"].nunique())]),
    (["男女会员的平均消耗热量对比"], lambda t: [*t.groupby("性别")["消耗热量(千卡)"].mean()]),
    (["锻炼时长和消耗热量的相关性"], lambda t: [round(t["锻炼时长(分钟)"].corr(t["消耗热量(千卡)"]), 3)]),
    (["下个月会有多少人来打卡"], lambda t: [REFUSAL]),
    (["满意度为5的打卡有多少次"], lambda t: [Lead((t["满意度"] == 5).sum())]),
    (["大学城馆第二季度的课程费"], lambda t: [Lead(t[(t["场馆"] == "大学城馆") & (t["打卡日期"].dt.quarter == 2)]["课程费(元)"].sum())]),
    (["哪个场馆的平均锻炼时长最短"], lambda t: [Lead(t.groupby("场馆")["锻炼时长(分钟)"].mean().idxmin())]),
    (["为什么搏击操满意度低"], lambda t: [REFUSAL]),
    (["周末和工作日的打卡次数"], lambda t: [(t["打卡日期"].dt.dayofweek >= 5).sum(), (t["打卡日期"].dt.dayofweek < 5).sum()]),
    (["从没上过瑜伽的会员有哪些"], lambda t: [REFUSAL]),
    (["各课程的打卡次数占比"], lambda t: named(t.groupby("课程").size() / len(t) * 100)),
    (["消耗热量的中位数"], lambda t: [Lead(t["消耗热量(千卡)"].median())]),
    (["打卡超过8次的会员有几个"], lambda t: [Lead((t.groupby("会员编号").size() > 8).sum())]),
    (["会员的平均年龄"], lambda t: [REFUSAL]),
    (["各场馆的课程费合计", "只看瑜伽"], lambda t: named(t[t["课程"] == "瑜伽"].groupby("场馆")["课程费(元)"].sum())),
]

DAIRY = [
    (["总产奶量是多少"], lambda t: [Lead(t["产奶量(公斤)"].sum())]),
    (["各牧场的平均产奶量"], lambda t: named(t.groupby("牧场")["产奶量(公斤)"].mean())),
    (["哪个品种的乳脂率最高"], lambda t: [Lead(t.groupby("品种")["乳脂率(%)"].mean().idxmax())]),
    (["2024年的饲料成本一共多少"], lambda t: [Lead(t[t["挤奶日期"].dt.year == 2024]["饲料成本(元)"].sum())]),
    (["生病的占比是多少"], lambda t: [Lead((t["是否生病"] == "是").mean() * 100)]),
    (["早班和晚班的产奶量对比"], lambda t: [*t.groupby("班次")["产奶量(公斤)"].sum()]),
    (["按月统计产奶量"], lambda t: [t.groupby(month(t, "挤奶日期"))["产奶量(公斤)"].sum().max()]),
    (["产奶量低于15公斤的记录有多少条"], lambda t: [Lead((t["产奶量(公斤)"] < 15).sum())]),
    (["老郑负责的荷斯坦平均产奶量"], lambda t: [Lead(t[(t["饲养员"] == "老郑") & (t["品种"] == "荷斯坦")]["产奶量(公斤)"].mean())]),
    (["饲料成本最高的牧场"], lambda t: [Lead(t.groupby("牧场")["饲料成本(元)"].sum().idxmax())]),
    (["2023年和2024年产奶量对比"], lambda t: [t[t["挤奶日期"].dt.year == y]["产奶量(公斤)"].sum() for y in (2023, 2024)]),
    (["每公斤奶的饲料成本"], lambda t: [AnyOf(REFUSAL, Lead(t["饲料成本(元)"].sum() / t["产奶量(公斤)"].sum()))]),
    (["各饲养员的产奶量柱状图"], lambda t: [CHART, *t.groupby("饲养员")["产奶量(公斤)"].sum()]),
    (["青山牧场产奶量占全部的比例"], lambda t: [Lead(t[t["牧场"] == "青山牧场"]["产奶量(公斤)"].sum() / t["产奶量(公斤)"].sum() * 100)]),
    (["单次最高产奶量是多少"], lambda t: [Lead(t["产奶量(公斤)"].max())]),
    (["明年产奶量会增加吗"], lambda t: [REFUSAL]),
    (["每个牧场产奶量最高的品种"], lambda t: [AnyOf(t[t["牧场"] == "青山牧场"].groupby("品种")["产奶量(公斤)"].sum().max(), REFUSAL)]),
    (["乳脂率在3.5到4之间的有多少条"], lambda t: [Lead(t["乳脂率(%)"].between(3.5, 4).sum())]),
    (["牛奶卖了多少钱"], lambda t: [REFUSAL]),
    (["产奶量前2名的品种"], lambda t: [*t.groupby("品种")["产奶量(公斤)"].sum().nlargest(2).index]),
    (["不包括西门塔尔的总饲料成本"], lambda t: [Lead(t[t["品种"] != "西门塔尔"]["饲料成本(元)"].sum())]),
    (["产奶量有没有异常值"], lambda t: [(lambda q: ((t["产奶量(公斤)"] < q[.25] - 1.5 * (q[.75] - q[.25])) | (t["产奶量(公斤)"] > q[.75] + 1.5 * (q[.75] - q[.25]))).sum())(t["产奶量(公斤)"].quantile([.25, .75]))]),
    (["产奶量同比增长多少"], lambda t: [AnyOf(change(*(t[t["挤奶日期"].dt.year == y]["产奶量(公斤)"].sum() for y in (2023, 2024))), REFUSAL)]),
    (["红石牧场晚班平均乳脂率"], lambda t: [Lead(t[(t["牧场"] == "红石牧场") & (t["班次"] == "晚班")]["乳脂率(%)"].mean())]),
    (["数据从什么时候到什么时候"], lambda t: [str(t["挤奶日期"].min().date()), str(t["挤奶日期"].max().date())]),
]

CASES = [(name, asked, truth) for name, cases in [
    ("museum_35", MUSEUM), ("turbines_35", TURBINES), ("gym_zh_35", GYM), ("dairy_zh_35", DAIRY)]
    for asked, truth in cases]
