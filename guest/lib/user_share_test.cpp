#include "guest/lib/user_share.hpp"

#include "base/fd.hpp"
#include "sys/descriptor_passing.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <string>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace atl::guest {

namespace {

// Enough that whatever else runs on this machine is no part of what a test sees.
constexpr UserShare kNoBound{~0ull, ~0ull};

// A process that has done something, and waits for its end.
class Other {
public:
    template <class Do>
    explicit Other(Do act) {
        int ends[2];
        EXPECT_EQ(::pipe(ends), 0);
        pid_ = ::fork();
        if (pid_ == 0) {
            act();
            (void)!::write(ends[1], "x", 1);
            for (;;) ::pause();
        }
        char byte = 0;
        EXPECT_EQ(::read(ends[0], &byte, 1), 1);
        ::close(ends[0]);
        ::close(ends[1]);
    }
    ~Other() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    [[nodiscard]] pid_t pid() const { return pid_; }

private:
    pid_t pid_;
};

// One file under many numbers: each is a watch of its own, and stays when the number is closed.
void watch_many(int count) {
    const int file = ::eventfd(0, 0);
    const int poll = ::epoll_create1(0);
    for (int i = 0; i < count; ++i) {
        const int number = ::dup2(file, 100 + i);
        epoll_event event{};
        event.events = EPOLLIN;
        ::epoll_ctl(poll, EPOLL_CTL_ADD, number, &event);
        ::close(number);
    }
}

void send_many(int count) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) ::_exit(1);
    const std::vector<int> along(static_cast<std::size_t>(count), 0);
    if (sys::send_with(ends[0], "x", along) != 1) ::_exit(1);
}

}  // namespace

TEST(UserShare, SeesWatchesUnderNumbersThatAreClosed) {
    const auto before = measure_user_share(kNoBound);
    const Other greedy([] { watch_many(700); });
    const auto after = measure_user_share(kNoBound);
    EXPECT_FALSE(after.beyond);
    EXPECT_GE(after.all.epoll_watches, 700u);
    EXPECT_GE(after.all.epoll_watches + 100, before.all.epoll_watches + 700);
    // Whoever has most of them is named.
    const Other modest([] { watch_many(5); });
    const auto bounded = measure_user_share({600, ~0ull});
    EXPECT_TRUE(bounded.beyond);
    EXPECT_NE(bounded.most, modest.pid());
}

TEST(UserShare, SeesDescriptorsThatNobodyReceives) {
    const Other greedy([] { send_many(90); });
    const auto use = measure_user_share({~0ull, 80});
    EXPECT_TRUE(use.beyond);
    EXPECT_EQ(use.most, greedy.pid());
    EXPECT_GE(use.all.descriptors_in_flight, 90u);
}

TEST(UserShare, IsAPartOfWhatTheHostGives) {
    const auto most = user_share_max();
    EXPECT_GE(most.epoll_watches, 4096u);
    EXPECT_LE(most.epoll_watches, 65'536u);
    EXPECT_GT(most.descriptors_in_flight, 0u);
}

}  // namespace atl::guest
