"""Tables of the questions in held_back_37.py: inspections of beehives, episodes of podcasts, recycling pickups."""
import numpy as np
import pandas as pd


def days(rng, first, count, n):
    return pd.to_datetime(first) + pd.to_timedelta(rng.integers(0, count, n), unit="D")


def hives(folder):
    rng = np.random.default_rng(3701)
    n = 640
    mites = np.round(rng.gamma(2, 1.4, n), 1)
    mites[rng.random(n) < .06] = np.nan
    table = pd.DataFrame({
        "inspection_id": np.arange(1, n + 1),
        "inspected_on": days(rng, "2023-03-01", 580, n),
        "apiary": rng.choice(["Orchard Row", "Mill Pond", "Heath"], n, p=[.45, .35, .2]),
        "hive": rng.choice([f"H{i:02d}" for i in range(1, 19)], n),
        "beekeeper": rng.choice(["Marta", "Jonas", "Ines", "Pavel"], n, p=[.4, .3, .2, .1]),
        "queen_seen": rng.choice(["yes", "no"], n, p=[.7, .3]),
        "brood_frames": rng.integers(0, 13, n),
        "mites_per_100": mites,
        "honey_kg": np.round(rng.gamma(2.2, 3.1, n), 2),
        "temper": rng.choice(["calm", "nervous", "aggressive"], n, p=[.6, .28, .12])})
    table.to_csv(folder / "hive_inspections.csv", index=False)
    return {"hive_inspections": table}


def podcasts(folder):
    rng = np.random.default_rng(3702)
    n = 410
    downloads = rng.integers(400, 26000, n)
    table = pd.DataFrame({
        "episode": [f"E{i:04d}" for i in range(1, n + 1)],
        "published": days(rng, "2022-06-01", 900, n),
        "show": rng.choice(["Night Shift", "Kitchen Talk", "Deep Water", "Field Notes"], n, p=[.4, .3, .2, .1]),
        "host": rng.choice(["Amara", "Felix", "Noor"], n, p=[.5, .3, .2]),
        "format": rng.choice(["interview", "solo", "panel"], n, p=[.55, .3, .15]),
        "length_min": rng.integers(12, 118, n),
        "downloads": downloads,
        "ad_income_usd": np.round(downloads * rng.uniform(.01, .04, n), 2),
        "sponsor": rng.choice(["Lumo", "Greenbox", "Tidewell", None], n, p=[.35, .25, .2, .2]),
        "rating": np.round(rng.uniform(2.4, 5, n), 1)})
    table.to_csv(folder / "episodes.csv", index=False)
    return {"episodes": table}


def recycling(folder):
    rng = np.random.default_rng(3703)
    n = 880
    weight = np.round(rng.gamma(2, 6, n) + .5, 1)
    score = rng.choice([1, 2, 3, 4, 5], n, p=[.04, .06, .15, .35, .4]).astype(float)
    score[rng.random(n) < .1] = np.nan
    table = pd.DataFrame({
        "回收单号": [f"R{i:06d}" for i in range(n)],
        "回收日期": days(rng, "2023-02-01", 650, n),
        "小区": rng.choice(["阳光花园", "翠湖苑", "金桂里", "滨江一号"], n, p=[.4, .28, .2, .12]),
        "品类": rng.choice(["纸类", "塑料", "玻璃", "金属", "旧衣物"], n, p=[.35, .25, .12, .1, .18]),
        "重量(公斤)": weight,
        "回收金额(元)": np.round(weight * rng.uniform(.4, 3.2, n), 2),
        "回收员": rng.choice(["周师傅", "吴师傅", "郑师傅"], n, p=[.45, .35, .2]),
        "是否上门": rng.choice(["是", "否"], n, p=[.62, .38]),
        "评分": score})
    table.to_csv(folder / "垃圾回收.csv", index=False)
    return {"垃圾回收": table}


MAKERS = {"hives_37": hives, "podcasts_37": podcasts, "recycling_zh_37": recycling}
