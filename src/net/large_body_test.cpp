// Large answers over a real socket: the bytes, the framing, leaving in the middle, and the end of
// the server meanwhile.
#include "net/large_body.hpp"

#include "net/problem.hpp"
#include "net/test_support.hpp"

#include <atomic>
#include <boost/asio/use_awaitable.hpp>
#include <zlib.h>
#include <zstd.h>

namespace atl::net::test {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kPieces = 40;

// Says its number all through, so that a piece that is missing or twice there shows.
const std::string& piece_of(std::size_t number) {
    static const auto pieces = [] {
        std::vector<std::string> made(kPieces);
        for (std::size_t i = 0; i < kPieces; ++i) {
            while (made[i].size() < 100'000) made[i] += std::to_string(i) + "\x01 ";
        }
        return made;
    }();
    return pieces.at(number);
}

const std::string& all_pieces() {
    static const auto all = [] {
        std::string joined = "begin ";
        for (std::size_t i = 0; i < kPieces; ++i) joined += piece_of(i);
        return joined;
    }();
    return all;
}

// Counts those that are still kept somewhere.
struct Kept {
    static inline std::atomic<int> alive{0};
    Kept() { ++alive; }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() { --alive; }
};

Response large(std::size_t pieces = kPieces) {
    Response response = Response::text(200, "begin ");
    response.headers.set("ETag", "\"t\"");
    response.rest = [pieces, kept = std::make_shared<Kept>(),
                     at = std::size_t{0}](std::string& out) mutable {
        out += piece_of(at++);
        return at < pieces;
    };
    return response;
}

// What has no end of its own: for leaving.
Response endless() {
    Response response = Response::text(200, {});
    response.rest = [kept = std::make_shared<Kept>()](std::string& out) {
        out += piece_of(1);
        return true;
    };
    return response;
}

Router routes() {
    Router router;
    router.add("GET", "/large", [](Exchange& exchange) { return exchange.respond(large()); });
    router.add("GET", "/one", [](Exchange& exchange) { return exchange.respond(large(1)); });
    router.add("GET", "/endless", [](Exchange& exchange) { return exchange.respond(endless()); });
    router.add("GET", "/whole", [](Exchange& exchange) {
        return exchange.respond(Response::text(200, all_pieces()));
    });
    router.add("GET", "/image", [](Exchange& exchange) {
        Response response{200, {{"Content-Type", "image/png"}}, all_pieces()};
        return exchange.respond(std::move(response));
    });
    router.add("GET", "/broken", [](Exchange& exchange) {
        Response response = Response::text(200, {});
        response.rest = [](std::string&) -> bool {
            throw ErrorException({Code::Conflict, "it broke at once"});
        };
        return exchange.respond(std::move(response));
    });
    router.add("GET", "/breaks", [](Exchange& exchange) {
        Response response = large();
        response.rest = [first = std::move(response.rest), left = 3](std::string& out) mutable {
            if (left-- == 0) throw std::runtime_error("in the middle");
            return first(out);
        };
        return exchange.respond(std::move(response));
    });
    router.add("GET", "/written", [](Exchange& exchange) -> asio::awaitable<void> {
        Headers headers{{"Content-Type", "application/json"}};
        co_await exchange.begin_large(200, std::move(headers));
        for (std::size_t i = 0; i < kPieces; ++i) {
            const Produce make = [i](std::string& out) {
                out += i == 0 ? "begin " + piece_of(i) : piece_of(i);
                return true;
            };
            co_await exchange.write_large(make);
        }
        co_await exchange.end();
    });
    router.add("GET", "/small",
               [](Exchange& exchange) { return exchange.respond(Response::text(200, "small")); });
    return router;
}

std::string unpacked(const Answer& answer) {
    const auto coding = answer.header("Content-Encoding");
    if (coding.empty()) return answer.body;
    std::string back(16u << 20, '\0');
    if (coding == "zstd") {
        ZSTD_DCtx* context = ZSTD_createDCtx();
        ZSTD_inBuffer in{answer.body.data(), answer.body.size(), 0};
        ZSTD_outBuffer out{back.data(), back.size(), 0};
        const auto left = ZSTD_decompressStream(context, &out, &in);
        EXPECT_EQ(left, 0u);  // and the frame has its end
        ZSTD_freeDCtx(context);
        back.resize(out.pos);
        return back;
    }
    z_stream stream{};
    EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(answer.body.data()));
    stream.avail_in = static_cast<uInt>(answer.body.size());
    stream.next_out = reinterpret_cast<Bytef*>(back.data());
    stream.avail_out = static_cast<uInt>(back.size());
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    back.resize(stream.total_out);
    inflateEnd(&stream);
    return back;
}

}  // namespace

TEST(LargeBody, TheBytesAreTheSameInEachCoding) {
    TestServer server(routes());
    const auto expected = all_pieces();
    auto client = server.connect();  // one connection: each answer ends where it says
    for (const std::string target : {"/large", "/whole", "/written"}) {
        for (const std::string coding : {"", "gzip", "zstd"}) {
            const auto accept = coding.empty() ? "" : "Accept-Encoding: " + coding + "\r\n";
            const auto answer = client.get(target, accept);
            EXPECT_EQ(answer.status, 200) << target;
            EXPECT_TRUE(answer.complete) << target << coding;
            EXPECT_EQ(answer.header("Content-Encoding"), coding) << target;
            EXPECT_EQ(answer.header("Vary"), "Accept-Encoding") << target;
            EXPECT_TRUE(unpacked(answer) == expected) << target << coding;
            if (target == "/large") {
                EXPECT_EQ(answer.header("ETag"), coding.empty() ? "\"t\"" : "W/\"t\"");
            }
        }
    }
    EXPECT_EQ(client.get("/small").body, "small");
}

TEST(LargeBody, OneWithoutCodingHasItsLengthWhereThatIsKnown) {
    TestServer server(routes());
    auto client = server.connect();
    const auto length = std::to_string(all_pieces().size());
    EXPECT_EQ(client.get("/whole").header("Content-Length"), length);
    const auto image = client.get("/image", "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(image.header("Content-Length"), length);
    EXPECT_EQ(image.header("Content-Encoding"), "");
    EXPECT_EQ(client.get("/large").header("Content-Length"), "");
    EXPECT_EQ(client.get("/large").header("Transfer-Encoding"), "chunked");
    // In one piece after all.
    const auto one = client.get("/one", "Accept-Encoding: gzip\r\n");
    EXPECT_EQ(one.header("Content-Length"), std::to_string(one.body.size()));
    EXPECT_TRUE(unpacked(one) == "begin " + piece_of(0));
}

TEST(LargeBody, HeadAndOldClients) {
    TestServer server(routes());
    auto client = server.connect();
    for (const std::string target : {"/large", "/whole", "/written", "/one"}) {
        client.send("HEAD " + target + " HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
        const auto head = client.answer(true);
        EXPECT_EQ(head.status, 200);
        EXPECT_EQ(head.header("Content-Encoding"), "gzip");
    }
    EXPECT_EQ(client.get("/small").body, "small");  // nothing came behind them
    auto old = server.connect();
    old.send("GET /large HTTP/1.0\r\nHost: a\r\n\r\n");
    const auto answer = old.answer();
    EXPECT_EQ(answer.header("Transfer-Encoding"), "");
    EXPECT_TRUE(answer.body == all_pieces());
}

TEST(LargeBody, PipelinedBehindOneAnother) {
    TestServer server(routes());
    auto client = server.connect();
    const std::string end = " HTTP/1.1\r\nHost: a\r\nAccept-Encoding: zstd\r\n\r\n";
    client.send("GET /large" + end + "GET /small" + end + "GET /written" + end + "GET /one" + end);
    EXPECT_TRUE(unpacked(client.answer()) == all_pieces());
    EXPECT_EQ(client.answer().body, "small");
    EXPECT_TRUE(unpacked(client.answer()) == all_pieces());
    EXPECT_TRUE(unpacked(client.answer()) == "begin " + piece_of(0));
}

TEST(LargeBody, AFailureIsAnErrorAtTheBeginningAndACutInTheMiddle) {
    TestServer server(routes());
    auto client = server.connect();
    const auto broken = client.get("/broken");
    EXPECT_EQ(broken.status, 409);
    EXPECT_NE(broken.body.find("it broke at once"), std::string::npos);
    const auto cut = client.get("/breaks");
    EXPECT_EQ(cut.status, 200);
    EXPECT_FALSE(cut.complete);
    EXPECT_TRUE(client.closed());
}

TEST(LargeBody, TheLoopServesOthersMeanwhile) {
    TestServer server(routes());
    std::vector<Client> busy;
    for (int i = 0; i < 8; ++i) {
        busy.push_back(server.connect());
        busy.back().send("GET /large HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
    }
    auto client = server.connect();
    for (int i = 0; i < 20; ++i) EXPECT_EQ(client.get("/small").body, "small");
    for (auto& one : busy) {
        const auto answer = one.answer();
        EXPECT_TRUE(answer.complete);
        EXPECT_TRUE(unpacked(answer) == all_pieces());
    }
}

TEST(LargeBody, ClientsThatLeaveLeaveNothingBehind) {
    Kept::alive = 0;
    {
        TestServer server(routes());
        for (int round = 0; round < 3; ++round) {
            std::vector<Client> leaving;
            for (int i = 0; i < 20; ++i) {
                leaving.push_back(server.connect());
                leaving.back().send("GET /endless HTTP/1.1\r\nHost: a\r\n" +
                                    std::string(i % 2 ? "Accept-Encoding: zstd\r\n" : "") + "\r\n");
            }
            if (round > 0) leaving.front().until("\r\n\r\n");
            if (round == 2) std::this_thread::sleep_for(50ms);
            leaving.clear();
        }
        EXPECT_TRUE(server.eventually([&] { return server.server().counts().exchanges == 0; }));
        EXPECT_EQ(server.connect().get("/small").body, "small");
    }
    EXPECT_EQ(Kept::alive, 0);
}

TEST(LargeBody, TheServerEndsWhileAnswersAreMade) {
    Kept::alive = 0;
    for (int round = 0; round < 3; ++round) {
        TestServer server(routes());
        std::vector<Client> waiting;
        for (int i = 0; i < 10; ++i) {
            waiting.push_back(server.connect());
            waiting.back().send(
                "GET /endless HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
        }
        // One round reads, so that it goes on being made; in the others each soon waits for its
        // reader.
        if (round == 1) waiting.front().until("\r\n\r\n");
        if (round == 2) std::this_thread::sleep_for(20ms);
        server.stop(10ms);
        for (auto& one : waiting) EXPECT_TRUE(one.closed());
    }
    EXPECT_EQ(Kept::alive, 0);
}

}  // namespace atl::net::test
