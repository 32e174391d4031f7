// Goal: what was packed comes out again, in any pieces and through any buffer; what is cut or
// damaged is a failure, and nobody is made to hold more than they asked for.
#include "net/decompress.hpp"
#include "net/compress.hpp"

#include <gtest/gtest.h>
#include <string>

namespace atl::net {
namespace {

std::string packed(std::string_view text) {
    Compressor compressor(Coding::Gzip);
    std::string out;
    compressor.add(text, out);
    compressor.finish(out);
    return out;
}

Result<std::string> unpacked(std::string_view bytes, std::size_t step, std::size_t room) {
    Gunzip gunzip;
    std::string text, buffer(room, '\0');
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        gunzip.add(bytes.substr(at, step));
        for (;;) {
            const auto taken = gunzip.take(buffer);
            if (!taken) return taken.error();
            if (*taken == 0) break;
            text.append(buffer, 0, *taken);
        }
    }
    if (const auto whole = gunzip.finish(); !whole) return whole.error();
    return text;
}

TEST(Gunzip, gives_back_what_was_packed) {
    std::string text;
    for (int i = 0; i < 20'000; ++i) text += std::to_string(i * 7919) + " ";
    const auto bytes = packed(text);
    const std::size_t steps[] = {1, 7, 4096, bytes.size()};
    for (const std::size_t step : steps) {
        for (const std::size_t room : {std::size_t{1}, std::size_t{100}, std::size_t{65536}}) {
            if (step == 1 && room == 1) continue;  // says nothing that the others do not
            EXPECT_EQ(unpacked(bytes, step, room).value(), text) << step << " " << room;
        }
    }
    EXPECT_EQ(unpacked(packed(""), 3, 10).value(), "");
    EXPECT_EQ(unpacked(packed("a") + packed("b"), 5, 10).value(), "ab");  // as cat a.gz b.gz
}

TEST(Gunzip, a_bomb_fills_no_more_than_the_buffer) {
    const auto bomb = packed(std::string(64 << 20, '\0'));
    ASSERT_LT(bomb.size(), 1u << 20);
    Gunzip gunzip;
    gunzip.add(bomb);
    std::string buffer(1000, 'x');
    EXPECT_EQ(gunzip.take(buffer).value(), 1000u);
}

TEST(Gunzip, what_is_cut_or_damaged_is_a_failure) {
    const auto bytes = packed(std::string(1000, 'a') + "b");
    EXPECT_FALSE(unpacked(bytes.substr(0, bytes.size() - 1), 100, 100));
    EXPECT_FALSE(unpacked(bytes.substr(0, 5), 100, 100));
    EXPECT_FALSE(unpacked("", 100, 100));
    EXPECT_FALSE(unpacked("this is no gzip at all", 100, 100));
    EXPECT_FALSE(unpacked(bytes + "rest", 100, 100));
    auto damaged = bytes;
    damaged[damaged.size() - 6] ^= 1;  // its checksum
    EXPECT_FALSE(unpacked(damaged, 100, 100));
}

}  // namespace
}  // namespace atl::net
