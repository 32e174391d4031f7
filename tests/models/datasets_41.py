"""Tables of the questions in held_back_41.py: loans of a library, appointments of a clinic, monthly readings of
electricity meters, ordered dishes of a restaurant."""
import numpy as np
import pandas as pd


def days(rng, first, count, n):
    return pd.to_datetime(first) + pd.to_timedelta(rng.integers(0, count, n), unit="D")


TITLES = {  # genre and list price
    "The Quiet Harbour": ("crime", 14.90), "Ashes on Elm Street": ("crime", 12.50), "Nine Cold Keys": ("crime", 16.20),
    "A Debt in Lisbon": ("crime", 11.80), "The Glass Orchard": ("fiction", 18.40), "Paper Boats": ("fiction", 13.30),
    "What the River Kept": ("fiction", 19.90), "Winter at Number Six": ("fiction", 15.60), "Salt and Honey": ("fiction", 12.10),
    "Bruno the Bear Goes Out": ("children", 8.90), "The Dragon Next Door": ("children", 9.50), "Counting Snails": ("children", 7.20),
    "Moonboots": ("children", 10.40), "A Short History of Salt Roads": ("history", 27.50), "The Bridge Builders": ("history", 24.80),
    "Letters from the Front": ("history", 22.00), "Bread at Home": ("cooking", 29.90), "Forty Soups": ("cooking", 25.20),
    "Small Gardens": ("hobby", 21.70), "Knit It": ("hobby", 17.60), "Walking the Coast": ("travel", 23.40), "Night Trains": ("travel", 20.30)}


def library(folder):
    rng = np.random.default_rng(4101)
    n = 340
    member = dict(zip(range(40112, 40112 + 85 * 7, 7), rng.choice(["adult", "student", "child", "senior"], 85, p=[.42, .22, .18, .18])))
    card = rng.choice(list(member), n)
    likes = rng.gamma(2.2, 1, len(TITLES))
    title = rng.choice(list(TITLES), n, p=likes / likes.sum())
    branch = rng.choice(["Central", "Harbour", "Westgate", "Mill Lane"], n, p=[.42, .26, .2, .12])
    form = rng.choice(["paperback", "hardback", "audiobook", "large print"], n, p=[.5, .25, .15, .1])
    form[(branch == "Mill Lane") & (form == "audiobook")] = "paperback"
    borrowed = pd.Series(np.sort(days(rng, "2023-01-02", 729, n).values))
    renewals = rng.choice([0, 1, 2, 3], n, p=[.62, .22, .11, .05])
    due = borrowed + pd.to_timedelta(np.where(form == "audiobook", 14, 21) + 14 * renewals, unit="D")
    back = due + pd.to_timedelta(np.round(rng.normal(-5, 9, n)), unit="D")
    back = back.where(back > borrowed, borrowed + pd.Timedelta(days=1))
    back[(back > "2024-12-31") | (rng.random(n) < .03)] = pd.NaT
    late = (back - due).dt.days
    fine = (late * .35).where(late > 0).round(2)
    stars = rng.choice([1, 2, 3, 4, 5], n, p=[.04, .09, .22, .37, .28]).astype(float)
    stars[(rng.random(n) < .5) | back.isna()] = np.nan
    table = pd.DataFrame({
        "loan_id": [f"LN-{i}" for i in range(10001, 10001 + n)],
        "card_no": card,
        "member_type": [str(member[c]) for c in card],
        "branch": branch,
        "title": title,
        "genre": [TITLES[t][0] for t in title],
        "format": form,
        "list_price_eur": [TITLES[t][1] for t in title],
        "borrowed_on": borrowed,
        "due_on": due,
        "returned_on": back,
        "renewals": renewals,
        "fine_eur": fine,
        "fine_paid": pd.Series(rng.choice(["yes", "no"], n, p=[.72, .28])).where(fine.notna(), None),
        "rating": stars})
    table.astype({"rating": "Int64"}).to_csv(folder / "library_loans.csv", index=False)
    return {"library_loans": table}


DOCTORS = {
    "Dr. Okafor": "Cardiology", "Dr. Lindqvist": "Cardiology", "Dr. Patel": "Dermatology", "Dr. Romero": "Pediatrics",
    "Dr. Whitfield": "Pediatrics", "Dr. Chen": "General Practice", "Dr. Haddad": "General Practice"}
PRICES = {"Cardiology": 210, "Dermatology": 150, "Pediatrics": 115, "General Practice": 95}


def clinic(folder):
    rng = np.random.default_rng(4102)
    n = 390
    doctor = rng.choice(list(DOCTORS), n, p=[.13, .1, .14, .15, .1, .22, .16])
    department = np.array([DOCTORS[d] for d in doctor])
    children = dict(zip(range(1001, 1061), rng.integers(1, 18, 60)))
    adults = dict(zip(range(1061, 1211), rng.integers(19, 88, 150)))
    patient = np.where(department == "Pediatrics", rng.choice(list(children), n), rng.choice(list(adults), n))
    day = days(rng, "2023-01-02", 729, n)
    day = pd.Series(day).where(day.day_of_week < 5, day + pd.Timedelta(days=2))
    time = (day + pd.to_timedelta(rng.choice(range(8 * 60, 17 * 60 + 1, 15), n), unit="min")).sort_values(ignore_index=True)
    booked = time.dt.normalize() - pd.to_timedelta(rng.gamma(1.6, 7, n).astype(int), unit="D")
    status = rng.choice(["attended", "no-show", "cancelled"], n, p=[.79, .1, .11])
    seen = status == "attended"
    kind = rng.choice(["new", "follow-up", "urgent"], n, p=[.3, .55, .15])
    kind[(department == "Dermatology") & (kind == "urgent")] = "follow-up"
    insurer = rng.choice(["BlueStone", "MediCare Plus", "Unity Health", None], n, p=[.38, .29, .19, .14])
    fee = np.round([PRICES[d] for d in department] * np.select([kind == "new", kind == "urgent"], [1.3, 1.5], 1.) * rng.choice([1, 1, 1.1, .9], n), 2)
    covered = np.where(pd.isna(insurer), 0, rng.choice([50, 70, 80, 90], n))
    wait = np.round(rng.gamma(2.1, 8, n) + np.where(time.dt.hour >= 12, 5, 0))
    wait[rng.random(n) < .04] = np.nan
    pressure = np.round(rng.normal(126, 15, n))
    pressure[(rng.random(n) < .2) | (department == "Dermatology")] = np.nan
    again = pd.Series(time.dt.normalize() + pd.to_timedelta(rng.choice([14, 28, 42, 90], n), unit="D"))
    only = lambda figures: pd.Series(figures).where(seen)
    table = pd.DataFrame({
        "Appointment ID": [f"A{i:05d}" for i in range(301, 301 + n)],
        "Patient No": patient,
        "Age": [{**children, **adults}[p] for p in patient],
        "Booked On": booked,
        "Appointment Time": time,
        "Department": department,
        "Doctor": doctor,
        "Visit Type": kind,
        "Status": status,
        "Insurer": insurer,
        "Wait (min)": only(wait),
        "Consultation (min)": only(np.round(rng.gamma(9, 2, n) + 4)),
        "Systolic BP": only(pressure),
        "Fee ($)": only(fee),
        "Insurance Share (%)": only(covered),
        "Patient Paid ($)": only(np.round(fee * (100 - covered) / 100, 2)),
        "Next Visit": again.where(seen & (rng.random(n) < .45))})
    table.assign(**{"Booked On": booked.dt.strftime("%d-%b-%Y"), "Appointment Time": time.dt.strftime("%Y-%m-%d %H:%M")}).to_csv(folder / "clinic_appointments.csv", index=False)
    return {"clinic_appointments": table}


METERS = [
    ("DB-0101", "A座", "照明", 2100), ("DB-0102", "A座", "空调", 5200), ("DB-0103", "A座", "电梯", 1500), ("DB-0104", "A座", "插座", 3100),
    ("DB-0201", "B座", "照明", 1700), ("DB-0202", "B座", "空调", 4300), ("DB-0203", "B座", "电梯", 1250), ("DB-0204", "B座", "插座", 2600),
    ("DB-0301", "C座", "照明", 1300), ("DB-0302", "C座", "空调", 3600), ("DB-0303", "C座", "插座", 1900),
    ("DB-0401", "地下车库", "照明", 1100), ("DB-0402", "地下车库", "充电桩", 3300), ("DB-0403", "地下车库", "通风", 900)]


def meters(folder):
    rng = np.random.default_rng(4103)
    rows = []
    for number, building, use, usual in METERS:
        reading = float(rng.integers(8000, 90000))
        for k in range(24):
            date = pd.Timestamp(2023 + k // 12, k % 12 + 1, int(rng.integers(24, 29)))
            season = {"空调": 1 + .55 * np.cos((date.month - 7.4) / 6 * np.pi) + (.3 if date.month in (12, 1, 2) else 0),
                      "照明": 1 + .12 * np.cos((date.month - 12.5) / 6 * np.pi), "充电桩": .75 + .03 * k}.get(use, 1)
            used = round(usual * season * rng.uniform(.88, 1.13), 1)
            price = {7: .98, 8: .98, 12: .91, 1: .91}.get(date.month, .83) - (.06 if date.year == 2023 else 0)
            broken = rng.random() < .025
            note = "表故障" if broken else rng.choice(["估读", "换表", None], p=[.035, .015, .95])
            by_hand = rng.random() < (.7 if building != "A座" else .25)
            rows.append((date, number, building, use, reading, np.nan if broken else round(reading + used, 1),
                         np.nan if broken else used, round(price, 2), np.nan if broken else round(used * price, 2),
                         round(used / 720 * rng.uniform(2.1, 4.2), 1), round(min(.99, rng.normal(.925, .03)), 2),
                         "人工" if by_hand else "远传", str(rng.choice(["老周", "小吴", "刘工"], p=[.45, .32, .23])) if by_hand else None,
                         pd.NaT if broken or rng.random() < (.25 if k > 20 else .03) else date + pd.Timedelta(days=int(rng.integers(3, 26))), note))
            reading = round(reading + used, 1)
    table = pd.DataFrame(rows, columns=[
        "抄表日期", "表号", "楼栋", "用途", "上期读数", "本期读数", "用电量(kWh)", "电价(元/kWh)", "电费(元)",
        "最大需量(kW)", "功率因数", "抄表方式", "抄表员", "缴费日期", "备注"]).sort_values(["抄表日期", "表号"], ignore_index=True)
    table.to_csv(folder / "电表抄表记录.csv", index=False)
    return {"电表抄表记录": table}


DISHES = {  # kind, price until the end of March 2024, price since, how popular
    "宫保鸡丁": ("热菜", 36, 39, 10), "水煮牛肉": ("热菜", 62, 68, 8), "石锅鱼": ("热菜", 88, 98, 5), "回锅肉": ("热菜", 42, 45, 7),
    "干煸豆角": ("热菜", 26, 28, 6), "麻婆豆腐": ("热菜", 22, 24, 9), "拍黄瓜": ("凉菜", 14, 15, 7), "口水鸡": ("凉菜", 32, 35, 5),
    "凉拌木耳": ("凉菜", 18, 18, 2), "米饭": ("主食", 3, 3, 16), "担担面": ("主食", 16, 18, 7), "红糖糍粑": ("主食", 20, 22, 4),
    "番茄蛋汤": ("汤羹", 18, 20, 5), "老鸭汤": ("汤羹", 58, 62, 3), "酸梅汤": ("饮品", 10, 12, 8), "冰粉": ("饮品", 9, 10, 4), "啤酒": ("饮品", 12, 12, 5)}


def restaurant(folder):
    rng = np.random.default_rng(4104)
    likes = {dish: told[3] for dish, told in DISHES.items()}
    rows = []
    slots = np.sort(rng.choice(549, 165))
    for k, slot in enumerate(slots):
        day = pd.Timestamp("2023-07-01") + pd.Timedelta(days=int(slot))
        time = day + pd.Timedelta(minutes=int(rng.choice([rng.integers(11 * 60, 14 * 60), rng.integers(17 * 60, 21 * 60 + 30)], p=[.42, .58])))
        shop = str(rng.choice(["人民路店", "万象城店", "高新店"], p=[.44, .34, .22]))
        way = str(rng.choice(["堂食", "外卖", "自提"], p=[.55, .34, .11]))
        off = rng.random() < .07
        guests = int(rng.choice([1, 2, 3, 4, 6, 8], p=[.1, .32, .22, .2, .11, .05])) if way == "堂食" else np.nan
        waiter = str(rng.choice(["小李", "小陈", "王姐", "阿强"], p=[.32, .28, .24, .16])) if way == "堂食" else None
        arrived = time + pd.Timedelta(minutes=int(rng.integers(24, 75))) if way == "外卖" and not off else pd.NaT
        stars = int(rng.choice([1, 2, 3, 4, 5], p=[.04, .07, .17, .37, .35])) if rng.random() < .6 and not off else np.nan
        cut = rng.choice([1, .95, .88, .8], p=[.55, .2, .15, .1])
        paid = str(rng.choice(["微信", "支付宝", "银行卡", "现金"], p=[.48, .31, .13, .08]))
        vip = f"V{rng.integers(2001, 2041)}" if rng.random() < .42 else None
        menu = [d for d in likes if way == "堂食" or d != "石锅鱼"]
        odds = np.array([likes[d] for d in menu], float)
        for dish in rng.choice(menu, int(rng.choice([1, 2, 3, 4], p=[.2, .32, .3, .18])), replace=False, p=odds / odds.sum()):
            kind, before, since, _ = DISHES[dish]
            price = before if time < pd.Timestamp("2024-04-01") else since
            count = int(rng.choice([1, 2, 3, 4], p=[.2, .4, .25, .15] if dish in ("米饭", "啤酒") else [.76, .18, .05, .01]))
            rows.append((f"DD{20001 + k}", time, shop, way, str(dish), kind, price, count, cut, np.nan if off else round(price * count * cut, 2), guests, waiter,
                         np.nan if off or rng.random() < .03 else round(rng.gamma(5, 3.1) + 3), arrived, stars, paid, vip, "已取消" if off else "已完成"))
    table = pd.DataFrame(rows, columns=[
        "订单号", "下单时间", "门店", "渠道", "菜品", "菜品分类", "单价(元)", "数量", "折扣", "实付金额(元)", "用餐人数", "服务员",
        "出餐时长(分钟)", "送达时间", "评分", "支付方式", "会员号", "订单状态"])
    table.astype({c: "Int64" for c in ("用餐人数", "出餐时长(分钟)", "评分")}).assign(
        **{c: table[c].dt.strftime("%Y/%m/%d %H:%M") for c in ("下单时间", "送达时间")}).to_csv(folder / "点餐明细.csv", index=False)
    return {"点餐明细": table}


MAKERS = {"library_41": library, "clinic_41": clinic, "meters_zh_41": meters, "restaurant_zh_41": restaurant}
