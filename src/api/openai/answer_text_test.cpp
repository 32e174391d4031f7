// Goal: what a front end renders is what happened, whatever code and models write: no output ends
// its own fence, pieces make the whole, and a path in the sandbox becomes a link that opens.
#include "api/openai/answer_text.hpp"

#include "agent/turn_events.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <gtest/gtest.h>

namespace atl::api::openai {

namespace {

std::string link_to(std::string_view path) { return "L(" + std::string(path) + "L"; }

struct Told {
    explicit Told(bool shows_code) : text(shows_code, link_to) {}
    void tell(std::string_view name, const std::string& data) { text.event(turn, name, data); }
    void say(std::string_view words) { tell("token", agent::text_event(words)); }
    void run(std::string code, std::string output) {
        tell("code_start", schema::to_json(agent::start_of(1, code, "python")));
        tell("code_run", schema::to_json(agent::CodeRun{code, std::move(output), 1}));
    }
    std::string whole() {
        text.end();
        return text.whole();
    }

    boost::asio::io_context loop;
    agent::LiveTurn turn{loop.get_executor(), ThreadId("th-1")};
    AnswerText text;
};

TEST(AnswerText, ShowsCodeItsOutputAndTheAnswer) {
    Told told(true);
    told.say("Let me look.");
    told.run("1 + 1", "2");
    told.say("\n\n");
    told.say("It is 2.");
    EXPECT_EQ(told.whole(), "Let me look.\n\n```python\n1 + 1\n```\n\n```text\n2\n```\n\nIt is 2.");
    Told quiet(false);
    quiet.say("Let me look.");
    quiet.run("1 + 1", "2");
    quiet.say("\n\n");
    quiet.say("It is 2.");
    EXPECT_EQ(quiet.whole(), "Let me look.\n\nIt is 2.");
}

TEST(AnswerText, CodeWithoutOutputHasNoBlockOfIt) {
    Told told(true);
    told.run("x = 1\n", "");
    told.say("Done.");
    EXPECT_EQ(told.whole(), "```python\nx = 1\n```\n\nDone.");
}

TEST(AnswerText, NoOutputEndsItsOwnFence) {
    struct Row {
        const char* text;
        const char* fence;
    };
    const Row rows[] = {
        {"", "```"}, {"``", "```"}, {"```", "````"}, {"`````", "``````"}, {"a```b````c", "`````"}};
    for (const auto& row : rows) EXPECT_EQ(fence_for(row.text), row.fence) << row.text;
    Told told(true);
    told.run("print('x')", "```\n# not a heading");
    EXPECT_NE(told.whole().find("````text\n```\n# not a heading\n````\n"), std::string::npos);
}

TEST(AnswerText, PiecesMakeTheWhole) {
    Told told(true);
    std::string joined, thoughts;
    const auto take = [&] {
        auto piece = told.text.take();
        joined += piece.content;
        thoughts += piece.reasoning;
    };
    told.tell("status", agent::text_event("thinking"));
    take();
    told.tell("reasoning", agent::text_event("hm"));
    take();
    told.say("See [a");
    take();
    told.say("](/data/out");
    take();
    told.say("puts/a.csv) and");
    take();
    told.run("1", "1");
    take();
    told.say("so on");
    told.text.end();
    take();
    EXPECT_EQ(joined, told.text.whole());
    EXPECT_EQ(thoughts, "hm");
    EXPECT_EQ(
        joined,
        "See [a](L(/data/outputs/a.csvL) and\n\n```python\n1\n```\n\n```text\n1\n```\n\nso on");
}

TEST(AnswerText, ImagesAndFilesAreLinked) {
    Told told(true);
    told.turn.outcome.files.push_back({"/data/outputs/a_[1].csv", 2048});
    told.run("f()", "");
    agent::ImageLink image;
    image.path = "/data/outputs/chart.png";
    told.tell("image", schema::to_json(image));
    told.tell("image", schema::to_json(image));  // drawn again: shown once
    told.say("Done.");
    const auto whole = told.whole();
    EXPECT_NE(whole.find("[a_\\[1\\].csv](L(/data/outputs/a_[1].csvL)"), std::string::npos)
        << whole;
    const auto at = whole.find("![chart.png](L(/data/outputs/chart.pngL)");
    ASSERT_NE(at, std::string::npos) << whole;
    EXPECT_EQ(whole.find("![chart.png]", at + 1), std::string::npos);
    EXPECT_TRUE(whole.ends_with("\n\nDone."));
}

TEST(AnswerText, ATableIsShownWhereTheCodeIsNot) {
    agent::TableData table;
    table.columns = {"a|b", "n"};
    table.rows.emplace_back(boost::json::array{"x\ny", 1});
    table.rows.emplace_back(boost::json::array{nullptr, 2.5});
    table.total_rows = 9;
    Told quiet(false);
    quiet.tell("table", schema::to_json(table));
    const auto whole = quiet.whole();
    EXPECT_TRUE(whole.starts_with("| a\\|b | n |\n| --- | --- |\n| x")) << whole;
    EXPECT_NE(whole.find("2 of 9 rows"), std::string::npos);
    Told shown(true);
    shown.tell("table", schema::to_json(table));
    EXPECT_EQ(shown.whole(), "");
}

TEST(AnswerText, WhoMissedEventsHasTheAnswerAllTheSame) {
    Told told(true);
    told.say("The first ");
    told.turn.outcome.answer = "The first half, and the second.";
    told.text.catch_up(told.turn);
    EXPECT_EQ(told.whole(), "The first half, and the second.");
}

TEST(AnswerText, HasALimit) {
    Told told(true);
    const std::string much(1u << 20, 'x');
    for (int i = 0; i < 20; ++i) told.say(much);
    EXPECT_TRUE(told.text.cut());
    EXPECT_LE(told.whole().size(), AnswerText::kContentBytesMax);
}

TEST(PathLinks, OnlyPathsOfTheSandboxAreReplaced) {
    struct Row {
        const char* text;
        const char* said;
    };
    const Row rows[] = {
        {"[a](/data/x.csv)", "[a](L(/data/x.csvL)"},
        {"![a](sandbox:/data/outputs/x%20y.png).", "![a](L(/data/outputs/x y.pngL)."},
        {"[a](/session/x)", "[a](L(/session/xL)"},
        {"[a](https://example.org/data/x)", "[a](https://example.org/data/x)"},
        {"[a](/etc/passwd)", "[a](/etc/passwd)"},
        {"[a](/data/../etc/passwd)", "[a](/data/../etc/passwd)"},
        {"[a](/data//x)", "[a](/data//x)"},
        {"[a](/data/x", "[a](/data/x"},
        {"[a](/data/x\n)", "[a](/data/x\n)"},
        {"f[0](1)", "f[0](1)"},
        {"[a] (/data/x)", "[a] (/data/x)"},
        {"[a]()", "[a]()"},
        {"", ""},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.text);
        PathLinks whole(link_to);
        std::string at_once = whole.add(row.text);
        at_once += whole.end();
        EXPECT_EQ(at_once, row.said);
        PathLinks pieces(link_to);
        std::string said;
        for (const char c : std::string_view(row.text)) said += pieces.add(std::string_view(&c, 1));
        said += pieces.end();
        EXPECT_EQ(said, row.said);
    }
    PathLinks links(link_to);
    const std::string far = "[a](/data/" + std::string(5000, 'x') + ")";
    std::string said = links.add(far);
    said += links.end();
    EXPECT_EQ(said, far);
}

}  // namespace

}  // namespace atl::api::openai
