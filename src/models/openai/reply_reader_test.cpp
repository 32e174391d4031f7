#include "models/openai/reply_reader.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <random>

namespace atl::openai {

namespace {

struct Listener final : core::ChatListener {
    void text(std::string_view piece) noexcept override { said.append(piece); }
    void reasoning(std::string_view piece) noexcept override { thought.append(piece); }
    std::string said, thought;
};

struct Outcome {
    std::optional<core::ChatReply> reply;
    std::optional<Trouble> trouble;
    std::string said, thought;
    bool heard = false;
};

const ModelAddress kAddress{"http://model.test", "m", "secret-key"};

Outcome read(const std::vector<std::string_view>& pieces, bool end_is_marked = true) {
    Listener listener;
    ReplyReader reader(listener, kAddress);
    for (const auto piece : pieces) {
        if (!reader.feed(piece)) break;
    }
    Outcome outcome;
    outcome.reply = reader.finish(end_is_marked);
    outcome.trouble = reader.trouble();
    outcome.said = listener.said;
    outcome.thought = listener.thought;
    outcome.heard = reader.heard();
    return outcome;
}

Outcome read(std::string_view all, bool end_is_marked = true) {
    return read(std::vector<std::string_view>{all}, end_is_marked);
}

// Goal: whatever way the network cuts the bytes, the same comes out. All positions of one cut, and
// all sizes of equal pieces.
void in_every_cut(std::string_view all, const std::function<void(const Outcome&)>& check) {
    for (std::size_t at = 0; at <= all.size(); ++at) {
        SCOPED_TRACE("cut at " + std::to_string(at));
        check(read({all.substr(0, at), all.substr(at)}));
        if (testing::Test::HasFailure()) return;
    }
    for (std::size_t step = 1; step < 40; ++step) {
        SCOPED_TRACE("in pieces of " + std::to_string(step));
        std::vector<std::string_view> pieces;
        for (std::size_t at = 0; at < all.size(); at += step)
            pieces.push_back(all.substr(at, step));
        check(read(pieces));
        if (testing::Test::HasFailure()) return;
    }
}

std::string event(const std::string& delta, const std::string& more = "") {
    return "data: {\"choices\":[{\"index\":0,\"delta\":" + delta + more + "}]}\n\n";
}

std::string call_event(const std::string& entries) {
    return event("{\"tool_calls\":[" + entries + "]}");
}

const std::string kDone = "data: [DONE]\n\n";

std::string calls_of(const Outcome& outcome) {
    if (!outcome.reply) return "trouble: " + outcome.trouble->error.message;
    std::string all;
    for (const auto& call : outcome.reply->tool_calls) {
        all += (all.empty() ? "" : " | ") + call.name + " " + call.arguments;
    }
    return all;
}

}  // namespace

TEST(ReplyReader, TextReasoningAndUsage) {
    const std::string all =
        "\xEF\xBB\xBF: a comment\r\n\r\n" + event("{\"role\":\"assistant\",\"content\":\"\"}") +
        event("{\"reasoning_content\":\"Hm, 好\",\"reasoning\":\"Hm, 好\"}") +
        "event: message\r\nid: 4\r\ndata:" +
        event("{\"content\":\"Grüße, 世界 \\ud83c\\udf0d\"}").substr(6) +
        event("{\"content\":null}") +
        event(
            "{\"content\":[{\"type\":\"text\",\"text\":\"!\"},{\"type\":\"thinking\",\"thinking\":"
            "[{\"type\":\"text\",\"text\":\"?\"}]}]}") +
        event("{}", ",\"finish_reason\":\"stop\"") +
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":3}}\n\n" +
        kDone;
    in_every_cut(all, [](const Outcome& outcome) {
        ASSERT_TRUE(outcome.reply);
        EXPECT_EQ(outcome.reply->text, "Grüße, 世界 🌍!");
        EXPECT_EQ(outcome.said, outcome.reply->text);
        EXPECT_EQ(outcome.reply->reasoning, "Hm, 好?");
        EXPECT_EQ(outcome.thought, outcome.reply->reasoning);
        EXPECT_EQ(outcome.reply->usage.prompt_tokens, 12u);
        EXPECT_EQ(outcome.reply->usage.answer_tokens, 3u);
        EXPECT_EQ(outcome.reply->finish, core::ChatReply::Finish::Stop);
    });
}

// As local models write them that have no fields for it.
TEST(ReplyReader, ThoughtsAndCallsInTheText) {
    const std::string all =
        event("{\"content\":\"<think>Hm, 好</think>\\n\\nFirst:\\n<tool_\"}") +
        event("{\"content\":\"call>{\\\"name\\\": \\\"run_python\\\", \\\"arguments\\\": \"}") +
        event("{\"content\":\"{\\\"code\\\": \\\"1 < 2\\\"}}</tool_call>\"}") +
        event("{}", ",\"finish_reason\":\"stop\"") + kDone;
    in_every_cut(all, [](const Outcome& outcome) {
        ASSERT_TRUE(outcome.reply);
        EXPECT_EQ(outcome.said, "First:\n");
        EXPECT_EQ(outcome.reply->text, outcome.said);
        EXPECT_EQ(outcome.thought, "Hm, 好");
        EXPECT_EQ(calls_of(outcome), "run_python {\"code\":\"1 < 2\"}");
        EXPECT_FALSE(outcome.reply->tool_calls[0].id.empty());
        EXPECT_EQ(outcome.reply->finish, core::ChatReply::Finish::ToolCalls);
    });
    // One that is given as a call, too, is one call.
    const auto twice =
        read(event("{\"content\":\"<tool_call>{\\\"name\\\": \\\"f\\\"}</tool_call>\"}") +
             call_event("{\"index\":0,\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}") +
             event("{}", ",\"finish_reason\":\"stop\"") + kDone);
    EXPECT_EQ(calls_of(twice), "f {}");
    EXPECT_EQ(twice.said, "");
}

TEST(ReplyReader, ParallelCallsInPieces) {
    const std::string all =
        call_event(
            "{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"run_\",\"arguments\":\"\"}},"
            "{\"index\":1,\"id\":\"b\",\"function\":{\"name\":\"list\",\"arguments\":\"\"}}") +
        call_event("{\"index\":0,\"function\":{\"name\":\"python\"}}") +
        call_event("{\"index\":1,\"function\":{\"arguments\":\"{\"}}") +
        call_event("{\"index\":0,\"function\":{\"arguments\":\"{\\\"code\\\":\"}}") +
        call_event("{\"index\":0,\"function\":{\"arguments\":\"\\\"é\\\"}\"}}") +
        call_event("{\"index\":1,\"function\":{\"arguments\":\"}\"}}") +
        event("{}", ",\"finish_reason\":\"tool_calls\"") + kDone;
    in_every_cut(all, [](const Outcome& outcome) {
        EXPECT_EQ(calls_of(outcome), "run_python {\"code\":\"é\"} | list {}");
        EXPECT_EQ(outcome.reply->tool_calls[0].id, "a");
        EXPECT_EQ(outcome.reply->tool_calls[1].id, "b");
        EXPECT_EQ(outcome.reply->finish, core::ChatReply::Finish::ToolCalls);
    });
}

// Each row: how some provider sends the same two calls.
TEST(ReplyReader, TwoCallsInManyDialects) {
    const std::string f = "\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\\\":1}\"}";
    const std::string g = "\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}";
    const std::string f_object = "\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}";
    const std::string g_empty = "\"function\":{\"name\":\"g\",\"arguments\":\"\"}";
    const std::pair<const char*, std::string> kRows[] = {
        {"whole, one chunk each, by index", call_event("{\"index\":0,\"id\":\"1\"," + f + "}") +
                                                call_event("{\"index\":1,\"id\":\"2\"," + g + "}")},
        {"whole, in one chunk",
         call_event("{\"index\":0,\"id\":\"1\"," + f + "},{\"index\":1,\"id\":\"2\"," + g + "}")},
        {"all have index 0, ids differ", call_event("{\"index\":0,\"id\":\"1\"," + f + "}") +
                                             call_event("{\"index\":0,\"id\":\"2\"," + g + "}")},
        {"all have index 0, no ids",
         call_event("{\"index\":0," + f + "}") + call_event("{\"index\":0," + g + "}")},
        {"all have index 0, empty ids", call_event("{\"index\":0,\"id\":\"\"," + f + "}") +
                                            call_event("{\"index\":0,\"id\":\"\"," + g + "}")},
        {"no index, ids differ",
         call_event("{\"id\":\"1\"," + f + "}") + call_event("{\"id\":\"2\"," + g + "}")},
        {"no index, the same id",
         call_event("{\"id\":\"1\"," + f + "}") + call_event("{\"id\":\"1\"," + g + "}")},
        {"neither index nor id", call_event("{" + f + "}") + call_event("{" + g + "}")},
        {"neither, in one chunk", call_event("{" + f + "},{" + g + "}")},
        {"index null, id null", call_event("{\"index\":null,\"id\":null," + f + "}") +
                                    call_event("{\"index\":null,\"id\":null," + g + "}")},
        {"arguments as an object", call_event("{" + f_object + "},{" + g + "}")},
        {"name and id repeated with each piece",
         call_event(
             "{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\"}}") +
             call_event("{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":"
                        "\"\\\":1}\"}}") +
             call_event("{\"index\":1,\"id\":\"2\"," + g + "}")},
        {"another id with each piece, no name",
         call_event(
             "{\"index\":0,\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\\\"a\"}}") +
             call_event("{\"index\":0,\"id\":\"x\",\"function\":{\"arguments\":\"\\\":1}\"}}") +
             call_event("{\"index\":1,\"id\":\"2\"," + g + "}")},
        {"the whole once more at the end",
         call_event("{\"index\":0,\"id\":\"1\"," + f + "},{\"index\":1,\"id\":\"2\"," + g + "}") +
             call_event("{\"index\":0,\"id\":\"1\"," + f + "},{\"index\":1,\"id\":\"2\"," + g +
                        "}")},
        {"a message in place of a delta",
         "data: {\"choices\":[{\"message\":{\"tool_calls\":[{" + f + "},{" + g + "}]}}]}\n\n"},
        {"plain JSON",
         "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"1\"," + f +
             "},{\"id\":\"2\"," + g + "}]},\"finish_reason\":\"tool_calls\"}]}"},
    };
    for (const auto& [what, all] : kRows) {
        SCOPED_TRACE(what);
        const auto outcome = read(all);
        EXPECT_EQ(calls_of(outcome), "f {\"a\":1} | g {}");
        ASSERT_TRUE(outcome.reply);
        ASSERT_EQ(outcome.reply->tool_calls.size(), 2u);
        EXPECT_NE(outcome.reply->tool_calls[0].id, outcome.reply->tool_calls[1].id);
        EXPECT_FALSE(outcome.reply->tool_calls[0].id.empty());
        EXPECT_EQ(outcome.reply->finish, core::ChatReply::Finish::ToolCalls);
    }
    const auto without = read(call_event("{" + g_empty + "},{" + g_empty + "}") + kDone);
    EXPECT_EQ(calls_of(without), "g  | g ");
}

TEST(ReplyReader, TheOldFunctionCall) {
    const auto outcome = read(event("{\"function_call\":{\"name\":\"f\",\"arguments\":\"\"}}") +
                              event("{\"function_call\":{\"arguments\":\"{}\"}}",
                                    ",\"finish_reason\":\"function_call\""));
    EXPECT_EQ(calls_of(outcome), "f {}");
}

TEST(ReplyReader, CharactersCutInTwoAcrossEvents) {
    // The bytes of 世 in two events, and the halves of a surrogate pair in two.
    const auto cut =
        read(event("{\"content\":\"a\xE4\xB8\"}") + event("{\"content\":\"\x96z\"}") + kDone);
    ASSERT_TRUE(cut.reply);
    EXPECT_EQ(cut.reply->text, "a世z");
    EXPECT_EQ(cut.said, "a世z");
    const auto halves =
        read(event("{\"content\":\"\\ud83c\"}") + event("{\"content\":\"\\udf0d!\"}") + kDone);
    ASSERT_TRUE(halves.reply);
    EXPECT_EQ(halves.reply->text, "\xEF\xBF\xBD\xEF\xBF\xBD!");
    const auto left = read(event("{\"content\":\"a\xE4\xB8\"}") + kDone);
    ASSERT_TRUE(left.reply);
    EXPECT_EQ(left.reply->text, "a\xEF\xBF\xBD");
}

TEST(ReplyReader, EndsInManyWays) {
    using Finish = core::ChatReply::Finish;
    const std::pair<std::string, Finish> kRows[] = {
        {",\"finish_reason\":\"length\"", Finish::Length},
        {",\"finish_reason\":\"max_tokens\"", Finish::Length},
        {",\"finish_reason\":\"content_filter\"", Finish::Filtered},
        {",\"finish_reason\":\"eos\"", Finish::Stop},
        {",\"finish_reason\":\"\"", Finish::Stop},
        {",\"finish_reason\":7", Finish::Stop},
        {"", Finish::Stop}};
    for (const auto& [reason, finish] : kRows) {
        const auto outcome = read(event("{\"content\":\"x\"}", reason));
        ASSERT_TRUE(outcome.reply) << reason;
        EXPECT_EQ(outcome.reply->finish, finish) << reason;
    }
    // An error that is none.
    for (const char* none : {"null", "false", "\"\"", "{}"}) {
        const auto outcome = read("data: {\"error\":" + std::string(none) +
                                  ",\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n");
        EXPECT_EQ(outcome.said, "x") << none;
    }
    // The last event without its blank line still counts.
    EXPECT_EQ(read("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}").said, "x");
    // No word of an end, and a body that ends with the connection: it may have been cut.
    const auto cut = read(event("{\"content\":\"x\"}"), false);
    ASSERT_TRUE(cut.trouble);
    EXPECT_EQ(cut.trouble->error.code, Code::Unavailable);
    EXPECT_TRUE(cut.heard);
    EXPECT_TRUE(read(event("{\"content\":\"x\"}") + kDone, false).reply);
}

TEST(ReplyReader, TroubleInPlaceOfAnAnswer) {
    const std::tuple<std::string, Code, bool> kRows[] = {
        {"", Code::Internal, false},
        {"  \n", Code::Internal, false},
        {"<html>nginx</html>", Code::Internal, false},
        {"data: [DONE]\n\n", Code::Internal, false},
        {"hello\n", Code::Internal, false},
        {"{\"choices\":", Code::Internal, false},
        {"{\"choices\":[]}", Code::Internal, false},
        {"{\"error\":\"boom\"}", Code::Unavailable, true},
        {"{\"detail\":\"Not Found\"}", Code::Unavailable, true},
        {"{\"object\":\"error\",\"message\":\"bad\",\"code\":400}", Code::InvalidArgument, false},
        {"data: {\"error\":{\"message\":\"slow down\",\"code\":429}}\n\n", Code::Unavailable, true},
        {"data: {\"error\":{\"message\":\"x\",\"type\":\"invalid_request_error\"}}\n\n",
         Code::InvalidArgument, false},
        {"event: error\ndata: it broke\n\n", Code::Unavailable, true},
        {"data: {\"error\":{\"message\":\"maximum context length is 10\"}}\n\n", Code::TooLarge,
         false},
    };
    for (const auto& [all, code, may_pass] : kRows) {
        const auto outcome = read(all);
        EXPECT_FALSE(outcome.reply) << all;
        ASSERT_TRUE(outcome.trouble) << all;
        EXPECT_EQ(outcome.trouble->error.code, code) << all << outcome.trouble->error.message;
        EXPECT_EQ(outcome.trouble->may_pass, may_pass) << all;
        EXPECT_FALSE(outcome.heard) << all;
    }
    const auto quoted = read("data: {\"error\":\"bad secret-key\\u0000\\nhere\"}\n\n");
    EXPECT_EQ(quoted.trouble->error.message.find("secret-key"), std::string::npos);
    EXPECT_EQ(quoted.trouble->error.message.find('\n'), std::string::npos);
}

// Goal: bytes that nobody would send never crash it, and what comes out is text.
TEST(ReplyReader, SurvivesMutations) {
    const std::string all =
        event("{\"content\":\"Grüße \\ud83c\\udf0d\"}") +
        call_event(
            "{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}") +
        event("{\"function_call\":{\"name\":\"f\"}}", ",\"finish_reason\":\"stop\"") +
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12}}\n\n" + kDone;
    std::mt19937 random(7);
    const std::string letters = "{}[]\":,\\u\xE4\xB8\x96\xFF\n\r0-1endtx ";
    for (int round = 0; round < 3000; ++round) {
        std::string bent = all;
        for (int i = 0; i < 1 + round % 5; ++i) {
            bent[random() % bent.size()] = letters[random() % letters.size()];
        }
        const auto outcome = read(bent);
        EXPECT_TRUE(is_utf8(outcome.said));
        EXPECT_TRUE(outcome.reply || outcome.trouble);
        if (!outcome.reply) continue;
        EXPECT_EQ(outcome.reply->text, outcome.said);
        for (const auto& call : outcome.reply->tool_calls) {
            EXPECT_TRUE(is_utf8(call.name) && is_utf8(call.arguments) && is_utf8(call.id));
        }
    }
}

TEST(ReplyReader, HasLimits) {
    std::string many;
    for (int i = 0; i < 65; ++i) {
        many += call_event("{\"index\":" + std::to_string(i) + ",\"function\":{\"name\":\"f\"}}");
    }
    EXPECT_EQ(read(many).trouble->error.code, Code::TooLarge);
    const std::string big = event("{\"content\":\"" + std::string(1u << 20, 'x') + "\"}");
    EXPECT_EQ(read(std::vector<std::string_view>(9, big)).trouble->error.code, Code::TooLarge);
    EXPECT_TRUE(read("data: " + std::string(5u << 20, 'x')).trouble);
    std::string odd;
    for (int i = 0; i < 300; ++i) odd += "data: nonsense\n\n";
    EXPECT_TRUE(read(odd).trouble);
    const auto deep =
        read("data: " + std::string(1000, '[') + "\n\n" + event("{\"content\":\"x\"}"));
    EXPECT_EQ(deep.said, "x");
}

TEST(Utf8, KnowsWhatIsNone) {
    for (const char* text : {"", "a", "é", "世", "🌍", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
        EXPECT_TRUE(is_utf8(text)) << text;
    }
    for (const char* text : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xE4\xB8",
                             "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF", "a\xC3z"}) {
        EXPECT_FALSE(is_utf8(text)) << text;
        EXPECT_TRUE(is_utf8(as_utf8(text))) << text;
    }
    EXPECT_EQ(cut_utf8("a世界", 5), "a世");
    EXPECT_EQ(cut_utf8("abc", 3), "abc");
    EXPECT_EQ(cut_utf8("世", 1), "");
}

TEST(Utf8, JoinsWhateverWayItIsCut) {
    const std::string text = "aé世🌍z\xFF.";
    for (std::size_t step = 1; step < text.size(); ++step) {
        Utf8Joiner joiner;
        std::string all;
        for (std::size_t at = 0; at < text.size(); at += step) {
            const auto piece = joiner.add(std::string_view(text).substr(at, step));
            EXPECT_TRUE(is_utf8(piece));
            all += piece;
        }
        all += joiner.rest();
        EXPECT_EQ(all, "aé世🌍z\xEF\xBF\xBD.") << step;
    }
}

}  // namespace atl::openai
