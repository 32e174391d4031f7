#include "agent/run_results.hpp"
#include "agent/export_results.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

namespace atl::agent {

namespace {

namespace json = boost::json;

constexpr const char* kPlotly = "application/vnd.plotly.v1+json";
constexpr const char* kVega = "application/vnd.vegalite.v6.json";

json::object bundle(std::string_view text) { return json::parse(text).as_object(); }

json::object chart(std::size_t bytes) {
    json::object figure;
    figure["data"] = json::array{json::object{{"x", std::string(bytes, 'x')}}};
    return json::object{{kPlotly, figure}};
}

TableData table(const char* name) {
    TableData made;
    made.columns = {name};
    return made;
}

RunNote note_of(std::vector<StoredResult> results) {
    RunNote note;
    note.results = std::move(results);
    return note;
}

std::vector<json::object> exported(const char* type, std::string_view value) {
    ExportResults results;
    return results.of(note_of({{type, std::string(value)}}));
}

}  // namespace

// Goal: of what a kernel sends in several types, clients get the one that is drawn; a model reads
// one line of it.
TEST(RunResults, KeepTheBestTypeOfABundle) {
    RunResults results(kTurnResults);
    EXPECT_TRUE(results.take(bundle(R"({"text/html": "<div>", "text/plain": "Figure",
        "application/vnd.plotly.v1+json":
            {"data": [], "layout": {"title": {"text": "Sales"}}}})")));
    EXPECT_TRUE(results.take(bundle(R"({"application/vnd.vegalite.v6.json": {"title": "B\nC"}})")));
    EXPECT_TRUE(
        results.take(bundle(R"({"text/html": "<table><tr>", "text/plain": "<S at 0x1>"})")));
    EXPECT_FALSE(results.take(bundle(R"({"text/latex": "$x$", "text/plain": "x"})")));
    // What is not drawn, or is not what its type says, stays with its text.
    for (const char* other :
         {R"({"text/plain": "1"})", R"({"text/html": "<b>x</b>", "text/plain": "x"})",
          R"({"application/vnd.plotly.v1+json": "x"})", R"({"text/markdown": {"a": 1}})", "{}"}) {
        EXPECT_FALSE(results.take(bundle(other))) << other;
    }
    const std::vector<std::string> said{"shown: a chart, Sales", "shown: a chart, B C",
                                        "shown: a table", "shown: a formula"};
    EXPECT_EQ(results.notes(), said);
    const auto kept = results.results();
    ASSERT_EQ(kept.size(), 4u);
    EXPECT_EQ(kept[0].type, kPlotly);
    EXPECT_EQ(kept[1].type, kVega);
    EXPECT_EQ(kept[2].json, R"("<table><tr>")");
    const auto view = view_of(3, kept[0]);
    EXPECT_EQ(view.run, 3u);
    EXPECT_TRUE(bundle(view.data.text).at(kPlotly).as_object().contains("layout"));
}

// Goal: nobody draws a tool's results outside of a turn, so they cost nothing there.
TEST(RunResults, KeepNothingWhereNobodyDraws) {
    RunResults results(std::nullopt);
    EXPECT_FALSE(results.take(chart(10)));
    results.take(table("a"));
    results.take(table("b"));
    EXPECT_TRUE(results.results().empty());
    EXPECT_TRUE(results.notes().empty());
    EXPECT_EQ(results.last_table()->columns.front(), "b");
}

// Goal: the last table of a run is its table, those before it stand among the results where they
// were shown.
TEST(RunResults, TablesBeforeTheLastKeepTheirPlace) {
    RunResults results(kTurnResults);
    results.take(table("a"));
    results.take(chart(10));
    results.take(table("b"));
    results.take(table("c"));
    EXPECT_EQ(results.last_table()->columns.front(), "c");
    const auto kept = results.results();
    ASSERT_EQ(kept.size(), 3u);
    EXPECT_NE(kept[0].json.find("\"a\""), std::string::npos);
    EXPECT_EQ(kept[1].type, kPlotly);
    EXPECT_NE(kept[2].json.find("\"b\""), std::string::npos);
}

// Goal: no run fills the server or a thread, and who asked is told what is missing and why.
TEST(RunResults, AreBoundedAndSaySo) {
    RunResults large(kTurnResults);
    EXPECT_TRUE(large.take(chart(kResultBytesMax)));
    ASSERT_EQ(large.notes().size(), 1u);
    EXPECT_NE(large.notes()[0].find("not shown: a chart; it has 1.0 MB"), std::string::npos);
    EXPECT_TRUE(large.results().empty());

    RunResults many(kTurnResults);
    for (int i = 0; i < 40; ++i) many.take(chart(10));
    EXPECT_EQ(many.results().size(), kTurnResults.count);
    EXPECT_EQ(many.notes().size(), 8u + 3u);
    EXPECT_TRUE(many.notes().front().starts_with("not shown: "));

    RunResults together(kTurnResults);
    for (int i = 0; i < 4; ++i) together.take(chart(kResultBytesMax - 1000));
    EXPECT_EQ(together.results().size(), 2u);
    EXPECT_NE(together.notes().front().find("not shown: a chart; one answer keeps 16 results"),
              std::string::npos);

    RunResults used_up(ResultRoom{0, 0});
    EXPECT_TRUE(used_up.take(chart(10)));
    EXPECT_EQ(used_up.notes().size(), 1u);
}

// Goal: what is stored can be read again, whatever a kernel nests.
TEST(RunResults, RefuseWhatIsTooDeepToBeReadAgain) {
    std::string deep;
    for (int i = 0; i < 26; ++i) deep += R"({"a": )";
    deep += "1" + std::string(26, '}');
    RunResults results(kTurnResults);
    results.take(json::object{{kPlotly, json::parse(deep)}});
    EXPECT_TRUE(results.results().empty());
    EXPECT_NE(results.notes().front().find("too deep"), std::string::npos);
}

// Goal: a text of the store goes to clients as it stands, and no damage in it breaks an answer.
TEST(RunResults, OfTheStoreAreSentAsTheyStandOrNotAtAll) {
    auto run =
        note_of({{kPlotly, "{"}, {kVega, R"({"a": [0, 1.50]})"}, {kPlotly, R"(1}, {"x": 2)"}});
    const auto read = take_results(run);
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(schema::to_json(view_of(2, read[0])),
              R"({"run":2,"data":{"application/vnd.vegalite.v6.json":{"a": [0, 1.50]}}})");
    EXPECT_TRUE(take_results(run).empty());
}

// Goal: what is stored with a message comes back, and older messages are read as they were.
TEST(RunResults, AreStoredWithTheirMessage) {
    MessageDetails details;
    details.run = note_of({{kPlotly, R"({"data":[]})"}});
    core::ThreadMessage message;
    message.details_json = text_of(details);
    const auto read = details_of(message);
    ASSERT_TRUE(read.run && read.run->results);
    EXPECT_EQ(read.run->results->front().json, R"({"data":[]})");
    details.run->results.reset();
    message.details_json = text_of(details);
    EXPECT_EQ(message.details_json.find("results"), std::string::npos);
    EXPECT_TRUE(details_of(message).run);
}

// Goal: a notebook that somebody opens elsewhere loads nothing of anywhere.
TEST(ExportResults, LeaveOutWhatLoadsSomething) {
    EXPECT_EQ(exported(kPlotly, R"({"data": [{"type": "bar"}, {}]})").size(), 1u);
    EXPECT_TRUE(exported(kPlotly, R"({"data": [{"type": "scattermapbox"}]})").empty());
    EXPECT_TRUE(
        exported(kPlotly, R"({"data": [{"type": "image", "source": "http://x"}]})").empty());
    const auto cleaned = exported(
        kPlotly, R"({"data": [{"type": "bar"}], "layout": {"images": [{"source": "http://x"}],
                 "template": {"layout": {"images": [{"source": "http://x"}]}}, "title": "T"}})");
    ASSERT_EQ(cleaned.size(), 1u);
    EXPECT_EQ(json::serialize(cleaned[0].at(kPlotly)),
              R"({"data":[{"type":"bar"}],"layout":{"title":"T"}})");
    EXPECT_EQ(exported(kVega, R"({"mark": "bar", "data": {"values": []}})").size(), 1u);
    EXPECT_TRUE(exported(kVega, R"({"mark": "bar", "data": {"url": "http://x"}})").empty());
    EXPECT_TRUE(exported(kVega, R"({"encoding": [{"url": {"field": "a"}}]})").empty());
    EXPECT_TRUE(exported("text/html", R"("<table>")").empty());
    const auto words = exported("text/markdown", R"text("![](http://x)")text");
    ASSERT_EQ(words.size(), 1u);
    EXPECT_TRUE(words[0].contains("text/plain"));
    EXPECT_EQ(words[0].size(), 1u);
}

// Goal: whoever shows a chart elsewhere finds in it what is drawn, and no wish of its author to
// load or to follow anything.
TEST(ExportResults, KeepOfAChartWhatIsDrawn) {
    const auto left_of = [](const char* type, std::string_view value) {
        const auto shown = exported(type, value);
        return shown.size() == 1 ? json::serialize(shown[0].at(type)) : std::string("nothing");
    };
    EXPECT_EQ(left_of(kVega, R"({"usermeta": {"embedOptions": {"patch": "https://x/p.json",
                                 "config": "https://x/c.json"}}, "data": {"values": []},
                                 "mark": "bar", "other": 1})"),
              R"({"data":{"values":[]},"mark":"bar"})");
    EXPECT_EQ(left_of(kVega, R"({"mark": {"type": "point", "href": "https://x"},
                                 "data": {"values": [{"href": 1}]},
                                 "layer": [{"encoding": {"href": {"value": "https://x"}}}]})"),
              R"({"mark":{"type":"point"},"data":{"values":[{"href":1}]},)"
              R"("layer":[{"encoding":{}}]})");
    EXPECT_EQ(left_of(kPlotly, R"({"data": [], "frames": [], "config": {"topojsonURL": "https://x",
                                   "plotlyServerURL": "https://x"}, "layout": {"title": "T",
                                   "updatemenus": [{"buttons": [{"method": "relayout", "args":
                                       [{"images": [{"source": "https://x"}]}]}]}],
                                   "sliders": [], "geo": {}, "mapbox": {"style": "https://x"},
                                   "map": {}}})"),
              R"({"data":[],"layout":{"title":"T"}})");
    // vega-tooltip loads what is called `image` when the pointer is there.
    EXPECT_EQ(left_of(kVega, R"({"encoding": {"tooltip": [{"field": "city", "type": "nominal"},
                                 {"field": "n", "title": "Count"}]}})"),
              R"({"encoding":{"tooltip":[{"field":"city","type":"nominal"},)"
              R"({"field":"n","title":"Count"}]}})");
    for (const char* loads :
         {R"({"tooltip": [{"field": "image"}]})",
          R"({"tooltip": [{"field": "a", "title": "image"}]})",
          R"({"tooltip": [{"field": "im\\age"}]})", R"({"tooltip": {"content": "data"}})",
          R"({"tooltip": {"signal": "{'image': 'https://x'}"}})", R"({"tooltip": true})",
          R"({"tooltip": {"field": "a"}})",
          R"({"tooltip": [{"value": {"image": "https://x"}}]})"}) {
        EXPECT_EQ(left_of(kVega, std::string(R"({"layer": [{"mark": )") + loads + "}]}"),
                  R"({"layer":[{"mark":{}}]})")
            << loads;
    }
    EXPECT_EQ(left_of(kVega, "{"), "nothing");
    EXPECT_EQ(left_of(kVega, "[]"), "nothing");
    EXPECT_EQ(left_of("text/latex", "{}"), "nothing");
    EXPECT_EQ(left_of("text/latex", R"("$x$")"), R"("$x$")");
}

// Goal: however much was drawn, the file stays one that can be opened.
TEST(ExportResults, AreBoundedTogether) {
    std::vector<StoredResult> many;
    const std::string text = R"({"data": [{"x": ")" + std::string(1 << 20, 'x') + R"("}]})";
    for (int i = 0; i < 20; ++i) many.push_back({kPlotly, text});
    ExportResults results;
    EXPECT_EQ(results.of(note_of(many)).size(), 11u);
}

}  // namespace atl::agent
