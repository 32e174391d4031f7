"""Bookings of events, a garage's jobs, 员工考勤: for set 33. See datasets.py for the rules."""
import numpy as np
import pandas as pd


def event_tickets_33(folder):
    r = np.random.default_rng(3301)
    n = 1150
    events = {"Neon Nights Tour": ("Pop", 78), "Symphony No. 9": ("Classical", 64), "Laugh Factory Live": ("Comedy", 38), "Jazz on the Roof": ("Jazz", 45), "Rock Revival": ("Rock", 69), "Hamlet": ("Theatre", 52),
              "Indie Weekender": ("Rock", 95), "Opera Gala": ("Classical", 110)}
    event = r.choice(list(events), n, p=[.21, .11, .14, .1, .16, .09, .12, .07])
    section = r.choice(["Standard", "Balcony", "VIP"], n, p=[.62, .27, .11])
    price = (np.array([events[e][1] for e in event]) * np.select([section == "VIP", section == "Balcony"], [2.1, .8], 1.0)).round(2)
    tickets = 1 + r.poisson(1.3, n)
    promo = r.choice(["Y", "N"], n, p=[.23, .77])
    table = pd.DataFrame({
        "Booking Ref": [f"BK-{5000 + i}" for i in range(n)], "Booked On": pd.to_datetime("2023-07-01") + pd.to_timedelta(np.sort(np.floor(640 * r.random(n) ** .85).astype(int)), unit="D"),
        "Event": event, "Genre": [events[e][0] for e in event], "Venue": r.choice(["Grand Hall", "The Foundry", "Lakeside Arena", "Studio 5"], n, p=[.37, .26, .24, .13]), "Section": section,
        "Tickets": tickets, "Price Each": price, "Total Paid": (tickets * price * np.where(promo == "Y", .85, 1)).round(2), "Promo Used": promo,
        "Source": r.choice(["App", "Website", "Box Office", "Partner"], n, p=[.41, .33, .15, .11]), "Buyer City": r.choice(["Boston", "Providence", "Hartford", "Worcester"], n, p=[.48, .2, .17, .15]),
        "Buyer Age": r.normal(38, 12, n).clip(18, 80).round(0), "Status": r.choice(["Attended", "No-show", "Refunded"], n, p=[.83, .1, .07])})
    table.loc[r.choice(n, 44, replace=False), "Buyer Age"] = np.nan
    table.loc[r.choice(n, 19, replace=False), "Buyer City"] = np.nan
    table.loc[[260, 777], "Tickets"] = [60, 45]
    for i in (260, 777):
        table.loc[i, "Total Paid"] = round(table.loc[i, "Tickets"] * table.loc[i, "Price Each"], 2)
    shown = table.assign(**{"Booked On": table["Booked On"].dt.strftime("%m/%d/%Y")})
    for column in ["Price Each", "Total Paid"]:
        shown[column] = shown[column].map("${:,.2f}".format)
    shown.loc[400:415, "Venue"] = shown.loc[400:415, "Venue"].str.upper()
    shown.loc[800:809, "Source"] = " " + shown.loc[800:809, "Source"]
    shown.to_csv(folder / "Event Bookings.csv", index=False)
    return {"bookings": table}


def garage_jobs_33(folder):
    r = np.random.default_rng(3302)
    n = 860
    work = {"Oil Change": (.7, 48), "Brakes": (2.1, 165), "Tyres": (1.1, 310), "MOT & Inspection": (1.0, 12), "Clutch": (5.2, 420), "Air Con": (1.6, 90), "Diagnostics": (1.3, 5)}
    service = r.choice(list(work), n, p=[.26, .19, .17, .15, .07, .08, .08])
    miles = r.gamma(4, 16500, n).round(-2)
    hours = (np.array([work[s][0] for s in service]) * r.lognormal(0, .25, n) * (1 + miles / 400000)).round(1).clip(.2)
    parts = (np.array([work[s][1] for s in service]) * r.lognormal(0, .3, n)).round(2)
    labour = (hours * 68).round(2)
    came = pd.to_datetime("2024-01-02") + pd.to_timedelta(np.sort(np.floor(500 * r.random(n) ** .9).astype(int)), unit="D")
    table = pd.DataFrame({
        "job_no": np.arange(3001, 3001 + n), "date_in": came, "date_out": came + pd.to_timedelta(r.poisson(.5 + hours / 2), unit="D"), "branch": r.choice(["Leith", "Morningside", "Portobello"], n, p=[.45, .32, .23]),
        "car_make": r.choice(["Ford", "Volkswagen", "Toyota", "BMW", "Vauxhall", "Kia"], n, p=[.24, .2, .18, .13, .15, .1]), "service_type": service,
        "mechanic": r.choice(["Callum", "Isla", "Rory", "Fiona", "Ewan"], n, p=[.26, .22, .2, .17, .15]), "mileage": miles, "labour_hours": hours, "parts_cost": parts, "labour_cost": labour, "total_bill": (parts + labour).round(2),
        "vat_rate": r.choice([20, 5], n, p=[.93, .07]), "under_warranty": r.choice(["Yes", "No"], n, p=[.16, .84]), "customer_score": r.choice(np.arange(3, 11), n, p=[.03, .04, .06, .09, .14, .24, .24, .16]).astype(float)})
    table.loc[r.random(n) < .22, "customer_score"] = np.nan
    table.loc[r.choice(n, 33, replace=False), "mileage"] = np.nan
    table.loc[[140, 655], "parts_cost"] = [4890.0, 3650.5]
    table.loc[[140, 655], "total_bill"] = (table["parts_cost"] + table["labour_cost"]).round(2)[[140, 655]]
    shown = table.assign(date_in=table["date_in"].dt.strftime("%d-%b-%Y"), date_out=table["date_out"].dt.strftime("%d-%b-%Y"), vat_rate=table["vat_rate"].map("{}%".format))
    shown["mileage"] = shown["mileage"].map("{:,.0f}".format, na_action="ignore").fillna("unknown")
    for column in ["parts_cost", "labour_cost", "total_bill"]:
        shown[column] = shown[column].map("£{:,.2f}".format)
    shown.loc[300:320, "car_make"] = shown.loc[300:320, "car_make"].str.lower()
    shown.to_csv(folder / "garage_jobs.tsv", sep="\t", index=False)
    return {"jobs": table}


def attendance_zh_33(folder):
    r = np.random.default_rng(3303)
    staff = 48
    group = r.choice(["研发部", "市场部", "客服部", "财务部", "行政部"], staff, p=[.35, .2, .25, .1, .1])
    surname = r.choice(list("赵钱孙李周吴郑王冯陈"), staff)
    n = 1420
    who = r.integers(0, staff, n)
    days = pd.bdate_range("2024-01-02", "2024-12-31")
    status = r.choice(["正常", "迟到", "早退", "请假", "旷工"], n, p=[.76, .12, .04, .07, .01])
    there = ~np.isin(status, ["请假", "旷工"])
    late = np.where(status == "迟到", r.gamma(2, 9, n).round(0) + 1, 0)
    extra = np.where(there & (r.random(n) < .35), (r.gamma(2, 1.1, n) + .5).round(1), 0) + np.where(there & (group[who] == "研发部") & (r.random(n) < .4), 1.0, 0)
    table = pd.DataFrame({
        "日期": days[np.sort(r.integers(0, len(days), n))], "工号": [f"E{1001 + w}" for w in who], "姓名": [f"{surname[w]}{'甲乙丙丁'[w % 4]}{w}" for w in who], "部门": group[who],
        "办公地点": r.choice(["杭州", "成都", "深圳"], staff, p=[.45, .3, .25])[who], "班次": r.choice(["早班", "中班", "晚班"], n, p=[.6, .28, .12]), "出勤状态": status, "请假类型": np.where(status == "请假", r.choice(["年假", "病假", "事假"], n, p=[.5, .28, .22]), None),
        "迟到分钟": late, "工作时长": np.where(there, (r.normal(8, .5, n) + extra).round(1), 0), "加班小时": extra, "加班费(元)": (extra * 55).round(2), "是否远程": np.where(there, r.choice(["是", "否"], n, p=[.27, .73]), "否"),
        "任务完成率": r.normal(88, 9, n).clip(40, 100).round(0)})
    table.loc[~there, "任务完成率"] = np.nan
    table.loc[table.index[there][[300, 900]], "加班小时"] = [15.5, 14.0]
    table.loc[r.choice(n, 21, replace=False), "班次"] = np.nan
    shown = table.assign(日期=table["日期"].dt.strftime("%Y-%m-%d"), 任务完成率=table["任务完成率"].map("{:.0f}%".format, na_action="ignore"))
    shown["加班费(元)"] = shown["加班费(元)"].map("{:,.2f}".format)
    shown.loc[500:515, "日期"] = shown.loc[500:515, "日期"].str.replace("-", "/")
    shown.loc[700:712, "部门"] = shown.loc[700:712, "部门"] + " "
    shown.to_csv(folder / "员工考勤.csv", index=False, encoding="gb18030")
    return {"考勤": table}


MAKERS = {maker.__name__: maker for maker in [event_tickets_33, garage_jobs_33, attendance_zh_33]}
