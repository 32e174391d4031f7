#include "guest_client/transfer.hpp"

#include "guest_client/test_support.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;
using testing::Peer;

namespace {

struct Reader {
    std::unique_ptr<Transfer> transfer;
    std::vector<std::string> pieces;
    bool ended = false;

    void ask(Peer& hand) {
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
    Peer hand;
    Reader reader;
    reader.transfer = std::make_unique<Transfer>(hand.link, json::object{{"op", "x"}});
    const std::string piece(wire::kInitialCredit / 2, 'x');
    hand.say(wire::Kind::Data, Peer::kFirst, piece);
    hand.say(wire::Kind::Data, Peer::kFirst, piece);
    EXPECT_EQ(hand.credit(), 0u);
    reader.ask(hand);
    ASSERT_EQ(reader.pieces.size(), 1u);
    EXPECT_EQ(hand.credit(), 0u) << "it is still being dealt with";
    reader.ask(hand);
    EXPECT_EQ(hand.credit(), piece.size());
    reader.ask(hand);  // waits
    EXPECT_EQ(hand.credit(), piece.size());
    hand.say(wire::Kind::End, Peer::kFirst, R"({"ok": true})");
    EXPECT_TRUE(reader.ended);
}

TEST(Transfer, a_guest_that_sends_without_credit_is_cut_off) {
    Peer hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    const std::string piece(wire::kPayloadBytesMax, 'x');
    hand.say(wire::Kind::Data, Peer::kFirst, piece);
    EXPECT_TRUE(hand.link->alive());
    hand.say(wire::Kind::Data, Peer::kFirst, piece);
    EXPECT_FALSE(hand.link->alive());
}

// Credit bounds the bytes that wait here; this, how many records they may be.
TEST(Transfer, a_guest_that_sends_crumbs_fills_no_memory) {
    Peer hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    std::string crumbs;
    for (int i = 0; i < 5000; ++i) {
        wire::append_frame(crumbs, wire::Kind::Data, Peer::kFirst, "");  // free of charge
        wire::append_frame(crumbs, wire::Kind::Data, Peer::kFirst, "x");
    }
    EXPECT_TRUE(hand.send(crumbs));
    hand.print(Peer::kFirst, "out");
    hand.end(Peer::kFirst);
    std::string data, out;
    int pieces = 0;
    for (;; ++pieces) {
        const auto next = hand.start(transfer.next());
        ASSERT_TRUE(next->value);
        if (!*next->value) break;
        auto& piece = **next->value;
        (piece.kind == Transfer::Piece::Kind::Data ? data : out) += piece.bytes;
    }
    EXPECT_EQ(data, std::string(5000, 'x'));
    EXPECT_EQ(out, "out");
    EXPECT_EQ(pieces, 2);
}

TEST(Transfer, one_that_is_given_up_is_cancelled_and_paid_for) {
    Peer hand;
    auto transfer = std::make_unique<Transfer>(hand.link, json::object{{"op", "x"}});
    const std::string piece(wire::kPayloadBytesMax, 'x');
    hand.say(wire::Kind::Data, Peer::kFirst, piece);
    (void)hand.heard();
    transfer.reset();
    hand.turn();
    bool cancelled = false, paid = false;
    for (const auto& frame : hand.heard()) {
        cancelled = cancelled || frame.kind == wire::Kind::Control;
        paid = paid || frame.kind == wire::Kind::Credit;
    }
    EXPECT_TRUE(cancelled && paid);
    hand.say(wire::Kind::Data, Peer::kFirst, piece);
    hand.say(wire::Kind::End, Peer::kFirst, R"({"ok": true})");
    EXPECT_TRUE(hand.link->alive());
}

TEST(Transfer, a_descriptor_comes_with_its_event) {
    Peer hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    hand.say(wire::Kind::Event, Peer::kFirst, R"({"event": "opened", "descriptor": true})",
             file.get());
    const UniqueFd came = transfer.take_descriptor();
    ASSERT_GE(came.get(), 0);
    EXPECT_NE(::fcntl(came.get(), F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_FALSE(transfer.take_descriptor());
    // One that is announced and does not come is a broken promise.
    hand.say(wire::Kind::Event, Peer::kFirst, R"({"event": "opened", "descriptor": true})");
    EXPECT_FALSE(hand.link->alive());
}

TEST(Transfer, descriptors_that_nobody_asked_for_end_the_link) {
    Peer hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    const UniqueFd file(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    for (int i = 0; i < 300 && hand.link->alive(); ++i) {
        hand.say(wire::Kind::Event, Peer::kFirst, "{}", file.get());
    }
    EXPECT_FALSE(hand.link->alive());
}

// A guest that reads nothing costs its channel's credit and no more, however much there is to send.
TEST(Transfer, what_waits_to_be_sent_is_bounded) {
    Peer hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    std::string credit;
    wire::append_credit(credit, Peer::kFirst, 1 << 30);
    hand.send(credit);
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

// A reader whose handler is cancelled, then a guest that goes on.
TEST(Transfer, one_that_is_cancelled_while_it_waits_leaves_nothing_behind) {
    Peer hand;
    const auto work = [&hand]() -> asio::awaitable<void> {
        Transfer transfer(hand.link, json::object{{"op", "x"}});
        co_await transfer.end();
    };
    const auto reading = hand.start(work());
    EXPECT_FALSE(reading->done);
    hand.cancel(*reading);
    EXPECT_TRUE(reading->done);
    hand.say(wire::Kind::Data, Peer::kFirst, "late");
    hand.say(wire::Kind::Event, Peer::kFirst, "{}");
    hand.end(Peer::kFirst);
    EXPECT_TRUE(hand.link->alive());
}

TEST(Transfer, when_the_guest_dies_its_reader_hears_why) {
    Peer hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    const auto end = hand.start(transfer.end());
    const std::string much(2 * wire::kInitialCredit, 'x');
    const auto sent = hand.start(transfer.send(much));
    hand.die();
    EXPECT_EQ(end->error, "the sandbox has ended");
    EXPECT_EQ(sent->value, false);
}

TEST(Transfer, one_that_is_stopped_ends_with_the_reason) {
    Peer hand;
    Transfer transfer(hand.link, json::object{{"op", "x"}});
    const auto end = hand.start(transfer.end());
    transfer.stop({Code::Timeout, "too slow"});
    hand.turn();
    EXPECT_EQ(end->error, "too slow");
    hand.say(wire::Kind::Data, Peer::kFirst, "late");
    hand.end(Peer::kFirst);
    EXPECT_TRUE(hand.link->alive());
}

}  // namespace atl::guest_client
