#include "guest/archive/entry_name.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cwchar>

namespace atl::archive {

namespace {

constexpr std::size_t kPrintableBytesMax = 512;  // a hundred of them still fit a pipe

}  // namespace

Result<std::string> relative_path(std::string_view name, std::uint32_t strip) {
    std::string path;
    std::size_t at = 0;
    while (at < name.size()) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        const std::string_view part = name.substr(at, end - at);
        at = end + 1;
        if (part.empty() || part == ".") continue;
        if (part == "..") return Error{Code::InvalidArgument, "its name has a '..'"};
        if (strip > 0) {
            --strip;
            continue;
        }
        if (!path.empty()) path += '/';
        path += part;
        if (path.size() > kPathBytesMax)
            return Error{Code::InvalidArgument, "its name is too long"};
    }
    return path;
}

bool leads_inside(std::string_view path, std::string_view target) {
    if (target.starts_with('/')) return false;
    auto depth = std::count(path.begin(), path.end(), '/');
    bool named = false;
    for (std::size_t at = 0; at < target.size();) {
        const std::size_t end = std::min(target.find('/', at), target.size());
        const std::string_view part = target.substr(at, end - at);
        at = end + 1;
        if (part.empty() || part == ".") continue;
        if (part != "..") {
            named = true;
        } else if (named || depth-- == 0) {
            return false;
        }
    }
    return true;
}

std::pair<std::string, std::string> split_last(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return {"", path};
    return {path.substr(0, slash), path.substr(slash + 1)};
}

bool is_utf8(std::string_view name) {
    std::mbstate_t state{};
    while (!name.empty()) {
        const std::size_t used = std::mbrtowc(nullptr, name.data(), name.size(), &state);
        if (used == 0 || used > name.size()) return false;
        name.remove_prefix(used);
    }
    return true;
}

std::string printable(std::string_view name) {
    std::string text;
    std::mbstate_t state{};
    while (!name.empty()) {
        if (text.size() > kPrintableBytesMax) return text + "…";
        wchar_t point = 0;
        const std::size_t used = std::mbrtowc(&point, name.data(), name.size(), &state);
        // Control characters too: a name must not be able to draw on somebody's terminal.
        if (used == 0 || used > name.size() || point < 0x20 || (point >= 0x7f && point < 0xa0)) {
            std::array<char, 5> escaped{};
            std::snprintf(escaped.data(), escaped.size(), "\\x%02x",
                          static_cast<unsigned>(static_cast<unsigned char>(name.front())));
            text += escaped.data();
            name.remove_prefix(1);
            state = {};
            continue;
        }
        text += name.substr(0, used);
        name.remove_prefix(used);
    }
    return text;
}

}  // namespace atl::archive
