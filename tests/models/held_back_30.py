"""Questions of a product's evaluator and of office workers: an airline's flights, electricity meters, 图书借阅记录."""
from wanted import CHART, REFUSAL, AnyOf, Lead

DAYS = [("Monday", "Mon", "周一", "星期一"), ("Tuesday", "Tue", "周二", "星期二"), ("Wednesday", "Wed", "周三", "星期三"), ("Thursday", "Thu", "周四", "星期四"),
        ("Friday", "Fri", "周五", "星期五"), ("Saturday", "Sat", "周六", "星期六"), ("Sunday", "Sun", "周日", "星期日", "星期天")]


def named(series):
    """The groups' names and their figures."""
    return [str(name) for name in series.index] + list(series)


def weekdays(series):
    return [AnyOf(*DAYS[day]) for day in series.index] + list(series)


def change(old, new):
    """In percent; a fall may be told without its sign."""
    up = (new / old - 1) * 100
    return AnyOf(up, abs(up))


def odd(column):
    """How many are outliers: by the quartiles or by three deviations."""
    low, high = column.quantile(.25), column.quantile(.75)
    far = 1.5 * (high - low)
    return ((column < low - far) | (column > high + far)).sum(), ((column - column.mean()).abs() > 3 * column.std()).sum()


def share(part):
    return Lead(part.mean() * 100)


def year(t, column, which):
    return t[t[column].dt.year == which]


def described(column):
    return AnyOf(column.mean(), column.median(), column.std(), column.quantile(.75))


MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]


def called(period):
    """A month as it may be written."""
    name = MONTHS[period.month - 1]
    return AnyOf(f"{period.year}-{period.month:02d}", f"{name} {period.year}", f"{name[:3]} {period.year}", f"{period.year}年{period.month}月", name)


FLIGHTS = [
    (["What is the total ticket revenue?"], lambda t: [Lead(t["Ticket Revenue"].sum())]),
    (["Top 5 destinations by number of passengers"], lambda t: named(t.groupby("Destination").Passengers.sum().nlargest(5))),
    (["Bottom 3 destinations by average satisfaction score"], lambda t: named(t.groupby("Destination")["Satisfaction Score"].mean().nsmallest(3))),
    (["What is the average delay for each departure airport?"], lambda t: named(t.groupby("Departure Airport")["Delay (min)"].mean())),
    (["Median fuel cost by aircraft type"], lambda t: named(t.groupby("Aircraft Type")["Fuel Cost"].median())),
    (["How many flights were cancelled in 2024?"], lambda t: [Lead((year(t, "Flight Date", 2024).Status == "Cancelled").sum())]),
    (["How many distinct flight numbers are in the file?"], lambda t: [Lead(t["Flight No"].nunique())]),
    (["Show the quarterly trend of ticket revenue."], lambda t: list(t.groupby(t["Flight Date"].dt.to_period("Q"))["Ticket Revenue"].sum())),
    (["Compare total passengers in 2023 and 2024"], lambda t: [year(t, "Flight Date", y).Passengers.sum() for y in (2023, 2024)]),
    (["What share of all flights is long-haul?"], lambda t: [share(t["Route Type"] == "Long-haul")]),
    (["Is there a correlation between distance and fuel cost?"], lambda t: [t["Distance (km)"].corr(t["Fuel Cost"])]),
    (["Identify outliers in the delay column"], lambda t: [AnyOf(*odd(t["Delay (min)"])), t["Delay (min)"].max()]),
    (["Which columns have missing values, and how many?"], lambda t: named(t.isna().sum()[lambda s: s > 0])),
    (["Create a bar chart of average ticket revenue by destination"], lambda t: [CHART, *named(t.groupby("Destination")["Ticket Revenue"].mean())]),
    (["pls give me the number of flights per weekday, 2023 only"], lambda t: weekdays(year(t, "Flight Date", 2023).groupby(t["Flight Date"].dt.day_of_week).size())),
    (["by what percentage did revenue change from Q1 2024 to Q2 2024"], lambda t: [change(*(t[t["Flight Date"].dt.to_period("Q") == q]["Ticket Revenue"].sum() for q in ("2024Q1", "2024Q2")))]),
    (["flights with a delay of over 60 minutes, how many are there"], lambda t: [Lead((t["Delay (min)"] > 60).sum())]),
    (["are there any dupicate rows in here"], lambda t: [AnyOf(Lead(t.duplicated().sum()), Lead(t.duplicated(keep=False).sum()))]),
    (["do people rate short-haul better than long-haul? compare the mean satisfaction"], lambda t: named(t.groupby("Route Type")["Satisfaction Score"].mean())),
    (["which month of 2023 brought in the most ticket revenue"], lambda t: (lambda s: [Lead(called(s.idxmax()), s.max())])(year(t, "Flight Date", 2023).groupby(t["Flight Date"].dt.to_period("M"))["Ticket Revenue"].sum())),
    (["average delay by aircraft type", "only flights from Lisbon please"], lambda t: named(t[t["Departure Airport"] == "Lisbon"].groupby("Aircraft Type")["Delay (min)"].mean())),
    (["total revenue by route type", "and by destination?", "top 5 only"], lambda t: named(t.groupby("Destination")["Ticket Revenue"].sum().nlargest(5))),
    (["passengers per month in 2024", "as a line chart"], lambda t: [CHART, *year(t, "Flight Date", 2024).groupby(t["Flight Date"].dt.month).Passengers.sum()]),
    (["average satisfaction for flights to London", "what about Paris?"], lambda t: [Lead(t[t.Destination == "Paris"]["Satisfaction Score"].mean())]),
    (["count flights by status", "just the long-haul ones", "in percent"], lambda t: named(t[t["Route Type"] == "Long-haul"].Status.value_counts(normalize=True) * 100)),
    (["why were so many flights delayed last summer?"], lambda t: [REFUSAL]),
    (["Total baggage fees per departure airport"], lambda t: [REFUSAL]),
    (["2024年各出发机场的乘客总数"], lambda t: named(year(t, "Flight Date", 2024).groupby("Departure Airport").Passengers.sum())),
    (["燃油成本总额最高的三个目的地是哪些？"], lambda t: named(t.groupby("Destination")["Fuel Cost"].sum().nlargest(3))),
    (["画出每个季度平均延误的折线图"], lambda t: [CHART, *t.groupby(t["Flight Date"].dt.to_period("Q"))["Delay (min)"].mean()]),
    (["2023年平均票务收入是多少", "2024年呢"], lambda t: [Lead(year(t, "Flight Date", 2024)["Ticket Revenue"].mean())]),
]

METERS = [
    (["Total energy cost by city"], lambda t: named(t.groupby("city").energy_cost.sum())),
    (["which four sites produced the least solar energy in total?"], lambda t: named(t.groupby("site_name").solar_kwh.sum().nsmallest(4))),
    (["Median consumption in Leeds"], lambda t: [Lead(t[t.city == "Leeds"].consumption_kwh.median())]),
    (["How many unique sites are there in Leeds?"], lambda t: [Lead(t[t.city == "Leeds"].site_name.nunique())]),
    (["Average consumption by day of the week"], lambda t: weekdays(t.groupby(t.reading_date.dt.day_of_week).consumption_kwh.mean())),
    (["Total cost per year"], lambda t: named(t.groupby(t.reading_date.dt.year).energy_cost.sum())),
    (["Growth in total consumption from 2022 to 2023"], lambda t: [change(*(year(t, "reading_date", y).consumption_kwh.sum() for y in (2022, 2023)))]),
    (["Month-over-month growth of energy cost in 2023"], lambda t: list((t.groupby(t.reading_date.dt.to_period("M")).energy_cost.sum().pct_change() * 100)["2023-02":"2023-12"])),
    (["Compare total consumption in January 2023 and January 2024"], lambda t: [t[t.reading_date.dt.to_period("M") == m].consumption_kwh.sum() for m in ("2023-01", "2024-01")]),
    (["Show the correlation matrix of consumption, peak demand and energy cost"], lambda t: [t.consumption_kwh.corr(t.peak_demand_kw), t.consumption_kwh.corr(t.energy_cost), t.peak_demand_kw.corr(t.energy_cost)]),
    (["How many outliers are there in energy cost?"], lambda t: [AnyOf(*(Lead(n) for n in odd(t.energy_cost)))]),
    (["Plot the distribution of peak demand as a histogram"], lambda t: [CHART, described(t.peak_demand_kw)]),
    (["how many temperature readings are missing"], lambda t: [Lead(t.outdoor_temp_c.isna().sum())]),
    (["Count the duplicate records"], lambda t: [AnyOf(Lead(t.duplicated().sum()), Lead(t.duplicated(keep=False).sum()))]),
    (["Pie chart of energy cost by building type"], lambda t: (lambda s: [CHART, *s.index, *(AnyOf(v, v / s.sum() * 100) for v in s)])(t.groupby("building_type").energy_cost.sum())),
    (["hi, could you tell me the total cost of warehouses on the green tariff?"], lambda t: [Lead(t[(t.building_type == "Warehouse") & (t.tariff == "Green")].energy_cost.sum())]),
    (["avergae energy cost between 1 March 2023 and 31 May 2023"], lambda t: [Lead(t[t.reading_date.between("2023-03-01", "2023-05-31")].energy_cost.mean())]),
    (["what percent of the total consumption comes from retail buildings"], lambda t: [Lead(t[t.building_type == "Retail"].consumption_kwh.sum() / t.consumption_kwh.sum() * 100)]),
    (["total consumption per site", "now the average instead", "only 2023"], lambda t: named(year(t, "reading_date", 2023).groupby("site_name").consumption_kwh.mean())),
    (["how much did we spend on energy in York?", "and in Hull?"], lambda t: [Lead(t[t.city == "Hull"].energy_cost.sum())]),
    (["energy cost by tariff", "show that as percentages"], lambda t: named(t.groupby("tariff").energy_cost.sum() / t.energy_cost.sum() * 100)),
    (["average solar generation by month in 2023", "make it a line chart"], lambda t: [CHART, *year(t, "reading_date", 2023).groupby(t.reading_date.dt.month).solar_kwh.mean()]),
    (["what is the highest peak demand in the data?", "and the lowest?"], lambda t: [Lead(t.peak_demand_kw.min())]),
    (["Predict the consumption for the next three months"], lambda t: [REFUSAL]),
    (["how much water did each site use?"], lambda t: [REFUSAL]),
    (["what should we do to bring the bill down"], lambda t: [REFUSAL]),
    (["用柱状图对比各城市2023年的用电量"], lambda t: [CHART, *named(year(t, "reading_date", 2023).groupby("city").consumption_kwh.sum())]),
    (["平均能源成本最低的站点是哪个？"], lambda t: (lambda s: [Lead(s.idxmin(), s.min())])(t.groupby("site_name").energy_cost.mean())),
]

LOANS = [
    (["罚款总额是多少？"], lambda t: [Lead(t["罚款(元)"].sum())]),
    (["借阅次数最多的5本书"], lambda t: named(t["书名"].value_counts().nlargest(5))),
    (["借阅量最少的三个图书类别"], lambda t: named(t["图书类别"].value_counts().nsmallest(3))),
    (["不同读者类型的借阅天数中位数"], lambda t: named(t.groupby("读者类型")["借阅天数"].median())),
    (["一共有多少位不同的读者？"], lambda t: [Lead(t["读者证号"].nunique())]),
    (["按季度统计借阅量"], lambda t: list(t.groupby(t["借书日期"].dt.to_period("Q")).size())),
    (["星期几借书最多"], lambda t: (lambda s: [Lead(AnyOf(*DAYS[s.idxmax()]), s.max())])(t.groupby(t["借书日期"].dt.day_of_week).size())),
    (["2024年第一季度的借阅量比2023年第一季度增长了百分之多少"], lambda t: [change(*((t["借书日期"].dt.to_period("Q") == q).sum() for q in ("2023Q1", "2024Q1")))]),
    (["女性读者的借阅记录占总数的百分比"], lambda t: [share(t["性别"] == "女")]),
    (["对比一下总馆和东区分馆的平均评分"], lambda t: named(t[t["馆藏地点"] != "西区分馆"].groupby("馆藏地点")["评分"].mean())),
    (["借阅天数和罚款之间有相关性吗"], lambda t: [t["借阅天数"].corr(t["罚款(元)"])]),
    (["借阅天数有没有异常值"], lambda t: [AnyOf(*odd(t["借阅天数"])), t["借阅天数"].max()]),
    (["看一下评分的分布情况"], lambda t: [AnyOf(t["评分"].mean(), t["评分"].value_counts().max(), t["评分"].value_counts(normalize=True).max() * 100)]),
    (["计算机类的书有多少次逾期"], lambda t: [Lead(((t["图书类别"] == "计算机") & (t["是否逾期"] == "是")).sum())]),
    (["麻烦算下工学院2023年的平均罚款"], lambda t: [Lead(year(t, "借书日期", 2023)[lambda d: d["学院"] == "工学院"]["罚款(元)"].mean())]),
    (["男读者平均借阅天数是多少", "女的呢？"], lambda t: [Lead(t[t["性别"] == "女"]["借阅天数"].mean())]),
    (["各馆藏地点的借阅量", "按读者类型呢", "画成饼图"], lambda t: (lambda s: [CHART, *s.index, *(AnyOf(v, v / s.sum() * 100) for v in s)])(t["读者类型"].value_counts())),
    (["各图书类别的罚款总额", "改成平均值", "只看2024年"], lambda t: named(year(t, "借书日期", 2024).groupby("图书类别")["罚款(元)"].mean())),
    (["各学院的逾期率", "哪个学院最高？"], lambda t: (lambda s: [Lead(s.idxmax(), AnyOf(s.max(), s.max() / 100))])((t["是否逾期"] == "是").groupby(t["学院"]).mean() * 100)),
    (["预测一下下学期的借阅量"], lambda t: [REFUSAL]),
    (["各出版社的借阅次数排名"], lambda t: [REFUSAL]),
    (["How many loans were overdue?"], lambda t: [Lead((t["是否逾期"] == "是").sum())]),
    (["Average 借阅天数 by reader type"], lambda t: named(t.groupby("读者类型")["借阅天数"].mean())),
    (["top 3 书名 in the category 文学 by number of loans"], lambda t: named(t[t["图书类别"] == "文学"]["书名"].value_counts().nlargest(3))),
    (["number of loans per year"], lambda t: named(t["借书日期"].dt.year.value_counts())),
    (["total 罚款 by 馆藏地点", "as a bar chart"], lambda t: [CHART, *named(t.groupby("馆藏地点")["罚款(元)"].sum())]),
]

CASES = [(name, asked, truth) for name, cases in [("airline_flights_30", FLIGHTS), ("energy_meters_30", METERS), ("library_loans_zh_30", LOANS)] for asked, truth in cases]
