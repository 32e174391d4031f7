// Questions as values, in both languages; what was asked before counts. How good the reading is,
// tests/models measures with many questions; here each kind stands once.
#include "models/offline/understand.hpp"

#include "models/offline/test_support.hpp"

#include <gtest/gtest.h>

namespace atl::offline {
namespace {

Question ask(std::initializer_list<const char*> talk) {
    static const Schema schema = sales_schema();
    std::optional<Question> before;
    for (const char* text : talk) before = understand(text, schema, before ? &*before : nullptr);
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

TEST(Understand, ConditionsOnNumbers) {
    const Question q = ask({"how many orders have an amount between 100 and 200"});
    ASSERT_EQ(q.filters.size(), 1U);
    EXPECT_EQ(q.filters[0].kind, Filter::Kind::Between);
    EXPECT_EQ(q.filters[0].high, 200);
    EXPECT_EQ(q.measures.at(0).aggregation, Aggregation::Count);
    const Question without = ask({"total amount excluding refunds"});
    EXPECT_EQ(without.filters.at(0).kind, Filter::Kind::GreaterOrEqual);
    struct Case {
        const char* text;
        double low;
    };
    for (const Case& c :
         {Case{"金额超过100的订单有多少", 100}, Case{"金额超过一百二十的订单", 120},
          Case{"金额超过三千零五的订单有多少", 3005}, Case{"金额超过一千五的订单有多少", 1500}}) {
        EXPECT_EQ(ask({c.text}).filters.at(0).kind, Filter::Kind::Greater) << c.text;
        EXPECT_EQ(ask({c.text}).filters.at(0).low, c.low) << c.text;
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
          Case{"month over month growth of sales", Intent::Growth},
          Case{"what period does it cover", Intent::Period}, Case{"有哪些地区", Intent::Values},
          Case{"what can you do", Intent::Help}}) {
        EXPECT_EQ(ask({c.text}).intent, c.intent) << c.text;
    }
}

// Each of these reads like a question that it knows, and is another one.
TEST(Understand, RefusesRatherThanGuesses) {
    for (const char* text : {"who will win the election",
                             "average amount by planet",
                             "why did sales fall",
                             "which regions never bought tea",
                             "which regions did not buy tea",
                             "没有买过茶的地区",
                             "从未退货的产品有哪些",
                             "orders above the average of their region",
                             "金额高于本地区平均的订单有多少",
                             "7-day moving average of sales",
                             "cumulative sales by month",
                             "top 10% of orders by amount",
                             "which region has the second highest sales",
                             "销售额第二高的地区",
                             "avarage amount by region",
                             "90th percentile of amount",
                             "box plot of amount by region",
                             "which month was best",
                             "哪个月最好",
                             "which regions have an average amount above 100",
                             "products with total sales over 10000",
                             "regions with more than 5 orders",
                             "哪些地区的平均金额超过100",
                             "the product with the highest sales of each region",
                             "每个地区销售额最高的产品",
                             "average daily sales",
                             "人均销售额",
                             "the largest single order and which region it was from",
                             "the largest order of each region",
                             "每个地区单笔最高金额是哪笔",
                             "did the North sell a lot",
                             "correlation of amount"}) {
        EXPECT_EQ(ask({text}).intent, Intent::Unknown) << text;
    }
    EXPECT_EQ(ask({"sales in the second quarter of 2023"}).intent, Intent::Aggregate);
}

// Weights may be added up or averaged: where neither is said, that is asked.
TEST(Understand, AsksForTheTotalOrTheAverage) {
    static const Schema schema = *schema_in(
        R"({"atoll_schema": 1, "tables": [{"path": "/data/hives.csv", "rows": 90, "width": 2, )"
        R"("columns": [["apiary", "t", 3, 0, ["A", "B"]], ["honey_kg", "f", 80, 0, 0, 9]]}]})");
    const Question open = understand("honey by apiary", schema, nullptr);
    EXPECT_EQ(open.intent, Intent::Unknown);
    EXPECT_TRUE(open.open);
    EXPECT_EQ(understand("average honey by apiary", schema, nullptr).intent, Intent::Aggregate);
    EXPECT_EQ(understand("total honey by apiary", schema, nullptr).intent, Intent::Aggregate);
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
    EXPECT_TRUE(ask({"total sales in the North", "average quantity by product"}).filters.empty());
}

TEST(Understand, AnythingIsTaken) {
    for (const std::string& text :
         {std::string(), std::string(50000, '?'), std::string("\xff\xfe\0x", 4),
          std::string("between between 5 5 top top by by of of"), std::string("前前前前的的的")}) {
        EXPECT_NO_THROW((void)understand(text, sales_schema(), nullptr));
    }
    EXPECT_EQ(understand("total", Schema{}, nullptr).intent, Intent::Unknown);
}

}  // namespace
}  // namespace atl::offline
