#include "api/docs_page/assets.hpp"

#include <algorithm>

namespace atl::api::docs_page {

const Asset* find(std::string_view path) {
    if (path.empty()) path = "index.html";
    const auto all = assets();
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Asset& a) { return a.path == path; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace atl::api::docs_page
