"""Questions written before looking at how they are read: bookings, marks (wide), 外卖, a messy shop export."""
import numpy as np
from wanted import AnyOf, CHART, Lead, REFUSAL


def month(s):
    return s.dt.strftime("%Y-%m")


def outside(s):
    """How many values Tukey's fences leave out."""
    q1, q3 = s.quantile(.25), s.quantile(.75)
    return int(((s < q1 - 1.5 * (q3 - q1)) | (s > q3 + 1.5 * (q3 - q1))).sum())


def growth(old, new):
    return (new - old) / old * 100


def share(part, whole):
    return part / whole * 100


def first(s, n=1):
    return list(s.sort_values(ascending=False).index[:n])


HOTEL = [
    (["how many bookings do we have in total"], lambda t: [Lead(len(t))]),
    (["What's the total revenue?"], lambda t: [Lead(t.total_price.sum())]),
    (["which hotel earned the most"], lambda t: [Lead(t.groupby("hotel").total_price.sum().idxmax(), t.groupby("hotel").total_price.sum().max())]),
    (["avg price per night by room type"], lambda t: list(t.groupby("room_type").price_per_night.mean())),
    (["median number of nights"], lambda t: [Lead(t.nights.median())]),
    (["How many bookings were canceled?"], lambda t: [Lead((t.status == "Canceled").sum())]),
    (["cancellation rate per channel"], lambda t: list(t.groupby("channel").status.agg(lambda s: (s == "Canceled").mean() * 100))),
    (["what percentage of bookings came via Expedia"], lambda t: [Lead((t.channel == "Expedia").mean() * 100)]),
    (["top 5 countries by number of bookings"], lambda t: [x for c, n in t.country.value_counts().head(5).items() for x in (c, n)]),
    (["Show me revenue per month in 2024 as a line chart"], lambda t: [CHART] + list(t[t.arrival_date.dt.year == 2024].groupby(month(t.arrival_date)).total_price.sum())),
    (["how did the number of bookings evolve quarter by quarter?"], lambda t: list(t.groupby(t.arrival_date.dt.to_period("Q")).size())),
    (["compare Grand Plaza with Sea View in terms of average rating"], lambda t: [t[t.hotel == "Grand Plaza"].rating.mean(), t[t.hotel == "Sea View"].rating.mean()]),
    (["is there a correlation between nights and total price?"], lambda t: [Lead(t.nights.corr(t.total_price))]),
    (["any outliers in price_per_night?"], lambda t: [outside(t.price_per_night), t.price_per_night.max()]),
    (["distribution of ratings"], lambda t: [AnyOf(t.rating.median(), t.rating.mean()), CHART]),
    (["how many ratings are missing?"], lambda t: [Lead(t.rating.isna().sum())]),
    (["Which booking was the most expensive?"], lambda t: [Lead(t.loc[t.total_price.idxmax(), "booking_id"], t.total_price.max())]),
    (["How many bookings were longer than 5 nights?"], lambda t: [Lead((t.nights > 5).sum())]),
    (["How many distinct countries do our guests come from?"], lambda t: [Lead(t.country.nunique())]),
    (["how many bookings from Germany were for a suite?"], lambda t: [Lead(((t.country == "Germany") & (t.room_type == "Suite")).sum())]),
    (["Could you please tell me the average number of nights for direct bookings?"], lambda t: [Lead(t[t.channel == "Direct"].nights.mean())]),
    (["revenue by hotel", "and by channel?"], lambda t: list(t.groupby("channel").total_price.sum())),
    (["total revenue in 2023", "what about 2024?"], lambda t: [Lead(t[t.arrival_date.dt.year == 2024].total_price.sum())]),
    (["top 10 countries by revenue", "only the top 3"], lambda t: list(t.groupby("country").total_price.sum().nlargest(3))),
    (["forecast the bookings for next year"], lambda t: [REFUSAL]),
    (["why are so many bookings canceled?"], lambda t: [REFUSAL]),
    (["which hotel has the friendliest manager?"], lambda t: [REFUSAL]),
    (["Whcih room type is booked most often"], lambda t: [Lead(t.room_type.value_counts().idxmax(), t.room_type.value_counts().max())]),
    (["average revenue per booking for each hotel, please"], lambda t: list(t.groupby("hotel").total_price.mean())),
    (["what was the revenue growth between 2023 Q1 and 2024 Q1"], lambda t: [growth(t[t.arrival_date.dt.to_period("Q").astype(str) == "2023Q1"].total_price.sum(), t[t.arrival_date.dt.to_period("Q").astype(str) == "2024Q1"].total_price.sum())]),
    (["ratio of canceled to checked-out bookings"], lambda t: [(t.status == "Canceled").sum() / (t.status == "Checked-out").sum()]),
    (["最受欢迎的房型是哪个"], lambda t: [Lead(t.room_type.value_counts().idxmax())]),
]

MARKS = [
    (["What is the average math mark?"], lambda t: [Lead(t.math.mean())]),
    (["average physics score per class"], lambda t: list(t.groupby("class").physics.mean())),
    (["how many students are in each class"], lambda t: list(t.groupby("class").size())),
    (["who has the most absences?"], lambda t: [Lead(t.absences.max()), AnyOf(str(t.loc[t.absences.idxmax(), "student_id"]), t.loc[t.absences.idxmax(), "last_name"])]),
    (["how many pupils scored above 80 in chemistry"], lambda t: [Lead((t.chemistry > 80).sum())]),
    (["Do girls do better in biology than boys?"], lambda t: [t[t.gender == "F"].biology.mean(), t[t.gender == "M"].biology.mean()]),
    (["compare the mean english mark of F and M"], lambda t: [t[t.gender == "F"].english.mean(), t[t.gender == "M"].english.mean()]),
    (["correlation between math and physics"], lambda t: [Lead(t.math.corr(t.physics))]),
    (["which subjects have missing marks?"], lambda t: ["history", t.history.isna().sum(), "art", t.art.isna().sum()]),
    (["How many students have no history grade?"], lambda t: [Lead(t.history.isna().sum())]),
    (["histogram of the math marks"], lambda t: [CHART, AnyOf(t.math.mean(), t.math.median())]),
    (["standard deviation of art"], lambda t: [Lead(AnyOf(t.art.std(), t.art.std(ddof=0)))]),
    (["top 3 students in math"], lambda t: list(t.math.nlargest(3))),
    (["lowest sports mark"], lambda t: [Lead(t.sports.min())]),
    (["median homework hours by gender"], lambda t: list(t.groupby("gender").homework_hours_per_week.median())),
    (["what share of students has a scholarship?"], lambda t: [Lead((t.scholarship == "yes").mean() * 100)]),
    (["are there outliers in the absences"], lambda t: [outside(t.absences), 41]),
    (["how many students were born in 2008?"], lambda t: [Lead((t.birth_year == 2008).sum())]),
    (["average of math, physics and chemistry"], lambda t: [t.math.mean(), t.physics.mean(), t.chemistry.mean()]),
    (["number of students by gender and class"], lambda t: list(t.groupby(["gender", "class"]).size())),
    (["does more homework go along with better history marks?"], lambda t: [t.homework_hours_per_week.corr(t.history)]),
    (["which class has the highest average in physics?"], lambda t: [Lead(t.groupby("class").physics.mean().idxmax(), t.groupby("class").physics.mean().max())]),
    (["average math mark by class", "as a bar chart"], lambda t: [CHART] + list(t.groupby("class").math.mean())),
    (["average math mark by class", "and in chemistry?"], lambda t: list(t.groupby("class").chemistry.mean())),
    (["average art mark in 9A", "what about 10B?"], lambda t: [Lead(t[t["class"] == "10B"].art.mean())]),
    (["will the marks improve next year?"], lambda t: [REFUSAL]),
    (["what is the average mark in geography?"], lambda t: [REFUSAL]),
    (["Which subject has the highest average?"], lambda t: [Lead("sports", t.sports.mean())]),
    (["how many students with scholarship are in 10A?"], lambda t: [Lead(((t.scholarship == "yes") & (t["class"] == "10A")).sum())]),
    (["90th percentile of biology"], lambda t: [Lead(t.biology.quantile(.9))]),
    (["students with less than 30 in math"], lambda t: [(t.math < 30).sum()]),
    (["各班的数学平均分"], lambda t: list(t.groupby("class").math.mean())),
]

WAIMAI = [
    (["一共有多少订单?"], lambda t: [Lead(len(t))]),
    (["订单总金额是多少"], lambda t: [Lead(t["订单金额"].sum())]),
    (["各商家的销售额排名"], lambda t: [x for k, v in t.groupby("商家")["订单金额"].sum().items() for x in (k, v)]),
    (["平均配送时长是多少分钟?"], lambda t: [Lead(t["配送时长(分钟)"].mean())]),
    (["每个骑手平均配送时间"], lambda t: list(t.groupby("骑手")["配送时长(分钟)"].mean())),
    (["哪个城区订单最多"], lambda t: [Lead(t["城区"].value_counts().idxmax(), t["城区"].value_counts().max())]),
    (["各品类订单金额占比"], lambda t: list(t.groupby("品类")["订单金额"].sum() / t["订单金额"].sum() * 100)),
    (["饮品的订单占比多少"], lambda t: [Lead((t["品类"] == "饮品").mean() * 100)]),
    (["每月订单量趋势"], lambda t: list(t.groupby(month(t["下单时间"])).size())),
    (["订单金额的中位数"], lambda t: [Lead(t["订单金额"].median())]),
    (["销售额前三的商家"], lambda t: [x for k, v in t.groupby("商家")["订单金额"].sum().nlargest(3).items() for x in (k, v)]),
    (["配送距离和配送时长有关系吗"], lambda t: [t["配送距离(公里)"].corr(t["配送时长(分钟)"])]),
    (["配送时长有没有异常值"], lambda t: [outside(t["配送时长(分钟)"]), 240]),
    (["评分缺失了多少"], lambda t: [Lead(t["评分"].isna().sum())]),
    (["评分的分布情况"], lambda t: [AnyOf(t["评分"].mean(), t["评分"].median(), (t["评分"] == 5).sum())]),
    (["退款率是多少"], lambda t: [Lead((t["是否退款"] == "是").mean() * 100)]),
    (["退款的订单有几个"], lambda t: [Lead((t["是否退款"] == "是").sum())]),
    (["朝阳区和海淀区哪个销售额高"], lambda t: [t[t["城区"] == "朝阳区"]["订单金额"].sum(), t[t["城区"] == "海淀区"]["订单金额"].sum()]),
    (["2024年1月的销售额"], lambda t: [Lead(t[month(t["下单时间"]) == "2024-01"]["订单金额"].sum())]),
    (["销售额环比增长"], lambda t: list(t.groupby(month(t["下单时间"]))["订单金额"].sum().pct_change().dropna().iloc[:5] * 100)),
    (["最贵的一单是哪个"], lambda t: [Lead(t.loc[t["订单金额"].idxmax(), "订单号"], t["订单金额"].max())]),
    (["金额超过100元的订单有多少"], lambda t: [Lead((t["订单金额"] > 100).sum())]),
    (["有多少家商家"], lambda t: [Lead(t["商家"].nunique())]),
    (["各城区平均评分,用柱状图"], lambda t: [CHART] + list(t.groupby("城区")["评分"].mean())),
    (["各商家的平均评分", "按骑手呢?"], lambda t: list(t.groupby("骑手")["评分"].mean())),
    (["寿司屋的总销售额", "川味轩呢"], lambda t: [Lead(t[t["商家"] == "川味轩"]["订单金额"].sum())]),
    (["预测下个月的订单量"], lambda t: [REFUSAL]),
    (["为什么朝阳区订单多"], lambda t: [REFUSAL]),
    (["顾客的平均年龄"], lambda t: [REFUSAL]),
    (["配送费为0的订单占多少"], lambda t: [(t["配送费"] == 0).mean() * 100]),
    (["哪天订单最多"], lambda t: [Lead(t.groupby(t["下单时间"].dt.date).size().max())]),
    (["每小时的订单数"], lambda t: list(t.groupby(t["下单时间"].dt.hour).size())),
    (["which shop has the lowest average rating?"], lambda t: [Lead(t.groupby("商家")["评分"].mean().idxmin())]),
]

REFUNDS = [
    (["total net amount"], lambda t: [Lead(t.net.sum())]),
    (["What is the gross amount per category?"], lambda t: list(t.groupby("category").gross.sum())),
    (["how much did we refund in total?"], lambda t: [Lead(t.refund.sum())]),
    (["number of orders with a refund"], lambda t: [Lead(t.refund.notna().sum())]),
    (["which product is refunded most often?"], lambda t: [Lead(t[t.refund.notna()]["product"].value_counts().idxmax())]),
    (["refunds by product"], lambda t: list(t.groupby("product").refund.sum())),
    (["average discount"], lambda t: [Lead(t.discount.mean())]),
    (["what is the mean discount for each state"], lambda t: list(t.groupby("state").discount.mean())),
    (["net sales by month"], lambda t: list(t.groupby(month(t.order_date)).net.sum())),
    (["orders in California in March 2024"], lambda t: [((t.state == "California") & (month(t.order_date) == "2024-03")).sum()]),
    (["how many orders were placed after 1 January 2025"], lambda t: [Lead((t.order_date > "2025-01-01").sum())]),
    (["net amount between 2024-06-01 and 2024-06-30"], lambda t: [Lead(t[(t.order_date >= "2024-06-01") & (t.order_date <= "2024-06-30")].net.sum())]),
    (["top 3 products by quantity"], lambda t: [x for k, v in t.groupby("product").qty.sum().nlargest(3).items() for x in (k, v)]),
    (["how many pieces did we sell"], lambda t: [Lead(t.qty.sum())]),
    (["what's the average weight of an order in kg"], lambda t: [Lead(t.weight.mean())]),
    (["payment methods: share of each"], lambda t: list(t.payment.value_counts(normalize=True) * 100)),
    (["compare PayPal and Klarna"], lambda t: [AnyOf(t[t.payment == "PayPal"].net.sum(), t[t.payment == "PayPal"].gross.sum(), (t.payment == "PayPal").sum())]),
    (["orders without any discount"], lambda t: [(t.discount == 0).sum()]),
    (["orders with a discount of at least 15%"], lambda t: [(t.discount >= 15).sum()]),
    (["biggest order by net amount"], lambda t: [Lead(t.net.max())]),
    (["which state has the lowest net sales?"], lambda t: [Lead(t.groupby("state").net.sum().idxmin(), t.groupby("state").net.sum().min())]),
    (["pie chart of net amount by category"], lambda t: [CHART] + list(t.groupby("category").net.sum())),
    (["net amount by category", "and for Texas only?"], lambda t: list(t[t.state == "Texas"].groupby("category").net.sum())),
    (["net sales in 2024 by quarter"], lambda t: list(t[t.order_date.dt.year == 2024].groupby(t.order_date.dt.quarter).net.sum())),
    (["month-over-month growth of net sales"], lambda t: list(t.groupby(month(t.order_date)).net.sum().pct_change().dropna().iloc[:6] * 100)),
    (["how many missing values are there in each column"], lambda t: [t.refund.isna().sum()]),
    (["does the weight correlate with the quantity?"], lambda t: [t.weight.corr(t.qty)]),
    (["how much profit did we make?"], lambda t: [REFUSAL]),
    (["which customer ordered the most?"], lambda t: [REFUSAL]),
    (["what will net sales be in 2026?"], lambda t: [REFUSAL]),
    (["what fraction of net sales was refunded"], lambda t: [AnyOf(t.refund.sum() / t.net.sum() * 100, t.refund.sum() / t.net.sum())]),
    (["how many diffrent products are there"], lambda t: [Lead(t["product"].nunique())]),
    (["Kitchen sales per state, sorted"], lambda t: [AnyOf(a, b) for a, b in zip(t[t.category == "Kitchen"].groupby("state").net.sum(), t[t.category == "Kitchen"].groupby("state").gross.sum())]),
]

CASES = [(name, asked, truth) for name, cases in
         [("hotel_bookings", HOTEL), ("marks", MARKS), ("waimai", WAIMAI), ("refunds", REFUNDS)] for asked, truth in cases]
