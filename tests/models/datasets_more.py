"""More tables that people bring, for the sets from 7 on: see datasets.py for the rules."""
import numpy as np
import pandas as pd


def hotel_bookings(folder):
    r = np.random.default_rng(701)
    n = 900
    hotels = {"Grand Plaza": 180, "Sea View": 140, "Alpine Lodge": 110, "Airport Inn": 75}
    rooms = {"Single": 0.8, "Double": 1.0, "Suite": 2.1}
    hotel = r.choice(list(hotels), n, p=[.35, .3, .15, .2])
    room = r.choice(list(rooms), n, p=[.3, .55, .15])
    price = np.round([hotels[h] * rooms[k] for h, k in zip(hotel, room)] * r.uniform(0.8, 1.3, n), 2)
    price[r.choice(n, 4, replace=False)] *= 6
    price = price.round(2)
    nights = np.minimum(1 + r.poisson(2.2, n), 14)
    table = pd.DataFrame({
        "booking_id": [f"BK-{10000 + i}" for i in range(n)], "hotel": hotel,
        "arrival_date": pd.to_datetime("2023-01-03") + pd.to_timedelta(np.sort(r.integers(0, 635, n)), unit="D"),
        "nights": nights, "adults": r.integers(1, 4, n), "children": r.choice([0, 0, 0, 1, 2], n),
        "room_type": room,
        "country": r.choice(["Germany", "France", "Italy", "Spain", "Poland", "Austria", "Japan", "Brazil"], n,
                            p=[.3, .2, .14, .12, .09, .07, .05, .03]),
        "channel": r.choice(["Direct", "Booking.com", "Expedia", "Phone"], n, p=[.25, .45, .2, .1]),
        "price_per_night": price, "total_price": (price * nights).round(2),
        "status": r.choice(["Checked-out", "Canceled", "No-show"], n, p=[.74, .21, .05]),
        "rating": np.where(r.random(n) < 0.15, np.nan, r.integers(4, 11, n))})
    table.to_csv(folder / "hotel_bookings.csv", index=False)
    return {"bookings": table}


def marks(folder):
    """Wide: one row a student, one column a subject."""
    r = np.random.default_rng(702)
    n = 240
    base = r.normal(68, 11, n)
    table = pd.DataFrame({
        "student_id": range(5001, 5001 + n),
        "first_name": r.choice(["Ada", "Ben", "Chloe", "Dev", "Ella", "Finn", "Grace", "Hugo", "Iris", "Jon"], n),
        "last_name": r.choice(["Adler", "Brook", "Cole", "Dunn", "Egan", "Frost", "Gray", "Hale"], n),
        "gender": r.choice(["F", "M"], n), "class": r.choice(["9A", "9B", "10A", "10B"], n),
        "birth_year": r.integers(2007, 2011, n)})
    for subject, shift in [("math", -4), ("physics", -2), ("chemistry", 1), ("biology", 4), ("history", 3),
                           ("english", 5), ("art", 9), ("sports", 12)]:
        table[subject] = np.clip(base + shift + r.normal(0, 7, n), 5, 100).round(0)
    table["math"] = np.clip(0.8 * table.physics + 12 + r.normal(0, 4, n), 5, 100).round(0)
    table.loc[r.choice(n, 14, replace=False), "history"] = np.nan
    table.loc[r.choice(n, 5, replace=False), "art"] = np.nan
    table["absences"] = r.poisson(4, n)
    table.loc[17, "absences"] = 41
    table["homework_hours_per_week"] = np.clip((base - 40) / 5 + r.normal(0, 1.5, n), 0, None).round(1)
    table["scholarship"] = r.choice(["yes", "no"], n, p=[.15, .85])
    table.to_csv(folder / "student_marks_2024.csv", index=False, sep=";")
    return {"marks": table}


def waimai(folder):
    """外卖: Chinese columns."""
    r = np.random.default_rng(703)
    n = 1000
    shops = {"老王面馆": ("中餐", 32), "川味轩": ("中餐", 68), "麦香汉堡": ("快餐", 38), "寿司屋": ("日料", 95),
             "一点点奶茶": ("饮品", 21), "瑞咖啡": ("饮品", 26), "鲜果坊": ("水果", 45)}
    shop = r.choice(list(shops), n, p=[.2, .14, .2, .1, .18, .12, .06])
    amount = np.round([shops[s][1] for s in shop] * r.uniform(0.6, 1.9, n), 1)
    distance = r.uniform(0.4, 7.5, n).round(1)
    table = pd.DataFrame({
        "订单号": [f"W{20240000 + i}" for i in range(n)],
        "下单时间": pd.to_datetime("2023-10-01") + pd.to_timedelta(np.sort(r.integers(0, 300 * 24 * 60, n)), unit="min"),
        "商家": shop, "品类": [shops[s][0] for s in shop],
        "城区": r.choice(["朝阳区", "海淀区", "丰台区", "西城区"], n, p=[.4, .3, .18, .12]),
        "骑手": r.choice(["赵刚", "钱勇", "孙涛", "李敏", "周磊", "吴燕"], n),
        "订单金额": amount, "配送费": r.choice([0, 3, 5, 8], n, p=[.2, .35, .3, .15]),
        "配送距离(公里)": distance, "配送时长(分钟)": np.round(12 + distance * 4.5 + r.normal(0, 5, n)).clip(8),
        "评分": np.where(r.random(n) < 0.22, np.nan, r.integers(1, 6, n)),
        "是否退款": r.choice(["是", "否"], n, p=[.08, .92])})
    table.loc[r.choice(n, 3, replace=False), "配送时长(分钟)"] = [180, 205, 240]
    table.to_csv(folder / "外卖订单.csv", index=False)
    return {"外卖": table}


def refunds(folder):
    """A shop's export with messy headers, currency and percent strings, and dates as people write them."""
    r = np.random.default_rng(704)
    n = 700
    goods = {"Yoga Mat": ("Sports", 29.9), "Dumbbell Set": ("Sports", 89), "Desk Lamp": ("Home", 34.5),
             "Blender": ("Kitchen", 59), "Knife Block": ("Kitchen", 120), "Throw Pillow": ("Home", 18),
             "Running Shoes": ("Sports", 99), "Coffee Grinder": ("Kitchen", 45)}
    item = r.choice(list(goods), n)
    qty = r.integers(1, 6, n)
    discount = r.choice([0, 5, 10, 15, 20], n, p=[.5, .15, .15, .1, .1])
    gross = np.round(np.array([goods[g][1] for g in item]) * qty, 2)
    net = (gross * (1 - discount / 100)).round(2)
    back = r.random(n) < np.where(item == "Running Shoes", 0.25, 0.08)
    table = pd.DataFrame({
        "order_no": range(900001, 900001 + n),
        "order_date": pd.to_datetime("2024-01-02") + pd.to_timedelta(np.sort(r.integers(0, 420, n)), unit="D"),
        "state": r.choice(["Texas", "Ohio", "California", "New York", "Florida"], n, p=[.3, .1, .3, .2, .1]),
        "product": item, "category": [goods[g][0] for g in item], "qty": qty, "gross": gross,
        "discount": discount.astype(float), "net": net,
        "refund": np.where(back, (net * r.choice([0.5, 1.0], n)).round(2), np.nan),
        "weight": (qty * r.uniform(0.3, 2.5, n)).round(2),
        "payment": r.choice(["PayPal", "Credit Card", "Klarna"], n, p=[.3, .55, .15])})
    shown = pd.DataFrame({
        "Order No.": table.order_no, " Order Date ": table.order_date.dt.strftime("%d-%b-%Y"),
        "Ship-to State": table.state, "Product Name": table["product"], "Product  Category": table.category,
        "Qty (pcs)": table.qty, "Gross Amt. (USD)": table.gross.map(lambda v: f"${v:,.2f}"),
        "Discount %": table.discount.map(lambda v: f"{v:.0f}%"), "Net Amt. (USD)": table.net.map(lambda v: f"$ {v:,.2f}"),
        "Refund Amt.": table.refund.map(lambda v: "" if np.isnan(v) else f"${v:,.2f}"),
        "Weight": table.weight.map(lambda v: f"{v} kg"), "Pay Method": table.payment})
    shown.to_csv(folder / "orders export (final).csv", index=False)
    return {"orders": table}


def football(folder):
    r = np.random.default_rng(801)
    teams = ["Rovers", "United", "Athletic", "Wanderers", "City", "Albion", "Harriers", "Vale"]
    strength = dict(zip(teams, [1.9, 1.7, 1.5, 1.4, 1.2, 1.1, 0.9, 0.8]))
    rows, day = [], pd.Timestamp("2022-08-06")
    for season in ["2022/23", "2023/24"]:
        for home in teams:
            for away in teams:
                if home != away:
                    h, a = r.poisson(strength[home] * 1.15), r.poisson(strength[away])
                    rows.append((season, home, away, h, a))
    order = np.concatenate([r.permutation(56), 56 + r.permutation(56)])
    table = pd.DataFrame([rows[i] for i in order], columns=["season", "home_team", "away_team", "home_goals", "away_goals"])
    days = list(pd.date_range("2022-08-06", periods=56, freq="5D")) + list(pd.date_range("2023-08-05", periods=56, freq="5D"))
    table.insert(1, "match_date", days)
    table["result"] = np.where(table.home_goals > table.away_goals, "H",
                               np.where(table.home_goals < table.away_goals, "A", "D"))
    table["attendance"] = [int(8000 + strength[h] * 14000 + r.normal(0, 2500)) for h in table.home_team]
    table["referee"] = r.choice(["M. Dean", "A. Taylor", "S. Frappart", "C. Pawson"], len(table))
    table["yellow_cards"] = r.poisson(3.4, len(table))
    table["red_cards"] = r.poisson(0.2, len(table))
    table.loc[[5, 40, 77], "attendance"] = np.nan
    table["stadium"] = table.home_team.map(lambda t: t + " Park")
    table.to_csv(folder / "results.csv", index=False)
    return {"results": table}


def reviews(folder):
    """Two related files: people, and their yearly reviews."""
    r = np.random.default_rng(802)
    n = 160
    people = pd.DataFrame({
        "emp_id": [f"E{i:03d}" for i in range(1, n + 1)],
        "name": [f"{a} {b}" for a, b in zip(
            r.choice(["Mia", "Noah", "Lena", "Omar", "Yuki", "Sara", "Ivan", "Tess"], n), [f"Q{i}" for i in range(n)])],
        "department": r.choice(["Support", "Product", "Legal", "Operations"], n, p=[.4, .3, .1, .2]),
        "office": r.choice(["Berlin", "Lisbon", "Toronto"], n), "level": r.choice(["junior", "mid", "senior"], n),
        "salary": r.integers(38, 120, n) * 1000,
        "start_date": pd.to_datetime("2015-01-01") + pd.to_timedelta(r.integers(0, 3000, n), unit="D"),
        "remote": r.choice([True, False], n)})
    rows = []
    for year in (2022, 2023, 2024):
        for e in people.emp_id:
            if r.random() < 0.85:
                rows.append((e, year, r.integers(1, 6), np.nan if r.random() < .1 else r.integers(0, 60) * 100,
                             r.choice(["meets", "exceeds", "below"], p=[.6, .28, .12]), r.integers(0, 12)))
    rated = pd.DataFrame(rows, columns=["emp_id", "review_year", "score", "bonus", "outcome", "training_days"])
    people.to_csv(folder / "employees.csv", index=False)
    rated.to_csv(folder / "reviews.csv", index=False)
    both = rated.merge(people, on="emp_id")
    return {"people": people, "rated": rated, "both": both}


def air_quality(folder):
    r = np.random.default_rng(803)
    rows = []
    for city, base in [("北京", 62), ("上海", 41), ("广州", 33), ("成都", 55), ("西安", 70)]:
        for day in pd.date_range("2023-01-01", "2024-06-30", freq="2D"):
            season = 1 + 0.5 * np.cos((day.month - 1) / 12 * 2 * np.pi)
            pm = max(4, base * season + r.normal(0, 14))
            rows.append((day, city, round(pm, 1), round(pm * 1.5 + r.normal(0, 12), 1), round(r.uniform(10, 180), 0),
                         round(16 - 12 * np.cos((day.month - 1) / 12 * 2 * np.pi) + r.normal(0, 3), 1)))
    table = pd.DataFrame(rows, columns=["日期", "城市", "PM2.5", "PM10", "臭氧", "气温"])
    table["空气质量等级"] = pd.cut(table["PM2.5"], [0, 35, 75, 115, 1000], labels=["优", "良", "轻度污染", "中度污染"]).astype(str)
    table["监测站数量"] = table["城市"].map({"北京": 35, "上海": 28, "广州": 24, "成都": 19, "西安": 13})
    table.loc[r.choice(len(table), 60, replace=False), "臭氧"] = np.nan
    table.loc[[100, 700], "PM2.5"] = [486.0, 512.0]
    table["PM10"] = table["PM10"].clip(5)
    shown = table.copy()
    shown["日期"] = shown["日期"].dt.strftime("%Y/%-m/%-d")
    shown.to_csv(folder / "空气质量监测.csv", index=False, encoding="utf-8-sig")
    return {"空气": table}


def meters(folder):
    r = np.random.default_rng(804)
    rows = []
    for i in range(24):
        kind, district = ["household", "shop", "factory"][i % 3], ["North End", "Old Town", "Harbour", "Riverside"][i % 4]
        level = {"household": 11, "shop": 32, "factory": 140}[kind] * r.uniform(0.7, 1.3)
        for day in pd.date_range("2024-01-01", "2024-12-29", freq="7D"):
            use = level * 7 * (1 + 0.35 * np.cos((day.day_of_year - 15) / 365 * 2 * np.pi)) * r.uniform(0.85, 1.15)
            rows.append((f"MTR-{i + 1:03d}", day, kind, district, round(use, 1), round(r.normal(230, 2.5), 1),
                         round(use * r.choice([0.28, 0.31]), 2), r.choice(["smart", "analog"], p=[.8, .2])))
    table = pd.DataFrame(rows, columns=["meter_id", "reading_date", "customer_type", "district", "consumption_kwh",
                                        "voltage", "cost_eur", "reading_method"])
    table.loc[r.choice(len(table), 33, replace=False), "voltage"] = np.nan
    table.loc[[50, 600], "consumption_kwh"] = [9800.0, 12100.0]
    shown = table.rename(columns={"consumption_kwh": "Consumption (kWh)", "cost_eur": "Cost [EUR]", "voltage": "Voltage (V)",
                                  "meter_id": "Meter ID", "reading_date": "Reading Date", "customer_type": "Customer Type",
                                  "district": "District", "reading_method": "Reading Method"})
    shown["Reading Date"] = shown["Reading Date"].dt.strftime("%m/%d/%Y")
    shown.to_csv(folder / "meter_readings.tsv", index=False, sep="\t")
    return {"meters": table}


def github_issues(folder):
    r = np.random.default_rng(901)
    n = 650
    opened = pd.to_datetime("2023-02-01") + pd.to_timedelta(np.sort(r.integers(0, 600 * 24, n)), unit="h")
    closed_after = r.gamma(1.2, 12, n).round(1)
    is_open = r.random(n) < 0.27
    table = pd.DataFrame({
        "number": range(1, n + 1), "title": [f"Issue about thing {i}" for i in range(n)],
        "state": np.where(is_open, "open", "closed"),
        "label": r.choice(["bug", "feature", "docs", "question"], n, p=[.5, .25, .1, .15]),
        "author": r.choice(["octo", "ferris", "gopher", "duke", "tux", "clippy"], n, p=[.3, .22, .18, .14, .1, .06]),
        "assignee": r.choice(["maria", "chen", "raj", ""], n, p=[.3, .25, .2, .25]),
        "priority": r.choice(["P0", "P1", "P2", "P3"], n, p=[.08, .22, .45, .25]),
        "comments": r.poisson(3.5, n), "reactions": r.poisson(1.2, n), "created_at": opened,
        "days_to_close": np.where(is_open, np.nan, closed_after)})
    table["closed_at"] = table.created_at + pd.to_timedelta(table.days_to_close, unit="D").dt.round("s")
    table["assignee"] = table.assignee.replace("", None)
    table.loc[[33, 480], "comments"] = [77, 95]
    shown = table.copy()
    for column in ["created_at", "closed_at"]:
        shown[column] = shown[column].dt.strftime("%Y-%m-%dT%H:%M:%SZ")
    shown.to_json(folder / "issues.json", orient="records", date_format="iso")
    return {"issues": table}


def bikes(folder):
    r = np.random.default_rng(902)
    n = 1100
    start = pd.to_datetime("2024-03-01") + pd.to_timedelta(np.sort(r.integers(0, 214 * 24 * 60, n)), unit="min")
    minutes = r.gamma(2.2, 9, n).round(0).clip(1)
    km = (minutes * 0.19 * r.uniform(0.8, 1.2, n)).round(2)
    table = pd.DataFrame({
        "骑行编号": range(700001, 700001 + n), "开始时间": start,
        "起点站": r.choice(["人民广场", "静安寺", "陆家嘴", "徐家汇", "五角场"], n, p=[.3, .25, .2, .15, .1]),
        "终点站": r.choice(["人民广场", "静安寺", "陆家嘴", "徐家汇", "五角场"], n),
        "用户类型": r.choice(["会员", "散客"], n, p=[.7, .3]), "性别": r.choice(["男", "女"], n, p=[.56, .44]),
        "年龄": r.integers(16, 66, n), "时长_分钟": minutes, "里程_公里": km,
        "费用": (1.5 + np.maximum(0, minutes - 15) * 0.1).round(2), "天气": r.choice(["晴", "多云", "雨"], n, p=[.5, .35, .15])})
    table.loc[r.choice(n, 25, replace=False), "年龄"] = np.nan
    table.loc[[9, 900], "里程_公里"] = [88.0, 120.5]
    shown = table.copy()
    shown["开始时间"] = shown["开始时间"].dt.strftime("%Y-%m-%d %H:%M")
    shown["费用"] = shown["费用"].map(lambda v: f"{v}元")
    shown.to_csv(folder / "骑行记录.csv", index=False)
    return {"骑行": table}


def leads(folder):
    """A CRM's export: states as words, an owner, a value with k's, and a date in words."""
    r = np.random.default_rng(1001)
    n = 520
    stage = r.choice(["Won", "Lost", "Negotiation", "Qualified"], n, p=[.28, .34, .18, .2])
    value = (r.gamma(2.0, 9000, n)).round(-2) + 500
    table = pd.DataFrame({
        "Deal ID": [f"D-{i:04d}" for i in range(n)],
        "Company": r.choice(["Acme", "Globex", "Initech", "Umbrella", "Hooli", "Stark", "Wayne", "Wonka"], n),
        "Industry": r.choice(["Retail", "Energy", "Health", "Tech"], n, p=[.25, .2, .2, .35]),
        "Sales Rep": r.choice(["Anna Berg", "Tom Reed", "Li Wei", "Joao Silva"], n, p=[.3, .3, .2, .2]),
        "Stage": stage, "Deal Value": value, "Win Probability": r.choice([10, 25, 50, 75, 90], n) / 100,
        "Created": pd.to_datetime("2023-06-01") + pd.to_timedelta(np.sort(r.integers(0, 560, n)), unit="D"),
        "Calls Made": r.poisson(6, n), "Source": r.choice(["Web", "Referral", "Event", "Cold call"], n, p=[.4, .25, .15, .2])})
    table.loc[r.choice(n, 18, replace=False), "Source"] = None
    shown = table.copy()
    shown["Deal Value"] = shown["Deal Value"].map(lambda v: f"€{v:,.0f}")
    shown["Win Probability"] = shown["Win Probability"].map(lambda v: f"{v * 100:.0f}%")
    shown["Created"] = shown["Created"].dt.strftime("%b %d, %Y")
    shown.to_csv(folder / "CRM deals.csv", index=False)
    return {"deals": table}


def library(folder):
    r = np.random.default_rng(1002)
    n = 800
    table = pd.DataFrame({
        "借阅单号": [f"J{i:05d}" for i in range(n)],
        "借书日期": pd.to_datetime("2023-01-05") + pd.to_timedelta(np.sort(r.integers(0, 700, n)), unit="D"),
        "读者姓名": r.choice(["林一", "何二", "高三", "罗四", "梁五", "宋六", "唐七"], n),
        "读者类型": r.choice(["学生", "教师", "校外"], n, p=[.6, .25, .15]),
        "图书分类": r.choice(["文学", "历史", "科技", "艺术"], n, p=[.4, .2, .3, .1]),
        "馆区": r.choice(["东馆", "西馆", "主馆"], n, p=[.25, .25, .5]),
        "借阅天数": r.integers(1, 60, n), "图书价格": r.gamma(4, 12, n).round(1) + 8})
    table["逾期天数"] = (table["借阅天数"] - 30).clip(lower=0)
    table["逾期罚款"] = (table["逾期天数"] * 0.2).round(2)
    table.loc[r.choice(n, 40, replace=False), "图书价格"] = np.nan
    table.loc[[1, 2], "图书价格"] = [880.0, 999.0]
    table["续借"] = r.choice(["是", "否"], n, p=[.3, .7])
    table.to_csv(folder / "借阅.csv", index=False)  # made an Excel file in the sandbox
    return {"借阅": table}


def gym(folder):
    r = np.random.default_rng(1101)
    n = 480
    plan = r.choice(["Basic", "Plus", "Premium"], n, p=[.5, .3, .2])
    joined = pd.to_datetime("2022-01-01") + pd.to_timedelta(np.sort(r.integers(0, 1000, n)), unit="D")
    table = pd.DataFrame({
        "member": [f"Member {i}" for i in range(n)], "plan": plan,
        "club": r.choice(["Downtown", "Westside", "Lakeside"], n, p=[.5, .3, .2]), "age": r.integers(17, 75, n),
        "sex": r.choice(["male", "female"], n), "joined": joined,
        "monthly_fee": [{"Basic": 19.9, "Plus": 34.9, "Premium": 59.9}[p] for p in plan],
        "visits_last_month": r.poisson(6, n), "weight_kg": r.normal(76, 13, n).round(1), "active": r.random(n) < 0.8,
        "trainer": r.choice(["Kim", "Lou", "Max", "none"], n)})
    table.loc[r.choice(n, 37, replace=False), "weight_kg"] = np.nan
    table.loc[[3], "visits_last_month"] = 62
    table.to_csv(folder / "gym_members.csv", index=False)
    return {"members": table}


def crops(folder):
    r = np.random.default_rng(1102)
    rows = []
    for year in range(2015, 2025):
        for region, wet in [("Punjab", 600), ("Kansas", 700), ("Ukraine", 520), ("Bavaria", 850)]:
            for crop, base in [("wheat", 3.4), ("maize", 6.2), ("barley", 2.9)]:
                rain = r.normal(wet, 80)
                t_ha = base * (0.7 + 0.3 * rain / wet) + r.normal(0, .3) + (year - 2015) * 0.04
                area = r.integers(20, 90) * 1000
                rows.append((year, region, crop, area, round(t_ha, 2), round(area * t_ha), round(rain), round(r.uniform(90, 260), 1)))
    table = pd.DataFrame(rows, columns=["Year", "Region", "Crop", "Area (ha)", "Yield (t/ha)", "Production (t)", "Rainfall mm",
                                        "Price USD/t"])
    table.loc[r.choice(len(table), 7, replace=False), "Price USD/t"] = np.nan
    table.to_csv(folder / "crop-yields.csv", index=False)
    return {"crops": table}


def calls(folder):
    r = np.random.default_rng(1201)
    n = 1300
    start = pd.to_datetime("2024-01-08") + pd.to_timedelta(np.sort(r.integers(0, 180 * 24 * 60, n)), unit="min")
    table = pd.DataFrame({
        "call_id": [f"C{i:06d}" for i in range(n)], "start_time": start,
        "agent": r.choice(["Priya", "Marco", "Hanna", "Louis", "Yasmin"], n, p=[.26, .24, .2, .18, .12]),
        "queue": r.choice(["Billing", "Technical", "Sales"], n, p=[.4, .45, .15]),
        "caller_country": r.choice(["UK", "Ireland", "Malta"], n, p=[.7, .2, .1]),
        "wait_seconds": r.gamma(1.5, 60, n).round(0), "duration_minutes": r.gamma(2, 4, n).round(1) + 0.2,
        "resolved": r.choice(["Yes", "No"], n, p=[.78, .22]),
        "csat": np.where(r.random(n) < .4, np.nan, r.integers(1, 6, n))})
    table.loc[[12, 800, 1100], "duration_minutes"] = [188.0, 240.5, 201.0]
    table.to_csv(folder / "call_log.csv", index=False)
    return {"calls": table}


def recruiting(folder):
    r = np.random.default_rng(1202)
    n = 640
    table = pd.DataFrame({
        "候选人编号": [f"H{i:04d}" for i in range(n)],
        "投递日期": pd.to_datetime("2023-05-01") + pd.to_timedelta(np.sort(r.integers(0, 500, n)), unit="D"),
        "应聘岗位": r.choice(["前端工程师", "数据分析师", "产品经理", "测试工程师"], n, p=[.35, .3, .2, .15]),
        "学历": r.choice(["本科", "硕士", "博士", "大专"], n, p=[.55, .28, .05, .12]),
        "来源渠道": r.choice(["招聘网站", "内推", "猎头", "校招"], n, p=[.5, .25, .1, .15]),
        "工作年限": r.integers(0, 16, n), "期望薪资": (r.normal(18, 5, n).clip(6, 45)).round(1) * 1000,
        "面试得分": np.where(r.random(n) < .2, np.nan, r.normal(72, 10, n).clip(30, 100).round(0)),
        "面试结果": r.choice(["通过", "淘汰", "待定"], n, p=[.3, .55, .15]),
        "城市": r.choice(["北京", "上海", "深圳", "杭州"], n, p=[.35, .3, .2, .15])})
    shown = table.copy()
    shown["期望薪资"] = shown["期望薪资"].map(lambda v: f"{v:,.0f}元/月")
    shown["投递日期"] = shown["投递日期"].dt.strftime("%Y.%m.%d")
    shown.to_csv(folder / "招聘数据.csv", index=False, encoding="gbk")
    return {"招聘": table}


def taxi(folder):
    r = np.random.default_rng(1301)
    n = 1500
    pick = pd.to_datetime("2024-09-01") + pd.to_timedelta(np.sort(r.integers(0, 61 * 24 * 3600, n)), unit="s")
    miles = r.gamma(1.8, 2.1, n).round(2) + 0.3
    fare = (3 + miles * 2.6 + r.normal(0, 1, n)).clip(3).round(2)
    pay = r.choice(["Card", "Cash", "Voucher"], n, p=[.68, .28, .04])
    tip = np.where(pay == "Card", (fare * r.uniform(0.05, 0.3, n)).round(2), 0.0)
    table = pd.DataFrame({
        "TripID": range(1, n + 1), "PickupTime": pick, "PickupZone": r.choice(["Midtown", "Airport", "Harlem", "SoHo"], n, p=[.4, .2, .15, .25]),
        "DropoffZone": r.choice(["Midtown", "Airport", "Harlem", "SoHo"], n), "Passengers": r.choice([1, 2, 3, 4], n, p=[.65, .2, .1, .05]),
        "TripMiles": miles, "Fare": fare, "Tip": tip, "TotalPaid": (fare + tip).round(2), "PaymentType": pay,
        "DriverRating": np.where(r.random(n) < .3, np.nan, r.integers(3, 6, n))})
    table.loc[[7, 900], "Fare"] = [480.0, 350.0]
    table["TotalPaid"] = (table.Fare + table.Tip).round(2)
    shown = table.copy()
    shown["PickupTime"] = shown["PickupTime"].dt.strftime("%m/%d/%Y %I:%M:%S %p")
    table["PickupTime"] = table["PickupTime"].dt.floor("s")
    shown.to_csv(folder / "taxi_trips.csv", index=False)
    return {"trips": table}


def loans(folder):
    r = np.random.default_rng(1302)
    n = 560
    table = pd.DataFrame({
        "application_id": range(70001, 70001 + n), "applied_on": pd.to_datetime("2022-03-01") + pd.to_timedelta(np.sort(r.integers(0, 1000, n)), unit="D"),
        "loan_purpose": r.choice(["car", "home", "education", "wedding"], n, p=[.35, .3, .2, .15]),
        "loan_amount": r.integers(2, 60, n) * 1000, "term_months": r.choice([12, 24, 36, 60], n),
        "interest_rate": r.uniform(3, 14, n).round(2), "applicant_income": r.integers(20, 140, n) * 1000,
        "applicant_age": r.integers(19, 72, n), "employment": r.choice(["salaried", "self-employed", "retired", "student"], n, p=[.6, .22, .1, .08]),
        "decision": r.choice(["approved", "rejected", "withdrawn"], n, p=[.58, .34, .08]), "branch": r.choice(["Leeds", "York", "Hull"], n, p=[.5, .3, .2]),
        "defaulted": np.where(r.random(n) < 0.09, 1, 0)})
    table.loc[r.choice(n, 21, replace=False), "applicant_income"] = np.nan
    shown = table.copy()
    shown["loan_amount"] = shown["loan_amount"].map(lambda v: f"£{v / 1000:.0f}k")
    shown["interest_rate"] = shown["interest_rate"].map(lambda v: f"{v}%")
    shown["applied_on"] = shown["applied_on"].dt.strftime("%d/%m/%Y")
    shown.to_csv(folder / "loan_applications.csv", index=False, sep="|")
    return {"loans": table}


def web_traffic(folder):
    r = np.random.default_rng(1401)
    rows = []
    for day in pd.date_range("2024-01-01", "2024-08-31"):
        for source, base in [("Organic", 420), ("Paid", 260), ("Email", 90), ("Social", 150)]:
            sessions = int(base * r.uniform(.7, 1.3) * (0.8 if day.day_of_week >= 5 else 1))
            rows.append((day, source, r.choice(["Desktop", "Mobile", "Tablet"], p=[.45, .48, .07]), sessions, int(sessions * r.uniform(.5, .9)),
                         round(r.uniform(25, 70), 1), int(sessions * r.uniform(.005, .05)), round(r.uniform(30, 240), 0)))
    table = pd.DataFrame(rows, columns=["Date", "Traffic Source", "Device", "Sessions", "New Users", "Bounce Rate", "Conversions", "Avg. Time on Page (s)"])
    table["Revenue"] = (table.Conversions * r.uniform(20, 60, len(table))).round(2)
    table.loc[r.choice(len(table), 28, replace=False), "Bounce Rate"] = np.nan
    table.loc[500, "Sessions"] = 6200
    shown = table.copy()
    shown["Bounce Rate"] = shown["Bounce Rate"].map(lambda v: "" if np.isnan(v) else f"{v}%")
    shown["Revenue"] = shown["Revenue"].map(lambda v: f"${v:,.2f}")
    shown["Sessions"] = shown["Sessions"].map(lambda v: f"{v:,}")
    shown.to_csv(folder / "web_analytics.csv", index=False)
    return {"web": table}


def scores_zh(folder):
    """成绩: wide, Chinese."""
    r = np.random.default_rng(1402)
    n = 180
    table = pd.DataFrame({
        "学号": [f"2024{i:04d}" for i in range(n)],
        "姓名": [r.choice(list("赵钱孙李周吴郑王冯陈")) + r.choice(list("明华丽强芳伟娜军")) + r.choice(list("宇轩涵琪博雅")) for _ in range(n)],
        "班级": r.choice(["一班", "二班", "三班"], n, p=[.4, .35, .25]), "性别": r.choice(["男", "女"], n), "年龄": r.integers(15, 18, n)})
    base = r.normal(75, 9, n)
    for subject, shift in [("语文", 2), ("数学", -3), ("英语", 1), ("物理", -5), ("化学", 0)]:
        table[subject] = (base + shift + r.normal(0, 6, n)).clip(20, 100).round(0)
    table["总分"] = table[["语文", "数学", "英语", "物理", "化学"]].sum(axis=1)
    table.loc[r.choice(n, 6, replace=False), "物理"] = np.nan
    table["住校"] = r.choice(["是", "否"], n, p=[.45, .55])
    table.to_csv(folder / "期末成绩.csv", index=False)
    return {"成绩": table}


def inventory(folder):
    """Two files: what is in the warehouses, and who delivers it."""
    r = np.random.default_rng(1501)
    suppliers = pd.DataFrame({"supplier_id": ["S1", "S2", "S3", "S4", "S5"], "supplier_name": ["Nordic Parts", "Ferro", "Plastix", "Volt Co", "Gearbox"],
                              "supplier_country": ["Sweden", "Italy", "Poland", "Germany", "Italy"], "reliability": [4.8, 3.9, 4.1, 4.5, 3.5]})
    n = 300
    items = pd.DataFrame({
        "sku": [f"SKU-{i:04d}" for i in range(n)], "item_name": [f"Part {i}" for i in range(n)],
        "category": r.choice(["Electrical", "Mechanical", "Packaging"], n, p=[.4, .4, .2]), "warehouse": r.choice(["Rotterdam", "Gdansk", "Genoa"], n),
        "stock": r.integers(0, 500, n), "reorder_level": r.integers(20, 120, n), "unit_cost": r.gamma(2, 9, n).round(2) + 0.5,
        "supplier_id": r.choice(suppliers.supplier_id, n), "last_delivery": pd.to_datetime("2024-02-01") + pd.to_timedelta(r.integers(0, 240, n), unit="D")})
    items.loc[r.choice(n, 15, replace=False), "stock"] = 0
    items.loc[[40], "unit_cost"] = 990.0
    items.to_csv(folder / "inventory.csv", index=False)
    suppliers.to_csv(folder / "suppliers.csv", index=False)
    return {"items": items, "suppliers": suppliers, "both": items.merge(suppliers, on="supplier_id")}


def clinic_zh(folder):
    r = np.random.default_rng(1502)
    n = 950
    table = pd.DataFrame({
        "就诊编号": range(300001, 300001 + n), "就诊日期": pd.to_datetime("2023-07-01") + pd.to_timedelta(np.sort(r.integers(0, 400, n)), unit="D"),
        "科室": r.choice(["内科", "外科", "儿科", "眼科"], n, p=[.4, .25, .2, .15]), "医生": r.choice(["王医生", "刘医生", "张医生", "陈医生", "杨医生"], n),
        "患者性别": r.choice(["男", "女"], n, p=[.47, .53]), "患者年龄": r.integers(1, 90, n), "是否初诊": r.choice(["是", "否"], n, p=[.4, .6]),
        "挂号费": r.choice([10, 20, 50], n, p=[.5, .35, .15]), "药费": r.gamma(2, 60, n).round(2), "检查费": np.where(r.random(n) < .35, np.nan, r.gamma(2, 110, n).round(2)),
        "候诊时间(分钟)": r.gamma(2, 14, n).round(0), "满意度": r.integers(1, 6, n)})
    table.loc[[3, 600], "药费"] = [4200.0, 3980.0]
    shown = table.copy()
    shown["就诊日期"] = shown["就诊日期"].dt.strftime("%Y年%-m月%-d日")
    shown.to_csv(folder / "门诊记录.csv", index=False, encoding="utf-8-sig")
    return {"门诊": table}


def used_cars(folder):
    r = np.random.default_rng(1601)
    n = 720
    makes = {"Toyota": ["Corolla", "Yaris"], "Ford": ["Focus", "Fiesta"], "BMW": ["320i", "X3"], "Skoda": ["Octavia", "Fabia"]}
    make = r.choice(list(makes), n, p=[.3, .3, .15, .25])
    year = r.integers(2010, 2024, n)
    mileage = ((2024 - year) * r.uniform(8000, 18000, n)).round(-2)
    price = (np.where(make == "BMW", 38000, 24000) * 0.9 ** (2024 - year) * r.uniform(.85, 1.15, n)).round(-2)
    table = pd.DataFrame({
        "listing_id": range(1, n + 1), "make": make, "model": [r.choice(makes[m]) for m in make], "year": year, "mileage_km": mileage.astype(int),
        "fuel": r.choice(["petrol", "diesel", "hybrid", "electric"], n, p=[.45, .35, .13, .07]), "transmission": r.choice(["manual", "automatic"], n, p=[.6, .4]),
        "price_eur": price.astype(int), "owners": r.integers(1, 5, n), "accident_free": r.choice(["yes", "no"], n, p=[.8, .2]),
        "listed_on": pd.to_datetime("2024-01-01") + pd.to_timedelta(np.sort(r.integers(0, 270, n)), unit="D"), "seller": r.choice(["dealer", "private"], n, p=[.65, .35])})
    table.loc[r.choice(n, 19, replace=False), "owners"] = np.nan
    table.loc[[11], "price_eur"] = 189000
    table.to_csv(folder / "used_cars.csv", index=False)
    return {"cars": table}


def box_office(folder):
    r = np.random.default_rng(1602)
    n = 210
    table = pd.DataFrame({
        "影片名称": [f"影片{i:03d}" for i in range(n)], "上映日期": pd.to_datetime("2021-01-01") + pd.to_timedelta(np.sort(r.integers(0, 1300, n)), unit="D"),
        "类型": r.choice(["喜剧", "动作", "爱情", "动画", "科幻"], n, p=[.3, .25, .2, .15, .1]), "制片国家": r.choice(["中国大陆", "美国", "日本"], n, p=[.6, .3, .1]),
        "票房(万元)": r.gamma(1.2, 18000, n).round(0) + 200, "观影人次(万)": 0.0, "平均票价": r.uniform(32, 48, n).round(1), "豆瓣评分": r.normal(6.4, 1.1, n).clip(2.5, 9.6).round(1),
        "片长": r.integers(85, 165, n)})
    table["观影人次(万)"] = (table["票房(万元)"] / table["平均票价"]).round(1)
    table.loc[r.choice(n, 12, replace=False), "豆瓣评分"] = np.nan
    table.to_csv(folder / "电影票房.csv", index=False)
    return {"电影": table}


def expenses(folder):
    """An accountant's sheet: several currencies' signs gone, negative amounts in brackets, notes."""
    r = np.random.default_rng(1701)
    n = 480
    table = pd.DataFrame({
        "Doc Nr": [f"EXP{i:05d}" for i in range(n)], "Posting Date": pd.to_datetime("2023-07-01") + pd.to_timedelta(np.sort(r.integers(0, 540, n)), unit="D"),
        "Cost Centre": r.choice(["Marketing", "R&D", "Facilities", "HR"], n, p=[.3, .35, .2, .15]), "Employee": r.choice(["Novak", "Haas", "Kim", "Okafor", "Silva", "Weber"], n),
        "Expense Type": r.choice(["Travel", "Hotel", "Meals", "Software", "Training"], n, p=[.3, .2, .25, .15, .1]), "Net Amount": r.gamma(1.5, 160, n).round(2),
        "Approved": r.choice(["Y", "N"], n, p=[.88, .12]), "Days to Reimburse": r.integers(2, 45, n)})
    table.loc[r.choice(n, 14, replace=False), "Net Amount"] *= -1
    table["Net Amount"] = table["Net Amount"].round(2)
    table["VAT"] = (table["Net Amount"] * 0.2).round(2)
    shown = table.copy()
    for name in ["Net Amount", "VAT"]:
        shown[name] = shown[name].map(lambda v: f"({-v:,.2f})" if v < 0 else f"{v:,.2f}")
    shown["Posting Date"] = shown["Posting Date"].dt.strftime("%d.%m.%Y")
    shown.to_csv(folder / "expenses 2023-24.csv", index=False, sep=";")
    return {"expenses": table}


def rides_zh(folder):
    """网约车: Chinese, two money columns, a rate in percent."""
    r = np.random.default_rng(1702)
    n = 880
    km = r.gamma(2.2, 4, n).round(1) + 1
    table = pd.DataFrame({
        "订单ID": [f"R{i:06d}" for i in range(n)], "下单日期": pd.to_datetime("2024-02-01") + pd.to_timedelta(np.sort(r.integers(0, 240, n)), unit="D"),
        "城市": r.choice(["成都", "重庆", "武汉"], n, p=[.45, .35, .2]), "车型": r.choice(["快车", "专车", "拼车"], n, p=[.6, .15, .25]), "司机": r.choice([f"司机{c}" for c in "甲乙丙丁戊己"], n),
        "里程": km, "车费": (8 + km * 2.3 + r.normal(0, 2, n)).clip(8).round(2), "优惠金额": r.choice([0, 2, 5, 10], n, p=[.5, .2, .2, .1]).astype(float),
        "乘客评分": np.where(r.random(n) < .3, np.nan, r.integers(2, 6, n)), "订单状态": r.choice(["已完成", "已取消"], n, p=[.9, .1])})
    table["平台抽成"] = r.choice([18, 20, 25], n).astype(float)
    shown = table.copy()
    shown["平台抽成"] = shown["平台抽成"].map(lambda v: f"{v:.0f}%")
    shown["车费"] = shown["车费"].map(lambda v: f"￥{v:.2f}")
    shown.to_csv(folder / "网约车订单.csv", index=False)
    return {"网约车": table}


def campaigns(folder):
    r = np.random.default_rng(1801)
    n = 600
    impressions = r.integers(800, 60000, n)
    clicks = (impressions * r.uniform(.004, .06, n)).astype(int)
    table = pd.DataFrame({
        "campaign": r.choice(["Spring Promo", "Brand Push", "Retarget", "Holiday"], n, p=[.3, .3, .25, .15]), "platform": r.choice(["Google", "Facebook", "TikTok"], n, p=[.45, .35, .2]),
        "ad_date": pd.to_datetime("2023-09-01") + pd.to_timedelta(np.sort(r.integers(0, 365, n)), unit="D"), "audience": r.choice(["18-24", "25-34", "35-54"], n, p=[.3, .4, .3]),
        "impressions": impressions, "clicks": clicks, "cost": (clicks * r.uniform(.2, 1.4, n)).round(2), "signups": (clicks * r.uniform(0, .1, n)).astype(int)})
    table.loc[r.choice(n, 17, replace=False), "audience"] = None
    table.loc[222, "cost"] = 9800.0
    table.to_csv(folder / "ad_campaigns.csv", index=False)
    return {"ads": table}


def rentals_zh(folder):
    r = np.random.default_rng(1802)
    n = 520
    area = r.gamma(6, 12, n).round(0) + 15
    table = pd.DataFrame({
        "房源编号": [f"FY{i:05d}" for i in range(n)], "区域": r.choice(["南山", "福田", "罗湖", "龙岗"], n, p=[.3, .3, .15, .25]), "户型": r.choice(["一室", "两室", "三室"], n, p=[.4, .4, .2]),
        "面积(平米)": area, "月租金": (area * r.uniform(60, 110, n)).round(-1), "楼层": r.integers(1, 33, n), "朝向": r.choice(["南", "北", "东南"], n, p=[.5, .3, .2]), "装修": r.choice(["精装", "简装", "毛坯"], n, p=[.6, .3, .1]),
        "是否近地铁": r.choice(["是", "否"], n, p=[.55, .45]), "发布日期": pd.to_datetime("2024-03-01") + pd.to_timedelta(np.sort(r.integers(0, 200, n)), unit="D"), "浏览次数": r.poisson(80, n)})
    table.loc[r.choice(n, 22, replace=False), "装修"] = None
    table.loc[77, "月租金"] = 88000
    shown = table.copy()
    shown["月租金"] = shown["月租金"].map(lambda v: f"{v:.0f}元/月")
    shown["面积(平米)"] = shown["面积(平米)"].map(lambda v: f"{v:.0f}㎡")
    shown.to_csv(folder / "租房信息.csv", index=False)
    return {"租房": table}


def retail(folder):
    r = np.random.default_rng(1901)
    n = 820
    price = {"Notebook": 4.5, "Backpack": 49.0, "Water Bottle": 15.0, "Headphones": 79.0, "Umbrella": 22.0}
    product = r.choice(list(price), n, p=[.3, .2, .2, .15, .15])
    table = pd.DataFrame({
        "Order ID": range(20001, 20001 + n), "Order Date": pd.to_datetime("2023-01-01") + pd.to_timedelta(np.sort(r.integers(0, 730, n)), unit="D"),
        "Customer": r.choice([f"Customer {c}" for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"], n), "Region": r.choice(["North", "South", "East", "West"], n), "Product": product,
        "Units Sold": r.integers(1, 12, n), "Unit Price": [price[p] for p in product], "Returned": r.choice([True, False], n, p=[.06, .94]), "Sales Channel": r.choice(["Online", "Store"], n, p=[.6, .4])})
    table.to_csv(folder / "retail_orders.csv", index=False)
    table["revenue"] = table["Units Sold"] * table["Unit Price"]
    return {"orders": table}


def logistics_zh(folder):
    r = np.random.default_rng(1902)
    n = 760
    table = pd.DataFrame({
        "运单号": [f"YD{i:07d}" for i in range(n)], "发货日期": pd.to_datetime("2024-01-01") + pd.to_timedelta(np.sort(r.integers(0, 300, n)), unit="D"),
        "始发地": r.choice(["广州", "上海", "北京"], n, p=[.4, .35, .25]), "目的地": r.choice(["广州", "上海", "北京", "成都"], n), "承运商": r.choice(["顺达", "中联", "飞鸟"], n, p=[.45, .35, .2]),
        "重量(kg)": r.gamma(1.6, 9, n).round(1) + .2, "运费": 0.0, "运输时长(小时)": r.gamma(5, 9, n).round(0) + 4, "是否延误": r.choice(["是", "否"], n, p=[.17, .83]), "客户评分": np.where(r.random(n) < .25, np.nan, r.integers(1, 6, n))})
    table["运费"] = (table["重量(kg)"] * r.uniform(2, 5, n) + 8).round(2)
    table.loc[10, "运费"] = 2600.0
    table.to_csv(folder / "物流运单.csv", index=False, encoding="gb18030")
    return {"物流": table}


def restaurant(folder):
    r = np.random.default_rng(2001)
    n = 740
    people = r.integers(1, 9, n)
    bill = (people * r.uniform(14, 42, n)).round(2)
    table = pd.DataFrame({
        "receipt": [f"R-{i:05d}" for i in range(n)], "visited": pd.to_datetime("2024-04-01") + pd.to_timedelta(np.sort(r.integers(0, 150, n)), unit="D"),
        "meal": r.choice(["Breakfast", "Lunch", "Dinner"], n, p=[.15, .4, .45]), "waiter": r.choice(["Ana", "Boris", "Clara", "Dmitri"], n), "party_size": people,
        "bill": bill, "tip": (bill * r.uniform(0, .22, n)).round(2), "payment": r.choice(["cash", "card"], n, p=[.25, .75]), "smoking_area": r.choice(["no", "yes"], n, p=[.85, .15]),
        "stars": np.where(r.random(n) < .35, np.nan, r.integers(1, 6, n))})
    table.loc[[100], "tip"] = 150.0
    shown = table.copy()
    shown["bill"] = shown["bill"].map(lambda v: f"{v:.2f} €".replace(".", ","))
    shown["tip"] = shown["tip"].map(lambda v: f"{v:.2f} €".replace(".", ","))
    shown["visited"] = shown["visited"].dt.strftime("%a, %d %b %Y")
    shown.to_csv(folder / "restaurant_bills.csv", index=False, sep=";")
    return {"bills": table}


def factory_zh(folder):
    r = np.random.default_rng(2002)
    n = 690
    made = r.integers(80, 400, n)
    table = pd.DataFrame({
        "批次号": [f"PC{i:05d}" for i in range(n)], "生产日期": pd.to_datetime("2023-11-01") + pd.to_timedelta(np.sort(r.integers(0, 330, n)), unit="D"),
        "车间": r.choice(["一车间", "二车间", "三车间"], n, p=[.4, .35, .25]), "产品型号": r.choice(["A100", "B200", "C300"], n, p=[.5, .3, .2]), "班次": r.choice(["早班", "中班", "夜班"], n),
        "产量": made, "不良品数": (made * r.gamma(1.2, .012, n)).astype(int), "能耗(度)": (made * r.uniform(1.1, 1.9, n)).round(1), "停机时间(分钟)": np.where(r.random(n) < .6, 0, r.gamma(2, 20, n).round(0)),
        "质检员": r.choice(["郑工", "马工", "胡工"], n), "是否返工": r.choice(["是", "否"], n, p=[.07, .93])})
    table.loc[r.choice(n, 30, replace=False), "能耗(度)"] = np.nan
    table.loc[55, "停机时间(分钟)"] = 720
    shown = table.copy()
    shown["生产日期"] = shown["生产日期"].dt.strftime("%Y%m%d").astype(int)
    shown.to_csv(folder / "生产日报.csv", index=False)
    return {"生产": table}


def stocks(folder):
    r = np.random.default_rng(2101)
    rows = []
    for ticker, price in [("ACM", 40.0), ("BLU", 120.0), ("CRN", 15.0)]:
        for day in pd.bdate_range("2024-01-02", "2024-09-30"):
            start = price
            price = max(2.0, price * (1 + r.normal(0.0006, 0.018)))
            low, high = min(start, price) * (1 - abs(r.normal(0, .006))), max(start, price) * (1 + abs(r.normal(0, .006)))
            rows.append((day, ticker, round(start, 2), round(high, 2), round(low, 2), round(price, 2), int(r.gamma(3, 40000))))
    table = pd.DataFrame(rows, columns=["Date", "Ticker", "Open", "High", "Low", "Close", "Volume"])
    table.loc[[60, 61], "Volume"] = [1900000, 2100000]
    table.to_csv(folder / "stock_prices.csv", index=False)
    return {"stocks": table}


def bank_zh(folder):
    r = np.random.default_rng(2102)
    n = 640
    table = pd.DataFrame({
        "客户编号": range(80001, 80001 + n), "姓名": [f"客户{i}" for i in range(n)], "性别": r.choice(["男", "女"], n), "年龄": r.integers(20, 78, n), "城市": r.choice(["杭州", "宁波", "温州"], n, p=[.5, .3, .2]),
        "开户日期": pd.to_datetime("2018-01-01") + pd.to_timedelta(r.integers(0, 2300, n), unit="D"), "存款余额": r.gamma(1.3, 60000, n).round(2), "贷款余额": np.where(r.random(n) < .6, 0, r.gamma(2, 90000, n).round(2)),
        "信用评分": np.where(r.random(n) < .08, np.nan, r.normal(680, 60, n).clip(450, 850).round(0)), "产品数量": r.integers(1, 6, n), "客户等级": r.choice(["普通", "金卡", "白金"], n, p=[.6, .3, .1]), "是否流失": r.choice(["是", "否"], n, p=[.14, .86])})
    shown = table.copy()
    shown["存款余额"] = shown["存款余额"].map(lambda v: f"¥{v:,.2f}")
    shown.to_csv(folder / "银行客户.csv", index=False)
    return {"客户": table}


MAKERS = {maker.__name__: maker for maker in
          [hotel_bookings, marks, waimai, refunds, football, reviews, air_quality, meters, github_issues, bikes, leads,
           library, gym, crops, calls, recruiting, taxi, loans, web_traffic, scores_zh,
           inventory, clinic_zh, used_cars, box_office, expenses, rides_zh, campaigns, rentals_zh,
           retail, logistics_zh, restaurant, factory_zh, stocks, bank_zh]}

CONVERSIONS = {
    "library": """
import os, pandas as pd
pd.read_csv("/data/借阅.csv", parse_dates=["借书日期"]).to_excel("/data/借阅.xlsx", index=False)
os.remove("/data/借阅.csv")
"""}
