"""Questions after sets 22 and 23 were learned from: support cases, accounts of a service, 出库记录."""
from held_back_7 import growth, month, outside
from held_back_22 import best, rate, ups
from wanted import AnyOf, CHART, Lead, REFUSAL

CASES_OF_SUPPORT = [
    (["how many cases did we get?"], lambda t: [Lead(len(t))]),
    (["cases by severity"], lambda t: list(t.Severity.value_counts())),
    (["show me the number of cases per month", "only P1", "as a line chart"], lambda t: [CHART] + list(t[t.Severity == "P1"].groupby(month(t["Opened At"])).size())),
    (["average resolution time by team"], lambda t: list(t.groupby("Assigned Team")["Hours to Resolve"].mean())),
    (["which team resolves cases the fastest?"], lambda t: [Lead(t.groupby("Assigned Team")["Hours to Resolve"].mean().idxmin(), t.groupby("Assigned Team")["Hours to Resolve"].mean().min())]),
    (["reopen rate by product line"], lambda t: rate(t, "Product Line", "Reopened", "Yes")),
    (["what % of cases met the SLA?"], lambda t: [Lead((t["SLA Met"] == "TRUE").mean() * 100)]),
    (["SLA compliance by country"], lambda t: [AnyOf(rate(t, "Country", "SLA Met", "TRUE")[0], REFUSAL)]),
    (["how many cases missed the SLA?"], lambda t: [AnyOf(Lead((t["SLA Met"] == "FALSE").sum()), REFUSAL)]),
    (["what time of day do most cases come in?"], lambda t: [AnyOf(Lead(t["Opened At"].dt.hour.value_counts().idxmax()), REFUSAL)]),
    (["busiest weekday"], lambda t: [best(t["Opened At"].dt.day_name().value_counts())]),
    (["median hours to resolve for P1 cases in the US"], lambda t: [Lead(t[(t.Severity == "P1") & (t.Country == "US")]["Hours to Resolve"].median())]),
    (["distribution of CSAT scores"], lambda t: [AnyOf(t["CSAT Score"].mean(), t["CSAT Score"].median())]),
    (["how many cases have no CSAT score?"], lambda t: [Lead(140)]),
    (["percentage of cases with CSAT below 3"], lambda t: [AnyOf(Lead((t["CSAT Score"] < 3).mean() * 100), Lead((t["CSAT Score"] < 3).sum() / t["CSAT Score"].notna().sum() * 100))]),
    (["average csat by product line", "and by country?", "exclude India"], lambda t: list(t[t.Country != "India"].groupby("Country")["CSAT Score"].mean())),
    (["does resolution time affect csat?"], lambda t: [t["Hours to Resolve"].corr(t["CSAT Score"])]),
    (["cases that took longer than 48 hours"], lambda t: [(t["Hours to Resolve"] > 48).sum()]),
    (["longest case"], lambda t: [AnyOf(Lead(410.5), REFUSAL)]),
    (["slowest 5% of cases"], lambda t: [AnyOf(t["Hours to Resolve"].nlargest(38).mean(), 38, REFUSAL)]),
    (["cumulative cases by month"], lambda t: list(t.groupby(month(t["Opened At"])).size().cumsum())),
    (["cost per case"], lambda t: [REFUSAL]),
    (["who is our best agent?"], lambda t: [REFUSAL]),
    (["share of cases by country as a pie"], lambda t: [CHART] + list(t.Country.value_counts() / len(t) * 100)),
    (["compare Router and Modem on average hours to resolve"], lambda t: [t[t["Product Line"] == k]["Hours to Resolve"].mean() for k in ("Router", "Modem")]),
]

ACCOUNTS = [
    (["total MRR in December 2024"], lambda t: [Lead(t[month(t.month) == "2024-12"].mrr_usd.sum())]),
    (["MRR by month"], lambda t: list(t.groupby(month(t.month)).mrr_usd.sum())),
    (["MRR growth month over month"], lambda t: list(ups(t.groupby(month(t.month)).mrr_usd.sum()).iloc[:6])),
    (["year over year MRR growth"], lambda t: [AnyOf(growth(*(t[t.month.dt.year == y].mrr_usd.sum() for y in (2023, 2024))), growth(*(t[month(t.month) == m].mrr_usd.sum() for m in ("2023-12", "2024-12"))))]),
    (["which plan brings in the most revenue?"], lambda t: [AnyOf(best(t.groupby("plan").mrr_usd.sum()), REFUSAL)]),
    (["mrr split by plan in percent"], lambda t: list(t.groupby("plan").mrr_usd.sum() / t.mrr_usd.sum() * 100)),
    (["new accounts by region in 2024"], lambda t: list(t[t.month.dt.year == 2024].groupby("region").new_accounts.sum())),
    (["new vs churned accounts by month"], lambda t: list(t.groupby(month(t.month)).new_accounts.sum()) + list(t.groupby(month(t.month)).churned_accounts.sum())),
    (["running total of new accounts by month", "only APAC"], lambda t: list(t[t.region == "APAC"].groupby(month(t.month)).new_accounts.sum().cumsum())),
    (["churned accounts as a percentage of active accounts"], lambda t: [t.churned_accounts.sum() / t.active_accounts.sum() * 100]),
    (["churned accounts as a percentage of active accounts by plan"], lambda t: list((t.groupby("plan").churned_accounts.sum() / t.groupby("plan").active_accounts.sum() * 100))),
    (["average support cost per month"], lambda t: [AnyOf(Lead(t.groupby("month").support_cost_usd.sum().mean()), t.groupby("month").support_cost_usd.mean().iloc[0])]),
    (["support cost by plan and region"], lambda t: list(t.groupby(["plan", "region"]).support_cost_usd.sum())),
    (["support cost per active account by plan"], lambda t: [AnyOf((t.groupby("plan").support_cost_usd.sum() / t.groupby("plan").active_accounts.sum()).iloc[0], (t.groupby("plan").support_cost_usd.mean() / t.groupby("plan").active_accounts.mean()).iloc[0])]),
    (["any anomalies in mrr?"], lambda t: [outside(t.mrr_usd), 99999]),
    (["is support cost correlated with active accounts"], lambda t: [t.support_cost_usd.corr(t.active_accounts)]),
    (["missing values?"], lambda t: ["support_cost_usd", 3]),
    (["best month for new accounts"], lambda t: [AnyOf(best(t.groupby(month(t.month)).new_accounts.sum()))]),
    (["mrr by region", "what about the average instead?", "top 2 only"], lambda t: list(t.groupby("region").mrr_usd.mean().nlargest(2))),
    (["compare 2023 and 2024 MRR by region"], lambda t: [x for y in (2023, 2024) for x in t[t.month.dt.year == y].groupby("region").mrr_usd.sum()]),
    (["what is our ARPU?"], lambda t: [REFUSAL]),
    (["what will MRR be in Q1 2025?"], lambda t: [REFUSAL]),
    (["how has the number of active accounts developed over time?"], lambda t: list(t.groupby(month(t.month)).active_accounts.sum())),
    (["average mrr of the Pro plan in EMEA"], lambda t: [Lead(t[(t.plan == "Pro") & (t.region == "EMEA")].mrr_usd.mean())]),
]

OUT = [
    (["出库总金额"], lambda t: [Lead(t["出库金额(元)"].sum())]),
    (["各仓库出库数量"], lambda t: list(t.groupby("仓库")["出库数量"].sum())),
    (["哪个供应商的出库金额最高"], lambda t: [best(t.groupby("供应商")["出库金额(元)"].sum())]),
    (["每月出库金额,折线图"], lambda t: [CHART] + list(t.groupby(month(t["出库日期"]))["出库金额(元)"].sum())),
    (["每月累计出库数量"], lambda t: list(t.groupby(month(t["出库日期"]))["出库数量"].sum().cumsum())),
    (["破损率"], lambda t: [Lead((t["是否破损"] == "是").mean() * 100)]),
    (["各仓库破损率排名"], lambda t: rate(t, "仓库", "是否破损", "是")),
    (["平均每单出库多少件"], lambda t: [AnyOf(Lead(t["出库数量"].mean()))]),
    (["运输时长超过24小时的有多少单"], lambda t: [Lead((t["运输时长(小时)"] > 24).sum())]),
    (["平均运输时长最长的仓库"], lambda t: [best(t.groupby("仓库")["运输时长(小时)"].mean())]),
    (["运输时长有异常吗"], lambda t: [outside(t["运输时长(小时)"]), 96]),
    (["出库数量和运输时长是否相关"], lambda t: [t["出库数量"].corr(t["运输时长(小时)"])]),
    (["出库金额前5%的单据"], lambda t: [AnyOf(35, t["出库金额(元)"].nlargest(35).sum())]),
    (["各物料类别金额占比", "画饼图"], lambda t: [CHART] + list(t.groupby("物料类别")["出库金额(元)"].sum() / t["出库金额(元)"].sum() * 100)),
    (["各经办人单数"], lambda t: list(t["经办人"].value_counts())),
    (["第三季度各仓库的出库金额"], lambda t: list(t[t["出库日期"].dt.quarter == 3].groupby("仓库")["出库金额(元)"].sum())),
    (["6月出库金额环比"], lambda t: [growth(*(t[t["出库日期"].dt.month == m]["出库金额(元)"].sum() for m in (5, 6)))]),
    (["质检得分低于80的有几单"], lambda t: [Lead((t["质检得分"] < 80).sum())]),
    (["质检得分缺失多少"], lambda t: [Lead(21)]),
    (["一号仓和保税仓的平均质检得分对比"], lambda t: [t[t["仓库"] == k]["质检得分"].mean() for k in ("一号仓", "保税仓")]),
    (["小李经手的成品金额", "小王呢"], lambda t: [Lead(t[(t["经办人"] == "小王") & (t["物料类别"] == "成品")]["出库金额(元)"].sum())]),
    (["各仓库出库金额", "换成平均", "只看原料", "画图"], lambda t: [CHART] + list(t[t["物料类别"] == "原料"].groupby("仓库")["出库金额(元)"].mean())),
    (["库存周转率"], lambda t: [REFUSAL]),
    (["为什么保税仓破损多"], lambda t: [REFUSAL]),
    (["供应商数量"], lambda t: [Lead(4)]),
    (["星期几出库最多"], lambda t: [Lead(AnyOf(*[t["出库日期"].dt.day_name().value_counts().idxmax(), t.groupby(t["出库日期"].dt.day_name())["出库数量"].sum().idxmax(), t.groupby(t["出库日期"].dt.day_name())["出库金额(元)"].sum().idxmax()]))]),
]

# of older tables, found wrong by looking at answers
WEATHER = [
    (["how many rainy days were there in Oslo in 2022?"], lambda t: [Lead(((t.city == "Oslo") & (t.date.dt.year == 2022) & (t.rainfall_mm > 0)).sum())]),
    (["rainfall in summer"], lambda t: [Lead(t[t.date.dt.month.isin([6, 7, 8])].rainfall_mm.sum())]),
]
STAFF = [
    (["what is the attrition rate for remote employees?"], lambda t: [Lead((t[t.Remote == "Yes"].Left == "Yes").mean() * 100)]),
    (["salary range by department"], lambda t: list(t.groupby("Department").MonthlySalary.min()) + list(t.groupby("Department").MonthlySalary.max())),
    (["is there a correlation between age and salary", "scatter plot please"], lambda t: [CHART, Lead(t.Age.corr(t.MonthlySalary))]),
]
WEBSHOP = [
    (["net sales per order by country"], lambda t: list(t.groupby("CustomerCountry").NetSales.mean())),
    (["revenue per unit by product line"], lambda t: list(t.groupby("ProductLine").NetSales.sum() / t.groupby("ProductLine").Qty.sum())),
    (["orders per day of the week"], lambda t: list(t.OrderDate.dt.day_name().value_counts())),
    (["sales in January versus February 2023"], lambda t: [Lead(*(t[month(t.OrderDate) == m].NetSales.sum() for m in ("2023-01", "2023-02")))]),
    (["total sales by customer"], lambda t: [REFUSAL]),
    (["sales of Toys in the UK", "same for Kitchen"], lambda t: [Lead(t[(t.CustomerCountry == "United Kingdom") & (t.ProductLine == "Kitchen")].NetSales.sum())]),
]
ADS = [(["click through rate by platform"], lambda t: [REFUSAL])]
PATIENTS = [(["医保患者的平均费用比非医保高多少"], lambda t: list(t.groupby("医保")["住院费用"].mean()))]
MARKS = [(["总分最高的学生"], lambda t: [REFUSAL])]
PAYMENTS = [
    (["day with the highest sales"], lambda t: [Lead(str(t.groupby("date").amount.sum().idxmax())[:10], t.groupby("date").amount.sum().max())]),
    (["what percentage of sales is paid by credit card in each region?"], lambda t: list(t[t.payment_method == "Credit Card"].groupby("region").amount.sum() / t.groupby("region").amount.sum() * 100)),
    (["how many customers bought more than 5 times?"], lambda t: [Lead((t.customer_id.value_counts() > 5).sum())]),
    (["sales last month vs the month before"], lambda t: [Lead(*(t[month(t.date) == m].amount.sum() for m in ("2024-05", "2024-06")))]),
]
FLIGHTS = [
    (["percentage of flights delayed more than 15 minutes"], lambda t: [Lead((t.dep_delay_min > 15).mean() * 100)]),
    (["cancelled flights"], lambda t: [Lead(t.cancelled.sum())]),
]

CASES = [(name, asked, truth) for name, cases in [
    ("helpdesk", CASES_OF_SUPPORT), ("saas", ACCOUNTS), ("stock_moves_zh", OUT), ("weather", WEATHER), ("employees", STAFF), ("webshop", WEBSHOP),
    ("campaigns", ADS), ("hospital", PATIENTS), ("students", MARKS), ("transactions", PAYMENTS), ("flights", FLIGHTS)] for asked, truth in cases]
