"""Questions as an evaluator puts them, feature by feature: SaaS subscriptions, bike rentals, 项目台账."""
from wanted import AnyOf, CHART, Lead, REFUSAL

MRR, WORTH, COST, PAID = "MRR (USD)", "合同额(万元)", "实际成本(万元)", "已回款(万元)"
DAYS = [("Monday", "Mon", "星期一", "周一"), ("Tuesday", "Tue", "星期二", "周二"), ("Wednesday", "Wed", "星期三", "周三"), ("Thursday", "Thu", "星期四", "周四"),
        ("Friday", "Fri", "星期五", "周五"), ("Saturday", "Sat", "星期六", "周六"), ("Sunday", "Sun", "星期日", "周日", "星期天")]


def named(s):
    """Each group's name and its figure."""
    return [x for k, v in s.items() for x in (str(k), v)]


def up(old, new):
    return (new / old - 1) * 100


def change(x):
    """A change may be told as a signed number, or as a fall by so much."""
    return AnyOf(x, abs(x))


def odd(s):
    """How many lie outside: by quartiles, or by three standard deviations."""
    s = s.dropna()
    low, high = s.quantile(.25), s.quantile(.75)
    far = 1.5 * (high - low)
    return AnyOf(((s < low - far) | (s > high + far)).sum(), ((s - s.mean()).abs() > 3 * s.std()).sum())


def month(p):
    return AnyOf(p.strftime("%Y-%m"), p.strftime("%B"), p.strftime("%b %Y"), f"{p.year}年{p.month}月", f"{p.year}年{p.month:02d}月")


def weekday(d):
    return AnyOf(*DAYS[d])


def by_month(dates, year):
    return dates[dates.dt.year == year].dt.to_period("M").value_counts().sort_index()


def in_year(t, column, year):
    return t[t[column].dt.year == year]


def share(part, whole):
    return part / whole * 100


SUBS = [
    # totals, averages, medians, counts
    (["What is the total MRR of all active accounts?"], lambda t: [Lead(t[t.Status == "Active"][MRR].sum())]),
    (["Show total MRR per signup year."], lambda t: named(t.groupby(t["Signup Date"].dt.year)[MRR].sum())),
    (["Median seats per plan"], lambda t: named(t.groupby("Plan").Seats.median())),
    (["How many distinct companies are in this file?"], lambda t: [Lead(t.Company.nunique())]),
    # rankings
    (["Top 5 countries by total MRR, please"], lambda t: named(t.groupby("Country")[MRR].sum().nlargest(5))),
    (["Which three CSMs have the lowest total MRR?"], lambda t: named(t.groupby("CSM")[MRR].sum().nsmallest(3))),
    (["Which industry has the highest cancellation rate?"], lambda t: [Lead((t.Status == "Cancelled").groupby(t.Industry).mean().idxmax(), AnyOf(share((t.Status == "Cancelled").groupby(t.Industry).mean().max(), 1), (t.Status == "Cancelled").groupby(t.Industry).mean().max()))]),
    # time
    (["By what percentage did the number of signups grow from 2023 to 2024?"], lambda t: [change(up(len(in_year(t, "Signup Date", 2023)), len(in_year(t, "Signup Date", 2024))))]),
    (["How many accounts were cancelled in 2024?"], lambda t: [Lead((t["Cancel Date"].dt.year == 2024).sum())]),
    (["Compare the number of signups in H1 2024 with H2 2024"], lambda t: [((t["Signup Date"].dt.year == 2024) & (t["Signup Date"].dt.month <= 6)).sum(), ((t["Signup Date"].dt.year == 2024) & (t["Signup Date"].dt.month > 6)).sum()]),
    # shares, groups, relations
    (["Percentage of total MRR coming from each plan"], lambda t: named(share(t.groupby("Plan")[MRR].sum(), t[MRR].sum()))),
    (["Do Enterprise customers have a higher average NPS than Starter customers?"], lambda t: named(t[t.Plan.isin(["Enterprise", "Starter"])].groupby("Plan").NPS.mean())),
    (["corelation between logins and MRR?"], lambda t: [t["Logins L30D"].corr(t[MRR])]),
    # quality
    (["Are there outliers in the seat counts?"], lambda t: [odd(t.Seats), 1500]),
    (["Which columns contain missing values, and how many in each?"], lambda t: named(t.isna().sum()[lambda s: s > 0])),
    (["Are there any fully duplicated rows in this export?"], lambda t: [AnyOf(Lead(0), Lead("no dup"), Lead("No dup"), Lead("no full"), Lead("No full"), Lead("no row"), Lead("No row"), Lead("There are no"), Lead("None"))]),
    # charts
    (["Draw a histogram of NPS"], lambda t: [CHART]),
    # filters
    (["How many German accounts have more than 40 seats?"], lambda t: [Lead(((t.Country == "Germany") & (t.Seats > 40)).sum())]),
    (["avarage MRR of fintech accounts", "only those that came through a referral"], lambda t: [Lead(t[(t.Industry == "Fintech") & (t["Lead Source"] == "Referral")][MRR].mean())]),
    # Chinese
    (["Plan 为 Team 且 Status 为 Active 的账户有多少个？"], lambda t: [Lead(((t.Plan == "Team") & (t.Status == "Active")).sum())]),
    (["NPS 有多少条缺失？"], lambda t: [Lead(t.NPS.isna().sum())]),
    (["请画出2024年每月注册数量的折线图"], lambda t: [CHART] + list(by_month(t["Signup Date"], 2024))),
    # conversations
    (["MRR by plan", "and by country?"], lambda t: [x for k, v in t.groupby("Country")[MRR].sum().items() for x in (k, AnyOf(v, t[(t.Country == k) & (t.Plan == "Starter")][MRR].sum()))]),
    (["average MRR by industry", "now the median instead", "only the Enterprise plan"], lambda t: named(t[t.Plan == "Enterprise"].groupby("Industry")[MRR].median())),
    (["Number of cancelled accounts by country", "top 3 only", "as a bar chart"], lambda t: [CHART] + named(t[t.Status == "Cancelled"].Country.value_counts().nlargest(3))),
    (["How many accounts are there in Japan?", "And in Brazil?", "what percentage of all accounts is that?"], lambda t: [Lead(share((t.Country == "Brazil").sum(), len(t)))]),
    (["average NPS by lead source", "只看2024年注册的"], lambda t: named(in_year(t, "Signup Date", 2024).groupby("Lead Source").NPS.mean())),
    # to be refused
    (["Forecast our MRR for the next quarter."], lambda t: [REFUSAL]),
    (["What is the gross margin per plan?"], lambda t: [REFUSAL]),
    (["cancelled accounts by plan", "why did they cancel?"], lambda t: [REFUSAL]),
]

BIKES = [
    # totals, averages, medians, counts
    (["Total distance ridden in 2024"], lambda t: [Lead(in_year(t, "start_time", 2024).distance_km.sum())]),
    (["Median fare by user type"], lambda t: named(t.groupby("user_type").fare_eur.median())),
    (["How many rides took place in the rain?", "and when it was cloudy?"], lambda t: [Lead((t.weather == "cloudy").sum())]),
    (["number of different start stations"], lambda t: [Lead(t.start_station.nunique())]),
    (["What is the average fare per kilometre?"], lambda t: [AnyOf(Lead(t.fare_eur.sum() / t.distance_km.sum()), Lead((t.fare_eur / t.distance_km).mean()))]),
    # rankings
    (["Which 5 stations do most trips start from?"], lambda t: named(t.start_station.value_counts().nlargest(5))),
    (["bottom 3 destination stations by number of trips"], lambda t: named(t.end_station.value_counts().nsmallest(3))),
    # time
    (["Trips per weekday"], lambda t: [x for k, v in t.start_time.dt.day_of_week.value_counts().items() for x in (weekday(k), v)]),
    (["Which weekday has the shortest rides on average?"], lambda t: [Lead(weekday(t.groupby(t.start_time.dt.day_of_week).duration_min.mean().idxmin()), t.groupby(t.start_time.dt.day_of_week).duration_min.mean().min())]),
    (["Which month of 2024 had the fewest rides?"], lambda t: [Lead(month(by_month(t.start_time, 2024).idxmin()), by_month(t.start_time, 2024).min())]),
    (["Year-over-year growth of fare revenue, 2024 vs 2023"], lambda t: [change(up(*(in_year(t, "start_time", y).fare_eur.sum() for y in (2023, 2024))))]),
    (["Month-over-month growth of the number of rides in 2023, in percent"], lambda t: [change(x) for x in by_month(t.start_time, 2023).pct_change().dropna() * 100]),
    (["Compare Q2 2023 and Q2 2024 by number of rides"], lambda t: [((t.start_time.dt.year == y) & (t.start_time.dt.quarter == 2)).sum() for y in (2023, 2024)]),
    # shares, groups, relations
    (["What percentage of trips were made by members?"], lambda t: [Lead(share((t.user_type == "member").sum(), len(t)))]),
    (["Compare the average distance of members and casual riders."], lambda t: named(t.groupby("user_type").distance_km.mean())),
    (["Is there a relationship between temperature and distance?"], lambda t: [t.temp_c.corr(t.distance_km)]),
    # quality
    (["Find unusually long or short trip durations"], lambda t: [odd(t.duration_min), 1437]),
    (["What does the distribution of rider age look like?"], lambda t: [AnyOf(CHART, t.age.median()), AnyOf(CHART, t.age.mean())]),
    (["How many trips have no gender recorded?"], lambda t: [Lead(t.gender.isna().sum())]),
    (["Number of dupliacte rows?"], lambda t: [AnyOf(Lead(t.duplicated().sum()), Lead(t.duplicated(keep=False).sum()))]),
    # charts
    (["Pie chart with each bike type's share of rides"], lambda t: [CHART] + named(share(t.bike_type.value_counts(), len(t)))),
    # filters
    (["How many trips lasted longer than 45 minutes and cost less than 6 euros?"], lambda t: [Lead(((t.duration_min > 45) & (t.fare_eur < 6)).sum())]),
    (["total fares collected from casual riders in July 2024"], lambda t: [Lead(t[(t.user_type == "casual") & (t.start_time >= "2024-07-01") & (t.start_time < "2024-08-01")].fare_eur.sum())]),
    (["What is the average age of people riding cargo bikes when it's below 5 degrees?"], lambda t: [Lead(t[(t.bike_type == "cargo") & (t.temp_c < 5)].age.mean())]),
    # Chinese
    (["不同 weather 下的平均 duration_min"], lambda t: named(t.groupby("weather").duration_min.mean())),
    (["按季度统计2024年的骑行次数"], lambda t: list(in_year(t, "start_time", 2024).start_time.dt.quarter.value_counts())),
    # conversations
    (["How long do men ride on average?", "what about women?"], lambda t: [Lead(t[t.gender == "Female"].duration_min.mean())]),
    (["total fare by bike type", "only 2023", "now the average instead"], lambda t: named(in_year(t, "start_time", 2023).groupby("bike_type").fare_eur.mean())),
    (["rides per end station", "top 5 only", "as a bar chart please"], lambda t: [CHART] + named(t.end_station.value_counts().nlargest(5))),
    (["monthly rides in 2024", "same for 2023", "show it as a line chart"], lambda t: [CHART] + list(by_month(t.start_time, 2023))),
    (["average fare for members", "and for casual users?", "只看 Harbour 出发的"], lambda t: [Lead(t[(t.user_type == "casual") & (t.start_station == "Harbour")].fare_eur.mean())]),
    # to be refused
    (["How many helmets were rented?"], lambda t: [REFUSAL]),
    (["Where should we build the next station?"], lambda t: [REFUSAL]),
]

PROJECTS = [
    # totals, averages, medians, counts
    (["所有项目的合同总额是多少？"], lambda t: [Lead(t[WORTH].sum())]),
    (["各事业部的平均合同额"], lambda t: named(t.groupby("事业部")[WORTH].mean())),
    (["客户满意度的中位数是多少"], lambda t: [Lead(t["客户满意度"].median())]),
    (["2023年立项的项目有几个？"], lambda t: [Lead(len(in_year(t, "立项日期", 2023)))]),
    (["一共有多少位不同的项目经理"], lambda t: [Lead(t["项目经理"].nunique())]),
    # rankings
    (["合同额最高的5个项目是哪些？"], lambda t: [x for _, p in t.nlargest(5, WORTH).iterrows() for x in (AnyOf(p["项目名称"], p["项目编号"]), p[WORTH])]),
    (["项目数量最少的三个城市"], lambda t: named(t["城市"].value_counts().nsmallest(3))),
    (["哪个事业部的毛利(合同额减实际成本)最高？"], lambda t: [Lead((t[WORTH] - t[COST]).groupby(t["事业部"]).sum().idxmax(), (t[WORTH] - t[COST]).groupby(t["事业部"]).sum().max())]),
    # time
    (["请帮我画一张各季度合同额的趋势图"], lambda t: [CHART] + list(t.groupby(t["立项日期"].dt.to_period("Q"))[WORTH].sum())),
    (["2024年合同额比2023年增长了百分之几？"], lambda t: [change(up(*(in_year(t, "立项日期", y)[WORTH].sum() for y in (2023, 2024))))]),
    (["对比2023年上半年和2024年上半年的立项数"], lambda t: [((t["立项日期"].dt.year == y) & (t["立项日期"].dt.month <= 6)).sum() for y in (2023, 2024)]),
    (["星期几立项最多"], lambda t: [Lead(weekday(t["立项日期"].dt.day_of_week.value_counts().idxmax()), t["立项日期"].dt.day_of_week.value_counts().max())]),
    # shares, groups, relations
    (["延期项目占全部项目的比例"], lambda t: [Lead(share((t["是否延期"] == "是").sum(), len(t)))]),
    (["政府客户和外企客户的平均合同额哪个更高？"], lambda t: named(t[t["客户类型"].isin(["政府", "外企"])].groupby("客户类型")[WORTH].mean())),
    (["团队人数与投入工时相关吗"], lambda t: [t["团队人数"].corr(t["投入工时"])]),
    # quality
    (["实际成本有没有异常值？"], lambda t: [odd(t[COST]), t[COST].max()]),
    (["看一下风险等级的分布"], lambda t: [x for k, v in t["风险等级"].value_counts().items() for x in (k, AnyOf(v, share(v, len(t))))]),
    (["哪些字段有缺失值，各缺多少条"], lambda t: ["客户满意度", 48, "已回款", 13]),
    (["有没有重名的项目？列出重复的项目名称"], lambda t: list(t["项目名称"].value_counts()[lambda s: s > 1].index)),
    # filters
    (["合同额超过500万且风险等级为高的项目有多少个"], lambda t: [Lead(((t[WORTH] > 500) & (t["风险等级"] == "高")).sum())]),
    (["2024年3月1日以后立项、还在进行中的项目数"], lambda t: [AnyOf(Lead(((t["立项日期"] >= "2024-03-01") & (t["项目状态"] == "进行中")).sum()), Lead(((t["立项日期"] > "2024-03-01") & (t["项目状态"] == "进行中")).sum()))]),
    # English
    (["What percentage of projects have the status 已验收?"], lambda t: [Lead(share((t["项目状态"] == "已验收").sum(), len(t)))]),
    (["Plot the total 合同额 per month in 2023"], lambda t: [CHART] + list(in_year(t, "立项日期", 2023).groupby(t["立项日期"].dt.to_period("M"))[WORTH].sum())),
    (["Which project manager runs the most projects?"], lambda t: [Lead(t["项目经理"].value_counts().idxmax(), t["项目经理"].value_counts().max())]),
    # conversations
    (["各事业部的合同额", "只看2024年", "画成柱状图"], lambda t: [CHART] + named(in_year(t, "立项日期", 2024).groupby("事业部")[WORTH].sum())),
    (["北京项目的平均客户满意度", "上海呢？"], lambda t: [Lead(t[t["城市"] == "上海"]["客户满意度"].mean())]),
    (["按客户类型统计项目数", "换成百分比"], lambda t: named(share(t["客户类型"].value_counts(), len(t)))),
    (["各项目经理的已回款总额", "只要前3名", "改成平均值"], lambda t: [AnyOf(x, y) for x, y in zip(named(t.groupby("项目经理")[PAID].mean().nlargest(3)), named(t.groupby("项目经理")[PAID].mean()[t.groupby("项目经理")[PAID].sum().nlargest(3).index]))]),
    (["total 实际成本 by 城市", "bottom 3 only"], lambda t: named(t.groupby("城市")[COST].sum().nsmallest(3))),
    # to be refused
    (["预测一下2025年的合同额"], lambda t: [REFUSAL]),
    (["各事业部员工的平均学历是什么"], lambda t: [REFUSAL]),
    (["为什么成都的项目总是延期？"], lambda t: [REFUSAL]),
]

CASES = [(name, asked, truth) for name, cases in [("saas_subs_27", SUBS), ("bike_rentals_27", BIKES), ("projects_zh_27", PROJECTS)] for asked, truth in cases]
