"""Tables for set 29: a moulding shop's batches, a basketball league's box scores, 快递运单: see datasets.py for the rules."""
import numpy as np
import pandas as pd


def moulding_29(folder):
    """A European plant's export: dates with dots, a shift typed with blanks, rows sent twice."""
    r = np.random.default_rng(2901)
    n = 1400
    day = pd.to_datetime("2023-01-02") + pd.to_timedelta(np.sort(r.integers(0, 728, n)), unit="D")
    plant = r.choice(["Leeds", "Gdansk", "Porto"], n, p=[.42, .33, .25])
    line = r.choice(["L1", "L2", "L3", "L4", "L5"], n, p=[.26, .23, .2, .17, .14])
    shift = r.choice(["Early", "Late", "Night"], n, p=[.4, .36, .24])
    part = r.choice(["Bumper", "Door Panel", "Console", "Grille", "Mirror Cap", "Hub Cover"], n, p=[.24, .21, .18, .15, .12, .1])
    people = {"Leeds": ["B. Hughes", "E. Price", "G. Walsh", "J. Barker", "R. Singh"], "Gdansk": ["A. Kowalski", "D. Nowak", "H. Zielinski", "K. Lis"], "Porto": ["C. Santos", "F. Ramos", "M. Duarte"]}
    planned = r.integers(12, 61, n) * 10
    cycle = (r.normal(42, 4, n) + pd.Series(line).map({"L1": 0, "L2": 3.1, "L3": -2.4, "L4": 6.2, "L5": 1.2}).to_numpy()).round(1)
    temp = r.normal(215, 9, n).round(1)
    bad = r.poisson(planned * (.025 + .014 * (shift == "Night") + .0011 * np.clip(temp - 205, 0, None) + .008 * (plant == "Gdansk")))
    reason = r.choice(["No stop", "Tool change", "Material", "Breakdown"], n, p=[.35, .3, .2, .15])
    down = np.where(reason == "No stop", 0, r.gamma(2, 11, n) + 10 * (reason == "Breakdown")).round(0).astype(int)
    table = pd.DataFrame({
        "Batch No": [f"MB-{40000 + i}" for i in range(n)], "Prod Date": day, "Plant": plant, "Line": line, "Shift": shift, "Part": part,
        "Operator": [people[p][int(len(people[p]) * x ** 1.3)] for p, x in zip(plant, r.random(n))], "Planned Qty": planned, "Good Qty": np.maximum(planned - bad - r.integers(0, 6, n), 0), "Scrap Qty": bad,
        "Cycle Time (s)": cycle, "Downtime_min": down, "Stop Reason": reason, "Mould Temp C": temp, "Energy kWh": (planned * .62 + 30 * (plant == "Porto") + r.normal(20, 12, n)).clip(20).round(1),
        "QC Result": r.choice(["Pass", "Rework", "Fail"], n, p=[.88, .08, .04])})
    table.loc[r.choice(n, 38, replace=False), "Mould Temp C"] = np.nan
    table.loc[r.choice(n, 13, replace=False), "Operator"] = None
    table.loc[[210, 905], "Downtime_min"] = [480, 395]
    table.loc[[210, 905], "Stop Reason"] = "Breakdown"
    table = pd.concat([table, table.iloc[[33, 34, 612, 613, 1200]]], ignore_index=True)
    shown = table.copy()
    shown["Prod Date"] = shown["Prod Date"].dt.strftime("%d.%m.%Y")
    shown.loc[40:60, "Shift"] = shown.loc[40:60, "Shift"] + " "
    shown.to_csv(folder / "moulding_batches.csv", index=False)
    return {"batches": table}


def hoops_29(folder):
    """A player's line in each game: 68 games a season, six players a side."""
    r = np.random.default_rng(2902)
    teams = ["Ravens", "Comets", "Harbor", "Pioneers", "Sabres", "Vipers", "Monarchs", "Tritons"]
    first = ["Marcus", "Tyrell", "Jonas", "Luka", "Andre", "Devin", "Omar", "Felix", "Isaiah", "Niko", "Calvin", "Theo"]
    last = ["Webb", "Okafor", "Lindqvist", "Marek", "Dupree", "Hollis", "Farah", "Brandt", "Crowe", "Petrov", "Stone", "Vance", "Ellison", "Quist", "Barlow", "Mensah"]
    names = [f"{first[i % 12]} {last[(i * 7 + i // 12) % 16]}" for i in range(48)]
    squad = {team: names[6 * i:6 * i + 6] for i, team in enumerate(teams)}
    skill = dict(zip(names, r.gamma(6, .17, 48)))
    place = dict(zip(names, ["Guard", "Guard", "Forward", "Forward", "Center", "Guard"] * 8))
    rows, number = [], 1
    for season, start in (("2022-23", "2022-10-18"), ("2023-24", "2023-10-24")):
        pairs = [(a, b) for a in teams for b in teams if a != b]
        pairs += [pairs[i] for i in r.choice(56, 12, replace=False)]
        days = pd.to_datetime(start) + pd.to_timedelta(np.sort(r.integers(0, 175, len(pairs))), unit="D")
        for day, k in zip(days, r.permutation(len(pairs))):
            home, away = pairs[k]
            made = []
            for team, rival, venue in ((home, away, "Home"), (away, home, "Away")):
                for name in squad[team]:
                    mins = round(float(np.clip(r.normal(30, 6), 8, 44)), 1)
                    big = {"Guard": .7, "Forward": 1.1, "Center": 1.7}[place[name]]
                    pts = int(r.poisson(mins * .48 * skill[name] * (1.06 if venue == "Home" else 1)))
                    made.append([f"G{number:04d}", day, season, name, team, place[name], rival, venue, mins, pts, int(r.poisson(4.2 * big)),
                                 int(r.poisson(4.4 / big)), int(r.poisson(2.1)), int(r.integers(0, 7)), round(float(np.clip(r.normal(.45, .09), .1, .9)), 3), int(r.normal(0, 9))])
            won = sum(m[9] for m in made[:6]) >= sum(m[9] for m in made[6:])
            rows += [m + ["W" if (m[7] == "Home") == won else "L"] for m in made]
            number += 1
    table = pd.DataFrame(rows, columns=["game_id", "game_date", "season", "player", "team", "pos", "opponent", "venue", "MIN", "PTS", "REB", "AST", "TOV", "fouls", "FG_pct", "plus_minus", "result"])
    table.loc[[417], "PTS"] = 71
    table["plus_minus"] = table["plus_minus"].astype(float)
    table.loc[r.choice(len(table), 31, replace=False), "plus_minus"] = np.nan
    table.loc[r.choice(len(table), 18, replace=False), "MIN"] = np.nan
    table = pd.concat([table, table.iloc[np.flatnonzero(table.PTS < 12)[[50, 51, 300, 480]]]], ignore_index=True)
    table.assign(game_date=table.game_date.dt.strftime("%m/%d/%Y")).to_csv(folder / "box_scores.csv", index=False)
    return {"box": table}


def courier_zh_29(folder):
    """一票一行; a customer sends more than once and keeps sex, age and level."""
    r = np.random.default_rng(2903)
    n, people = 1300, 410
    sex, age = r.choice(["女", "男"], people, p=[.56, .44]), r.normal(36, 10, people).clip(18, 72).round(0)
    level, kind = r.choice(["普通", "银卡", "金卡", "钻石"], people, p=[.45, .28, .18, .09]), r.choice(["个人", "企业", "电商商家"], people, p=[.5, .2, .3])
    age[r.choice(people, 9, replace=False)] = np.nan
    who = r.integers(0, people, n)
    city = r.choice(["上海", "深圳", "杭州", "成都", "武汉", "西安", "青岛"], n, p=[.24, .2, .16, .14, .11, .08, .07])
    good = r.choice(["标准快递", "特快", "冷链", "同城急送"], n, p=[.5, .25, .13, .12])
    weight = r.gamma(1.5, 4.6, n).round(2) + .1
    fee = (9 + weight * 2.6 + pd.Series(good).map({"标准快递": 0, "特快": 11, "冷链": 24, "同城急送": 6}).to_numpy() + r.normal(0, 4, n)).clip(6).round(2)
    hours = (pd.Series(good).map({"标准快递": 58, "特快": 30, "冷链": 36, "同城急送": 4}).to_numpy() * r.gamma(9, 1 / 9, n)).round(1)
    late = np.where(r.random(n) < .1 + .07 * (city == "成都") + .05 * (city == "西安"), "是", "否")
    table = pd.DataFrame({
        "运单号": [f"YD{7700000 + i}" for i in range(n)], "寄件日期": pd.to_datetime("2023-03-01") + pd.to_timedelta(np.sort(r.integers(0, 671, n)), unit="D"),
        "客户编号": [f"KH{k:04d}" for k in who], "性别": sex[who], "年龄": age[who], "客户类型": kind[who], "会员等级": level[who], "寄件城市": city,
        "目的省份": r.choice(["广东", "北京", "江苏", "山东", "河南", "福建", "云南", "黑龙江"], n, p=[.22, .18, .15, .13, .11, .09, .07, .05]), "产品类型": good,
        "重量(kg)": weight.round(2), "运费(元)": fee, "保价费(元)": np.where(r.random(n) < .3, r.gamma(2, 3, n).round(2), 0), "时效(小时)": hours, "是否延误": late,
        "投诉次数": r.poisson(.08 + .5 * (late == "是")), "满意度": np.clip(r.choice([3, 4, 5], n, p=[.2, .4, .4]) - (late == "是") * r.integers(0, 3, n), 1, 5).astype(float)})
    table.loc[r.choice(n, 64, replace=False), "满意度"] = np.nan
    table.loc[[88, 777], "运费(元)"] = [2680.0, 1999.5]
    table = pd.concat([table, table.iloc[[20, 21, 500, 1001]]], ignore_index=True)
    shown = table.copy()
    shown["寄件日期"] = shown["寄件日期"].dt.strftime("%Y/%m/%d")
    shown["运费(元)"] = shown["运费(元)"].map("¥{:,.2f}".format)
    shown.loc[105:125, "寄件城市"] = shown.loc[105:125, "寄件城市"] + " "
    shown.to_csv(folder / "快递运单.csv", index=False, encoding="gb18030")
    return {"运单": table}


MAKERS = {maker.__name__: maker for maker in [moulding_29, hoops_29, courier_zh_29]}
