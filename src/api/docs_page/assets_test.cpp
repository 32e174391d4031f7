#include "api/docs_page/assets.hpp"

#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <string>

namespace atl::api::docs_page {

TEST(DocsPage, IsWhole) {
    ASSERT_NE(find(""), nullptr);
    EXPECT_EQ(find("")->path, "index.html");
    EXPECT_EQ(find("../assets.cpp"), nullptr);
    std::set<std::string_view> etags;
    for (const auto& asset : assets()) {
        SCOPED_TRACE(asset.path);
        EXPECT_FALSE(asset.bytes.empty());
        EXPECT_EQ(asset.bytes.back(), '\n') << "cut short?";
        EXPECT_TRUE(asset.etag.starts_with('"') && asset.etag.ends_with('"'));
        EXPECT_TRUE(etags.insert(asset.etag).second);
    }
    EXPECT_TRUE(find("")->bytes.starts_with("<!doctype html>"));
    EXPECT_NE(find("index.html")->bytes.find("中文"), std::string_view::npos);
}

// Goal: a file that another one names is there, and nothing is named that is not ours: the page
// must work on a machine without a network.
TEST(DocsPage, NamesOnlyItsOwnFiles) {
    const std::regex named(R"re((?:src|href)="\./([^"]+)"|from "\./([^"]+)")re");
    for (const auto& asset : assets()) {
        SCOPED_TRACE(asset.path);
        const std::string text(asset.bytes);
        for (std::sregex_iterator found(text.begin(), text.end(), named), end; found != end;
             ++found) {
            const auto name = (*found)[1].matched ? (*found)[1].str() : (*found)[2].str();
            EXPECT_NE(find(name), nullptr) << name;
        }
        const bool picture = asset.content_type == "image/svg+xml";  // its dialect is an address
        EXPECT_TRUE(picture || text.find("http:") == std::string::npos);
        EXPECT_EQ(text.find("https:"), std::string::npos);
    }
}

// Goal: it lives with default-src 'self' and trusted-types 'none'.
TEST(DocsPage, HasNoInlineCodeAndNoMarkupFromText) {
    const std::string html(find("")->bytes);
    EXPECT_FALSE(std::regex_search(html, std::regex(R"(<script(?![^>]*src=))")));
    EXPECT_FALSE(std::regex_search(html, std::regex(R"(\s(style|on\w+)=)")));
    for (const auto& asset : assets()) {
        for (const char* word : {"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write",
                                 "eval(", "new Function"}) {
            EXPECT_EQ(asset.bytes.find(word), std::string_view::npos) << asset.path << ": " << word;
        }
    }
}

}  // namespace atl::api::docs_page
