"""Tables of the questions in held_back_34.py: a bakery, a marathon, student housing and an online shop."""
import numpy as np
import pandas as pd


def bakery(folder):
    rng = np.random.default_rng(3401)
    n = 900
    products = {"Sourdough": ("Bread", 5.5), "Baguette": ("Bread", 2.8), "Rye Loaf": ("Bread", 4.9),
                "Croissant": ("Pastry", 2.4), "Cinnamon Roll": ("Pastry", 3.1), "Cheesecake": ("Cake", 4.6),
                "Carrot Cake": ("Cake", 4.2)}
    names = rng.choice(list(products), n)
    units = rng.integers(1, 40, n)
    table = pd.DataFrame({
        "date": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 366, n), unit="D"),
        "shop": rng.choice(["Harbour", "Old Mill", "Station"], n, p=[.5, .3, .2]),
        "product": names,
        "category": [products[p][0] for p in names],
        "units": units,
        "revenue": np.round(units * np.array([products[p][1] for p in names]) * rng.uniform(.9, 1.1, n), 2),
        "waste_units": rng.integers(0, 6, n),
        "baker": rng.choice(["Ines", "Tom", "Yusuf", "Greta"], n)})
    table.to_csv(folder / "bakery_sales.csv", index=False)
    return {"bakery_sales": table}


def marathon(folder):
    rng = np.random.default_rng(3402)
    n = 640
    table = pd.DataFrame({
        "bib": np.arange(1001, 1001 + n),
        "runner": [f"Runner {i:03d}" for i in rng.permutation(n)],
        "country": rng.choice(["Kenya", "Japan", "France", "Chile", "Norway"], n),
        "club": rng.choice(["Hillside Harriers", "City Striders", "Coast AC", "none"], n),
        "sex": rng.choice(["F", "M"], n),
        "age": rng.integers(18, 75, n),
        "finish_minutes": np.round(rng.normal(245, 35, n), 1),
        "average_speed_kmh": 0.0,
        "money_raised": np.round(rng.gamma(2, 90, n), 2),
        "first_marathon": rng.choice(["yes", "no"], n, p=[.35, .65])})
    table["average_speed_kmh"] = (42.195 / (table["finish_minutes"] / 60)).round(2)
    table.to_csv(folder / "marathon_2024.csv", index=False)
    return {"marathon": table}


def housing(folder):
    rng = np.random.default_rng(3403)
    n = 720
    table = pd.DataFrame({
        "日期": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 366, n), unit="D"),
        "楼栋": rng.choice(["梅园", "兰园", "竹园", "菊园"], n),
        "学院": rng.choice(["文学院", "理学院", "工学院"], n),
        "用电量(度)": np.round(rng.gamma(3, 14, n), 1),
        "电费(元)": 0.0,
        "用水量(吨)": np.round(rng.gamma(2, 2, n), 2),
        "入住人数": rng.integers(1, 7, n),
        "是否欠费": rng.choice(["是", "否"], n, p=[.15, .85])})
    table["电费(元)"] = (table["用电量(度)"] * 0.56).round(2)
    table.to_csv(folder / "宿舍水电.csv", index=False)
    return {"宿舍水电": table}


def shop(folder):
    rng = np.random.default_rng(3404)
    n = 820
    table = pd.DataFrame({
        "订单号": [f"S{i:05d}" for i in range(n)],
        "下单日期": pd.to_datetime("2023-07-01") + pd.to_timedelta(rng.integers(0, 549, n), unit="D"),
        "城市": rng.choice(["杭州", "成都", "青岛", "西安"], n),
        "产品": rng.choice(["蓝牙耳机", "机械键盘", "显示器", "移动电源"], n),
        "客户等级": rng.choice(["普通", "银卡", "金卡"], n, p=[.6, .3, .1]),
        "数量": rng.integers(1, 6, n),
        "金额": np.round(rng.gamma(2, 160, n), 2),
        "配送方式": rng.choice(["快递", "自提"], n, p=[.8, .2]),
        "评分": rng.integers(1, 6, n)})
    table.to_csv(folder / "网店订单.csv", index=False)
    return {"网店订单": table}


MAKERS = {"bakery_34": bakery, "marathon_34": marathon, "housing_zh_34": housing, "shop_zh_34": shop}
