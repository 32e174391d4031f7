#pragma once
// Which file of which session a request refers to, and how files are shown. Shared by the file
// routes.
#include "api/file_types.hpp"
#include "api/request_reading.hpp"
#include "guest_client/files.hpp"
#include "sessions/sessions.hpp"

#include <string>
#include <string_view>

namespace atl::api {

// The path behind `files/`: absolute, of any bytes. Throws (400) on dots, empty parts and slashes
// in percent: a path has one spelling. One slash at the end is allowed and means nothing.
[[nodiscard]] std::string path_in(const net::Request& request);
// A path in JSON or a query: as it is when it starts with a slash, else in percent.
[[nodiscard]] std::string path_from(std::string_view text, std::string_view field);
// A relative path from the name of an uploaded file, checked the same way.
[[nodiscard]] std::string relative_path_from(std::string_view name);

// "session/a%20b": for people and addresses, whatever bytes are in it.
[[nodiscard]] std::string path_text(std::string_view absolute);
[[nodiscard]] std::string href_of(const std::string& session, std::string_view absolute);
[[nodiscard]] FileView view_of(const std::string& session, const std::string& absolute,
                               const guest_client::FileEntry& entry);
[[nodiscard]] std::string etag_of(const guest_client::FileEntry& entry);
[[nodiscard]] std::string_view last_part(std::string_view path) noexcept;
[[nodiscard]] std::string below(const std::string& folder, std::string_view name);

// What a session of this record may store in one file.
[[nodiscard]] std::uint64_t file_bytes_max(const core::SessionRecord& record);

// Room for an upload of `bytes` (0: not known yet) to this path, in place of what is there. Throws
// TooLarge (413).
[[nodiscard]] boost::asio::awaitable<sessions::DiskRoom> room_at(sessions::Sessions& sessions,
                                                                 const sessions::Use& use,
                                                                 std::string path,
                                                                 std::uint64_t bytes);

// A full disk or quota is the server's 507, not the client's haste (429).
[[noreturn]] void throw_as_storage(const Error& error);

}  // namespace atl::api
