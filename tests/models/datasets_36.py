"""Tables of the questions in held_back_36.py: a studio's invoices, a ski rental, a vet's practice and orchards."""
import numpy as np
import pandas as pd


def days(rng, first, count, n):
    return pd.to_datetime(first) + pd.to_timedelta(rng.integers(0, count, n), unit="D")


def invoices(folder):
    rng = np.random.default_rng(3601)
    n = 540
    hours = rng.integers(2, 60, n)
    table = pd.DataFrame({
        "invoice_no": [f"INV-{i:05d}" for i in range(n)],
        "issued_on": days(rng, "2023-01-01", 730, n),
        "client": rng.choice(["Albrecht", "Brightside", "Corvex", "Dunmore", "Elvira"], n, p=[.3, .25, .2, .15, .1]),
        "service": rng.choice(["Branding", "Web design", "Illustration", "Photography"], n),
        "hours": hours,
        "amount_eur": np.round(hours * rng.uniform(55, 120, n), 2),
        "paid": rng.choice(["yes", "no"], n, p=[.85, .15]),
        "country": rng.choice(["Germany", "Austria", "Ireland"], n, p=[.5, .2, .3])})
    table.to_csv(folder / "invoices.csv", index=False)
    return {"invoices": table}


def ski_rental(folder):
    rng = np.random.default_rng(3602)
    n = 820
    length = rng.integers(1, 11, n)
    table = pd.DataFrame({
        "rental_id": np.arange(70001, 70001 + n),
        "rental_date": days(rng, "2023-12-01", 420, n),
        "branch": rng.choice(["Valley", "Summit", "Lakeside"], n, p=[.5, .3, .2]),
        "item": rng.choice(["skis", "snowboard", "boots", "helmet"], n, p=[.4, .25, .2, .15]),
        "customer_type": rng.choice(["adult", "child", "student"], n, p=[.6, .25, .15]),
        "rental_days": length,
        "price": np.round(length * rng.uniform(8, 32, n), 2),
        "damaged": rng.choice(["yes", "no"], n, p=[.08, .92])})
    table.to_csv(folder / "ski_rentals.csv", index=False)
    return {"ski_rentals": table}


def pets(folder):
    rng = np.random.default_rng(3603)
    n = 760
    table = pd.DataFrame({
        "就诊编号": [f"V{i:05d}" for i in range(n)],
        "就诊日期": days(rng, "2023-01-01", 730, n),
        "宠物种类": rng.choice(["猫", "狗", "兔子", "鹦鹉"], n, p=[.45, .4, .1, .05]),
        "医生": rng.choice(["何医生", "罗医生", "谢医生"], n, p=[.4, .35, .25]),
        "科室": rng.choice(["内科", "外科", "皮肤科", "牙科"], n),
        "费用(元)": np.round(rng.gamma(3, 130, n), 2),
        "体重(公斤)": np.round(rng.uniform(.4, 38, n), 1),
        "是否复诊": rng.choice(["是", "否"], n, p=[.35, .65])})
    table.to_csv(folder / "宠物就诊.csv", index=False)
    return {"宠物就诊": table}


def orchards(folder):
    rng = np.random.default_rng(3604)
    n = 690
    weight = np.round(rng.uniform(20, 480, n), 1)
    table = pd.DataFrame({
        "采摘日期": days(rng, "2023-03-01", 640, n),
        "果园": rng.choice(["东坡果园", "南岭果园", "西河果园"], n, p=[.45, .35, .2]),
        "水果": rng.choice(["苹果", "桃子", "梨", "樱桃"], n),
        "等级": rng.choice(["特级", "一级", "二级"], n, p=[.3, .5, .2]),
        "采摘量(公斤)": weight,
        "工时(小时)": np.round(rng.uniform(1, 10, n), 1),
        "销售额(元)": np.round(weight * rng.uniform(4, 19, n), 2),
        "工人": rng.choice(["阿强", "阿珍", "老吴", "小罗"], n)})
    table.to_csv(folder / "果园采摘.csv", index=False)
    return {"果园采摘": table}


MAKERS = {"invoices_36": invoices, "ski_rental_36": ski_rental, "pets_zh_36": pets, "orchards_zh_36": orchards}
