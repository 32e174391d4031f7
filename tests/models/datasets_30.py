"""Tables for set 30: an airline's flights, a company's electricity meters, a university library's loans. See datasets.py for the rules."""
import numpy as np
import pandas as pd


def airline_flights_30(folder):
    r = np.random.default_rng(3001)
    n = 1600
    km = {"London": 1560, "Paris": 1450, "Madrid": 510, "Berlin": 2310, "Rome": 1840, "Zurich": 1730, "Amsterdam": 1860, "Dublin": 1640,
          "New York": 5420, "Boston": 5140, "Casablanca": 590, "Sao Paulo": 7940}
    hubs = ["Lisbon", "Porto", "Faro", "Funchal"]
    liked = dict(zip(km, [7.4, 7.1, 7.9, 6.6, 7.6, 8.1, 6.9, 7.2, 6.2, 6.4, 7.0, 5.8]))
    start = r.choice(hubs, n, p=[.45, .28, .17, .1])
    goal = r.choice(list(km), n, p=[.17, .14, .12, .08, .07, .05, .09, .06, .08, .04, .06, .04])
    far = np.array([km[g] > 4000 for g in goal])
    plane = np.where(far, r.choice(["A330-900", "A321LR"], n, p=[.7, .3]), r.choice(["A320", "E195", "A321LR"], n, p=[.5, .35, .15]))
    seats = pd.Series(plane).map({"A330-900": 298, "A321LR": 171, "A320": 174, "E195": 118}).to_numpy()
    when = pd.to_datetime("2023-01-01") + pd.to_timedelta(np.sort(r.integers(0, 731, n)), unit="D")
    fill = (r.normal(.8, .1, n) + np.where(np.isin(when.month, [7, 8]), .1, 0) + np.where(when.year == 2024, .03, 0)).clip(.35, 1)
    people = (seats * fill).round().astype(int)
    length = np.array([km[g] for g in goal]) + pd.Series(start).map({"Lisbon": 0, "Porto": 60, "Faro": 140, "Funchal": 820}).to_numpy()
    late = (r.gamma(.9, 17, n) + pd.Series(start).map({"Lisbon": 6, "Porto": 2, "Faro": 0, "Funchal": 9}).to_numpy() - 6).round(0) + 0.0
    gone = r.random(n) < .035
    status = np.where(gone, "Cancelled", np.where(r.random(n) < .012, "Diverted", np.where(late > 15, "Delayed", "On time")))
    table = pd.DataFrame({
        "Flight No": [f"TL{200 + 12 * hubs.index(a) + list(km).index(b)}" for a, b in zip(start, goal)], "Flight Date": when, "Aircraft Type": plane,
        "Departure Airport": start, "Destination": goal, "Route Type": np.where(far, "Long-haul", "Short-haul"), "Status": status, "Seats": seats,
        "Passengers": people, "Delay (min)": np.where(gone, np.nan, late), "Distance (km)": length,
        "Ticket Revenue": (people * (38 + length * .062) * r.normal(1, .12, n)).round(2),
        "Fuel Cost": (seats * length * .0235 * r.normal(1, .08, n)).round(2), "Satisfaction Score": (np.array([liked[g] for g in goal]) + r.normal(0, 1.1, n)).clip(1, 10).round(1)})
    table.loc[r.choice(n, 62, replace=False), "Satisfaction Score"] = np.nan
    table.loc[r.choice(n, 17, replace=False), "Fuel Cost"] = np.nan
    table.loc[[120, 911, 1402], "Delay (min)"] = [415, 502, 388]
    table.loc[[120, 911, 1402], "Status"] = "Delayed"
    table = pd.concat([table, table.iloc[[33, 450, 451, 1200]]], ignore_index=True)
    shown = table.copy()
    shown["Flight Date"] = shown["Flight Date"].dt.strftime("%Y-%m-%d")
    shown["Ticket Revenue"] = shown["Ticket Revenue"].map("{:,.2f}".format)
    shown.loc[60:75, "Destination"] = shown.loc[60:75, "Destination"] + " "
    shown.to_csv(folder / "flight_ops.csv", index=False)
    return {"flights": table}


def energy_meters_30(folder):
    r = np.random.default_rng(3002)
    sites = {"Harbour Office": ("Leeds", "Office", 520, 40), "Mill Lane School": ("York", "School", 310, 65), "Central Depot": ("Hull", "Warehouse", 690, 150),
             "Park View Clinic": ("Leeds", "Healthcare", 800, 30), "Riverside Mall": ("York", "Retail", 1150, 90), "North Warehouse": ("Hull", "Warehouse", 570, 120),
             "Station Offices": ("Leeds", "Office", 450, 12), "Elm Street School": ("Hull", "School", 270, 50), "Kings Arcade": ("Leeds", "Retail", 930, 22),
             "West Campus": ("York", "School", 610, 78)}
    rows = []
    for day in pd.date_range("2022-01-01", "2024-06-30", freq="4D"):
        warm = 10 - 8 * np.cos(2 * np.pi * (day.day_of_year - 20) / 365) + r.normal(0, 2.5)
        for i, (name, (city, kind, base, sun)) in enumerate(sites.items()):
            rest = {"Retail": 1.1, "Healthcare": .95, "Warehouse": .7, "Office": .4, "School": .35}[kind] if day.day_of_week > 4 else 1
            used = base * rest * (1 + max(0, 15 - warm) * .018) * (1 + .03 * (day.year - 2022)) * r.normal(1, .07)
            made = sun * (1 - .7 * np.cos(2 * np.pi * (day.day_of_year + 10) / 365)) * r.uniform(.5, 1.3)
            rows.append((f"EM-{4101 + 7 * i}", day, name, city, kind, round(used, 1), round(used / 24 * r.uniform(1.5, 2.4), 1), round(made, 1), round(warm + r.normal(0, .6), 1)))
    table = pd.DataFrame(rows, columns=["meter_id", "reading_date", "site_name", "city", "building_type", "consumption_kwh", "peak_demand_kw", "solar_kwh", "outdoor_temp_c"])
    n = len(table)
    table["tariff"] = r.choice(["Standard", "Green", "Flexible"], n, p=[.55, .3, .15])
    table["reading_type"] = r.choice(["Actual", "Estimated"], n, p=[.88, .12])
    price = table.tariff.map({"Standard": .29, "Green": .325, "Flexible": .26}) * table.reading_date.dt.year.map({2022: 1, 2023: 1.14, 2024: 1.05})
    table.loc[[307, 1290, 1875], "consumption_kwh"] = [5840.0, 4975.5, 6310.2]
    table["energy_cost"] = (table.consumption_kwh * price + 12).round(2)
    table.loc[r.choice(n, 41, replace=False), "outdoor_temp_c"] = np.nan
    table.loc[r.choice(n, 26, replace=False), "peak_demand_kw"] = np.nan
    table = pd.concat([table, table.iloc[[90, 91, 600, 1500, 2001]]], ignore_index=True)
    table.assign(reading_date=table.reading_date.dt.strftime("%d-%b-%Y")).to_csv(folder / "meter_readings.csv", index=False)
    return {"readings": table}


def library_loans_zh_30(folder):
    r = np.random.default_rng(3003)
    n = 1500
    books = {"活着": "文学", "平凡的世界": "文学", "围城": "文学", "红楼梦": "文学", "百年孤独": "文学", "万历十五年": "历史", "人类简史": "历史", "全球通史": "历史",
             "算法导论": "计算机", "深入理解计算机系统": "计算机", "流畅的Python": "计算机", "国富论": "经济", "经济学原理": "经济", "思考快与慢": "心理", "乌合之众": "心理",
             "艺术的故事": "艺术", "美的历程": "艺术", "时间简史": "科普", "从一到无穷大": "科普", "中国哲学简史": "哲学"}
    odds = np.array([11, 9, 6, 7, 5, 6, 8, 3, 9, 7, 6, 3, 5, 4.5, 2.5, 2, 1.5, 5, 2, 2.6])
    book = r.choice(list(books), n, p=odds / odds.sum())
    people = 420
    number = r.integers(0, people, n)
    kind = r.choice(["本科生", "研究生", "教职工", "校外读者"], people, p=[.55, .25, .13, .07])[number]
    sex = r.choice(["女", "男"], people, p=[.57, .43])[number]
    school = r.choice(["文学院", "理学院", "工学院", "商学院", "医学院", "法学院"], people, p=[.24, .18, .25, .15, .11, .07])[number]
    days = (r.gamma(4, 4.6, n) + pd.Series(kind).map({"本科生": 0, "研究生": 4, "教职工": 9, "校外读者": -2}).to_numpy()).clip(1).round(0).astype(int)
    when = pd.to_datetime("2022-09-01") + pd.to_timedelta(np.sort((730 * r.beta(1.15, 1, n)).astype(int)), unit="D")
    table = pd.DataFrame({
        "借阅编号": [f"JY{220000 + i}" for i in range(n)], "读者证号": [f"R{10000 + k}" for k in number], "读者类型": kind, "性别": sex,
        "学院": school, "书名": book, "图书类别": [books[b] for b in book],
        "馆藏地点": r.choice(["总馆", "东区分馆", "西区分馆"], n, p=[.5, .3, .2]), "借书日期": when, "借阅天数": days, "续借次数": r.poisson(.5, n)})
    table.loc[[210, 777, 1333], "借阅天数"] = [186, 243, 158]
    allowed = table["读者类型"].map({"本科生": 25, "研究生": 35, "教职工": 45, "校外读者": 20})
    table["是否逾期"] = np.where(table["借阅天数"] > allowed, "是", "否")
    table["罚款(元)"] = ((table["借阅天数"] - allowed).clip(lower=0) * .5).round(2)
    table["评分"] = r.choice([1, 2, 3, 4, 5], n, p=[.03, .08, .22, .39, .28]).astype(float)
    table.loc[table["读者类型"] == "校外读者", "学院"] = None
    table.loc[r.choice(n, 137, replace=False), "评分"] = np.nan
    table = pd.concat([table, table.iloc[[18, 19, 640]]], ignore_index=True)
    shown = table.copy()
    shown["借书日期"] = [f"{d.year}/{d.month}/{d.day}" for d in table["借书日期"]]
    shown.to_csv(folder / "图书借阅记录.csv", index=False, encoding="utf-8-sig")
    return {"借阅": table}


MAKERS = {maker.__name__: maker for maker in [airline_flights_30, energy_meters_30, library_loans_zh_30]}
