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

}  // namespace
}  // namespace atl::offline
