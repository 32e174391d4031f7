"""More questions on more new tables."""
from questions import Lead, pct, top

W = [
    (["What are net sales by country?"], lambda t: list(t.groupby("CustomerCountry").NetSales.sum())),
    (["which product line sells best"], lambda t: [Lead(t.groupby("ProductLine").NetSales.sum().idxmax())]),
    (["return rate per product line"], lambda t: [100 * v for v in t.groupby("ProductLine").Status.apply(lambda s: (s == "Returned").mean())]),
    (["how many orders were returned?"], lambda t: [(t.Status == "Returned").sum()]),
    (["average delivery time in days"], lambda t: [t.DeliveryDays.mean()]),
    (["what's the average rating of cancelled orders"], lambda t: [t[t.Status == "Cancelled"].Rating.mean()]),
    (["yearly net sales"], lambda t: list(t.groupby(t.OrderDate.dt.year).NetSales.sum())),
    (["orders with coupon vs without: average sales"], lambda t: list(t.groupby("Coupon").NetSales.mean())),
    (["how many 5 star ratings"], lambda t: [(t.Rating == 5).sum()]),
    (["total shipping cost for the Netherlands in 2023"], lambda t: [t[(t.CustomerCountry == "Netherlands") & (t.OrderDate.dt.year == 2023)].ShippingCost.sum()]),
    (["units sold by product line"], lambda t: list(t.groupby("ProductLine").Qty.sum())),
    (["best month for Toys"], lambda t: [Lead(t[t.ProductLine == "Toys"].groupby(t.OrderDate.dt.strftime("%Y-%m")).NetSales.sum().idxmax())]),
    (["share of orders per country"], lambda t: [pct(v, len(t)) for v in t.CustomerCountry.value_counts()]),
    (["is rating related to delivery days?"], lambda t: [round(t.Rating.corr(t.DeliveryDays), 3)]),
    (["orders that took longer than 10 days"], lambda t: [(t.DeliveryDays > 10).sum()]),
    (["show the ten largest orders from Germany"], lambda t: list(t[t.CustomerCountry == "Germany"].nlargest(10, "NetSales").NetSales)),
    (["sales by country", "excluding the United Kingdom"], lambda t: list(t[t.CustomerCountry != "United Kingdom"].groupby("CustomerCountry").NetSales.sum())),
    (["revenue by status", "what about the number of orders?"], lambda t: list(t.Status.value_counts())),
]
H = [
    (["各科室的住院人数"], lambda t: list(t.科室.value_counts())),
    (["平均住院天数是多少"], lambda t: [t.住院天数.mean()]),
    (["哪个医生的病人最多"], lambda t: [Lead(t.医生.value_counts().idxmax())]),
    (["内科的总费用"], lambda t: [t[t.科室 == "内科"].住院费用.sum()]),
    (["60岁以上患者的平均费用"], lambda t: [t[t.患者年龄 >= 60].住院费用.mean()]),
    (["每个月的入院人数"], lambda t: list(t.groupby(t.入院日期.dt.strftime("%Y-%m")).size())),
    (["有医保的患者比例"], lambda t: [pct((t.医保 == "是").sum(), len(t))]),
    (["费用最高的患者花了多少钱"], lambda t: [t.住院费用.max()]),
    (["男女患者的平均住院天数"], lambda t: list(t.groupby("患者性别").住院天数.mean())),
    (["年龄和费用有关系吗"], lambda t: [round(t.患者年龄.corr(t.住院费用), 3)]),
    (["儿科和骨科的平均费用对比"], lambda t: [t[t.科室 == k].住院费用.mean() for k in ("儿科", "骨科")]),
    (["住院超过20天的有几个"], lambda t: [(t.住院天数 > 20).sum()]),
    (["第三季度的总费用"], lambda t: [t[(t.入院日期 >= "2023-07-01") & (t.入院日期 < "2023-10-01")].住院费用.sum()]),
    (["费用的中位数和平均值"], lambda t: [t.住院费用.median(), t.住院费用.mean()]),
    (["各科室费用占比,用饼图"], lambda t: [pct(v, t.住院费用.sum()) for v in t.groupby("科室").住院费用.sum()] + [".png"]),
]
Q = [
    (["which city is the warmest on average?"], lambda t: [Lead(t.groupby("city").max_temp.mean().idxmax())]),
    (["total rainfall per year in London"], lambda t: list(t[t.city == "London"].groupby(t.date.dt.year).rainfall_mm.sum())),
    (["how many rainy days (rainfall above 0) did Oslo have in 2022"], lambda t: [((t.city == "Oslo") & (t.date.dt.year == 2022) & (t.rainfall_mm > 0)).sum()]),
    (["hottest day in Rome"], lambda t: [t[t.city == "Rome"].max_temp.max()]),
    (["average temperature by month of the year"], lambda t: list(t.groupby(t.date.dt.month).max_temp.mean())),
    (["compare wind in Oslo and London"], lambda t: [t[t.city == c].wind_speed.mean() for c in ("Oslo", "London")]),
    (["Which month of 2023 had the most rain?"], lambda t: [Lead(t[t.date.dt.year == 2023].groupby(t.date.dt.strftime("%Y-%m")).rainfall_mm.sum().idxmax())]),
    (["max temp in July 2021 per city"], lambda t: list(t[t.date.dt.strftime("%Y-%m") == "2021-07"].groupby("city").max_temp.max())),
    (["wettest city"], lambda t: [t.groupby("city").rainfall_mm.sum().idxmax()]),
    (["plot the average max temp per quarter"], lambda t: list(t.groupby(t.date.dt.to_period("Q")).max_temp.mean()) + [".png"]),
]
CASES = [(name, talk, truth) for name, cases in [("webshop", W), ("hospital", H), ("weather", Q)] for talk, truth in cases]
