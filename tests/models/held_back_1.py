"""Questions in other words, written after the first set and without looking at the code."""
from questions import Lead, iqr_outliers, joined, month, pct, top

T = [
    (["How much money was spent altogether?"], lambda t: [t.amount.sum()]),
    (["give me the five best selling merchants"], lambda t: top(t.groupby("merchant").amount.sum(), 5)),
    (["Break down revenue by payment method"], lambda t: list(t.groupby("payment_method").amount.sum())),
    (["In which month did we earn the least?"], lambda t: [Lead(t.groupby(month(t)).amount.sum().idxmin())]),
    (["what's the average ticket size at FreshMart"], lambda t: [t[t.merchant == "FreshMart"].amount.mean()]),
    (["number of purchases made with cash"], lambda t: [(t.payment_method == "Cash").sum()]),
    (["How many transactions happened in December 2023?"], lambda t: [(month(t) == "2023-12").sum()]),
    (["plot the revenue trend"], lambda t: list(t.groupby(month(t)).amount.sum()) + [".png"]),
    (["Which customer spent the most?"], lambda t: [Lead(t.groupby("customer_id").amount.sum().idxmax())]),
    (["list the categories"], lambda t: list(t.category.unique()) + [10]),
    (["What fraction of transactions were paid by debit card?"], lambda t: [pct((t.payment_method == "Debit Card").sum(), len(t))]),
    (["revenue in Q2 2023 compared to Q2 2024"], lambda t: [t[(t.date >= "2023-04-01") & (t.date < "2023-07-01")].amount.sum(), t[(t.date >= "2024-04-01") & (t.date < "2024-07-01")].amount.sum()]),
    (["total for Electronics and Travel in the South"], lambda t: [t[(t.region == "South") & (t.category == c)].amount.sum() for c in ("Electronics", "Travel")]),
    (["average spend per customer"], lambda t: [t.groupby("customer_id").amount.sum().mean()]),
    (["transactions below 10 dollars: how many?"], lambda t: [(t.amount < 10).sum()]),
    (["How many transactions per month?"], lambda t: list(t.groupby(month(t)).size())),
    (["sales since January 2024 by region"], lambda t: list(t[t.date >= "2024-01-01"].groupby("region").amount.sum())),
    (["show the 3 smallest transactions"], lambda t: list(t.nsmallest(3, "amount").amount)),
    (["Total revenue?", "split it by region", "and just for Coffee"], lambda t: list(t[t.category == "Coffee"].groupby("region").amount.sum())),
    (["average amount by category", "show that as a bar chart"], lambda t: list(t.groupby("category").amount.mean()) + [".png"]),
    (["各支付方式的交易笔数"], lambda t: list(t.payment_method.value_counts())),
    (["北部(North)地区2023年的总消费是多少"], lambda t: [t[(t.region == "North") & (t.date.dt.year == 2023)].amount.sum()]),
    (["消费金额前五的商户"], lambda t: top(t.groupby("merchant").amount.sum(), 5)),
    (["金额超过1000的交易有几笔"], lambda t: [(t.amount > 1000).sum()]),
]
C = [
    (["哪个地区卖得最差"], lambda t: [Lead(t.groupby("地区").销售额.sum().idxmin())]),
    (["张伟一共卖了多少钱"], lambda t: [t[t.销售员 == "张伟"].销售额.sum()]),
    (["食品类的平均单价"], lambda t: [t[t.商品类别 == "食品"].单价.mean()]),
    (["2023年下半年总共有多少订单"], lambda t: [((t.销售日期 >= "2023-07-01") & (t.销售日期 < "2024-01-01")).sum()]),
    (["每个季度的销售额"], lambda t: list(t.groupby(t.销售日期.dt.to_period("Q")).销售额.sum())),
    (["电子产品占总销售额的百分比"], lambda t: [pct(t[t.商品类别 == "电子产品"].销售额.sum(), t.销售额.sum())]),
    (["用饼图展示各地区的销售额"], lambda t: list(t.groupby("地区").销售额.sum()) + [".png"]),
    (["一共有多少种商品"], lambda t: [t.商品名称.nunique()]),
    (["销售额异常值有多少个"], lambda t: [iqr_outliers(t.销售额)]),
    (["华东和华南哪个地区的订单更多"], lambda t: [(t.地区 == "华东").sum(), (t.地区 == "华南").sum()]),
]
E = [
    (["What is the typical salary of Lead level staff?"], lambda t: [t[t.JobLevel == "Lead"].MonthlySalary.mean()]),
    (["which department pays best on average"], lambda t: [Lead(t.groupby("Department").MonthlySalary.mean().idxmax())]),
    (["number of women in each department"], lambda t: list(t[t.Gender == "Female"].Department.value_counts())),
    (["share of remote workers by department"], lambda t: [100 * v for v in t.groupby("Department").Remote.apply(lambda s: (s == "Yes").mean())]),
    (["does performance depend on age?"], lambda t: [round(t.PerformanceScore.corr(t.Age), 3)]),
    (["oldest employee"], lambda t: [t.Age.max()]),
    (["employees under 30 earning more than 6000"], lambda t: [((t.Age < 30) & (t.MonthlySalary > 6000)).sum()]),
    (["女性员工的平均年龄"], lambda t: [t[t.Gender == "Female"].Age.mean()]),
]
S = [
    (["hottest sensor on average"], lambda t: [Lead(t.groupby("sensor_id").temperature_c.mean().idxmax())]),
    (["how much energy was consumed per day"], lambda t: list(t.groupby(t.timestamp.dt.date).power_kwh.sum())),
    (["count of warnings by sensor"], lambda t: list(t[t.status == "warning"].sensor_id.value_counts())),
    (["standard deviation of temperature"], lambda t: [t.temperature_c.std()]),
]
W = [
    (["error rate: what percentage of requests have status 500"], lambda t: [pct((t.status == 500).sum(), len(t))]),
    (["median response time for POST requests"], lambda t: [t[t.method == "POST"].response_time_ms.median()]),
    (["traffic by device in bytes"], lambda t: list(t.groupby("user.device").bytes_sent.sum())),
]
V = [
    (["who is happier, France or Spain? compare average satisfaction"], lambda t: [t[t.country == c].satisfaction.mean() for c in ("France", "Spain")]),
    (["which question has the most missing answers, q3 or q17"], lambda t: [t.q3.isna().sum(), t.q17.isna().sum()]),
    (["average hours online by age group"], lambda t: list(t.groupby("age_group").hours_online.mean())),
]
O = [
    (["average quantity per order for Corporate customers"], lambda o, c: [joined(o, c)[lambda j: j.segment == "Corporate"].quantity.mean()]),
    (["How many orders were placed in 2024?"], lambda o, c: [(o.order_date.dt.year == 2024).sum()]),
]
CASES = [(name, talk, truth) for name, cases in [
    ("transactions", T), ("chinese_sales", C), ("employees", E), ("sensors", S), ("weblogs", W), ("survey", V), ("shop", O)]
    for talk, truth in cases]
