"""Tables as offices export them, for the sets from 22 on: see datasets.py for the rules."""
import numpy as np
import pandas as pd


def store_orders(folder):
    r = np.random.default_rng(2201)
    n = 1100
    goods = {"Desk Lamp": ("Furniture", 39.9), "Office Chair": ("Furniture", 189.0), "Bookcase": ("Furniture", 129.5), "Stapler": ("Supplies", 8.25),
             "Paper Pack": ("Supplies", 5.99), "Binder": ("Supplies", 3.75), "Headset": ("Technology", 59.0), "Monitor": ("Technology", 219.0), "Webcam": ("Technology", 74.5)}
    name = r.choice(list(goods), n)
    quantity = r.integers(1, 12, n)
    price = np.array([goods[k][1] for k in name])
    discount = r.choice([0, .05, .1, .2], n, p=[.55, .2, .15, .1])
    table = pd.DataFrame({
        "Order ID": [f"US-{2023 + i // 600}-{10000 + i}" for i in range(n)], "Order Date": pd.to_datetime("2023-01-02") + pd.to_timedelta(np.sort(r.integers(0, 720, n)), unit="D"),
        "Customer Segment": r.choice(["Consumer", "Corporate", "Home Office"], n, p=[.5, .3, .2]), "Region": r.choice(["East", "West", "Central", "South"], n, p=[.35, .3, .2, .15]),
        "Category": [goods[k][0] for k in name], "Product": name, "Qty": quantity, "Unit Price": price, "Discount": discount,
        "Sales": (quantity * price * (1 - discount)).round(2), "Shipping Days": r.integers(1, 8, n).astype(float), "is_returned": r.choice([True, False], n, p=[.08, .92])})
    table.loc[r.choice(n, 27, replace=False), "Shipping Days"] = np.nan
    table.loc[[14, 800], "Sales"] = [9800.0, 12400.0]
    shown = table.copy()
    shown["Order Date"] = shown["Order Date"].dt.strftime("%m/%d/%Y")
    shown["Unit Price"] = shown["Unit Price"].map("${:,.2f}".format)
    shown["Sales"] = shown["Sales"].map("${:,.2f}".format)
    shown.loc[5:30, "Region"] = shown.loc[5:30, "Region"].str.lower()
    shown.to_csv(folder / "store_orders.csv", index=False)
    return {"orders": table}


def telecom(folder):
    r = np.random.default_rng(2202)
    n = 800
    contract = r.choice(["Month-to-month", "One year", "Two year"], n, p=[.55, .25, .2])
    tenure = r.integers(1, 72, n)
    charge = r.normal(68, 24, n).clip(18, 120).round(2)
    churn = np.where(r.random(n) < np.where(contract == "Month-to-month", .4, .1), "Yes", "No")
    table = pd.DataFrame({
        "customerID": [f"C{i:04d}" for i in range(n)], "gender": r.choice(["Female", "Male"], n), "SeniorCitizen": r.choice([0, 1], n, p=[.84, .16]),
        "signup_date": pd.to_datetime("2024-12-31") - pd.to_timedelta(tenure * 30, unit="D"), "tenure_months": tenure, "contract": contract,
        "internet_service": r.choice(["DSL", "Fiber optic", "None"], n, p=[.35, .45, .2]), "payment_method": r.choice(["Electronic check", "Mailed check", "Bank transfer", "Credit card"], n),
        "monthly_charges": charge, "total_charges": (charge * tenure).round(2), "support_calls": r.poisson(1.4, n), "churned": churn})
    table.loc[r.choice(n, 19, replace=False), "total_charges"] = np.nan
    table.loc[[3, 77], "support_calls"] = [21, 18]
    shown = table.copy().astype({"total_charges": object})
    shown.loc[table.total_charges.isna(), "total_charges"] = "N/A"
    shown.to_csv(folder / "telecom_customers.csv", index=False)
    return {"customers": table}


def channel_orders_zh(folder):
    r = np.random.default_rng(2203)
    n = 960
    when = pd.to_datetime("2023-07-01") + pd.to_timedelta(np.sort(r.integers(0, 540 * 24 * 60, n)), unit="min")
    table = pd.DataFrame({
        "订单号": [f"DD{100000 + i}" for i in range(n)], "下单时间": when, "客户名称": r.choice(["华新贸易", "东方商行", "金石科技", "云帆网络", "百川食品", "长青集团"], n, p=[.3, .22, .18, .12, .1, .08]),
        "渠道": r.choice(["天猫", "京东", "抖音", "线下门店"], n, p=[.35, .3, .2, .15]), "省份": r.choice(["浙江", "江苏", "广东", "四川"], n), "品类": r.choice(["家电", "美妆", "零食", "服饰"], n, p=[.2, .3, .3, .2]),
        "数量": r.integers(1, 20, n), "金额(元)": r.gamma(1.6, 420, n).round(2), "是否退货": r.choice(["是", "否"], n, p=[.09, .91]), "客服评分": r.integers(1, 6, n).astype(float)})
    table.loc[r.choice(n, 44, replace=False), "客服评分"] = np.nan
    table.loc[[100, 555], "金额(元)"] = [18800.0, 26000.0]
    shown = table.copy()
    shown["下单时间"] = shown["下单时间"].dt.strftime("%Y-%m-%d %H:%M:%S")
    shown["金额(元)"] = shown["金额(元)"].map("{:,.2f}".format)
    shown.loc[3:20, "渠道"] = " " + shown.loc[3:20, "渠道"]
    shown.to_csv(folder / "订单明细.csv", index=False, encoding="utf-8-sig")
    return {"订单": table}


def payroll(folder):
    r = np.random.default_rng(2301)
    n = 520
    dept = r.choice(["Engineering", "Sales", "Finance", "HR", "Support"], n, p=[.34, .26, .12, .08, .2])
    base = {"Engineering": 118000, "Sales": 86000, "Finance": 92000, "HR": 71000, "Support": 54000}
    table = pd.DataFrame({
        "emp_id": range(3001, 3001 + n), "full_name": [f"Employee {i:03d}" for i in range(n)], "dept": dept, "job_title": r.choice(["Analyst", "Associate", "Lead", "Director"], n, p=[.4, .35, .2, .05]),
        "office": r.choice(["Austin", "Boston", "Denver", "Remote"], n, p=[.3, .25, .2, .25]), "hire_date": pd.to_datetime("2015-01-05") + pd.to_timedelta(r.integers(0, 3600, n), unit="D"),
        "salary_usd": np.array([base[d] for d in dept] * r.normal(1, .17, n)).round(-2), "bonus_usd": (r.gamma(1.4, 3000, n)).round(0), "performance_rating": r.integers(1, 6, n).astype(float),
        "overtime_hrs": r.gamma(1.5, 6, n).round(1), "is_manager": r.choice(["Y", "N"], n, p=[.15, .85]), "terminated": r.choice(["Yes", "No"], n, p=[.13, .87])})
    table.loc[r.choice(n, 23, replace=False), "performance_rating"] = np.nan
    table.loc[[40], "salary_usd"] = 480000
    shown = table.copy()
    shown["hire_date"] = shown["hire_date"].dt.strftime("%d-%b-%Y")
    shown.to_csv(folder / "payroll_2024.csv", index=False, sep=";")
    return {"payroll": table}


def shipments(folder):
    r = np.random.default_rng(2302)
    n = 870
    km = r.gamma(2.2, 260, n).round(0) + 15
    carrier = r.choice(["FastFreight", "BlueLine", "NorthHaul"], n, p=[.45, .35, .2])
    table = pd.DataFrame({
        "shipment_no": [f"SH{50000 + i}" for i in range(n)], "ship_date": pd.to_datetime("2024-01-01") + pd.to_timedelta(np.sort(r.integers(0, 366, n)), unit="D"),
        "warehouse": r.choice(["Reno", "Dallas", "Newark"], n, p=[.4, .35, .25]), "carrier": carrier, "priority": r.choice(["standard", "express"], n, p=[.75, .25]), "weight_kg": r.gamma(2, 45, n).round(1),
        "distance_km": km, "freight_cost": (18 + km * .21 + r.normal(0, 12, n)).clip(9).round(2), "delivery_days": 1 + r.poisson(km / 280), "on_time": r.choice(["Y", "N"], n, p=[.83, .17]),
        "temp_c": r.normal(6, 3, n).round(1), "damaged": r.choice([0, 1], n, p=[.96, .04])})
    table.loc[r.choice(n, 35, replace=False), "temp_c"] = np.nan
    table.loc[[200, 201], "freight_cost"] = [2400.0, 1990.0]
    shown = pd.concat([table, table.iloc[[10, 11, 12]]], ignore_index=True)
    shown.to_csv(folder / "shipments.csv", index=False)
    return {"shipments": shown}


def store_months_zh(folder):
    r = np.random.default_rng(2303)
    stores = {"春熙路店": "西南", "太古里店": "西南", "南京路店": "华东", "西湖店": "华东", "天河店": "华南", "福田店": "华南"}
    rows = [(f"{y}-{m:02d}", store, area, round(r.normal(60 + 8 * i, 9), 1), int(r.normal(5200 + 300 * i, 700)), round(r.normal(38 + 5 * i, 5), 1), int(r.integers(8, 25)))
            for y in (2023, 2024) for m in range(1, 13) for i, (store, area) in enumerate(stores.items())]
    table = pd.DataFrame(rows, columns=["月份", "门店", "大区", "营业额(万元)", "客流量", "成本(万元)", "员工数"])
    table["目标完成率"] = r.normal(.97, .1, len(table)).round(3)
    table.loc[[17, 90, 91], "客流量"] = np.nan
    table.loc[66, "营业额(万元)"] = 260.0
    shown = table.copy()
    shown["目标完成率"] = shown["目标完成率"].map("{:.1%}".format)
    shown.to_csv(folder / "门店月报.csv", index=False, encoding="gb18030")
    table["日期"] = pd.to_datetime(table["月份"])
    return {"月报": table}


def helpdesk(folder):
    r = np.random.default_rng(2401)
    n = 760
    opened = pd.to_datetime("2024-02-01") + pd.to_timedelta(np.sort(r.integers(0, 300 * 24 * 60, n)), unit="min")
    table = pd.DataFrame({
        "Case Number": [f"CS-{7000 + i}" for i in range(n)], "Opened At": opened, "Product Line": r.choice(["Router", "Modem", "TV Box"], n, p=[.5, .3, .2]), "Severity": r.choice(["P1", "P2", "P3"], n, p=[.1, .35, .55]),
        "Assigned Team": r.choice(["Tier 1", "Tier 2", "Field"], n, p=[.6, .3, .1]), "Country": r.choice(["US", "UK", "Germany", "India"], n, p=[.4, .2, .15, .25]), "Hours to Resolve": r.gamma(1.6, 14, n).round(1),
        "Reopened": r.choice(["Yes", "No"], n, p=[.12, .88]), "CSAT Score": r.choice([1, 2, 3, 4, 5], n, p=[.05, .1, .2, .35, .3]).astype(float), "SLA Met": r.choice(["TRUE", "FALSE"], n, p=[.86, .14])})
    table.loc[r.choice(n, 140, replace=False), "CSAT Score"] = np.nan
    table.loc[[9, 300], "Hours to Resolve"] = [410.5, 377.0]
    table.assign(**{"Opened At": table["Opened At"].dt.strftime("%m/%d/%Y %I:%M %p")}).to_csv(folder / "support_cases.csv", index=False)
    return {"cases": table}


def saas(folder):
    r = np.random.default_rng(2402)
    rows = [(f"2023-{m:02d}-01" if y == 2023 else f"2024-{m:02d}-01", plan, area, int(r.normal(base, 9)), int(r.poisson(base / 14)), int(r.poisson(base / 20)))
            for y in (2023, 2024) for m in range(1, 13) for plan, base in (("Basic", 210), ("Pro", 120), ("Enterprise", 45)) for area in ("EMEA", "AMER", "APAC")]
    table = pd.DataFrame(rows, columns=["month", "plan", "region", "active_accounts", "new_accounts", "churned_accounts"])
    table["mrr_usd"] = (table.active_accounts * table.plan.map({"Basic": 19, "Pro": 79, "Enterprise": 640}) * r.normal(1, .02, len(table))).round(2)
    table["support_cost_usd"] = (table.active_accounts * r.uniform(3, 6, len(table))).round(2)
    table["month"] = pd.to_datetime(table["month"])
    table.loc[[50, 51, 120], "support_cost_usd"] = np.nan
    table.loc[88, "mrr_usd"] = 99999.0
    table.assign(month=table.month.dt.strftime("%b %Y")).to_csv(folder / "saas_metrics.csv", index=False)
    return {"saas": table}


def stock_moves_zh(folder):
    r = np.random.default_rng(2403)
    n = 700
    table = pd.DataFrame({
        "单据编号": [f"CK{30000 + i}" for i in range(n)], "出库日期": pd.to_datetime("2024-01-01") + pd.to_timedelta(np.sort(r.integers(0, 330, n)), unit="D"), "仓库": r.choice(["一号仓", "二号仓", "保税仓"], n, p=[.5, .3, .2]),
        "物料类别": r.choice(["原料", "包材", "成品"], n, p=[.3, .3, .4]), "供应商": r.choice(["恒通", "瑞丰", "盛达", "佳和"], n), "出库数量": r.integers(5, 400, n), "单位成本(元)": r.uniform(2, 60, n).round(2),
        "经办人": r.choice(["小李", "小王", "小陈"], n), "运输时长(小时)": r.gamma(2, 5, n).round(1), "是否破损": r.choice(["是", "否"], n, p=[.06, .94]), "质检得分": r.normal(90, 5, n).round(0)})
    table["出库金额(元)"] = (table["出库数量"] * table["单位成本(元)"]).round(2)
    table.loc[r.choice(n, 21, replace=False), "质检得分"] = np.nan
    table.loc[7, "运输时长(小时)"] = 96.0
    table.assign(出库日期=table["出库日期"].dt.strftime("%Y年%m月%d日")).to_csv(folder / "出库记录.csv", index=False)
    return {"出库": table}


def roster(folder):
    """Who left is told by a date alone."""
    r = np.random.default_rng(2501)
    n = 430
    hired = pd.to_datetime("2016-03-01") + pd.to_timedelta(r.integers(0, 2900, n), unit="D")
    gone = hired + pd.to_timedelta(r.integers(60, 1900, n), unit="D")
    table = pd.DataFrame({
        "employee_id": range(8001, 8001 + n), "full_name": [f"Person {i:03d}" for i in range(n)], "department": r.choice(["Design", "Sales", "Legal", "Operations"], n, p=[.3, .35, .1, .25]),
        "hire_date": hired, "termination_date": gone, "annual_salary": r.normal(64000, 13000, n).round(-2), "age": r.integers(21, 64, n)})
    table.loc[(gone > "2024-06-30") | (r.random(n) < .5), "termination_date"] = pd.NaT
    table.to_csv(folder / "roster.csv", index=False)
    return {"roster": table}


def roster_zh(folder):
    table = roster(folder)["roster"].drop(columns="age").rename(columns={
        "employee_id": "工号", "full_name": "姓名", "department": "部门", "hire_date": "入职日期", "termination_date": "离职日期", "annual_salary": "月薪"})
    table["部门"] = table["部门"].map({"Design": "设计部", "Sales": "销售部", "Legal": "法务部", "Operations": "运营部"})
    (folder / "roster.csv").unlink()
    table.to_csv(folder / "员工花名册.csv", index=False, encoding="utf-8-sig")
    return {"花名册": table}


MAKERS = {maker.__name__: maker for maker in [store_orders, telecom, channel_orders_zh, payroll, shipments, store_months_zh,
                                                helpdesk, saas, stock_moves_zh, roster, roster_zh]}
