#include "wire/frame.hpp"

#include "wire/flow.hpp"

#include <gtest/gtest.h>

namespace atl::wire {

// Goal: what was encoded comes out again, however the stream is cut into reads.
TEST(FrameDecoder, FindsFramesInAnyCut) {
    std::string stream;
    append_frame(stream, Kind::Request, 7, R"({"op":"ping"})");
    append_frame(stream, Kind::Event, 7, std::string(kPayloadBytesMax, 'x'), kFlagMore);
    append_credit(stream, 9, 4096);
    for (const std::size_t cut :
         {std::size_t{1}, std::size_t{5}, std::size_t{4096}, stream.size()}) {
        SCOPED_TRACE(cut);
        FrameDecoder decoder;
        int seen = 0;
        for (std::size_t at = 0; at < stream.size(); at += cut) {
            decoder.feed(std::string_view(stream).substr(at, cut));
            for (;;) {
                auto frame = decoder.next();
                ASSERT_TRUE(frame.has_value());
                if (!frame->has_value()) break;
                const Frame& got = **frame;
                switch (seen) {
                    case 0: EXPECT_EQ(got.payload, R"({"op":"ping"})"); break;
                    case 1:
                        EXPECT_TRUE(got.more());
                        EXPECT_EQ(got.payload.size(), kPayloadBytesMax);
                        break;
                    default:
                        EXPECT_EQ(parse_credit(got.payload).value(), 4096u);
                        EXPECT_EQ(got.channel, 9u);
                }
                ++seen;
            }
        }
        EXPECT_EQ(seen, 3);
    }
}

// Goal: a hostile header is refused at once, and for good.
TEST(FrameDecoder, RefusesWhatCannotBeAFrame) {
    struct Row {
        const char* name;
        std::string header;
    };
    const Row rows[] = {
        {"four gigabytes", std::string("\xff\xff\xff\xff\x03\0\0\0\x01\0\0\0", 12)},
        {"one byte too long", std::string("\x01\0\x04\0\x03\0\0\0\x01\0\0\0", 12)},
        {"kind 0", std::string("\0\0\0\0\0\0\0\0\x01\0\0\0", 12)},
        {"kind 11", std::string("\0\0\0\0\x0b\0\0\0\x01\0\0\0", 12)},
        {"reserved bytes set", std::string("\0\0\0\0\x03\0\x01\0\x01\0\0\0", 12)},
        {"a flag that is none", std::string("\0\0\0\0\x03\x02\0\0\x01\0\0\0", 12)},
        {"output in parts", std::string("\0\0\0\0\x04\x01\0\0\x01\0\0\0", 12)},
        {"data in parts", std::string("\0\0\0\0\x06\x01\0\0\x01\0\0\0", 12)},
        {"an end in parts", std::string("\0\0\0\0\x0a\x01\0\0\x01\0\0\0", 12)},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        FrameDecoder decoder;
        decoder.feed(row.header);
        EXPECT_FALSE(decoder.next().has_value());
        std::string good;
        append_frame(good, Kind::Eof, 1, {});
        decoder.feed(good);
        EXPECT_FALSE(decoder.next().has_value()) << "a broken stream must stay broken";
    }
}

// Goal: memory is given back between frames, and never in the middle of one.
TEST(FrameDecoder, ShrinksWhenNothingWaits) {
    std::string bytes;
    append_frame(bytes, Kind::Data, 7, std::string(100'000, 'x'));
    FrameDecoder decoder;
    decoder.feed(std::string_view(bytes).substr(0, 50'000));
    decoder.shrink(100);
    decoder.feed(std::string_view(bytes).substr(50'000));
    const auto frame = decoder.next();
    ASSERT_TRUE(frame && *frame);
    EXPECT_EQ((*frame)->payload.size(), 100'000u);
    decoder.shrink(100);
    append_frame(bytes, Kind::Data, 8, "y");
    decoder.feed(bytes);
    for (const std::uint32_t channel : {7u, 8u}) {
        const auto next = decoder.next();
        ASSERT_TRUE(next && *next);
        EXPECT_EQ((*next)->channel, channel);
    }
}

TEST(Credit, AWriterStopsAndGoesOn) {
    SendCredit sender;
    ReceiveCredit receiver;
    std::size_t sent = 0;
    while (sender.open()) {
        sender.spend(100'000);
        EXPECT_TRUE(receiver.arrived(100'000));
        sent += 100'000;
    }
    EXPECT_LE(sent, static_cast<std::size_t>(kInitialCredit) + 100'000);
    EXPECT_FALSE(receiver.arrived(1)) << "a sender without credit must be noticed";
    sender.add(receiver.consumed(sent));
    EXPECT_TRUE(sender.open());
}

}  // namespace atl::wire
