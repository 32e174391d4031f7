// What is embedded, and what an address leads to. A build without web/dist has nothing to embed:
// then every address leads nowhere.
#include "api/web_pages/assets.hpp"

#include <gtest/gtest.h>

namespace atl::api::web_pages {
namespace {

TEST(WebPages, AnEmptyPathIsThePage) {
    const auto* page = find("");
    if (assets().empty()) {
        EXPECT_EQ(page, nullptr);
        return;
    }
    ASSERT_NE(page, nullptr);
    EXPECT_EQ(page->path, "index.html");
    EXPECT_EQ(page->content_type, "text/html; charset=utf-8");
    EXPECT_NE(page->bytes.find("<div id=\"root\">"), std::string_view::npos);
    EXPECT_FALSE(is_immutable(*page));
}

TEST(WebPages, AnAddressOfAViewIsThePage) {
    const auto* page = find("");
    EXPECT_EQ(find("t/th-abc"), page);
    EXPECT_EQ(find("sessions"), page);
}

TEST(WebPages, AMissingFileIsNotThePage) {
    // A script that is gone must not be answered with HTML: an old page would try to run it.
    EXPECT_EQ(find("assets/index-gone.js"), nullptr);
}

TEST(WebPages, EveryFileIsFoundUnderItsName) {
    for (const auto& asset : assets()) {
        EXPECT_EQ(find(asset.path), &asset) << asset.path;
        EXPECT_EQ(is_immutable(asset), asset.path.starts_with("assets/")) << asset.path;
        EXPECT_FALSE(asset.bytes.empty()) << asset.path;
    }
}

}  // namespace
}  // namespace atl::api::web_pages
