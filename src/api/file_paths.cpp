#include "api/file_paths.hpp"

#include "base/encoding.hpp"
#include "net/problem.hpp"
#include "schema/validation.hpp"
#include "sessions/spec_text.hpp"

#include <cstdio>
#include <ctime>

namespace atl::api {

namespace {

constexpr std::size_t kPathBytesMax = 4095;  // PATH_MAX without the zero
constexpr std::int64_t kSecond = 1'000'000'000;

[[noreturn]] void refuse(std::string_view field, const std::string& what) {
    throw ErrorException({Code::InvalidArgument, std::string(field) + ": " + what});
}

// "a/b" of any bytes; "" is allowed and is the root.
void check_parts(std::string_view path, std::string_view field) {
    if (path.size() > kPathBytesMax) refuse(field, "is longer than 4095 bytes");
    if (path.find('\0') != std::string_view::npos) refuse(field, "has a zero byte");
    while (!path.empty()) {
        const auto end = path.find('/');
        const auto part = path.substr(0, end);
        if (part == "." || part == "..") refuse(field, "parts . and .. are not resolved");
        if (part.empty()) refuse(field, "has an empty part");
        if (end == std::string_view::npos) return;
        path.remove_prefix(end + 1);
        if (path.empty()) refuse(field, "has an empty part");
    }
}

std::string date_time(std::int64_t ns) {
    std::int64_t seconds = ns / kSecond;
    std::int64_t rest = ns % kSecond;
    if (rest < 0) {
        rest += kSecond;
        --seconds;
    }
    const std::time_t whole = seconds;
    std::tm parts{};
    char text[64];
    // A sandbox may set any time on its files; what has no year of four digits is no date-time.
    if (::gmtime_r(&whole, &parts) == nullptr || parts.tm_year < -1900 || parts.tm_year > 8099) {
        return "1970-01-01T00:00:00.000Z";
    }
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900,
                  parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                  static_cast<int>(rest / 1'000'000));
    return text;
}

}  // namespace

std::string path_in(const net::Request& request) {
    if (request.target.has_slash) refuse("path", "an encoded slash cannot be part of a name");
    std::string path = request.parameter("path");
    if (!path.empty() && path.back() == '/') path.pop_back();
    check_parts(path, "path");
    return "/" + path;
}

std::string path_from(std::string_view text, std::string_view field) {
    std::string path(text);
    if (path.empty() || path.front() != '/') {
        auto decoded = net::percent_decoded(text);
        if (!decoded) refuse(field, "has a percent sign without two hex digits, or a zero byte");
        path = "/" + std::move(*decoded);
    }
    if (path.size() > 1 && path.back() == '/') path.pop_back();
    check_parts(std::string_view(path).substr(1), field);
    return path;
}

std::string relative_path_from(std::string_view name) {
    if (name.empty() || name.front() == '/') {
        refuse("filename", name.empty() ? "is empty" : "must not start with a slash");
    }
    check_parts(name, "filename");
    return std::string(name);
}

std::string path_text(std::string_view absolute) {
    return percent_encoded(absolute.substr(absolute.empty() ? 0 : 1), "/");
}

std::string href_of(const std::string& session, std::string_view absolute) {
    return "/v1/sessions/" + session + "/files/" + path_text(absolute);
}

std::string etag_of(const guest_client::FileEntry& entry) {
    char text[80];
    std::snprintf(text, sizeof text, "\"%llx-%llx-%llx\"",
                  static_cast<unsigned long long>(entry.inode),
                  static_cast<unsigned long long>(entry.mtime_ns),
                  static_cast<unsigned long long>(entry.size));
    return text;
}

std::string_view last_part(std::string_view path) noexcept {
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string below(const std::string& folder, std::string_view name) {
    std::string path = folder == "/" ? "" : folder;
    return path.append("/").append(name);
}

FileView view_of(const std::string& session, const std::string& absolute,
                 const guest_client::FileEntry& entry) {
    FileView view;
    view.name = last_part(absolute);
    view.path = path_text(absolute);
    view.href = href_of(session, absolute);
    view.type = name_of(entry.type);
    view.size = entry.size;
    char mode[8];
    std::snprintf(mode, sizeof mode, "%04o", entry.mode & 07777u);
    view.mode = mode;
    view.modified_at = date_time(entry.mtime_ns);
    if (entry.type == guest_client::FileType::File) view.etag = etag_of(entry);
    view.target = entry.target;
    return view;
}

std::uint64_t file_bytes_max(const core::SessionRecord& record) {
    return sessions::spec_from(record.spec_json, record.template_name)
        .value()
        .limits()
        .file_bytes_max;
}

boost::asio::awaitable<sessions::DiskRoom> room_at(sessions::Sessions& sessions,
                                                   const sessions::Use& use, std::string path,
                                                   std::uint64_t bytes) {
    std::uint64_t replaced = 0;
    const guest_client::Files files(use.link());
    try {
        const auto entry = co_await files.stat(path, true);
        replaced = entry.stored_bytes;
    } catch (const ErrorException&) {
        replaced = 0;  // nothing is there; what else is wrong with it, the write says
    }
    co_return co_await sessions.room_for(*use, bytes, replaced);
}

void throw_as_storage(const Error& error) {
    net::Problem problem(error);
    if (error.code == Code::Exhausted) problem.status = 507;
    throw problem;
}

}  // namespace atl::api
