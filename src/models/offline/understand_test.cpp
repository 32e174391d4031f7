// Questions as values, in both languages; what was asked before counts.
#include "models/offline/understand.hpp"

#include "models/offline/test_support.hpp"

#include <gtest/gtest.h>

namespace atl::offline {
namespace {

Question ask(std::initializer_list<const char*> talk) {
    static const Schema schema = sales_schema();
    std::optional<Question> before;
    for (const char* text : talk) {
        before = understand(text, schema, before ? &*before : nullptr);
    }
    return *before;
}

std::string name(Field field) { return at(sales_schema(), field).name; }

TEST(Understand, TotalByGroup) {
    for (const char* text : {"total sales by region", "revenue per region", "各地区的销售额",
                             "how much did we sell in each region?"}) {
        const Question q = ask({text});
        EXPECT_EQ(q.intent, Intent::Aggregate) << text;
        ASSERT_EQ(q.groups.size(), 1U) << text;
        EXPECT_EQ(name(q.groups[0].field), "region") << text;
        ASSERT_EQ(q.measures.size(), 1U) << text;
        EXPECT_EQ(name(*q.measures[0].field), "amount") << text;
        EXPECT_EQ(q.measures[0].aggregation, Aggregation::Sum) << text;
    }
}

TEST(Understand, TopNWithFilters) {
    const Question q = ask({"top 2 products by quantity in the North in 2024"});
    EXPECT_EQ(q.order, Order::Highest);
    EXPECT_EQ(q.count, 2U);
    EXPECT_EQ(name(q.groups.at(0).field), "product");
    EXPECT_EQ(name(*q.measures.at(0).field), "quantity");
    EXPECT_EQ(q.filters.size(), 2U);
}

TEST(Understand, RunningTotals) {
    for (const char* text :
         {"cumulative sales by month", "running total of amount per month", "各月累计销售额"}) {
        const Question q = ask({text});
        EXPECT_TRUE(q.is_running) << text;
        EXPECT_EQ(q.groups.at(0).grain, Grain::Month) << text;
        EXPECT_EQ(q.measures.at(0).aggregation, Aggregation::Sum) << text;
    }
    EXPECT_TRUE(ask({"sales by month", "make it cumulative"}).is_running);
    EXPECT_FALSE(ask({"累计销售额是多少"}).is_running);  // simply the total
    for (const char* text : {"moving average of sales by month", "cumulative average amount"}) {
        EXPECT_EQ(ask({text}).intent, Intent::Unknown) << text;
    }
}

TEST(Understand, MovingAverages) {
    struct Case {
        const char* text;
        std::size_t window;
        Grain grain;
    };
    for (const Case& c : {Case{"7-day moving average of sales", 7, Grain::Day},
                          Case{"3 month rolling average of amount", 3, Grain::Month},
                          Case{"rolling 3-month average of amount", 3, Grain::Month},
                          Case{"销售额的7日移动平均", 7, Grain::Day}}) {
        const Question q = ask({c.text});
        EXPECT_EQ(q.intent, Intent::Aggregate) << c.text;
        EXPECT_EQ(q.rolling, c.window) << c.text;
        EXPECT_EQ(q.groups.at(0).grain, c.grain) << c.text;
        EXPECT_EQ(q.measures.at(0).aggregation, Aggregation::Sum) << c.text;
    }
    EXPECT_EQ(ask({"7-day moving average of sales by month"}).intent, Intent::Unknown);
}

TEST(Understand, TopPercent) {
    const Question rows = ask({"top 10% of orders by amount"});
    EXPECT_EQ(rows.intent, Intent::TopPercent);
    EXPECT_EQ(rows.percent, 10);
    EXPECT_TRUE(rows.groups.empty());
    const Question groups = ask({"销售额前20%的产品"});
    EXPECT_EQ(groups.intent, Intent::TopPercent);
    EXPECT_EQ(name(groups.groups.at(0).field), "product");
}

TEST(Understand, ConditionsOnNumbers) {
    const Question q = ask({"how many orders have an amount between 100 and 200"});
    ASSERT_EQ(q.filters.size(), 1U);
    EXPECT_EQ(q.filters[0].kind, Filter::Kind::Between);
    EXPECT_EQ(q.filters[0].high, 200);
    EXPECT_EQ(q.measures.at(0).aggregation, Aggregation::Count);
    const Question without = ask({"total amount excluding refunds"});
    EXPECT_EQ(without.filters.at(0).kind, Filter::Kind::GreaterOrEqual);
    const Question han = ask({"金额超过100的订单有多少"});
    EXPECT_EQ(han.filters.at(0).kind, Filter::Kind::Greater);
}

TEST(Understand, ConditionsOnGroups) {
    struct Case {
        const char* text;
        const char* group;
        Aggregation aggregation;
    };
    for (const Case& c :
         {Case{"which regions have an average amount above 100", "region", Aggregation::Mean},
          Case{"products with total sales over 10000", "product", Aggregation::Sum},
          Case{"products with sales over 10000", "product", Aggregation::Sum},
          Case{"regions with more than 5 orders", "region", Aggregation::Count},
          Case{"how many regions have an average amount below 50", "region", Aggregation::Mean},
          Case{"哪些地区的平均金额超过100", "region", Aggregation::Mean},
          Case{"订单超过5次的地区有哪些", "region", Aggregation::Count}}) {
        const Question q = ask({c.text});
        EXPECT_EQ(q.intent, Intent::Aggregate) << c.text;
        ASSERT_TRUE(q.having) << c.text;
        EXPECT_EQ(q.having->measure.aggregation, c.aggregation) << c.text;
        ASSERT_EQ(q.groups.size(), 1U) << c.text;
        EXPECT_EQ(name(q.groups[0].field), c.group) << c.text;
        EXPECT_TRUE(q.filters.empty()) << c.text;
        EXPECT_FALSE(q.wants_one) << c.text;
    }
    EXPECT_TRUE(ask({"average amount by region", "only those above 100"}).having);
    for (const char* text : {"average amount of orders with a quantity above 5",
                             "how many orders are above 500", "is the average amount above 100"}) {
        EXPECT_FALSE(ask({text}).having) << text;
    }
    EXPECT_EQ(ask({"average quantity of regions with an average amount above 100"}).intent,
              Intent::Unknown);
}

TEST(Understand, PlacesOfARanking) {
    for (const char* text :
         {"which region has the second highest sales", "2nd best region by sales",
          "销售额第二高的地区", "which region ranks second by amount"}) {
        const Question q = ask({text});
        EXPECT_EQ(q.intent, Intent::Aggregate) << text;
        EXPECT_EQ(q.rank, 2U) << text;
        EXPECT_EQ(q.order, Order::Highest) << text;
        EXPECT_FALSE(q.count) << text;
    }
    const Question rows = ask({"the third largest order"});
    EXPECT_EQ(rows.intent, Intent::Rows);
    EXPECT_EQ(rows.rank, 3U);
    EXPECT_FALSE(ask({"sales in the second quarter of 2023"}).rank);
    EXPECT_EQ(ask({"second highest amount in each region"}).intent, Intent::Unknown);
}

TEST(Understand, WhoLeftAndWhoStayed) {
    struct Case {
        const char* text;
        Filter::Kind kind;
    };
    static const Schema schema = people_schema();
    for (const Case& c : {Case{"how many employees left", Filter::Kind::Present},
                          Case{"average salary of employees who left", Filter::Kind::Present},
                          Case{"how many current employees are there", Filter::Kind::Missing},
                          Case{"how many are still employed", Filter::Kind::Missing},
                          Case{"how many employees have not left", Filter::Kind::Missing},
                          Case{"离职员工的平均薪资", Filter::Kind::Present},
                          Case{"在职员工有多少", Filter::Kind::Missing},
                          Case{"how many employees left in 2022", Filter::Kind::Dates}}) {
        const Question q = understand(c.text, schema, nullptr);
        EXPECT_EQ(q.intent, Intent::Aggregate) << c.text;
        ASSERT_EQ(q.filters.size(), 1U) << c.text;
        EXPECT_EQ(q.filters[0].kind, c.kind) << c.text;
        EXPECT_EQ(at(schema, q.filters[0].field).name, "exit_date") << c.text;
    }
}

TEST(Understand, NamesakesAddUp) {
    static const Schema schema = *schema_in(
        R"({"atoll_schema": 1, "tables": [{"path": "/data/results.csv", "rows": 90, "width": 5, )"
        R"("columns": [["season", "t", 2, 0, ["2022/23", "2023/24"]], )"
        R"(["home_team", "t", 8, 0, ["Rovers", "United"]], )"
        R"(["home_goals", "i", 6, 0, 0, 5], ["away_goals", "i", 6, 0, 0, 5], )"
        R"(["gross_amount", "f", 90, 0, 1, 90], ["net_amount", "f", 90, 0, 1, 90]]}]})");
    const auto asked = [&](const char* text) { return understand(text, schema, nullptr); };
    EXPECT_TRUE(asked("total goals").measures.at(0).plus);
    EXPECT_TRUE(asked("average goals by season").measures.at(0).plus);
    EXPECT_FALSE(asked("total home goals").measures.at(0).plus);
    EXPECT_EQ(asked("matches with more than 4 goals").intent, Intent::Unknown);
    EXPECT_EQ(asked("which team scored the most goals").intent, Intent::Unknown);
    EXPECT_EQ(asked("total amount").also.size(), 1U);  // not gross and net together
}

// Stays in a clinic: minutes, 万元, two dates, people who come back.
Schema stays_schema() {
    return *schema_in(
        R"({"atoll_schema": 1, "tables": [{"path": "/data/stays.csv", "rows": 900, "width": 9, )"
        R"("columns": [["stay_id", "t", 900, 0, ["S1", "S2"]], )"
        R"(["patient_no", "i", 300, 0, 1000, 1300], ["age", "i", 80, 0, 1, 90], )"
        R"(["start_date", "d", 300, 0, "2022-01-01", "2024-06-29"], )"
        R"(["cancel_date", "d", 90, 800, "2022-02-01", "2024-06-29"], )"
        R"(["status", "t", 2, 0, ["Done", "Cancelled"]], ["wait_min", "f", 90, 0, 0, 300], )"
        R"(["price 万元", "f", 800, 0, 1, 900], ["cost 万元", "f", 800, 0, 1, 700]]}]})");
}

TEST(Understand, NumbersKeepTheirUnit) {
    static const Schema schema = stays_schema();
    const auto low = [&](const char* text) {
        return understand(text, schema, nullptr).filters.at(0).low;
    };
    EXPECT_EQ(low("how many stays with a wait of more than an hour"), 60);
    EXPECT_EQ(low("how many stays with a wait over half an hour"), 30);
    EXPECT_EQ(low("price超过500万的有多少"), 500);
    EXPECT_EQ(understand("stays longer than 3 kilometers", schema, nullptr).intent,
              Intent::Unknown);
}

TEST(Understand, FormulasInWords) {
    static const Schema schema = stays_schema();
    const auto made = [&](const char* text) {
        return understand(text, schema, nullptr).measures.at(0);
    };
    EXPECT_TRUE(made("price minus cost by status").minus);
    EXPECT_TRUE(made("profit (price minus cost) by status").minus);
    EXPECT_TRUE(made("average price plus cost").plus);
    EXPECT_EQ(understand("price minus tax by status", schema, nullptr).intent, Intent::Unknown);
}

TEST(Understand, MoreThanOnceAndBothEnds) {
    static const Schema schema = stays_schema();
    const Question often = understand("how many patients came more than once?", schema, nullptr);
    ASSERT_TRUE(often.having);
    EXPECT_EQ(often.having->low, 1);
    const Question ends = understand("how old are the youngest and the oldest?", schema, nullptr);
    ASSERT_EQ(ends.measures.size(), 2U);
    EXPECT_EQ(ends.measures[0].aggregation, Aggregation::Minimum);
    EXPECT_EQ(ends.measures[1].aggregation, Aggregation::Maximum);
}

TEST(Understand, TheDateOfWhatWasDone) {
    static const Schema schema = stays_schema();
    const Question gone = understand("how many were cancelled in 2023?", schema, nullptr);
    ASSERT_FALSE(gone.filters.empty());
    EXPECT_EQ(at(schema, gone.filters[0].field).name, "cancel_date");
    const Question grain = understand("total price per start year", schema, nullptr);
    EXPECT_EQ(grain.groups.at(0).grain, Grain::Year);
}

TEST(Understand, ThatInPercent) {
    for (const char* text :
         {"and in percent?", "what percentage of the total is that?", "占比多少"}) {
        const Question q = ask({"total amount in the North", text});
        EXPECT_EQ(q.intent, Intent::Share) << text;
        EXPECT_EQ(q.part.size(), 1U) << text;
    }
}

TEST(Understand, Intents) {
    struct Case {
        const char* text;
        Intent intent;
    };
    for (const Case& c :
         {Case{"how many rows are there", Intent::Shape},
          Case{"which columns are there", Intent::Columns},
          Case{"describe the data", Intent::Describe}, Case{"missing values?", Intent::Missing},
          Case{"any duplicates?", Intent::Duplicates}, Case{"outliers in amount", Intent::Outliers},
          Case{"distribution of amount", Intent::Distribution},
          Case{"correlation of amount and quantity", Intent::Correlation},
          Case{"what share of sales comes from Coffee", Intent::Share},
          Case{"month over month growth", Intent::Growth},
          Case{"what period does it cover", Intent::Period}, Case{"有哪些地区", Intent::Values},
          Case{"what can you do", Intent::Help}, Case{"who will win the election", Intent::Unknown},
          Case{"average amount by planet", Intent::Unknown}}) {
        EXPECT_EQ(ask({c.text}).intent, c.intent) << c.text;
    }
}

TEST(Understand, FollowUps) {
    const Question by = ask({"total sales by region", "and by product?"});
    EXPECT_EQ(name(by.groups.at(0).field), "product");
    EXPECT_EQ(name(*by.measures.at(0).field), "amount");
    const Question chart = ask({"total sales by region", "now as a pie chart"});
    EXPECT_EQ(chart.chart, ChartKind::Pie);
    EXPECT_EQ(name(chart.groups.at(0).field), "region");
    const Question only = ask({"总销售额按地区", "只看2024年", "那产品呢"});
    EXPECT_EQ(name(only.groups.at(0).field), "product");
    EXPECT_EQ(only.filters.size(), 1U);
    const Question fresh = ask({"total sales in the North", "average quantity by product"});
    EXPECT_TRUE(fresh.filters.empty());
}

TEST(Understand, TyposAndOtherWords) {
    EXPECT_EQ(name(*ask({"avarage qty per regoin"}).measures.at(0).field), "quantity");
    EXPECT_EQ(
        ask({"refund rate: what percentage of orders was returned"}).measures.at(0).aggregation,
        Aggregation::Rate);
}

TEST(Understand, AnythingIsTaken) {
    for (const std::string& text :
         {std::string(), std::string(50000, '?'), std::string("\xff\xfe\0x", 4),
          std::string("between between 5 5 top top by by of of"), std::string("前前前前的的的")}) {
        EXPECT_NO_THROW((void)understand(text, sales_schema(), nullptr));
    }
    EXPECT_EQ(understand("total", Schema{}, nullptr).intent, Intent::Unknown);
}

Question ask_of_trips(const char* text) {
    static const Schema schema = trips_schema();
    return understand(text, schema, nullptr);
}

TEST(Understand, NounsOfOneFamilyAreRows) {
    for (const char* text : {"how many rides per month", "journeys per month", "每月骑行数量"}) {
        const Question q = ask_of_trips(text);
        EXPECT_EQ(q.intent, Intent::Aggregate) << text;
        ASSERT_EQ(q.measures.size(), 1U) << text;
        EXPECT_EQ(q.measures[0].aggregation, Aggregation::Count) << text;
    }
    EXPECT_EQ(ask_of_trips("how many invoices per month").intent, Intent::Unknown);
}

TEST(Understand, WordsOfTheTableAreNoSlips) {
    const Question q = ask_of_trips("median charge of casual users");  // not change, not causal
    EXPECT_EQ(q.intent, Intent::Aggregate);
    ASSERT_EQ(q.filters.size(), 1U);
    EXPECT_EQ(q.filters[0].values.at(0), "casual");
    EXPECT_EQ(ask({"sales from quater to quater"}).groups.at(0).grain, Grain::Quarter);
}

TEST(Understand, ValuesInTheOtherLanguage) {
    for (const char* text : {"德国的平均时长", "average duration of German trips"}) {
        const Question q = ask_of_trips(text);
        ASSERT_EQ(q.filters.size(), 1U) << text;
        EXPECT_EQ(q.filters[0].values.at(0), "Germany") << text;
    }
}

TEST(Understand, TheBeginningOfANameIsNotTheMoney) {
    const Question q = ask_of_trips("top 3 countries by sales");
    ASSERT_EQ(q.groups.size(), 1U);
    EXPECT_EQ(q.groups[0].field.column, 3U);
    EXPECT_EQ(q.measures.at(0).field->column, 5U);
}

TEST(Understand, NamesOfTwoWordsInTheOtherLanguage) {
    const Question q = ask_of_trips("用户类型的平均时长");
    ASSERT_EQ(q.groups.size(), 1U);
    EXPECT_EQ(q.groups[0].field.column, 2U);
}

TEST(Understand, WhichIsHighestAsksOfTheFiguresBefore) {
    const Question q = ask({"average quantity by region", "which region is the highest?"});
    EXPECT_EQ(name(*q.measures.at(0).field), "quantity");
    EXPECT_EQ(q.measures[0].aggregation, Aggregation::Mean);
    EXPECT_EQ(q.order, Order::Highest);
}

TEST(Understand, WhatIsNotThereIsSaid) {
    for (const char* text : {"how tall are members on average", "how many rides were sent back"}) {
        EXPECT_EQ(ask_of_trips(text).intent, Intent::Unknown) << text;
    }
}

Question ask_of_flights(const char* text) {
    static const Schema schema = *schema_in(
        R"({"atoll_schema": 1, "tables": [{"path": "/data/flights.csv", "rows": 900, "width": 4, )"
        R"("columns": [["Flight No", "t", 40, 0, ["TL1", "TL2"]], )"
        R"(["Flight Date", "d", 300, 0, "2023-01-01", "2024-06-29"], )"
        R"(["Status", "t", 2, 0, ["Delayed", "On time"]], )"
        R"(["Ticket Revenue", "f", 800, 0, 10.5, 9000.25]]}]})");
    return understand(text, schema, nullptr);
}

TEST(Understand, TheWorstOfWhatIsBadIsTheHighest) {
    EXPECT_EQ(ask_of_flights("which month has the worst delay rate").order, Order::Highest);
    EXPECT_EQ(ask_of_flights("which month has the worst ticket revenue").order, Order::Lowest);
}

TEST(Understand, WordsOfANameInTheOtherLanguage) {
    const Question q = ask_of_flights("平均票务收入是多少");
    EXPECT_EQ(q.intent, Intent::Aggregate);
    EXPECT_EQ(q.measures.at(0).field->column, 3U);
}

}  // namespace
}  // namespace atl::offline
