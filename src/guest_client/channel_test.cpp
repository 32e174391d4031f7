// A channel and its link, against a guest that is late, dies, floods or breaks the protocol.
#include "guest_client/channel.hpp"

#include "guest_client/test_support.hpp"

#include <boost/asio/steady_timer.hpp>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;
using testing::Peer;

namespace {

const json::object kQuestion{{"op", "x"}};

std::size_t open_descriptors() {
    std::size_t count = 0;
    for (const auto& one : std::filesystem::directory_iterator("/proc/self/fd")) {
        count += one.path().empty() ? 0 : 1;
    }
    return count;
}

// Says what it hears; what it writes to must not go before the channel does.
ChannelHandlers noting(std::vector<std::string>& heard) {
    ChannelHandlers handlers;
    handlers.event = [&heard](const json::object&) { heard.emplace_back("event"); };
    handlers.output = [&heard](core::Stream, std::string_view text) { heard.emplace_back(text); };
    handlers.data = [&heard](std::string_view text) { heard.emplace_back(text); };
    handlers.eof = [&heard] { heard.emplace_back("eof"); };
    handlers.interrupted = [&heard](const std::string& context) { heard.push_back(context); };
    handlers.ended = [&heard](const Result<json::object>& result) {
        heard.push_back(result ? "ended" : result.error().message);
    };
    return handlers;
}

}  // namespace

TEST(Channel, hears_what_the_guest_says_and_its_end) {
    Peer peer;
    std::vector<std::string> heard;
    const Channel channel = peer.link->open(kQuestion, noting(heard));
    EXPECT_TRUE(channel.open());
    peer.print(Peer::kFirst, "one");
    peer.event(Peer::kFirst, "{}");
    peer.say(wire::Kind::Data, Peer::kFirst, "two");
    peer.say(wire::Kind::Eof, Peer::kFirst, "");
    peer.link->interrupted("default");
    peer.end(Peer::kFirst, R"({"ok": true, "n": 7})");
    EXPECT_EQ(heard, (std::vector<std::string>{"one", "event", "two", "eof", "default", "ended"}));
    EXPECT_FALSE(channel.open());
    const auto end = peer.start(channel.end());
    ASSERT_TRUE(end->value);
    EXPECT_EQ(end->value->at("n").as_int64(), 7);
}

TEST(Channel, an_answer_that_is_not_ok_is_an_error) {
    Peer peer;
    const auto answer = peer.start(peer.link->call(kQuestion));
    peer.end(Peer::kFirst, R"({"ok": false, "code": "not_found", "message": "no such file"})");
    EXPECT_TRUE(answer->done);
    EXPECT_EQ(answer->error, "no such file");
}

// The guest goes on speaking: to nobody, and it gets its credit back, so that its end can come.
TEST(Channel, one_that_is_gone_hears_nothing_more) {
    Peer peer;
    auto heard = std::make_unique<std::vector<std::string>>();
    auto channel = std::make_unique<Channel>(peer.link->open(kQuestion, noting(*heard)));
    peer.print(Peer::kFirst, "before");
    EXPECT_EQ(heard->size(), 1u);
    (void)peer.heard();
    channel.reset();
    heard.reset();  // whoever still wrote there would be found by the address sanitizer
    EXPECT_TRUE(peer.heard_control("cancel"));
    const std::string piece(wire::kPayloadBytesMax, 'x');
    for (int i = 0; i < 4; ++i) {
        peer.print(Peer::kFirst, piece);
        EXPECT_GT(peer.credit(), 0u);
    }
    peer.event(Peer::kFirst, R"({"event": "late"})");
    peer.link->interrupted("default");
    peer.end(Peer::kFirst);
    EXPECT_TRUE(peer.link->alive());
    peer.end(Peer::kFirst);  // once is right, twice is a channel that nobody opened
    EXPECT_FALSE(peer.link->alive());
}

// What a stop of the server does to a handler whose guest hangs.
TEST(Channel, a_call_that_is_cancelled_leaves_nothing_behind) {
    Peer peer;
    const auto answer = peer.start(peer.link->call(kQuestion));
    EXPECT_FALSE(answer->done);
    peer.cancel(*answer);
    EXPECT_TRUE(answer->done);
    EXPECT_FALSE(answer->value);
    EXPECT_TRUE(peer.heard_control("cancel"));
    peer.event(Peer::kFirst, R"({"event": "late"})");
    peer.end(Peer::kFirst);
    EXPECT_TRUE(peer.link->alive());
    // The link is as good as before.
    const auto next = peer.start(peer.link->call(kQuestion));
    peer.end(Peer::kFirst + 1);
    EXPECT_TRUE(next->value);
}

TEST(Channel, when_the_guest_dies_all_hear_it) {
    Peer peer;
    std::vector<std::string> heard;
    const Channel first = peer.link->open(kQuestion, noting(heard));
    const Channel second = peer.link->open(kQuestion, noting(heard));
    const auto answer = peer.start(peer.link->call(kQuestion));
    peer.die();
    const std::string why = "the sandbox has ended";
    EXPECT_EQ(heard, (std::vector<std::string>{why, why}));
    EXPECT_EQ(answer->error, why);
    EXPECT_FALSE(peer.link->alive());
    // And so does who comes later, in the loop's next turn and not inside open().
    const Channel late = peer.link->open(kQuestion, noting(heard));
    EXPECT_EQ(heard.size(), 2u);
    peer.turn();
    EXPECT_EQ(heard.size(), 3u);
    EXPECT_FALSE(late.open());
}

TEST(Channel, what_was_said_before_a_death_is_heard) {
    Peer peer;
    std::vector<std::string> heard;
    const Channel channel = peer.link->open(kQuestion, noting(heard));
    std::string last;
    wire::append_frame(last, wire::Kind::Stdout, Peer::kFirst, "last words");
    wire::append_frame(last, wire::Kind::End, Peer::kFirst, R"({"ok": true})");
    ASSERT_EQ(::send(peer.descriptor(), last.data(), last.size(), 0),
              static_cast<ssize_t>(last.size()));
    peer.die();
    EXPECT_EQ(heard, (std::vector<std::string>{"last words", "ended"}));
}

TEST(Channel, after_the_end_everything_is_harmless) {
    Peer peer;
    Channel channel = peer.link->open(kQuestion, {});
    peer.end(Peer::kFirst);
    (void)peer.heard();
    channel.grant(1);
    channel.control(kQuestion);
    channel.eof();
    const auto sent = peer.start(channel.data("x"));
    EXPECT_EQ(sent->value, false);
    channel.abandon();
    channel.abandon();
    EXPECT_TRUE(peer.heard().empty());
    Channel none;
    none.grant(1);
    none.control(kQuestion);
    none.eof();
    none.abandon();
    EXPECT_EQ(peer.start(none.data("x"))->value, false);
}

TEST(Channel, a_handler_may_let_go_of_its_own_channel) {
    Peer peer;
    std::optional<Channel> channel;
    int heard = 0;
    const auto owned = std::make_shared<int>(0);  // goes with the handlers
    ChannelHandlers handlers;
    handlers.output = [&, owned](core::Stream, std::string_view) {
        channel.reset();
        heard += 1 + *owned;  // the handler is still there, and what it owns
    };
    channel.emplace(peer.link->open(kQuestion, std::move(handlers)));
    peer.print(Peer::kFirst, "a");
    peer.print(Peer::kFirst, "b");
    EXPECT_EQ(heard, 1);
    EXPECT_EQ(owned.use_count(), 1) << "nobody keeps the handlers of a channel that is gone";
    peer.end(Peer::kFirst);
    EXPECT_TRUE(peer.link->alive());
}

TEST(Channel, a_handler_may_close_the_link) {
    Peer peer;
    std::vector<std::string> heard;
    ChannelHandlers handlers = noting(heard);
    handlers.output = [&](core::Stream, std::string_view) { peer.link->close(); };
    const Channel channel = peer.link->open(kQuestion, std::move(handlers));
    const Channel other = peer.link->open(kQuestion, noting(heard));
    peer.print(Peer::kFirst, "a");
    EXPECT_EQ(heard,
              (std::vector<std::string>{"the sandbox was closed", "the sandbox was closed"}));
}

TEST(Channel, assigning_another_gives_the_first_up) {
    Peer peer;
    std::vector<std::string> first, second;
    Channel channel = peer.link->open(kQuestion, noting(first));
    channel = peer.link->open(kQuestion, noting(second));
    peer.print(Peer::kFirst, "a");
    peer.print(Peer::kFirst + 1, "b");
    EXPECT_TRUE(first.empty());
    EXPECT_EQ(second, std::vector<std::string>{"b"});
}

TEST(Channel, whoever_waits_is_told_when_it_is_given_up) {
    Peer peer;
    Channel channel = peer.link->open(kQuestion, {});
    const auto end = peer.start(channel.end());
    // More than there is credit for: it waits.
    const std::string much(2 * wire::kInitialCredit, 'x');
    const auto sent = peer.start(channel.lend(much));
    EXPECT_FALSE(end->done || sent->done);
    channel.abandon();
    peer.turn();
    EXPECT_TRUE(end->done);
    EXPECT_EQ(end->error, "the call was given up");
    EXPECT_EQ(sent->value, false);
}

TEST(Channel, whoever_waits_for_a_guest_that_does_not_read_is_told_as_well) {
    Peer peer;
    Channel channel = peer.link->open(kQuestion, {});
    std::string credit;
    wire::append_credit(credit, Peer::kFirst, 1 << 30);
    peer.send(credit);
    const std::string much(64u << 20, 'x');
    const auto sent = peer.start(channel.lend(much));
    EXPECT_FALSE(sent->done) << "more than the kernel takes";
    channel.abandon();
    peer.turn();
    EXPECT_EQ(sent->value, false);
}

TEST(Channel, a_request_that_is_too_large_fails_alone) {
    Peer peer;
    const json::object large{{"op", std::string(wire::kPayloadBytesMax, 'x')}};
    const auto answer = peer.start(peer.link->call(large));
    EXPECT_EQ(answer->error, "the request is larger than 256 KiB");
    EXPECT_TRUE(peer.link->alive());
}

// A listener that fails is a fault of ours; it must not leave a link that nobody reads.
TEST(GuestLink, a_reader_that_throws_ends_the_link_for_all) {
    Peer peer;
    std::vector<std::string> heard;
    ChannelHandlers bad = noting(heard);
    bad.output = [](core::Stream, std::string_view) { throw std::bad_alloc(); };
    const Channel channel = peer.link->open(kQuestion, std::move(bad));
    const auto answer = peer.start(peer.link->call(kQuestion));
    peer.print(Peer::kFirst, "x");
    EXPECT_FALSE(peer.link->alive());
    ASSERT_TRUE(answer->done);
    EXPECT_EQ(answer->error, "the sandbox was cut off: std::bad_alloc");
    EXPECT_EQ(heard, std::vector<std::string>{answer->error});
}

TEST(GuestLink, a_listener_that_cannot_take_the_end_keeps_it_from_nobody) {
    Peer peer;
    ChannelHandlers bad;
    bad.ended = [](const Result<json::object>&) { throw std::bad_alloc(); };
    const Channel channel = peer.link->open(kQuestion, std::move(bad));
    const auto answer = peer.start(peer.link->call(kQuestion));
    peer.die();
    EXPECT_EQ(answer->error, "the sandbox has ended");
}

// What cannot be watched: a closed number, and a file (epoll refuses both, at different times).
TEST(GuestLink, a_stream_that_cannot_be_watched_is_a_link_that_is_lost) {
    asio::io_context context;
    const asio::steady_timer first(context);  // the loop opens its own descriptors now
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    const std::size_t before = open_descriptors();
    for (const int fd : {1 << 20, ::dup(file.get())}) {
        const auto link = GuestLink::start(context.get_executor(), UniqueFd(fd));
        std::vector<std::string> heard;
        const Channel channel = link->open(kQuestion, noting(heard));
        context.restart();
        while (context.poll() > 0) {}
        EXPECT_FALSE(link->alive());
        ASSERT_EQ(heard.size(), 1u) << fd;
        EXPECT_NE(heard[0].find(": "), std::string::npos) << "says why: " << heard[0];
    }
    EXPECT_EQ(open_descriptors(), before);
}

// It can shut its end for reading and stay alive; who waits for an answer must not wait for ever.
TEST(GuestLink, a_guest_that_reads_no_more_is_lost) {
    Peer peer;
    ASSERT_EQ(::shutdown(peer.descriptor(), SHUT_RD), 0);
    const auto answer = peer.start(peer.link->call(kQuestion));
    EXPECT_TRUE(answer->done);
    EXPECT_FALSE(peer.link->alive());
}

TEST(GuestLink, frames_that_no_guest_may_send_end_the_link) {
    struct Row {
        wire::Kind kind;
        ChannelId channel;
        const char* payload;
        const char* complaint;
    };
    for (const auto& row :
         {Row{wire::Kind::Stdout, Peer::kFirst + 1, "x", "nobody opened"},
          Row{wire::Kind::End, Peer::kFirst + 1, "{}", "nobody opened"},
          Row{wire::Kind::Request, Peer::kFirst, "{}", "only a host sends"},
          Row{wire::Kind::Control, Peer::kFirst, "{}", "only a host sends"},
          Row{wire::Kind::Event, Peer::kFirst, "{", "JSON"},
          Row{wire::Kind::Event, Peer::kFirst, R"({"descriptor": true})", "no descriptor"},
          Row{wire::Kind::Credit, Peer::kFirst, "12345", "credit of 5 bytes"},
          Row{wire::Kind::Hello, 0, R"({"error": "no walls"})", "no walls"},
          Row{wire::Kind::End, 3, R"({"ok": false, "message": "no"})", "claim the sandbox: no"}}) {
        Peer peer;
        const auto answer = peer.start(peer.link->call(kQuestion));
        peer.say(row.kind, row.channel, row.payload);
        EXPECT_FALSE(peer.link->alive()) << row.complaint;
        EXPECT_NE(answer->error.find(row.complaint), std::string::npos) << answer->error;
    }
}

// One frame that never ends, a descriptor with each of its bytes.
TEST(GuestLink, descriptors_are_counted_as_they_arrive) {
    Peer peer;
    std::vector<std::string> heard;
    const Channel channel = peer.link->open(kQuestion, noting(heard));
    const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const std::size_t before = open_descriptors();
    std::string header;
    wire::append_frame_header(header, wire::Kind::Event, Peer::kFirst, 200'000);
    ASSERT_TRUE(peer.send(header));
    std::size_t most = before;
    for (int i = 0; i < 300 && peer.link->alive(); ++i) {
        peer.send("x", file.get());
        most = std::max(most, open_descriptors());
    }
    EXPECT_FALSE(peer.link->alive());
    EXPECT_LE(most, before + 16);
    EXPECT_LT(open_descriptors(), before) << "the link's own is closed, too";
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_NE(heard[0].find("descriptors that nobody asked for"), std::string::npos);
}

// At the limit of open files the kernel leaves a descriptor out of its message. That costs the call
// it was for, and neither the link nor the next call.
TEST(GuestLink, a_descriptor_that_found_no_room_fails_one_call) {
    Peer peer;
    std::vector<UniqueFd> passed;
    std::vector<std::string> heard;
    ChannelHandlers handlers = noting(heard);
    handlers.descriptor = [&passed](UniqueFd fd) { passed.push_back(std::move(fd)); };
    const Channel channel = peer.link->open(kQuestion, std::move(handlers));
    const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    rlimit usual{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &usual), 0);
    // The lowest free number is the limit, so there is none.
    rlimit full = usual;
    full.rlim_cur = static_cast<rlim_t>(UniqueFd(::dup(file.get())).get());
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &full), 0);
    peer.say(wire::Kind::Event, Peer::kFirst, R"({"descriptor": true})", file.get());
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &usual), 0);
    EXPECT_TRUE(peer.link->alive());
    ASSERT_EQ(passed.size(), 1u);
    EXPECT_FALSE(passed[0]);
    peer.say(wire::Kind::Event, Peer::kFirst, R"({"descriptor": true})", file.get());
    ASSERT_EQ(passed.size(), 2u);
    EXPECT_TRUE(passed[1]);
    EXPECT_EQ(heard, (std::vector<std::string>{"event", "event"}));
}

}  // namespace atl::guest_client
