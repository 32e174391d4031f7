"""Bookings of events, a garage's jobs, 员工考勤: what a product's reviewer tries."""
from held_back_31 import first, growth, month, named, outside, quarter, share, when, year
from held_back_32 import changed, row_of
from wanted import AnyOf, CHART, Lead, REFUSAL

EVENTS = [
    (["total sales"], lambda t: [Lead(t["Total Paid"].sum())]),
    (["How many tickets were sold for each event?"], lambda t: named(t.groupby("Event")["Tickets"].sum())),
    (["top 3 events by revenue"], lambda t: named(t.groupby("Event")["Total Paid"].sum().nlargest(3))),
    (["What is the average amount paid per booking by venue?"], lambda t: named(t.groupby("Venue")["Total Paid"].mean())),
    (["revenue trend by month"], lambda t: list(t.groupby(month(t["Booked On"]))["Total Paid"].sum())),
    (["What percentage of bookings were refunded?"], lambda t: [Lead((t["Status"] == "Refunded").mean() * 100)]),
    (["no-show rate by source"], lambda t: named(share(t, "Source", "Status", "No-show"), 100)),
    (["Compare revenue in 2024 Q1 with 2025 Q1. How much did it grow?"], lambda t: [growth(*(t[quarter(t["Booked On"]) == q]["Total Paid"].sum() for q in ("2024Q1", "2025Q1")))]),
    (["Share of revenue by genre in a pie chart"], lambda t: [CHART] + list(t.groupby("Genre")["Total Paid"].sum() / t["Total Paid"].sum() * 100)),
    (["Does the buyer's age correlate with how much they pay?"], lambda t: [t["Buyer Age"].corr(t["Total Paid"])]),
    (["Any unusually large bookings by number of tickets?"], lambda t: [Lead("Tickets"), outside(t["Tickets"]), 60, 45]),
    (["Which booking had the highest total paid?"], lambda t: row_of(t, "Total Paid", "Booking Ref")),
    (["how many vip bookings in december 2024"], lambda t: [Lead(((t["Section"] == "VIP") & (month(t["Booked On"]) == "2024-12")).sum())]),
    (["What is the median age of buyers from Boston?", "and from Hartford?"], lambda t: [Lead(t[t["Buyer City"] == "Hartford"]["Buyer Age"].median())]),
    (["Bookings by source", "now only for Lakeside Arena", "as a chart"], lambda t: [CHART] + named(t[t["Venue"] == "Lakeside Arena"]["Source"].value_counts())),
    (["How many bookings between March 1 and May 31, 2024 used a promo?"], lambda t: [Lead((when(t, "Booked On", "2024-03-01", "2024-05-31")["Promo Used"] == "Y").sum())]),
    (["各场馆的总收入"], lambda t: named(t.groupby("Venue")["Total Paid"].sum())),
    (["购票者年龄分布，画个直方图"], lambda t: [CHART]),
    (["What did people say about the show in their reviews?"], lambda t: [REFUSAL]),
]

GARAGE = [
    (["How many jobs did each mechanic do?"], lambda t: named(t["mechanic"].value_counts())),
    (["average bill per service type"], lambda t: named(t.groupby("service_type")["total_bill"].mean())),
    (["Total labor hours by branch"], lambda t: named(t.groupby("branch")["labour_hours"].sum())),
    (["Which car make spends the most with us?"], lambda t: [first(t.groupby("car_make")["total_bill"].sum())]),
    (["what's the most expensive job and which car make was it for"], lambda t: row_of(t, "total_bill", "car_make")),
    (["Please plot the number of jobs per month"], lambda t: [CHART] + list(t.groupby(month(t["date_in"])).size())),
    (["how many jobs were under waranty"], lambda t: [Lead((t["under_warranty"] == "Yes").sum())]),
    (["Is mileage correlated with labour hours?"], lambda t: [t["mileage"].corr(t["labour_hours"])]),
    (["Outliers in parts cost?"], lambda t: [outside(t["parts_cost"]), 4890]),
    (["how many missing values are there in each column?"], lambda t: named(t.isna().sum()[["customer_score", "mileage"]])),
    (["What is the average customer score for Isla compared to Rory?"], lambda t: list(t.groupby("mechanic")["customer_score"].mean()[["Isla", "Rory"]])),
    (["Jobs with a bill over £500: how many are there?"], lambda t: [Lead((t["total_bill"] > 500).sum())]),
    (["total bill by branch in 2025"], lambda t: named(t[year(t["date_in"]) == 2025].groupby("branch")["total_bill"].sum())),
    (["what share of jobs is done at each branch?"], lambda t: named(t["branch"].value_counts(normalize=True), 100)),
    (["Total bill by service type", "and by car make?", "top 3"], lambda t: named(t.groupby("car_make")["total_bill"].sum().nlargest(3))),
    (["How many days does a job take on average, from date_in to date_out?"], lambda t: [Lead((t["date_out"] - t["date_in"]).dt.days.mean())]),
    (["每个技师的平均客户评分"], lambda t: named(t.groupby("mechanic")["customer_score"].mean())),
    (["2024年总收入是多少？"], lambda t: [Lead(t[year(t["date_in"]) == 2024]["total_bill"].sum())]),
    (["How many litres of oil did we use?"], lambda t: [REFUSAL]),
]

ATTENDANCE = [
    (["总共有多少条考勤记录？"], lambda t: [Lead(len(t))]),
    (["各部门的加班总时长"], lambda t: named(t.groupby("部门")["加班小时"].sum())),
    (["加班最多的5个人是谁"], lambda t: named(t.groupby("姓名")["加班小时"].sum().nlargest(5))),
    (["迟到次数按月统计，画折线图"], lambda t: [CHART] + list(t[t["出勤状态"] == "迟到"].groupby(month(t["日期"])).size())),
    (["哪个部门迟到率最高？"], lambda t: [first(share(t, "部门", "出勤状态", "迟到"), 100)]),
    (["一共有多少名员工"], lambda t: [Lead(t["工号"].nunique())]),
    (["请假的人里，病假有多少次？"], lambda t: [Lead((t["请假类型"] == "病假").sum())]),
    (["迟到超过20分钟的记录有几条"], lambda t: [Lead((t["迟到分钟"] > 20).sum())]),
    (["远程办公的比例是多少"], lambda t: [Lead((t["是否远程"] == "是").mean() * 100)]),
    (["下半年的加班费比上半年多了百分之几？"], lambda t: changed(*(when(t, "日期", *p)["加班费(元)"].sum() for p in (("2024-01-01", "2024-06-30"), ("2024-07-01", "2024-12-31"))))),
    (["加班小时有没有异常值"], lambda t: [outside(t["加班小时"]), 15.5]),
    (["各部门的平均任务完成率", "那按办公地点呢？"], lambda t: named(t.groupby("办公地点")["任务完成率"].mean())),
    (["加班小时和任务完成率相关吗"], lambda t: [t["加班小时"].corr(t["任务完成率"])]),
    (["明天谁会迟到？"], lambda t: [REFUSAL]),
    (["total overtime pay by department"], lambda t: named(t.groupby("部门")["加班费(元)"].sum())),
    (["How many people work at each office location?"], lambda t: named(t.groupby("办公地点")["工号"].nunique())),
    (["bar chart of attendance status counts (出勤状态)"], lambda t: [CHART] + named(t["出勤状态"].value_counts())),
]

CASES = [(name, asked, truth) for name, cases in [("event_tickets_33", EVENTS), ("garage_jobs_33", GARAGE), ("attendance_zh_33", ATTENDANCE)] for asked, truth in cases]
