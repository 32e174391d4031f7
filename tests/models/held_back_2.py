"""A second set in yet other words, written after the first was answered."""
import pandas as pd
from questions import Lead, joined, month, pct, top

T = [
    (["Where do we make the most money, by region?"], lambda t: [t.groupby("region").amount.sum().idxmax(), t.groupby("region").amount.sum().max()]),
    (["I want to see turnover for every merchant, highest first"], lambda t: list(t.groupby("merchant").amount.sum())),
    (["What's the mean transaction amount for Mobile Pay users?"], lambda t: [t[t.payment_method == "Mobile Pay"].amount.mean()]),
    (["how many unique merchants do we have"], lambda t: [t.merchant.nunique()]),
    (["Revenue per quarter in 2023"], lambda t: list(t[t.date.dt.year == 2023].groupby(t.date.dt.to_period("Q")).amount.sum())),
    (["Which category had the fewest transactions?"], lambda t: [Lead(t.category.value_counts().idxmin(), t.category.value_counts().min())]),
    (["What proportion of total sales did the top category make up?"], lambda t: [pct(t.groupby("category").amount.sum().max(), t.amount.sum())]),
    (["sum of amounts between 100 and 200"], lambda t: [t[t.amount.between(100, 200)].amount.sum()]),
    (["transactions at Cafe Luna in 2024"], lambda t: [((t.merchant == "Cafe Luna") & (t.date.dt.year == 2024)).sum()]),
    (["Give me revenue by region and payment method"], lambda t: list(t.groupby(["region", "payment_method"]).amount.sum())),
    (["weekly sales for the last 8 weeks"], lambda t: [t[t.date > t.date.max() - pd.Timedelta(days=56)].amount.sum()]),
    (["what is the minimum, maximum and average amount per region"], lambda t: list(t.groupby("region").amount.mean()) + list(t.groupby("region").amount.max())),
    (["how did the number of transactions change year over year"], lambda t: [(t.date.dt.year == 2023).sum(), (t.date.dt.year == 2024).sum()]),
    (["Which merchant in the East sold the most in 2024?"], lambda t: [Lead(t[(t.region == "East") & (t.date.dt.year == 2024)].groupby("merchant").amount.sum().idxmax())]),
    (["show me negative amounts"], lambda t: [(t.amount < 0).sum()]),
    (["how many refunds are there?"], lambda t: [(t.amount < 0).sum()]),
    (["what does customer C0042 spend in total"], lambda t: [t[t.customer_id == "C0042"].amount.sum()]),
    (["line chart of monthly number of transactions"], lambda t: list(t.groupby(month(t)).size()) + [".png"]),
    (["average amount by weekday"], lambda t: list(t.groupby(t.date.dt.day_of_week).amount.mean())),
    (["sales in the summer months June to August 2023"], lambda t: [t[(t.date >= "2023-06-01") & (t.date < "2023-09-01")].amount.sum()]),
    (["Top 3 customers?", "what about the bottom 3?"], lambda t: list(t.groupby("customer_id").amount.sum().nsmallest(3).index)),
    (["How many transactions in the West?", "and in the East?"], lambda t: [(t.region == "East").sum()]),
    (["销售额按地区", "只看2023年", "画成柱状图"], lambda t: list(t[t.date.dt.year == 2023].groupby("region").amount.sum()) + [".png"]),
    (["每月的平均交易金额"], lambda t: list(t.groupby(month(t)).amount.mean())),
    (["信用卡(Credit Card)支付占比多少"], lambda t: [pct((t.payment_method == "Credit Card").sum(), len(t))]),
]
C = [
    (["哪种商品的销量最大"], lambda t: [Lead(t.groupby("商品名称").数量.sum().idxmax())]),
    (["每个地区有多少订单"], lambda t: list(t.地区.value_counts())),
    (["2023年和2024年的销售额对比"], lambda t: [t[t.销售日期.dt.year == y].销售额.sum() for y in (2023, 2024)]),
    (["销售额排名前二的销售员"], lambda t: top(t.groupby("销售员").销售额.sum(), 2)),
    (["李娜在华东的销售额是多少"], lambda t: [t[(t.销售员 == "李娜") & (t.地区 == "华东")].销售额.sum()]),
    (["服装和家居的总销售额分别是多少"], lambda t: [t[t.商品类别 == c].销售额.sum() for c in ("服装", "家居")]),
    (["平均每单金额"], lambda t: [t.销售额.mean()]),
    (["最贵的商品是什么"], lambda t: [t.loc[t.单价.idxmax(), "商品名称"]]),
    (["数据有缺失吗"], lambda t: ["没有缺失值"]),
    (["单价低于50元的订单有多少个?"], lambda t: [(t.单价 < 50).sum()]),
    (["数据的时间范围是什么?"], lambda t: [str(t.销售日期.min())[:10], str(t.销售日期.max())[:10]]),
    (["3月份的销售额"], lambda t: [t[t.销售日期.dt.month == 3].销售额.sum()]),
    (["周末和工作日的销售额对比"], lambda t: [t[t.销售日期.dt.day_of_week >= 5].销售额.sum()]),
]
E = [
    (["how is salary distributed?"], lambda t: [t.MonthlySalary.mean(), t.MonthlySalary.median()]),
    (["employees per job level and gender"], lambda t: list(t.groupby(["JobLevel", "Gender"]).size())),
    (["How many employees left the company?"], lambda t: [(t.Left == "Yes").sum()]),
    (["what's the turnover rate"], lambda t: [100 * (t.Left == "Yes").mean()]),
    (["Who are the 3 youngest employees?"], lambda t: [t.Age.min()]),
    (["highest salary in each department"], lambda t: list(t.groupby("Department").MonthlySalary.max())),
    (["employees with more than 10 years at the company: average salary"], lambda t: [t[t.YearsAtCompany > 10].MonthlySalary.mean()]),
    (["scatter plot of age against salary"], lambda t: [round(t.Age.corr(t.MonthlySalary), 3), ".png"]),
    (["男性和女性的平均绩效"], lambda t: list(t.groupby("Gender").PerformanceScore.mean())),
    (["what are the departments?"], lambda t: list(t.Department.unique())),
]
S = [
    (["when was the temperature highest?"], lambda t: [75.5]),
    (["mean humidity when temperature is above 25"], lambda t: [t[t.temperature_c > 25].humidity.mean()]),
    (["how many readings per sensor per day"], lambda t: [96]),
    (["compare S-101 and S-103 temperature"], lambda t: [t[t.sensor_id == s].temperature_c.mean() for s in ("S-101", "S-103")]),
    (["温度和湿度的相关性"], lambda t: [round(t.temperature_c.corr(t.humidity), 3)]),
]
W = [
    (["how many hits came from Germany"], lambda t: [(t["user.country"] == "DE").sum()]),
    (["busiest hour of the day"], lambda t: [Lead(t.groupby(t.time.dt.hour).size().idxmax())]),
    (["number of requests by status code"], lambda t: list(t.status.value_counts())),
    (["95% of traffic"], lambda t: []),
]
V = [
    (["mean satisfaction for people who would recommend vs not"], lambda t: list(t.groupby("would_recommend").satisfaction.mean())),
    (["how complete is the data"], lambda t: [t.q3.isna().sum()]),
    (["which country has the highest average income"], lambda t: [Lead(t.groupby("country").income.mean().idxmax())]),
    (["correlation between income and hours online"], lambda t: [round(t.income.corr(t.hours_online), 3)]),
]
O = [
    (["which segment brings in the most revenue?"], lambda o, c: [Lead(joined(o, c).groupby("segment").revenue.sum().idxmax())]),
    (["average discount"], lambda o, c: [o.discount.mean()]),
    (["number of customers per segment"], lambda o, c: list(c.segment.value_counts())),
    (["units sold per city"], lambda o, c: list(joined(o, c).groupby("city").quantity.sum())),
]
CASES = [(name, talk, truth) for name, cases in [
    ("transactions", T), ("chinese_sales", C), ("employees", E), ("sensors", S), ("weblogs", W), ("survey", V), ("shop", O)]
    for talk, truth in cases]
