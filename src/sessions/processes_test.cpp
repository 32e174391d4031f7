#include "sessions/processes.hpp"

#include "guest_client/test_support.hpp"

#include <csignal>
#include <gtest/gtest.h>

namespace atl::sessions {

using core::EndReason;
using guest_client::testing::Nothing;
using guest_client::testing::Peer;
using guest_client::testing::Started;
using namespace std::chrono_literals;

namespace {

constexpr const char* kStarted = R"({"event": "started", "pid": 42})";

struct Program {
    explicit Program(Peer& peer, bool stdin_open = false) {
        ProcessStart wanted;
        wanted.argv = {"/bin/cat"};
        wanted.stdin_open = stdin_open;
        process = std::make_shared<Process>(peer.context.get_executor(), "p-test",
                                            std::move(wanted), core::system_clock());
        starting = peer.start(process->start(peer.link, sandbox));
    }
    guest_client::testing::NoSandbox sandbox;
    std::shared_ptr<Process> process;
    std::shared_ptr<Started<Nothing>> starting;
};

}  // namespace

TEST(Process, runs_prints_and_ends) {
    Peer peer;
    Program program(peer);
    EXPECT_FALSE(program.starting->done);
    peer.event(Peer::kFirst, kStarted);
    EXPECT_TRUE(program.starting->done);
    EXPECT_EQ(program.starting->error, "");
    EXPECT_EQ(program.process->pid(), 42);
    EXPECT_TRUE(program.process->running());
    const auto waiting = peer.start(program.process->wait(1h));
    peer.print(Peer::kFirst, "text");
    EXPECT_FALSE(waiting->done);
    peer.end(Peer::kFirst, R"({"ok": true, "exit_code": 3})");
    EXPECT_EQ(waiting->value, true);
    ASSERT_TRUE(program.process->ended());
    EXPECT_EQ(program.process->ended()->reason, EndReason::Exited);
    EXPECT_EQ(program.process->ended()->exit_code, 3);
}

// Whatever the guest calls it, the caller must not wait for a start that never comes.
TEST(Process, one_that_ends_without_having_started_is_an_error) {
    for (const char* end :
         {R"({"ok": true, "exit_code": 0})", R"({"ok": true})",
          R"({"ok": false, "code": "not_found", "message": "run x: not there"})"}) {
        Peer peer;
        Program program(peer);
        peer.end(Peer::kFirst, end);
        EXPECT_TRUE(program.starting->done) << end;
        EXPECT_FALSE(program.starting->error.empty()) << end;
        EXPECT_FALSE(program.process->running());
    }
}

TEST(Process, one_whose_guest_dies_before_it_starts_is_an_error) {
    for (const std::uint64_t peak : {0, 1}) {  // 0: the guest is asked about memory first
        Peer peer;
        Program program(peer);
        program.sandbox.use.memory_peak_bytes = peak;
        peer.die();
        EXPECT_EQ(program.starting->error, "the sandbox has ended");
    }
}

TEST(Process, goes_with_its_sandbox_and_says_so) {
    Peer peer;
    Program program(peer, true);
    peer.event(Peer::kFirst, kStarted);
    const auto fed = peer.start(program.process->input(std::string(1u << 20, 'x'), 1h));
    const auto next = peer.start(program.process->input("y", 1h));
    EXPECT_FALSE(fed->done || next->done);
    peer.die();
    EXPECT_EQ(fed->value, false);
    EXPECT_EQ(next->value, false);
    ASSERT_TRUE(program.process->ended());
    EXPECT_TRUE(program.process->ended()->with_sandbox);
    EXPECT_EQ(program.process->ended()->signal, SIGKILL);
    program.process->signal(SIGINT);  // too late, and harmless
    program.process->kill();
}

// The input that a program was started with is fed for as long as it takes. Whoever writes more
// must not wait for ever behind it: a client that left would keep the session awake.
TEST(Process, whoever_waits_for_a_turn_to_write_gives_up_in_time) {
    Peer peer;
    Program program(peer, true);
    peer.event(Peer::kFirst, kStarted);
    program.process->feed(std::string(1u << 20, 'x'), false);
    peer.turn();
    const auto more = peer.start(program.process->input("y", 1ms));
    const auto end = peer.start(program.process->end_input(1ms));
    while (!more->done || !end->done) peer.context.run_one_for(1s);
    EXPECT_EQ(more->error, "the program does not read its input");
    EXPECT_EQ(end->error, "the program does not read its input");
    EXPECT_TRUE(program.process->stdin_open());
    // Nobody is left in the queue: what is read makes room for the next.
    const auto last = peer.start(program.process->input("z", 1h));
    for (int i = 0; i < 8; ++i) {
        peer.grant(Peer::kFirst, 1u << 18);
        (void)peer.heard();
    }
    EXPECT_EQ(last->value, true);
}

TEST(Process, one_that_is_killed_says_why) {
    Peer peer;
    Program program(peer);
    peer.event(Peer::kFirst, kStarted);
    (void)peer.heard();
    program.process->kill(EndReason::Disk);
    program.process->kill(EndReason::Killed);
    EXPECT_TRUE(peer.heard_control("cancel"));
    peer.end(Peer::kFirst, R"({"ok": true, "signal": 9, "exit_code": 137})");
    ASSERT_TRUE(program.process->ended());
    EXPECT_EQ(program.process->ended()->reason, EndReason::Disk);
}

TEST(Process, a_record_that_is_dropped_ends_its_program) {
    Peer peer;
    {
        Program program(peer);
        peer.event(Peer::kFirst, kStarted);
        (void)peer.heard();
        EXPECT_EQ(program.process.use_count(), 1);
    }
    peer.turn();
    EXPECT_TRUE(peer.heard_control("cancel"));
    peer.print(Peer::kFirst, "late");
    peer.end(Peer::kFirst);
    EXPECT_TRUE(peer.link->alive());
}

}  // namespace atl::sessions
