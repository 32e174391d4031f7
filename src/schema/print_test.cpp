#include "schema/json.hpp"
#include "schema/sample.hpp"

#include <boost/json/parse.hpp>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace atl::schema {

TEST(Print, NumbersLookAsPeopleWriteThem) {
    struct Row {
        double number;
        const char* text;
    };
    const Row rows[] = {
        {0, "0.0"},
        {-0.0, "-0.0"},
        {18, "18.0"},
        {1.8, "1.8"},
        {-0.1, "-0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {100'000, "100000.0"},
        {1e16, "10000000000000000.0"},
        {1e22, "1e+22"},
        {0.00001, "0.00001"},
        {1.5e-7, "1.5e-07"},
        {5e-324, "5e-324"},
        {std::numeric_limits<double>::max(), "1.7976931348623157e+308"},
        {std::nan(""), "null"},
        {-std::numeric_limits<double>::infinity(), "null"},
    };
    for (const auto& row : rows) {
        std::string out;
        append_json_number(out, row.number);
        EXPECT_EQ(out, row.text);
    }
}

// Goal: any double goes out and comes back to the last bit (Boost.JSON 1.81 by itself is off by one
// in the last place now and then).
TEST(Print, EveryDoubleComesBack) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i) {
        const auto bits = random();
        double number = 0;
        std::memcpy(&number, &bits, sizeof number);
        if (!std::isfinite(number)) continue;
        std::string out;
        append_json_number(out, number);
        const auto back = parse_json(out, 99).as_double();
        ASSERT_EQ(std::memcmp(&number, &back, sizeof number), 0) << out;
    }
}

TEST(Print, TextIsAlwaysValidJson) {
    struct Row {
        std::string text;
        const char* json;
    };
    const Row rows[] = {
        {"plain", R"("plain")"},
        {"", R"("")"},
        {"a\"b\\c", R"("a\"b\\c")"},
        {"\n\r\t\b\f", R"("\n\r\t\b\f")"},
        {std::string("\0\x1f\x7f", 3), "\"\\u0000\\u001f\x7f\""},
        {"héllo 好 😀", "\"héllo 好 😀\""},
        {"\xff", "\"\xEF\xBF\xBD\""},
        {"a\xc3", "\"a\xEF\xBF\xBD\""},
        {"\xe5\xa5(", "\"\xEF\xBF\xBD\xEF\xBF\xBD(\""},
        {"\xed\xa0\x80", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
        {"\xf4\x90\x80\x80x", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDx\""},
        {"</script>", R"("</script>")"},
    };
    for (const auto& row : rows) {
        std::string out;
        append_json_string(out, row.text);
        EXPECT_EQ(out, row.json);
        EXPECT_NO_THROW((void)parse_json(out, 99));
    }
    std::mt19937 random(3);
    for (int i = 0; i < 5'000; ++i) {
        std::string bytes(random() % 12, ' ');
        for (auto& c : bytes) c = static_cast<char>(random());
        std::string out;
        append_json_string(out, bytes);
        ASSERT_NO_THROW((void)parse_json(out, 999)) << out;
    }
}

TEST(Print, WholeValues) {
    const sample::Session child{"b", sample::Network::None, "no", {}};
    const sample::Session session{"a", sample::Network::AllowList, {}, {child}};
    EXPECT_EQ(to_json(session),
              R"({"id":"a","network":"allow_list","children":[{"id":"b","network":"none",)"
              R"("error":"no","children":[]}]})");
    sample::CreateSession request;
    request.limits.memory_bytes_max = ~0ull;
    request.seed = std::numeric_limits<std::int64_t>::min();
    request.idle_time = std::chrono::milliseconds(1500);
    request.environment["A\"B"] = "c";
    request.metadata = boost::json::parse(R"({"x":[18446744073709551615,1.80,-1,true,{}]})");
    EXPECT_EQ(
        to_json(request),
        R"({"name":"","template":"default","limits":{"memory_bytes_max":18446744073709551615,)"
        R"("processes_max":128,"cpus_max":1.5,"nice":0},"network":"none","allow":[],)"
        R"("environment":{"A\"B":"c"},"mounts":[],"seed":-9223372036854775808,)"
        R"("idle_time":"1500ms","command":"",)"
        R"("metadata":{"x":[18446744073709551615,1.8,-1,true,{}]}})");
}

TEST(Print, AnEnumOutsideItsTableIsStillJson) {
    const sample::Session session{"a", static_cast<sample::Network>(77), {}, {}};
    EXPECT_EQ(to_json(session), R"({"id":"a","network":null,"children":[]})");
}

}  // namespace atl::schema
