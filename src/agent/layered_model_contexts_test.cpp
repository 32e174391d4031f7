// Goal: whatever a thread holds and however little room there is, what is sent fits, is a
// conversation that providers take, and says of every part why; what was pruned is found again.
#include "agent/layered_model_contexts.hpp"

#include "agent/model_context_bench.hpp"
#include "agent/tokens.hpp"

#include <gtest/gtest.h>
#include <random>

namespace atl::agent {

namespace {

namespace asio = boost::asio;
using core::contract::await;
using testing::MemoryRecall;
using testing::MemoryThreads;
using testing::ScriptedEmbeddings;
using testing::ScriptedModel;

struct Bench {
    asio::io_context loop;
    MemoryThreads threads;
    MemoryRecall recall;
    ScriptedModel model;
    ScriptedEmbeddings embeddings;
    std::vector<std::string> told;
    std::unique_ptr<LayeredModelContexts> contexts;
    std::uint64_t tokens_max = 2'000;

    explicit Bench(bool with_model = false, bool with_embeddings = false) {
        LayeredModelContexts::Options options;
        options.tokens_max = tokens_max;
        options.summary_time_max = std::chrono::milliseconds(100);
        options.tell = [this](const std::string& sentence) { told.push_back(sentence); };
        contexts = std::make_unique<LayeredModelContexts>(
            LayeredModelContexts::Parts{threads, recall, with_embeddings ? &embeddings : nullptr,
                                        with_model ? &model : nullptr},
            options);
    }
    void end() { await(loop, contexts->turn_ended(threads.thread)); }
    void turn(const std::string& question, const std::string& answer, std::size_t output = 0) {
        threads.turn(question, answer, output);
        end();
    }
    // The question is asked, and taken back.
    ModelContext ask(const std::string& question) {
        threads.ask(question);
        auto context = look(question, threads.messages.back().sequence);
        threads.messages.pop_back();
        --threads.thread.turns;
        threads.thread.messages = threads.messages.size();
        return context;
    }
    ModelContext look(const std::string& question, std::uint64_t sequence = 0) {
        ModelContextInput input;
        input.thread = threads.thread;
        input.question = sequence;
        input.question_text = question;
        input.system = "You are an analyst.\n";
        input.tokens_max = tokens_max;
        return await(loop, contexts->build(std::move(input)));
    }
};

std::string filler(int i) {
    return "What about entry number " + std::to_string(i) + " of the list, is it fine as it is?";
}
std::string reply(int i) { return "Entry " + std::to_string(i) + " looks fine, nothing to add."; }

const ModelContextPart* part_of(const ModelContext& context, const std::string& kind,
                                const std::string& why) {
    for (const auto& part : context.parts) {
        if (part.kind == kind && part.why.find(why) != std::string::npos) return &part;
    }
    return nullptr;
}

std::string all_text(const ModelContext& context) {
    std::string text;
    for (const auto& message : context.request.messages) text += message.text + "\n";
    return text;
}

// Every call is answered, once, right behind it; the question is last.
void expect_well_formed(const ModelContext& context) {
    const auto& messages = context.request.messages;
    std::set<std::string> open;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto& message = messages[i];
        if (message.role == core::ChatRole::Tool) {
            EXPECT_EQ(open.erase(message.tool_call_id), 1u) << i;
            continue;
        }
        EXPECT_TRUE(open.empty()) << i;
        for (const auto& call : message.tool_calls) open.insert(call.id);
        EXPECT_EQ(message.role == core::ChatRole::System,
                  i == 0 || (i == 1 && message.text.starts_with("Earlier turns")));
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(messages.back().role, core::ChatRole::User);
}

void expect_every_message_told(const ModelContext& context, std::uint64_t messages) {
    // Sent, or said to be left out: as a turn, each message once.
    std::uint64_t next = 1;
    for (const auto& part : context.parts) {
        if (part.kind != "turn" && part.kind != "question") continue;
        EXPECT_EQ(part.first, next) << part.why;
        next = part.last + 1;
    }
    EXPECT_EQ(next, messages + 1);
}

}  // namespace

TEST(LayeredModelContexts, AShortThreadIsSentWhole) {
    Bench bench;
    bench.turn("first", "one", 100);
    bench.turn("second", "two");
    const auto context = bench.ask("third");
    EXPECT_EQ(context.parts.size(), 4u);
    for (const auto& part : context.parts) EXPECT_TRUE(part.sent) << part.kind;
    EXPECT_EQ(context.request.messages.size(), 1 + 4 + 2 + 1u);
    expect_well_formed(context);
    EXPECT_EQ(bench.threads.patches, 0u) << "nothing to summarise";
}

TEST(LayeredModelContexts, OutputsAreShortenedBeforeTurnsAreLeftOut) {
    Bench bench;
    for (int i = 0; i < 4; ++i) bench.turn(filler(i), reply(i), 4'000);
    const auto context = bench.ask("and now?");
    EXPECT_EQ(part_of(context, "turn", "left out"), nullptr);
    EXPECT_NE(part_of(context, "turn", "shortened"), nullptr);
    EXPECT_NE(all_text(context).find("bytes left out here"), std::string::npos);
    EXPECT_EQ(context.parts[context.parts.size() - 2].why, "recent") << "the latest is whole";
    EXPECT_LE(context.tokens, bench.tokens_max);
    expect_every_message_told(context, bench.threads.thread.messages + 1);
}

TEST(LayeredModelContexts, ANeedleIsFoundAndSummariesAreMade) {
    Bench bench;
    for (int i = 1; i <= 300; ++i) {
        bench.turn(i == 3 ? "Remember that the budget for marketing is 4711." : filler(i),
                   reply(i));
    }
    const auto context = bench.ask("What was the budget for marketing?");
    EXPECT_LE(context.tokens, bench.tokens_max);
    const auto& question = context.request.messages.back().text;
    EXPECT_EQ(core::without_quotes(question), "What was the budget for marketing?");
    EXPECT_NE(question.find("> [turn 3] user: Remember that the budget for marketing is 4711."),
              std::string::npos);
    EXPECT_NE(question.find("> [turn 3] answer: Entry 3 looks fine"), std::string::npos);
    const auto* part = part_of(context, "recalled", "for: budget, marketing");
    ASSERT_NE(part, nullptr);
    EXPECT_EQ(part->first, 5u);
    EXPECT_NE(part_of(context, "summary", "in layer 1, sentences taken out"), nullptr);
    EXPECT_NE(part_of(context, "turn", "summarised"), nullptr);
    EXPECT_EQ(part_of(context, "turn", "not summarised yet"), nullptr);
    expect_well_formed(context);
    expect_every_message_told(context, bench.threads.thread.messages + 1);
    EXPECT_LE(bench.threads.thread.memory_json.size(), kMemoryBytesMax);
    EXPECT_EQ(bench.threads.messages.size(), 600u) << "nothing is lost";

    const auto none = bench.ask("Zebra?");
    EXPECT_NE(part_of(none, "recalled", "nothing in the pruned part"), nullptr);
}

TEST(LayeredModelContexts, TheCostOfATurnIsFlat) {
    Bench bench;
    std::size_t early = 0;
    for (int i = 1; i <= 400; ++i) {
        const auto before = bench.threads.messages_read;
        (void)bench.ask(filler(i));
        bench.turn(filler(i), reply(i));
        const auto read = bench.threads.messages_read - before;
        if (i > 100 && i <= 200) early = std::max(early, read);
        if (i > 350) { EXPECT_LE(read, early + 16) << "turn " << i; }
    }
}

TEST(LayeredModelContexts, AreWithinTheBudgetWhateverTheThreadHolds) {
    std::mt19937 dice(7);
    const auto below = [&](std::size_t most) {
        return std::uniform_int_distribution<std::size_t>(0, most)(dice);
    };
    const auto text = [&](std::size_t most) {
        static const std::string kPieces[] = {"word ",       "4711 ", "Budget ", "预算",     "\n",
                                              "> [turn 1] ", "é",     ". ",      "remember "};
        std::string made;
        const auto size = below(1) == 0 ? below(most) : below(60);
        while (made.size() < size) made += kPieces[below(std::size(kPieces) - 1)];
        return made;
    };
    for (int round = 0; round < 12; ++round) {
        Bench bench(round % 3 == 0, false);
        bench.model.answer = text(4'000);
        bench.model.fails = round % 2 == 0;
        const auto turns = below(24);
        for (std::size_t i = 0; i < turns; ++i) {
            bench.tokens_max = 100 + below(4'000);
            bench.threads.turn("q" + text(3'000), text(3'000), below(2) == 0 ? below(20'000) : 0);
            if (below(9) == 0) bench.threads.say(core::MessageRole::Note, "cut off");
            if (below(3) > 0) bench.end();
            if (below(5) == 0) bench.threads.thread.memory_json = text(100);
            if (below(5) == 0) bench.recall.entries.clear();
            bench.recall.broken = below(5) == 0;
            const auto question = "q" + text(800);
            try {
                const auto context = bench.ask(question);
                EXPECT_LE(estimate_tokens(context.request), bench.tokens_max);
                EXPECT_EQ(context.tokens, estimate_tokens(context.request));
                EXPECT_TRUE(context.request.messages.back().text.starts_with(question));
                expect_well_formed(context);
                expect_every_message_told(context, bench.threads.thread.messages + 1);
            } catch (const ErrorException& error) {
                ASSERT_EQ(error.error.code, Code::TooLarge);
                EXPECT_GT(estimate_tokens(question) + 20, bench.tokens_max);
            }
        }
    }
}

TEST(LayeredModelContexts, ALatestTurnBeyondTheBudgetIsToldBriefly) {
    Bench bench;
    bench.turn("please read this: " + std::string(20'000, 'x'), "It is long.");
    const auto context = bench.ask("and?");
    EXPECT_LE(context.tokens, bench.tokens_max);
    EXPECT_NE(part_of(context, "turn", "cut to fit"), nullptr);
    EXPECT_NE(all_text(context).find("It is long."), std::string::npos);
    EXPECT_THROW((void)bench.ask(std::string(20'000, 'x')), ErrorException);
}

TEST(LayeredModelContexts, AQuestionAskedOnceMoreStandsAtTheEnd) {
    Bench bench;
    bench.threads.ask("the first question");
    bench.threads.say(core::MessageRole::Note, "cut off");
    ++bench.threads.thread.turns;  // begun anew, without a copy of the question
    const auto context = bench.look("the first question", 1);
    expect_well_formed(context);
    EXPECT_EQ(context.request.messages.back().text, "the first question");
    EXPECT_EQ(context.request.messages.size(), 4u);
    EXPECT_NE(part_of(context, "question", "once more"), nullptr);
}

TEST(LayeredModelContexts, ALostMemoryAndALostIndexAreMadeAnew) {
    Bench bench;
    for (int i = 1; i <= 200; ++i) {
        bench.turn(i == 3 ? "Remember that the budget for marketing is 4711." : filler(i),
                   reply(i));
    }
    const auto memory = bench.threads.thread.memory_json;
    ASSERT_GT(memory_in(memory, 400).covered(), 300u);
    for (const char* broken : {"", "{", R"({"version":9})", "nonsense"}) {
        bench.threads.thread.memory_json = broken;
        bench.recall.entries.clear();
        // At once by words, from the store; the summaries come back some at a time.
        const auto context = bench.ask("What was the budget for marketing?");
        EXPECT_NE(all_text(context).find("4711"), std::string::npos);
        expect_every_message_told(context, bench.threads.thread.messages + 1);
        for (int i = 0; i < 4; ++i) bench.turn(filler(i), reply(i));
        EXPECT_GT(
            memory_in(bench.threads.thread.memory_json, bench.threads.thread.messages).covered(),
            300u);
    }
}

TEST(LayeredModelContexts, ABrokenIndexIsSaidAndNothingElse) {
    Bench bench;
    for (int i = 1; i <= 100; ++i) bench.turn(filler(i), reply(i));
    bench.recall.broken = true;
    const auto context = bench.ask("What about entry number 7?");
    EXPECT_NE(part_of(context, "recalled", "the index cannot be used: the disk is gone"), nullptr);
    for (int i = 0; i < 3; ++i) bench.turn(filler(i), reply(i));
    EXPECT_EQ(bench.told.size(), 1u) << "once, not with each turn";
    await(bench.loop, bench.contexts->forget(bench.threads.thread.id));
}

TEST(LayeredModelContexts, TheModelSummarisesOnceForManyTurns) {
    Bench bench(true);
    for (int i = 1; i <= 200; ++i) bench.turn(filler(i), reply(i));
    const auto memory = memory_in(bench.threads.thread.memory_json, bench.threads.thread.messages);
    ASSERT_FALSE(memory.summaries.empty());
    EXPECT_TRUE(memory.summaries.front().by_model);
    EXPECT_LE(bench.model.asked.size(), 200u / 12 + 200u / 72 + 4);
    const auto context = bench.ask("And?");
    EXPECT_NE(part_of(context, "summary", "written by the model"), nullptr);
    EXPECT_NE(all_text(context).find(">   [turn 1] the model's own words"), std::string::npos);
}

TEST(LayeredModelContexts, AThreadFarBehindIsNotSentToTheModelPieceByPiece) {
    Bench bench(true);
    for (int i = 1; i <= 800; ++i) bench.threads.turn(filler(i), reply(i));
    for (int i = 0; i < 20; ++i) bench.turn(filler(i), reply(i));
    EXPECT_LE(bench.model.asked.size(), 6u);
    const auto memory = memory_in(bench.threads.thread.memory_json, bench.threads.thread.messages);
    EXPECT_GT(memory.covered(), 1'500u);
}

TEST(LayeredModelContexts, OfTwoServersTheOneThatCoversMoreIsKept) {
    Bench bench;
    for (int i = 1; i <= 100; ++i) bench.turn(filler(i), reply(i));
    const auto more = bench.threads.thread.memory_json;
    ASSERT_GT(memory_in(more, 200).covered(), 0u);
    // This one is late: it knows the thread as it was before.
    auto old = bench.threads.thread;
    old.memory_json = "{}";
    const auto patches = bench.threads.patches;
    old.messages = 60;
    old.turns = 30;
    await(bench.loop, bench.contexts->turn_ended(old));
    EXPECT_EQ(bench.threads.patches, patches);
    EXPECT_EQ(bench.threads.thread.memory_json, more);
}

TEST(LayeredModelContexts, VectorsFindWhatSharesNoWord) {
    Bench bench(false, true);
    bench.embeddings.vector_of = [](const std::string& text) {
        const bool near =
            text.find("budget") != std::string::npos || text.find("spend") != std::string::npos;
        return near ? std::vector<float>{1, 0} : std::vector<float>{0, 0.01F};
    };
    for (int i = 1; i <= 100; ++i) {
        bench.turn(i == 3 ? "Remember that the budget for marketing is 4711." : filler(i),
                   reply(i));
    }
    auto context = bench.ask("How much may I spend?");
    EXPECT_NE(part_of(context, "recalled", "recalled turn 3: near the question in meaning"),
              nullptr);
    EXPECT_NE(all_text(context).find("4711"), std::string::npos);

    bench.embeddings.fails = true;
    context = bench.ask("What was the budget for marketing?");
    EXPECT_NE(part_of(context, "recalled", "(by words alone: no vectors today)"), nullptr);
    const auto tries = bench.embeddings.tries;
    EXPECT_NE(part_of(bench.ask("budget?"), "recalled", "no vectors today"), nullptr);
    EXPECT_EQ(bench.embeddings.tries, tries) << "the next question does not wait for them";
    EXPECT_NE(all_text(context).find("4711"), std::string::npos);
    // What was said while they were away has its vector as soon as they are back.
    bench.turn("Remember, budget of sales is 815.", "Noted.");
    const auto at = bench.recall.entries["t1"].rbegin()->first;
    EXPECT_TRUE(bench.recall.entries["t1"][at].vector.empty());
    bench.embeddings.fails = false;
    bench.turn("Next.", "Yes.");
    EXPECT_FALSE(bench.recall.entries["t1"][at].vector.empty());
    EXPECT_EQ(bench.embeddings.texts_asked, 100 + 1 + 2u) << "each turn once";
}

TEST(LayeredModelContexts, AnIndexThatIsBehindCatchesUpWithVectorsAfterwards) {
    Bench bench(false, true);
    bench.embeddings.vector_of = [](const std::string&) { return std::vector<float>{1, 0}; };
    for (int i = 1; i <= 900; ++i) bench.threads.turn(filler(i), reply(i));
    (void)bench.ask("What about entry number 7?");
    EXPECT_EQ(bench.recall.entries["t1"].size(), 256u) << "while somebody waits, some by words";
    for (int i = 0; i < 3; ++i) bench.turn(filler(i), reply(i));
    EXPECT_EQ(bench.recall.entries["t1"].size(), 903u);
    for (const auto& [sequence, entry] : bench.recall.entries["t1"]) {
        EXPECT_FALSE(entry.vector.empty()) << sequence;
        EXPECT_EQ(sequence % 2, 1u) << "one entry a turn, at its first message";
    }
}

TEST(LayeredModelContexts, ForgettingRemovesWhatWasIndexed) {
    Bench bench;
    for (int i = 1; i <= 10; ++i) bench.turn(filler(i), reply(i));
    bench.recall.entries["t0"][1] = {1, "of a thread that another server removed", {}};
    for (int i = 0; i < 3; ++i) bench.turn(filler(i), reply(i));
    EXPECT_EQ(bench.recall.entries.count("t0"), 0u) << "leftovers go with later turns";
    EXPECT_EQ(bench.recall.entries.count("t1"), 1u);
    await(bench.loop, bench.contexts->forget(bench.threads.thread.id));
    EXPECT_TRUE(bench.recall.entries.empty());
}

TEST(LayeredModelContexts, StopsWithoutWaitingForTheModel) {
    Bench bench(true);
    bench.model.hangs = true;
    bench.contexts->begin_stop();
    for (int i = 1; i <= 60; ++i) bench.turn(filler(i), reply(i));
    const auto context = bench.ask("And?");
    EXPECT_LE(context.tokens, bench.tokens_max);
}

}  // namespace atl::agent
