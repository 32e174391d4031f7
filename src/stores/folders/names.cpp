#include "stores/folders/names.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/random.h>

namespace atl::folders {

namespace {

constexpr std::size_t kNameMax = 128;
constexpr std::size_t kShownMax = 80;

// Not isalnum: that asks the locale.
bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

}  // namespace

bool is_session_name(std::string_view text) {
    return !text.empty() && text.size() <= kNameMax &&
           std::all_of(text.begin(), text.end(), is_plain);
}

bool is_state_name(std::string_view text) {
    return !text.empty() && text.size() <= kNameMax && text.front() != '.' &&
           std::all_of(text.begin(), text.end(), [](char c) { return is_plain(c) || c == '.'; });
}

Result<void> check_id(const SessionId& id) {
    if (is_session_name(id.text())) return {};
    return Error{Code::InvalidArgument,
                 in_quotes(id.text()) + " is not a session id: 1 to 128 letters, digits, _ and -"};
}

Result<void> check_state_name(const std::string& name) {
    if (is_state_name(name)) return {};
    return Error{Code::InvalidArgument,
                 in_quotes(name) +
                     " is no name of a state file: 1 to 128 letters, digits, _, - and dots, "
                     "no dot in front"};
}

std::string in_quotes(std::string_view name) {
    std::string shown(1, '"');
    shown += printable(name);
    shown += '"';
    return shown;
}

std::string state_folder_of(const SessionId& id) { return id.text() + ".state"; }

std::string with_random_end(const std::string& stem) {
    std::uint64_t number = 0;
    // Up to 256 bytes come whole once the kernel's pool is ready, which it is before any server.
    while (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {}
    char text[20];
    std::snprintf(text, sizeof text, ".%016llx", static_cast<unsigned long long>(number));
    return stem + text;
}

std::string printable(std::string_view name) {
    std::string shown;
    for (const char c : name) {
        if (shown.size() >= kShownMax) return shown + "...";
        if (c >= ' ' && c <= '~' && c != '\\') {
            shown += c;
        } else {
            char text[8];
            std::snprintf(text, sizeof text, "\\x%02x", static_cast<unsigned>(c) & 0xFFu);
            shown += text;
        }
    }
    return shown;
}

Error failure(const std::string& what, int cause) {
    switch (cause) {
        case ENOSPC: return {Code::DiskFull, what + ": the disk is full"};
        case EDQUOT: return {Code::DiskFull, what + ": the disk quota is used up"};
        case EMFILE:
        case ENFILE:
        case ENOMEM:
        case EROFS: return {Code::Unavailable, what + ": " + std::strerror(cause)};
        default: return {Code::Internal, what + ": " + std::strerror(cause)};
    }
}

}  // namespace atl::folders
