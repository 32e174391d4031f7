"""Sixty questions about two tables of their own, half of them in Chinese, written before the code of that day was run on them."""
from held_back_34 import month, named
from held_back_36 import change, in_year
from held_back_38 import either
from wanted import CHART, REFUSAL, Lead

HARBOUR = [
    (["How many ships called?"], lambda t: either(len(t))),
    (["total tonnes by cargo"], lambda t: named(t.groupby("cargo")["tonnes"].sum())),
    (["tonnes per flag"], lambda t: either(t.groupby("flag")["tonnes"].sum().max())),
    (["average draught by cargo"], lambda t: named(t.groupby("cargo")["draught_m"].mean())),
    (["draught of ships from Malta"], lambda t: either()),
    (["berth hours by pilot"], lambda t: either()),
    (["harbour dues by month in 2024 as a line chart"], lambda t: either(CHART)),
    (["Which pilot guided the most ships?"], lambda t: either(Lead(t["pilot"].value_counts().idxmax()))),
    (["share of calls that needed a tug"], lambda t: either(Lead((t["tug_needed"] == "yes").mean() * 100))),
    (["share of calls with a tug among ships from Panama"], lambda t: either(Lead((t[t["flag"] == "Panama"]["tug_needed"] == "yes").mean() * 100))),
    (["calls with timber where no tug was needed"], lambda t: either(((t["cargo"] == "timber") & (t["tug_needed"] == "no")).sum())),
    (["calls longer than 30 berth hours"], lambda t: either((t["berth_hours"] > 30).sum())),
    (["heaviest cargo delivered"], lambda t: either(t["tonnes"].max())),
    (["Who piloted the deepest ship?"], lambda t: either(t.loc[t["draught_m"].idxmax(), "pilot"])),
    (["average tonnes per call for fish"], lambda t: either(t[t["cargo"] == "fish"]["tonnes"].mean())),
    (["flags with more than 100 calls"], lambda t: [REFUSAL]),
    (["calls with dues above the average of their flag"], lambda t: [REFUSAL]),
    (["Which pilots never handled gravel?"], lambda t: [REFUSAL]),
    (["biggest cargo of each flag"], lambda t: [REFUSAL]),
    (["containers unloaded by Ketil"], lambda t: [REFUSAL]),
    (["crew size of Norwegian ships"], lambda t: [REFUSAL]),
    (["How many days after arrival did they leave?"], lambda t: [REFUSAL]),
    (["median harbour dues"], lambda t: [Lead(t["harbour_dues_nok"].median())]),
    (["lowest dues paid by a ship from Liberia"], lambda t: either(t[t["flag"] == "Liberia"]["harbour_dues_nok"].min())),
    (["dues in 2023 vs 2024"], lambda t: either(in_year(t, "arrived", 2023)["harbour_dues_nok"].sum())),
    (["calls on weekends"], lambda t: either((t["arrived"].dt.dayofweek >= 5).sum())),
    (["dues per tonne by cargo"], lambda t: either((t[t["cargo"] == "salt"]["harbour_dues_nok"].sum() / t[t["cargo"] == "salt"]["tonnes"].sum()))),
    (["tonnes and dues by flag, and the same for salt only"], lambda t: [REFUSAL]),
    (["Ragna versus Tove: total tonnes"], lambda t: [t[t["pilot"] == p]["tonnes"].sum() for p in ("Ragna", "Tove")]),
    (["Will more ships call next year?"], lambda t: [REFUSAL]),
]

NOODLES = [
    (["总产量是多少袋"], lambda t: [Lead(t["产量(袋)"].sum())]),
    (["各车间的产量"], lambda t: named(t.groupby("车间")["产量(袋)"].sum())),
    (["各车间的烘干温度"], lambda t: either()),
    (["各面型的平均含水率"], lambda t: named(t.groupby("面型")["含水率(%)"].mean())),
    (["含水率最高的批次"], lambda t: either(t["含水率(%)"].max())),
    (["不良率"], lambda t: either(t["不良数"].sum() / t["产量(袋)"].sum() * 100)),
    (["哪个车间的不良数最多"], lambda t: [Lead(t.groupby("车间")["不良数"].sum().idxmax())]),
    (["贺班长生产了多少袋乌冬"], lambda t: either(t[(t["班长"] == "贺班长") & (t["面型"] == "乌冬")]["产量(袋)"].sum())),
    (["出口批次占比"], lambda t: either(Lead((t["是否出口"] == "是").mean() * 100))),
    (["出口的细面总产量"], lambda t: either(t[(t["是否出口"] == "是") & (t["面型"] == "细面")]["产量(袋)"].sum())),
    (["2024年3月的电费"], lambda t: [Lead(t[month(t, "生产日期") == "2024-03"]["电费(元)"].sum())]),
    (["每月产量折线图"], lambda t: [CHART, t.groupby(month(t, "生产日期"))["产量(袋)"].sum().max()]),
    (["烘干温度高于80度的批次有多少"], lambda t: either((t["烘干温度"] > 80).sum())),
    (["产量超过5000袋的批次数"], lambda t: either((t["产量(袋)"] > 5000).sum())),
    (["烘干温度和含水率的相关系数"], lambda t: [round(t["烘干温度"].corr(t["含水率(%)"]), 3)]),
    (["每袋电费是多少"], lambda t: either(t["电费(元)"].sum() / t["产量(袋)"].sum())),
    (["每个班长产量最高的面型"], lambda t: [REFUSAL]),
    (["产量高于本车间平均的批次"], lambda t: [REFUSAL]),
    (["从没生产过宽面的班长"], lambda t: [REFUSAL]),
    (["总产量超过50万袋的车间"], lambda t: [REFUSAL]),
    (["日均产量"], lambda t: either(t.groupby("生产日期")["产量(袋)"].sum().mean())),
    (["工人一共加班了多久"], lambda t: [REFUSAL]),
    (["面粉用了多少公斤"], lambda t: [REFUSAL]),
    (["2023年和2024年的不良数对比"], lambda t: [in_year(t, "生产日期", y)["不良数"].sum() for y in (2023, 2024)]),
    (["2024年产量比2023年增长多少"], lambda t: either(change(*(in_year(t, "生产日期", y)["产量(袋)"].sum() for y in (2023, 2024))))),
    (["产量前三的面型"], lambda t: named(t.groupby("面型")["产量(袋)"].sum().nlargest(3))),
    (["西车间平均每批产量", "南车间呢"], lambda t: either(t[t["车间"] == "南车间"]["产量(袋)"].mean())),
    (["各车间总产量和平均含水率"], lambda t: either(t.groupby("车间")["产量(袋)"].sum().max())),
    (["哪种面最好吃"], lambda t: [REFUSAL]),
    (["第一批是哪天生产的"], lambda t: either(str(t["生产日期"].min().date()))),
]

CASES = [(name, asked, truth) for name, cases in [("harbour_39", HARBOUR), ("noodles_zh_39", NOODLES)]
         for asked, truth in cases]
