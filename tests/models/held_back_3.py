"""A third set, with tables that the first sets did not have."""
import pandas as pd
from questions import Lead, joined, month, pct, top

T = [
    (["Tell me the revenue for Groceries"], lambda t: [t[t.category == "Groceries"].amount.sum()]),
    (["Can you rank the regions by number of transactions?"], lambda t: list(t.region.value_counts())),
    (["How much was spent on Clothing via Credit Card in November 2023?"], lambda t: [t[(t.category == "Clothing") & (t.payment_method == "Credit Card") & (month(t) == "2023-11")].amount.sum()]),
    (["What is the biggest purchase in the Travel category?"], lambda t: [t[t.category == "Travel"].amount.max()]),
    (["what were our worst three months in terms of sales"], lambda t: list(t.groupby(month(t)).amount.sum().nsmallest(3).index)),
    (["did sales increase from 2023 Q1 to 2024 Q1?"], lambda t: [t[(t.date >= "2023-01-01") & (t.date < "2023-04-01")].amount.sum(), t[(t.date >= "2024-01-01") & (t.date < "2024-04-01")].amount.sum()]),
    (["average basket in each region for Electronics"], lambda t: list(t[t.category == "Electronics"].groupby("region").amount.mean())),
    (["percentage of transactions by region"], lambda t: [pct(v, len(t)) for v in t.region.value_counts()]),
    (["which payment method is used least often"], lambda t: [Lead(t.payment_method.value_counts().idxmin())]),
    (["sales after 1 May 2024"], lambda t: [t[t.date > "2024-05-01"].amount.sum()]),
    (["how many customers bought at SkyWings"], lambda t: [t[t.merchant == "SkyWings"].customer_id.nunique()]),
    (["total amount without Electronics and Travel"], lambda t: [t[~t.category.isin(["Electronics", "Travel"])].amount.sum()]),
    (["draw a pie of the number of transactions per category"], lambda t: list(t.category.value_counts()) + [".png"]),
    (["summarize the data"], lambda t: [t.amount.mean(), t.amount.std()]),
    (["first 5 rows please"], lambda t: ["T00001", "T00005"]),
    (["sales by month in the North", "same for South"], lambda t: list(t[t.region == "South"].groupby(month(t)).amount.sum())),
    (["average amount", "per region", "top 2"], lambda t: list(t.groupby("region").amount.mean().nlargest(2))),
    (["各地区各类别的销售额"], lambda t: list(t.groupby(["region", "category"]).amount.sum())),
    (["最近三个月的总销售额"], lambda t: [t[t.date >= "2024-04-01"].amount.sum()]),
    (["哪一天的销售额最高?"], lambda t: [Lead(str(t.groupby("date").amount.sum().idxmax())[:10])]),
    (["2024年1月环比增长了多少"], lambda t: [pct(t[month(t) == "2024-01"].amount.sum() - t[month(t) == "2023-12"].amount.sum(), t[month(t) == "2023-12"].amount.sum())]),
    (["有多少不同的商户?"], lambda t: [t.merchant.nunique()]),
]
C = [
    (["微信和支付宝哪个用得多"], lambda t: [(t.支付方式 == "微信").sum(), (t.支付方式 == "支付宝").sum()]),
    (["各销售员的平均单笔金额"], lambda t: list(t.groupby("销售员").销售额.mean())),
    (["销售额最低的月份是哪个"], lambda t: [Lead(t.groupby(month(t, "销售日期")).销售额.sum().idxmin())]),
    (["手机卖了多少台"], lambda t: [t[t.商品名称 == "手机"].数量.sum()]),
    (["统计每个类别的商品数量总和"], lambda t: list(t.groupby("商品类别").数量.sum())),
    (["华南地区2024年的订单有多少笔"], lambda t: [((t.地区 == "华南") & (t.销售日期.dt.year == 2024)).sum()]),
    (["销售额大于10000的订单占多少比例"], lambda t: [pct((t.销售额 > 10000).sum(), len(t))]),
    (["数量和销售额的相关系数是多少?"], lambda t: [round(t.数量.corr(t.销售额), 3)]),
    (["总结一下这份数据"], lambda t: [t.销售额.mean()]),
    (["西南地区最畅销的商品"], lambda t: []),
]
E = [
    (["How old is the average employee?"], lambda t: [t.Age.mean()]),
    (["Give me the median salary per level"], lambda t: list(t.groupby("JobLevel").MonthlySalary.median())),
    (["how many seniors are in Marketing"], lambda t: [((t.JobLevel == "Senior") & (t.Department == "Marketing")).sum()]),
    (["which department has the most women?"], lambda t: [Lead(t[t.Gender == "Female"].Department.value_counts().idxmax())]),
    (["average tenure by department"], lambda t: list(t.groupby("Department").YearsAtCompany.mean())),
    (["how many people joined each year"], lambda t: list(t.groupby(t.HireDate.dt.year).size())),
    (["what percent of the staff works remotely"], lambda t: [100 * (t.Remote == "Yes").mean()]),
    (["离职率最高的部门"], lambda t: [Lead(t.groupby("Department").Left.apply(lambda s: (s == "Yes").mean()).idxmax())]),
    (["30岁以下的员工有多少人"], lambda t: [(t.Age <= 30).sum()]),
    (["salary by age"], lambda t: []),
    (["is there any link between performance score and salary?"], lambda t: [round(t.PerformanceScore.corr(t.MonthlySalary), 3)]),
]
S = [
    (["Plot temperature over time for S-101"], lambda t: [".png"]),
    (["lowest humidity recorded"], lambda t: [t.humidity.min()]),
    (["total energy consumption per sensor"], lambda t: list(t.groupby("sensor_id").power_kwh.sum())),
    (["percentage of readings with error status for each sensor"], lambda t: [100 * v for v in t.groupby("sensor_id").status.apply(lambda s: (s == "error").mean())]),
    (["at what hour is it warmest on average"], lambda t: [Lead(t.groupby(t.timestamp.dt.hour).temperature_c.mean().idxmax())]),
]
W = [
    (["what are the slowest 3 paths by average response time"], lambda t: list(t.groupby("path").response_time_ms.mean().nlargest(3).index)),
    (["how many 5xx errors... I mean status 500, per path"], lambda t: list(t[t.status == 500].path.value_counts())),
    (["daily number of requests"], lambda t: list(t.groupby(t.time.dt.date).size())[:5]),
    (["share of POST requests"], lambda t: [pct((t.method == "POST").sum(), len(t))]),
    (["average bytes per request by country"], lambda t: list(t.groupby("user.country").bytes_sent.mean())),
]
V = [
    (["number of participants per country"], lambda t: list(t.country.value_counts())),
    (["compare satisfaction in Germany and Italy"], lambda t: [t[t.country == c].satisfaction.mean() for c in ("Germany", "Italy")]),
    (["how many people did not answer q3?"], lambda t: [t.q3.isna().sum()]),
    (["distribution of satisfaction"], lambda t: [t.satisfaction.mean()]),
]
O = [
    (["revenue per city, as a bar chart"], lambda o, c: list(joined(o, c).groupby("city").revenue.sum()) + [".png"]),
    (["how many orders did Small Business customers place?"], lambda o, c: [(joined(o, c).segment == "Small Business").sum()]),
    (["average unit price by month in 2024"], lambda o, c: list(o[o.order_date.dt.year == 2024].groupby(o.order_date.dt.to_period("M")).unit_price.mean())),
    (["number of orders with a discount of 0.2"], lambda o, c: [(o.discount == .2).sum()]),
]
CASES = [(name, talk, truth) for name, cases in [
    ("transactions", T), ("chinese_sales", C), ("employees", E), ("sensors", S), ("weblogs", W), ("survey", V), ("shop", O)]
    for talk, truth in cases]
