"""Questions of fresh eyes that had got confident answers to something else: conditions on groups,
places of a ranking, who left, words that several columns end in,
moving averages."""
from held_back_7 import month
from wanted import CHART, Lead, REFUSAL


def kept(figures, wanted):
    """How many groups of how many are so, by name and figure."""
    chosen = figures[wanted(figures)]
    return [Lead(len(chosen), len(figures), *(str(k) for k in chosen.index[:10]))] + list(chosen.iloc[:30])


def salary(t):
    return t.groupby("dept").salary_usd


def place(figures, n, low=False):
    """The name and the figure at that place of a ranking."""
    ranked = figures.sort_values(ascending=low)
    return [Lead(str(ranked.index[n - 1]), ranked.iloc[n - 1])]


PAYROLL = [
    (["which departments have an average salary above 75,000"], lambda t: kept(salary(t).mean(), lambda f: f > 75000)),
    (["departments with an average above 75,000"], lambda t: kept(salary(t).mean(), lambda f: f > 75000)),
    (["average salary by department above 90000"], lambda t: kept(salary(t).mean(), lambda f: f > 90000)),
    (["departments with a median salary between 60000 and 100000"], lambda t: kept(salary(t).median(), lambda f: f.between(60000, 100000))),
    (["which departments have fewer than 60 employees?"], lambda t: kept(t.dept.value_counts(), lambda f: f < 60)),
    (["which job titles pay more than 93000 on average?"], lambda t: kept(t.groupby("job_title").salary_usd.mean(), lambda f: f > 93000)),
    (["average salary by dept", "only those above 90000"], lambda t: kept(salary(t).mean(), lambda f: f > 90000)),
    (["what percentage of departments have an average salary above 90000?"], lambda t: [Lead((salary(t).mean() > 90000).mean() * 100)]),
    (["is the average salary above 75000?"], lambda t: [Lead(t.salary_usd.mean())]),
    (["average salary of employees hired after 2020"], lambda t: [Lead(t[t.hire_date >= "2021-01-01"].salary_usd.mean())]),
    (["how many employees earn more than 120000?"], lambda t: [Lead((t.salary_usd > 120000).sum())]),
    (["average bonus of departments with an average salary above 90000"], lambda t: [REFUSAL]),
    (["which department has the second highest average salary?"], lambda t: place(salary(t).mean(), 2)),
    (["department with the third lowest average salary"], lambda t: place(salary(t).mean(), 3, True)),
    (["second highest salary"], lambda t: [Lead(t.salary_usd.nlargest(2).iloc[1])]),
    (["who has the third highest salary?"], lambda t: [Lead(t.salary_usd.nlargest(3).iloc[2])]),
    (["which office has the second most employees"], lambda t: place(t.office.value_counts(), 2)),
    (["second highest salary in each department"], lambda t: [REFUSAL]),
]
RETAIL = [
    (["customers with more than 35 orders"], lambda t: kept(t.Customer.value_counts(), lambda f: f > 35)),
    (["customers with 36 or more orders"], lambda t: kept(t.Customer.value_counts(), lambda f: f >= 36)),
    (["who ordered more than 35 times"], lambda t: kept(t.Customer.value_counts(), lambda f: f > 35)),
    (["products with total revenue over 10000"], lambda t: kept(t.groupby("Product").revenue.sum(), lambda f: f > 10000)),
    (["how many regions have an average order value below 170"], lambda t: kept(t.groupby("Region").revenue.mean(), lambda f: f < 170)),
    (["customers who bought more than 240 units in total"], lambda t: kept(t.groupby("Customer")["Units Sold"].sum(), lambda f: f > 240)),
    (["products with units sold over 800"], lambda t: kept(t.groupby("Product")["Units Sold"].sum(), lambda f: f > 800)),
    (["customers who bought fewer than 5 different products"], lambda t: kept(t.groupby("Customer").Product.nunique(), lambda f: f < 5)),
    (["which months had more than 40 orders?"], lambda t: kept(t.groupby(month(t["Order Date"])).size(), lambda f: f > 40)),
    (["how many orders in each region have more than 5 items?"], lambda t: list(t[t["Units Sold"] > 5].Region.value_counts())),
    (["second most expensive product"], lambda t: place(t.groupby("Product")["Unit Price"].mean(), 2)),
    (["2nd most popular product"], lambda t: place(t.Product.value_counts(), 2)),
    (["which customer ranks third by units sold"], lambda t: place(t.groupby("Customer")["Units Sold"].sum(), 3)),
    (["revenue in the second half of 2023"], lambda t: [Lead(t[month(t["Order Date"]).between("2023-07", "2023-12")].revenue.sum())]),
    (["orders with more than 10 units"], lambda t: [Lead((t["Units Sold"] > 10).sum())]),
]
PAYMENTS = [
    (["who spent more than 3000 in total"], lambda t: kept(t.groupby("customer_id").amount.sum(), lambda f: f > 3000)),
    (["merchants in the North with total sales over 5000"], lambda t: kept(t[t.region == "North"].groupby("merchant").amount.sum(), lambda f: f > 5000)),
    (["average amount of transactions above 100"], lambda t: [Lead(t[t.amount > 100].amount.mean())]),
    (["7-day moving average of sales"], lambda t: [Lead(t.groupby("date").amount.sum().rolling(7).mean().iloc[-1])]),
    (["3 month rolling average of sales as a line chart"], lambda t: [CHART] + list(t.groupby(month(t.date)).amount.sum().rolling(3).mean().dropna())),
    (["rolling 3-month average of the number of transactions"], lambda t: list(t.groupby(month(t.date)).size().rolling(3).mean().dropna())),
    (["3-month moving average of sales", "only in the North", "as a line chart"],
     lambda t: [CHART] + list(t[t.region == "North"].groupby(month(t.date)).amount.sum().rolling(3).mean().dropna())),
    (["moving average of sales by month"], lambda t: [REFUSAL]),
    (["weighted average of sales"], lambda t: [REFUSAL]),
    (["交易超过20笔的客户有多少"], lambda t: [Lead((t.customer_id.value_counts() > 20).sum())]),
]
CHANNELS = [
    (["订单超过100次的客户有哪些"], lambda t: kept(t["客户名称"].value_counts(), lambda f: f > 100)),
    (["下单150次以上的客户"], lambda t: kept(t["客户名称"].value_counts(), lambda f: f >= 150)),
    (["哪些渠道的平均金额超过700"], lambda t: kept(t.groupby("渠道")["金额(元)"].mean(), lambda f: f > 700)),
    (["平均金额在600到700之间的品类"], lambda t: kept(t.groupby("品类")["金额(元)"].mean(), lambda f: f.between(600, 700))),
    (["总金额超过10万的客户有几个"], lambda t: kept(t.groupby("客户名称")["金额(元)"].sum(), lambda f: f > 100000)),
    (["哪些省份客服评分的平均值低于3"], lambda t: kept(t.groupby("省份")["客服评分"].mean(), lambda f: f < 3)),
    (["哪些月份的订单数超过60"], lambda t: kept(t.groupby(month(t["下单时间"])).size(), lambda f: f > 60)),
    (["金额的7日移动平均"], lambda t: [Lead(t.groupby(t["下单时间"].dt.date)["金额(元)"].sum().rolling(7).mean().iloc[-1])]),
    (["订单金额3个月移动平均,画折线图"], lambda t: [CHART] + list(t.groupby(month(t["下单时间"]))["金额(元)"].sum().rolling(3).mean().dropna())),
    (["退货率超过8%的渠道"], lambda t: kept((t["是否退货"] == "是").groupby(t["渠道"]).mean() * 100, lambda f: f > 8)),
    (["平均金额超过700吗"], lambda t: [Lead(t["金额(元)"].mean())]),
    (["金额超过1000的订单有多少"], lambda t: [Lead((t["金额(元)"] > 1000).sum())]),
]
SALES = [
    (["销售额第二高的地区"], lambda t: place(t.groupby("地区")["销售额"].sum(), 2)),
    (["销量第三的商品是什么"], lambda t: place(t.groupby("商品名称")["数量"].sum(), 3)),
    (["第二贵的商品"], lambda t: place(t.groupby("商品名称")["单价"].mean(), 2)),
    (["销售额倒数第二的地区"], lambda t: place(t.groupby("地区")["销售额"].sum(), 2, True)),
    (["第二季度的销售额"], lambda t: [Lead(t[t["销售日期"].dt.quarter == 2]["销售额"].sum())]),
]
ROSTER = [
    (["how many employees left?"], lambda t: [Lead(t.termination_date.notna().sum())]),
    (["how many current employees are there?"], lambda t: [Lead(t.termination_date.isna().sum())]),
    (["average salary of employees who left"], lambda t: [Lead(t[t.termination_date.notna()].annual_salary.mean())]),
    (["average salary of current employees by department"], lambda t: list(t[t.termination_date.isna()].groupby("department").annual_salary.mean())),
    (["how many people left in 2022?"], lambda t: [Lead((t.termination_date.dt.year == 2022).sum())]),
    (["how many employees hired in 2019 have left?"], lambda t: [Lead(((t.hire_date.dt.year == 2019) & t.termination_date.notna()).sum())]),
    (["which department has the most employees who left"], lambda t: place(t[t.termination_date.notna()].department.value_counts(), 1)),
    (["how many are still employed in Sales"], lambda t: [Lead(((t.department == "Sales") & t.termination_date.isna()).sum())]),
    (["attrition rate by department"], lambda t: list(t.groupby("department").termination_date.apply(lambda d: d.notna().mean() * 100))),
    (["how many employees have not left"], lambda t: [Lead(t.termination_date.isna().sum())]),
    (["number of employees who left by year"], lambda t: list(t.termination_date.dt.year.value_counts())),
]
ROSTER_ZH = [
    (["离职的员工有多少"], lambda t: [Lead(t["离职日期"].notna().sum())]),
    (["在职员工有多少人"], lambda t: [Lead(t["离职日期"].isna().sum())]),
    (["各部门在职人数"], lambda t: list(t[t["离职日期"].isna()]["部门"].value_counts())),
    (["离职员工的平均月薪"], lambda t: [Lead(t[t["离职日期"].notna()]["月薪"].mean())]),
    (["2022年离职了多少人"], lambda t: [Lead((t["离职日期"].dt.year == 2022).sum())]),
    (["离职率"], lambda t: [Lead(t["离职日期"].notna().mean() * 100)]),
]
STAFF = [
    (["how many current employees are there?"], lambda t: [Lead((t.Left == "No").sum())]),
    (["average salary of employees who left"], lambda t: [Lead(t[t.Left == "Yes"].MonthlySalary.mean())]),
]
FOOTBALL = [
    (["total goals"], lambda t: [Lead((t.home_goals + t.away_goals).sum()), "home_goals", "away_goals"]),
    (["average goals per match"], lambda t: [Lead((t.home_goals + t.away_goals).mean())]),
    (["how many goals were scored in 2023"], lambda t: [Lead((t.home_goals + t.away_goals)[t.match_date.dt.year == 2023].sum())]),
    (["referees with more than 100 cards"], lambda t: kept((t.yellow_cards + t.red_cards).groupby(t.referee).sum(), lambda f: f > 100)),
    (["goals by season"], lambda t: list((t.home_goals + t.away_goals).groupby(t.season).sum())),
    (["which referee had the most cards?"], lambda t: place((t.yellow_cards + t.red_cards).groupby(t.referee).sum(), 1)),
    (["match with the most goals"], lambda t: [Lead((t.home_goals + t.away_goals).max())]),
    (["matches with more than 6 goals"], lambda t: [REFUSAL]),
    (["which team scored the most goals?"], lambda t: [REFUSAL]),
    (["total away goals"], lambda t: [Lead(t.away_goals.sum())]),
]
ACCOUNTS = [(["accounts by plan"], lambda t: ["new_accounts", "churned_accounts", "active_accounts"])]
STOCKS = [(["5-day moving average of the ACM close"], lambda t: [Lead(t[t.Ticker == "ACM"].set_index("Date").Close.rolling(5).mean().iloc[-1])])]
STORE = [
    (["which segments have a return rate above 8%"], lambda t: kept(t.groupby("Customer Segment").is_returned.mean() * 100, lambda f: f > 8)),
    (["products with an average discount above 5%"], lambda t: kept(t.groupby("Product").Discount.mean(), lambda f: f > .05)),
    (["products sold more than 120 times"], lambda t: kept(t.Product.value_counts(), lambda f: f > 120)),
    (["regions where the average shipping days exceed 4"], lambda t: kept(t.groupby("Region")["Shipping Days"].mean(), lambda f: f > 4)),
    (["third best category by sales in 2024"], lambda t: place(t[t["Order Date"].dt.year == 2024].groupby("Category").Sales.sum(), 3)),
]

CASES = [(name, asked, truth) for name, cases in [
    ("payroll", PAYROLL), ("retail", RETAIL), ("transactions", PAYMENTS), ("channel_orders_zh", CHANNELS), ("chinese_sales", SALES),
    ("roster", ROSTER), ("roster_zh", ROSTER_ZH), ("employees", STAFF), ("football", FOOTBALL), ("saas", ACCOUNTS),
    ("stocks", STOCKS), ("store_orders", STORE)] for asked, truth in cases]
