"""A bank's loan book, a school's exam results, 二手车车源, for set 28: see datasets.py for the rules."""
import numpy as np
import pandas as pd


def loan_book(folder):
    r = np.random.default_rng(2801)
    n = 1480
    purpose = r.choice(["Debt Consolidation", "Car Purchase", "Home Improvement", "Wedding", "Education"], n, p=[.34, .25, .22, .08, .11])
    job = r.choice(["Salaried", "Self-employed", "Retired"], n, p=[.66, .24, .1])
    score = (r.normal(668, 68, n) - np.where(job == "Self-employed", 18, 0)).clip(420, 850).round(0)
    amount = (r.gamma(2.3, 5200, n) * np.where(purpose == "Home Improvement", 1.5, 1)).clip(1000, 75000).round(-2)
    branch = r.choice(["Leeds", "Bristol", "Cardiff", "Glasgow", "York", "Derby", "Exeter"], n, p=[.24, .19, .16, .14, .12, .09, .06])
    status = np.where(r.random(n) < np.where(score < 600, .21, .06), "Defaulted", r.choice(["Active", "Paid Off", "Late"], n, p=[.56, .36, .08]))
    days = np.where(status == "Defaulted", r.integers(91, 400, n), np.where(status == "Late", r.integers(5, 120, n), 0))
    table = pd.DataFrame({
        "Loan ID": [f"LN-{220001 + i}" for i in range(n)], "Disbursal Date": pd.to_datetime("2022-01-03") + pd.to_timedelta(np.sort((r.random(n) ** .8 * 1090).astype(int)), unit="D"), "Branch": branch,
        "Purpose": purpose, "Applicant Age": r.integers(21, 72, n), "Gender": r.choice(["F", "M"], n, p=[.46, .54]), "Employment Type": job, "Annual Income": r.lognormal(10.5, .38, n).round(-1),
        "Credit Score": score, "Loan Amt": amount, "Int Rate (%)": (15.5 - (score - 600) * .022 + r.normal(0, 1.1, n)).clip(2.9, 26).round(2), "Term (mths)": r.choice([12, 24, 36, 48, 60], n, p=[.1, .2, .35, .15, .2]),
        "Days Past Due": days, "Loan Status": status})
    table.loc[r.choice(n, 37, replace=False), "Credit Score"] = np.nan
    table.loc[r.choice(n, 18, replace=False), "Annual Income"] = np.nan
    table.loc[[212, 990], "Annual Income"] = [985000.0, 1240000.0]
    table = pd.concat([table, table.iloc[[31, 402, 403, 777, 1100]]], ignore_index=True)
    shown = table.copy()
    shown["Disbursal Date"] = shown["Disbursal Date"].dt.strftime("%d/%m/%Y")
    shown["Loan Amt"] = shown["Loan Amt"].map("£{:,.0f}".format)
    shown.loc[60:85, "Branch"] = shown.loc[60:85, "Branch"].str.upper()
    shown.to_csv(folder / "Loan Book 2022-24.csv", index=False)
    return {"loans": table}


def exam_results(folder):
    """One row for each pupil, subject and session."""
    r = np.random.default_rng(2802)
    first = ["Amelia", "Oliver", "Priya", "Noah", "Chloe", "Hamza", "Isla", "Jacob", "Mei", "Lucas", "Zara", "Ethan"]
    last = ["Hughes", "Patel", "Walker", "Okafor", "Novak", "Brennan", "Castillo", "Ford", "Lindqvist", "Shah"]
    girls = {"Amelia", "Priya", "Chloe", "Isla", "Mei", "Zara"}
    teachers = {"Maths": ["Mr Dunn", "Ms Kaur"], "English": ["Mrs Hale", "Mr Reeve"], "Physics": ["Dr Moss"], "Chemistry": ["Ms Lowe"], "History": ["Mr Adair"]}
    ease = {"Maths": -4, "English": 3, "Physics": -7, "Chemistry": -2, "History": 5}
    rows = []
    for i, name in enumerate(f"{a} {b}" for b in last for a in first):
        talent, group, house = r.normal(63, 9), r.choice(["Year 9", "Year 10", "Year 11"], p=[.38, .33, .29]), r.choice(["Oak", "Ash", "Elm", "Birch"])
        teacher = {subject: str(r.choice(names)) for subject, names in teachers.items()}
        for session, lift in (("2023-01-09", 0), ("2023-06-05", 1.5), ("2024-01-08", 1), ("2024-06-03", 4)):
            for subject in teachers:
                hours, attendance = r.gamma(2.4, 3.2), 100 - r.gamma(1.7, 5)
                score = talent + ease[subject] + lift + hours * .8 + (attendance - 91) * .35 + (2 if name.split()[0] in girls else 0) + r.normal(0, 7)
                day = pd.Timestamp(session) + pd.Timedelta(days=int(r.choice([0, 1, 2, 3, 4, 7, 8, 9, 10, 11])))
                rows.append((f"S{1001 + i}", name, "Female" if name.split()[0] in girls else "Male", group, house, subject, teacher[subject], day, round(min(max(score, 4), 100)), round(hours, 1), round(max(attendance, 52), 1), "Yes" if r.random() < .07 else "No"))
    table = pd.DataFrame(rows, columns=["student_id", "student_name", "sex", "yr_group", "House", "Subject", "Teacher", "exam_date", "Score", "revision_hrs", "attendance_pct", "is_resit"])
    n = len(table)
    table["Score"] = table["Score"].astype(float)
    table.loc[r.choice(n, 58, replace=False), "Score"] = np.nan
    table.loc[r.choice(n, 21, replace=False), "revision_hrs"] = np.nan
    table.loc[[310, 1204, 2047], "Score"] = [710.0, 655.0, 580.0]
    table.insert(9, "Grade", pd.cut(table["Score"], [-1, 39.5, 49.5, 59.5, 69.5, 79.5, 1000], labels=["F", "E", "D", "C", "B", "A"]).astype(object))
    shown = table.copy()
    shown["exam_date"] = shown["exam_date"].dt.strftime("%Y-%m-%d")
    shown.loc[100:140, "Subject"] = shown.loc[100:140, "Subject"] + " "
    shown.to_csv(folder / "exam_results.csv", index=False)
    return {"exams": table}


def used_cars_zh(folder):
    r = np.random.default_rng(2803)
    n = 1260
    brands = {"大众": (16, .2), "丰田": (18, .17), "比亚迪": (17, .17), "本田": (16.5, .14), "宝马": (42, .1), "奔驰": (45, .09), "特斯拉": (29, .07), "五菱": (7, .06)}
    brand = r.choice(list(brands), n, p=[p for _, p in brands.values()])
    body = np.where(brand == "五菱", r.choice(["轿车", "MPV"], n), r.choice(["轿车", "SUV", "MPV"], n, p=[.5, .4, .1]))
    power = np.where(brand == "特斯拉", "纯电", np.where(brand == "比亚迪", r.choice(["纯电", "混动", "燃油"], n, p=[.5, .4, .1]), r.choice(["燃油", "混动", "纯电"], n, p=[.8, .13, .07])))
    age = r.gamma(2.4, 2.1, n).clip(.3, 16).round(1)
    new = (np.array([brands[b][0] for b in brand]) * r.normal(1, .17, n) * np.where(body == "SUV", 1.15, 1)).round(2)
    table = pd.DataFrame({
        "车源编号": [f"ESC{60001 + i}" for i in range(n)], "上架日期": pd.to_datetime("2023-01-01") + pd.to_timedelta(np.sort((r.random(n) ** .85 * 731).astype(int)), unit="D"), "品牌": brand, "车身类型": body, "能源类型": power,
        "城市": r.choice(["上海", "成都", "杭州", "广州", "武汉", "西安"], n, p=[.25, .2, .18, .16, .12, .09]), "车龄(年)": age, "表显里程(万公里)": (age * r.gamma(9, .17, n) + .1).round(2), "新车指导价(万元)": new,
        "报价(万元)": (new * np.exp(-.115 * age) * r.normal(.93, .07, n)).clip(.6).round(2), "过户次数": r.poisson(.8, n), "卖家类型": r.choice(["个人", "商家"], n, p=[.37, .63]), "浏览量": r.gamma(1.5, 420, n).round(0).astype(int),
        "车况评级": r.choice(["A", "B", "C"], n, p=[.35, .45, .2]).astype(object), "状态": r.choice(["在售", "已售", "下架"], n, p=[.42, .47, .11])})
    table.loc[r.choice(n, 29, replace=False), "表显里程(万公里)"] = np.nan
    table.loc[r.choice(n, 46, replace=False), "车况评级"] = None
    table.loc[[88, 701], "报价(万元)"] = [268.0, 199.8]
    table = pd.concat([table, table.iloc[[15, 16, 333, 1002]]], ignore_index=True)
    shown = table.copy()
    shown["上架日期"] = [f"{d.year}/{d.month}/{d.day}" for d in shown["上架日期"]]
    shown.to_csv(folder / "二手车车源.csv", index=False, encoding="utf-8-sig")
    return {"车源": table}


MAKERS = {maker.__name__: maker for maker in [loan_book, exam_results, used_cars_zh]}
