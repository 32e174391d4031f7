"""Tables for set 27: a SaaS company's subscriptions, a city's bike rentals, 项目台账. See datasets.py for the rules."""
import numpy as np
import pandas as pd


def saas_subs_27(folder):
    r = np.random.default_rng(2701)
    n = 840
    plan = r.choice(["Starter", "Team", "Business", "Enterprise"], n, p=[.38, .31, .21, .1])
    seats = np.array([{"Starter": 4, "Team": 14, "Business": 42, "Enterprise": 120}[p] for p in plan] * r.gamma(4, .25, n)).round().clip(1).astype(int)
    price = np.array([{"Starter": 9.0, "Team": 12.5, "Business": 16.0, "Enterprise": 21.0}[p] for p in plan])
    day = np.arange(1093)
    weights = (1 + day / 1093) * np.array([1.25, 1.5, 1.35, 1.1, .9, .35, .25])[day % 7]  # day 0 is a Monday
    signup = pd.to_datetime("2022-01-03") + pd.to_timedelta(np.sort(r.choice(day, n, p=weights / weights.sum())), unit="D")
    status = r.choice(["Active", "Paused", "Cancelled"], n, p=[.7, .08, .22])
    gone = signup + pd.to_timedelta(r.integers(30, 420, n), unit="D")
    status = np.where((status == "Cancelled") & (gone > "2024-12-31"), "Active", status)
    words = [f"{a} {b}" for a in ["Blue", "North", "Silver", "Bright", "Apex", "Terra", "Nova", "Cobalt", "Lumen", "Orchid", "Summit", "Harbor", "Vertex", "Maple", "Quartz", "Delta", "Falcon", "Juniper",
                                  "Cedar", "Ember", "Atlas", "Pioneer", "Granite", "Willow", "Onyx", "Coral", "Zenith", "Prairie", "Solar", "Iris"]
             for b in ["Labs", "Systems", "Group", "Media", "Health", "Partners", "Works", "Logistics", "Foods", "Analytics", "Studio", "Capital", "Learning", "Retail", "Energy", "Robotics", "Travel",
                       "Digital", "Pharma", "Homes", "Motors", "Textiles", "Insurance", "Security", "Networks", "Games", "Bank", "Clinic"]]
    company = r.permutation(words)[:n]
    company[[101, 202, 303, 404, 505, 606, 707]] = company[[11, 22, 33, 44, 55, 66, 66]]
    table = pd.DataFrame({
        "Account ID": [f"AC-{20000 + i}" for i in range(n)], "Company": company, "Signup Date": signup, "Plan": plan, "Billing Cycle": r.choice(["Annual", "Monthly"], n, p=[.37, .63]),
        "Country": r.choice(["United States", "Germany", "Brazil", "Japan", "Canada", "India", "France", "Australia"], n, p=[.33, .15, .11, .1, .09, .09, .08, .05]),
        "Industry": r.choice(["Retail", "Fintech", "Healthcare", "Education", "Media"], n, p=[.28, .24, .2, .16, .12]),
        "Lead Source": r.choice(["Organic", "Paid Ads", "Referral", "Partner"], n, p=[.4, .3, .2, .1]), "Seats": seats, "MRR (USD)": (seats * price * r.normal(1, .06, n)).round(2),
        "Logins L30D": (seats * r.gamma(3, 3.2, n)).round().astype(int), "NPS": r.choice(np.arange(11), n, p=[.02, .02, .03, .04, .05, .08, .1, .17, .2, .17, .12]).astype(float),
        "CSM": r.choice(["Alice", "Bruno", "Chen", "Dana", "Emeka", "Farah", "Greta"], n, p=[.22, .19, .17, .14, .12, .09, .07]), "Status": status, "Cancel Date": gone})
    table.loc[table.Status != "Cancelled", "Cancel Date"] = pd.NaT
    table.loc[r.choice(n, 61, replace=False), "NPS"] = np.nan
    table.loc[r.choice(n, 17, replace=False), "CSM"] = None
    table.loc[[58, 630], "Seats"] = [1500, 980]
    table.loc[[58, 630], "MRR (USD)"] = [28750.0, 19600.5]
    shown = table.copy()
    for name in ["Signup Date", "Cancel Date"]:
        shown[name] = shown[name].dt.strftime("%b %d, %Y")
    shown["MRR (USD)"] = shown["MRR (USD)"].map("${:,.2f}".format)
    shown.loc[210:235, "Country"] = shown.loc[210:235, "Country"] + " "
    shown.loc[500:512, "Plan"] = shown.loc[500:512, "Plan"].str.lower()
    shown.to_csv(folder / "Subscriptions export.csv", index=False)
    return {"subscriptions": table}


def bike_rentals_27(folder):
    r = np.random.default_rng(2702)
    n = 2200
    day = pd.date_range("2023-01-01", "2024-12-31")
    season = np.array([.45, .5, .75, 1, 1.3, 1.55, 1.6, 1.5, 1.25, .95, .65, .4])[day.month - 1]
    weights = season * np.where(day.year == 2024, 1.24, 1) * np.array([1, 1.08, 1.15, 1.12, 1.2, 1.45, 1.3])[day.day_of_week]
    date = np.sort(r.choice(len(day), n, p=weights / weights.sum()))
    hours = np.array([.3, .2, .1, .1, .2, .6, 1.8, 4.2, 6, 3.6, 3, 3.4, 4, 4.1, 4, 4.6, 6.2, 8.4, 7, 4.8, 3.2, 2.2, 1.4, .8])
    start = day[date] + pd.to_timedelta(r.choice(24, n, p=hours / hours.sum()) * 60 + r.integers(0, 60, n), unit="min")
    stations = ["Central Station", "Market Square", "University", "Harbour", "City Park", "Old Town", "Museum", "Stadium", "Tech Campus", "Hospital", "Riverside", "Zoo"]
    share = np.array([17, 14, 12.5, 11, 9.5, 8.5, 7.2, 6, 5, 4, 3, 2.3])
    member = r.random(n) < .62
    kind = r.choice(["classic", "e-bike", "cargo"], n, p=[.58, .34, .08])
    temp = np.array([1, 2.5, 7, 11, 16, 20, 22.5, 22, 17, 11.5, 6, 2])[start.month - 1] + r.normal(0, 3.2, n)
    minutes = (r.gamma(2.6, 6.5, n) * np.where(member, .85, 1.4) * (1 + (temp - 12) * .022)).clip(1.5).round(1)
    km = (minutes * np.where(kind == "e-bike", .27, np.where(kind == "cargo", .16, .2)) * r.normal(1, .14, n).clip(.4)).clip(.2).round(2)
    wet = r.choice(["clear", "cloudy", "rain", "snow"], n, p=[.48, .33, .17, .02])
    table = pd.DataFrame({
        "trip_id": [f"T{700001 + i}" for i in range(n)], "start_time": start, "start_station": r.choice(stations, n, p=share / share.sum()), "end_station": r.choice(stations, n, p=share[::-1] / share.sum()),
        "user_type": np.where(member, "member", "casual"), "gender": r.choice(["Male", "Female"], n, p=[.56, .44]), "age": r.normal(38, 12, n).clip(16, 81).round().astype(float), "bike_type": kind,
        "duration_min": minutes, "distance_km": km, "fare_eur": (np.where(member, .5, 1) + minutes * np.where(member, .08, .17) + np.where(kind == "e-bike", 1.2, np.where(kind == "cargo", 2, 0))).round(2),
        "temp_c": temp.round(1), "weather": wet})
    table.loc[r.choice(n, 143, replace=False), "gender"] = None
    table.loc[r.choice(n, 24, replace=False), "age"] = np.nan
    table.loc[r.choice(n, 38, replace=False), "temp_c"] = np.nan
    table.loc[[333, 1200, 1907], "duration_min"] = [1437.0, 902.5, 1180.0]
    table = pd.concat([table, table.iloc[[40, 41, 700, 1500, 2100]]], ignore_index=True)
    shown = table.copy()
    shown["start_time"] = shown["start_time"].dt.strftime("%Y-%m-%d %H:%M")
    shown.loc[900:930, "user_type"] = shown.loc[900:930, "user_type"].str.capitalize()
    shown.to_csv(folder / "bike_rentals_2023_24.csv", index=False)
    return {"trips": table}


def projects_zh_27(folder):
    r = np.random.default_rng(2703)
    n = 640
    day = pd.date_range("2022-01-04", "2024-12-30")
    weights = np.array([1.1, 1.35, 1.5, 1.2, .95, .06, .04])[day.day_of_week] * day.year.map({2022: 1, 2023: 1.2, 2024: 1.32}).to_numpy()
    when = day[np.sort(r.choice(len(day), n, p=weights / weights.sum()))]
    part = r.choice(["智慧城市", "金融科技", "医疗健康", "在线教育", "智能制造"], n, p=[.28, .24, .2, .12, .16])
    city = r.choice(["北京", "上海", "深圳", "成都", "武汉", "西安", "杭州", "南京"], n, p=[.22, .19, .16, .12, .1, .08, .07, .06])
    theme = {"智慧城市": ["园区管理平台", "交通信号系统", "城市大脑"], "金融科技": ["风控平台", "核心账务系统", "移动支付"], "医疗健康": ["电子病历", "远程问诊", "影像云"],
             "在线教育": ["直播课堂", "题库系统", "校园一卡通"], "智能制造": ["产线监控", "设备运维", "仓储调度"]}
    seen, name = {}, []
    for c, p in zip(city, part):
        base = c + r.choice(theme[p])
        seen[base] = seen.get(base, 0) + 1
        name.append(f"{base}{seen[base]}期")
    worth = (r.gamma(1.9, 150, n) + 18 + (when.year.to_numpy() - 2022) * 14).round(1)
    worth[[77, 410]] = [5200.0, 6800.0]
    team = r.integers(3, 36, n)
    table = pd.DataFrame({
        "项目编号": [f"XM{when[i].year}{1000 + i}" for i in range(n)], "项目名称": name, "事业部": part, "项目经理": r.choice(["王磊", "李娜", "张伟", "刘洋", "陈静", "杨帆", "赵敏", "周杰", "吴倩"], n,
                                                                                               p=[.19, .16, .14, .12, .11, .09, .08, .06, .05]),
        "客户类型": r.choice(["政府", "国企", "民企", "外企"], n, p=[.32, .28, .29, .11]), "城市": city, "立项日期": when, "合同额(万元)": worth, "实际成本(万元)": (worth * r.uniform(.52, 1.06, n)).round(1),
        "已回款(万元)": (worth * r.beta(5, 2, n)).round(1), "项目状态": r.choice(["进行中", "已验收", "暂停", "已终止"], n, p=[.4, .45, .09, .06]), "风险等级": r.choice(["高", "中", "低"], n, p=[.17, .38, .45]),
        "团队人数": team, "投入工时": (team * r.normal(150, 38, n).clip(40)).round().astype(int), "客户满意度": r.normal(8.1, 1.1, n).clip(3, 10).round(1), "是否延期": r.choice(["是", "否"], n, p=[.27, .73])})
    table.loc[[120, 260, 390, 511], "项目名称"] = table.loc[[20, 160, 290, 411], "项目名称"].to_numpy()
    table.loc[r.choice(n, 48, replace=False), "客户满意度"] = np.nan
    table.loc[r.choice(n, 13, replace=False), "已回款(万元)"] = np.nan
    shown = table.copy()
    shown["立项日期"] = [f"{d.year}/{d.month}/{d.day}" for d in shown["立项日期"]]
    shown["合同额(万元)"] = shown["合同额(万元)"].map("{:,.1f}".format)
    shown.loc[30:45, "城市"] = " " + shown.loc[30:45, "城市"]
    shown.to_csv(folder / "项目台账.csv", index=False, encoding="utf-8-sig")
    return {"项目": table}


MAKERS = {maker.__name__: maker for maker in [saas_subs_27, bike_rentals_27, projects_zh_27]}
