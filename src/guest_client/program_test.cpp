#include "guest_client/program.hpp"

#include "guest_client/test_support.hpp"

#include <csignal>
#include <gtest/gtest.h>

namespace atl::guest_client {

namespace json = boost::json;
using core::EndReason;
using testing::Peer;

namespace {

// The guest is asked for its figures once the program has ended.
constexpr ChannelId kStats = Peer::kFirst + 1;

struct Started {
    explicit Started(Peer& peer, std::uint64_t output_bytes_max = 0) : program(peer.link, sandbox) {
        ProgramRequest request;
        request.argv = {"/bin/true"};
        request.output_bytes_max = output_bytes_max;
        const auto output = [this](core::Stream, std::string_view piece) { text += piece; };
        ending = peer.start(program.run(std::move(request), output));
    }
    testing::NoSandbox sandbox;
    Program program;
    std::string text;
    std::shared_ptr<testing::Started<ProgramResult>> ending;
};

}  // namespace

TEST(Program, says_how_it_ended) {
    struct Row {
        const char* end;
        const char* stats;
        EndReason reason;
        int exit_code;
    };
    for (const auto& row :
         {Row{R"({"ok": true, "exit_code": 0})", R"({"ok": true})", EndReason::Exited, 0},
          Row{R"({"ok": true, "exit_code": 3})", R"({"ok": true})", EndReason::Exited, 3},
          Row{R"({"ok": true, "exit_code": 143, "signal": 15})", R"({"ok": true})",
              EndReason::Signalled, 143},
          Row{R"({"ok": true, "exit_code": 137, "signal": 9, "timed_out": true})",
              R"({"ok": true})", EndReason::Timeout, 137},
          Row{R"({"ok": true, "exit_code": 137, "signal": 9})",
              R"({"ok": true, "memory_kills": 1})", EndReason::Memory, 137},
          Row{R"({"ok": true, "exit_code": 1})",
              R"({"ok": true, "disk_bytes_max": 9, "disk_bytes_used": 9})", EndReason::Disk, 1},
          Row{R"({"ok": true, "exit_code": 1})", R"({"ok": false, "message": "no"})",
              EndReason::Exited, 1}}) {
        Peer peer;
        Started started(peer);
        peer.print(Peer::kFirst, "text");
        peer.end(Peer::kFirst, row.end);
        EXPECT_FALSE(started.ending->done);
        peer.end(kStats, row.stats);
        ASSERT_TRUE(started.ending->value) << row.end;
        EXPECT_EQ(started.ending->value->reason, row.reason) << row.end << row.stats;
        EXPECT_EQ(started.ending->value->exit_code, row.exit_code) << row.end;
        EXPECT_EQ(started.text, "text");
    }
}

TEST(Program, one_that_cannot_be_started_is_an_error) {
    Peer peer;
    Started started(peer);
    peer.end(Peer::kFirst, R"({"ok": false, "code": "not_found", "message": "run x: not there"})");
    EXPECT_EQ(started.ending->error, "run x: not there");
}

TEST(Program, one_that_prints_too_much_is_ended) {
    Peer peer;
    Started started(peer, 3);
    peer.print(Peer::kFirst, "abcdef");
    peer.print(Peer::kFirst, "ghi");
    EXPECT_TRUE(peer.heard_control("cancel"));
    peer.end(Peer::kFirst, R"({"ok": true, "exit_code": 137, "signal": 9})");
    peer.end(kStats);
    ASSERT_TRUE(started.ending->value);
    EXPECT_EQ(started.ending->value->reason, EndReason::Output);
    EXPECT_EQ(started.text, "abc");
}

TEST(Program, goes_with_its_sandbox) {
    Peer peer;
    Started started(peer);
    const auto input = peer.start(started.program.input(std::string(1u << 20, 'x')));
    EXPECT_FALSE(input->done);
    peer.die();
    ASSERT_TRUE(started.ending->value);
    EXPECT_EQ(started.ending->value->reason, EndReason::Killed);
    EXPECT_EQ(started.ending->value->signal, SIGKILL);
    EXPECT_EQ(input->value, false);
}

// It dies between the program's end and the figures: what is known is told.
TEST(Program, a_sandbox_that_goes_before_its_figures_costs_only_these) {
    Peer peer;
    Started started(peer);
    peer.end(Peer::kFirst, R"({"ok": true, "exit_code": 4})");
    peer.die();
    ASSERT_TRUE(started.ending->value);
    EXPECT_EQ(started.ending->value->exit_code, 4);
}

// The program object lives on, its output must not: that belongs to who called run().
TEST(Program, one_whose_run_is_cancelled_is_heard_no_more) {
    Peer peer;
    testing::NoSandbox sandbox;
    sandbox.use.memory_peak_bytes = 0;  // then the guest is asked beforehand, too
    Program program(peer.link, sandbox);
    auto text = std::make_unique<std::string>();
    ProgramRequest request;
    request.argv = {"/bin/cat"};
    const auto output = [to = text.get()](core::Stream, std::string_view piece) { *to += piece; };
    const auto ending = peer.start(program.run(std::move(request), output));
    const ChannelId running = Peer::kFirst + 1;
    peer.print(running, "heard");
    EXPECT_EQ(*text, "heard");
    peer.cancel(*ending);
    EXPECT_TRUE(ending->done);
    text.reset();
    EXPECT_TRUE(peer.heard_control("cancel"));
    peer.end(Peer::kFirst, R"({"ok": true, "memory_kills": 5})");
    peer.print(running, "late");
    peer.end(running);
    EXPECT_TRUE(peer.link->alive());
    program.signal(SIGINT);  // too late, and harmless
    program.kill();
    program.input_ended();
    EXPECT_TRUE(peer.heard().empty());
}

}  // namespace atl::guest_client
