#include "api/e2b/envd_path.hpp"

#include "base/result.hpp"
#include "base/utf8.hpp"

#include <vector>

namespace atl::api::e2b {

namespace {
constexpr std::size_t kPathBytesMax = 4095;  // PATH_MAX without the zero
}

std::string envd_path(std::string_view path, std::string_view home, std::string_view field) {
    const auto refuse = [&](const char* why) {
        throw ErrorException({Code::InvalidArgument, std::string(field) + ": " + why});
    };
    if (path.find('\0') != std::string_view::npos) refuse("has a zero byte");
    if (path.size() > kPathBytesMax) refuse("is longer than 4095 bytes");
    std::string whole;
    if (path == "~" || path.starts_with("~/")) {
        whole.append(home).append(path.substr(1));
    } else if (path.starts_with('/')) {
        whole = path;
    } else {
        whole.append(home).append("/").append(path);
    }
    std::vector<std::string_view> parts;
    for (std::string_view rest = whole; !rest.empty();) {
        const auto part = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        if (part.empty() || part == ".") continue;
        if (part != "..") {
            parts.push_back(part);
        } else if (!parts.empty()) {
            parts.pop_back();
        }
    }
    std::string clean;
    for (const auto part : parts) clean.append("/").append(part);
    if (clean.empty()) clean = "/";
    if (clean.size() > kPathBytesMax) refuse("is longer than 4095 bytes");
    return clean;
}

std::string shown_path(std::string_view path) { return as_utf8(path); }

}  // namespace atl::api::e2b
