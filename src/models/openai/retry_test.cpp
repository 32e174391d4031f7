#include "models/openai/retry.hpp"

#include "models/openai/model.hpp"

#include <gtest/gtest.h>

namespace atl::openai {

using namespace std::chrono_literals;

TEST(Retry, ReadsWhatAProviderAsksFor) {
    const auto now = std::chrono::system_clock::from_time_t(1'700'000'000);  // 22:13:20 GMT
    const auto asked = [&](const char* name, const char* value) {
        return wait_asked_for(net::Headers{{name, value}}, now);
    };
    EXPECT_EQ(asked("Retry-After", "2"), 2s);
    EXPECT_EQ(asked("retry-after", " 0.5 "), 500ms);
    EXPECT_EQ(asked("Retry-After-Ms", "70"), 70ms);
    EXPECT_EQ(asked("Retry-After", "Tue, 14 Nov 2023 22:13:25 GMT"), 5s);
    EXPECT_EQ(asked("Retry-After", "Tue, 14 Nov 2023 22:13:00 GMT"), 0s);
    EXPECT_EQ(asked("Retry-After", "1e300"), 1'000'000'000s);
    for (const char* value : {"soon", "-1", "", "nan", "inf", "2 s", "Tue, 99 Foo"}) {
        EXPECT_EQ(asked("Retry-After", value), std::nullopt) << value;
    }
    EXPECT_EQ(wait_asked_for({}, now), std::nullopt);
}

TEST(Retry, WaitsLongerEachTimeAndNotForEver) {
    Backoff backoff({.attempts_max = 6, .first = 100ms, .longest = 500ms, .patience = 3s});
    for (int round = 0; round < 100; ++round) {
        const auto first = backoff.after(1, {});
        ASSERT_TRUE(first);
        EXPECT_TRUE(*first >= 50ms && *first <= 100ms) << first->count();
        const auto third = backoff.after(3, {});
        EXPECT_TRUE(*third >= 200ms && *third <= 400ms) << third->count();
        const auto fifth = backoff.after(5, {});
        EXPECT_TRUE(*fifth >= 250ms && *fifth <= 500ms) << fifth->count();
        const auto told = backoff.after(1, 2s);
        EXPECT_TRUE(*told >= 2s && *told <= 2200ms) << told->count();
    }
    EXPECT_FALSE(backoff.after(6, {}));
    EXPECT_FALSE(backoff.after(1, 4s));
}

TEST(Endpoint, PutsUrlsTogether) {
    Endpoint endpoint;
    EXPECT_EQ(endpoint.url("/x"), "https://api.openai.com/v1/x");
    endpoint.base_url = "http://localhost:11434/v1//";
    EXPECT_EQ(endpoint.url("/x"), "http://localhost:11434/v1/x");
    endpoint.base_url = "https://a.example/openai/v1?api-version=1";
    EXPECT_EQ(endpoint.url("/x"), "https://a.example/openai/v1/x?api-version=1");
    EXPECT_TRUE(endpoint.check());
    for (const char* wrong :
         {"", "http://", "http:///v1", "https://?a", "localhost:1", "ftp://a/"}) {
        endpoint.base_url = wrong;
        EXPECT_FALSE(endpoint.check()) << wrong;
    }
}

TEST(Model, SeesByItsName) {
    for (const char* name : {"gpt-4o-mini", "GPT-4.1", "gpt-5", "o3", "o4-mini", "Qwen2.5-VL-7B",
                             "llava:13b", "google/gemma-3-27b", "claude-sonnet-4"}) {
        EXPECT_TRUE(name_says_it_sees(name)) << name;
    }
    for (const char* name : {"gpt-3.5-turbo", "o3-mini", "o1-mini", "llama3.1:8b", "qwen3", "phi4",
                             "gpt-4o-audio-preview", "SmolLM2-135M"}) {
        EXPECT_FALSE(name_says_it_sees(name)) << name;
    }
}

}  // namespace atl::openai
