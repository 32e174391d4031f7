"""Questions of an evaluator and of office workers: a bank's loans, a school's exams, 二手车车源."""
from wanted import AnyOf, CHART, Lead, REFUSAL

AMT, RATE, SCORE, INCOME, WHEN, STATUS = "Loan Amt", "Int Rate (%)", "Credit Score", "Annual Income", "Disbursal Date", "Loan Status"
PRICE, KM, AGE, NEW, LISTED = "报价(万元)", "表显里程(万公里)", "车龄(年)", "新车指导价(万元)", "上架日期"
WEEK = [("Monday", "周一", "星期一"), ("Tuesday", "周二", "星期二"), ("Wednesday", "周三", "星期三"), ("Thursday", "周四", "星期四"),
        ("Friday", "周五", "星期五"), ("Saturday", "周六", "星期六"), ("Sunday", "周日", "星期日", "星期天")]


def named(s):
    """Names and figures."""
    return [str(k) for k in s.index] + list(s)


def first(s, most=True):
    k = s.idxmax() if most else s.idxmin()
    return Lead(str(k), s[k])


def either(a, b):
    """For each group one figure or the other, with its name."""
    return [str(k) for k in a.index] + [AnyOf(x, b[k]) for k, x in a.items()]


def counts(s):
    """Counts or percentages of each value."""
    c = s.value_counts()
    return either(c, c / c.sum() * 100)


def far(s):
    """How many values are outliers: by Tukey's fences or three deviations; the farthest among them."""
    q1, q3 = s.quantile(.25), s.quantile(.75)
    return [AnyOf(int(((s < q1 - 1.5 * (q3 - q1)) | (s > q3 + 1.5 * (q3 - q1))).sum()), int(((s - s.mean()).abs() > 3 * s.std()).sum())), s.max()]


def change(old, new):
    """In percent; a fall may be told without its sign."""
    v = (new - old) / old * 100
    return v if v > 0 else AnyOf(v, -v)


def gap(a, b):
    return AnyOf(a - b, b - a)


def months(s):
    return s.dt.strftime("%Y-%m")


def year(t, y, column):
    return t[t[column].dt.year == y]


def pass_rate(t, key, ok):
    """Of those who have a score, or of all."""
    return either(ok[t.Score.notna()].groupby(t[key]).mean() * 100, ok.groupby(t[key]).mean() * 100)


LOANS = [
    (["What is the total amount we have lent?"], lambda t: [Lead(t[AMT].sum())]),
    (["Top 3 branches by amount lent"], lambda t: named(t.groupby("Branch")[AMT].sum().nlargest(3))),
    (["which two branches handed out the fewest loans?"], lambda t: named(t.Branch.value_counts().nsmallest(2))),
    (["median income of borrowers who defaulted"], lambda t: [Lead(t[t[STATUS] == "Defaulted"][INCOME].median())]),
    (["How many loans were paid out in 2023?"], lambda t: [Lead(len(year(t, 2023, WHEN)))]),
    (["how many different branches are in this file"], lambda t: [Lead(t.Branch.nunique())]),
    (["Plot the number of loans issued per quarter"], lambda t: [CHART] + list(t.groupby(t[WHEN].dt.to_period("Q")).size())),
    (["Year-on-year growth of the loan amount"], lambda t: [change(year(t, y, WHEN)[AMT].sum(), year(t, y + 1, WHEN)[AMT].sum()) for y in (2022, 2023)]),
    (["Quarter-over-quarter change in the amount lent during 2024"], lambda t: [change(*(t[t[WHEN].dt.to_period("Q").astype(str) == f"2024Q{k}"][AMT].sum() for k in (q, q + 1))) for q in (1, 2, 3)]),
    (["What percentage of loans are in default?"], lambda t: [Lead((t[STATUS] == "Defaulted").mean() * 100)]),
    (["Which branch has the worst default rate?"], lambda t: [first((t[STATUS] == "Defaulted").groupby(t.Branch).mean() * 100)]),
    (["Compare the average credit score of salaried and self-employed applicants"], lambda t: [t[t["Employment Type"] == e][SCORE].mean() for e in ("Salaried", "Self-employed")]),
    (["Do people with a better credit score pay a lower interest rate? give me the correlation"], lambda t: [t[SCORE].corr(t[RATE])]),
    (["Are there outliers in annual income?"], lambda t: far(t[INCOME])),
    (["show me how the loan amounts are distributed, histogram please"], lambda t: [CHART]),
    (["Which columns have missing values, and how many?"], lambda t: [SCORE, t[SCORE].isna().sum(), INCOME, t[INCOME].isna().sum()]),
    (["is anything in here twice? check for duplicate rows"], lambda t: [AnyOf(Lead(5), Lead(10))]),
    (["number of loans over 20,000 where the credit score is below 600"], lambda t: [Lead(((t[AMT] > 20000) & (t[SCORE] < 600)).sum())]),
    (["how much did Leeds lend in the first half of 2024?"], lambda t: [Lead(t[(t.Branch == "Leeds") & t[WHEN].between("2024-01-01", "2024-06-30")][AMT].sum())]),
    (["what share of the money went into debt consolidaton"], lambda t: [Lead(t[t.Purpose == "Debt Consolidation"][AMT].sum() / t[AMT].sum() * 100)]),
    (["how many loans are more than 90 days past due?", "and per branch?"], lambda t: named(t[t["Days Past Due"] > 90].Branch.value_counts())),
    (["loans by day of the week"], lambda t: [AnyOf(*WEEK[3], "Thu")] + list(t[WHEN].dt.day_of_week.value_counts())),
    (["average loan size for men", "what about women?"], lambda t: [Lead(t[t.Gender == "F"][AMT].mean())]),
    (["Total loan amount by branch", "only 2024", "as a bar chart"], lambda t: [CHART] + named(year(t, 2024, WHEN).groupby("Branch")[AMT].sum())),
    (["average interest rate by purpose", "now the median instead", "top 2 only"], lambda t: named(t.groupby("Purpose")[RATE].median().nlargest(2))),
    (["how many loans are still active?", "and in Cardiff?", "what's their average term?"], lambda t: [Lead(t[(t[STATUS] == "Active") & (t.Branch == "Cardiff")]["Term (mths)"].mean())]),
    (["各分行的贷款总额是多少"], lambda t: named(t.groupby("Branch")[AMT].sum())),
    (["帮我画一下2024年每个月放款金额的折线图"], lambda t: [CHART] + list(year(t, 2024, WHEN).groupby(months(t[WHEN]))[AMT].sum())),
    (["How many loans have a guarantor?"], lambda t: [REFUSAL]),
    (["which applicants should we turn down in future?"], lambda t: [REFUSAL]),
]

EXAMS = [
    (["Average mark by subject, highest first"], lambda t: named(t.groupby("Subject").Score.mean())),
    (["How many pupils are in the data?"], lambda t: [Lead(t.student_id.nunique())]),
    (["Which teacher has the best average score?"], lambda t: [first(t.groupby("Teacher").Score.mean())]),
    (["List the 5 students with the highest average attendance"], lambda t: named(t.groupby("student_name").attendance_pct.mean().nlargest(5))),
    (["pass rate per subject, a pass is 60 or more"], lambda t: pass_rate(t, "Subject", t.Score >= 60)),
    (["Median score in Maths for Year 11"], lambda t: [Lead(t[(t.Subject == "Maths") & (t.yr_group == "Year 11")].Score.median())]),
    (["do girls do better than boys in English? averages pls"], lambda t: [t[(t.Subject == "English") & (t.sex == s)].Score.mean() for s in ("Female", "Male")]),
    (["By how much did the average score change from 2023 to 2024?"], lambda t: [AnyOf(year(t, 2024, "exam_date").Score.mean() - year(t, 2023, "exam_date").Score.mean(), change(year(t, 2023, "exam_date").Score.mean(), year(t, 2024, "exam_date").Score.mean()))]),
    (["Pie chart of the grades"], lambda t: [CHART] + counts(t.Grade)),
    (["does revising more go with better marks?"], lambda t: [t.revision_hrs.corr(t.Score)]),
    (["how many results have no score"], lambda t: [Lead(t.Score.isna().sum())]),
    (["what are the three lowest scores in Physics?"], lambda t: list(t[t.Subject == "Physics"].Score.nsmallest(3))),
    (["there are some scores over 100, must be typos. how many?"], lambda t: [Lead((t.Score > 100).sum())]),
    (["How many resits were there?", "and by house?", "as a bar chart"], lambda t: [CHART] + named(t[t.is_resit == "Yes"].House.value_counts())),
    (["Box plot of revision hours by year group"], lambda t: [CHART]),
    (["average score in Maths", "Physics?", "and just Year 9"], lambda t: [Lead(t[(t.Subject == "Physics") & (t.yr_group == "Year 9")].Score.mean())]),
    (["show me how the average score developed month by month"], lambda t: list(t.groupby(months(t.exam_date)).Score.mean())),
    (["Compare January 2024 with June 2024: average score"], lambda t: [t[months(t.exam_date) == m].Score.mean() for m in ("2024-01", "2024-06")]),
    (["average score by house", "chart it", "just the top 2 houses"], lambda t: named(t.groupby("House").Score.mean().nlargest(2))),
    (["How many A grades in Chemistry?", "and in History?"], lambda t: [Lead(((t.Grade == "A") & (t.Subject == "History")).sum())]),
    (["mean score by subject", "for Year 10 only", "which one is lowest?"], lambda t: [first(t[t.yr_group == "Year 10"].groupby("Subject").Score.mean(), most=False)]),
    (["avg attendance for each year group", "split by gender as well"], lambda t: ["Year 9", "Year 10", "Year 11", "Female", "Male"] + list(t.groupby(["yr_group", "sex"]).attendance_pct.mean())),
    (["女生和男生的平均分相差多少"], lambda t: [gap(*(t[t.sex == s].Score.mean() for s in ("Female", "Male")))]),
    (["每个年级有多少名学生(不要重复算)"], lambda t: named(t.groupby("yr_group").student_id.nunique())),
    (["出勤率低于80的考试记录,平均成绩是多少"], lambda t: [Lead(t[t.attendance_pct < 80].Score.mean())]),
    (["why did Physics results get better in June?"], lambda t: [REFUSAL]),
    (["average score by postcode"], lambda t: [REFUSAL]),
]

CARS = [
    (["各品牌平均报价,从高到低排"], lambda t: named(t.groupby("品牌")[PRICE].mean())),
    (["标价最贵的5辆车,把车源编号也列出来"], lambda t: named(t.set_index("车源编号")[PRICE].nlargest(5))),
    (["里程不到5万公里的纯电车有几辆?"], lambda t: [Lead(((t[KM] < 5) & (t["能源类型"] == "纯电")).sum())]),
    (["上海的车均价多少"], lambda t: [Lead(t[t["城市"] == "上海"][PRICE].mean())]),
    (["统计每个季度的上架数量"], lambda t: list(t.groupby(t[LISTED].dt.to_period("Q")).size())),
    (["2024年上架的车比2023年多了百分之几"], lambda t: [change(len(year(t, 2023, LISTED)), len(year(t, 2024, LISTED)))]),
    (["个人卖家和商家的平均报价相差多少"], lambda t: [gap(*(t[t["卖家类型"] == s][PRICE].mean() for s in ("个人", "商家")))]),
    (["车龄跟报价的相关性如何"], lambda t: [t[AGE].corr(t[PRICE])]),
    (["检查一下报价有没有异常值"], lambda t: far(t[PRICE])),
    (["哪些字段有缺失,各缺几条?"], lambda t: [KM, t[KM].isna().sum(), "车况评级", t["车况评级"].isna().sum()]),
    (["SUV占全部车源的百分之多少?"], lambda t: [Lead((t["车身类型"] == "SUV").mean() * 100)]),
    (["有没有重复录入的车源"], lambda t: [AnyOf(Lead(4), Lead(8))]),
    (["2024年下半年上架的比亚迪平均要价是多少"], lambda t: [Lead(t[(t["品牌"] == "比亚迪") & (t[LISTED] >= "2024-07-01")][PRICE].mean())]),
    (["画个车龄的直方图"], lambda t: [CHART]),
    (["各城市车源数量用饼图展示"], lambda t: [CHART] + counts(t["城市"])),
    (["总浏览量倒数三名的品牌"], lambda t: named(t.groupby("品牌")["浏览量"].sum().nsmallest(3))),
    (["每个品牌的保值率(报价÷新车指导价)"], lambda t: [AnyOf(v, 100 * v, w, 100 * w) for v, w in zip(t.groupby("品牌")[PRICE].sum() / t.groupby("品牌")[NEW].sum(), (t[PRICE] / t[NEW]).groupby(t["品牌"]).mean())]),
    (["已售的有多少辆", "占比呢"], lambda t: [Lead((t["状态"] == "已售").mean() * 100)]),
    (["星期几上架的车最多"], lambda t: [Lead(AnyOf(*WEEK[t[LISTED].dt.day_of_week.value_counts().idxmax()]), t[LISTED].dt.day_of_week.value_counts().max())]),
    (["各品牌有多少辆车", "只看SUV", "前3名就行"], lambda t: named(t[t["车身类型"] == "SUV"]["品牌"].value_counts().nlargest(3))),
    (["各城市的平均报价", "换成中位数", "画成柱状图"], lambda t: [CHART] + named(t.groupby("城市")[PRICE].median())),
    (["2024年上架了多少辆宝马", "奔驰呢?"], lambda t: [Lead((year(t, 2024, LISTED)["品牌"] == "奔驰").sum())]),
    (["平均报价是多少", "按能源类型分", "只看2024年上架的", "画个图"], lambda t: [CHART] + named(year(t, 2024, LISTED).groupby("能源类型")[PRICE].mean())),
    (["下个月二手车均价会涨到多少"], lambda t: [REFUSAL]),
    (["各品牌的平均油耗"], lambda t: [REFUSAL]),
    (["Which brand has the most listings?"], lambda t: [first(t["品牌"].value_counts())]),
    (["How many cars in 成都 are still 在售?"], lambda t: [Lead(((t["城市"] == "成都") & (t["状态"] == "在售")).sum())]),
    (["What percentage of cars are older than 8 years?"], lambda t: [Lead((t[AGE] > 8).mean() * 100)]),
    (["listings per month", "only 2024", "as a line chart"], lambda t: [CHART] + list(year(t, 2024, LISTED).groupby(months(t[LISTED])).size())),
    (["what would be a fair discount to ask for on the 宝马 cars?"], lambda t: [REFUSAL]),
]

CASES = [(name, asked, truth) for name, cases in [("loan_book", LOANS), ("exam_results", EXAMS), ("used_cars_zh", CARS)] for asked, truth in cases]
