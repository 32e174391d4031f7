"""Tables that people bring, made with fixed seeds. Each maker writes files into a folder; what is true
of them is computed in the tests by pandas, from the values before they were made dirty."""
import datetime
import json
import pathlib
import random

import datasets_26
import datasets_27
import datasets_28
import datasets_29
import datasets_30
import datasets_31
import datasets_32
import datasets_33
import datasets_34
import datasets_35
import datasets_36
import datasets_37
import datasets_38
import datasets_39
import datasets_40
import datasets_41
import datasets_more
import datasets_office
import numpy as np
import pandas as pd

BUNDLED = pathlib.Path(__file__).resolve().parents[2] / "data" / "transactions.csv"


def transactions(folder):
    """The bundled table as it is; the truth is read with its dirt undone by hand."""
    (folder / "transactions.csv").write_bytes(BUNDLED.read_bytes())
    table = pd.read_csv(BUNDLED, dtype=str, keep_default_na=False)
    table["amount"] = pd.to_numeric(table["amount"].str.replace("[$,]", "", regex=True), errors="coerce")
    table["date"] = pd.to_datetime(table["date"].str.replace("/", "-"))
    # what the generator spelled otherwise: the payment method's neighbour, the merchant's region …
    for name in ["category", "merchant", "region", "payment_method"]:
        table[name] = table[name].str.strip().replace("", None)
        usual = table[name].value_counts().index
        first = {}
        for value in usual:
            first.setdefault(value.lower(), value)
        table[name] = table[name].map(lambda v: first[v.lower()], na_action="ignore")
    return {"transactions": table}


def chinese_sales(folder):
    r = np.random.default_rng(7)
    n = 1200
    goods = {"笔记本电脑": ("电子产品", 5200), "手机": ("电子产品", 3100), "耳机": ("电子产品", 320),
             "咖啡": ("食品", 45), "茶叶": ("食品", 88), "饼干": ("食品", 16), "衬衫": ("服装", 150),
             "外套": ("服装", 420), "台灯": ("家居", 130), "椅子": ("家居", 360)}
    name = r.choice(list(goods), n, p=[.05, .08, .1, .2, .12, .15, .1, .06, .08, .06])
    days = pd.to_datetime("2023-03-01") + pd.to_timedelta(np.sort(r.integers(0, 458, n)), unit="D")
    amount = r.integers(1, 9, n)
    price = np.array([goods[g][1] for g in name]) * r.uniform(0.9, 1.1, n)
    table = pd.DataFrame({
        "订单编号": [f"DD{i:05d}" for i in range(n)], "销售日期": days,
        "地区": r.choice(["华东", "华南", "华北", "西南"], n, p=[.4, .25, .2, .15]),
        "商品名称": name, "商品类别": [goods[g][0] for g in name],
        "销售员": r.choice(["张伟", "李娜", "王强", "刘洋", "陈静"], n),
        "数量": amount, "单价": price.round(2), "销售额": (price.round(2) * amount).round(2),
        "支付方式": r.choice(["微信", "支付宝", "银行卡"], n, p=[.5, .35, .15])})
    shown = table.copy()
    shown["销售日期"] = shown["销售日期"].dt.strftime("%Y年%m月%d日")
    shown["销售额"] = shown["销售额"].map(lambda v: f"¥{v:,.2f}")
    shown.to_csv(folder / "销售数据.csv", index=False, encoding="gb18030")
    return {"销售数据": table}


def employees(folder):
    r = np.random.default_rng(11)
    n = 420
    departments = {"Engineering": 7800, "Sales": 5600, "Marketing": 5200, "HR": 4700, "Finance": 6100, "IT": 6400}
    dept = r.choice(list(departments), n, p=[.3, .25, .15, .08, .12, .1])
    age = r.integers(21, 64, n)
    years = np.minimum(r.integers(0, 20, n), age - 21)
    base = np.array([departments[d] for d in dept])
    table = pd.DataFrame({
        "EmployeeID": range(1001, 1001 + n),
        "Name": [f"{a} {b}" for a, b in zip(
            r.choice(["Anna", "Ben", "Carla", "David", "Eva", "Finn", "Grace", "Hugo", "Ida", "Jonas"], n),
            [f"Miller-{i}" for i in range(n)])],
        "Department": dept, "JobLevel": r.choice(["Junior", "Senior", "Lead"], n, p=[.5, .35, .15]),
        "Gender": r.choice(["Female", "Male"], n, p=[.46, .54]), "Age": age, "YearsAtCompany": years,
        "MonthlySalary": (base * (1 + years * .025) * r.normal(1, .08, n)).round(0).astype(int),
        "PerformanceScore": r.normal(3.4, .6, n).clip(1, 5).round(1),
        "Remote": r.choice(["Yes", "No"], n, p=[.35, .65]),
        "Left": r.choice(["Yes", "No"], n, p=[.16, .84]),
        "HireDate": pd.to_datetime("2024-06-30") - pd.to_timedelta(years * 365 + r.integers(0, 300, n), unit="D")})
    table.to_csv(folder / "employees.csv", index=False)
    return {"employees": table}


def sensors(folder):
    r = np.random.default_rng(13)
    times = pd.date_range("2024-05-01", periods=14 * 24 * 4, freq="15min")
    parts = []
    for i, sensor in enumerate(["S-101", "S-102", "S-103"]):
        hour = times.hour + times.minute / 60
        temperature = 18 + i * 2 + 6 * np.sin((hour - 9) / 24 * 2 * np.pi) + r.normal(0, .8, len(times))
        parts.append(pd.DataFrame({
            "timestamp": times, "sensor_id": sensor, "temperature_c": temperature.round(2),
            "humidity": (60 - 1.5 * (temperature - 18) + r.normal(0, 3, len(times))).round(1),
            "power_kwh": (np.abs(r.normal(1.2, .3, len(times)))).round(3),
            "status": r.choice(["ok", "warning", "error"], len(times), p=[.94, .05, .01])}))
    table = pd.concat(parts, ignore_index=True)
    table.loc[r.choice(len(table), 9, replace=False), "temperature_c"] = 75.5
    table.loc[r.choice(len(table), 40, replace=False), "humidity"] = np.nan
    table.to_csv(folder / "sensor_readings.csv", index=False)
    return {"sensor_readings": table}


def weblogs(folder):
    r = random.Random(17)
    start = datetime.datetime(2024, 2, 1)
    rows = []
    for i in range(3000):
        path = r.choices(["/", "/products", "/cart", "/checkout", "/login", "/search"], [30, 25, 12, 6, 10, 17])[0]
        status = r.choices([200, 301, 404, 500], [88, 5, 5, 2])[0]
        when = start + datetime.timedelta(seconds=i * 800 + r.randint(0, 700))
        rows.append({"time": when.isoformat() + "Z", "method": r.choices(["GET", "POST"], [80, 20])[0], "path": path,
                     "status": status, "response_time_ms": round(r.lognormvariate(4.5, .6), 1),
                     "bytes_sent": r.randint(200, 60000),
                     "user": {"country": r.choices(["US", "DE", "CN", "IN"], [40, 25, 20, 15])[0],
                              "device": r.choice(["mobile", "desktop", "tablet"])}})
    with open(folder / "access_log.jsonl", "w") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
    table = pd.json_normalize(rows)
    table["time"] = pd.to_datetime(table["time"]).dt.tz_localize(None)
    return {"access_log": table}


def survey(folder):
    r = np.random.default_rng(19)
    n = 600
    table = pd.DataFrame({"respondent_id": range(1, n + 1),
                          "age_group": r.choice(["18-25", "26-35", "36-50", "51+"], n, p=[.25, .35, .25, .15]),
                          "country": r.choice(["Germany", "France", "Spain", "Italy"], n),
                          "satisfaction": r.integers(1, 6, n).astype(float),
                          "income": r.normal(38000, 9000, n).round(2),
                          "would_recommend": r.choice(["yes", "no"], n, p=[.7, .3])})
    for i in range(1, 31):
        table[f"q{i}"] = r.integers(1, 8, n).astype(float)
    table["hours_online"] = (r.gamma(2, 1.6, n)).round(1)
    for name, share in [("satisfaction", .08), ("income", .15), ("q3", .2), ("q17", .05), ("country", .02)]:
        table.loc[r.random(n) < share, name] = np.nan
    shown = table.copy()
    shown["income"] = shown["income"].map(
        lambda v: "N/A" if pd.isna(v) else f"{v:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".") + " €")
    shown.to_csv(folder / "survey.csv", sep=";", index=False, encoding="cp1252")
    return {"survey": table}


def shop(folder):
    """Two files with a common key."""
    r = np.random.default_rng(23)
    customers = pd.DataFrame({"customer_id": range(1, 81),
                              "segment": r.choice(["Consumer", "Corporate", "Small Business"], 80),
                              "city": r.choice(["Berlin", "Hamburg", "Munich", "Cologne"], 80)})
    n = 900
    orders = pd.DataFrame({"order_id": range(5000, 5000 + n), "customer_id": r.integers(1, 81, n),
                           "order_date": pd.to_datetime("2022-01-01") + pd.to_timedelta(np.sort(r.integers(0, 1000, n)), unit="D"),
                           "unit_price": r.uniform(5, 90, n).round(2), "quantity": r.integers(1, 12, n),
                           "discount": r.choice([0, .05, .1, .2], n)})
    shown = orders.copy()
    shown["order_date"] = shown["order_date"].dt.strftime("%d/%m/%Y")
    shown.to_csv(folder / "orders.tsv", sep="\t", index=False)
    customers.to_csv(folder / "customers.csv", index=False)
    return {"orders": orders, "customers": customers}

def movies(folder):
    r = np.random.default_rng(29)
    n = 300
    table = pd.DataFrame({
        "Title": [f"Film {i}" for i in range(n)], "Genre": r.choice(["Drama", "Comedy", "Action", "Horror", "Sci-Fi"], n),
        "Release Year": r.integers(1995, 2024, n), "Director": r.choice([f"Director {c}" for c in "ABCDEFGH"], n),
        "Budget ($M)": r.uniform(1, 200, n).round(1), "Box Office ($M)": r.gamma(2, 80, n).round(1),
        "IMDB Rating": r.normal(6.6, 1, n).clip(1, 10).round(1), "Runtime (min)": r.integers(80, 190, n)})
    table.to_csv(folder / "movies.csv", index=False)
    return {"movies": table}


def students(folder):
    r = np.random.default_rng(31)
    n = 240
    table = pd.DataFrame({
        "学号": [f"2023{i:04d}" for i in range(n)], "姓名": [f"学生{i}" for i in range(n)],
        "班级": r.choice(["一班", "二班", "三班"], n), "性别": r.choice(["男", "女"], n),
        "语文": r.normal(80, 9, n).clip(30, 100).round(0), "数学": r.normal(75, 13, n).clip(20, 100).round(0),
        "英语": r.normal(78, 11, n).clip(20, 100).round(0), "是否住校": r.choice(["是", "否"], n)})
    table.loc[r.choice(n, 7, replace=False), "英语"] = np.nan
    table.to_csv(folder / "成绩.csv", index=False)
    return {"成绩": table}


def flights(folder):
    r = np.random.default_rng(37)
    n = 2000
    table = pd.DataFrame({
        "flight_date": pd.to_datetime("2024-01-01") + pd.to_timedelta(r.integers(0, 182, n), unit="D"),
        "carrier": r.choice(["AA", "DL", "UA", "WN"], n, p=[.3, .3, .25, .15]),
        "origin": r.choice(["JFK", "LAX", "ORD", "ATL"], n), "destination": r.choice(["SFO", "MIA", "SEA", "DEN"], n),
        "dep_delay_min": r.normal(12, 25, n).round(0), "distance_miles": r.integers(200, 2800, n),
        "cancelled": r.choice([0, 1], n, p=[.97, .03]), "passengers": r.integers(40, 220, n)})
    shown = table.copy()
    shown["flight_date"] = shown["flight_date"].dt.strftime("%m/%d/%Y")
    shown.to_csv(folder / "flights.csv", index=False)
    return {"flights": table}


def houses(folder):
    r = np.random.default_rng(41)
    n = 500
    area = r.integers(40, 260, n)
    table = pd.DataFrame({
        "listingId": range(1, n + 1), "neighborhood": r.choice(["Old Town", "Riverside", "Hill Park", "Docklands"], n),
        "propertyType": r.choice(["Apartment", "House", "Studio"], n, p=[.5, .35, .15]), "bedrooms": r.integers(0, 6, n),
        "squareMeters": area, "listPrice": (area * r.normal(4200, 700, n)).round(-2).astype(int),
        "hasGarden": r.choice([True, False], n, p=[.4, .6]),
        "listedOn": pd.to_datetime("2023-01-01") + pd.to_timedelta(r.integers(0, 700, n), unit="D")})
    table.to_json(folder / "houses.json", orient="records", date_format="iso")
    return {"houses": table}

def webshop(folder):
    r = np.random.default_rng(43)
    n = 1500
    table = pd.DataFrame({
        "OrderNo": [f"W-{i:06d}" for i in range(n)], "OrderDate": pd.to_datetime("2022-07-01") + pd.to_timedelta(r.integers(0, 900, n), unit="D"),
        "CustomerCountry": r.choice(["United Kingdom", "France", "Germany", "Netherlands"], n, p=[.55, .2, .15, .1]),
        "ProductLine": r.choice(["Toys", "Kitchen", "Garden Tools", "Stationery"], n), "Qty": r.integers(1, 20, n),
        "NetSales": r.gamma(2, 30, n).round(2), "ShippingCost": r.uniform(2, 15, n).round(2),
        "Rating": r.integers(1, 6, n), "DeliveryDays": r.integers(1, 15, n),
        "Status": r.choice(["Delivered", "Returned", "Cancelled"], n, p=[.86, .09, .05]),
        "Coupon": r.choice(["Y", "N"], n, p=[.25, .75])})
    shown = table.copy()
    shown["OrderDate"] = shown["OrderDate"].dt.strftime("%d %b %Y")
    shown["NetSales"] = shown["NetSales"].map(lambda v: f"£{v:,.2f}")
    shown.to_csv(folder / "webshop_orders.csv", sep="|", index=False)
    return {"webshop_orders": table}


def hospital(folder):
    r = np.random.default_rng(47)
    n = 700
    table = pd.DataFrame({
        "病历号": range(100001, 100001 + n), "科室": r.choice(["内科", "外科", "儿科", "骨科"], n, p=[.4, .25, .2, .15]),
        "医生": r.choice(["王医生", "李医生", "赵医生", "孙医生", "周医生"], n), "患者性别": r.choice(["男", "女"], n),
        "患者年龄": r.integers(1, 90, n), "住院天数": r.integers(1, 30, n), "住院费用": r.gamma(3, 2500, n).round(2),
        "入院日期": pd.to_datetime("2023-01-01") + pd.to_timedelta(np.sort(r.integers(0, 365, n)), unit="D"),
        "医保": r.choice(["是", "否"], n, p=[.8, .2])})
    table.to_csv(folder / "住院记录.csv", index=False, encoding="utf-8-sig")
    return {"住院记录": table}


def weather(folder):
    r = np.random.default_rng(53)
    days = pd.date_range("2021-01-01", "2023-12-31")
    parts = [pd.DataFrame({
        "date": days, "city": city,
        "max_temp": (15 + shift + 10 * np.sin((days.day_of_year - 100) / 365 * 2 * np.pi) + r.normal(0, 3, len(days))).round(1),
        "rainfall_mm": np.where(r.random(len(days)) < .3, r.gamma(1.5, 6, len(days)), 0).round(1),
        "wind_speed": r.gamma(4, 3, len(days)).round(1)}) for city, shift in [("Oslo", -6), ("Rome", 5), ("London", 0)]]
    table = pd.concat(parts, ignore_index=True)
    table.to_csv(folder / "weather.csv", index=False)
    return {"weather": table}

def tickets(folder):
    r = np.random.default_rng(59)
    n = 900
    table = pd.DataFrame({
        "ticket": range(1, n + 1), "created_at": pd.to_datetime("2024-01-01") + pd.to_timedelta(np.sort(r.integers(0, 200 * 24, n)), unit="h"),
        "agent": r.choice(["Amir", "Beth", "Chen", "Dora"], n), "priority": r.choice(["low", "medium", "high"], n, p=[.5, .35, .15]),
        "channel": r.choice(["email", "phone", "chat"], n), "resolution_hours": r.gamma(2, 9, n).round(1),
        "csat": r.integers(1, 6, n).astype(float), "reopened": r.choice([0, 1], n, p=[.9, .1])})
    table.loc[r.random(n) < .3, "csat"] = np.nan
    table.to_csv(folder / "support_tickets.csv", index=False)
    return {"support_tickets": table}


def cafe(folder):
    r = np.random.default_rng(61)
    n = 1000
    price = {"拿铁": 28, "美式": 22, "摩卡": 30, "红茶": 18, "蛋糕": 32}
    name = r.choice(list(price), n, p=[.3, .25, .15, .15, .15])
    count = r.integers(1, 5, n)
    table = pd.DataFrame({
        "日期": pd.to_datetime("2024-01-01") + pd.to_timedelta(np.sort(r.integers(0, 120, n)), unit="D"),
        "门店": r.choice(["朝阳店", "海淀店", "西城店"], n, p=[.5, .3, .2]), "饮品": name, "杯数": count,
        "实收金额": [price[k] * c for k, c in zip(name, count)], "会员": r.choice(["是", "否"], n, p=[.4, .6]),
        "评分": r.integers(1, 6, n), "时段": r.choice(["上午", "下午", "晚上"], n)})
    table["日期"] = table["日期"]
    table.assign(日期=table["日期"].dt.strftime("%Y/%m/%d")).to_csv(folder / "咖啡店.tsv", sep="\t", index=False)
    return {"咖啡店": table}


MAKERS = {maker.__name__: maker for maker in
          [transactions, chinese_sales, employees, sensors, weblogs, survey, shop, movies, students, flights,
           houses, webshop, hospital, weather, tickets, cafe]} | (
    datasets_more.MAKERS | datasets_office.MAKERS | datasets_26.MAKERS | datasets_27.MAKERS |
    datasets_28.MAKERS | datasets_29.MAKERS | datasets_30.MAKERS |
    datasets_31.MAKERS | datasets_32.MAKERS | datasets_33.MAKERS | datasets_34.MAKERS |
    datasets_35.MAKERS | datasets_36.MAKERS | datasets_37.MAKERS | datasets_38.MAKERS |
    datasets_39.MAKERS | datasets_40.MAKERS | datasets_41.MAKERS)

# What the tests' own Python cannot write is written in the sandbox, before anything is asked.
CONVERSIONS = {
    "employees": """
import os, pandas as pd
pd.read_csv("/data/employees.csv", parse_dates=["HireDate"]).to_excel("/data/employees.xlsx", index=False)
os.remove("/data/employees.csv")
""",
    "sensors": """
import os, pandas as pd
table = pd.read_csv("/data/sensor_readings.csv", parse_dates=["timestamp"])
table.to_parquet("/data/sensor_readings.parquet", index=False)
os.remove("/data/sensor_readings.csv")
"""} | datasets_more.CONVERSIONS
