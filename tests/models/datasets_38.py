"""Tables of the questions in held_back_38.py: tank readings of an aquarium, parcels of a locker, tea auctions, repairs
of shared bicycles."""
import numpy as np
import pandas as pd


def days(rng, first, count, n):
    return pd.to_datetime(first) + pd.to_timedelta(rng.integers(0, count, n), unit="D")


def aquarium(folder):
    rng = np.random.default_rng(3801)
    n = 520
    ph = np.round(rng.normal(7.6, .4, n), 2)
    ph[rng.random(n) < .05] = np.nan
    table = pd.DataFrame({
        "reading_id": [f"A{i:04d}" for i in range(n)],
        "measured_on": days(rng, "2023-05-01", 500, n),
        "tank": rng.choice(["Reef", "Kelp", "Mangrove", "Lagoon"], n, p=[.4, .3, .2, .1]),
        "keeper": rng.choice(["Odile", "Bram", "Sunniva"], n, p=[.5, .3, .2]),
        "ph": ph,
        "salinity_ppt": np.round(rng.normal(33, 1.5, n), 1),
        "food_g": np.round(rng.gamma(3, 120, n), 0),
        "water_changed_l": rng.integers(0, 900, n),
        "algae": rng.choice(["none", "light", "heavy"], n, p=[.6, .3, .1]),
        "alarm": rng.choice(["yes", "no"], n, p=[.12, .88])})
    table.to_csv(folder / "tank_readings.csv", index=False)
    return {"tank_readings": table}


def lockers(folder):
    rng = np.random.default_rng(3802)
    n = 700
    table = pd.DataFrame({
        "Parcel": [f"P-{i:05d}" for i in range(n)],
        "Dropped": days(rng, "2024-01-02", 350, n),
        "Station": rng.choice(["Harbour", "Old Mill", "Campus", "Airport"], n, p=[.35, .3, .25, .1]),
        "Carrier": rng.choice(["Velox", "Nordpak", "Hermelin"], n, p=[.5, .3, .2]),
        "Size": rng.choice(["S", "M", "L"], n, p=[.5, .35, .15]),
        "Hours Stored": np.round(rng.gamma(2, 14, n), 1),
        "Postage Eur": np.round(rng.uniform(2, 14, n), 2),
        "Insured Value Eur": np.round(rng.gamma(2, 60, n), 2),
        "Collected": rng.choice(["Yes", "No"], n, p=[.93, .07]),
        "Rating": rng.integers(1, 6, n)})
    table.to_csv(folder / "locker_parcels.csv", index=False)
    return {"locker_parcels": table}


def tea(folder):
    rng = np.random.default_rng(3803)
    n = 460
    kilos = rng.integers(5, 200, n)
    price = np.round(rng.gamma(4, 60, n) + 20, 0)
    table = pd.DataFrame({
        "拍品编号": [f"T{i:05d}" for i in range(n)],
        "拍卖日期": days(rng, "2023-03-01", 600, n),
        "茶类": rng.choice(["绿茶", "红茶", "乌龙", "白茶", "普洱"], n, p=[.35, .25, .2, .12, .08]),
        "产区": rng.choice(["武夷山", "西湖", "安溪", "勐海"], n, p=[.4, .3, .2, .1]),
        "重量(公斤)": kilos,
        "成交价(元/公斤)": price,
        "成交额(元)": kilos * price,
        "买家": rng.choice(["和顺茶行", "云起堂", "山岚社", "一壶春"], n, p=[.4, .3, .2, .1]),
        "是否有机": rng.choice(["是", "否"], n, p=[.3, .7]),
        "评审分": np.round(rng.normal(86, 5, n), 1)})
    table.to_csv(folder / "茶叶拍卖.csv", index=False)
    return {"茶叶拍卖": table}


def repairs(folder):
    rng = np.random.default_rng(3804)
    n = 640
    score = rng.choice([1, 2, 3, 4, 5], n, p=[.05, .05, .2, .4, .3]).astype(float)
    score[rng.random(n) < .08] = np.nan
    table = pd.DataFrame({
        "维修单号": [f"W{i:06d}" for i in range(n)],
        "报修时间": days(rng, "2023-06-01", 520, n),
        "城区": rng.choice(["鼓楼", "玄武", "江宁", "浦口"], n, p=[.4, .3, .2, .1]),
        "故障部位": rng.choice(["刹车", "链条", "车锁", "轮胎", "座椅"], n, p=[.3, .25, .2, .15, .1]),
        "维修工": rng.choice(["陆工", "薛工", "邵工"], n, p=[.5, .3, .2]),
        "维修时长(分钟)": rng.integers(8, 180, n),
        "配件费(元)": np.round(rng.gamma(2, 18, n), 2),
        "更换配件数": rng.integers(0, 6, n),
        "是否返修": rng.choice(["是", "否"], n, p=[.1, .9]),
        "满意度": score})
    table.to_csv(folder / "单车维修.csv", index=False)
    return {"单车维修": table}


MAKERS = {"aquarium_38": aquarium, "lockers_38": lockers, "tea_zh_38": tea, "repairs_zh_38": repairs}
