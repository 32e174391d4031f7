"""Questions with what must stand in the answer, computed by pandas from the clean tables.

A case: the data set, the conversation (the last question counts), and a function from its tables to what
the answer must contain: numbers (within rounding) and words. `Lead(x)` must stand in the first line.
"""
import pandas as pd
from wanted import Lead


def top(series, n):
    return list(series.sort_values(ascending=False).index[:n])


def pct(a, b):
    return 100 * a / b


def month(t, column="date"):
    return t[column].dt.strftime("%Y-%m")


TRANSACTIONS = [
    (["What is the total amount?"], lambda t: [t.amount.sum()]),
    (["How many rows does the table have?"], lambda t: [len(t), 8]),
    (["what columns are in this file"], lambda t: list(t.columns)),
    (["What was our overall revenue?"], lambda t: [t.amount.sum()]),
    (["Average transaction value"], lambda t: [t.amount.mean()]),
    (["whats the median amount"], lambda t: [t.amount.median()]),
    (["top 5 merchants by amount"], lambda t: top(t.groupby("merchant").amount.sum(), 5) + [t.groupby("merchant").amount.sum().max()]),
    (["Which region sells least?"], lambda t: [Lead(t.groupby("region").amount.sum().idxmin(), t.groupby("region").amount.sum().min())]),
    (["what share of revenue comes from each category"], lambda t: [pct(t[t.category == c].amount.sum(), t.amount.sum()) for c in t.category.unique()]),
    (["What percentage of sales comes from Travel?"], lambda t: [Lead(pct(t[t.category == "Travel"].amount.sum(), t.amount.sum()))]),
    (["How did sales develop by month?"], lambda t: list(t.groupby(month(t)).amount.sum())),
    (["Which month was best?"], lambda t: [Lead(t.groupby(month(t)).amount.sum().idxmax(), t.groupby(month(t)).amount.sum().max())]),
    (["compare North and South"], lambda t: [t[t.region == "North"].amount.sum(), t[t.region == "South"].amount.sum()]),
    (["sales 2023 vs 2024"], lambda t: [t[t.date.dt.year == 2023].amount.sum(), t[t.date.dt.year == 2024].amount.sum()]),
    (["do people spend more on weekdays or weekends?"], lambda t: [t[t.date.dt.day_of_week < 5].amount.sum(), t[t.date.dt.day_of_week >= 5].amount.sum()]),
    (["total spending in March 2024"], lambda t: [t[month(t) == "2024-03"].amount.sum()]),
    (["how many transactions were above 500 in the North region"], lambda t: [((t.amount > 500) & (t.region == "North")).sum()]),
    (["How many different customers are there?"], lambda t: [t.customer_id.nunique()]),
    (["total amount excluding refunds"], lambda t: [t[t.amount >= 0].amount.sum()]),
    (["median amount for Coffee by region"], lambda t: list(t[t.category == "Coffee"].groupby("region").amount.median())),
    (["number of transactions per payment method"], lambda t: list(t.payment_method.value_counts())),
    (["most popular payment method"], lambda t: [Lead(t.payment_method.value_counts().idxmax(), t.payment_method.value_counts().max())]),
    (["sales between 2023-04-01 and 2023-06-30"], lambda t: [t[(t.date >= "2023-04-01") & (t.date < "2023-07-01")].amount.sum()]),
    (["what was the largest transaction?"], lambda t: [Lead(t.amount.max())]),
    (["average daily sales"], lambda t: [t.groupby("date").amount.sum().mean()]),
    (["how much did sales grow from January 2023 to January 2024?"], lambda t: [t[month(t) == "2023-01"].amount.sum(), t[month(t) == "2024-01"].amount.sum(), pct(t[month(t) == "2024-01"].amount.sum() - t[month(t) == "2023-01"].amount.sum(), t[month(t) == "2023-01"].amount.sum())]),
    (["month over month growth of revenue"], lambda t: list((t.groupby(month(t)).amount.sum().pct_change() * 100).dropna())),
    (["are there outliers in the amounts?"], lambda t: [iqr_outliers(t.amount)]),
    (["are there any duplicate rows"], lambda t: [6]),
    (["which columns have missing values"], lambda t: ["payment_method", "amount", 30, 18]),
    (["bar chart of sales by region"], lambda t: list(t.groupby("region").amount.sum()) + [".png"]),
    (["top 3 categories in the West by revenue in 2023"], lambda t: top(t[(t.region == "West") & (t.date.dt.year == 2023)].groupby("category").amount.sum(), 3)),
    (["total sales by region", "and by category?"], lambda t: list(t.groupby("category").amount.sum())),
    (["total sales by region", "now as a chart"], lambda t: list(t.groupby("region").amount.sum()) + [".png"]),
    (["total sales by region", "only for 2024"], lambda t: list(t[t.date.dt.year == 2024].groupby("region").amount.sum())),
    (["What were the sales in the North?", "what about the South?"], lambda t: [Lead(t[t.region == "South"].amount.sum())]),
    (["sales by merchant", "top 3 only"], lambda t: top(t.groupby("merchant").amount.sum(), 3)),
    (["total sales by category", "and the average?"], lambda t: list(t.groupby("category").amount.mean())),
    (["各类别的总金额是多少?"], lambda t: list(t.groupby("category").amount.sum())),
    (["哪个地区的销售额最高?"], lambda t: [Lead(t.groupby("region").amount.sum().idxmax(), t.groupby("region").amount.sum().max())]),
    (["按月趋势"], lambda t: list(t.groupby(month(t)).amount.sum())),
    (["2024年3月的总金额"], lambda t: [t[month(t) == "2024-03"].amount.sum()]),
    (["总共有多少笔交易?"], lambda t: [len(t)]),
    (["avarage amount per categry"], lambda t: list(t.groupby("category").amount.mean())),
    (["spending on Saturdays"], lambda t: [t[t.date.dt.day_of_week == 5].amount.sum()]),
    (["quarterly revenue"], lambda t: list(t.groupby(t.date.dt.to_period("Q")).amount.sum())),
    (["sales in the last month of the data"], lambda t: [t[month(t) == "2024-06"].amount.sum()]),
    (["what period does the data cover?"], lambda t: ["2023-01-01", str(t.date.max())[:10]]),
    (["revenue of all regions except North"], lambda t: [t[t.region != "North"].amount.sum()]),
    (["on which day of the week do we sell the most?"], lambda t: [Lead(t.groupby(t.date.dt.day_name()).amount.sum().idxmax())]),
]


def iqr_outliers(s):
    a, b = s.quantile([.25, .75])
    return int(((s < a - 1.5 * (b - a)) | (s > b + 1.5 * (b - a))).sum())


CHINESE = [
    (["销售额最高的3个商品"], lambda t: top(t.groupby("商品名称").销售额.sum(), 3) + [t.groupby("商品名称").销售额.sum().max()]),
    (["总销售额是多少?"], lambda t: [t.销售额.sum()]),
    (["华东的销售额"], lambda t: [t[t.地区 == "华东"].销售额.sum()]),
    (["各地区的平均销售额"], lambda t: list(t.groupby("地区").销售额.mean())),
    (["每个销售员的订单数"], lambda t: list(t.销售员.value_counts())),
    (["各类别销售额占比"], lambda t: [pct(v, t.销售额.sum()) for v in t.groupby("商品类别").销售额.sum()]),
    (["按月统计销售额,画折线图"], lambda t: list(t.groupby(month(t, "销售日期")).销售额.sum()) + [".png"]),
    (["2024年第一季度的销售额是多少"], lambda t: [t[(t.销售日期 >= "2024-01-01") & (t.销售日期 < "2024-04-01")].销售额.sum()]),
    (["哪个销售员卖得最好?"], lambda t: [Lead(t.groupby("销售员").销售额.sum().idxmax())]),
    (["数量大于5的订单有多少?"], lambda t: [(t.数量 > 5).sum()]),
    (["单价和数量有什么关系"], lambda t: [round(t.单价.corr(t.数量), 3)]),
    (["一共卖了多少件?"], lambda t: [t.数量.sum()]),
    (["咖啡的总销量"], lambda t: [t[t.商品名称 == "咖啡"].数量.sum()]),
    (["对比华东和华南"], lambda t: [t[t.地区 == r].销售额.sum() for r in ("华东", "华南")]),
    (["各地区销售额", "那按支付方式呢?"], lambda t: list(t.groupby("支付方式").销售额.sum())),
    (["各地区销售额", "画成图"], lambda t: list(t.groupby("地区").销售额.sum()) + [".png"]),
    (["华东的销售额", "华北呢?"], lambda t: [t[t.地区 == "华北"].销售额.sum()]),
    (["有哪些支付方式?"], lambda t: ["微信", "支付宝", "银行卡", 3]),
    (["使用微信支付的订单占比"], lambda t: [pct((t.支付方式 == "微信").sum(), len(t))]),
    (["有多少行数据?"], lambda t: [len(t)]),
    (["销售额的中位数"], lambda t: [t.销售额.median()]),
    (["除了华东以外的总销售额"], lambda t: [t[t.地区 != "华东"].销售额.sum()]),
    (["日均销售额"], lambda t: [t.groupby("销售日期").销售额.sum().mean()]),
    (["哪个月销售额最高"], lambda t: [Lead(t.groupby(month(t, "销售日期")).销售额.sum().idxmax())]),
    (["What is the total 销售额 by 地区?"], lambda t: list(t.groupby("地区").销售额.sum())),
    (["销售额在1000到2000之间的订单数量"], lambda t: [t.销售额.between(1000, 2000).sum()]),
]
EMPLOYEES = [
    (["average salary by department"], lambda t: list(t.groupby("Department").MonthlySalary.mean())),
    (["How many employees work in Sales?"], lambda t: [(t.Department == "Sales").sum()]),
    (["how many people are in IT"], lambda t: [(t.Department == "IT").sum()]),
    (["what's the highest salary?"], lambda t: [t.MonthlySalary.max()]),
    (["who earns the most?"], lambda t: [t.loc[t.MonthlySalary.idxmax(), "Name"], t.MonthlySalary.max()]),
    (["headcount per department"], lambda t: list(t.Department.value_counts())),
    (["attrition rate by department"], lambda t: [100 * v for v in t.groupby("Department").Left.apply(lambda s: (s == "Yes").mean())]),
    (["what percentage of employees are female?"], lambda t: [pct((t.Gender == "Female").sum(), len(t))]),
    (["average salary of men vs women"], lambda t: list(t.groupby("Gender").MonthlySalary.mean())),
    (["is there a correlation between age and salary"], lambda t: [round(t.Age.corr(t.MonthlySalary), 3)]),
    (["how many employees are older than 50?"], lambda t: [(t.Age > 50).sum()]),
    (["average age of senior employees in Engineering"], lambda t: [t[(t.JobLevel == "Senior") & (t.Department == "Engineering")].Age.mean()]),
    (["min, max and mean performance score"], lambda t: [t.PerformanceScore.min(), t.PerformanceScore.max(), t.PerformanceScore.mean()]),
    (["how many work remotely?"], lambda t: [(t.Remote == "Yes").sum()]),
    (["which department has the lowest average performance score"], lambda t: [Lead(t.groupby("Department").PerformanceScore.mean().idxmin())]),
    (["各部门的平均工资"], lambda t: list(t.groupby("Department").MonthlySalary.mean())),
    (["工资最高的5名员工"], lambda t: list(t.nlargest(5, "MonthlySalary").MonthlySalary)),
    (["what is the average years at company for employees who left"], lambda t: [t[t.Left == "Yes"].YearsAtCompany.mean()]),
    (["salary between 5000 and 6000: how many employees"], lambda t: [t.MonthlySalary.between(5000, 6000).sum()]),
    (["histogram of age"], lambda t: [t.Age.mean(), t.Age.median(), ".png"]),
    (["How many employees were hired in 2020?"], lambda t: [(t.HireDate.dt.year == 2020).sum()]),
    (["total payroll per job level"], lambda t: list(t.groupby("JobLevel").MonthlySalary.sum())),
]
SENSORS = [
    (["average temperature per sensor"], lambda t: list(t.groupby("sensor_id").temperature_c.mean())),
    (["what was the maximum temperature?"], lambda t: [75.5]),
    (["how many error readings are there"], lambda t: [(t.status == "error").sum()]),
    (["correlation of temperature and humidity"], lambda t: [round(t.temperature_c.corr(t.humidity), 3)]),
    (["average temperature by hour of the day"], lambda t: list(t.groupby(t.timestamp.dt.hour).temperature_c.mean())),
    (["daily average humidity for S-102"], lambda t: list(t[t.sensor_id == "S-102"].groupby(t.timestamp.dt.date).humidity.mean())),
    (["which sensor used the most power in total?"], lambda t: [Lead(t.groupby("sensor_id").power_kwh.sum().idxmax())]),
    (["find anomalies in temperature"], lambda t: [iqr_outliers(t.temperature_c)]),
    (["how many humidity values are missing?"], lambda t: [t.humidity.isna().sum()]),
    (["每个传感器的最高温度"], lambda t: ["S-101", "S-102", "S-103", 75.5]),
    (["share of readings by status"], lambda t: [pct(v, len(t)) for v in t.status.value_counts()]),
    (["temperature on 2024-05-03"], lambda t: [t[t.timestamp.dt.date == pd.Timestamp("2024-05-03").date()].temperature_c.mean()]),
]
WEBLOGS = [
    (["how many requests returned 404?"], lambda t: [(t.status == 404).sum()]),
    (["average response time by path"], lambda t: list(t.groupby("path").response_time_ms.mean())),
    (["slowest page on average"], lambda t: [Lead(t.groupby("path").response_time_ms.mean().idxmax())]),
    (["top 3 pages by number of requests"], lambda t: top(t.path.value_counts(), 3) + [t.path.value_counts().max()]),
    (["requests per country"], lambda t: list(t["user.country"].value_counts())),
    (["what share of requests comes from mobile devices?"], lambda t: [pct((t["user.device"] == "mobile").sum(), len(t))]),
    (["how many requests per day on average"], lambda t: [t.groupby(t.time.dt.date).size().mean()]),
    (["total bytes sent by method"], lambda t: list(t.groupby("method").bytes_sent.sum())),
    (["哪个国家的请求最多?"], lambda t: [Lead(t["user.country"].value_counts().idxmax())]),
    (["requests slower than 300 ms"], lambda t: [(t.response_time_ms > 300).sum()]),
]
SURVEY = [
    (["average satisfaction by country"], lambda t: list(t.groupby("country").satisfaction.mean())),
    (["how many respondents would recommend?"], lambda t: [(t.would_recommend == "yes").sum()]),
    (["what is the mean income of people aged 26-35"], lambda t: [t[t.age_group == "26-35"].income.mean()]),
    (["missing values per column"], lambda t: [t.q3.isna().sum(), t.income.isna().sum(), t.satisfaction.isna().sum(), t.q17.isna().sum()]),
    (["average of q5"], lambda t: [t.q5.mean()]),
    (["how many columns are there?"], lambda t: [len(t.columns)]),
    (["percentage of people with satisfaction of 4 or more by age group"], lambda t: [100 * v for v in t.groupby("age_group").satisfaction.apply(lambda s: (s >= 4).mean())]),
    (["收入的中位数是多少?"], lambda t: [t.income.median()]),
    (["各国的受访者人数"], lambda t: list(t.country.value_counts())),
    (["recommendation rate by country"], lambda t: [100 * v for v in t.groupby("country").would_recommend.apply(lambda s: (s == "yes").mean())]),
]


def joined(orders, customers):
    return orders.merge(customers, on="customer_id").assign(revenue=lambda o: o.unit_price * o.quantity)


SHOP = [
    (["total revenue by segment"], lambda o, c: list(joined(o, c).groupby("segment").revenue.sum())),
    (["how many orders per city?"], lambda o, c: list(joined(o, c).city.value_counts())),
    (["total quantity sold in 2023"], lambda o, c: [o[o.order_date.dt.year == 2023].quantity.sum()]),
    (["how many customers are in Berlin?"], lambda o, c: [(c.city == "Berlin").sum()]),
    (["which city has the highest number of orders"], lambda o, c: [Lead(joined(o, c).city.value_counts().idxmax())]),
    (["revenue by year"], lambda o, c: list(joined(o, c).groupby(o.order_date.dt.year).revenue.sum())),
]

CASES = [(name, talk, truth) for name, cases in [
    ("transactions", TRANSACTIONS), ("chinese_sales", CHINESE), ("employees", EMPLOYEES), ("sensors", SENSORS),
    ("weblogs", WEBLOGS), ("survey", SURVEY), ("shop", SHOP)] for talk, truth in cases]
