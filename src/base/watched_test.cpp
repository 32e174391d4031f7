// Descriptors that cannot be watched are an Error, and are closed by whoever owns them.
#include "base/watched.hpp"

#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace atl {

namespace {

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

}  // namespace

TEST(Watched, TakesWhatCanBeWatched) {
    boost::asio::io_context context;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd other(ends[1]);
    {
        const auto descriptor = watched(context.get_executor(), UniqueFd(ends[0]));
        EXPECT_TRUE(descriptor.is_open());
    }
    EXPECT_FALSE(is_open(ends[0]));
}

TEST(Watched, WhatCannotBeWatchedIsAnErrorAndIsClosed) {
    boost::asio::io_context context;
    int ends[2];
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    ::close(ends[1]);
    ::close(ends[0]);
    // A number that names nothing: epoll_ctl fails, as it does without watches.
    const auto failed = try_watched(context.get_executor(), ends[0]);
    ASSERT_FALSE(failed.has_value());
    EXPECT_EQ(failed.error().code, Code::Unavailable);
    EXPECT_THROW((void)watched(context.get_executor(), UniqueFd(-1)), ErrorException);
}

}  // namespace atl
