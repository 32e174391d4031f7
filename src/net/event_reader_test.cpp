#include "net/event_reader.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace atl::net {

// Goal: whatever way the bytes are cut, the same events come out.
TEST(EventReader, ReadsWhateverWayTheBytesAreCut) {
    const std::string text =
        ": a comment\n\nevent: stdout\r\nid: 7\r\ndata: {\"a\":1}\r\n\r\ndata: one\ndata:two\n\n"
        "event: empty\n\nid: 8\ndata\n\ndata: unfinished";
    for (std::size_t step = 1; step <= text.size(); ++step) {
        std::vector<EventReader::Event> events;
        EventReader reader([&](const EventReader::Event& event) { events.push_back(event); });
        for (std::size_t at = 0; at < text.size(); at += step) {
            ASSERT_TRUE(reader.feed(text.substr(at, step)));
        }
        ASSERT_EQ(events.size(), 3u) << step;
        EXPECT_EQ(events[0].event, "stdout");
        EXPECT_EQ(events[0].data, "{\"a\":1}");
        EXPECT_EQ(events[0].id, "7");
        EXPECT_EQ(events[1].data, "one\ntwo");
        EXPECT_EQ(events[1].event, "");
        EXPECT_EQ(events[1].id, "7");
        EXPECT_EQ(events[2].data, "");
        EXPECT_EQ(events[2].id, "8");
    }
}

TEST(EventReader, AnEventWithoutEndIsRefused) {
    EventReader reader([](const EventReader::Event&) {}, 1000);
    Result<void> fed;
    for (int i = 0; i < 100 && fed; ++i) fed = reader.feed("data: " + std::string(50, 'x') + "\n");
    EXPECT_FALSE(fed);
    EventReader other([](const EventReader::Event&) {}, 1000);
    EXPECT_FALSE(other.feed(std::string(2000, 'x')));
}

}  // namespace atl::net
