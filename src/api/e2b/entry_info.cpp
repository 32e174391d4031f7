#include "api/e2b/entry_info.hpp"

#include "api/e2b/envd_path.hpp"
#include "api/e2b/sandbox_entry.hpp"
#include "api/file_paths.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace atl::api::e2b {

namespace json = boost::json;
using guest_client::FileType;

namespace {

constexpr std::uint32_t kUserId = 1000;
constexpr std::uint32_t kNobodyId = 65534;

std::string account(std::uint32_t id, const char* nobody) {
    if (id == 0) return "root";
    if (id == kUserId) return std::string(kUser.name);
    return id == kNobodyId ? nobody : std::to_string(id);
}

std::string_view type_text(FileType type) {
    switch (type) {
        case FileType::File: return "FILE_TYPE_FILE";
        case FileType::Directory: return "FILE_TYPE_DIRECTORY";
        case FileType::Symlink: return "FILE_TYPE_SYMLINK";
        default: return "FILE_TYPE_UNSPECIFIED";
    }
}

char type_letter(FileType type) {
    switch (type) {
        case FileType::File: return '-';
        case FileType::Directory: return 'd';
        case FileType::Symlink: return 'L';
        case FileType::Fifo: return 'p';
        case FileType::Socket: return 'S';
        case FileType::Device: break;
    }
    return 'D';
}

}  // namespace

std::string permissions_text(FileType type, std::uint32_t mode) {
    std::string text(1, type_letter(type));
    for (int bit = 8; bit >= 0; --bit) {
        text.push_back((mode >> bit & 1) != 0 ? "xwr"[bit % 3] : '-');
    }
    return text;
}

std::string timestamp_text(std::int64_t ns) {
    // 64 bits of nanoseconds reach from 1677 to 2262, so every one of them has a year.
    constexpr std::int64_t kSecond = 1'000'000'000;
    std::int64_t seconds = ns / kSecond;
    std::int64_t rest = ns % kSecond;
    if (rest < 0) {
        rest += kSecond;
        --seconds;
    }
    const std::time_t whole = seconds;
    std::tm parts{};
    if (::gmtime_r(&whole, &parts) == nullptr) return "1970-01-01T00:00:00Z";
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", parts.tm_year + 1900,
                  parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                  static_cast<int>(rest));
    return text;
}

json::object entry_info(const std::string& path, const guest_client::FileEntry& entry) {
    const bool leads_somewhere = entry.type == FileType::Symlink && entry.resolved;
    json::object info{
        {"name", shown_path(path == "/" ? path : last_part(path))},
        {"type", type_text(leads_somewhere ? entry.resolved_type : entry.type)},
        {"path", shown_path(path)},
        {"size", std::to_string(entry.size)},
        {"mode", entry.mode & 0777},
        {"permissions", permissions_text(entry.type, entry.mode)},
        {"owner", account(entry.uid, "nobody")},
        {"group", account(entry.gid, "nogroup")},
        {"modifiedTime", timestamp_text(entry.mtime_ns)},
    };
    if (leads_somewhere) {
        info["symlinkTarget"] = shown_path(*entry.resolved);
    } else if (entry.target) {
        info["symlinkTarget"] = shown_path(*entry.target);
    }
    if (!entry.attributes.empty()) {
        json::object metadata;
        for (const auto& [name, value] : entry.attributes) {
            metadata[shown_path(name)] = shown_path(value);
        }
        info["metadata"] = std::move(metadata);
    }
    return info;
}

}  // namespace atl::api::e2b
