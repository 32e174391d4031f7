"""Tables of the questions in held_back_40.py: animals of a shelter, crossings of ferries, lessons with personal
trainers, shift reports of a factory."""
import numpy as np
import pandas as pd


def days(rng, first, count, n):
    return pd.to_datetime(first) + pd.to_timedelta(rng.integers(0, count, n), unit="D")


NAMES = """Biscuit Luna Rocky Bella Max Coco Milo Daisy Oscar Ruby Toby Nala Leo Willow Pepper Simba Rosie Jasper Olive
Ziggy Hazel Finn Mocha Poppy Bruno Clover Gizmo Ivy Duke Maple Shadow Tilly Otis Pearl Rex Sasha Smokey Honey Bandit
Piper Archie Misty Ollie Gracie Casper Lola Murphy Ginger Scout Penny""".split()
BREEDS = {
    "dog": ["Labrador mix", "Terrier mix", "Beagle", "Shepherd"],
    "cat": ["Domestic Shorthair", "Siamese", "Maine Coon"],
    "rabbit": ["Lop", "Dutch"]}
SIZES = {"dog": 17, "cat": 4.2, "rabbit": 2.1}
FEES = {"dog": 180, "cat": 95, "rabbit": 40}


def shelter(folder):
    rng = np.random.default_rng(3801)
    n = 280
    species = rng.choice(["dog", "cat", "rabbit"], n, p=[.45, .41, .14])
    intake = days(rng, "2023-01-01", 731, n)
    reason = rng.choice(["stray", "owner surrender", "seized", "born here"], n, p=[.45, .33, .12, .1])
    reason[(species == "rabbit") & (reason == "seized")] = "owner surrender"
    outcome = rng.choice(["adopted", "returned to owner", "transferred", "died", "still here"], n, p=[.56, .14, .11, .04, .15])
    left = pd.Series(intake + pd.to_timedelta(rng.gamma(2, 16, n).astype(int) + 1, unit="D"))
    left[outcome == "still here"] = pd.NaT
    age = np.round(rng.gamma(1.8, 2.2, n) + .1, 1)
    age[reason == "born here"] = .1
    age[rng.random(n) < .06] = np.nan
    fee = pd.Series([FEES[s] for s in species]) + rng.choice([-20, -10, 0, 0, 0, 15, 30], n)
    name = rng.choice(NAMES[1:], n).astype(object)
    name[rng.random(n) < .12] = None
    name[113] = "Biscuit"
    age[113] = 6.5
    table = pd.DataFrame({
        "animal_id": [f"S-{i:04d}" for i in range(1, n + 1)],
        "name": name,
        "intake_date": intake,
        "species": species,
        "breed": [rng.choice(BREEDS[s]) for s in species],
        "sex": rng.choice(["F", "M"], n),
        "age_years": age,
        "weight_kg": np.round([SIZES[s] * rng.uniform(.55, 1.6) for s in species], 2),
        "intake_reason": reason,
        "vaccinated": rng.choice(["yes", "no"], n, p=[.64, .36]),
        "outcome": outcome,
        "outcome_date": left,
        "adoption_fee_usd": fee.where(outcome == "adopted")})
    table.to_csv(folder / "shelter_animals.csv", index=False)
    return {"shelter_animals": table}


def ferries(folder):
    rng = np.random.default_rng(3802)
    n = 360
    day = np.sort(days(rng, "2023-01-01", 731, n).values)
    departure = pd.to_datetime(day) + pd.to_timedelta(rng.choice([7 * 60 + 40, 9 * 60 + 15, 12 * 60, 15 * 60 + 30, 18 * 60 + 5, 20 * 60 + 45], n), unit="min")
    route = rng.choice(["North Run", "Island Loop", "Late Link"], n, p=[.45, .35, .2])
    vessel = rng.choice(["Gannet", "Puffin", "Tern", "Kittiwake"], n, p=[.35, .28, .22, .15])
    vessel[(vessel == "Kittiwake") & (route == "Late Link")] = "Gannet"
    season = np.sin((departure.day_of_year - 110) / 365 * 2 * np.pi).to_numpy()
    wind = np.round(rng.gamma(3.2, 5, n), 0)
    sailed = (rng.random(n) > np.where(wind > 28, .35, .03)) | (wind < 12)
    carried = np.round(rng.gamma(6, 13, n) * (1 + .45 * season)).clip(3)
    delay = np.where(rng.random(n) < .4, 0, np.round(rng.gamma(1.2, 9, n) + wind / 5))
    incident = rng.choice(["engine", "medical", "lost property", None], n, p=[.04, .025, .06, .875])
    water = np.round(11 + 5.5 * np.sin((departure.day_of_year - 140) / 365 * 2 * np.pi) + rng.normal(0, .7, n), 1).to_numpy().copy()
    water[rng.random(n) < .05] = np.nan
    only = lambda figures: pd.Series(figures).where(sailed).astype("Int64")
    table = pd.DataFrame({
        "Departure": departure,
        "Route": route,
        "Vessel": vessel,
        "Skipper": rng.choice(["O. Brandt", "L. Moreau", "S. Adeyemi", "J. Quist"], n, p=[.32, .28, .24, .16]),
        "Status": np.where(sailed, "sailed", "cancelled"),
        "Passengers": only(carried),
        "Vehicles": only(np.round(carried * rng.uniform(.08, .35, n))),
        "Delay (min)": only(delay),
        "Fuel (l)": pd.Series(np.round(rng.uniform(140, 390, n), 1)).where(sailed),
        "Ticket price": np.select([route == "North Run", route == "Island Loop"], [12.5, 18], 9.8) + np.where(departure.month.isin([6, 7, 8]), 2.5, 0),
        "Wind (kn)": wind.astype(int),
        "Water temp (C)": water,
        "Incident": np.where(sailed, incident, None)})
    table.to_csv(folder / "ferry_log.csv", index=False)
    whole = table.astype({c: "float64" for c in ("Passengers", "Vehicles", "Delay (min)")})
    return {"ferry_log": whole}


WOMEN = "张婷 李娜 徐静 高雪 罗丹 宋佳 谢芳 唐悦 于敏 董洁 曹颖 邓丽 许诺".split()
MEMBERS = [*WOMEN, *"刘洋 黄强 何军 马超 梁宇 郑凯 韩冰 冯涛 萧然 程龙 袁野".split()]


def trainers(folder):
    rng = np.random.default_rng(3808)
    n = 300
    age = dict(zip(MEMBERS, rng.integers(19, 58, len(MEMBERS))))
    member = rng.choice(MEMBERS, n)
    coach = rng.choice(["陈浩", "林晓", "王磊", "赵敏", "孙倩"], n, p=[.3, .24, .2, .15, .11])
    kind = rng.choice(["力量", "瑜伽", "拳击", "普拉提", "康复"], n, p=[.34, .24, .16, .16, .1])
    kind[(coach == "孙倩") & (kind == "拳击")] = "瑜伽"
    minutes = rng.choice([45, 60, 90], n, p=[.25, .55, .2])
    state = rng.choice(["已完成", "已取消", "爽约"], n, p=[.83, .1, .07])
    done = state == "已完成"
    pulse = np.round(rng.normal(126, 14, n)) + np.where(kind == "拳击", 14, 0) - np.where(kind == "瑜伽", 15, 0)
    pulse[rng.random(n) < .08] = np.nan
    liked = rng.choice([2, 3, 4, 5], n, p=[.06, .16, .4, .38]).astype(float)
    liked[rng.random(n) < .15] = np.nan
    fee = np.round(minutes * rng.choice([4, 4.5, 5, 6], n), 0)
    table = pd.DataFrame({
        "课程编号": [f"PT{i:05d}" for i in range(1, n + 1)],
        "上课日期": days(rng, "2023-01-01", 731, n),
        "门店": rng.choice(["城东店", "城西店", "大学城店"], n, p=[.45, .32, .23]),
        "教练": coach,
        "会员": member,
        "会员性别": np.where(np.isin(member, WOMEN), "女", "男"),
        "会员年龄": [age[m] for m in member],
        "课程类型": kind,
        "时长(分钟)": minutes,
        "平均心率": pd.Series(pulse).where(done),
        "消耗热量(千卡)": pd.Series(np.round(minutes * rng.uniform(4, 9.5, n))).where(done),
        "课时费(元)": pd.Series(fee).where(state != "已取消"),
        "付款方式": rng.choice(["微信", "支付宝", "会员卡"], n, p=[.45, .2, .35]),
        "状态": state,
        "满意度": pd.Series(liked).where(done)})
    table.assign(上课日期=table["上课日期"].dt.strftime("%Y/%m/%d")).to_csv(folder / "私教课.csv", index=False)
    return {"私教课": table}


def shifts(folder):
    rng = np.random.default_rng(3804)
    n = 380
    slot = np.sort(rng.choice(731 * 9, n, replace=False))
    date = pd.to_datetime("2023-01-01") + pd.to_timedelta(slot // 9, unit="D")
    line = np.array(["一号线", "二号线", "三号线"])[slot % 9 // 3]
    shift = np.array(["早班", "中班", "夜班"])[slot % 3]
    product = rng.choice(["轴承", "齿轮", "阀门", "法兰"], n, p=[.35, .3, .2, .15])
    product[(line == "三号线") & (product == "阀门")] = "轴承"
    reason = rng.choice(["缺料", "换模", "故障", "停电", None], n, p=[.12, .2, .15, .04, .49])
    stopped = np.where(pd.isna(reason), 0, rng.integers(6, 95, n))
    made = np.round((1350 - stopped * 4) * rng.uniform(.72, 1.15, n) * np.where(shift == "夜班", .86, 1)).astype(int)
    warm = np.round(20 + 7 * np.sin((date.day_of_year - 115) / 365 * 2 * np.pi) + rng.normal(0, 1.6, n), 1).to_numpy().copy()
    warm[rng.random(n) < .07] = np.nan
    cost = pd.Series(product).map({"轴承": 8.4, "齿轮": 12.1, "阀门": 23.5, "法兰": 6.9}) * rng.uniform(.88, 1.14, n)
    table = pd.DataFrame({
        "日期": date,
        "生产线": line,
        "班次": shift,
        "产品": product,
        "产量(件)": made,
        "次品数(件)": rng.binomial(made, np.where(shift == "夜班", .034, .021) + np.where(line == "二号线", .008, 0)),
        "停机时间(分钟)": stopped,
        "停机原因": reason,
        "用电量(度)": np.round(made * rng.uniform(.35, .62, n), 1),
        "车间温度(℃)": warm,
        "单件成本(元)": np.round(cost, 2),
        "班长": rng.choice(["老郭", "小蒋", "沈姐", "老魏", "小丁"], n, p=[.28, .24, .2, .16, .12])})
    table.to_csv(folder / "产线班报.csv", index=False)
    return {"产线班报": table}


MAKERS = {"shelter_40": shelter, "ferries_40": ferries, "trainers_zh_40": trainers, "shifts_zh_40": shifts}
