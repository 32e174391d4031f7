#include "schema/pieces.hpp"

#include "schema/describe.hpp"
#include "schema/sample.hpp"

#include <boost/json/parse.hpp>
#include <gtest/gtest.h>
#include <random>

namespace atl::schema {

namespace {

namespace json = boost::json;

struct Carrier {
    std::string before;
    std::vector<ObjectText> carried;
    std::string after;
};
ATOLL_DESCRIBED(Carrier);
BOOST_DESCRIBE_STRUCT(Carrier, (), (before, carried, after))
ATOLL_TYPE(Carrier) {
    return response("Carries.", field<&T::before>("."), field<&T::carried>("."),
                    field<&T::after>("."));
}

constexpr std::size_t kMoreAtMost = 6 * 4096 + 64;  // than was asked for

template <class T>
std::string in_pieces(const T& value, std::size_t bytes) {
    Pieces pieces(value);
    std::string all, piece;
    bool more = true;
    while (more) {
        piece.clear();
        more = pieces.next(piece, bytes);
        EXPECT_LE(piece.size(), bytes + kMoreAtMost);
        EXPECT_TRUE(!more || piece.size() >= bytes);
        all += piece;
    }
    return all;
}

template <class T>
std::string at_once(const T& value) {
    std::string out;
    append_json(out, value);
    return out;
}

template <class T>
void expect_the_same(const T& value) {
    const auto whole = at_once(value);
    for (const std::size_t bytes : {1, 2, 7, 100, 5000, 1'000'000}) {
        EXPECT_EQ(in_pieces(value, bytes), whole) << bytes;
    }
}

sample::CreateSession rich() {
    sample::CreateSession value;
    value.name = "a \"name\"\n\x01";
    value.allow = {"one", "", "three \xF0\x9F\x98\x80"};
    value.environment = {{"A", "1"}, {"quoted \"key\"", "2"}};
    value.mounts = {{"/a", "/b", true}, {"/c", "/d", false}};
    value.command = std::vector<std::string>{"sh", "-c"};
    value.metadata = json::parse(
        R"({"a":[1,-2,3.5,[],{},"x",null,true],"b":{"c":{"d":"e"}},"":18446744073709551615})");
    return value;
}

}  // namespace

TEST(Pieces, AreTheSameTextWhateverTheirSize) {
    expect_the_same(sample::CreateSession{});
    expect_the_same(rich());
    auto with = rich();
    with.seed = -5;
    with.command = std::string("one line");
    with.metadata = nullptr;
    expect_the_same(with);
    sample::Session family{"a", sample::Network::Open, "why", {}};
    for (int i = 0; i < 5; ++i) {
        sample::Session outer{"above", sample::Network::None, std::nullopt, {}};
        outer.children.push_back(family);
        outer.children.push_back({});
        family = outer;
    }
    expect_the_same(family);
    expect_the_same(sample::Headers{});  // nothing in it
    for (const char* text : {"null", "[]", "{}", "\"x\"", "17", "[[[[1]]]]", R"({"a":{"b":[]}})"}) {
        expect_the_same(json::parse(text));
    }
}

// Goal: what is cut at the edge of a step is neither broken nor mended: characters of each length
// and broken ones of each kind, at each place around it.
TEST(Pieces, TextIsCutBetweenCharacters) {
    const std::string_view hard[] = {"\xC3\xA9",          // é
                                     "\xE2\x82\xAC",      // €
                                     "\xF0\x9F\x98\x80",  // an emoji
                                     "\xF0\x9F\x98",      // its beginning
                                     "\x80\x80\x80\x80\x80\x80",
                                     "\xFF",
                                     "\xED\xA0\x80",
                                     "\xE2\x82",
                                     "\x01",
                                     "\"",
                                     "\\"};
    for (const auto& one : hard) {
        for (std::size_t before = 4080; before <= 4100; ++before) {
            sample::Output value{std::string(before, 'x')};
            for (int i = 0; i < 4; ++i) value.text += one;
            value.text += std::string(3, 'y');
            ASSERT_EQ(in_pieces(value, 1), at_once(value)) << before;
        }
    }
}

TEST(Pieces, RandomBytes) {
    std::mt19937 random(11);
    for (int round = 0; round < 30; ++round) {
        sample::Output value;
        value.text.resize(20'000 + random() % 1000);
        // Followers and beginnings often, so that some of it is good.
        for (auto& c : value.text) c = static_cast<char>(round % 2 ? random() : 0x80 | random());
        ASSERT_EQ(in_pieces(value, 1 + random() % 9000), at_once(value));
    }
}

TEST(Pieces, ManyValues) {
    json::array many;
    for (int i = 0; i < 20'000; ++i) many.push_back({{"number", i}, {"text", "x"}});
    expect_the_same(json::value(many));
    sample::Session list;
    list.children.resize(5000);
    expect_the_same(list);
}

TEST(Pieces, ControlCharactersInBoundedMemory) {
    const sample::Output value{std::string(4u << 20, '\x01')};
    Pieces pieces(value);
    std::string piece;
    std::size_t bytes = 0;
    bool more = true;
    while (more) {
        piece.clear();
        more = pieces.next(piece, 128 * 1024);
        ASSERT_LE(piece.size(), 128 * 1024 + kMoreAtMost);
        bytes += piece.size();
    }
    EXPECT_EQ(bytes, 6 * value.text.size() + std::string_view(R"({"text":""})").size());
}

TEST(IsSmall, SaysWhetherTheTextIsShort) {
    EXPECT_TRUE(is_small(rich(), 2000));
    EXPECT_FALSE(is_small(rich(), 50));
    sample::Output text{std::string(1000, 'x')};
    EXPECT_TRUE(is_small(text, 1100));
    EXPECT_FALSE(is_small(text, 1000));
    sample::Session list;
    list.children.resize(10'000);
    EXPECT_FALSE(is_small(list, 64 * 1024));
    list.children.resize(10);
    EXPECT_TRUE(is_small(list, 64 * 1024));
    list.children[7].error = std::string(100'000, 'e');
    EXPECT_FALSE(is_small(list, 64 * 1024));
    sample::CreateSession keys;
    keys.environment[std::string(100'000, 'k')] = "";
    EXPECT_FALSE(is_small(keys, 64 * 1024));
    sample::CreateSession tree;
    tree.metadata = json::array(100'000, nullptr);
    EXPECT_FALSE(is_small(tree, 64 * 1024));
    tree.metadata = json::parse(R"({"a":{"b":["c"]}})");
    EXPECT_TRUE(is_small(tree, 64 * 1024));
    tree.metadata = {{"k", std::string(100'000, 'v')}};
    EXPECT_FALSE(is_small(tree, 64 * 1024));
}

// Goal: what is JSON already goes out as it stands, whatever its size, and is read back.
TEST(Pieces, OfTextThatIsJsonAlreadyAreThatText) {
    Carrier value{"a\n", {{R"({"t":"\\n\"}"})"}, {}, {R"({"t":[0)"}}, "\xC3\xA4"};
    for (int i = 0; i < 10'000; ++i) value.carried[2].text += ",0";
    value.carried[2].text += "]}";
    expect_the_same(value);
    EXPECT_EQ(at_once(Carrier{"a", {{R"({"t":"\\n\"}"})"}, {}}, "b"}),
              R"({"before":"a","carried":[{"t":"\\n\"}"},{}],"after":"b"})");
    EXPECT_FALSE(is_small(value, 20'000));
    EXPECT_TRUE(is_small(value, 30'000));
    const auto read = from_json<Carrier>(at_once(value), 1u << 20);
    EXPECT_EQ(read.carried, value.carried);
    EXPECT_THROW((void)from_json<Carrier>(R"({"before":"","carried":[1],"after":""})", 100),
                 ErrorException);
}

}  // namespace atl::schema
