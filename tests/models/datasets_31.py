"""A pharmacy's sales, a call centre's log, 保单台账: for set 31. See datasets.py for the rules."""
import numpy as np
import pandas as pd


def pharmacy_sales_31(folder):
    r = np.random.default_rng(3101)
    n = 2300
    goods = {"Amoxicillin 500mg": ("Prescription", 14.2, .58), "Metformin 850mg": ("Prescription", 11.6, .55), "Atorvastatin 20mg": ("Prescription", 18.9, .6),
             "Ibuprofen 400mg": ("OTC", 5.49, .42), "Paracetamol 500mg": ("OTC", 3.25, .4), "Cetirizine 10mg": ("OTC", 7.8, .44), "Cough Syrup": ("OTC", 8.95, .47),
             "Vitamin D3": ("Vitamins", 12.5, .38), "Omega 3": ("Vitamins", 16.75, .41), "Zinc Tablets": ("Vitamins", 9.1, .36),
             "Sun Cream SPF50": ("Skin Care", 15.99, .5), "Hand Cream": ("Skin Care", 6.4, .45), "Nappies M": ("Baby", 13.3, .71), "Baby Shampoo": ("Baby", 5.85, .52)}
    item = r.choice(list(goods), n, p=[.08, .07, .08, .11, .12, .07, .06, .08, .06, .05, .06, .05, .07, .04])
    day = np.sort(np.floor(731 * r.random(n) ** .9).astype(int))
    disc = r.choice([0, 5, 10, 20], n, p=[.6, .18, .14, .08])
    qty = 1 + r.poisson(1.6 + disc * .12)
    price = np.array([goods[k][1] for k in item]).astype(float)
    price = (price * np.where(day >= 366, 1.04, 1.0)).round(2)
    net = (qty * price * (1 - disc / 100)).round(2)
    table = pd.DataFrame({
        "Receipt No": [f"RX{200000 + 3 * i}" for i in range(n)], "Sale Date": pd.to_datetime("2023-01-01") + pd.to_timedelta(day, unit="D"),
        "Branch": r.choice(["Northgate", "Riverside", "Old Town", "Station Rd", "Hillcrest"], n, p=[.29, .24, .2, .15, .12]), "Dept": [goods[k][0] for k in item], "Item": item,
        "Qty Sold": qty, "Unit Price": price, "Disc %": disc, "Net Amt": net, "COGS": (qty * price * np.array([goods[k][2] for k in item])).round(2),
        "Pay Type": r.choice(["Card", "Cash", "Insurance", "Mobile"], n, p=[.48, .22, .18, .12]), "Loyalty Card": r.choice(["Y", "N"], n, p=[.42, .58]),
        "Cust Age": r.normal(47, 17, n).clip(18, 92).round(0), "Served By": r.choice(["A. Khan", "B. Lopez", "C. Wright", "D. Osei", "E. Novak", "F. Byrne"], n, p=[.24, .2, .18, .15, .13, .1])})
    table.loc[r.choice(n, 61, replace=False), "Cust Age"] = np.nan
    table.loc[r.choice(n, 17, replace=False), "Served By"] = np.nan
    table.loc[[333, 1502, 2100], "Net Amt"] = [1420.0, 2075.5, 1188.0]
    table = pd.concat([table, table.iloc[[50, 51, 700, 1200, 1201]]], ignore_index=True)
    shown = table.copy()
    shown["Sale Date"] = shown["Sale Date"].dt.strftime("%d/%m/%Y")
    for column in ["Unit Price", "Net Amt"]:
        shown[column] = shown[column].map("£{:,.2f}".format)
    shown.loc[300:311, "Branch"] = shown.loc[300:311, "Branch"] + " "
    shown.to_csv(folder / "Pharmacy Sales 2023-24.csv", index=False)
    return {"sales": table}


def call_log_31(folder):
    r = np.random.default_rng(3102)
    n = 1750
    day = np.sort(np.floor(547 * r.random(n) ** .85).astype(int))
    start = pd.to_datetime("2024-01-01") + pd.to_timedelta(day, unit="D")
    start = start - pd.to_timedelta(np.where((start.day_of_week >= 5) & (r.random(n) < .6) & (day > 7), 4, 0), unit="D")
    hour = r.choice(np.arange(8, 20), n, p=[.05, .1, .15, .12, .08, .07, .08, .1, .09, .07, .05, .04])
    start = start + pd.to_timedelta(hour * 3600 + r.integers(0, 3600, n), unit="s")
    agents = {"Maria S.": "Manila", "Jun P.": "Manila", "Liza R.": "Manila", "Arnel D.": "Manila", "Sean K.": "Cork", "Aoife M.": "Cork", "Niamh B.": "Cork",
              "Tom H.": "Leeds", "Priya G.": "Leeds", "Ellie W.": "Leeds"}
    agent = r.choice(list(agents), n, p=[.14, .12, .11, .09, .1, .09, .08, .11, .09, .07])
    queue = r.choice(["Tech Support", "Billing", "Sales", "Cancellations"], n, p=[.38, .31, .19, .12])
    wait = r.gamma(1.5, 62, n) + np.where(queue == "Tech Support", 35, 0) + np.where(queue == "Cancellations", 20, 0)
    wait = wait.round(0)
    status = np.where(r.random(n) < (.03 + wait / 1500).clip(0, .5), "Abandoned", np.where(r.random(n) < .05, "Voicemail", "Answered"))
    transfers = r.poisson(np.where(queue == "Billing", .25, .5))
    talk = (r.gamma(2.2, 2.6, n) + transfers * 2.4 + .4).round(1)
    quality = {"Maria S.": .4, "Jun P.": .1, "Liza R.": -.5, "Arnel D.": .2, "Sean K.": -.3, "Aoife M.": .5, "Niamh B.": 0, "Tom H.": -.7, "Priya G.": .3, "Ellie W.": .15}
    csat = (4.3 - wait / 130 + np.array([quality[a] for a in agent]) + r.normal(0, .8, n)).round(0).clip(1, 5)
    table = pd.DataFrame({
        "call_id": np.arange(880001, 880001 + n), "CallStart": start, "agent": agent, "site": [agents[a] for a in agent], "queue": queue,
        "Channel": r.choice(["Phone", "Chat", "Callback"], n, p=[.66, .23, .11]), "cust_tier": r.choice(["Gold", "Silver", "Bronze"], n, p=[.18, .34, .48]), "wait_sec": wait, "talk_min": talk,
        "transfers": transfers, "status": status, "resolved_1st_call": np.where(r.random(n) < (.78 - .12 * transfers).clip(.1), "Yes", "No"), "CSAT": csat})
    table = table.sort_values("CallStart", ignore_index=True).assign(call_id=np.arange(880001, 880001 + n))
    table.loc[table.status != "Answered", ["talk_min", "CSAT"]] = np.nan
    table.loc[(table.status == "Answered") & (r.random(n) < .3), "CSAT"] = np.nan
    table.loc[table.status != "Answered", "resolved_1st_call"] = "No"
    table.loc[table.index[table.status == "Answered"][[120, 811]], "wait_sec"] = [3604.0, 2890.0]
    table.loc[table.index[table.status == "Answered"][502], "talk_min"] = 94.5
    table = pd.concat([table, table.iloc[[15, 16, 410, 977, 1300, 1301, 1640]]], ignore_index=True)
    table["wait_sec"] = table["wait_sec"].astype(int)
    table.assign(CallStart=table["CallStart"].dt.strftime("%Y-%m-%d %H:%M:%S")).to_csv(folder / "call_log_export.csv", index=False)
    return {"calls": table}


def policies_zh_31(folder):
    r = np.random.default_rng(3103)
    n = 920
    kind = r.choice(["重疾险", "医疗险", "意外险", "寿险", "年金险"], n, p=[.27, .31, .2, .13, .09])
    age = r.normal(41, 11, n).clip(18, 70).round(0)
    base = {"重疾险": 5200, "医疗险": 1100, "意外险": 380, "寿险": 6900, "年金险": 11800}
    cover = {"重疾险": 40, "医疗险": 200, "意外险": 60, "寿险": 80, "年金险": 20}
    premium = (np.array([base[k] for k in kind]) * (.35 + age / 62) * r.lognormal(0, .28, n)).round(2)
    claims = r.poisson(np.where(kind == "医疗险", .8, .12))
    people = {"北京": ["赵明", "钱丽", "孙浩"], "上海": ["李娜", "周强", "吴敏", "郑凯"], "广东": ["王芳", "冯磊", "陈静", "褚亮"], "四川": ["蒋欣", "沈涛"], "湖北": ["韩雪", "杨帆"]}
    branch = r.choice(list(people), n, p=[.19, .25, .29, .15, .12])
    lapse = {"重疾险": .07, "医疗险": .15, "意外险": .22, "寿险": .05, "年金险": .09}
    table = pd.DataFrame({
        "保单号": [f"P{2022000000 + 17 * i}" for i in range(n)], "投保日期": pd.to_datetime("2022-01-01") + pd.to_timedelta(np.sort(np.floor(1096 * r.random(n) ** .8).astype(int)), unit="D"),
        "险种": kind, "销售渠道": r.choice(["代理人", "银保", "网销", "电销"], n, p=[.42, .23, .26, .09]), "分公司": branch, "业务员": [r.choice(people[b]) for b in branch],
        "投保人性别": r.choice(["男", "女"], n, p=[.46, .54]), "投保年龄": age, "年缴保费(元)": premium, "保额(万元)": (np.array([cover[k] for k in kind]) * r.choice([.5, .75, 1, 1.25, 2], n)).round(1),
        "缴费年限": r.choice([1, 5, 10, 20], n, p=[.4, .2, .22, .18]), "理赔次数": claims, "理赔金额(元)": np.where(claims > 0, claims * r.gamma(1.5, 3100, n), 0).round(2),
        "是否退保": np.where(r.random(n) < np.array([lapse[k] for k in kind]), "是", "否")})
    table.loc[r.choice(n, 26, replace=False), "投保年龄"] = np.nan
    table.loc[r.choice(n, 9, replace=False), "销售渠道"] = np.nan
    table.loc[[88, 640], "年缴保费(元)"] = [98000.0, 126500.0]
    table = pd.concat([table, table.iloc[[30, 31, 500, 777]]], ignore_index=True)
    table.assign(投保日期=table["投保日期"].dt.strftime("%Y/%m/%d")).to_csv(folder / "保单台账.csv", index=False, encoding="utf-8-sig")
    return {"保单": table}


MAKERS = {maker.__name__: maker for maker in [pharmacy_sales_31, call_log_31, policies_zh_31]}
