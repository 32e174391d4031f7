"""Questions of a later round: prices of shares, 银行客户."""
from held_back_7 import growth, month, outside
from wanted import AnyOf, CHART, Lead, REFUSAL

STOCKS = [
    (["What was the highest closing price of BLU?"], lambda t: [Lead(t[t.Ticker == "BLU"].Close.max())]),
    (["average volume per ticker"], lambda t: list(t.groupby("Ticker").Volume.mean())),
    (["total trading volume"], lambda t: [Lead(t.Volume.sum())]),
    (["Which ticker has the highest average close?"], lambda t: [Lead(t.groupby("Ticker").Close.mean().idxmax(), t.groupby("Ticker").Close.mean().max())]),
    (["On which date was the volume highest?"], lambda t: [Lead(AnyOf(str(t.loc[t.Volume.idxmax(), "Date"].date()), str(t.groupby("Date").Volume.sum().idxmax().date())))]),
    (["monthly average close of ACM as a line chart"], lambda t: [CHART] + list(t[t.Ticker == "ACM"].groupby(month(t.Date)).Close.mean())),
    (["lowest low of CRN"], lambda t: [Lead(t[t.Ticker == "CRN"].Low.min())]),
    (["correlation between open and close"], lambda t: [Lead(t.Open.corr(t.Close))]),
    (["how many trading days are in the data?"], lambda t: [AnyOf(Lead(t.Date.nunique()), REFUSAL)]),
    (["median volume in March"], lambda t: [Lead(t[t.Date.dt.month == 3].Volume.median())]),
    (["standard deviation of close by ticker"], lambda t: list(t.groupby("Ticker").Close.std())),
    (["volume outliers"], lambda t: [outside(t.Volume), 2100000]),
    (["compare ACM and BLU by average close"], lambda t: [t[t.Ticker == "ACM"].Close.mean(), t[t.Ticker == "BLU"].Close.mean()]),
    (["how often did BLU close above 120?"], lambda t: [AnyOf(Lead(((t.Ticker == "BLU") & (t.Close > 120)).sum()), REFUSAL)]),
    (["number of days where the volume exceeded 300,000"], lambda t: [AnyOf(Lead((t.Volume > 300000).sum()), REFUSAL)]),
    (["quarterly volume"], lambda t: list(t.groupby(t.Date.dt.to_period("Q")).Volume.sum())),
    (["share of total volume by ticker"], lambda t: list(t.groupby("Ticker").Volume.sum() / t.Volume.sum() * 100)),
    (["what tickers are in the file"], lambda t: ["ACM", "BLU", "CRN"]),
    (["what is the date range?"], lambda t: ["2024-01-02", "2024-09-30"]),
    (["average close by ticker", "only since July"], lambda t: list(t[t.Date >= "2024-07-01"].groupby("Ticker").Close.mean())),
    (["which stock should I buy?"], lambda t: [REFUSAL]),
    (["what will ACM close at tomorrow"], lambda t: [REFUSAL]),
    (["average dividend yield"], lambda t: [REFUSAL]),
    (["top 5 days by volume for CRN"], lambda t: list(t[t.Ticker == "CRN"].Volume.nlargest(5))),
    (["missing data?"], lambda t: [AnyOf("No values are missing", 0)]),
]

BANK = [
    (["一共有多少客户"], lambda t: [Lead(len(t))]),
    (["客户流失率"], lambda t: [Lead((t["是否流失"] == "是").mean() * 100)]),
    (["各等级客户的流失率"], lambda t: list(t.groupby("客户等级")["是否流失"].agg(lambda s: (s == "是").mean() * 100))),
    (["存款总额"], lambda t: [Lead(t["存款余额"].sum())]),
    (["平均存款余额最高的城市"], lambda t: [Lead(t.groupby("城市")["存款余额"].mean().idxmax(), t.groupby("城市")["存款余额"].mean().max())]),
    (["存款最多的前10位客户"], lambda t: list(t["存款余额"].nlargest(10))),
    (["有贷款的客户有多少"], lambda t: [AnyOf(Lead((t["贷款余额"] > 0).sum()), REFUSAL)]),
    (["男女客户的平均年龄"], lambda t: list(t.groupby("性别")["年龄"].mean())),
    (["30到40岁的客户占比"], lambda t: [Lead(((t["年龄"] >= 30) & (t["年龄"] <= 40)).mean() * 100)]),
    (["信用评分的分布"], lambda t: [AnyOf(t["信用评分"].mean(), t["信用评分"].median())]),
    (["信用评分缺失的有几人"], lambda t: [Lead(t["信用评分"].isna().sum())]),
    (["年龄和存款余额有没有关系"], lambda t: [t["年龄"].corr(t["存款余额"])]),
    (["白金客户的平均存款"], lambda t: [Lead(t[t["客户等级"] == "白金"]["存款余额"].mean())]),
    (["各城市客户数,用柱状图"], lambda t: [CHART] + list(t["城市"].value_counts())),
    (["每年新开户多少"], lambda t: [AnyOf(t.groupby(t["开户日期"].dt.year).size().iloc[1], REFUSAL)]),
    (["2022年开户的客户有多少"], lambda t: [Lead((t["开户日期"].dt.year == 2022).sum())]),
    (["持有3个以上产品的客户数"], lambda t: [AnyOf(Lead((t["产品数量"] >= 3).sum()), Lead((t["产品数量"] > 3).sum()), REFUSAL)]),
    (["存贷比(贷款余额除以存款余额)"], lambda t: [AnyOf(t["贷款余额"].sum() / t["存款余额"].sum(), REFUSAL)]),
    (["年龄最大的客户多大"], lambda t: [Lead(t["年龄"].max())]),
    (["流失客户和未流失客户的平均信用评分"], lambda t: [AnyOf(t[t["是否流失"] == "是"]["信用评分"].mean(), REFUSAL)]),
    (["各等级人数占比", "饼图"], lambda t: [CHART]),
    (["杭州的平均存款", "宁波呢"], lambda t: [Lead(t[t["城市"] == "宁波"]["存款余额"].mean())]),
    (["客户的职业分布"], lambda t: [REFUSAL]),
    (["哪些客户会流失"], lambda t: [REFUSAL]),
    (["信用评分低于600的客户有多少"], lambda t: [Lead((t["信用评分"] < 600).sum())]),
]



def by_year(t, key, year):
    return t[t.date.dt.year == year].groupby(key).amount.sum()


# of the bundled table, found wrong by looking at answers
BUNDLED = [
    (["List the 5 merchants with the lowest revenue"], lambda t: [x for k, v in t.groupby("merchant").amount.sum().nsmallest(5).items() for x in (k, v)]),
    (["Which category grew the most from 2023 to 2024?"], lambda t: [Lead((by_year(t, "category", 2024) / by_year(t, "category", 2023)).idxmax(), growth(1, (by_year(t, "category", 2024) / by_year(t, "category", 2023)).max()))]),
    (["各地区2024年的销售额同比增长"], lambda t: list(growth(by_year(t, "region", 2023), by_year(t, "region", 2024)))),
    (["哪个商户的退款最多"], lambda t: [Lead(t[t.amount < 0].groupby("merchant").amount.sum().idxmin(), t[t.amount < 0].groupby("merchant").amount.sum().min())]),
]

SALES = [
    (["每个地区卖得最好的商品"], lambda t: list(t.groupby(["地区", "商品名称"])["销售额"].sum().groupby("地区").max())),
    (["2024年3月销售额同比"], lambda t: [growth(*(t[month(t["销售日期"]) == m]["销售额"].sum() for m in ("2023-03", "2024-03")))]),
]
STAFF = [(["share of women in Engineering"], lambda t: [Lead((t[t.Department == "Engineering"].Gender == "Female").mean() * 100)])]

CASES = [(name, asked, truth) for name, cases in
         [("stocks", STOCKS), ("bank_zh", BANK), ("transactions", BUNDLED), ("chinese_sales", SALES), ("employees", STAFF)] for asked, truth in cases]
