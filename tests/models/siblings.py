"""Sentences of the same kind as what a set of held-back questions missed, on other tables and in the other
language. Written beside the code that learned the kind, so they count for no share in its README."""
from held_back_31 import first, growth, named, year
from held_back_32 import row_of
from wanted import Lead, REFUSAL


def days(t):
    return (t["date_out"] - t["date_in"]).dt.days


GARAGE = [
    (["Average number of days between date_in and date_out by branch"], lambda t: named(days(t).groupby(t["branch"]).mean())),
    (["median time from date_in to date_out for Clutch jobs"], lambda t: [Lead(days(t)[t["service_type"] == "Clutch"].median())]),
    (["每个门店从date_in到date_out平均几天"], lambda t: named(days(t).groupby(t["branch"]).mean())),
    (["avg satisfaction (customer_score) by mechanic"], lambda t: named(t.groupby("mechanic")["customer_score"].mean())),
    (["which mechanic works the most hours?"], lambda t: [Lead("Callum"), t.groupby("mechanic")["labour_hours"].sum().max()]),
    (["How many percent of jobs were under warranty?"], lambda t: [Lead((t["under_warranty"] == "Yes").mean() * 100)]),
]

EVENTS = [
    (["The most expensive booking: which event and which venue was it?"], lambda t: row_of(t, "Total Paid", "Booking Ref") + row_of(t, "Total Paid", "Event") + row_of(t, "Total Paid", "Venue")),
    (["how many bookings came through the ticket booth (Box Office)?"], lambda t: [Lead((t["Source"] == "Box Office").sum())]),
    (["各场馆的购票数量"], lambda t: named(t.groupby("Venue")["Tickets"].sum())),
]

PAYMENTS = [
    (["how many rows are there?", "average transaction by region"], lambda t: named(t.groupby("region")["amount"].mean())),
    (["how many transactions per region", "average by category"], lambda t: named(t.groupby("category")["amount"].mean())),
    (["how many rows are there?", "by region"], lambda t: named(t.groupby("region").size())),
    (["percentage of the total by category"], lambda t: named(t.groupby("category")["amount"].sum() / t["amount"].sum() * 100)),
    (["what percentage of transactions is in each region"], lambda t: named(t.groupby("region").size() / len(t) * 100)),
]

FILMS = [
    (["highest rated movie"], lambda t: row_of(t, "IMDB Rating", "Title")),
    (["top rated genres"], lambda t: [first(t.groupby("Genre")["IMDB Rating"].mean())]),
    (["how many movies failed"], lambda t: [REFUSAL]),
]

DONATIONS = [
    (["what was the smallest donation and which campaign did it go to"], lambda t: row_of(t, "Amount", "Campaign", low=True)),
    (["which channel has the highest average donation"], lambda t: [first(t.groupby("Channel")["Amount"].mean())]),
    (["哪个渠道的平均捐款最高"], lambda t: [first(t.groupby("Channel")["Amount"].mean())]),
    (["which channel has the largest donation total"], lambda t: [first(t.groupby("Channel")["Amount"].sum())]),
    (["total donations by channel"], lambda t: named(t.groupby("Channel")["Amount"].sum())),
    (["which channel has the most donations"], lambda t: [first(t.groupby("Channel").size())]),
    (["By how many percent did the number of donations change from 2023 to 2024?"], lambda t: [growth(*((year(t["Date"]) == y).sum() for y in (2023, 2024)))]),
]

CHARGING = [
    (["各充电桩类型的平均充电费用"], lambda t: named(t.groupby("charger_type")["cost_eur"].mean())),
    (["非会员的充电次数占比"], lambda t: [Lead((~t["is_member"]).mean() * 100)]),
    (["各城市的停车次数"], lambda t: [REFUSAL]),
]

PURCHASES = [
    (["最贵的一单是哪个事业部买的"], lambda t: row_of(t, "采购金额(元)", "事业部")),
    (["最便宜的订单是哪个供应商的"], lambda t: row_of(t, "采购金额(元)", "供应商", low=True)),
    (["加急订单的平均金额"], lambda t: [Lead(t[t["是否加急"] == "是"]["采购金额(元)"].mean())]),
]

ATTENDANCE = [
    (["谁加班最多"], lambda t: [Lead(t.groupby("姓名")["加班小时"].sum().idxmax())]),
    (["who worked the most overtime?"], lambda t: [Lead(t.groupby("姓名")["加班小时"].sum().idxmax())]),
    (["the 3 people with the most overtime"], lambda t: named(t.groupby("姓名")["加班小时"].sum().nlargest(3))),
    (["研发部有多少人"], lambda t: [Lead(t[t["部门"] == "研发部"]["工号"].nunique())]),
    (["人均加班费是多少"], lambda t: [Lead(t.groupby("工号")["加班费(元)"].sum().mean())]),
    (["加班时长最多的3个部门"], lambda t: named(t.groupby("部门")["加班小时"].sum().nlargest(3))),
    (["各部门的加班总费用"], lambda t: named(t.groupby("部门")["加班费(元)"].sum())),
]

CASES = [(name, asked, truth) for name, cases in [
    ("transactions", PAYMENTS), ("movies", FILMS), ("garage_jobs_33", GARAGE), ("event_tickets_33", EVENTS), ("donations_32", DONATIONS), ("ev_charging_32", CHARGING),
    ("purchase_zh_32", PURCHASES), ("attendance_zh_33", ATTENDANCE)] for asked, truth in cases]
