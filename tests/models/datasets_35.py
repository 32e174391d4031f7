"""Tables of the questions in held_back_35.py: a museum's tickets, wind turbines, a gym and a dairy farm."""
import numpy as np
import pandas as pd


def museum(folder):
    rng = np.random.default_rng(3501)
    n = 860
    people = rng.integers(1, 9, n)
    table = pd.DataFrame({
        "visit_date": pd.to_datetime("2023-01-01") + pd.to_timedelta(rng.integers(0, 730, n), unit="D"),
        "exhibition": rng.choice(["Dinosaurs", "Deep Sea", "Roman Glass", "Early Flight"], n, p=[.4, .3, .2, .1]),
        "ticket_type": rng.choice(["adult", "child", "senior", "school group"], n, p=[.5, .25, .15, .1]),
        "visitors": people,
        "admission_fee": np.round(people * rng.uniform(6, 14, n), 2),
        "shop_spend": np.round(rng.gamma(1.5, 9, n), 2),
        "minutes_inside": rng.integers(25, 260, n),
        "member": rng.choice(["yes", "no"], n, p=[.3, .7])})
    table.to_csv(folder / "museum_visits.csv", index=False)
    return {"museum_visits": table}


def turbines(folder):
    rng = np.random.default_rng(3502)
    n = 700
    table = pd.DataFrame({
        "service_id": [f"WT-{i:04d}" for i in range(n)],
        "service_date": pd.to_datetime("2022-01-01") + pd.to_timedelta(rng.integers(0, 1095, n), unit="D"),
        "wind_farm": rng.choice(["Northmoor", "Sandbank", "Highfell"], n, p=[.45, .35, .2]),
        "manufacturer": rng.choice(["Vento", "Aerix", "Boreal"], n),
        "component": rng.choice(["gearbox", "blade", "generator", "yaw drive"], n),
        "technician": rng.choice(["Okafor", "Lindqvist", "Marsh", "Petrov", "Silva"], n),
        "downtime_hours": np.round(rng.gamma(2, 7, n), 1),
        "repair_cost": np.round(rng.gamma(2, 1800, n), 2),
        "urgent": rng.choice(["yes", "no"], n, p=[.25, .75])})
    table.to_csv(folder / "turbine_services.csv", index=False)
    return {"turbine_services": table}


def gym(folder):
    rng = np.random.default_rng(3503)
    n = 780
    table = pd.DataFrame({
        "打卡日期": pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 366, n), unit="D"),
        "会员编号": rng.choice([f"M{i:03d}" for i in range(140)], n),
        "场馆": rng.choice(["滨江馆", "大学城馆", "体育中心馆"], n, p=[.5, .3, .2]),
        "课程": rng.choice(["瑜伽", "动感单车", "搏击操", "普拉提"], n),
        "教练": rng.choice(["林涛", "苏敏", "何川", "唐月"], n),
        "性别": rng.choice(["男", "女"], n),
        "锻炼时长(分钟)": rng.integers(20, 120, n),
        "消耗热量(千卡)": rng.integers(120, 900, n),
        "课程费(元)": np.round(rng.uniform(30, 160, n), 2),
        "满意度": rng.integers(1, 6, n)})
    table.to_csv(folder / "健身打卡.csv", index=False)
    return {"健身打卡": table}


def dairy(folder):
    rng = np.random.default_rng(3504)
    n = 750
    table = pd.DataFrame({
        "挤奶日期": pd.to_datetime("2023-01-01") + pd.to_timedelta(rng.integers(0, 730, n), unit="D"),
        "牧场": rng.choice(["青山牧场", "白河牧场", "红石牧场"], n, p=[.4, .35, .25]),
        "品种": rng.choice(["荷斯坦", "娟姗", "西门塔尔"], n),
        "产奶量(公斤)": np.round(rng.normal(26, 6, n).clip(5), 1),
        "乳脂率(%)": np.round(rng.normal(3.8, .4, n), 2),
        "饲料成本(元)": np.round(rng.gamma(4, 9, n), 2),
        "饲养员": rng.choice(["老郑", "小冯", "阿吉"], n),
        "班次": rng.choice(["早班", "晚班"], n),
        "是否生病": rng.choice(["是", "否"], n, p=[.1, .9])})
    table.to_csv(folder / "牧场产奶.csv", index=False)
    return {"牧场产奶": table}


MAKERS = {"museum_35": museum, "turbines_35": turbines, "gym_zh_35": gym, "dairy_zh_35": dairy}
