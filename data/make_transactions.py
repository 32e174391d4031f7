#!/usr/bin/env python3
"""Writes transactions.csv, the table of a thread that brings no file of its own.

About 5,000 card and cash payments over 18 months with a season, a week, regions of different size,
a few outliers and refunds, and what people leave in tables: other spellings, gaps, copies. The seed
is fixed: the same bytes on every machine.
"""
import csv
import datetime
import pathlib
import random

ROWS = 5000
FIRST = datetime.date(2023, 1, 1)
DAYS = 546  # 18 months

# category: merchants, typical amount, spread, weight by month of the year
CATEGORIES = {
    "Groceries": (["FreshMart", "Green Basket", "Corner Grocer", "Valley Foods"], 42, 0.55,
                  {12: 1.3}),
    "Restaurants": (["Bella Pasta", "Noodle House", "Burger Barn", "Cafe Luna"], 28, 0.5,
                    {7: 1.3, 8: 1.3}),
    "Coffee": (["Bean There", "Daily Grind", "Cafe Luna"], 6, 0.35, {1: 1.2}),
    "Transport": (["City Metro", "QuickCab", "FuelStop"], 24, 0.7, {}),
    "Electronics": (["ByteShop", "Gadget Galaxy"], 210, 0.8, {11: 2.2, 12: 2.0}),
    "Clothing": (["Urban Thread", "Cotton & Co", "Shoe Box"], 65, 0.6, {3: 1.2, 11: 1.5}),
    "Health": (["Wellness Pharmacy", "Iron Gym"], 35, 0.6, {1: 1.6}),
    "Entertainment": (["Star Cinema", "Book Nook", "StreamBox"], 19, 0.5, {12: 1.2}),
    "Travel": (["SkyWings", "Harbor Hotel"], 320, 0.7, {6: 1.8, 7: 2.2, 8: 2.0}),
    "Utilities": (["PowerCo", "AquaWorks"], 88, 0.3, {1: 1.3, 2: 1.3}),
}
WEIGHTS = [26, 17, 14, 12, 5, 8, 6, 6, 2, 4]
REGIONS = {"North": 31, "South": 26, "East": 23, "West": 20}
PAYMENTS = {"Credit Card": 44, "Debit Card": 27, "Mobile Pay": 17, "Cash": 12}
WEEKDAY = [0.9, 0.9, 0.95, 1.0, 1.2, 1.35, 1.05]


def pick(random_, weights):
    return random_.choices(list(weights), list(weights.values()))[0]


def rows():
    r = random.Random(20230101)
    days = [FIRST + datetime.timedelta(days=d) for d in range(DAYS)]
    growth = [1 + 0.25 * d / DAYS for d in range(DAYS)]
    busy = [WEEKDAY[day.weekday()] * growth[i] for i, day in enumerate(days)]
    made = []
    for day in sorted(r.choices(days, busy, k=ROWS)):
        names = list(CATEGORIES)
        season = [w * CATEGORIES[c][3].get(day.month, 1) for c, w in zip(names, WEIGHTS)]
        category = r.choices(names, season)[0]
        merchants, typical, spread, _ = CATEGORIES[category]
        amount = round(typical * r.lognormvariate(0, spread) * 1.0, 2)
        merchant = r.choices(merchants, range(len(merchants), 0, -1))[0]
        made.append([day.isoformat(), category, merchant, max(amount, 0.8), pick(r, REGIONS),
                     pick(r, PAYMENTS), f"C{r.randint(1, 400):04d}"])
    for i in r.sample(range(ROWS), 60):  # refunds
        made[i][3] = -made[i][3]
    for i in r.sample(range(ROWS), 12):  # outliers
        made[i][3] = round(abs(made[i][3]) * r.uniform(6, 14), 2)
    table = [[f"T{n:05d}", *row] for n, row in enumerate(made, 1)]
    for i in r.sample(range(ROWS), 25):
        table[i][5] = table[i][5].lower() if r.random() < 0.6 else table[i][5] + " "
    for i in r.sample(range(ROWS), 20):
        table[i][4] = f"${table[i][4]:,.2f}" if table[i][4] > 0 else table[i][4]
    for i in r.sample(range(ROWS), 18):
        table[i][4] = r.choice(["", "N/A", "-"])
    for i in r.sample(range(ROWS), 30):
        table[i][6] = ""
    for i in r.sample(range(ROWS), 15):
        day = datetime.date.fromisoformat(table[i][1])
        table[i][1] = day.strftime("%Y/%m/%d")
    for i in sorted(r.sample(range(ROWS), 6), reverse=True):  # entered twice
        table.insert(i + 1, list(table[i]))
    return table


def main():
    target = pathlib.Path(__file__).with_name("transactions.csv")
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["transaction_id", "date", "category", "merchant", "amount", "region",
                         "payment_method", "customer_id"])
        writer.writerows(rows())


if __name__ == "__main__":
    main()
