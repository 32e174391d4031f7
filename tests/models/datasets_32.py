"""A charity's donations, charging sessions of electric cars, 采购订单: for set 32. See datasets.py for the rules."""
import numpy as np
import pandas as pd


def donations_32(folder):
    r = np.random.default_rng(3201)
    n = 1240
    kind = r.choice(["Individual", "Company", "Foundation"], n, p=[.78, .16, .06])
    donor = np.where(kind == "Individual", r.integers(1, 420, n), np.where(kind == "Company", r.integers(500, 560, n), r.integers(700, 722, n)))
    age = {d: a for d, a in zip(range(420), r.normal(52, 14, 420).clip(19, 90).round(0))}
    ages = np.array([age.get(d, np.nan) for d in donor])
    size = np.where(kind == "Individual", 60, np.where(kind == "Company", 420, 1500))
    amount = (size * r.lognormal(0, .8, n) * (.6 + np.nan_to_num(ages, nan=50) / 125)).round(0)
    table = pd.DataFrame({
        "Donation ID": np.arange(40001, 40001 + n), "Date": pd.to_datetime("2023-01-01") + pd.to_timedelta(np.sort(np.floor(731 * r.random(n) ** .85).astype(int)), unit="D"),
        "Donor": [f"D-{d:04d}" for d in donor], "Donor Type": kind, "Donor Age": ages,
        "Campaign": r.choice(["Clean Water", "School Meals", "Winter Shelter", "Reforestation", "Emergency Relief"], n, p=[.3, .24, .2, .15, .11]),
        "Region": r.choice(["Northeast", "Midwest", "South", "West"], n, p=[.33, .19, .27, .21]), "Channel": r.choice(["Website", "Direct Mail", "Event", "Phone"], n, p=[.5, .2, .18, .12]),
        "Amount": amount, "Processing Fee %": r.choice([0, 1.5, 2.2, 2.9], n, p=[.18, .22, .35, .25]), "Recurring": r.choice(["Yes", "No"], n, p=[.34, .66]),
        "Thank You Sent": r.choice([True, False], n, p=[.86, .14])})
    table.loc[[402, 911], "Amount"] = [48000.0, 26500.0]
    table.loc[r.choice(n, 23, replace=False), "Region"] = np.nan
    table.loc[r.choice(n, 12, replace=False), "Channel"] = np.nan
    shown = table.copy()
    shown["Date"] = shown["Date"].dt.strftime("%b %d, %Y")
    shown["Amount"] = shown["Amount"].map("${:,.2f}".format)
    shown["Processing Fee %"] = shown["Processing Fee %"].map("{:.1f}%".format)
    shown["Region"] = shown["Region"].fillna("N/A")
    shown.loc[100:120, "Campaign"] = shown.loc[100:120, "Campaign"] + "  "
    shown.loc[600:618, "Campaign"] = shown.loc[600:618, "Campaign"].str.lower()
    shown.to_csv(folder / "donations.csv", index=False)
    return {"donations": table}


def ev_charging_32(folder):
    r = np.random.default_rng(3202)
    n = 980
    places = {"Porto Docks": "Porto", "Porto Mall": "Porto", "Lyon Gare": "Lyon", "Lyon Sud": "Lyon", "Lyon Airport": "Lyon", "Turin Centro": "Turin", "Turin Fiera": "Turin", "Graz Nord": "Graz"}
    station = r.choice(list(places), n, p=[.17, .1, .19, .12, .09, .15, .1, .08])
    kind = r.choice(["AC 11kW", "DC 50kW", "DC 150kW"], n, p=[.41, .34, .25])
    power = np.select([kind == "AC 11kW", kind == "DC 50kW"], [9.4, 38], 92)
    minutes = np.where(kind == "AC 11kW", r.gamma(5, 28, n), np.where(kind == "DC 50kW", r.gamma(5, 8, n), r.gamma(5, 4.5, n))).round(0) + 4
    energy = (power * minutes / 60 * r.uniform(.6, .95, n)).clip(.5, 95).round(2)
    member = r.choice([True, False], n, p=[.57, .43])
    cost = (energy * np.where(member, .39, .52) * np.where(kind == "DC 150kW", 1.35, 1)).round(2)
    start = pd.to_datetime("2024-01-01") + pd.to_timedelta(np.sort(np.floor(366 * r.random(n) ** .8).astype(int)), unit="D")
    start = start + pd.to_timedelta(r.choice(np.arange(6, 23), n) * 60 + r.integers(0, 60, n), unit="min")
    table = pd.DataFrame({
        "session_id": [f"EV{70000 + 7 * i}" for i in range(n)], "start_time": start, "station": station, "city": [places[s] for s in station], "charger_type": kind,
        "vehicle_model": r.choice(["Zoe", "Model 3", "ID.4", "Kona", "Leaf"], n, p=[.25, .26, .2, .17, .12]), "start_soc": r.normal(34, 17, n).clip(3, 88).round(0).astype(int),
        "energy_kwh": energy, "duration_min": minutes, "cost_eur": cost, "is_member": member, "rating": r.choice([1, 2, 3, 4, 5], n, p=[.05, .08, .2, .38, .29]).astype(float)})
    table.loc[r.random(n) < .28, "rating"] = np.nan
    table.loc[[77, 501, 800], "duration_min"] = [1460.0, 1822.0, 1205.0]
    table.loc[r.choice(n, 14, replace=False), "vehicle_model"] = np.nan
    shown = table.assign(start_time=table["start_time"].dt.strftime("%Y-%m-%d %H:%M"), start_soc=table["start_soc"].map("{}%".format), cost_eur=table["cost_eur"].map("€{:.2f}".format))
    shown.loc[200:214, "city"] = shown.loc[200:214, "city"].str.upper()
    shown.to_csv(folder / "charging_sessions.csv", sep=";", index=False)
    return {"sessions": table}


def purchase_zh_32(folder):
    r = np.random.default_rng(3203)
    n = 720
    goods = {"服务器": ("IT设备", 26000), "显示器": ("IT设备", 1300), "交换机": ("IT设备", 4200), "复印纸": ("办公用品", 24), "签字笔": ("办公用品", 3), "办公椅": ("办公家具", 680),
             "会议桌": ("办公家具", 2900), "螺栓": ("生产物料", 1.6), "铝板": ("生产物料", 210), "纸箱": ("包装材料", 5.5), "胶带": ("包装材料", 4)}
    item = r.choice(list(goods), n, p=[.05, .1, .07, .13, .1, .09, .05, .13, .12, .09, .07])
    price = (np.array([goods[g][1] for g in item]) * r.uniform(.85, 1.2, n)).round(2)
    many = np.where(price > 1000, r.integers(1, 12, n), np.where(price > 100, r.integers(5, 80, n), r.integers(50, 3000, n)))
    seller = r.choice(["华信科技", "鼎盛办公", "宏达五金", "远景包装", "联创电子", "恒丰贸易", "中泰实业"], n, p=[.22, .19, .16, .13, .12, .1, .08])
    table = pd.DataFrame({
        "采购单号": [f"PO{20230000 + 11 * i}" for i in range(n)], "下单日期": pd.to_datetime("2023-07-01") + pd.to_timedelta(np.sort(np.floor(549 * r.random(n) ** .9).astype(int)), unit="D"),
        "供应商": seller, "物料类别": [goods[g][0] for g in item], "物料名称": item, "数量": many, "单价(元)": price, "采购金额(元)": (many * price).round(2),
        "采购员": r.choice(["林晓", "何俊", "唐宁", "罗琪", "马超"], n, p=[.28, .24, .2, .16, .12]), "事业部": r.choice(["智能制造", "消费电子", "新能源", "总部"], n, p=[.35, .28, .22, .15]),
        "是否加急": r.choice(["是", "否"], n, p=[.21, .79]), "到货天数": (r.gamma(4, 2.6, n) + np.where(seller == "恒丰贸易", 4, 0)).round(0), "合格率": r.normal(96.5, 2.2, n).clip(82, 100).round(1),
        "订单状态": r.choice(["已完成", "在途", "已取消"], n, p=[.84, .11, .05])})
    table.loc[table["订单状态"] != "已完成", ["到货天数", "合格率"]] = np.nan
    table.loc[r.choice(n, 15, replace=False), "采购员"] = np.nan
    shown = table.assign(**{"下单日期": table["下单日期"].map(lambda d: f"{d.year}年{d.month}月{d.day}日"), "采购金额(元)": table["采购金额(元)"].map("¥{:,.2f}".format),
                            "合格率": table["合格率"].map("{:.1f}%".format, na_action="ignore")})
    shown.loc[50:61, "供应商"] = " " + shown.loc[50:61, "供应商"]
    shown.to_csv(folder / "采购订单.csv", index=False, encoding="utf-8-sig")
    return {"采购订单": table}


MAKERS = {maker.__name__: maker for maker in [donations_32, ev_charging_32, purchase_zh_32]}
