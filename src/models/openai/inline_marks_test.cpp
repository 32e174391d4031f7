// Goal: thoughts and calls that a model wrote as text are told apart from its answer, wherever the
// stream is cut; and what only looks like them is left alone.
#include "models/openai/inline_marks.hpp"

#include <gtest/gtest.h>

namespace atl::openai {

namespace {

using Kind = InlineMarks::Piece::Kind;

struct Parts {
    std::string text, thought;
    std::vector<std::string> calls;
    bool operator==(const Parts&) const = default;
};

void add(Parts& parts, const std::vector<InlineMarks::Piece>& pieces) {
    for (const auto& piece : pieces) {
        if (piece.kind == Kind::Text) parts.text += piece.text;
        if (piece.kind == Kind::Thought) parts.thought += piece.text;
        if (piece.kind == Kind::Call) parts.calls.push_back(piece.text);
    }
}

Parts read(std::string_view text, std::size_t step) {
    InlineMarks marks;
    Parts parts;
    for (std::size_t at = 0; at < text.size(); at += step) {
        add(parts, marks.add(text.substr(at, step)));
    }
    add(parts, marks.rest());
    return parts;
}

TEST(InlineMarks, AreFoundInEveryCut) {
    struct Row {
        const char* text;
        Parts parts;
    };
    const Row rows[] = {
        {"", {}},
        {"plain <b> text < 3", {"plain <b> text < 3", "", {}}},
        {"<think>hm</think>\n\nYes", {"Yes", "hm", {}}},
        {"\n<think>a < b</think>Yes", {"\nYes", "a < b", {}}},
        {"<think>still", {"", "still", {}}},
        {"<think>still</thi", {"", "still</thi", {}}},
        {"<tool_call>\n{\"name\":\"x\"}\n</tool_call>", {"", "", {"\n{\"name\":\"x\"}\n"}}},
        {"First.\n<tool_call>a</tool_call>\n<tool_call>b</tool_call>\nThen.",
         {"First.\nThen.", "", {"a", "b"}}},
        {"<think>t</think><tool_call>a</tool_call>", {"", "t", {"a"}}},
        {"One\n<tool_call>{\"na", {"One\n", "", {"{\"na"}}},
        // What is no mark.
        {"Models write <think> first", {"Models write <think> first", "", {}}},
        {"A `<tool_call>` is text", {"A `<tool_call>` is text", "", {}}},
        {"```\n<tool_call>x</tool_call>\n```\n<tool_call>y</tool_call>",
         {"```\n<tool_call>x</tool_call>\n```\n", "", {"y"}}},
        {"<thi", {"<thi", "", {}}},
        {"<tool_calls", {"<tool_calls", "", {}}},
        {"<<think>a</think>", {"<<think>a</think>", "", {}}},
    };
    for (const auto& row : rows) {
        for (const std::size_t step : {1u, 2u, 3u, 5u, 7u, 11u, 1000u}) {
            const auto found = read(row.text, step);
            EXPECT_EQ(found.text, row.parts.text) << row.text << " in steps of " << step;
            EXPECT_EQ(found.thought, row.parts.thought) << row.text << " in steps of " << step;
            EXPECT_EQ(found.calls, row.parts.calls) << row.text << " in steps of " << step;
        }
    }
}

TEST(InlineMarks, Calls) {
    struct Row {
        const char* text;
        const char* name;
        const char* arguments;
    };
    const Row rows[] = {
        {R"( {"name": "run_python", "arguments": {"code": "1\n2"}} )", "run_python",
         R"({"code":"1\n2"})"},
        {R"({"name": "f", "arguments": "{\"a\":1}"})", "f", R"({"a":1})"},
        {R"({"name": "f", "parameters": {"a": 1}})", "f", R"({"a":1})"},
        {R"({"name": "f"})", "f", "{}"},
        {"<function=run_python>\n<parameter=code>\nprint('<b>')\n</parameter>\n</function>",
         "run_python", R"-({"code":"print('<b>')"})-"},
        {"<function=f>\n<parameter=a>\n1", "f", R"({"a":"1"})"},
        {"<function=f>\n</function>", "f", "{}"},
        {"", nullptr, nullptr},
        {"{\"na", nullptr, nullptr},
        {"[1]", nullptr, nullptr},
        {R"({"name": 7})", nullptr, nullptr},
        {"run it", nullptr, nullptr},
        {"<function=", nullptr, nullptr},
    };
    for (const auto& row : rows) {
        const auto call = call_in(row.text);
        ASSERT_EQ(call.has_value(), row.name != nullptr) << row.text;
        if (!call) continue;
        EXPECT_EQ(call->name, row.name);
        EXPECT_EQ(call->arguments, row.arguments);
    }
}

}  // namespace

}  // namespace atl::openai
