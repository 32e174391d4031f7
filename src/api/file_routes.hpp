#pragma once
// /v1/sessions/{id}/files/{path...} and what belongs to it: look, list, read, write, upload,
// remove, folders, moves, artifacts. Archives and watches have files of their own.
#include "api/api.hpp"
#include "sessions/sessions.hpp"

namespace atl::api {

void add_file_routes(Api& api, sessions::Sessions& sessions);

// The parts of it, one a topic.
void add_file_upload_routes(Api& api, sessions::Sessions& sessions);
void add_archive_routes(Api& api, sessions::Sessions& sessions);
void add_watch_routes(Api& api, sessions::Sessions& sessions);

// A folder as an archive, while it is packed; `format` as the client named it.
boost::asio::awaitable<void> send_archive(net::Exchange& exchange,
                                          std::shared_ptr<guest_client::GuestLink> link,
                                          std::string folder, std::string format);

inline constexpr std::string_view kFilesTag = "Files";

}  // namespace atl::api
