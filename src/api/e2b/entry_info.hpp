#pragma once
// A file as envd describes it: EntryInfo in JSON.
#include "guest_client/files.hpp"

#include <boost/json/object.hpp>
#include <string>

namespace atl::api::e2b {

// Extended attributes that begin so are a file's metadata.
inline constexpr std::string_view kMetadataPrefix = "user.e2b.";

// `path` is absolute. Names that are no text are shown with U+FFFD.
[[nodiscard]] boost::json::object entry_info(const std::string& path,
                                             const guest_client::FileEntry& entry);

// "drwxr-xr-x"; a link begins with L.
[[nodiscard]] std::string permissions_text(guest_client::FileType type, std::uint32_t mode);

// 2026-11-15T02:03:38.290812345Z
[[nodiscard]] std::string timestamp_text(std::int64_t ns);

}  // namespace atl::api::e2b
