#include "sessions/transfer.hpp"

#include "wire/fields.hpp"

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

namespace atl::sessions {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

// The other end of a link, spoken by hand.
class ByHand {
public:
    ByHand() {
        int ends[2];
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) std::abort();
        guest_ = UniqueFd(ends[0]);
        link = GuestLink::start(context.get_executor(), UniqueFd(ends[1]));
    }
    ~ByHand() {
        link->close();
        context.run();
    }

    void say(wire::Kind kind, std::string_view payload, int descriptor = -1) {
        std::string text;
        wire::append_frame(text, kind, 16, payload);
        iovec piece{text.data(), text.size()};
        alignas(cmsghdr) char space[CMSG_SPACE(sizeof(int))] = {};
        msghdr message{};
        message.msg_iov = &piece;
        message.msg_iovlen = 1;
        if (descriptor >= 0) {
            message.msg_control = space;
            message.msg_controllen = sizeof space;
            cmsghdr* rights = CMSG_FIRSTHDR(&message);
            rights->cmsg_level = SOL_SOCKET;
            rights->cmsg_type = SCM_RIGHTS;
            rights->cmsg_len = CMSG_LEN(sizeof descriptor);
            std::memcpy(CMSG_DATA(rights), &descriptor, sizeof descriptor);
        }
        while (piece.iov_len > 0) {
            const ssize_t n = ::sendmsg(guest_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
            turn();
            if (n < 0 && errno == EAGAIN) continue;
            if (n < 0) return;  // cut off, which the test will see
            piece.iov_base = static_cast<char*>(piece.iov_base) + n;
            piece.iov_len -= static_cast<std::size_t>(n);
            message.msg_control = nullptr;
            message.msg_controllen = 0;
        }
    }
    // Everything that has work to do does it.
    void turn() {
        context.restart();
        while (context.poll() > 0) {}
    }
    // Credit that came since it was last asked for.
    std::size_t credit() {
        turn();
        std::size_t granted = 0;
        for (const auto& [kind, payload] : heard()) {
            if (kind == wire::Kind::Credit) granted += wire::parse_credit(payload).value();
        }
        return granted;
    }
    std::vector<std::pair<wire::Kind, std::string>> heard() {
        std::vector<std::pair<wire::Kind, std::string>> frames;
        std::array<char, 65536> buffer;
        ssize_t n = 0;
        while ((n = ::recv(guest_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
            decoder_.feed({buffer.data(), static_cast<std::size_t>(n)});
        }
        for (auto frame = decoder_.next(); frame && *frame; frame = decoder_.next()) {
            frames.emplace_back((*frame)->kind, std::string((*frame)->payload));
        }
        return frames;
    }

    asio::io_context context;
    std::shared_ptr<GuestLink> link;

private:
    UniqueFd guest_;
    wire::FrameDecoder decoder_;
};

struct Reader {
    std::unique_ptr<Transfer> transfer;
    std::vector<std::string> pieces;
    bool ended = false;

    void ask(ByHand& hand) {
        const auto work = [this]() -> asio::awaitable<void> {
            const auto piece = co_await transfer->next();
            if (piece)
                pieces.push_back(piece->bytes);
            else
                ended = true;
        };
        works.push_back(std::make_unique<std::function<asio::awaitable<void>()>>(work));
        asio::co_spawn(hand.context, *works.back(), asio::detached);
        hand.turn();
    }
    std::vector<std::unique_ptr<std::function<asio::awaitable<void>()>>> works;
};

}  // namespace

// A reader that does not ask holds the guest up, with no more here than the credit of a channel.
TEST(Transfer, credit_comes_when_the_next_piece_is_asked_for) {
    ByHand hand;
    Reader reader;
    reader.transfer = std::make_unique<Transfer>(hand.link, json::object{{"op", "x"}});
    const std::string piece(wire::kInitialCredit / 2, 'x');
    hand.say(wire::Kind::Data, piece);
    hand.say(wire::Kind::Data, piece);
    EXPECT_EQ(hand.credit(), 0u);
    reader.ask(hand);
    ASSERT_EQ(reader.pieces.size(), 1u);
    EXPECT_EQ(hand.credit(), 0u) << "it is still being dealt with";
    reader.ask(hand);
    EXPECT_EQ(hand.credit(), piece.size());
    reader.ask(hand);  // waits
    EXPECT_EQ(hand.credit(), piece.size());
    hand.say(wire::Kind::End, R"({"ok": true})");
    EXPECT_TRUE(reader.ended);
}

TEST(Transfer, a_guest_that_sends_without_credit_is_cut_off) {
    ByHand hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    const std::string piece(wire::kPayloadBytesMax, 'x');
    hand.say(wire::Kind::Data, piece);
    EXPECT_TRUE(hand.link->alive());
    hand.say(wire::Kind::Data, piece);
    EXPECT_FALSE(hand.link->alive());
}

TEST(Transfer, one_that_is_given_up_is_cancelled_and_paid_for) {
    ByHand hand;
    auto transfer = std::make_unique<Transfer>(hand.link, json::object{{"op", "x"}});
    const std::string piece(wire::kPayloadBytesMax, 'x');
    hand.say(wire::Kind::Data, piece);
    (void)hand.heard();
    transfer.reset();
    hand.turn();
    bool cancelled = false, paid = false;
    for (const auto& [kind, payload] : hand.heard()) {
        cancelled = cancelled || kind == wire::Kind::Control;
        paid = paid || kind == wire::Kind::Credit;
    }
    EXPECT_TRUE(cancelled && paid);
    hand.say(wire::Kind::Data, piece);
    hand.say(wire::Kind::End, R"({"ok": true})");
    EXPECT_TRUE(hand.link->alive());
}

TEST(Transfer, a_descriptor_comes_with_its_event) {
    ByHand hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    hand.say(wire::Kind::Event, R"({"event": "opened", "descriptor": true})", file.get());
    const UniqueFd came = transfer.take_descriptor();
    ASSERT_GE(came.get(), 0);
    EXPECT_NE(::fcntl(came.get(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_FALSE(transfer.take_descriptor());
    // One that is announced and does not come is a broken promise.
    hand.say(wire::Kind::Event, R"({"event": "opened", "descriptor": true})");
    EXPECT_FALSE(hand.link->alive());
}

// The server's table is full: the guest did what it was asked for, and its sandbox goes on.
TEST(Transfer, a_descriptor_that_this_process_cannot_take_fails_its_call_alone) {
    ByHand hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const UniqueFd lowest_free(::dup(file.get()));
    const rlimit full{static_cast<rlim_t>(lowest_free.get()) + 1, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &full), 0);
    hand.say(wire::Kind::Event, R"({"event": "opened", "descriptor": true})", file.get());
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(hand.link->alive());
    EXPECT_FALSE(transfer.take_descriptor());
    hand.say(wire::Kind::Event, R"({"event": "opened", "descriptor": true})", file.get());
    EXPECT_TRUE(transfer.take_descriptor());
    std::vector<bool> lost;
    const auto read = [&]() -> asio::awaitable<void> {
        for (int i = 0; i < 2; ++i) {
            const auto piece = co_await transfer.next();
            lost.push_back(piece && wire::flag_of(piece->event, "descriptor_lost"));
        }
    };
    asio::co_spawn(hand.context, read, asio::detached);
    hand.turn();
    EXPECT_EQ(lost, (std::vector<bool>{true, false}));
}

TEST(Transfer, descriptors_that_nobody_asked_for_end_the_link) {
    ByHand hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    for (int i = 0; i < 300 && hand.link->alive(); ++i) {
        hand.say(wire::Kind::Event, "{}", file.get());
    }
    EXPECT_FALSE(hand.link->alive());
}

// A guest that reads nothing costs its channel's credit and no more, however much there is to send.
TEST(Transfer, what_waits_to_be_sent_is_bounded) {
    ByHand hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    std::string credit;
    wire::append_credit(credit, 16, 1 << 30);
    hand.say(wire::Kind::Credit, std::string_view(credit).substr(wire::kHeaderBytes));
    std::size_t sent = 0;
    const std::string piece(256 * 1024, 'x');
    const auto work = [&]() -> asio::awaitable<void> {
        for (bool taken = true; taken && sent < (64u << 20);) {
            taken = co_await transfer.send(piece);
            sent += piece.size();
        }
    };
    asio::co_spawn(hand.context, work, asio::detached);
    hand.turn();
    EXPECT_LT(sent, 8u << 20);
    hand.link->close();
    hand.turn();
}

}  // namespace atl::sessions
