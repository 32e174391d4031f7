"""Questions as a plain user types them: orders of an office shop, a telecom's customers, 渠道订单."""
from held_back_7 import growth, month, outside
from wanted import AnyOf, CHART, Lead, REFUSAL


def rate(t, key, flag, yes):
    return list(t.groupby(key)[flag].agg(lambda s: (s == yes).mean() * 100))


def best(s):
    return Lead(s.idxmax(), s.max())


def ups(s):
    return s.pct_change().dropna() * 100


ORDERS = [
    (["show me total sales"], lambda t: [Lead(t.Sales.sum())]),
    (["give me sales by region"], lambda t: list(t.groupby("Region").Sales.sum())),
    (["I want to know which product sells the most units"], lambda t: [best(t.groupby("Product").Qty.sum())]),
    (["breakdown of sales by customer segment"], lambda t: list(t.groupby("Customer Segment").Sales.sum())),
    (["how many orders were returned?"], lambda t: [Lead(t.is_returned.sum())]),
    (["what percentage of orders are returned?"], lambda t: [Lead(t.is_returned.mean() * 100)]),
    (["return rate by category"], lambda t: rate(t, "Category", "is_returned", True)),
    (["sales per month", "now as a bar chart"], lambda t: [CHART] + list(t.groupby(month(t["Order Date"])).Sales.sum())),
    (["average order value"], lambda t: [Lead(t.Sales.mean())]),
    (["sales by region", "only for 2024", "as percentages"], lambda t: [v / t[t["Order Date"].dt.year == 2024].Sales.sum() * 100 for v in t[t["Order Date"].dt.year == 2024].groupby("Region").Sales.sum()]),
    (["total sales by category", "what about the average instead?"], lambda t: list(t.groupby("Category").Sales.mean())),
    (["sales by product", "top 3 only"], lambda t: list(t.groupby("Product").Sales.sum().nlargest(3))),
    (["sales by region", "exclude South"], lambda t: list(t[t.Region != "South"].groupby("Region").Sales.sum())),
    (["how does shipping days vary by region"], lambda t: list(t.groupby("Region")["Shipping Days"].mean())),
    (["is there a relationship between discount and quantity?"], lambda t: [t.Discount.corr(t.Qty)]),
    (["which region performs best?"], lambda t: [best(t.groupby("Region").Sales.sum())]),
    (["which category performs worst?"], lambda t: [Lead(t.groupby("Category").Sales.sum().idxmin(), t.groupby("Category").Sales.sum().min())]),
    (["what's the busiest day of the week?"], lambda t: [Lead(t["Order Date"].dt.day_name().value_counts().idxmax())]),
    (["month over month growth in sales"], lambda t: list(ups(t.groupby(month(t["Order Date"])).Sales.sum()).iloc[:5])),
    (["cumulative sales by month in 2024"], lambda t: list(t[t["Order Date"].dt.year == 2024].groupby(month(t["Order Date"])).Sales.sum().cumsum())),
    (["any missing values?"], lambda t: ["Shipping Days", 27]),
    (["any outliers in sales?"], lambda t: [outside(t.Sales), 12400]),
    (["distribution of unit price"], lambda t: [AnyOf(t["Unit Price"].mean(), t["Unit Price"].median())]),
    (["how many orders got a discount?"], lambda t: [AnyOf(Lead((t.Discount > 0).sum()), REFUSAL)]),
    (["orders with more than 10 items"], lambda t: [(t.Qty > 10).sum()]),
    (["top 10% of orders by sales"], lambda t: [AnyOf(t.Sales.nlargest(110).sum(), 110)]),
    (["what's our profit?"], lambda t: [REFUSAL]),
    (["sales split by category and region"], lambda t: list(t.groupby(["Category", "Region"]).Sales.sum())),
    (["quantity sold per product in the West"], lambda t: list(t[t.Region == "West"].groupby("Product").Qty.sum())),
    (["how did 2024 compare to 2023 in sales?"], lambda t: list(t.groupby(t["Order Date"].dt.year).Sales.sum())),
]

CHURN = [
    (["what percentage of women are on a two year contract?"], lambda t: [Lead((t[t.gender == "Female"].contract == "Two year").mean() * 100)]),
    (["how many customers do we have?"], lambda t: [Lead(len(t))]),
    (["how many customers churned?"], lambda t: [Lead((t.churned == "Yes").sum())]),
    (["what's the churn rate"], lambda t: [Lead((t.churned == "Yes").mean() * 100)]),
    (["churn rate by contract", "and by internet service?"], lambda t: rate(t[t.internet_service != "None"], "internet_service", "churned", "Yes") + [(t.internet_service == "None").sum()]),
    (["churn by contract type", "show it as a chart"], lambda t: [CHART]),
    (["average monthly charges of churned customers"], lambda t: [Lead(t[t.churned == "Yes"].monthly_charges.mean())]),
    (["do churned customers pay more per month than the ones who stayed?"], lambda t: [AnyOf(t[t.churned == "Yes"].monthly_charges.mean(), REFUSAL)]),
    (["average tenure by contract"], lambda t: list(t.groupby("contract").tenure_months.mean())),
    (["what share of customers are seniors?"], lambda t: [Lead(t.SeniorCitizen.mean() * 100)]),
    (["how many customers have fiber optic?"], lambda t: [Lead((t.internet_service == "Fiber optic").sum())]),
    (["which payment method has the highest churn?"], lambda t: [AnyOf(best(t.groupby("payment_method").churned.agg(lambda s: (s == "Yes").mean() * 100)), Lead(t[t.churned == "Yes"].payment_method.value_counts().idxmax(), t[t.churned == "Yes"].payment_method.value_counts().max()))]),
    (["split customers by gender"], lambda t: list(t.gender.value_counts())),
    (["who called support the most?"], lambda t: [Lead("C0003", 21)]),
    (["customers with more than 5 support calls"], lambda t: [(t.support_calls > 5).sum()]),
    (["correlation between tenure and total charges"], lambda t: [t.tenure_months.corr(t.total_charges)]),
    (["how many new customers signed up each year?"], lambda t: list(t.signup_date.dt.year.value_counts())),
    (["median monthly charges for month-to-month customers"], lambda t: [Lead(t[t.contract == "Month-to-month"].monthly_charges.median())]),
    (["are there duplicates?"], lambda t: [AnyOf("No ", "no ", 0)]),
    (["how many total charges are missing"], lambda t: [Lead(19)]),
    (["average monthly charges by gender", "only for seniors"], lambda t: [AnyOf(t[t.SeniorCitizen == 1].groupby("gender").monthly_charges.mean().iloc[0], REFUSAL)]),
    (["pie chart of contract types"], lambda t: [CHART] + list(t.contract.value_counts())),
    (["how many customers left in the first year (tenure under 12 months)?"], lambda t: [AnyOf(Lead(((t.tenure_months < 12) & (t.churned == "Yes")).sum()), REFUSAL)]),
    (["which customers will churn next month?"], lambda t: [REFUSAL]),
    (["what is the average data usage?"], lambda t: [REFUSAL]),
    (["total and average monthly charges by contract"], lambda t: list(t.groupby("contract").monthly_charges.sum()) + list(t.groupby("contract").monthly_charges.mean())),
]

CHANNELS = [
    (["总销售额是多少"], lambda t: [Lead(t["金额(元)"].sum())]),
    (["各渠道的金额占比"], lambda t: list(t.groupby("渠道")["金额(元)"].sum() / t["金额(元)"].sum() * 100)),
    (["哪个客户下单最多"], lambda t: [best(t["客户名称"].value_counts())]),
    (["平均每单金额"], lambda t: [Lead(t["金额(元)"].mean())]),
    (["各渠道平均每单多少钱"], lambda t: list(t.groupby("渠道")["金额(元)"].mean())),
    (["每月销售额走势"], lambda t: list(t.groupby(month(t["下单时间"]))["金额(元)"].sum())),
    (["每个月的销售额环比"], lambda t: list(ups(t.groupby(month(t["下单时间"]))["金额(元)"].sum()).iloc[:4])),
    (["2024年10月销售额同比增长多少"], lambda t: [growth(*(t[month(t["下单时间"]) == m]["金额(元)"].sum() for m in ("2023-10", "2024-10")))]),
    (["2024年各月累计销售额"], lambda t: list(t[t["下单时间"].dt.year == 2024].groupby(month(t["下单时间"]))["金额(元)"].sum().cumsum())),
    (["退货率最高的品类"], lambda t: [best(t.groupby("品类")["是否退货"].agg(lambda s: (s == "是").mean() * 100))]),
    (["客户金额排名"], lambda t: list(t.groupby("客户名称")["金额(元)"].sum())),
    (["有哪些缺失值"], lambda t: ["客服评分", 44]),
    (["金额有没有异常值"], lambda t: [outside(t["金额(元)"]), 26000]),
    (["数量和金额的相关性"], lambda t: [t["数量"].corr(t["金额(元)"])]),
    (["一天中哪个时段下单最多"], lambda t: [AnyOf(Lead(t["下单时间"].dt.hour.value_counts().idxmax()), REFUSAL)]),
    (["各省份订单数", "那金额呢", "画成柱状图"], lambda t: [CHART] + list(t.groupby("省份")["金额(元)"].sum())),
    (["各渠道销售额", "只看2024年", "去掉线下门店"], lambda t: list(t[(t["下单时间"].dt.year == 2024) & (t["渠道"] != "线下门店")].groupby("渠道")["金额(元)"].sum())),
    (["天猫和京东的销售额对比"], lambda t: [t[t["渠道"] == "天猫"]["金额(元)"].sum(), t[t["渠道"] == "京东"]["金额(元)"].sum()]),
    (["评分低于3分的订单有多少"], lambda t: [Lead((t["客服评分"] < 3).sum())]),
    (["客单价是多少"], lambda t: [AnyOf(Lead(t["金额(元)"].mean()), Lead(t["金额(元)"].sum() / t["客户名称"].nunique()))]),
    (["金额前10%的订单"], lambda t: [AnyOf(96, t["金额(元)"].nlargest(96).sum())]),
    (["各品类的毛利"], lambda t: [REFUSAL]),
    (["浙江美妆卖了多少钱"], lambda t: [Lead(t[(t["省份"] == "浙江") & (t["品类"] == "美妆")]["金额(元)"].sum())]),
    (["周末和工作日的订单量对比"], lambda t: [(t["下单时间"].dt.day_of_week >= 5).sum(), (t["下单时间"].dt.day_of_week < 5).sum()]),
]

CASES = [(name, asked, truth) for name, cases in [("store_orders", ORDERS), ("telecom", CHURN), ("channel_orders_zh", CHANNELS)] for asked, truth in cases]
