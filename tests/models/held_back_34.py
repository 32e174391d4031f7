"""A hundred questions about tables of their own, half of them in Chinese, written before anything was tried.
What the analyst cannot compute it must refuse: those truths are refusals."""
from wanted import CHART, REFUSAL, Lead


def named(figures):
    return [*map(str, figures.index), *figures]


def month(t, date):
    return t[date].dt.strftime("%Y-%m")


BAKERY = [
    (["What is the total revenue?"], lambda t: [Lead(t["revenue"].sum())]),
    (["Which product brings in the most revenue?"], lambda t: [Lead(t.groupby("product")["revenue"].sum().idxmax())]),
    (["average units sold per shop"], lambda t: named(t.groupby("shop")["units"].mean())),
    (["How much revenue did the Station shop make in March 2024?"], lambda t: [Lead(t[(t["shop"] == "Station") & (month(t, "date") == "2024-03")]["revenue"].sum())]),
    (["revenue by month as a line chart"], lambda t: [CHART, t.groupby(month(t, "date"))["revenue"].sum().max()]),
    (["Top 3 products by units"], lambda t: named(t.groupby("product")["units"].sum().nlargest(3))),
    (["Which baker wastes the most units?"], lambda t: [Lead(t.groupby("baker")["waste_units"].sum().idxmax())]),
    (["What share of revenue comes from Bread?"], lambda t: [Lead(t[t["category"] == "Bread"]["revenue"].sum() / t["revenue"].sum() * 100)]),
    (["How many sales had more than 30 units?"], lambda t: [Lead((t["units"] > 30).sum())]),
    (["median revenue by category"], lambda t: named(t.groupby("category")["revenue"].median())),
    (["Which products did Greta never bake?"], lambda t: [REFUSAL]),
    (["Which shop has the lowest average revenue on weekends?"], lambda t: [Lead(t[t["date"].dt.dayofweek >= 5].groupby("shop")["revenue"].mean().idxmin())]),
    (["What was our best day?"], lambda t: [Lead(str(t.groupby("date")["revenue"].sum().idxmax().date()))]),
    (["Compare the revenue of Harbour and Old Mill"], lambda t: [t[t["shop"] == "Harbour"]["revenue"].sum(), t[t["shop"] == "Old Mill"]["revenue"].sum()]),
    (["How did revenue change from the first to the second half of 2024?"], lambda t: [(lambda a, b: (b - a) / a * 100)(t[t["date"].dt.month <= 6]["revenue"].sum(), t[t["date"].dt.month > 6]["revenue"].sum())]),
    (["Which bakers sold above their shop's average?"], lambda t: [REFUSAL]),
    (["Number of different products"], lambda t: [Lead(t["product"].nunique())]),
    (["total units of croissants and baguettes"], lambda t: [t[t["product"] == "Croissant"]["units"].sum(), t[t["product"] == "Baguette"]["units"].sum()]),
    (["Will we sell more bread next month?"], lambda t: [REFUSAL]),
    (["Which category has the highest revenue per unit?"], lambda t: [Lead((t.groupby("category")["revenue"].sum() / t.groupby("category")["units"].sum()).idxmax())]),
    (["On which weekday do we sell the most units?"], lambda t: [Lead(t.groupby(t["date"].dt.day_name())["units"].sum().idxmax())]),
    (["revenue by shop and category"], lambda t: [t[(t["shop"] == "Harbour") & (t["category"] == "Cake")]["revenue"].sum(), t[(t["shop"] == "Station") & (t["category"] == "Bread")]["revenue"].sum()]),
    (["What is the profit margin?"], lambda t: [REFUSAL]),
    (["how many units did Tom sell at Old Mill?"], lambda t: [Lead(t[(t["baker"] == "Tom") & (t["shop"] == "Old Mill")]["units"].sum())]),
    (["Is there a correlation between units and waste_units?"], lambda t: [round(t["units"].corr(t["waste_units"]), 3)]),
]

MARATHON = [
    (["Who was the fastest runner?"], lambda t: [Lead(t.loc[t["finish_minutes"].idxmin(), "runner"])]),
    (["How many runners finished under 200 minutes?"], lambda t: [Lead((t["finish_minutes"] < 200).sum())]),
    (["average finish time by country"], lambda t: named(t.groupby("country")["finish_minutes"].mean())),
    (["Which country was fastest on average?"], lambda t: [Lead(t.groupby("country")["finish_minutes"].mean().idxmin())]),
    (["How much money was raised in total?"], lambda t: [Lead(t["money_raised"].sum())]),
    (["How many women took part?"], lambda t: [Lead((t["sex"] == "F").sum())]),
    (["What percentage of runners ran their first marathon?"], lambda t: [Lead((t["first_marathon"] == "yes").mean() * 100)]),
    (["Average age of men and women"], lambda t: [t[t["sex"] == "F"]["age"].mean(), t[t["sex"] == "M"]["age"].mean()]),
    (["Which club raised the most money?"], lambda t: [Lead(t.groupby("club")["money_raised"].sum().idxmax())]),
    (["oldest runner"], lambda t: [t["age"].max()]),
    (["Show the 5 slowest runners"], lambda t: list(t.nlargest(5, "finish_minutes")["runner"])),
    (["How many runners are between 30 and 39 years old?"], lambda t: [Lead(t["age"].between(30, 39).sum())]),
    (["Distribution of finish times"], lambda t: [t["finish_minutes"].mean()]),
    (["Which runners did not finish?"], lambda t: [REFUSAL]),
    (["How many clubs have more than 150 runners?"], lambda t: [Lead((t.groupby("club").size() > 150).sum())]),
    (["Did people from Norway raise more than people from Chile?"], lambda t: [t[t["country"] == "Norway"]["money_raised"].sum(), t[t["country"] == "Chile"]["money_raised"].sum()]),
    (["What was the weather like?"], lambda t: [REFUSAL]),
    (["Median money raised by runners over 60"], lambda t: [Lead(t[t["age"] > 60]["money_raised"].median())]),
    (["Number of runners per club, as a bar chart"], lambda t: [CHART, t.groupby("club").size().max()]),
    (["Which runners were faster than the average of their country?"], lambda t: [REFUSAL]),
    (["the second fastest woman"], lambda t: [t[t["sex"] == "F"].nsmallest(2, "finish_minutes")["runner"].iloc[1]]),
    (["What is the highest average speed?"], lambda t: [Lead(t["average_speed_kmh"].max())]),
    (["which country has the most first-timers?"], lambda t: [Lead(t[t["first_marathon"] == "yes"].groupby("country").size().idxmax())]),
    (["total raised by City Striders from Kenya"], lambda t: [Lead(t[(t["club"] == "City Striders") & (t["country"] == "Kenya")]["money_raised"].sum())]),
    (["How many runners are there?", "and from Japan?"], lambda t: [Lead((t["country"] == "Japan").sum())]),
]

E, F, W = "用电量(度)", "电费(元)", "用水量(吨)"
HOUSING = [
    (["总用电量是多少"], lambda t: [Lead(t[E].sum())]),
    (["各楼栋的平均电费"], lambda t: named(t.groupby("楼栋")[F].mean())),
    (["哪个楼栋用电最多"], lambda t: [Lead(t.groupby("楼栋")[E].sum().idxmax())]),
    (["欠费的记录有多少条"], lambda t: [Lead((t["是否欠费"] == "是").sum())]),
    (["欠费的比例是多少"], lambda t: [Lead((t["是否欠费"] == "是").mean() * 100)]),
    (["用电量超过一百二十度的有几条记录"], lambda t: [Lead((t[E] > 120).sum())]),
    (["每个月的电费，画成折线图"], lambda t: [CHART, t.groupby(month(t, "日期"))[F].sum().max()]),
    (["兰园2024年第二季度的用水量合计"], lambda t: [Lead(t[(t["楼栋"] == "兰园") & (t["日期"].dt.quarter == 2)][W].sum())]),
    (["工学院的平均用电量"], lambda t: [Lead(t[t["学院"] == "工学院"][E].mean())]),
    (["电费最高的是哪个学院"], lambda t: [Lead(t.groupby("学院")[F].sum().idxmax())]),
    (["梅园和竹园的电费对比"], lambda t: [t[t["楼栋"] == "梅园"][F].sum(), t[t["楼栋"] == "竹园"][F].sum()]),
    (["各楼栋电费占比"], lambda t: named(t.groupby("楼栋")[F].sum() / t[F].sum() * 100)),
    (["人均用电量是多少"], lambda t: [t[E].sum() / t["入住人数"].sum()]),
    (["用电量最高的5条记录"], lambda t: list(t.nlargest(5, E)[E])),
    (["哪个月用水最少"], lambda t: [Lead(t.groupby(month(t, "日期"))[W].sum().idxmin())]),
    (["为什么菊园用电这么多"], lambda t: [REFUSAL]),
    (["明年的电费会是多少"], lambda t: [REFUSAL]),
    (["用电量和用水量的相关系数"], lambda t: [round(t[E].corr(t[W]), 3)]),
    (["用电量的中位数"], lambda t: [Lead(t[E].median())]),
    (["每个楼栋用电量最高的学院"], lambda t: [t[t["楼栋"] == b].groupby("学院")[E].sum().max() for b in ["梅园", "兰园", "竹园", "菊园"]]),
    (["从来没有欠费的楼栋有哪些"], lambda t: [REFUSAL]),
    (["3月份的总电费"], lambda t: [Lead(t[t["日期"].dt.month == 3][F].sum())]),
    (["男生宿舍的用电量"], lambda t: [REFUSAL]),
    (["电费高于本楼栋平均的记录有多少"], lambda t: [REFUSAL]),
    (["各学院的用水量从高到低排序"], lambda t: named(t.groupby("学院")[W].sum())),
]

SHOP = [
    (["一共有多少订单"], lambda t: [Lead(len(t))]),
    (["总金额是多少"], lambda t: [Lead(t["金额"].sum())]),
    (["每个城市销售额最高的产品"], lambda t: [t[t["城市"] == c].groupby("产品")["金额"].sum().max() for c in ["杭州", "成都", "青岛", "西安"]]),
    (["金卡客户的平均订单金额"], lambda t: [Lead(t[t["客户等级"] == "金卡"]["金额"].mean())]),
    (["哪种产品卖得最多"], lambda t: [Lead(t.groupby("产品")["数量"].sum().idxmax())]),
    (["2024年比2023年的订单金额增长了多少"], lambda t: [(lambda a, b: (b - a) / a * 100)(*(t[t["下单日期"].dt.year == y]["金额"].sum() for y in (2023, 2024)))]),
    (["自提订单占多少"], lambda t: [Lead((t["配送方式"] == "自提").mean() * 100)]),
    (["评分低于3分的订单数"], lambda t: [Lead((t["评分"] < 3).sum())]),
    (["各产品的平均评分，从低到高"], lambda t: named(t.groupby("产品")["评分"].mean())),
    (["杭州2024年5月的订单数"], lambda t: [Lead(((t["城市"] == "杭州") & (month(t, "下单日期") == "2024-05")).sum())]),
    (["金额最大的订单是哪一笔"], lambda t: [t.loc[t["金额"].idxmax(), "订单号"]]),
    (["没有买过显示器的城市"], lambda t: [REFUSAL]),
    (["各城市各产品的金额"], lambda t: [t[(t["城市"] == "杭州") & (t["产品"] == "显示器")]["金额"].sum(), t[(t["城市"] == "西安") & (t["产品"] == "移动电源")]["金额"].sum()]),
    (["银卡和金卡客户哪个平均消费更高"], lambda t: [t[t["客户等级"] == "银卡"]["金额"].mean(), t[t["客户等级"] == "金卡"]["金额"].mean()]),
    (["每月订单数趋势图"], lambda t: [CHART, t.groupby(month(t, "下单日期")).size().max()]),
    (["销售额前两名的城市"], lambda t: named(t.groupby("城市")["金额"].sum().nlargest(2))),
    (["蓝牙耳机的退货率"], lambda t: [REFUSAL]),
    (["2024年下半年成都的销售额"], lambda t: [Lead(t[(t["城市"] == "成都") & (t["下单日期"] >= "2024-07-01")]["金额"].sum())]),
    (["订单金额在100到200之间的有多少单"], lambda t: [Lead(t["金额"].between(100, 200).sum())]),
    (["平均每单买几件"], lambda t: [Lead(t["数量"].mean())]),
    (["哪个城市的平均评分最低", "最高的呢"], lambda t: [Lead(t.groupby("城市")["评分"].mean().idxmax())]),
    (["各配送方式的订单数", "只看青岛"], lambda t: named(t[t["城市"] == "青岛"].groupby("配送方式").size())),
    (["金额排名第三的城市"], lambda t: [Lead(t.groupby("城市")["金额"].sum().nlargest(3).index[2])]),
    (["五星评价的比例"], lambda t: [Lead((t["评分"] == 5).mean() * 100)]),
    (["应该重点推广哪个产品"], lambda t: [REFUSAL]),
]

CASES = [(name, asked, truth) for name, cases in [
    ("bakery_34", BAKERY), ("marathon_34", MARATHON), ("housing_zh_34", HOUSING), ("shop_zh_34", SHOP)]
    for asked, truth in cases]
