"""Tables of the questions in held_back_39.py: calls at a lighthouse harbour, batches of a noodle factory."""
import numpy as np
import pandas as pd


def days(rng, first, count, n):
    return pd.to_datetime(first) + pd.to_timedelta(rng.integers(0, count, n), unit="D")


def harbour(folder):
    rng = np.random.default_rng(3901)
    n = 430
    draught = np.round(rng.normal(6, 1.4, n), 1)
    draught[rng.random(n) < .07] = np.nan
    table = pd.DataFrame({
        "call_no": [f"H{i:04d}" for i in range(n)],
        "arrived": days(rng, "2023-02-01", 640, n),
        "flag": rng.choice(["Norway", "Malta", "Panama", "Liberia"], n, p=[.4, .3, .2, .1]),
        "pilot": rng.choice(["Ketil", "Ragna", "Tove"], n, p=[.5, .3, .2]),
        "cargo": rng.choice(["timber", "salt", "fish", "gravel"], n, p=[.4, .3, .2, .1]),
        "tonnes": np.round(rng.gamma(3, 400, n), 0),
        "draught_m": draught,
        "berth_hours": np.round(rng.gamma(3, 8, n), 1),
        "harbour_dues_nok": np.round(rng.uniform(900, 14000, n), 0),
        "tug_needed": rng.choice(["yes", "no"], n, p=[.25, .75])})
    table.to_csv(folder / "port_calls.csv", index=False)
    return {"port_calls": table}


def noodles(folder):
    rng = np.random.default_rng(3902)
    n = 510
    table = pd.DataFrame({
        "批次号": [f"N{i:05d}" for i in range(n)],
        "生产日期": days(rng, "2023-01-05", 660, n),
        "面型": rng.choice(["细面", "宽面", "刀削面", "乌冬"], n, p=[.4, .3, .2, .1]),
        "车间": rng.choice(["东车间", "西车间", "南车间"], n, p=[.5, .3, .2]),
        "班长": rng.choice(["贺班长", "蒋班长", "谢班长"], n, p=[.5, .3, .2]),
        "产量(袋)": rng.integers(800, 6000, n),
        "不良数": rng.integers(0, 90, n),
        "含水率(%)": np.round(rng.normal(12, .8, n), 2),
        "烘干温度": rng.integers(55, 96, n),
        "电费(元)": np.round(rng.gamma(3, 90, n), 2),
        "是否出口": rng.choice(["是", "否"], n, p=[.2, .8])})
    table.to_csv(folder / "面条生产.csv", index=False)
    return {"面条生产": table}


MAKERS = {"harbour_39": harbour, "noodles_zh_39": noodles}
