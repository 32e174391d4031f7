// Goal: frames come out as they went in, however the bytes are cut; what is no frame is refused
// with a sentence, and what is too large before it is held.
#include "api/connect/frames.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace atl::connect {
namespace {

constexpr std::size_t kMax = 64;

std::string bytes(std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) text.push_back(static_cast<char>(value));
    return text;
}

TEST(Frames, come_out_as_they_went_in_however_they_are_cut) {
    const std::vector<std::string> payloads{R"({"a":1})", "", std::string(kMax, 'x')};
    std::string stream;
    for (const auto& payload : payloads) stream += frame_of(payload);
    stream += frame_of("{}", kEndOfStream);
    for (std::size_t step = 1; step <= stream.size(); ++step) {
        FrameDecoder decoder(kMax);
        std::vector<std::string> found;
        bool ended = false;
        for (std::size_t at = 0; at < stream.size(); at += step) {
            decoder.add(std::string_view(stream).substr(at, step));
            for (;;) {
                const auto frame = decoder.next();
                ASSERT_TRUE(frame) << frame.error().message;
                if (!*frame) break;
                ended = (*frame)->end_of_stream;
                if (!ended) found.push_back((*frame)->payload);
            }
        }
        EXPECT_EQ(found, payloads) << "in pieces of " << step;
        EXPECT_TRUE(ended);
        EXPECT_TRUE(decoder.finish());
        EXPECT_EQ(decoder.held(), 0u);
    }
}

TEST(Frames, are_as_on_the_wire) {
    EXPECT_EQ(frame_of("{}", kEndOfStream), bytes({2, 0, 0, 0, 2, '{', '}'}));
    EXPECT_EQ(frame_of(std::string(258, 'x')).substr(0, 5), bytes({0, 0, 0, 1, 2}));
}

struct Refused {
    const char* name;
    std::string stream;
    Code code;
    const char* says;
};

TEST(Frames, that_are_none_are_refused) {
    const Refused rows[] = {
        {"unknown flags", bytes({4, 0, 0, 0, 0}), Code::InvalidArgument, "unknown flags 4"},
        {"flags alone are enough", bytes({0x7b}), Code::InvalidArgument, "unknown flags 123"},
        {"compressed", bytes({1, 0, 0, 0, 1, 'x'}), Code::Unsupported, "compressed"},
        {"too long", bytes({0, 0, 0, 0, kMax + 1}), Code::TooLarge, "65 bytes"},
        {"far too long", bytes({0, 255, 255, 255, 255}), Code::TooLarge, "4294967295"},
        {"behind the end", frame_of("{}", kEndOfStream) + "x", Code::InvalidArgument, "behind"},
    };
    for (const auto& row : rows) {
        FrameDecoder decoder(kMax);
        decoder.add(row.stream);
        auto frame = decoder.next();
        if (frame && *frame) frame = decoder.next();
        ASSERT_FALSE(frame) << row.name;
        EXPECT_EQ(frame.error().code, row.code) << row.name;
        EXPECT_NE(frame.error().message.find(row.says), std::string::npos)
            << row.name << ": " << frame.error().message;
        // It stays so, and holds nothing.
        decoder.add(frame_of("{}"));
        EXPECT_FALSE(decoder.next()) << row.name;
        EXPECT_EQ(decoder.held(), 0u) << row.name;
        EXPECT_FALSE(decoder.finish()) << row.name;
    }
}

TEST(Frames, that_are_cut_are_noticed_at_the_end) {
    const std::string whole = frame_of("{}");
    for (std::size_t length = 1; length < whole.size(); ++length) {
        FrameDecoder decoder(kMax);
        decoder.add(whole.substr(0, length));
        const auto frame = decoder.next();
        ASSERT_TRUE(frame);
        EXPECT_FALSE(*frame);
        EXPECT_FALSE(decoder.finish()) << length;
    }
}

}  // namespace
}  // namespace atl::connect
