#include "net/multipart.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace atl::net {

namespace {

struct Seen {
    MultipartParser::Part part;
    std::string body;
    bool whole = false;
};
struct Parsed {
    std::vector<Seen> parts;
    std::string error;
};

// Feeds the body in pieces of `step` bytes.
Parsed parse(std::string_view body, std::size_t step, std::size_t parts_max = 1000) {
    using Step = MultipartParser::Step;
    MultipartParser parser("B", parts_max);
    Parsed parsed;
    for (;;) {
        const auto done = parser.next();
        if (!done) {
            parsed.error = done.error().message;
            return parsed;
        }
        switch (*done) {
            case Step::NeedMore: {
                const auto room = parser.room();
                const auto bytes = std::min({step, body.size(), room.size()});
                std::copy_n(body.begin(), bytes, room.begin());
                body.remove_prefix(bytes);
                parser.wrote(bytes);
                break;
            }
            case Step::Part: parsed.parts.push_back({parser.part(), {}, false}); break;
            case Step::Data: parsed.parts.back().body += parser.data(); break;
            case Step::PartEnd: parsed.parts.back().whole = true; break;
            case Step::End: return parsed;
        }
    }
}

std::string part(const std::string& disposition, const std::string& body) {
    return "--B\r\nContent-Disposition: " + disposition + "\r\n\r\n" + body + "\r\n";
}

constexpr std::size_t kSteps[] = {1, 2, 3, 7, 64, 100'000};

}  // namespace

TEST(Multipart, parts_come_out_as_they_went_in) {
    const std::string binary("a\r\n--\r\n--C\r\n\0--B", 17);
    const std::string body =
        "preamble\r\n" + part("form-data; name=\"files\"; filename=\"a b.txt\"", binary) +
        "--B \t\r\nContent-Type: text/x\r\ncontent-disposition: form-data; "
        "name=files; filename=\"\"\r\n\r\n\r\n" +
        part("form-data; name=\"note\"", std::string(300'000, 'x')) + "--B--\r\nepilogue";
    for (const auto step : kSteps) {
        SCOPED_TRACE(step);
        const auto parsed = parse(body, step);
        ASSERT_EQ(parsed.error, "");
        ASSERT_EQ(parsed.parts.size(), 3u);
        EXPECT_EQ(parsed.parts[0].body, binary);
        EXPECT_EQ(parsed.parts[0].part.filename, "a b.txt");
        EXPECT_EQ(parsed.parts[1].body, "");
        EXPECT_EQ(parsed.parts[1].part.filename, "");
        EXPECT_EQ(parsed.parts[1].part.content_type, "text/x");
        EXPECT_EQ(parsed.parts[2].body.size(), 300'000u);
        EXPECT_EQ(parsed.parts[2].part.filename, std::nullopt);
        for (const auto& one : parsed.parts) EXPECT_TRUE(one.whole);
    }
}

TEST(Multipart, names_are_read_as_clients_write_them) {
    struct Row {
        const char* written;
        const char* means;
    };
    const Row rows[] = {
        {"\"plain\"", "plain"},
        {"bare.txt", "bare.txt"},
        {"\"a%22b%0D%0Ac\"", "a\"b\r\nc"},
        {"\"a\\\"b\"", "a\"b"},
        {"\"a\\\\b\"", "a\\b"},
        {"\"a\\b\"", "a\\b"},
        {"\"semi;colon\"", "semi;colon"},
        {"\"100%25\"", "100%25"},
        {"\"\xff\xfe\"", "\xff\xfe"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.written);
        const auto parsed = parse(
            part(std::string("form-data; name=f; filename=") + row.written, "x") + "--B--", 5);
        ASSERT_EQ(parsed.error, "");
        EXPECT_EQ(parsed.parts.at(0).part.filename, row.means);
    }
    const auto parsed = parse(
        part("form-data; name=f; filename=\"x\"; filename*=UTF-8''%e2%82%ac", "") + "--B--", 9);
    EXPECT_EQ(parsed.parts.at(0).part.filename, "\xe2\x82\xac");
}

TEST(Multipart, a_body_that_ends_too_soon_is_never_whole) {
    const std::string body = part("form-data; name=f; filename=x", "0123456789") + "--B--";
    for (std::size_t length = 0; length < body.size(); ++length) {
        SCOPED_TRACE(length);
        EXPECT_NE(parse(body.substr(0, length), 4).error, "");
    }
    EXPECT_EQ(parse(body, 4).error, "");
}

TEST(Multipart, what_is_wrong_is_said) {
    struct Row {
        std::string body;
        const char* says;
    };
    const Row rows[] = {
        {"--B\r\n\r\nx\r\n--B--", "without a name"},
        {"--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--", "without a name"},
        {part("attachment; name=f", "x") + "--B--", "no form-data"},
        {part("form-data; name=\"f", "x") + "--B--", "quote"},
        {"--B\r\nno colon\r\n\r\nx\r\n--B--", "header"},
        {"--Bx\r\n\r\n\r\n--B--", "behind a boundary"},
        {"--B\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n\r\n--B--", "too long"},
        {"--B" + std::string(40'000, ' '), "endless"},
        {"--B\r\nContent-Disposition: form-data; name=f\r\nContent-Transfer-Encoding: "
         "base64\r\n\r\n\r\n--B--",
         "encoding"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.says);
        for (const std::size_t step : {64, 100'000}) {
            EXPECT_NE(parse(row.body, step).error.find(row.says), std::string::npos)
                << parse(row.body, step).error;
        }
    }
    std::string many;
    for (int i = 0; i < 4; ++i) many += part("form-data; name=f", "");
    EXPECT_NE(parse(many + "--B--", 50, 3).error.find("more than 3"), std::string::npos);
}

TEST(Multipart, boundaries) {
    EXPECT_EQ(boundary_of("multipart/form-data; boundary=abc").value(), "abc");
    EXPECT_EQ(boundary_of("Multipart/Form-Data; charset=x; Boundary=\"a b;c\"").value(), "a b;c");
    for (const char* bad : {"", "text/plain; boundary=x", "multipart/form-data",
                            "multipart/form-data; boundary=", "multipart/form-data; boundary=\"x",
                            "multipart/form-data; boundary=\"a\nb\""}) {
        SCOPED_TRACE(bad);
        EXPECT_FALSE(boundary_of(bad).has_value());
    }
    EXPECT_FALSE(boundary_of("multipart/form-data; boundary=" + std::string(71, 'x')).has_value());
}

}  // namespace atl::net
