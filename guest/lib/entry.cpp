#include "guest/lib/entry.hpp"

#include <cstdint>
#include <string>

namespace atl::guest {

namespace json = boost::json;

namespace {

bool valid_utf8(std::string_view text) {
    std::size_t i = 0;
    while (i < text.size()) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t extra = lead < 0x80 ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
        if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 ||
            i + extra >= text.size() + (extra == 0)) {
            return false;
        }
        std::uint32_t point = extra == 0 ? lead : lead & (0x3f >> extra);
        for (std::size_t k = 1; k <= extra; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            if ((next & 0xc0) != 0x80) return false;
            point = point << 6 | (next & 0x3f);
        }
        if ((extra == 2 && (point < 0x800 || (point >= 0xd800 && point < 0xe000))) ||
            (extra == 3 && (point < 0x10000 || point > 0x10ffff))) {
            return false;
        }
        i += extra + 1;
    }
    return true;
}

std::string hex(std::string_view bytes) {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const char byte : bytes) {
        text.push_back(kDigits[static_cast<unsigned char>(byte) >> 4]);
        text.push_back(kDigits[static_cast<unsigned char>(byte) & 15]);
    }
    return text;
}

}  // namespace

const char* type_of(mode_t mode) {
    switch (mode & S_IFMT) {
        case S_IFREG: return "file";
        case S_IFDIR: return "directory";
        case S_IFLNK: return "symlink";
        case S_IFIFO: return "fifo";
        case S_IFSOCK: return "socket";
        default: return "device";
    }
}

void put_name(json::object& into, std::string_view key, std::string_view name) {
    if (valid_utf8(name)) {
        into[key] = name;
        return;
    }
    std::string shown(name);
    for (char& c : shown) {
        if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    }
    into[key] = shown;
    into[std::string(key) + "_hex"] = hex(name);
}

json::object describe(std::string_view name, const struct stat& info) {
    json::object entry;
    put_name(entry, "name", name);
    entry["type"] = type_of(info.st_mode);
    entry["size"] = info.st_size;
    entry["mode"] = info.st_mode & 07777;
    entry["mtime_ns"] = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec;
    return entry;
}

}  // namespace atl::guest
