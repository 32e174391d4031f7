// Goal: what a run does comes out as lines that the clients of the interpreter parse, and output as
// whole writes.
#include "api/e2b/interpreter_events.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace atl::api::e2b {
namespace {

namespace json = boost::json;
using core::Stream;

core::Time at(int ms) { return core::Time{} + std::chrono::milliseconds(ms); }

json::object object(std::string_view text) { return json::parse(text).as_object(); }

std::string all_of(InterpreterEvents& events) {
    std::string lines;
    while (!events.empty()) lines += events.next().text;
    return lines;
}

TEST(InterpreterEvents, output_is_told_in_whole_writes) {
    InterpreterEvents events;
    events.output(Stream::Stdout, "a", at(5));
    EXPECT_TRUE(events.may_grow());
    events.output(Stream::Stdout, "\n", at(6));
    events.output(Stream::Stderr, "e", at(7));
    EXPECT_FALSE(events.may_grow());
    EXPECT_EQ(all_of(events),
              "{\"type\":\"stdout\",\"timestamp\":\"1970-01-01T00:00:00.005000Z\","
              "\"text\":\"a\\n\"}\n"
              "{\"type\":\"stderr\",\"timestamp\":\"1970-01-01T00:00:00.007000Z\","
              "\"text\":\"e\"}\n");
}

TEST(InterpreterEvents, output_is_cut_between_characters) {
    InterpreterEvents events;
    events.output(Stream::Stdout, "\xc3", at(1));
    EXPECT_TRUE(events.empty());
    events.cost(1);
    events.output(Stream::Stdout, "\xa4", at(2));
    events.cost(1);
    auto line = events.next();
    EXPECT_EQ(object(line.text)["text"].as_string(), "ä");
    EXPECT_EQ(line.cost, 2u);
    events.output(Stream::Stdout, "\xc3", at(3));
    events.end();
    line = events.next();
    EXPECT_EQ(object(line.text)["text"].as_string(), "\xef\xbf\xbd");
    EXPECT_EQ(object(events.next().text)["type"].as_string(), "end_of_execution");
}

TEST(InterpreterEvents, results_have_their_formats_by_name) {
    const auto fields = result_fields(object(
        R"({"text/plain":"'m'","text/html":"<b>","application/json":{"a":[1]},
            "x/y":1,"application/vnd.atoll.table+json":
            {"columns":["c","d"],"rows":[[1,"x"],[2,"y"]]},
            "application/vnd.atoll.chart+json":{"type":"pie"}})"));
    EXPECT_EQ(fields.at("text").as_string(), "m");
    EXPECT_EQ(fields.at("html").as_string(), "<b>");
    EXPECT_EQ(fields.at("json"), json::parse(R"({"a":[1]})"));
    EXPECT_EQ(fields.at("data"), json::parse(R"({"c":[1,2],"d":["x","y"]})"));
    EXPECT_EQ(fields.at("chart"), json::parse(R"({"type":"pie"})"));
    EXPECT_EQ(fields.at("extra"), json::parse(R"({"x/y":1})"));
    for (const char* text : {R"({"text/plain":"'"})", R"({"text/plain":"'a\""})"}) {
        EXPECT_EQ(result_fields(object(text)).at("text"), object(text).at("text/plain"));
    }
}

// Whoever writes code writes tables of any form. One that is none is passed on as it came, and
// costs no more than its own bytes: these names and rows would make 10,000,000,000 cells.
TEST(InterpreterEvents, a_table_is_as_large_as_it_says) {
    constexpr std::size_t kMany = 100'000;
    json::array names, rows;
    for (std::size_t i = 0; i < kMany; ++i) {
        names.emplace_back("c" + std::to_string(i));
        rows.emplace_back(json::array{});
    }
    const char* type = "application/vnd.atoll.table+json";
    const auto told = [&](json::value table) { return result_fields({{type, std::move(table)}}); };
    const auto wide = told({{"columns", std::move(names)}, {"rows", std::move(rows)}});
    EXPECT_FALSE(wide.contains("data"));
    EXPECT_TRUE(wide.at("extra").as_object().contains(type));
    for (const char* text : {R"({"columns":["a"],"rows":[[1],[1,2]]})", R"({"columns":["a","b"]})",
                             R"({"columns":["a"],"rows":[{}]})", R"({"columns":{},"rows":[]})"}) {
        const auto fields = told(json::parse(text));
        EXPECT_FALSE(fields.contains("data")) << text;
        EXPECT_EQ(fields.at("extra").at(type), json::parse(text));
    }
    const auto empty = told(json::parse(R"({"columns":["a"],"rows":[]})"));
    EXPECT_EQ(empty.at("data"), json::parse(R"({"a":[]})"));
}

TEST(InterpreterEvents, a_display_is_no_main_result) {
    InterpreterEvents events;
    events.result(object(R"({"event":"display","data":{"text/plain":"1"}})"));
    events.result(object(R"({"event":"result","data":{"text/plain":"2"}})"));
    events.result(object(R"({"event":"clear_output"})"));
    EXPECT_FALSE(object(events.next().text)["is_main_result"].as_bool());
    EXPECT_TRUE(object(events.next().text)["is_main_result"].as_bool());
    EXPECT_TRUE(events.empty());
}

}  // namespace
}  // namespace atl::api::e2b
