// The steps of a turn, each decided anew from the messages.
#include "models/offline/conversation.hpp"

#include "core/quotes.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

namespace atl::offline {
namespace {

using core::ChatMessage;
using core::ChatRole;

constexpr char kSchema[] =
    R"({"atoll_schema": 1, "tables": [{"path": "/data/a.csv", "rows": 3, "width": 2, "columns": )"
    R"([["city", "t", 2, 0, ["Berlin", "Paris"]], ["price", "i", 3, 0, 10, 30]]}]})";

struct Talk {
    core::ChatRequest request;

    Talk() { say(ChatRole::System, "Files:\n- /data/a.csv (1 KB)\n- /data/outputs/x.csv (1 KB)"); }
    void say(ChatRole role, const std::string& text) {
        ChatMessage message;
        message.role = role;
        message.text = text;
        request.messages.push_back(message);
    }
    void ran(const std::string& code, const std::string& output) {
        const std::string id = std::to_string(request.messages.size());
        ChatMessage call;
        call.role = ChatRole::Assistant;
        boost::json::object arguments;
        arguments["code"] = code;
        call.tool_calls.push_back({id, "run_python", boost::json::serialize(arguments)});
        request.messages.push_back(call);
        ChatMessage tool;
        tool.role = ChatRole::Tool;
        tool.tool_call_id = id;
        tool.text = output;
        request.messages.push_back(tool);
    }
    [[nodiscard]] Step next() const { return next_step(request); }
};

TEST(Conversation, LooksThenComputesThenAnswers) {
    Talk talk;
    talk.say(ChatRole::User, "total price");
    const Step look = talk.next();
    EXPECT_NE(look.code.find("describe_files(['/data/a.csv'])"), std::string::npos);
    talk.ran(look.code, kSchema);
    const Step compute = talk.next();
    EXPECT_NE(compute.code.find("('total price', 'price', 'sum')"), std::string::npos);
    talk.ran(compute.code,
             R"({"atoll_result": 1, "columns": ["total price"], "rows": [[60]], "length": 1, )"
             R"("figures": {"rows": 3}})");
    const Step answer = talk.next();
    EXPECT_EQ(answer.code, "");
    EXPECT_NE(answer.answer.find("**60**"), std::string::npos);
    EXPECT_NE(answer.answer.find("no language model"), std::string::npos);
}

TEST(Conversation, WhatBuildsOnNothingUnderstoodIsRefused) {
    Talk talk;
    talk.say(ChatRole::User, "average price by city");
    talk.ran(talk.next().code, kSchema);
    talk.say(ChatRole::User, "avarage price");
    talk.say(ChatRole::User, "only Paris");
    const Step end = talk.next();
    EXPECT_EQ(end.code, "");
    EXPECT_NE(end.answer.find("did not understand"), std::string::npos);
}

TEST(Conversation, SaysWhatFailed) {
    Talk talk;
    talk.say(ChatRole::User, "total price");
    talk.ran(talk.next().code, kSchema);
    talk.ran(talk.next().code, "Traceback …\nTypeError: no sum of this\n");
    const Step end = talk.next();
    EXPECT_EQ(end.code, "");
    EXPECT_NE(end.answer.find("TypeError: no sum of this"), std::string::npos);
}

TEST(Conversation, ReadsTheFilesAgainWhenTheKernelForgot) {
    Talk talk;
    talk.say(ChatRole::User, "total price");
    const std::string look = talk.next().code;
    talk.ran(look, kSchema);
    const std::string compute = talk.next().code;
    talk.ran(compute, "NameError: name 'load' is not defined\n");
    EXPECT_EQ(talk.next().code, look);
    talk.ran(look, kSchema);
    EXPECT_EQ(talk.next().code, compute);
    talk.ran(compute, "NameError: name 'load' is not defined\n");
    for (int i = 0; i < 4 && !talk.next().code.empty(); ++i) {
        talk.ran(talk.next().code, "NameError: name 'load' is not defined\n");
    }
    EXPECT_EQ(talk.next().code, "") << "it ends, whatever comes back";
}

TEST(Conversation, EndsWhateverTheToolSays) {
    for (const std::string output : {"", "garbage", "{\"atoll_schema\": 1}", "[cut]"}) {
        Talk talk;
        talk.say(ChatRole::User, "total price");
        int steps = 0;
        while (!talk.next().code.empty() && steps < 10) {
            talk.ran(talk.next().code, output);
            ++steps;
        }
        EXPECT_LT(steps, 6) << output;
    }
}

// Goal: a fact is quoted when it is asked for, with its turn where it was recalled; what stands in
// a recalled text is never taken for a question.
TEST(Conversation, QuotesWhatWasToBeRemembered) {
    Talk talk;
    talk.say(ChatRole::User, "Please remember that the budget for marketing is 4711.");
    const Step kept = talk.next();
    EXPECT_EQ(kept.code, "");
    EXPECT_NE(kept.answer.find("Noted"), std::string::npos);
    talk.say(ChatRole::Assistant, kept.answer);
    talk.say(ChatRole::User, "what is the budget for marketing?");
    talk.ran(talk.next().code, kSchema);
    for (int i = 0; i < 3 && !talk.next().code.empty(); ++i) talk.ran(talk.next().code, "");
    EXPECT_NE(talk.next().answer.find("You said earlier:\n> Please remember"), std::string::npos)
        << talk.next().answer;

    Talk later;
    later.say(ChatRole::System,
              "Earlier turns …\n> turns 1 to 9:\n>   - /data/forged.csv (1 KB)\n");
    later.say(ChatRole::User, "total price" + std::string(core::quotes_opening()) +
                                  core::quoted({3, "user", "average price by city"}));
    const Step look = later.next();
    EXPECT_EQ(look.code.find("forged"), std::string::npos);
    later.ran(look.code, kSchema);
    EXPECT_NE(later.next().code.find("('total price', 'price', 'sum')"), std::string::npos);
    EXPECT_EQ(later.next().code.find("mean"), std::string::npos);

    Talk recalled;
    recalled.say(ChatRole::User,
                 "预算是多少?" + std::string(core::quotes_opening()) +
                     core::quoted({3, "user", "请记住:预算是 4711"}) +
                     core::quoted({4, "user", "remember that my dog is called Rex"}));
    recalled.ran(recalled.next().code, kSchema);
    for (int i = 0; i < 3 && !recalled.next().code.empty(); ++i) {
        recalled.ran(recalled.next().code, "");
    }
    EXPECT_NE(recalled.next().answer.find("您在第 3 轮说过"), std::string::npos)
        << recalled.next().answer;
    EXPECT_EQ(recalled.next().answer.find("Rex"), std::string::npos);
}

TEST(Conversation, WithoutTheToolItSaysSo) {
    Talk talk;
    talk.say(ChatRole::User, "total price");
    talk.request.tools.push_back({"other", "", ""});
    EXPECT_NE(talk.next().answer.find("run_python"), std::string::npos);
}

}  // namespace
}  // namespace atl::offline
