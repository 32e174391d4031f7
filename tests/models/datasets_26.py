"""Tables for set 26: a fashion shop's orders with returns, a clinic's appointments, 餐饮连锁的订单. See datasets.py for the rules."""
import numpy as np
import pandas as pd


def fashion_orders(folder):
    r = np.random.default_rng(2601)
    n = 1500
    lines = {"Dresses": (79.0, .30), "Shoes": (95.0, .19), "Jackets": (149.0, .12), "Bags": (64.5, .06), "Kids": (29.9, .08)}
    category = r.choice(list(lines), n, p=[.28, .25, .15, .14, .18])
    discount = r.choice([0, 5, 10, 20, 30], n, p=[.46, .14, .2, .13, .07])
    units = 1 + r.poisson(.5 + discount / 14)
    price = (np.array([lines[c][0] for c in category]) * r.choice([.8, 1, 1.25], n)).round(2)
    net = (units * price * (1 - discount / 100)).round(2)
    back = r.random(n) < np.array([lines[c][1] for c in category])
    country = r.choice(["Germany", "France", "Spain", "Italy", "Netherlands"], n, p=[.34, .24, .17, .15, .1])
    slow = {"Germany": 2.2, "France": 3.1, "Spain": 4.4, "Italy": 4.9, "Netherlands": 1.7}
    day = np.sort((r.beta(1.25, 1, n) * 730).astype(int))
    table = pd.DataFrame({
        "Order No": [f"FO-{20000 + i}" for i in range(n)], "Order Date": pd.to_datetime("2023-01-01") + pd.to_timedelta(day, unit="D"),
        "Customer ID": [f"K{k:03d}" for k in 100 + (r.beta(1, 1.7, n) * 340).astype(int)], "Country": country, "Sales Channel": r.choice(["Website", "Mobile App", "Marketplace"], n, p=[.48, .33, .19]),
        "Product Category": category, "Units": units, "List Price": price, "Disc %": discount, "Net Amt": net, "Shipping Fee": r.choice([0, 3.95, 6.95], n, p=[.4, .4, .2]),
        "Payment": r.choice(["Credit Card", "PayPal", "Klarna", "Gift Card"], n, p=[.42, .31, .2, .07]), "Coupon Code": r.choice(["WELCOME10", "SUMMER", "VIP"], n, p=[.5, .3, .2]),
        "Returned?": np.where(back, "Yes", "No"), "Return Reason": r.choice(["Wrong size", "Changed mind", "Damaged", "Late delivery"], n, p=[.5, .25, .15, .1]),
        "Refund Amt": (net * r.choice([1, 1, .5], n)).round(2), "Delivery Days": 1.0 + r.poisson([slow[c] for c in country]), "Star Rating": r.choice([1, 2, 3, 4, 5], n, p=[.07, .09, .18, .34, .32]).astype(float)})
    table.loc[[210, 903, 1288], "Net Amt"] = [4870.0, 6120.5, 3999.0]
    table.loc[[210, 903, 1288], ["Returned?"]] = "No"
    table.loc[table["Returned?"] == "No", ["Return Reason", "Refund Amt"]] = [None, np.nan]
    table.loc[r.random(n) < .74, "Coupon Code"] = None
    table.loc[r.choice(n, 118, replace=False), "Star Rating"] = np.nan
    table.loc[r.choice(n, 22, replace=False), "Delivery Days"] = np.nan
    twice = [33, 34, 410, 777, 1001, 1002, 1420]
    shown = table.copy()
    shown["Order Date"] = shown["Order Date"].dt.strftime("%d %b %Y")
    shown["Net Amt"] = shown["Net Amt"].map("{:,.2f}".format)
    shown.loc[60:75, "Payment"] = shown.loc[60:75, "Payment"] + " "
    pd.concat([shown, shown.iloc[twice]], ignore_index=True).to_csv(folder / "Orders_Export.csv", index=False)
    return {"orders": pd.concat([table, table.iloc[twice]], ignore_index=True)}


def clinic_appts(folder):
    r = np.random.default_rng(2602)
    n, people = 1250, 430
    age = np.where(r.random(people) < .18, r.integers(1, 16, people), r.normal(52, 18, people).clip(17, 93).astype(int))
    sex = r.choice(["F", "M"], people, p=[.56, .44])
    insured = r.choice(["Private", "Public", "Self-pay"], people, p=[.38, .47, .15])
    who = (r.beta(1, 1.5, n) * people).astype(int)
    grown = r.choice(["Cardiology", "Dermatology", "Orthopedics", "General Practice"], n, p=[.2, .18, .22, .4])
    dept = np.where(age[who] < 16, np.where(r.random(n) < .9, "Pediatrics", grown), grown)
    staff = {"Cardiology": ["Dr. Okafor", "Dr. Lindqvist"], "Dermatology": ["Dr. Moreau"], "Orthopedics": ["Dr. Petrov", "Dr. Hansen"], "General Practice": ["Dr. Adeyemi", "Dr. Chen", "Dr. Walsh"], "Pediatrics": ["Dr. Romero"]}
    fee = {"Cardiology": 310, "Dermatology": 165, "Orthopedics": 240, "General Practice": 95, "Pediatrics": 110}
    kind = r.choice(["New", "Follow-up", "Emergency"], n, p=[.33, .55, .12])
    insurance = insured[who]
    skip = np.where(insurance == "Self-pay", .16, np.where(insurance == "Public", .11, .06))
    u = r.random(n)
    status = np.where(u < skip, "No-show", np.where(u < skip + .08, "Cancelled", "Completed"))
    wait = (r.gamma(2.4, 9, n) + np.where(dept == "Orthopedics", 11, 0) + np.where(dept == "Dermatology", 4, 0) + np.where(kind == "Follow-up", 3, 0) + np.where(sex[who] == "M", 3, 0)).round(0)
    day = pd.to_datetime("2022-01-03") + pd.to_timedelta(np.sort((r.beta(1.2, 1, n) * 1090).astype(int)), unit="D")
    day = day - pd.to_timedelta(np.where(day.day_of_week == 6, 2, 0), unit="D")
    hour = r.choice(range(8, 18), n, p=[.08, .13, .18, .12, .05, .06, .12, .11, .09, .06])
    table = pd.DataFrame({
        "appt_id": [f"A{60000 + i}" for i in range(n)], "patient_no": 1000 + who, "appt_date": day + pd.to_timedelta(hour * 60 + r.choice([0, 15, 30, 45], n), unit="min"), "dept": dept,
        "physician": [r.choice(staff[d]) for d in dept], "pt_age": age[who], "sex": sex[who], "insurance": insurance, "appt_type": kind, "status": status, "wait_min": wait,
        "consult_min": (r.normal(19, 5, n) + np.where(kind == "New", 7, 0)).clip(5).round(0), "bmi": r.normal(26.4, 4.6, n).clip(15, 46).round(1), "sys_bp": (98 + age[who] * .52 + r.normal(0, 10, n)).round(0),
        "charge_usd": (np.array([fee[d] for d in dept]) * np.where(kind == "Emergency", 2.1, np.where(kind == "New", 1.2, 1)) * r.normal(1, .16, n)).round(2),
        "satisfaction": (8.6 - wait * .07 + np.where(sex[who] == "F", .5, 0) + r.normal(0, 1.1, n)).clip(1, 10).round(0)})
    table.loc[[88, 640, 1110], "wait_min"] = [285.0, 340.0, 260.0]
    table.loc[[88, 640, 1110], "status"] = "Completed"
    table.loc[table.status != "Completed", ["wait_min", "consult_min", "charge_usd", "satisfaction"]] = np.nan
    table.loc[r.choice(n, 96, replace=False), "satisfaction"] = np.nan
    table.loc[r.choice(n, 41, replace=False), "bmi"] = np.nan
    table.assign(appt_date=table.appt_date.dt.strftime("%Y-%m-%d %H:%M")).to_csv(folder / "clinic_appointments.csv", index=False)
    return {"appts": table}


def restaurant_chain_zh(folder):
    r = np.random.default_rng(2603)
    n = 1600
    stores = {"人民广场店": ("上海", "直营", .19), "徐家汇店": ("上海", "直营", .14), "五角场店": ("上海", "加盟", .08), "国贸店": ("北京", "直营", .15), "中关村店": ("北京", "加盟", .11),
              "天河城店": ("广州", "直营", .12), "体育西店": ("广州", "加盟", .07), "春熙路店": ("成都", "加盟", .14)}
    store = r.choice(list(stores), n, p=[v[2] for v in stores.values()])
    meal = r.choice(["早餐", "午餐", "晚餐", "夜宵"], n, p=[.1, .36, .4, .14])
    way = r.choice(["堂食", "外卖", "自提"], n, p=[.55, .35, .1])
    heads = np.where(way == "堂食", 1 + r.poisson(2.1, n), 1 + r.poisson(.6, n))
    kind = r.choice(["火锅", "烧烤", "小炒", "面食", "饮品"], n, p=[.25, .18, .27, .2, .1])
    each = np.array([{"火锅": 92, "烧烤": 71, "小炒": 54, "面食": 29, "饮品": 19}[k] for k in kind])
    sales = (heads * each * np.where(meal == "晚餐", 1.25, 1) * r.normal(1, .2, n).clip(.4)).round(1)
    minutes = (r.gamma(4, 4.2, n) + np.where(way == "外卖", 3, 0)).round(0)
    day = pd.to_datetime("2023-01-01") + pd.to_timedelta(np.sort((r.beta(1.2, 1, n) * 731).astype(int)), unit="D")
    day = day + pd.to_timedelta(np.where((day.day_of_week == 2) & (np.random.default_rng(2604).random(n) < .4), 3, 0), unit="D")
    table = pd.DataFrame({
        "订单编号": [f"CY{700000 + i}" for i in range(n)], "消费日期": day, "门店名称": store, "城市": [stores[s][0] for s in store], "经营方式": [stores[s][1] for s in store], "餐段": meal, "用餐方式": way,
        "菜品大类": kind, "用餐人数": heads, "营业额(元)": sales, "优惠金额(元)": (sales * r.choice([0, .05, .1, .2], n, p=[.5, .2, .2, .1])).round(1), "食材成本(元)": (sales * r.normal(.36, .05, n)).round(1),
        "支付方式": r.choice(["微信", "支付宝", "银行卡", "现金"], n, p=[.48, .33, .12, .07]), "是否会员": r.choice(["是", "否"], n, p=[.42, .58]),
        "顾客评分": (5.4 - minutes * .07 + r.normal(0, .5, n)).clip(1, 5).round(1), "出餐时长(分钟)": minutes})
    table.loc[[150, 1203], "营业额(元)"] = [6888.0, 5200.0]
    table.loc[r.choice(n, 87, replace=False), "顾客评分"] = np.nan
    table.loc[r.choice(n, 19, replace=False), "出餐时长(分钟)"] = np.nan
    twice = [20, 21, 500, 999, 1300]
    table = pd.concat([table, table.iloc[twice]], ignore_index=True)
    table.assign(消费日期=table["消费日期"].dt.strftime("%Y/%m/%d")).to_csv(folder / "餐饮订单.csv", index=False, encoding="utf-8-sig")
    return {"餐饮": table}


MAKERS = {maker.__name__: maker for maker in [fashion_orders, clinic_appts, restaurant_chain_zh]}
