"""Questions as an office worker who has never programmed types them: a fashion shop's orders, a clinic's appointments, 餐饮连锁."""
import pandas as pd
from wanted import AnyOf, CHART, Lead, REFUSAL

DAYS = {"Monday": "周一", "Tuesday": "周二", "Wednesday": "周三", "Thursday": "周四", "Friday": "周五", "Saturday": "周六", "Sunday": "周日"}


def named(s):
    """Groups and their figures."""
    return [str(k) for k in s.index] + list(s)


def most(s):
    return Lead(str(s.idxmax()), s.max())


def least(s):
    return Lead(str(s.idxmin()), s.min())


def monthly(dates):
    return dates.dt.strftime("%Y-%m")


def month_name(label):
    """The ways to write 2024-03."""
    d = pd.Timestamp(label + "-01")
    return AnyOf(label, d.strftime("%B"), d.strftime("%b %Y"), f"{d.year}年{d.month}月", f"{d.year}年{d.month:02d}月", f"{d.year}/{d.month:02d}", f"{d.month}月")


def day_name(day):
    zh = DAYS[day]
    return AnyOf(day, day[:3], zh, zh.replace("周", "星期"), zh.replace("周", "礼拜"))


def year(t, y, dates):
    return t[t[dates].dt.year == y]


def ups(s):
    """Each period against the one before: per cent, or the difference."""
    return [AnyOf(p, d) for p, d in zip((s.pct_change() * 100).iloc[1:], s.diff().iloc[1:])]


def percent(s):
    return s / s.sum() * 100


def odd(s):
    """How many are outliers: by quartiles, or three deviations."""
    low, high = s.quantile(.25), s.quantile(.75)
    return AnyOf(((s < low - 1.5 * (high - low)) | (s > high + 1.5 * (high - low))).sum(), Lead(((s - s.mean()).abs() > 3 * s.std()).sum()))


def orders(t, key):
    """Rows, or orders with the doubled ones once."""
    return AnyOf(Lead(len(t)), Lead(t[key].nunique()))


def d(t):
    return t["Order Date"]


SHOP = [
    (["What's our total revenue for 2024?"], lambda t: [Lead(year(t, 2024, "Order Date")["Net Amt"].sum())]),
    (["top 3 countries by sales pls"], lambda t: named(t.groupby("Country")["Net Amt"].sum().nlargest(3))),
    (["which product category gets sent back the most?"], lambda t: [Lead("Dresses"), AnyOf((t[t["Product Category"] == "Dresses"]["Returned?"] == "Yes").mean() * 100, ((t["Returned?"] == "Yes") & (t["Product Category"] == "Dresses")).sum())]),
    (["return rate for each catagory"], lambda t: named((t["Returned?"] == "Yes").groupby(t["Product Category"]).mean() * 100)),
    (["What share of orders came in through the mobile app?"], lambda t: [Lead((t["Sales Channel"] == "Mobile App").mean() * 100)]),
    (["whats the median order value"], lambda t: [Lead(t["Net Amt"].median())]),
    (["how many different customers bought something in 2023?"], lambda t: [Lead(year(t, 2023, "Order Date")["Customer ID"].nunique())]),
    (["how did revenue change from quater to quater?"], lambda t: ups(t.groupby(d(t).dt.to_period("Q"))["Net Amt"].sum())),
    (["Do people buy more pieces when the discount is bigger? What's the correlation?"], lambda t: [t["Disc %"].corr(t["Units"])]),
    (["are there any unusual values in net amount?"], lambda t: [odd(t["Net Amt"]), 6120.5]),
    (["What reasons do people give for returning things, and how often each?"], lambda t: named(t["Return Reason"].value_counts())),
    (["is anything in this file entered twice?"], lambda t: [AnyOf(Lead(7), Lead(14))]),
    (["How many orders above 300 euros went to Germany?"], lambda t: [orders(t[(t["Net Amt"] > 300) & (t["Country"] == "Germany")], "Order No")]),
    (["bar chart of refunds by quarter for 2024"], lambda t: [CHART] + list(year(t, 2024, "Order Date").groupby(d(t).dt.quarter)["Refund Amt"].sum())),
    (["revenue per channel", "only 2023"], lambda t: named(year(t, 2023, "Order Date").groupby("Sales Channel")["Net Amt"].sum())),
    (["show me sales by payment method", "now the average instead", "as a bar chart"], lambda t: [CHART] + named(t.groupby("Payment")["Net Amt"].mean())),
    (["how many orders were returned?", "and what's that in percent?"], lambda t: [Lead((t["Returned?"] == "Yes").mean() * 100)]),
    (["average stars by product category", "what about Italy only?"], lambda t: named(t[t.Country == "Italy"].groupby("Product Category")["Star Rating"].mean())),
    (["who are the 10 customers that spent the most", "top 5 only, and just for 2024"], lambda t: named(year(t, 2024, "Order Date").groupby("Customer ID")["Net Amt"].sum().nlargest(5))),
    (["distribution of delivery days as a histogram"], lambda t: [CHART]),
    (["in which month of 2024 did we pay back the most money to customers?"], lambda t: [(lambda s: Lead(month_name(s.idxmax()), s.max()))(year(t, 2024, "Order Date").groupby(monthly(d(t)))["Refund Amt"].sum())]),
    (["pie chart: share of revenue by country"], lambda t: [CHART] + named(percent(t.groupby("Country")["Net Amt"].sum()))),
    (["sales by channel without the returned orders"], lambda t: named(t[t["Returned?"] == "No"].groupby("Sales Channel")["Net Amt"].sum())),
    (["number of orders with at least 20% off"], lambda t: [orders(t[t["Disc %"] >= 20], "Order No")]),
    (["pieces sold per category", "just Q4 2024 please"], lambda t: named(t[d(t).dt.to_period("Q") == "2024Q4"].groupby("Product Category")["Units"].sum())),
    (["Spain vs Italy, who waits longer for the parcel on average?"], lambda t: ["Spain", "Italy"] + [t[t.Country == c]["Delivery Days"].mean() for c in ("Spain", "Italy")]),
    (["2023年和2024年的退货率分别是多少"], lambda t: [(year(t, y, "Order Date")["Returned?"] == "Yes").mean() * 100 for y in (2023, 2024)]),
    (["用PayPal付款的订单平均折扣是多少"], lambda t: [Lead(t[t.Payment == "PayPal"]["Disc %"].mean())]),
    (["按品类统计销售额", "只看德国的"], lambda t: named(t[t.Country == "Germany"].groupby("Product Category")["Net Amt"].sum())),
    (["what will we sell next month?"], lambda t: [REFUSAL]),
    (["profit margin by category please"], lambda t: [REFUSAL]),
    (["Why did sales go down in Q3 2024?"], lambda t: [REFUSAL]),
]

CLINIC = [
    (["how many individual patients are in the file?"], lambda t: [Lead(t.patient_no.nunique())]),
    (["Average waiting time by department"], lambda t: named(t.groupby("dept").wait_min.mean())),
    (["which doctor keeps people waiting the longest on average"], lambda t: [most(t.groupby("physician").wait_min.mean())]),
    (["no-show rate by type of insurance"], lambda t: named((t.status == "No-show").groupby(t.insurance).mean() * 100)),
    (["appointments per month in 2024, line graph"], lambda t: [CHART] + list(year(t, 2024, "appt_date").groupby(monthly(t.appt_date)).size())),
    (["how busy are we on each weekday? number of appointments"], lambda t: list(t.appt_date.dt.day_name().value_counts())),
    (["at what hour of the day do we have the most bookings?"], lambda t: [Lead(t.appt_date.dt.hour.value_counts().idxmax()), t.appt_date.dt.hour.value_counts().max()]),
    (["Median charge for emergency visits, thanks"], lambda t: [Lead(t[t.appt_type == "Emergency"].charge_usd.median())]),
    (["average bill for female patients older than 60"], lambda t: [Lead(t[(t.sex == "F") & (t.pt_age > 60)].charge_usd.mean())]),
    (["how satisfied are the men on average?", "what about women?"], lambda t: [Lead(t[t.sex == "F"].satisfaction.mean())]),
    (["number of appointments by dept", "only 2023", "as percentages"], lambda t: named(percent(year(t, 2023, "appt_date").groupby("dept").size()))),
    (["total charges by doctor", "and by department?", "as a chart"], lambda t: [CHART] + named(t.groupby("dept").charge_usd.sum())),
    (["how many bookings did cardiology have in 2024?", "and in 2023?"], lambda t: [Lead((year(t, 2023, "appt_date").dept == "Cardiology").sum())]),
    (["average wait by visit type", "the median instead", "for orthopedics only"], lambda t: named(t[t.dept == "Orthopedics"].groupby("appt_type").wait_min.median())),
    (["Is there a link between how long people wait and how happy they are?"], lambda t: [t.wait_min.corr(t.satisfaction)]),
    (["scatter plot of age against blood pressure"], lambda t: [CHART]),
    (["Which columns have gaps and how many values are missing in each?"], lambda t: named(t.isna().sum()[lambda s: s > 0])),
    (["how many patients came more than once?"], lambda t: [Lead((t.patient_no.value_counts() > 1).sum())]),
    (["year over year growth of our charges"], lambda t: ups(t.groupby(t.appt_date.dt.year).charge_usd.sum())),
    (["list the 5 most expensive visits"], lambda t: list(t.loc[t.charge_usd.nlargest(5).index, "appt_id"]) + list(t.charge_usd.nlargest(5))),
    (["How old is the youngest and the oldest patient?"], lambda t: [t.pt_age.min(), t.pt_age.max()]),
    (["average consultation length for new vs follow-up appointments"], lambda t: ["New", "Follow-up"] + [t[t.appt_type == k].consult_min.mean() for k in ("New", "Follow-up")]),
    (["Which deparment brought in the least money in 2022?"], lambda t: [least(year(t, 2022, "appt_date").groupby("dept").charge_usd.sum())]),
    (["how many people waited more than an hour?"], lambda t: [AnyOf(Lead((t.wait_min > 60).sum()), Lead(t[t.wait_min > 60].patient_no.nunique()))]),
    (["各科室的平均费用,从高到低排"], lambda t: named(t.groupby("dept").charge_usd.mean())),
    (["2024年每个季度的预约量", "2023年呢"], lambda t: list(year(t, 2023, "appt_date").groupby(t.appt_date.dt.quarter).size())),
    (["女性患者平均等待多少分钟", "男性呢?"], lambda t: [Lead(t[t.sex == "M"].wait_min.mean())]),
    (["哪个科室的爽约次数最多"], lambda t: [most(t[t.status == "No-show"].groupby("dept").size())]),
    (["how long do patients stay in the ward on average"], lambda t: [REFUSAL]),
    (["Which doctor should we let go?"], lambda t: [REFUSAL]),
]


def day(t):
    return t["消费日期"]


SALES, OFF, COST, STARS, MINUTES = "营业额(元)", "优惠金额(元)", "食材成本(元)", "顾客评分", "出餐时长(分钟)"

CHAIN = [
    (["2024年一共卖了多少钱"], lambda t: [Lead(year(t, 2024, "消费日期")[SALES].sum())]),
    (["哪家店的销售额最高?"], lambda t: [most(t.groupby("门店名称")[SALES].sum())]),
    (["营业额垫底的三家门店"], lambda t: named(t.groupby("门店名称")[SALES].sum().nsmallest(3))),
    (["外卖占总营业额的百分之多少"], lambda t: [Lead(t[t["用餐方式"] == "外卖"][SALES].sum() / t[SALES].sum() * 100)]),
    (["会员和非会员平均每单消费多少"], lambda t: [AnyOf(g[SALES].mean(), g[SALES].sum() / g["订单编号"].nunique()) for _, g in t.groupby("是否会员")]),
    (["星期几的订单最多"], lambda t: [Lead(day_name(day(t).dt.day_name().value_counts().idxmax())), AnyOf(day(t).dt.day_name().value_counts().max(), t.groupby(day(t).dt.day_name())["订单编号"].nunique().max())]),
    (["帮我画一下2024年每个月营业额的折线图"], lambda t: [CHART] + list(year(t, 2024, "消费日期").groupby(monthly(day(t)))[SALES].sum())),
    (["2024年各季度营业额环比增长率"], lambda t: list((t.groupby(day(t).dt.to_period("Q"))[SALES].sum().pct_change() * 100).loc["2024Q2":"2024Q4"])),
    (["24年比23年的营业额增长了百分之几"], lambda t: [Lead((year(t, 2024, "消费日期")[SALES].sum() / year(t, 2023, "消费日期")[SALES].sum() - 1) * 100)]),
    (["直营店和加盟店的平均评分对比一下"], lambda t: named(t.groupby("经营方式")[STARS].mean())),
    (["出餐慢跟评分低有关系吗,算下相关系数"], lambda t: [t[MINUTES].corr(t[STARS])]),
    (["营业额里有没有异常的数据"], lambda t: [odd(t[SALES]), 6888]),
    (["评分这一列有多少是空的"], lambda t: [Lead(t[STARS].isna().sum())]),
    (["表里有重复的记录吗"], lambda t: [AnyOf(Lead(5), Lead(10))]),
    (["各餐段订单占比,用饼图展示"], lambda t: [CHART] + named(t["餐段"].value_counts(normalize=True) * 100)),
    (["消费金额超过300元的外卖订单有几单"], lambda t: [orders(t[(t[SALES] > 300) & (t["用餐方式"] == "外卖")], "订单编号")]),
    (["上海晚餐时段平均出餐要多久"], lambda t: [Lead(t[(t["城市"] == "上海") & (t["餐段"] == "晚餐")][MINUTES].mean())]),
    (["上海有几家门店?"], lambda t: [Lead(t[t["城市"] == "上海"]["门店名称"].nunique())]),
    (["各门店的毛利(营业额减去食材成本)"], lambda t: named((t[SALES] - t[COST]).groupby(t["门店名称"]).sum())),
    (["优惠力度最大的5笔订单,按优惠金额"], lambda t: list(t.loc[t[OFF].nlargest(5).index, "订单编号"]) + list(t[OFF].nlargest(5))),
    (["每单营业额的中位数,按菜品大类分"], lambda t: named(t.groupby("菜品大类")[SALES].median())),
    (["2023年12月和2024年12月的收入对比"], lambda t: [t[monthly(day(t)) == m][SALES].sum() for m in ("2023-12", "2024-12")]),
    (["各门店营业额", "只看2023年", "换成平均值"], lambda t: named(year(t, 2023, "消费日期").groupby("门店名称")[SALES].mean())),
    (["各城市的订单量", "那营业额呢", "画成柱状图"], lambda t: [CHART] + named(t.groupby("城市")[SALES].sum())),
    (["微信支付的订单有多少", "支付宝呢"], lambda t: [orders(t[t["支付方式"] == "支付宝"], "订单编号")]),
    (["午餐平均每单多少钱", "晚餐呢", "只算堂食的"], lambda t: [Lead(t[(t["餐段"] == "晚餐") & (t["用餐方式"] == "堂食")][SALES].mean())]),
    (["各门店的房租是多少"], lambda t: [REFUSAL]),
    (["下个季度大概能卖多少"], lambda t: [REFUSAL]),
    (["为什么最近生意变差了"], lambda t: [REFUSAL]),
    (["Which city has the highest average rating?"], lambda t: [most(t.groupby("城市")[STARS].mean())]),
    (["how much revenue came from 火锅 in 2024?"], lambda t: [Lead(t[(t["菜品大类"] == "火锅") & (day(t).dt.year == 2024)][SALES].sum())]),
    (["average number of guests per order by city"], lambda t: named(t.groupby("城市")["用餐人数"].mean())),
    (["top 3 stores by total discount"], lambda t: named(t.groupby("门店名称")[OFF].sum().nlargest(3))),
    (["total sales by city", "and by payment method?"], lambda t: named(t.groupby("支付方式")[SALES].sum())),
]

CASES = [(name, asked, truth) for name, cases in [("fashion_orders", SHOP), ("clinic_appts", CLINIC), ("restaurant_chain_zh", CHAIN)] for asked, truth in cases]
