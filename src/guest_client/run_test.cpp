// A run against a guest that says what the test tells it to.
#include "guest_client/run.hpp"

#include "guest_client/test_support.hpp"

#include <boost/json/parse.hpp>
#include <csignal>
#include <gtest/gtest.h>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;
using core::EndReason;
using testing::Peer;

namespace {

constexpr const char* kOk = R"({"ok": true, "kernel": {"status": "ok", "execution_count": 3}})";

RunRequest request_of(std::string code, Language language = Language::Python) {
    RunRequest request;
    request.language = language;
    request.code = std::move(code);
    return request;
}

// A run, and what it heard. The listener refers to `text`: this must outlive the coroutine, and
// what comes after the coroutine's end must not be heard.
struct Running {
    explicit Running(Peer& peer, RunRequest request = request_of("1 + 1"))
        : run(peer.link, sandbox) {
        RunListener listener;
        listener.output = [this](core::Stream, std::string_view piece) { text += piece; };
        listener.result = [this](const json::object&) { ++results; };
        listener.error = [this](const json::object&) { ++errors; };
        ending = peer.start(run.run(std::move(request), std::move(listener)));
    }
    testing::NoSandbox sandbox;
    Run run;
    std::string text;
    int results = 0, errors = 0;
    std::shared_ptr<testing::Started<RunEnd>> ending;
};

}  // namespace

TEST(Run, passes_on_what_the_kernel_says) {
    Peer peer;
    Running running(peer);
    peer.print(Peer::kFirst, "hello");
    peer.event(Peer::kFirst, R"({"event": "result"})");
    peer.event(Peer::kFirst, R"({"event": "error"})");
    peer.end(Peer::kFirst, kOk);
    ASSERT_TRUE(running.ending->value);
    EXPECT_EQ(running.ending->value->reason, EndReason::Exited);
    EXPECT_EQ(running.ending->value->execution_count, 3);
    EXPECT_EQ(running.text, "hello");
    EXPECT_EQ(running.results, 1);
    EXPECT_EQ(running.errors, 1);
}

// Goal: JavaScript in a session has a kernel of its own, and never Python's; in a sandbox for one
// run it is a program.
TEST(Run, javascript_keeps_its_state_where_there_is_a_next_run) {
    struct Row {
        const char* context;
        bool keeps_state;
        const char* heard;
    };
    const Row rows[] = {
        {"default", true, "javascript"}, {"mine", true, "mine"}, {"mine", false, nullptr}};
    for (const auto& row : rows) {
        Peer peer;
        auto request = request_of("1 + 1", Language::TypeScript);
        request.context = row.context;
        request.keeps_state = row.keeps_state;
        const Running running(peer, std::move(request));
        const auto heard = peer.heard();
        ASSERT_FALSE(heard.empty());
        const auto asked = json::parse(heard[0].payload).as_object();
        EXPECT_EQ(asked.at("op"), row.heard != nullptr ? "kernel.run" : "process.start");
        if (row.heard != nullptr) {
            EXPECT_EQ(asked.at("context"), row.heard);
            EXPECT_EQ(asked.at("language"), "javascript");
        }
        peer.die();  // before what the run refers to
    }
}

TEST(Run, says_how_a_kernel_ended) {
    struct Row {
        const char* end;
        EndReason reason;
        int exit_code;
    };
    for (const auto& row :
         {Row{R"({"ok": true, "kernel": {"status": "ok", "exit_code": 3}})", EndReason::Exited, 3},
          Row{R"({"ok": true, "kernel": {"status": "error"}})", EndReason::Exited, 1},
          Row{R"({"ok": true, "timed_out": true})", EndReason::Timeout, 1},
          Row{R"({"ok": true, "interrupted": true})", EndReason::Killed, 1},
          Row{R"({"ok": true, "died": true, "signal": 11})", EndReason::Signalled, 139},
          Row{R"({"ok": true, "died": true, "exit_code": 7})", EndReason::Exited, 7}}) {
        Peer peer;
        Running running(peer);
        peer.end(Peer::kFirst, row.end);
        ASSERT_TRUE(running.ending->value) << row.end;
        EXPECT_EQ(running.ending->value->reason, row.reason) << row.end;
        EXPECT_EQ(running.ending->value->exit_code, row.exit_code) << row.end;
    }
}

TEST(Run, stops_a_kernel_that_prints_too_much) {
    Peer peer;
    auto request = request_of("…");
    request.output_bytes_max = 4;
    Running running(peer, std::move(request));
    peer.print(Peer::kFirst, "abcdef");
    peer.print(Peer::kFirst, "ghi");
    EXPECT_TRUE(peer.heard_control("interrupt"));
    peer.end(Peer::kFirst, R"({"ok": true, "interrupted": true})");
    ASSERT_TRUE(running.ending->value);
    EXPECT_EQ(running.ending->value->reason, EndReason::Output);
    EXPECT_TRUE(running.ending->value->output_truncated);
    EXPECT_EQ(running.text, "abcd");
}

TEST(Run, is_stopped_when_it_is_asked_to) {
    Peer peer;
    Running running(peer);
    (void)peer.heard();
    running.run.cancel();
    EXPECT_TRUE(peer.heard_control("interrupt"));
    EXPECT_FALSE(running.ending->done) << "its end comes from the guest";
    peer.end(Peer::kFirst, R"({"ok": true, "interrupted": true})");
    ASSERT_TRUE(running.ending->value);
    EXPECT_EQ(running.ending->value->reason, EndReason::Killed);
    running.run.cancel();  // too late, and harmless
    running.run.took(1);
}

TEST(Run, one_that_waits_for_its_turn_can_be_stopped) {
    Peer peer;
    Running first(peer);
    Running second(peer);
    second.run.stop(EndReason::Disk);
    peer.turn();
    ASSERT_TRUE(second.ending->value);
    EXPECT_EQ(second.ending->value->reason, EndReason::Disk);
    Running third(peer);
    peer.end(Peer::kFirst, kOk);
    EXPECT_TRUE(first.ending->done);
    EXPECT_FALSE(third.ending->done);
    peer.end(Peer::kFirst + 1, kOk);
    EXPECT_TRUE(third.ending->done);
}

// The same by cancelling its coroutine, in the queue and while it runs.
TEST(Run, one_that_is_cancelled_leaves_its_place_to_the_next) {
    Peer peer;
    auto first = std::make_unique<Running>(peer);
    auto second = std::make_unique<Running>(peer);
    Running third(peer);
    peer.cancel(*second->ending);
    EXPECT_TRUE(second->ending->done);
    second.reset();
    peer.print(Peer::kFirst, "heard");
    EXPECT_EQ(first->text, "heard");
    (void)peer.heard();
    peer.cancel(*first->ending);
    EXPECT_TRUE(first->ending->done);
    EXPECT_FALSE(first->ending->error.empty());
    first.reset();  // with all that its listener refers to
    EXPECT_TRUE(peer.heard_control("cancel"));
    peer.print(Peer::kFirst, "late");
    peer.event(Peer::kFirst, R"({"event": "error"})");
    peer.link->interrupted("default");
    peer.end(Peer::kFirst, R"({"ok": true, "interrupted": true})");
    EXPECT_FALSE(third.ending->done);
    peer.end(Peer::kFirst + 1, kOk);
    EXPECT_TRUE(third.ending->value);
}

TEST(Run, when_the_guest_dies_it_says_so) {
    for (const auto language : {Language::Python, Language::Shell}) {
        Peer peer;
        Running running(peer, request_of("x", language));
        Running other(peer, request_of("y", language));
        peer.die();
        ASSERT_TRUE(running.ending->done && other.ending->done);
        if (language == Language::Python) {
            EXPECT_EQ(running.ending->error, "the sandbox has ended");
            EXPECT_EQ(other.ending->error, "the sandbox has ended");
        } else {
            EXPECT_EQ(running.ending->value->reason, EndReason::Killed);
            EXPECT_EQ(running.ending->value->signal, SIGKILL);
        }
    }
}

// A reader that takes nothing holds the kernel up; one that leaves does not.
TEST(Run, gets_no_credit_for_what_its_listener_has_not_taken) {
    Peer peer;
    testing::NoSandbox sandbox;
    guest_client::Run run(peer.link, sandbox);
    std::size_t cost = 0;
    RunListener listener;
    listener.output = [](core::Stream, std::string_view) {};
    listener.cost = [&cost](std::size_t bytes) { cost += bytes; };
    const auto ending = peer.start(run.run(request_of("…"), std::move(listener)));
    const std::string piece(wire::kInitialCredit / 2, 'x');
    peer.print(Peer::kFirst, piece);
    EXPECT_EQ(cost, piece.size());
    EXPECT_EQ(peer.credit(), 0u);
    run.took(cost);
    EXPECT_EQ(peer.credit(), piece.size());
    peer.print(Peer::kFirst, piece);
    EXPECT_EQ(peer.credit(), 0u);
    run.cancel();
    EXPECT_EQ(peer.credit(), piece.size()) << "its end must come, whoever reads";
    peer.end(Peer::kFirst, R"({"ok": true, "interrupted": true})");
    EXPECT_TRUE(ending->done);
}

}  // namespace atl::guest_client
