// Headers, targets, chunks, ranges and codings: the parts that need no socket.
#include "base/utf8.hpp"
#include "net/chunks.hpp"
#include "net/compress.hpp"
#include "net/headers.hpp"
#include "net/parser.hpp"
#include "net/problem.hpp"
#include "net/range.hpp"
#include "net/target.hpp"

#include <gtest/gtest.h>
#include <random>
#include <zlib.h>
#include <zstd.h>

namespace atl::net {

TEST(Headers, FindsWithoutRegardToCaseAndKeepsOrder) {
    Headers headers{{"Accept", "a"}, {"X-One", "1"}};
    headers.add("accept", "b");
    EXPECT_EQ(headers.get("ACCEPT"), "a");
    EXPECT_EQ(headers.get_all("Accept"), (std::vector<std::string_view>{"a", "b"}));
    headers.set("ACCEPT", *headers.get("accept"));  // from a view of itself
    EXPECT_EQ(headers.get_all("Accept"), (std::vector<std::string_view>{"a"}));
    EXPECT_EQ(headers.size(), 2u);
    EXPECT_FALSE(headers.get("nothing"));
    headers.add("Connection", "close, \"a,b\" ,Upgrade");
    EXPECT_TRUE(headers.has_token("connection", "upgrade"));
    EXPECT_FALSE(headers.has_token("connection", "b"));
}

TEST(Target, IsTakenApart) {
    const auto target = parse_target("/v1/a%2Fb/%E2%82%AC/?x=1&y=a+b&x=%26&flag").value();
    EXPECT_EQ(target.path, "/v1/a%2Fb/%E2%82%AC/");
    EXPECT_EQ(target.segments, (std::vector<std::string>{"v1", "a/b", "\xE2\x82\xAC", ""}));
    EXPECT_TRUE(target.has_slash);
    EXPECT_TRUE(target.utf8);
    EXPECT_EQ(target.parameter("y"), "a b");
    EXPECT_EQ(target.parameters("x"), (std::vector<std::string_view>{"1", "&"}));
    EXPECT_EQ(target.parameter("flag"), "");
    EXPECT_FALSE(target.parameter("none"));
    EXPECT_EQ(parse_target("http://host:80/a").value().authority, "host:80");
    EXPECT_EQ(parse_target("http://host").value().path, "/");
    EXPECT_FALSE(parse_target("/%ff").value().utf8);
    EXPECT_FALSE(parse_target("/?%c0%80=1").value().utf8);
    EXPECT_TRUE(parse_target("/a/%2e%2E/b").value().has_dots);
}

TEST(Target, RefusesWhatCouldBeReadTwoWays) {
    for (const char* text : {"", "a", "/%", "/%1", "/%zz", "/%00", "/?a=%00", "/?%", "/a b",
                             "/a\x01", "/a#b", "http://", "http:///x", "/a\x7f", "**"}) {
        EXPECT_FALSE(parse_target(text)) << text;
    }
    EXPECT_FALSE(parse_target(std::string(1000, '/')));
}

TEST(Utf8, KnowsTheCornersOfUnicode) {
    EXPECT_TRUE(is_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"));
    for (const char* text : {"\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                             "\xF8\x88\x80\x80\x80", "\xC3", "\xE2\x82"}) {
        EXPECT_FALSE(is_utf8(text));
    }
}

std::string decode_chunks(std::string_view input, std::size_t step, std::size_t room,
                          ChunkDecoder& decoder) {
    std::string body;
    std::string waiting;
    std::vector<char> out(room);
    while (!decoder.done() && !decoder.broken()) {
        if (waiting.empty()) {
            if (input.empty()) break;
            waiting = input.substr(0, step);
            input.remove_prefix(waiting.size());
        }
        const auto taken = decoder.take(waiting, out);
        body.append(out.data(), taken.wrote);
        waiting.erase(0, taken.used);
    }
    return body;
}

TEST(Chunks, ComeInAnyPieces) {
    const std::string text = "5\r\nhello\r\n1;x=\"y\"\r\n \r\nA\r\n0123456789\r\n0\r\nT: 1\r\n\r\n";
    for (std::size_t step = 1; step <= text.size(); ++step) {
        for (const std::size_t room : {1u, 3u, 64u}) {
            ChunkDecoder decoder;
            EXPECT_EQ(decode_chunks(text, step, room, decoder), "hello 0123456789");
            EXPECT_TRUE(decoder.done());
        }
    }
}

TEST(Chunks, RefuseWhatIsNotQuiteOne) {
    for (const std::string text :
         {"g\r\n", "\r\n", "5\nhello", "5\r\nhelloX\r\n", "5\r\nhello\n0\r\n\r\n", "-1\r\n",
          "0x5\r\n", "1000000000000000\r\n", " 5\r\nhello\r\n", "5 \r\nhello\r\n", "0\r\n\n",
          "0\r\nA\n\r\n"}) {
        ChunkDecoder decoder;
        decode_chunks(text, 1, 16, decoder);
        EXPECT_TRUE(decoder.broken()) << text;
    }
    ChunkDecoder extension;
    decode_chunks("5;" + std::string(5000, 'a'), 64, 16, extension);
    EXPECT_TRUE(extension.broken());
    // Each of them small, and all together as large as one likes: work for nothing.
    ChunkDecoder extensions;
    std::string padded;
    for (int i = 0; i < 80; ++i) padded += "1;" + std::string(1000, 'a') + "\r\nx\r\n";
    decode_chunks(padded, 4096, 4096, extensions);
    EXPECT_TRUE(extensions.broken());
    ChunkDecoder few;
    decode_chunks(padded.substr(0, 60 * 1007) + "0\r\n\r\n", 4096, 4096, few);
    EXPECT_TRUE(few.done());
    ChunkDecoder trailers;
    std::string many = "0\r\n";
    for (int i = 0; i < 2000; ++i) many += "X: 1\r\n";
    decode_chunks(many, 64, 16, trailers);
    EXPECT_TRUE(trailers.broken());
}

// Goal: no input makes a parser fail in another way than by refusing, and what it accepts does not
// depend on how the bytes were cut. Method: known requests, mangled at random, fed in two cuts.
TEST(HeadParser, SurvivesMangledHeads) {
    const std::string seeds[] = {
        "GET /a?b=c HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n",
        "PUT /x HTTP/1.0\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive, x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nSet-Cookie: a=b\r\n\r\n",
    };
    std::mt19937 random(7);
    const std::string special =
        "\r\n \t:;,\0%\x7f\x80\xff"
        "0123456789abcGET/HP.";
    const auto parse = [](const std::string& text, std::size_t cut, bool request) {
        auto parser = HeadParser::make(
            request ? HeadParser::Kind::Request : HeadParser::Kind::Response, {512, 10});
        std::string waiting = text.substr(0, cut);
        std::string later = text.substr(cut);
        for (int turn = 0; turn < 2; ++turn) {
            auto taken = parser->take(waiting);
            waiting.erase(0, taken.used);
            if (taken.refusal) return std::string("refused");
            if (parser->head_done()) {
                auto& head = parser->head();
                return head.method + " " + head.target + " " + std::to_string(head.headers.size()) +
                       " " + std::to_string(static_cast<int>(head.framing)) + " " +
                       std::to_string(head.length);
            }
            waiting += later;
            later.clear();
        }
        return std::string("more");
    };
    for (int round = 0; round < 30000; ++round) {
        std::string text = seeds[random() % 4];
        const auto changes = 1 + random() % 4;
        for (unsigned i = 0; i < changes; ++i) {
            const auto at = random() % text.size();
            switch (random() % 3) {
                case 0: text[at] = special[random() % special.size()]; break;
                case 1: text.insert(at, 1, special[random() % special.size()]); break;
                default: text.erase(at, 1); break;
            }
        }
        const bool request = random() % 4 != 0;
        // An error may be noticed later when the bytes come in pieces: not yet complete, then.
        const auto settled = [](std::string result) {
            return result == "more" ? "refused" : result;
        };
        const auto whole = settled(parse(text, text.size(), request));
        EXPECT_EQ(whole, settled(parse(text, random() % text.size(), request))) << text;
    }
}

TEST(HeadParser, RefusesSmuggling) {
    struct Row {
        const char* name;
        std::string text;
        int status;
    };
    const std::string get = "GET / HTTP/1.1\r\n";
    const std::string host = "Host: a\r\n";
    const Row rows[] = {
        {"length and coding",
         get + host + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {"coding and length",
         get + host + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", 400},
        {"two lengths", get + host + "Content-Length: 3\r\nContent-Length: 3\r\n\r\n", 400},
        {"a list of lengths", get + host + "Content-Length: 3, 3\r\n\r\n", 400},
        {"a signed length", get + host + "Content-Length: +3\r\n\r\n", 400},
        {"a hex length", get + host + "Content-Length: 0x3\r\n\r\n", 400},
        {"an endless length", get + host + "Content-Length: 99999999999999999999\r\n\r\n", 400},
        {"another coding", get + host + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
        {"a hidden coding",
         get + host +
             "Transfer-Encoding: \x0b"
             "chunked\r\n\r\n",
         400},
        {"identity", get + host + "Transfer-Encoding: identity\r\n\r\n", 501},
        {"chunked twice",
         get + host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {"coding in 1.0", "GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        {"a space before the colon", get + host + "Content-Length : 3\r\n\r\n", 400},
        {"a fold", get + host + "X: a\r\n b\r\n\r\n", 400},
        {"a fold after nothing", get + host + "X:\r\n b\r\n\r\n", 400},
        {"a fold into nothing", get + host + "X: a\r\n \r\n\r\n", 400},
        {"a bare LF", get + "Host: a\nX: b\r\n\r\n", 400},
        {"a bare CR", get + host + "X: a\rY: b\r\n\r\n", 400},
        {"a NUL", get + host + std::string("X: a\0b\r\n\r\n", 10), 400},
        {"no host", get + "\r\n", 400},
        {"two hosts", get + host + host + "\r\n", 400},
        {"a name with a space", get + host + "X Y: a\r\n\r\n", 400},
        {"no name", get + host + ": a\r\n\r\n", 400},
        {"HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
        {"TLS", "\x16\x03\x01\x02", 400},
        {"too many", get + host + "A: 1\r\nB: 1\r\nC: 1\r\nD: 1\r\nE: 1\r\n\r\n", 431},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.name);
        auto parser = HeadParser::make(HeadParser::Kind::Request, {4096, 5});
        const auto taken = parser->take(row.text);
        ASSERT_TRUE(taken.refusal);
        EXPECT_EQ(taken.refusal->status, row.status) << taken.refusal->sentence;
        EXPECT_FALSE(parser->head_done());
    }
}

TEST(Range, IsServedWhenItIsOne) {
    struct Row {
        const char* range;
        Range::Kind kind;
        std::uint64_t first, length;
    };
    using K = Range::Kind;
    const Row rows[] = {
        {"bytes=0-9", K::Part, 0, 10},
        {"bytes=90-", K::Part, 90, 10},
        {"bytes=-5", K::Part, 95, 5},
        {"bytes=-500", K::Part, 0, 100},
        {"bytes=50-500", K::Part, 50, 50},
        {"bytes=100-", K::Unsatisfiable, 0, 0},
        {"bytes=-0", K::Unsatisfiable, 0, 0},
        {"bytes=5-3", K::Whole, 0, 100},
        {"bytes=1-2,4-5", K::Whole, 0, 100},
        {"lines=1-2", K::Whole, 0, 100},
        {"bytes=a-b", K::Whole, 0, 100},
        {"bytes=99999999999999999999-", K::Whole, 0, 100},
        {"bytes=0-18446744073709551615", K::Part, 0, 100},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.range);
        const auto range = range_of({{"Range", row.range}}, {}, 100);
        EXPECT_EQ(range.kind, row.kind);
        EXPECT_EQ(range.first, row.first);
        EXPECT_EQ(range.length, row.length);
    }
    const Headers file{{"ETag", "\"v2\""}};
    EXPECT_EQ(range_of({{"Range", "bytes=0-1"}, {"If-Range", "\"v2\""}}, file, 9).kind, K::Part);
    EXPECT_EQ(range_of({{"Range", "bytes=0-1"}, {"If-Range", "\"v1\""}}, file, 9).kind, K::Whole);
    EXPECT_EQ(range_of({{"Range", "bytes=0-1"}, {"If-Range", "W/\"v2\""}}, file, 9).kind, K::Whole);
    EXPECT_EQ(range_of({{"Range", "bytes=0-0"}}, {}, 0).kind, K::Unsatisfiable);
    EXPECT_TRUE(is_unchanged({{"If-None-Match", "\"v1\", W/\"v2\""}}, file));
    EXPECT_FALSE(is_unchanged({{"If-None-Match", "\"v1\""}}, file));
}

TEST(Coding, FollowsTheClient) {
    const auto coding = [](const char* accepted) {
        return choose_coding({{"Accept-Encoding", accepted}});
    };
    EXPECT_EQ(coding("gzip, deflate, br, zstd"), Coding::Zstd);
    EXPECT_EQ(coding("gzip"), Coding::Gzip);
    EXPECT_EQ(coding("zstd;q=0.5, gzip"), Coding::Gzip);
    EXPECT_EQ(coding("zstd;q=0, *"), Coding::Gzip);
    EXPECT_EQ(coding("br"), Coding::Identity);
    EXPECT_EQ(coding("gzip;q=0"), Coding::Identity);
    EXPECT_EQ(coding("gzip;q=x"), Coding::Identity);
    EXPECT_EQ(choose_coding({}), Coding::Identity);
    EXPECT_TRUE(is_compressible("application/problem+json"));
    EXPECT_TRUE(is_compressible("text/html; charset=utf-8"));
    EXPECT_FALSE(is_compressible("image/png"));
    EXPECT_FALSE(is_compressible("text/event-stream"));
}

TEST(Coding, ComesBackTheSame) {
    std::string text;
    for (int i = 0; i < 50000; ++i) text += "line " + std::to_string(i * 7919) + "\n";
    for (int round = 0; round < 2; ++round) {  // the second one with the spare context
        std::string packed;
        {
            Compressor zstd(Coding::Zstd);
            zstd.add(std::string_view(text).substr(0, 1000), packed);
            zstd.add(std::string_view(text).substr(1000), packed);
            zstd.finish(packed);
        }
        std::string back(text.size() + 1, '\0');
        const auto dctx = ZSTD_createDCtx();
        ZSTD_inBuffer in{packed.data(), packed.size(), 0};
        ZSTD_outBuffer out{back.data(), back.size(), 0};
        EXPECT_EQ(ZSTD_decompressStream(dctx, &out, &in), 0u);
        ZSTD_freeDCtx(dctx);
        back.resize(out.pos);
        EXPECT_TRUE(back == text);
        packed.clear();
        {
            Compressor gzip(Coding::Gzip);
            gzip.add(text, packed);
            gzip.finish(packed);
        }
        back.assign(text.size() + 1, '\0');
        z_stream stream{};
        ASSERT_EQ(inflateInit2(&stream, 31), Z_OK);
        stream.next_in = reinterpret_cast<Bytef*>(packed.data());
        stream.avail_in = static_cast<uInt>(packed.size());
        stream.next_out = reinterpret_cast<Bytef*>(back.data());
        stream.avail_out = static_cast<uInt>(back.size());
        EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
        back.resize(stream.total_out);
        inflateEnd(&stream);
        EXPECT_TRUE(back == text);
    }
}

TEST(Problem, IsADocumentWithStableNames) {
    auto problem = Problem(Code::RateLimited, "wait a little")
                       .with_retry_after(std::chrono::seconds(7))
                       .with_member("limit", 5)
                       .with_member("status", 200);  // not over ours
    const auto response = problem_response(problem, "id1");
    EXPECT_EQ(response.status, 429);
    EXPECT_EQ(response.headers.get("Retry-After"), "7");
    EXPECT_EQ(response.headers.get("Content-Type"), "application/problem+json");
    EXPECT_EQ(response.body,
              R"({"type":"about:blank","title":"Too Many Requests","status":429,)"
              R"("code":"rate_limited","detail":"wait a little","request_id":"id1","limit":5})");
}

}  // namespace atl::net
