#include "guest_client/pulse.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

namespace atl::guest_client {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

// A link whose guest says nothing but what the test says for it.
class PulseTest : public testing::Test {
protected:
    void SetUp() override {
        int ends[2];
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        guest_ = UniqueFd(ends[0]);
        link_ = GuestLink::start(loop_.get_executor(), UniqueFd(ends[1]));
    }
    void TearDown() override {
        link_->close();
        loop_.restart();
        loop_.run();
    }

    void check() {
        const auto hung = [this] { hung_ = true; };
        asio::co_spawn(loop_, check_pulse(link_, hung, 20ms), [this](const std::exception_ptr& e) {
            EXPECT_FALSE(e);
            over_ = true;
        });
    }
    void run_until_over() {
        const auto until = std::chrono::steady_clock::now() + 20s;
        while (!over_ && std::chrono::steady_clock::now() < until) loop_.run_for(5ms);
        ASSERT_TRUE(over_);
    }
    void answer() {
        std::string frame;
        wire::append_frame(frame, wire::Kind::End, 16, R"({"ok": true})");
        ASSERT_EQ(::write(guest_.get(), frame.data(), frame.size()),
                  static_cast<ssize_t>(frame.size()));
    }

    asio::io_context loop_;
    UniqueFd guest_;
    std::shared_ptr<GuestLink> link_;
    bool hung_ = false;
    bool over_ = false;
};

TEST_F(PulseTest, AGuestThatAnswersIsLeftInPeace) {
    check();
    loop_.run_for(5ms);
    answer();
    run_until_over();
    EXPECT_FALSE(hung_);
    EXPECT_TRUE(link_->alive());
}

TEST_F(PulseTest, OneThatSaysNothingLosesItsLink) {
    check();
    run_until_over();
    EXPECT_TRUE(hung_);
    EXPECT_FALSE(link_->alive());
}

// Goal: a server that stood still itself does not take that for its guests' silence.
TEST_F(PulseTest, AnAnswerThatWaitedLongerThanTheTimeCounts) {
    check();
    loop_.run_for(5ms);
    answer();
    ::usleep(200'000);  // more than all steps together
    run_until_over();
    EXPECT_FALSE(hung_);
    EXPECT_TRUE(link_->alive());
}

TEST_F(PulseTest, TimeInWhichTheSandboxStoodStillDoesNotCount) {
    check();
    link_->stand_still(true);
    loop_.run_for(300ms);
    EXPECT_FALSE(over_);
    link_->stand_still(false);
    answer();
    run_until_over();
    EXPECT_FALSE(hung_);
}

TEST_F(PulseTest, AClosedLinkEndsIt) {
    check();
    loop_.run_for(5ms);
    link_->close();
    run_until_over();
    EXPECT_FALSE(hung_);
}

}  // namespace

}  // namespace atl::guest_client
