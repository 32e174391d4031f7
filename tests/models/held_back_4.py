"""Questions on tables that were made after the vocabulary was."""
from questions import Lead, pct, top

M = [
    (["Which genre has the highest average rating?"], lambda t: [Lead(t.groupby("Genre")["IMDB Rating"].mean().idxmax())]),
    (["top 5 movies by box office"], lambda t: list(t.nlargest(5, "Box Office ($M)")["Title"])),
    (["how many films did each director make"], lambda t: list(t.Director.value_counts())),
    (["average runtime of horror movies"], lambda t: [t[t.Genre == "Horror"]["Runtime (min)"].mean()]),
    (["number of movies released per year since 2015"], lambda t: list(t[t["Release Year"] >= 2015].groupby("Release Year").size())),
    (["total budget in 2010"], lambda t: [t[t["Release Year"] == 2010]["Budget ($M)"].sum()]),
    (["Is there a relationship between budget and box office?"], lambda t: [round(t["Budget ($M)"].corr(t["Box Office ($M)"]), 3)]),
    (["movies with a rating above 8: how many?"], lambda t: [(t["IMDB Rating"] > 8).sum()]),
    (["longest movie"], lambda t: [t["Runtime (min)"].max()]),
    (["Compare Drama and Comedy by average box office"], lambda t: [t[t.Genre == g]["Box Office ($M)"].mean() for g in ("Drama", "Comedy")]),
    (["what percentage of movies are Action?"], lambda t: [pct((t.Genre == "Action").sum(), len(t))]),
    (["各类型电影的平均评分"], lambda t: list(t.groupby("Genre")["IMDB Rating"].mean())),
    (["which director earned the most at the box office"], lambda t: [Lead(t.groupby("Director")["Box Office ($M)"].sum().idxmax())]),
]
U = [
    (["各班的数学平均分"], lambda t: list(t.groupby("班级").数学.mean())),
    (["数学最高分是多少"], lambda t: [t.数学.max()]),
    (["语文90分以上的有多少人"], lambda t: [(t.语文 >= 90).sum()]),
    (["男生和女生的英语平均成绩对比"], lambda t: list(t.groupby("性别").英语.mean())),
    (["每个班有多少学生"], lambda t: list(t.班级.value_counts())),
    (["住校生的比例"], lambda t: [pct((t.是否住校 == "是").sum(), len(t))]),
    (["语文和数学的相关性"], lambda t: [round(t.语文.corr(t.数学), 3)]),
    (["英语成绩缺失的有几个"], lambda t: [t.英语.isna().sum()]),
    (["数学成绩前10名"], lambda t: list(t.nlargest(10, "数学").数学)),
    (["一班的语文、数学、英语平均分"], lambda t: [t[t.班级 == "一班"][c].mean() for c in ("语文", "数学", "英语")]),
    (["数学不及格(低于60)的人数"], lambda t: [(t.数学 < 60).sum()]),
    (["画出数学成绩的分布"], lambda t: [t.数学.mean(), ".png"]),
    (["how many students are in each class"], lambda t: list(t.班级.value_counts())),
]
F = [
    (["which carrier has the longest average departure delay"], lambda t: [Lead(t.groupby("carrier").dep_delay_min.mean().idxmax())]),
    (["how many flights were cancelled?"], lambda t: [(t.cancelled == 1).sum()]),
    (["cancellation rate by carrier"], lambda t: [100 * v for v in t.groupby("carrier").cancelled.mean()]),
    (["number of flights from JFK to MIA"], lambda t: [((t.origin == "JFK") & (t.destination == "MIA")).sum()]),
    (["total passengers per month"], lambda t: list(t.groupby(t.flight_date.dt.to_period("M")).passengers.sum())),
    (["busiest origin airport"], lambda t: [Lead(t.origin.value_counts().idxmax())]),
    (["average delay on weekends versus weekdays"], lambda t: [t[t.flight_date.dt.day_of_week >= 5].dep_delay_min.mean(), t[t.flight_date.dt.day_of_week < 5].dep_delay_min.mean()]),
    (["flights delayed more than 60 minutes"], lambda t: [(t.dep_delay_min > 60).sum()]),
    (["average distance by origin and destination"], lambda t: list(t.groupby(["origin", "destination"]).distance_miles.mean())),
    (["how many flights did DL operate in February"], lambda t: [((t.carrier == "DL") & (t.flight_date.dt.month == 2)).sum()]),
    (["每个航空公司的航班数量"], lambda t: []),
    (["share of flights by carrier as a pie chart"], lambda t: [pct(v, len(t)) for v in t.carrier.value_counts()] + [".png"]),
]
H = [
    (["average list price by neighborhood"], lambda t: list(t.groupby("neighborhood").listPrice.mean())),
    (["cheapest apartment"], lambda t: [t[t.propertyType == "Apartment"].listPrice.min()]),
    (["how many houses have a garden?"], lambda t: []),
    (["median price of apartments in Riverside"], lambda t: [t[(t.propertyType == "Apartment") & (t.neighborhood == "Riverside")].listPrice.median()]),
    (["how does price relate to square meters?"], lambda t: [round(t.listPrice.corr(t.squareMeters), 3)]),
    (["average price per bedroom count"], lambda t: list(t.groupby("bedrooms").listPrice.mean())),
    (["listings with at least 4 bedrooms"], lambda t: [(t.bedrooms >= 4).sum()]),
    (["what is the average size of a studio"], lambda t: [t[t.propertyType == "Studio"].squareMeters.mean()]),
    (["new listings per quarter"], lambda t: list(t.groupby(t.listedOn.dt.to_period("Q")).size())),
    (["5 most expensive listings in Old Town"], lambda t: list(t[t.neighborhood == "Old Town"].nlargest(5, "listPrice").listPrice)),
    (["what share of listings has a garden?"], lambda t: [100 * t.hasGarden.mean()]),
    (["哪个街区的均价最高"], lambda t: [Lead(t.groupby("neighborhood").listPrice.mean().idxmax())]),
]
CASES = [(name, talk, truth) for name, cases in [("movies", M), ("students", U), ("flights", F), ("houses", H)]
         for talk, truth in cases]
