#include "schema/json.hpp"
#include "schema/problem.hpp"
#include "schema/sample.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>
#include <random>

namespace atl::schema {

using sample::CreateSession;
using sample::Network;

namespace {

constexpr std::size_t kBodyBytesMax = 1 << 16;

std::vector<Issue> issues_of(const std::string& text) {
    try {
        (void)from_json<CreateSession>(text, kBodyBytesMax);
    } catch (const ValidationError& e) {
        EXPECT_EQ(e.error.code, Code::InvalidArgument);
        EXPECT_FALSE(e.issues.empty());
        return e.issues;
    }
    return {};
}

std::string nested(std::size_t levels) {
    return R"({"name":"a","metadata":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
}

}  // namespace

TEST(FromJson, FillsWhatIsThereAndKeepsDefaults) {
    const auto session = from_json<CreateSession>(
        R"({"name":"taxi","template":"gis","limits":{"memory_bytes_max":1073741824.0,"nice":-3},
            "network":"allow_list","allow":["example.org"],"environment":{"LANG":"C"},
            "mounts":[{"source":"/srv","target":"/data"}],"seed":null,"idle_time":"90s",
            "command":["ls","-l"],"metadata":{"a":[1,2.5,null]}})",
        kBodyBytesMax);
    EXPECT_EQ(session.name, "taxi");
    EXPECT_EQ(session.template_name, "gis");
    EXPECT_EQ(session.limits.memory_bytes_max, 1ull << 30) << "1.0 is an integer";
    EXPECT_EQ(session.limits.processes_max, 128u);
    EXPECT_EQ(session.limits.nice, -3);
    EXPECT_EQ(session.network, Network::AllowList);
    EXPECT_EQ(session.environment.at("LANG"), "C");
    EXPECT_EQ(session.mounts.at(0).target, "/data");
    EXPECT_FALSE(session.seed);
    EXPECT_EQ(session.idle_time, std::chrono::seconds(90));
    EXPECT_EQ(std::get<1>(session.command).at(1), "-l");
    EXPECT_EQ(session.metadata.at("a").as_array().size(), 3u);
    EXPECT_EQ(from_json<CreateSession>(R"({"name":"a","idle_time":1.5})", 99).idle_time,
              std::chrono::milliseconds(1500));
}

// Goal: the table is the gate. Each row breaks one thing in a good request, so that a failing row
// names the check that went missing.
TEST(FromJson, RefusesEachMistakeWithItsPath) {
    struct Row {
        const char* body;
        const char* path;
        const char* message;
    };
    const Row rows[] = {
        {R"({})", "name", "is missing"},
        {R"([])", "", "the body must be an object, not an array"},
        {R"(null)", "", "the body must be an object, not null"},
        {R"({"name":7})", "name", "must be a string, not a number"},
        {R"({"name":null})", "name", "must be a string, not null"},
        {R"({"name":""})", "name", "must not be empty"},
        {R"({"name":"a\nb"})", "name", "must be one line without control"},
        {R"({"name":"a","template":"../etc"})", "template", "must be letters, digits"},
        {R"({"name":"a","template":"é"})", "template", "must be letters, digits"},
        {R"({"name":"a","template_name":"x"})", "template_name", "did you mean template?"},
        {R"({"name":"a","limits":{"memory_bytes_max":5}})", "limits.memory_bytes_max",
         "must be at least 33554432, not 5"},
        {R"({"name":"a","limits":{"memory_bytes_max":1e30}})", "limits.memory_bytes_max",
         "must be at most 70368744177664, not 1e+30"},
        {R"({"name":"a","limits":{"memory_bytes_max":-1}})", "limits.memory_bytes_max",
         "must be at least 33554432, not -1"},
        {R"({"name":"a","limits":{"memry_bytes_max":5}})", "limits.memry_bytes_max",
         "unknown field; did you mean memory_bytes_max?"},
        {R"({"name":"a","limits":{"zzzzzzzz":5}})", "limits.zzzzzzzz", "unknown field"},
        {R"({"name":"a","limits":{"processes_max":1.5}})", "limits.processes_max",
         "must be an integer, not 1.5"},
        {R"({"name":"a","limits":{"processes_max":"8"}})", "limits.processes_max",
         "must be an integer, not a string"},
        {R"({"name":"a","limits":{"processes_max":true}})", "limits.processes_max",
         "must be an integer, not a boolean"},
        {R"({"name":"a","limits":{"nice":128}})", "limits.nice", "must be at most 127, not 128"},
        {R"({"name":"a","limits":{"nice":-129}})", "limits.nice", "must be at least -128"},
        {R"({"name":"a","limits":{"cpus_max":-0.5}})", "limits.cpus_max",
         "must be at least 0, not -0.5"},
        {R"({"name":"a","limits":[]})", "limits", "must be an object, not an array"},
        {R"({"name":"a","network":"opne"})", "network",
         "must be one of none, allow_list, open; not \"opne\""},
        {R"({"name":"a","network":"Open"})", "network", "must be one of"},
        {R"({"name":"a","network":1})", "network", "must be a string, not a number"},
        {R"({"name":"a","allow":["x"]})", "allow", "needs the network allow_list"},
        {R"({"name":"a","network":"allow_list","allow":[""]})", "allow[0]", "must not be empty"},
        {R"({"name":"a","network":"allow_list","allow":["a",2]})", "allow[1]", "must be a string"},
        {R"({"name":"a","allow":["a","b","c","d","e"]})", "allow", "at most 4 items, not 5"},
        {R"({"name":"a","allow":{}})", "allow", "must be an array, not an object"},
        {R"({"name":"a","environment":{"a b":"x"}})", R"(environment["a b"])", "must be capitals"},
        {R"({"name":"a","environment":{"A":1}})", "environment.A", "must be a string"},
        {R"({"name":"a","environment":{"A":"","B":"","C":"","D":""}})", "environment",
         "at most 3 keys, not 4"},
        {R"({"name":"a","mounts":[{"source":"/a","target":"/b"},{"source":"/a"}]})",
         "mounts[1].target", "is missing"},
        {R"({"name":"a","mounts":[{"source":"/a","target":"b"}]})", "mounts[0].target",
         "must be an absolute path"},
        {R"({"name":"a","seed":-6})", "seed", "must be at least -5, not -6"},
        {R"({"name":"a","seed":9223372036854775808})", "seed",
         "must be at most 9223372036854775807"},
        {R"({"name":"a","idle_time":"soon"})", "idle_time", "must be a time such as"},
        {R"({"name":"a","idle_time":"1e3s"})", "idle_time", "must be a time such as"},
        {R"({"name":"a","idle_time":"-1s"})", "idle_time", "must be a time such as"},
        {R"({"name":"a","idle_time":-1})", "idle_time", "between 0 and 366 days"},
        {R"({"name":"a","idle_time":1e300})", "idle_time", "between 0 and 366 days"},
        {R"({"name":"a","idle_time":"500ms"})", "idle_time", "must be at least 1, not 0.5"},
        {R"({"name":"a","command":5})", "command", "must be a string or an array, not a number"},
        {R"({"name":"a","command":["x",5]})", "command[1]", "must be a string"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.body);
        const auto found = issues_of(row.body);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].path, row.path);
        EXPECT_NE(found[0].message.find(row.message), std::string::npos) << found[0].message;
    }
    EXPECT_TRUE(issues_of(R"({"name":"a"})").empty());
    // 64 characters of three bytes each: length counts characters, as the schema does.
    std::string wide;
    for (int i = 0; i < 64; ++i) wide += "好";
    EXPECT_TRUE(issues_of(R"({"name":")" + wide + R"("})").empty());
    EXPECT_EQ(issues_of(R"({"name":")" + wide + R"(好"})").at(0).message,
              "must have at most 64 characters, not 65");
}

TEST(FromJson, RefusesWhatIsNotOneJsonValue) {
    struct Row {
        std::string body;
        const char* message;
    };
    const Row rows[] = {
        {"", "the body is empty"},
        {" \n", "the body is empty"},
        {"{\"name\":\n  oops}", "line 2, column 3: not valid JSON: unexpected character"},
        {R"({"name":"a")", "column 12: not valid JSON: the text ends too early"},
        {R"({"name":"a"} x)", "column 14: not valid JSON: there is more after the end"},
        {R"({"name":"a"}{"name":"b"})", "there is more after the end"},
        {R"({"name":"a","name":"b"})", R"(the key "name" stands twice)"},
        {R"({"name":"a","n\u0061me":"b"})", R"(the key "name" stands twice)"},
        {R"({"":1,"":2})", R"(the key "" stands twice)"},
        {R"({"name":"a","limits":{"nice":1,"nice":2}})", R"(the key "nice" stands twice)"},
        {R"({"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"a":1})",
         R"(the key "a" stands twice)"},
        {"{\"name\":\"\xff\"}", "column 10: not valid JSON: a byte that is not UTF-8"},
        {"{\"name\":\"\xed\xa0\x80\"}", "not UTF-8"},
        {"{\"name\":\"\xc0\x80\"}", "not UTF-8"},
        {R"({"name":"\ud800"})", "unexpected character"},
        {R"({"name":"\ud800\u0041"})", R"(a \u escape that is no character)"},
        {R"({"name":"\udc00"})", R"(a \u escape that is no character)"},
        {R"({"name":"\u00g0"})", R"(a \u escape that is no character)"},
        {R"({"name":NaN})", "unexpected character"},
        {R"({"name":Infinity})", "unexpected character"},
        {R"({"name":1e999})", "a number that is too large"},
        {R"({"name":-1e999})", "a number that is too large"},
        {R"({"name":1e99999999999999999999})", "a number that is too large"},
        {R"({"name":01})", "unexpected character"},
        {R"({"name":"a",})", "unexpected character"},
        {R"({'name':"a"})", "unexpected character"},
        {"{\"name\":\"a\tb\"}", "unexpected character"},
        {"{\"name\":\"a\"/**/}", "unexpected character"},
        {nested(32), "nested deeper than 32 levels"},
        {std::string(60'000, '['), "nested deeper than 32 levels"},
        {std::string(R"({"name":"a"})") + '\0', "there is more after the end"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.body.substr(0, 80));
        const auto found = issues_of(row.body);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].path, "");
        EXPECT_NE(found[0].message.find(row.message), std::string::npos) << found[0].message;
    }
    EXPECT_TRUE(issues_of(nested(31)).empty());
    EXPECT_TRUE(issues_of(R"( {"name":"a"} )"
                          "\r\n")
                    .empty());
}

TEST(FromJson, HasALimitOnTheText) {
    const std::string body = R"({"name":"a"})";
    EXPECT_NO_THROW((void)from_json<CreateSession>(body, body.size()));
    try {
        (void)from_json<CreateSession>(body, body.size() - 1);
        FAIL();
    } catch (const ErrorException& e) { EXPECT_EQ(e.error.code, Code::TooLarge); }
}

TEST(FromJson, CollectsFindingsUpToALimit) {
    try {
        (void)from_json<CreateSession>(R"({"nmae":"x","limits":{"nice":999},"seed":"y"})", 999);
        FAIL();
    } catch (const ValidationError& e) {
        ASSERT_EQ(e.issues.size(), 4u);
        EXPECT_EQ(e.error.message, "nmae: unknown field; did you mean name?");
        Problem problem;
        problem.errors = e.issues;
        EXPECT_NE(to_json(problem).find(
                      R"({"path":"limits.nice","message":"must be at most 127, not 999"})"),
                  std::string::npos)
            << to_json(problem);
    }
    std::string body = R"({"name":"a")";
    for (int i = 0; i < 1000; ++i) body += ",\"unknown" + std::to_string(i) + "\":1";
    EXPECT_EQ(issues_of(body + "}").size(), kIssuesMax);
}

// What a client sends comes back in messages: short, printable, and never as our own punctuation.
TEST(FromJson, QuotesHostileNames) {
    const auto found = issues_of(R"({"name":"a","\u001b[31m].limits":1,")" +
                                 std::string(5000, 'x') + R"(":1,"":1})");
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].path, R"(["\u001b[31m].limits"])");
    EXPECT_LT(found[1].path.size(), 80u);
    EXPECT_EQ(found[2].path, R"([""])");
}

// Goal: mutated requests never crash the reader, and what it accepts is printed so that reading it
// again gives the same value. Run under the sanitizers as well.
TEST(FromJson, SurvivesMutationAndReadsBackWhatItAccepted) {
    const std::string seed =
        R"({"name":"taxi","template":"gis","limits":{"memory_bytes_max":1073741824,"nice":-3,)"
        R"("cpus_max":0.1},"network":"allow_list","allow":["a.b"],"environment":{"LANG":"C"},)"
        R"("mounts":[{"source":"/srv","target":"/data"}],"seed":42,"idle_time":"90s",)"
        R"("command":["ls","-l"],"metadata":{"a":[1,2.5e-7,null,"\u00e9\ud83d\ude00"]}})";
    const std::string_view alphabet = "\"{}[],:.-+eE0123456789ntrfalsu\\ \n\x80\xff\xc3\x00";
    std::mt19937 random(20'240'601);
    const auto below = [&](std::size_t n) { return random() % n; };
    int accepted = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::string text = seed;
        for (std::size_t change = 0; change <= below(3); ++change) {
            const auto at = below(text.size());
            switch (below(4)) {
                case 0: text[at] = alphabet[below(alphabet.size())]; break;
                case 1: text.erase(at, 1 + below(8)); break;
                case 2: text.insert(at, 1, alphabet[below(alphabet.size())]); break;
                default: text.insert(at, text, below(text.size()), below(16)); break;
            }
        }
        CreateSession first;
        try {
            first = from_json<CreateSession>(text, kBodyBytesMax);
        } catch (const ValidationError&) { continue; }
        ++accepted;
        const auto printed = to_json(first);
        const auto second = from_json<CreateSession>(printed, kBodyBytesMax);
        ASSERT_EQ(first, second) << text << "\n" << printed;
        ASSERT_EQ(printed, to_json(second));
    }
    EXPECT_GT(accepted, 500) << "the mutations are too wild to test much";
}

// Goal: a stored text is known to be JSON before it is sent as it stands.
TEST(IsJson, SaysWhatTheParserWould) {
    for (const char* good : {"1", "null", R"("a\u00e4")", R"({"a":[1,-2.5e3,true,{}]})", " [] "}) {
        EXPECT_TRUE(is_json(good)) << good;
    }
    for (const char* bad : {"", " ", "{", "{}}", "[1,]", "01", "nul", "\"\n\"", "\"\xff\"", "1 2",
                            R"({"a":1,})", R"("\ud800")", "// x\n1", "NaN"}) {
        EXPECT_FALSE(is_json(bad)) << bad;
    }
    EXPECT_TRUE(is_json(std::string(32, '[') + std::string(32, ']')));
    EXPECT_FALSE(is_json(std::string(33, '[') + std::string(33, ']')));
}

}  // namespace atl::schema
