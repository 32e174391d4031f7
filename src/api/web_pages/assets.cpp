#include "api/web_pages/assets.hpp"

#include <algorithm>

namespace atl::api::web_pages {

namespace {

constexpr std::string_view kHashed = "assets/";

const Asset* named(std::string_view path) {
    const auto all = assets();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Asset& a) { return a.path == path; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

const Asset* find(std::string_view path) {
    if (const auto* asset = named(path)) return asset;
    return path.starts_with(kHashed) ? nullptr : named("index.html");
}

bool is_immutable(const Asset& asset) { return asset.path.starts_with(kHashed); }

}  // namespace atl::api::web_pages
