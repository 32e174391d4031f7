"""A hundred questions about tables of their own, half of them in Chinese, written before anything was tried.
What the analyst cannot compute it must refuse: those truths are refusals."""
from held_back_34 import month, named
from wanted import CHART, REFUSAL, AnyOf, Lead


def change(before, after):
    return (after - before) / before * 100


def in_year(t, column, year):
    return t[t[column].dt.year == year]


INVOICES = [
    (["How much did we invoice in total?"], lambda t: [Lead(t["amount_eur"].sum())]),
    (["Which client brought in the most money?"], lambda t: [Lead(t.groupby("client")["amount_eur"].sum().idxmax())]),
    (["total amount by service"], lambda t: named(t.groupby("service")["amount_eur"].sum())),
    (["How many invoices are unpaid?"], lambda t: [Lead((t["paid"] == "no").sum())]),
    (["average hours per invoice for Corvex"], lambda t: [Lead(t[t["client"] == "Corvex"]["hours"].mean())]),
    (["What share of the invoices went to Austria?"], lambda t: [Lead((t["country"] == "Austria").mean() * 100)]),
    (["How many invoices did we issue in March 2024?"], lambda t: [Lead((month(t, "issued_on") == "2024-03").sum())]),
    (["amount per month in 2023 as a line chart"], lambda t: [CHART, in_year(t, "issued_on", 2023).groupby(month(t, "issued_on"))["amount_eur"].sum().max()]),
    (["Compare the amounts of 2023 and 2024"], lambda t: [in_year(t, "issued_on", y)["amount_eur"].sum() for y in (2023, 2024)]),
    (["top 3 clients by hours"], lambda t: named(t.groupby("client")["hours"].sum().nlargest(3))),
    (["What was the largest single invoice?"], lambda t: [Lead(t["amount_eur"].max())]),
    (["median amount by country"], lambda t: named(t.groupby("country")["amount_eur"].median())),
    (["How many invoices were over 3000 euros?"], lambda t: [Lead((t["amount_eur"] > 3000).sum())]),
    (["Which service takes the fewest hours on average?"], lambda t: [Lead(t.groupby("service")["hours"].mean().idxmin())]),
    (["How many different clients do we have?"], lambda t: [Lead(t["client"].nunique())]),
    (["Do more hours mean a higher amount? Show me the correlation"], lambda t: [round(t["hours"].corr(t["amount_eur"]), 3)]),
    (["total amount of unpaid invoices by client"], lambda t: named(t[t["paid"] == "no"].groupby("client")["amount_eur"].sum())),
    (["amount by service", "only for Germany"], lambda t: named(t[t["country"] == "Germany"].groupby("service")["amount_eur"].sum())),
    (["amount per hour by service"], lambda t: [t[t["service"] == "Branding"]["amount_eur"].sum() / t[t["service"] == "Branding"]["hours"].sum()]),
    (["total hours in Q2 2024"], lambda t: [Lead(t[(t["issued_on"] >= "2024-04-01") & (t["issued_on"] < "2024-07-01")]["hours"].sum())]),
    (["By how many percent did the amount grow from 2023 to 2024?"], lambda t: [change(*(in_year(t, "issued_on", y)["amount_eur"].sum() for y in (2023, 2024)))]),
    (["What will we invoice next quarter?"], lambda t: [REFUSAL]),
    (["Which clients pay late?"], lambda t: [REFUSAL]),
    (["What is our profit margin?"], lambda t: [REFUSAL]),
    (["Why did Dunmore spend less this year?"], lambda t: [REFUSAL]),
]

SKI = [
    (["How many rentals were there in total?"], lambda t: [Lead(len(t))]),
    (["revenue by branch"], lambda t: named(t.groupby("branch")["price"].sum())),
    (["Which item is rented most often?"], lambda t: [Lead(t["item"].mode()[0])]),
    (["What is the average rental length in days?"], lambda t: [Lead(t["rental_days"].mean())]),
    (["How many helmets were rented in January 2024?"], lambda t: [Lead(((t["item"] == "helmet") & (month(t, "rental_date") == "2024-01")).sum())]),
    (["What percentage of rentals came back damaged?"], lambda t: [Lead((t["damaged"] == "yes").mean() * 100)]),
    (["damage rate by item"], lambda t: named((t["damaged"] == "yes").groupby(t["item"]).mean() * 100)),
    (["average price for students"], lambda t: [Lead(t[t["customer_type"] == "student"]["price"].mean())]),
    (["bar chart of rentals per branch"], lambda t: [CHART, *t.groupby("branch").size()]),
    (["How many rentals lasted longer than 7 days?"], lambda t: [Lead((t["rental_days"] > 7).sum())]),
    (["Which month had the highest total price?"], lambda t: [Lead(t.groupby(month(t, "rental_date"))["price"].sum().idxmax())]),
    (["total price of snowboards at Summit"], lambda t: [Lead(t[(t["item"] == "snowboard") & (t["branch"] == "Summit")]["price"].sum())]),
    (["share of total price by customer type"], lambda t: named(t.groupby("customer_type")["price"].sum() / t["price"].sum() * 100)),
    (["What was the cheapest rental?"], lambda t: [t["price"].min()]),
    (["number of rentals by weekday"], lambda t: named(t.groupby(t["rental_date"].dt.day_name()).size())),
    (["rentals between 3 and 5 days, how many?"], lambda t: [Lead(t["rental_days"].between(3, 5).sum())]),
    (["average price by item and branch"], lambda t: [t[(t["item"] == "skis") & (t["branch"] == "Valley")]["price"].mean()]),
    (["How many rentals were there excluding boots?"], lambda t: [Lead((t["item"] != "boots").sum())]),
    (["the 5 most expensive rentals"], lambda t: [*t["price"].nlargest(5)]),
    (["Are there missing values?"], lambda t: ["No values are missing"]),
    (["rental days by branch", "and only for children?"], lambda t: named(t[t["customer_type"] == "child"].groupby("branch")["rental_days"].sum())),
    (["How many customers broke a leg?"], lambda t: [REFUSAL]),
    (["Should we open a fourth branch?"], lambda t: [REFUSAL]),
    (["What was the snow depth on the busiest day?"], lambda t: [REFUSAL]),
    (["average age of the customers"], lambda t: [REFUSAL]),
]

PETS = [
    (["一共有多少次就诊"], lambda t: [Lead(len(t))]),
    (["总费用是多少"], lambda t: [Lead(t["费用(元)"].sum())]),
    (["各科室的平均费用"], lambda t: named(t.groupby("科室")["费用(元)"].mean())),
    (["哪位医生接诊最多"], lambda t: [Lead(t["医生"].mode()[0])]),
    (["猫的平均体重是多少"], lambda t: [Lead(t[t["宠物种类"] == "猫"]["体重(公斤)"].mean())]),
    (["复诊率是多少"], lambda t: [Lead((t["是否复诊"] == "是").mean() * 100)]),
    (["2024年5月的就诊次数"], lambda t: [Lead((month(t, "就诊日期") == "2024-05").sum())]),
    (["各宠物种类的费用占比"], lambda t: named(t.groupby("宠物种类")["费用(元)"].sum() / t["费用(元)"].sum() * 100)),
    (["费用超过500元的就诊有多少次"], lambda t: [Lead((t["费用(元)"] > 500).sum())]),
    (["画一张各科室费用的柱状图"], lambda t: [CHART, *t.groupby("科室")["费用(元)"].sum()]),
    (["何医生在外科的总费用"], lambda t: [Lead(t[(t["医生"] == "何医生") & (t["科室"] == "外科")]["费用(元)"].sum())]),
    (["2023年和2024年的总费用对比"], lambda t: [in_year(t, "就诊日期", y)["费用(元)"].sum() for y in (2023, 2024)]),
    (["费用最高的三次就诊"], lambda t: [*t["费用(元)"].nlargest(3)]),
    (["每个月的就诊次数折线图"], lambda t: [CHART, t.groupby(month(t, "就诊日期")).size().max()]),
    (["狗的费用中位数"], lambda t: [Lead(t[t["宠物种类"] == "狗"]["费用(元)"].median())]),
    (["体重和费用有关系吗"], lambda t: [round(t["体重(公斤)"].corr(t["费用(元)"]), 3)]),
    (["哪个科室的平均费用最低"], lambda t: [Lead(t.groupby("科室")["费用(元)"].mean().idxmin())]),
    (["除了鹦鹉以外的总费用"], lambda t: [Lead(t[t["宠物种类"] != "鹦鹉"]["费用(元)"].sum())]),
    (["各医生的复诊率"], lambda t: named((t["是否复诊"] == "是").groupby(t["医生"]).mean() * 100)),
    (["各科室的就诊次数", "只看2024年"], lambda t: named(in_year(t, "就诊日期", 2024).groupby("科室").size())),
    (["兔子看牙科的有几次"], lambda t: [Lead(((t["宠物种类"] == "兔子") & (t["科室"] == "牙科")).sum())]),
    (["宠物的平均年龄"], lambda t: [REFUSAL]),
    (["为什么皮肤科的费用这么高"], lambda t: [REFUSAL]),
    (["下个月会有多少次就诊"], lambda t: [REFUSAL]),
    (["哪些主人没有付款"], lambda t: [REFUSAL]),
]

ORCHARDS = [
    (["采摘总量是多少公斤"], lambda t: [Lead(t["采摘量(公斤)"].sum())]),
    (["各果园的销售额"], lambda t: named(t.groupby("果园")["销售额(元)"].sum())),
    (["哪种水果的销售额最高"], lambda t: [Lead(t.groupby("水果")["销售额(元)"].sum().idxmax())]),
    (["老吴的总工时"], lambda t: [Lead(t[t["工人"] == "老吴"]["工时(小时)"].sum())]),
    (["特级水果的采摘量占比"], lambda t: [Lead(t[t["等级"] == "特级"]["采摘量(公斤)"].sum() / t["采摘量(公斤)"].sum() * 100)]),
    (["2024年上半年的销售额"], lambda t: [Lead(t[(t["采摘日期"] >= "2024-01-01") & (t["采摘日期"] < "2024-07-01")]["销售额(元)"].sum())]),
    (["按季度统计采摘量"], lambda t: [t.groupby(t["采摘日期"].dt.to_period("Q"))["采摘量(公斤)"].sum().max()]),
    (["平均每次采摘多少公斤"], lambda t: [Lead(t["采摘量(公斤)"].mean())]),
    (["销售额前两名的工人"], lambda t: named(t.groupby("工人")["销售额(元)"].sum().nlargest(2))),
    (["樱桃和桃子的采摘量比较"], lambda t: [t[t["水果"] == w]["采摘量(公斤)"].sum() for w in ("樱桃", "桃子")]),
    (["各等级的平均销售额"], lambda t: named(t.groupby("等级")["销售额(元)"].mean())),
    (["采摘量大于400公斤的有多少条记录"], lambda t: [Lead((t["采摘量(公斤)"] > 400).sum())]),
    (["南岭果园苹果的总采摘量"], lambda t: [Lead(t[(t["果园"] == "南岭果园") & (t["水果"] == "苹果")]["采摘量(公斤)"].sum())]),
    (["各水果销售额的饼图"], lambda t: [CHART, *t.groupby("水果")["销售额(元)"].sum()]),
    (["工时最少的一次是多少小时"], lambda t: [Lead(t["工时(小时)"].min())]),
    (["哪个果园的平均工时最长"], lambda t: [Lead(t.groupby("果园")["工时(小时)"].mean().idxmax())]),
    (["2024年销售额比2023年增长了百分之多少"], lambda t: [change(*(in_year(t, "采摘日期", y)["销售额(元)"].sum() for y in (2023, 2024)))]),
    (["有多少个工人"], lambda t: [Lead(t["工人"].nunique())]),
    (["数据里有缺失值吗"], lambda t: [AnyOf("没有缺失", 0)]),
    (["销售额最高的月份是哪个月"], lambda t: [Lead(t.groupby(month(t, "采摘日期"))["销售额(元)"].sum().idxmax())]),
    (["各工人的采摘量", "画成柱状图"], lambda t: [CHART, *t.groupby("工人")["采摘量(公斤)"].sum()]),
    (["水果的甜度平均是多少"], lambda t: [REFUSAL]),
    (["应该多种樱桃还是苹果"], lambda t: [REFUSAL]),
    (["每个工人的工资是多少"], lambda t: [REFUSAL]),
    (["哪些工人从来没有采过桃子"], lambda t: [REFUSAL]),
]

CASES = [(name, asked, truth) for name, cases in [
    ("invoices_36", INVOICES), ("ski_rental_36", SKI), ("pets_zh_36", PETS), ("orchards_zh_36", ORCHARDS)]
    for asked, truth in cases]
