#pragma once
// What every core::Threads promises, as tests. A room that implements the port includes this in one
// test file of its own and says how to make one:
//
//     INSTANTIATE_TEST_SUITE_P(Sqlite, ThreadsContract, ::testing::Values(&make_bench), …);
//
// For tests only.
#include "core/thread_sizes.hpp"
#include "core/threads_bench.hpp"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>

namespace atl::core::contract {

class ThreadsContract : public ::testing::TestWithParam<MakeBench> {
protected:
    ThreadsContract() : bench_(GetParam()()) {}
    Threads& one() { return bench_->one(); }
    Threads& other() { return bench_->other(); }
    template <class T>
    T get(asio::awaitable<T> what) {
        return await(bench_->loop(), std::move(what));
    }
    // The error that it ends with; an empty one of code Internal when it ends well.
    template <class T>
    Error error(asio::awaitable<T> what) {
        try {
            if constexpr (std::is_void_v<T>) {
                get(std::move(what));
            } else {
                (void)get(std::move(what));
            }
        } catch (const ErrorException& thrown) { return thrown.error; }
        return {Code::Internal, ""};
    }
    template <class T>
    void expect(Code code, asio::awaitable<T> what) {
        const Error said = error(std::move(what));
        EXPECT_EQ(static_cast<int>(said.code), static_cast<int>(code)) << said.message;
        EXPECT_FALSE(said.message.empty());
    }
    std::vector<ThreadMessage> all(const std::string& id) {
        std::vector<ThreadMessage> found;
        while (true) {
            const auto more =
                get(one().read(Whose::anyones(), ThreadId(id), found.size() + 1, 4096));
            if (more.empty()) return found;
            found.insert(found.end(), more.begin(), more.end());
        }
    }
    // Sequences from 1 without a gap, and as many as the thread says.
    void expect_in_order(const std::string& id) {
        const auto found = all(id);
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].sequence, i + 1);
        EXPECT_EQ(get(one().get_thread(Whose::anyones(), ThreadId(id))).messages, found.size());
    }

    std::unique_ptr<Bench> bench_;
};

// ---- Marks ----

TEST_P(ThreadsContract, MarksAreFoundByTheirKeyTheLatestFirst) {
    get(one().create_thread(thread("t1", "ann"), 0));
    get(one().create_thread(thread("t2", "ann"), 0));
    get(one().create_thread(thread("t3", "bob"), 0));
    EXPECT_TRUE(get(other().marked("ann", "k")).empty());
    get(one().mark("ann", {"k", "l"}, {ThreadId("t1"), 1}));
    get(other().mark("ann", {"k"}, {ThreadId("t2"), 7}));
    get(one().mark("bob", {"k"}, {ThreadId("t3"), 1}));
    using Marks = std::vector<ThreadMark>;
    EXPECT_EQ(get(one().marked("ann", "k")), (Marks{{ThreadId("t2"), 7}, {ThreadId("t1"), 1}}));
    EXPECT_EQ(get(one().marked("ann", "l")), (Marks{{ThreadId("t1"), 1}}));
    EXPECT_EQ(get(one().marked("bob", "k")), (Marks{{ThreadId("t3"), 1}}));
    // The same one again is the latest, and there once.
    get(one().mark("ann", {"k"}, {ThreadId("t1"), 1}));
    EXPECT_EQ(get(other().marked("ann", "k")), (Marks{{ThreadId("t1"), 1}, {ThreadId("t2"), 7}}));
    for (std::uint64_t turn = 2; turn < 40; ++turn) {
        get(one().mark("ann", {"k"}, {ThreadId("t1"), turn}));
    }
    const auto many = get(one().marked("ann", "k"));
    ASSERT_EQ(many.size(), kMarksOfKeyMax);
    EXPECT_EQ(many.front(), (ThreadMark{ThreadId("t1"), 39}));
}

TEST_P(ThreadsContract, OnlyTheOwnerMarksAThread) {
    get(one().create_thread(thread("t1", "ann"), 0));
    expect(Code::NotFound, one().mark("bob", {"k"}, {ThreadId("t1"), 1}));
    expect(Code::NotFound, one().mark("ann", {"k"}, {ThreadId("none"), 1}));
    expect(Code::InvalidArgument, one().mark("ann", {""}, {ThreadId("t1"), 1}));
    expect(Code::InvalidArgument, one().marked("ann", std::string(129, 'k')));
    const std::vector<std::string> many(kMarkKeysMax + 1, "k");
    expect(Code::InvalidArgument, one().mark("ann", many, {ThreadId("t1"), 1}));
    EXPECT_TRUE(get(one().marked("ann", "k")).empty());
    EXPECT_TRUE(get(one().marked("bob", "k")).empty());
}

// ---- Uploads ----

TEST_P(ThreadsContract, AnUploadIsWhatWasAdded) {
    const auto record = upload("u1", "ann", 100);
    EXPECT_EQ(get(one().add_upload(record, 0)), record);
    EXPECT_EQ(get(other().get_upload(Whose::of("ann"), UploadId("u1"))), record);
    EXPECT_EQ(get(other().get_upload(Whose::anyones(), UploadId("u1"))), record);
    expect(Code::NotFound, other().get_upload(Whose::of("bob"), UploadId("u1")));
    expect(Code::NotFound, one().get_upload(Whose::of("ann"), UploadId("u2")));
    expect(Code::Conflict, other().add_upload(record, 0));
    expect(Code::InvalidArgument, one().add_upload(upload("", "ann", 1), 0));
    expect(Code::InvalidArgument, one().add_upload(upload(std::string(129, 'x'), "ann", 1), 0));
    expect(Code::NotFound, other().remove_upload(Whose::of("bob"), UploadId("u1")));
    get(other().remove_upload(Whose::of("ann"), UploadId("u1")));
    expect(Code::NotFound, one().get_upload(Whose::of("ann"), UploadId("u1")));
}

TEST_P(ThreadsContract, UploadsOfAnOwnerHaveALimitTogether) {
    get(one().add_upload(upload("u1", "ann", 60), 100));
    expect(Code::Exhausted, other().add_upload(upload("u2", "ann", 41), 100));
    get(other().add_upload(upload("u3", "bob", 41), 100));
    get(other().add_upload(upload("u4", "ann", 40), 100));
    expect(Code::Exhausted, one().add_upload(upload("u5", "ann", 1), 100));
    // What goes makes room, and a refusal used none up.
    get(one().remove_upload(Whose::of("ann"), UploadId("u1")));
    get(one().add_upload(upload("u6", "ann", 60), 100));
    expect(Code::Exhausted, one().add_upload(upload("u7", "ann", 1), 100));
    expect(Code::Exhausted, one().add_upload(upload("u8", "ann", ~0ull >> 1), 100));
}

TEST_P(ThreadsContract, AnOwnerHasAtMostSoManyUploads) {
    get(one().add_upload(upload("u1", "ann", 1), {0, 2}));
    get(other().add_upload(upload("u2", "ann", 1), {0, 2}));
    expect(Code::Exhausted, one().add_upload(upload("u3", "ann", 1), {0, 2}));
    get(one().add_upload(upload("u4", "bob", 1), {0, 2}));
    get(one().remove_upload(Whose::of("ann"), UploadId("u1")));
    get(one().add_upload(upload("u3", "ann", 1), {0, 2}));
}

TEST_P(ThreadsContract, AnUploadStaysWhileAThreadUsesIt) {
    get(one().add_upload(upload("u1", "ann", 1), 0));
    get(one().add_upload(upload("u2", "ann", 1), 0));
    get(one().add_upload(upload("foreign", "bob", 1), 0));
    auto record = thread("t1", "ann");
    record.files = {UploadId("u1"), UploadId("foreign")};
    expect(Code::NotFound, one().create_thread(record, 0));
    expect(Code::NotFound, one().get_thread(Whose::of("ann"), ThreadId("t1")));
    record.files = {UploadId("u1")};
    EXPECT_EQ(get(one().create_thread(record, 0)).files, record.files);
    expect(Code::Conflict, other().remove_upload(Whose::of("ann"), UploadId("u1")));

    ThreadPatch patch;
    patch.files = std::vector<UploadId>{UploadId("u2"), UploadId("nobody's")};
    expect(Code::NotFound, one().patch_thread(Whose::of("ann"), ThreadId("t1"), patch));
    EXPECT_EQ(get(one().get_thread(Whose::of("ann"), ThreadId("t1"))).files, record.files);
    patch.files = std::vector<UploadId>{UploadId("u2"), UploadId("u1")};
    EXPECT_EQ(get(one().patch_thread(Whose::of("ann"), ThreadId("t1"), patch)).files, *patch.files);
    EXPECT_EQ(get(other().get_thread(Whose::of("ann"), ThreadId("t1"))).files, *patch.files);
    patch.files = std::vector<UploadId>{UploadId("u2")};
    get(other().patch_thread(Whose::of("ann"), ThreadId("t1"), patch));
    get(one().remove_upload(Whose::of("ann"), UploadId("u1")));
    expect(Code::Conflict, one().remove_upload(Whose::of("ann"), UploadId("u2")));
    get(other().remove_thread(Whose::of("ann"), ThreadId("t1"), time_now()));
    get(one().remove_upload(Whose::of("ann"), UploadId("u2")));
}

TEST_P(ThreadsContract, UploadsAreListedWithTheirUses) {
    const Time start = time_now() - std::chrono::hours(1);
    for (int i = 0; i < 11; ++i) {
        auto record = upload("u" + std::to_string(100 + i), i % 5 == 0 ? "bob" : "ann", 1);
        record.created_at = start + std::chrono::milliseconds(i / 4);
        get(one().add_upload(record, 0));
    }
    auto record = thread("t1", "ann");
    record.files = {UploadId("u101"), UploadId("u102")};
    get(one().create_thread(record, 0));
    for (const auto& whose : {Whose::of("ann"), Whose::of("bob"), Whose::anyones()}) {
        const std::size_t expected = !whose.owner() ? 11u : (*whose.owner() == "ann" ? 8u : 3u);
        std::vector<ListedUpload> seen;
        UploadQuery query{whose, "", 3};
        do {
            const auto page = get(other().list_uploads(query));
            EXPECT_LE(page.uploads.size(), 3u);
            seen.insert(seen.end(), page.uploads.begin(), page.uploads.end());
            query.cursor = page.next_cursor;
            ASSERT_LE(seen.size(), expected);
        } while (!query.cursor.empty());
        ASSERT_EQ(seen.size(), expected);
        for (std::size_t i = 0; i < seen.size(); ++i) {
            const auto& found = seen[i].record;
            EXPECT_EQ(get(one().get_upload(Whose::anyones(), found.id)), found);
            const bool is_used = found.id.text() == "u101" || found.id.text() == "u102";
            EXPECT_EQ(seen[i].uses, is_used ? 1u : 0u);
            if (i > 0) { EXPECT_GE(seen[i - 1].record.created_at, found.created_at); }
        }
    }
    get(one().remove_thread(Whose::of("ann"), ThreadId("t1"), time_now()));
    get(one().remove_upload(Whose::anyones(), UploadId("u101")));
    UploadQuery all{Whose::of("ann"), "", 100};
    const auto left = get(other().list_uploads(all)).uploads;
    EXPECT_EQ(left.size(), 7u);
    for (const auto& one_left : left) EXPECT_EQ(one_left.uses, 0u);
    all.limit = 0;
    expect(Code::InvalidArgument, one().list_uploads(all));
    all = {Whose::of("ann"), "no cursor", 1};
    expect(Code::InvalidArgument, one().list_uploads(all));
}

// ---- Threads ----

TEST_P(ThreadsContract, AThreadIsWhatWasCreated) {
    auto record = thread("t1", "ann");
    record.title = "Umsätze 销售 \"quoted\" \n line";
    record.model = "a model/with:marks";
    record.memory_json = R"({"layers":[]})";
    auto told = record;
    told.messages = 7;
    told.turns = 3;
    told.lease = Lease{"x", time_now()};
    EXPECT_EQ(get(one().create_thread(told, 0)), record);
    EXPECT_EQ(get(other().get_thread(Whose::of("ann"), ThreadId("t1"))), record);
    expect(Code::NotFound, other().get_thread(Whose::of("bob"), ThreadId("t1")));
    expect(Code::Conflict, other().create_thread(thread("t1", "bob"), 0));
    expect(Code::InvalidArgument, one().create_thread(thread("", "ann"), 0));
    EXPECT_EQ(get(one().get_thread(Whose::anyones(), ThreadId("t1"))), record);
}

TEST_P(ThreadsContract, AnOwnerHasAtMostSoManyThreads) {
    get(one().create_thread(thread("t1", "ann"), 2));
    get(other().create_thread(thread("t2", "ann"), 2));
    expect(Code::Exhausted, one().create_thread(thread("t3", "ann"), 2));
    get(one().create_thread(thread("t4", "bob"), 2));
    get(one().remove_thread(Whose::of("ann"), ThreadId("t1"), time_now()));
    get(one().create_thread(thread("t3", "ann"), 2));
}

TEST_P(ThreadsContract, APatchChangesWhatIsSetAndNothingElse) {
    auto record = get(one().create_thread(thread("t1", "ann"), 0));
    ThreadPatch patch;
    patch.title = "Sales in May";
    record.title = *patch.title;
    EXPECT_EQ(get(one().patch_thread(Whose::of("ann"), ThreadId("t1"), patch)), record);
    ThreadPatch memory;
    memory.memory_json = R"({"layers":[1,2]})";
    record.memory_json = *memory.memory_json;
    EXPECT_EQ(get(other().patch_thread(Whose::of("ann"), ThreadId("t1"), memory)), record);
    EXPECT_EQ(get(one().get_thread(Whose::of("ann"), ThreadId("t1"))), record);
    ThreadPatch model;
    model.model = "large";
    record.model = *model.model;
    EXPECT_EQ(get(one().patch_thread(Whose::of("ann"), ThreadId("t1"), model)), record);
    EXPECT_EQ(get(other().list_threads({Whose::of("ann"), "", 1})).threads.at(0).model, "large");
    model.model = "";
    record.model.clear();
    EXPECT_EQ(get(other().patch_thread(Whose::of("ann"), ThreadId("t1"), model)), record);
    model.model = std::string(5000, 'x');
    expect(Code::TooLarge, one().patch_thread(Whose::of("ann"), ThreadId("t1"), model));
    expect(Code::NotFound, one().patch_thread(Whose::of("bob"), ThreadId("t1"), patch));
    expect(Code::NotFound, one().patch_thread(Whose::of("ann"), ThreadId("t2"), patch));
}

TEST_P(ThreadsContract, ListsAreInPagesLatestFirst) {
    const Time start = time_now() - std::chrono::hours(1);
    // Some of the same moment, so that the cursor must tell them apart by id.
    for (int i = 0; i < 25; ++i) {
        const auto at = start + std::chrono::milliseconds(i / 4);
        const std::string id = "t" + std::to_string(100 + i);
        get(one().create_thread(thread(id, i % 5 == 0 ? "bob" : "ann", at), 0));
    }
    for (const auto& whose : {Whose::of("ann"), Whose::of("bob"), Whose::anyones()}) {
        const std::size_t expected = !whose.owner() ? 25u : (*whose.owner() == "ann" ? 20u : 5u);
        std::vector<ThreadRecord> seen;
        ThreadQuery query{whose, "", 3};
        do {
            const auto page = get(other().list_threads(query));
            EXPECT_LE(page.threads.size(), 3u);
            seen.insert(seen.end(), page.threads.begin(), page.threads.end());
            query.cursor = page.next_cursor;
            ASSERT_LE(seen.size(), expected);
        } while (!query.cursor.empty());
        ASSERT_EQ(seen.size(), expected);
        for (std::size_t i = 1; i < seen.size(); ++i) {
            EXPECT_GT(std::pair(seen[i - 1].updated_at, seen[i - 1].id),
                      std::pair(seen[i].updated_at, seen[i].id));
            EXPECT_EQ(seen[i].owner, whose.owner().value_or(seen[i].owner));
        }
    }
    // A question brings its thread to the front.
    get(one().begin_turn(turn_request("t101", "a", "and now?")));
    EXPECT_EQ(get(one().list_threads({Whose::of("ann"), "", 1})).threads.at(0).id.text(), "t101");
    // What is gone is in no list.
    get(one().remove_thread(Whose::of("bob"), ThreadId("t100"), time_now()));
    EXPECT_EQ(get(one().list_threads({Whose::of("bob"), "", 100})).threads.size(), 4u);

    expect(Code::InvalidArgument, one().list_threads({Whose::of("ann"), "", 0}));
    expect(Code::InvalidArgument, one().list_threads({Whose::of("ann"), "", 1001}));
    for (const char* bad : {"x", "zz", "00", "313a", "3"}) {
        const auto said = error(one().list_threads({Whose::of("ann"), bad, 10}));
        // "313a" is a cursor of an empty id: before everything of that moment.
        if (std::string(bad) != "313a") {
            EXPECT_EQ(static_cast<int>(said.code), static_cast<int>(Code::InvalidArgument)) << bad;
        }
    }
    EXPECT_TRUE(get(one().list_threads({Whose::of("nobody"), "", 10})).threads.empty());
}

TEST_P(ThreadsContract, AForkHasTheConversationUpToATurn) {
    get(one().add_upload(upload("u1", "ann", 1), 0));
    auto record = thread("old-thread", "ann");
    record.files = {UploadId("u1")};
    get(one().create_thread(record, 0));
    // More than Redis reads at once.
    constexpr std::size_t kTurns = 150;
    for (std::size_t i = 1; i <= kTurns; ++i) {
        const auto number = std::to_string(i);
        auto hold =
            get(one().begin_turn(turn_request("old-thread", "a", "q" + number, "c" + number))).hold;
        auto answer = says("a" + number);
        answer[0].details_json = R"({"href":"/v1/threads/old-thread/files/x%"})";
        get(one().end_turn(hold, answer));
    }
    const auto past = all("old-thread");
    ASSERT_EQ(past.size(), 2 * kTurns);
    const auto fork = [&](const std::string& id, std::optional<std::uint64_t> turn) {
        ThreadFork wanted{Whose::of("ann"), ThreadId("old-thread"), turn, thread(id, "ann"), 0,
                          time_now()};
        wanted.record.files = {UploadId("u1")};
        wanted.record.model = "large";
        return wanted;
    };
    for (const std::size_t turns : {std::size_t{2}, std::size_t{140}, kTurns}) {
        const std::string id = "n-" + std::to_string(turns);
        auto wanted = fork(id, turns);
        if (turns == kTurns) wanted.turn.reset();
        const auto made = get(other().fork_thread(wanted));
        EXPECT_EQ(made.turns, turns);
        EXPECT_EQ(made.model, "large");
        EXPECT_EQ(made, get(one().get_thread(Whose::of("ann"), ThreadId(id))));
        const auto copied = all(id);
        ASSERT_EQ(copied.size(), 2 * turns);
        EXPECT_EQ(made.messages, copied.size());
        for (std::size_t i = 0; i < copied.size(); ++i) {
            auto expected = past[i];
            expected.client_id.clear();
            if (i % 2 == 1) {
                expected.details_json = R"({"href":"/v1/threads/)" + id + R"(/files/x%"})";
            }
            EXPECT_EQ(copied[i], expected);
        }
    }
    // Each goes its own way, and a question of the old one is no question of the copy.
    const auto begun = get(one().begin_turn(turn_request("n-2", "a", "another", "c1")));
    EXPECT_FALSE(begun.repeated);
    EXPECT_EQ(begun.hold.turn, 3u);
    get(one().end_turn(begun.hold, says("way")));
    expect_in_order("n-2");
    EXPECT_EQ(all("old-thread").size(), past.size());

    expect(Code::InvalidArgument, one().fork_thread(fork("n-x", kTurns + 1)));
    expect(Code::Conflict, one().fork_thread(fork("n-2", 1)));
    auto foreign = fork("n-x", 1);
    foreign.whose = Whose::of("bob");
    expect(Code::NotFound, one().fork_thread(foreign));
    auto many = fork("n-x", 1);
    many.owner_max = 4;
    expect(Code::Exhausted, one().fork_thread(many));
    // Its upload stays for as long as one of them uses it.
    get(one().remove_thread(Whose::of("ann"), ThreadId("old-thread"), time_now()));
    expect(Code::Conflict, one().remove_upload(Whose::of("ann"), UploadId("u1")));
    // What is being answered is not copied; what was answered before is.
    get(one().begin_turn(turn_request("n-2", "a", "busy")));
    ThreadFork busy{Whose::of("ann"), ThreadId("n-2"), std::nullopt, thread("n-3", "ann"), 0,
                    time_now()};
    expect(Code::Conflict, other().fork_thread(busy));
    busy.turn = 3;
    EXPECT_EQ(get(other().fork_thread(busy)).messages, 6u);
    expect_in_order("n-3");
}

// Goal: versions of one chat find one another, whichever of them is asked and whichever is gone;
// and nobody else finds them.
TEST_P(ThreadsContract, VersionsOfAChatAreOneFamily) {
    get(one().create_thread(thread("first", "ann"), 0));
    get(one().create_thread(thread("other", "ann"), 0));
    for (const char* question : {"q1", "q2", "q3"}) {
        auto hold = get(one().begin_turn(turn_request("first", "a", question))).hold;
        get(one().end_turn(hold, says("answer")));
    }
    const auto version = [&](const char* from, std::uint64_t turn, const char* id) {
        const auto record = get(one().get_thread(Whose::of("ann"), ThreadId(from)));
        ThreadFork fork{Whose::of("ann"), ThreadId(from), turn, thread(id, "ann"), 0, time_now()};
        fork.record.family = ThreadId("first");
        fork.record.origins = origins_after(record, turn);
        const auto made = get(other().fork_thread(fork));
        EXPECT_EQ(made, get(one().get_thread(Whose::of("ann"), ThreadId(id))));
        EXPECT_EQ(made.turns, turn);
        return made;
    };
    const auto ids = [&](const char* of) {
        std::vector<std::string> found;
        for (const auto& member : get(other().family(Whose::of("ann"), ThreadId(of)))) {
            found.push_back(member.id.text());
        }
        std::sort(found.begin(), found.end());
        return found;
    };
    using Ids = std::vector<std::string>;
    EXPECT_EQ(ids("first"), Ids{"first"});
    const auto second = version("first", 2, "second");
    EXPECT_EQ(second.origins, (std::vector<ThreadOrigin>{{ThreadId("first"), 2}}));
    auto hold = get(one().begin_turn(turn_request("second", "a", "mine"))).hold;
    get(one().end_turn(hold, says("answer")));
    EXPECT_EQ(version("second", 3, "third").origins,
              (std::vector<ThreadOrigin>{{ThreadId("first"), 2}, {ThreadId("second"), 3}}));
    EXPECT_EQ(version("second", 1, "fourth").origins,
              (std::vector<ThreadOrigin>{{ThreadId("first"), 1}}));
    // Of the first question nothing is left that they share.
    EXPECT_TRUE(version("third", 0, "none").origins.empty());
    EXPECT_EQ(get(one().get_thread(Whose::of("ann"), ThreadId("none"))).messages, 0u);
    const Ids all_five{"first", "fourth", "none", "second", "third"};
    for (const auto& id : all_five) EXPECT_EQ(ids(id.c_str()), all_five) << id;
    EXPECT_EQ(ids("other"), Ids{"other"});
    expect(Code::NotFound, one().family(Whose::of("bob"), ThreadId("first")));
    expect(Code::NotFound, one().family(Whose::of("ann"), ThreadId("nobody")));
    get(one().remove_thread(Whose::of("ann"), ThreadId("first"), time_now()));
    get(one().remove_thread(Whose::of("ann"), ThreadId("fourth"), time_now()));
    EXPECT_EQ(ids("third"), (Ids{"none", "second", "third"}));
    // Who takes its name is none of them.
    auto namesake = thread("first", "bob");
    get(one().create_thread(namesake, 0));
    EXPECT_EQ(ids("second"), (Ids{"none", "second", "third"}));
}

// ---- Turns ----

TEST_P(ThreadsContract, ATurnIsWrittenInOrder) {
    get(one().create_thread(thread("t1", "ann"), 0));
    auto wanted = turn_request("t1", "a", "What did we sell? 我们卖了什么？", "c1");
    wanted.question.details_json = R"({"files":["u1"]})";
    const auto begun = get(one().begin_turn(wanted));
    EXPECT_FALSE(begun.took_over);
    EXPECT_FALSE(begun.repeated);
    EXPECT_EQ(begun.question, 1u);
    EXPECT_EQ(begun.hold.turn, 1u);
    EXPECT_EQ(begun.hold.instance, "a");
    EXPECT_EQ(begun.thread.messages, 1u);
    EXPECT_EQ(begun.thread.turns, 1u);
    ASSERT_TRUE(begun.thread.lease);
    EXPECT_EQ(begun.thread.lease->instance, "a");
    EXPECT_GT(begun.thread.lease->until, time_now() + std::chrono::seconds(30));
    EXPECT_LT(begun.thread.lease->until, time_now() + std::chrono::seconds(90));

    // The hold is good at whichever server it is shown.
    auto call = message(MessageRole::Assistant, "");
    call.details_json = R"({"tool_calls":[{"id":"1"}]})";
    auto result = message(MessageRole::Tool, std::string("a\0b\xff", 4));
    std::vector<ThreadMessage> two{call, result};
    EXPECT_EQ(get(other().append(begun.hold, two)), 3u);
    EXPECT_EQ(get(one().append(begun.hold, {})), 3u);
    EXPECT_EQ(get(one().end_turn(begun.hold, says("42 pieces"))), 4u);

    const auto found = all("t1");
    ASSERT_EQ(found.size(), 4u);
    auto question = wanted.question;
    question.sequence = 1;
    question.turn = 1;
    EXPECT_EQ(found[0], question);
    EXPECT_EQ(found[1].role, MessageRole::Assistant);
    EXPECT_EQ(found[1].details_json, call.details_json);
    EXPECT_EQ(found[2].content, result.content);
    EXPECT_EQ(found[2].at, result.at);
    EXPECT_EQ(found[3].content, "42 pieces");
    for (const auto& each : found) EXPECT_EQ(each.turn, 1u);
    expect_in_order("t1");

    const auto after = get(other().get_thread(Whose::of("ann"), ThreadId("t1")));
    EXPECT_FALSE(after.lease);
    EXPECT_EQ(after.updated_at, found[3].at);
    // An ended turn is nobody's any more.
    expect(Code::Conflict, one().append(begun.hold, says("more")));
    expect(Code::Conflict, one().end_turn(begun.hold, {}));
    expect(Code::Conflict, one().renew_turn(begun.hold, time_now() + std::chrono::seconds(9)));
    expect_in_order("t1");
}

TEST_P(ThreadsContract, OneTurnAtATime) {
    get(one().create_thread(thread("t1", "ann"), 0));
    const auto begun = get(one().begin_turn(turn_request("t1", "a", "first")));
    expect(Code::Conflict, other().begin_turn(turn_request("t1", "b", "second")));
    expect(Code::Conflict, one().begin_turn(turn_request("t1", "a", "second")));
    expect(Code::Conflict, other().remove_thread(Whose::of("ann"), ThreadId("t1"), time_now()));
    auto foreign = turn_request("t1", "a", "third");
    foreign.whose = Whose::of("bob");
    expect(Code::NotFound, one().begin_turn(foreign));
    expect(Code::NotFound, one().begin_turn(turn_request("t2", "a", "third")));
    EXPECT_EQ(all("t1").size(), 1u);
    // A hold is instance, turn and thread together.
    auto not_mine = begun.hold;
    not_mine.instance = "b";
    expect(Code::Conflict, one().append(not_mine, says("x")));
    not_mine = begun.hold;
    not_mine.turn = 2;
    expect(Code::Conflict, one().append(not_mine, says("x")));
    not_mine = begun.hold;
    not_mine.thread = ThreadId("t2");
    expect(Code::NotFound, one().append(not_mine, says("x")));
    get(one().end_turn(begun.hold, says("answer")));
    const auto next = get(other().begin_turn(turn_request("t1", "b", "second")));
    EXPECT_EQ(next.hold.turn, 2u);
    EXPECT_EQ(next.question, 3u);
    EXPECT_FALSE(next.took_over);
    expect_in_order("t1");
}

TEST_P(ThreadsContract, OfManyWhoRaceForATurnOneGetsIt) {
    for (int round = 0; round < 20; ++round) {
        const std::string id = "race" + std::to_string(round);
        get(one().create_thread(thread(id, "ann"), 0));
        int won = 0;
        int refused = 0;
        int ended = 0;
        for (int i = 0; i < 8; ++i) {
            Threads& server = i % 2 == 0 ? one() : other();
            // The same client_id half of the time: a client that sent its question to both.
            auto wanted =
                turn_request(id, "i" + std::to_string(i), "question", round % 2 == 0 ? "c" : "");
            asio::co_spawn(bench_->loop(), server.begin_turn(std::move(wanted)),
                           [&](std::exception_ptr failed, const TurnBegun&) {
                               ++ended;
                               ++(failed ? refused : won);
                           });
        }
        bench_->loop().restart();
        while (ended < 8) bench_->loop().run_one_for(std::chrono::seconds(10));
        EXPECT_EQ(won, 1);
        EXPECT_EQ(refused, 7);
        EXPECT_EQ(all(id).size(), 1u);
    }
}

TEST_P(ThreadsContract, ALeaseThatRanOutIsTakenOver) {
    get(one().create_thread(thread("t1", "ann"), 0));
    const auto lost = get(one().begin_turn(turn_request("t1", "a", "first", "c1", 40)));
    get(one().append(lost.hold, says("half an ans")));
    sleep_ms(90);
    const auto taken = get(other().begin_turn(turn_request("t1", "b", "second", "c2")));
    EXPECT_TRUE(taken.took_over);
    EXPECT_EQ(taken.hold.turn, 2u);
    EXPECT_EQ(taken.question, 4u);
    // The one who comes back late is refused, in everything.
    expect(Code::Conflict, one().append(lost.hold, says("wer")));
    expect(Code::Conflict, one().renew_turn(lost.hold, time_now() + std::chrono::seconds(60)));
    expect(Code::Conflict, one().end_turn(lost.hold, says("wer")));
    get(other().end_turn(taken.hold, says("answer to the second")));

    const auto found = all("t1");
    ASSERT_EQ(found.size(), 5u);
    EXPECT_EQ(found[2].role, MessageRole::Note);
    EXPECT_EQ(found[2].turn, 1u);
    EXPECT_EQ(found[2].content, cut_off_note(time_now()).content);
    EXPECT_EQ(found[2].details_json, cut_off_note(time_now()).details_json);
    EXPECT_EQ(found[3].content, "second");
    EXPECT_EQ(found[3].turn, 2u);
    EXPECT_EQ(found[4].turn, 2u);
    expect_in_order("t1");
}

TEST_P(ThreadsContract, ALeaseThatIsRenewedIsKept) {
    get(one().create_thread(thread("t1", "ann"), 0));
    const auto begun = get(one().begin_turn(turn_request("t1", "a", "first", "", 40)));
    get(one().renew_turn(begun.hold, time_now() + std::chrono::seconds(60)));
    sleep_ms(90);
    expect(Code::Conflict, other().begin_turn(turn_request("t1", "b", "second")));
    EXPECT_EQ(get(one().end_turn(begun.hold, says("answer"))), 2u);
}

TEST_P(ThreadsContract, AHolderWhoIsLateButWasNotReplacedGoesOn) {
    get(one().create_thread(thread("t1", "ann"), 0));
    const auto begun = get(one().begin_turn(turn_request("t1", "a", "first", "", 20)));
    sleep_ms(50);
    EXPECT_EQ(get(one().append(begun.hold, says("slow"))), 2u);
    EXPECT_EQ(get(one().end_turn(begun.hold, says("but whole"))), 3u);
    EXPECT_FALSE(get(other().begin_turn(turn_request("t1", "b", "second"))).took_over);
}

TEST_P(ThreadsContract, AThreadWhoseTurnWasCutOffCanBeRemoved) {
    get(one().create_thread(thread("t1", "ann"), 0));
    const auto begun = get(one().begin_turn(turn_request("t1", "a", "first", "c1", 20)));
    sleep_ms(50);
    expect(Code::NotFound, other().remove_thread(Whose::of("bob"), ThreadId("t1"), time_now()));
    get(other().remove_thread(Whose::of("ann"), ThreadId("t1"), time_now()));
    expect(Code::NotFound, one().append(begun.hold, says("x")));
    expect(Code::NotFound, one().read(Whose::of("ann"), ThreadId("t1"), 1, 100));
    // A new one of this name has nothing of the old.
    get(one().create_thread(thread("t1", "ann"), 0));
    EXPECT_TRUE(all("t1").empty());
    EXPECT_FALSE(get(one().begin_turn(turn_request("t1", "a", "first", "c1"))).repeated);
}

// ---- Questions sent twice ----

TEST_P(ThreadsContract, AQuestionSentTwiceIsOneMessage) {
    get(one().create_thread(thread("t1", "ann"), 0));
    const auto begun = get(one().begin_turn(turn_request("t1", "a", "first", "c1")));
    // While it is being answered: not again.
    expect(Code::Conflict, other().begin_turn(turn_request("t1", "b", "first", "c1")));
    get(one().end_turn(begun.hold, says("answer")));

    const auto again = get(other().begin_turn(turn_request("t1", "b", "first", "c1")));
    ASSERT_TRUE(again.repeated);
    EXPECT_EQ(*again.repeated, 1u);
    EXPECT_EQ(again.question, 1u);
    EXPECT_TRUE(again.hold.instance.empty());
    EXPECT_EQ(again.hold.turn, 0u);
    EXPECT_FALSE(again.thread.lease);
    EXPECT_EQ(again.thread.messages, 2u);
    EXPECT_EQ(all("t1").size(), 2u);

    // Also later, and while another question is being answered.
    const auto second = get(one().begin_turn(turn_request("t1", "a", "second", "c2")));
    EXPECT_EQ(get(other().begin_turn(turn_request("t1", "b", "first", "c1"))).repeated, 1u);
    get(one().end_turn(second.hold, says("second answer")));
    EXPECT_EQ(get(other().begin_turn(turn_request("t1", "b", "second", "c2"))).repeated, 2u);
    // The same name in another thread is another question, and no name is none.
    get(one().create_thread(thread("t2", "ann"), 0));
    EXPECT_FALSE(get(one().begin_turn(turn_request("t2", "a", "first", "c1"))).repeated);
    const auto nameless = get(one().begin_turn(turn_request("t1", "a", "third")));
    get(one().end_turn(nameless.hold, {}));
    EXPECT_FALSE(get(one().begin_turn(turn_request("t1", "a", "third"))).repeated);
    expect_in_order("t1");
}

TEST_P(ThreadsContract, AQuestionThatWasCutOffIsBegunAnewWithoutACopy) {
    get(one().create_thread(thread("t1", "ann"), 0));
    const auto lost = get(one().begin_turn(turn_request("t1", "a", "first", "c1", 40)));
    get(one().append(lost.hold, says("half an ans")));
    sleep_ms(90);
    const auto anew = get(other().begin_turn(turn_request("t1", "b", "first", "c1", 40)));
    EXPECT_TRUE(anew.took_over);
    EXPECT_FALSE(anew.repeated);
    EXPECT_EQ(anew.question, 1u);
    EXPECT_EQ(anew.hold.turn, 2u);
    EXPECT_EQ(anew.thread.messages, 3u);  // the question, half an answer, the note
    expect(Code::Conflict, one().append(lost.hold, says("wer")));

    // And cut off again, with another question between: still one copy.
    sleep_ms(90);
    const auto between = get(one().begin_turn(turn_request("t1", "a", "second", "c2")));
    EXPECT_TRUE(between.took_over);
    expect(Code::Conflict, other().begin_turn(turn_request("t1", "b", "first", "c1")));
    get(one().end_turn(between.hold, says("second answer")));
    const auto third = get(other().begin_turn(turn_request("t1", "b", "first", "c1")));
    EXPECT_FALSE(third.took_over);
    EXPECT_FALSE(third.repeated);
    EXPECT_EQ(third.question, 1u);
    get(other().end_turn(third.hold, says("at last")));
    EXPECT_EQ(get(one().begin_turn(turn_request("t1", "a", "first", "c1"))).repeated,
              third.hold.turn);

    std::vector<std::string> said;
    for (const auto& each : all("t1")) said.push_back(std::string(name_of(each.role)));
    const std::vector<std::string> expected{"user", "assistant", "note",     "note",
                                            "user", "assistant", "assistant"};
    EXPECT_EQ(said, expected);
    expect_in_order("t1");
}

// ---- Reading ----

TEST_P(ThreadsContract, ReadingIsInPiecesOfAboutSoManyBytes) {
    get(one().create_thread(thread("t1", "ann"), 0));
    const auto begun = get(one().begin_turn(turn_request("t1", "a", "first")));
    std::vector<ThreadMessage> many;
    for (int i = 0; i < 300; ++i) {
        many.push_back(message(MessageRole::Tool, std::to_string(i) + std::string(1000, 'x')));
    }
    many[150].content = std::string(1u << 20, 'y');
    EXPECT_EQ(get(one().append(begun.hold, many)), 301u);
    // At least one, if there is one.
    EXPECT_EQ(get(one().read(Whose::of("ann"), ThreadId("t1"), 152, 1)).size(), 1u);
    EXPECT_EQ(get(one().read(Whose::of("ann"), ThreadId("t1"), 152, 0)).at(0).content.size(),
              1u << 20);
    EXPECT_TRUE(get(one().read(Whose::of("ann"), ThreadId("t1"), 302, 100)).empty());
    EXPECT_TRUE(get(one().read(Whose::of("ann"), ThreadId("t1"), ~0ull, 100)).empty());
    EXPECT_EQ(get(one().read(Whose::of("ann"), ThreadId("t1"), 0, 1)).at(0).sequence, 1u);
    expect(Code::NotFound, one().read(Whose::of("bob"), ThreadId("t1"), 1, 100));
    std::size_t seen = 0;
    std::size_t calls = 0;
    while (true) {
        const auto piece = get(other().read(Whose::of("ann"), ThreadId("t1"), seen + 1, 20000));
        if (piece.empty()) break;
        ++calls;
        std::size_t bytes = 0;
        for (const auto& each : piece) {
            EXPECT_EQ(each.sequence, ++seen);
            if (&each != &piece.back()) bytes += bytes_of(each);
        }
        EXPECT_LT(bytes, 20000u);  // without the last, which may be of any size
    }
    EXPECT_EQ(seen, 301u);
    EXPECT_LT(calls, 40u);
    EXPECT_GT(calls, 10u);
}

TEST_P(ThreadsContract, AMessageHasALargestSize) {
    get(one().create_thread(thread("t1", "ann"), 0));
    const auto begun = get(one().begin_turn(turn_request("t1", "a", "first")));
    const auto big = message(MessageRole::Tool, std::string(kMessageBytesMax - 2, 'x'));
    auto bigger = big;
    bigger.content += "y";
    std::vector<ThreadMessage> one_too_large{big, bigger};
    expect(Code::TooLarge, one().append(begun.hold, one_too_large));
    std::vector<ThreadMessage> too_many{big, big, big};
    expect(Code::TooLarge, one().append(begun.hold, too_many));
    EXPECT_EQ(get(one().append(begun.hold, {big})), 2u);
    EXPECT_EQ(get(other().read(Whose::of("ann"), ThreadId("t1"), 2, 1)).at(0).content, big.content);
    get(one().end_turn(begun.hold, {}));
    auto question = turn_request("t1", "a", "");
    question.question = bigger;
    expect(Code::TooLarge, one().begin_turn(question));
    EXPECT_FALSE(get(one().get_thread(Whose::of("ann"), ThreadId("t1"))).lease);
}

// ---- Homes ----

// Goal: whatever is written can be read in one piece.
TEST_P(ThreadsContract, ARecordHasALargestSize) {
    auto large = thread("t1", "ann");
    large.title = std::string(5000, 'x');
    expect(Code::TooLarge, one().create_thread(large, 0));
    large.title = "";
    large.memory_json = std::string((1u << 20) + 1, 'x');
    expect(Code::TooLarge, one().create_thread(large, 0));
    large.memory_json = std::string(1u << 20, 'x');
    large.title = std::string(4096, 'x');
    get(one().create_thread(large, 0));
    EXPECT_EQ(get(other().get_thread(Whose::of("ann"), ThreadId("t1"))).memory_json.size(),
              1u << 20);
    ThreadPatch patch;
    patch.title = std::string(4097, 'x');
    expect(Code::TooLarge, one().patch_thread(Whose::of("ann"), ThreadId("t1"), patch));
    patch.title.reset();
    patch.files.emplace(257, UploadId("u1"));
    expect(Code::TooLarge, one().patch_thread(Whose::of("ann"), ThreadId("t1"), patch));
    auto named = upload("u1", "ann", 1);
    named.name = std::string(5000, 'x');
    expect(Code::TooLarge, one().add_upload(named, 0));
    auto called = turn_request("t1", "a", "question", std::string(5000, 'c'));
    expect(Code::TooLarge, one().begin_turn(called));
    EXPECT_EQ(get(other().list_threads({Whose::of("ann"), "", 10})).threads.size(), 1u);
}

TEST_P(ThreadsContract, AHomeIsTakenAndLeft) {
    get(one().create_thread(thread("t1", "ann"), 0));
    get(one().live("a", time_now() + std::chrono::seconds(60)));
    EXPECT_EQ(get(one().take_home(ThreadId("t1"), "a")).instance, "a");
    EXPECT_EQ(get(one().take_home(ThreadId("t1"), "a")).instance, "a");
    EXPECT_EQ(get(other().get_thread(Whose::of("ann"), ThreadId("t1"))).home, "a");
    get(other().leave_home(ThreadId("t1"), "b"));  // not its own: nothing happens
    EXPECT_EQ(get(other().get_thread(Whose::of("ann"), ThreadId("t1"))).home, "a");
    get(one().leave_home(ThreadId("t1"), "a"));
    EXPECT_EQ(get(other().get_thread(Whose::of("ann"), ThreadId("t1"))).home, "");
    EXPECT_EQ(get(other().take_home(ThreadId("t1"), "b")).instance, "b");
    expect(Code::NotFound, one().take_home(ThreadId("t2"), "a"));
    get(one().leave_home(ThreadId("t2"), "a"));  // it may just have gone
    EXPECT_TRUE(get(one().asked_of("a")).empty());
}

// ---- Measured ----

// Printed, not judged: a busy machine is no failure.
TEST_P(ThreadsContract, SpeedOfATurn) {
    using Clock = std::chrono::steady_clock;
    get(one().create_thread(thread("t1", "ann"), 0));
    std::vector<double> begin_us;
    std::vector<double> append_us;
    std::vector<double> end_us;
    const auto timed = [](std::vector<double>& into, auto&& work) {
        const auto from = Clock::now();
        work();
        into.push_back(std::chrono::duration<double, std::micro>(Clock::now() - from).count());
    };
    for (int i = 0; i < 300; ++i) {
        TurnBegun begun;
        timed(begin_us, [&] {
            begun = get(one().begin_turn(
                turn_request("t1", "a", std::string(200, 'q'), "c" + std::to_string(i))));
        });
        timed(append_us, [&] { get(one().append(begun.hold, says(std::string(2000, 'x')))); });
        timed(end_us, [&] { get(one().end_turn(begun.hold, says(std::string(1000, 'x')))); });
    }
    const auto at = [](std::vector<double> times, double part) {
        std::sort(times.begin(), times.end());
        return times[static_cast<std::size_t>(static_cast<double>(times.size() - 1) * part)];
    };
    std::printf("begin_turn p50 %.0f µs p95 %.0f µs, append %.0f %.0f, end_turn %.0f %.0f\n",
                at(begin_us, 0.5), at(begin_us, 0.95), at(append_us, 0.5), at(append_us, 0.95),
                at(end_us, 0.5), at(end_us, 0.95));
    EXPECT_EQ(get(one().get_thread(Whose::of("ann"), ThreadId("t1"))).messages, 900u);
}

}  // namespace atl::core::contract
