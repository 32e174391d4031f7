#pragma once
// What `atoll cp` of files and of folders share, and `atoll rm` of files.
#include "cli/server.hpp"

#include <cstdint>
#include <string>

namespace atl::cli {

struct CopyPath {
    std::string session;  // empty: on this machine
    std::string path;
};

struct CopyOptions {
    // What a session may put on this machine's disk: it can send for ever.
    std::uint64_t bytes_max = 16ull << 30;
};

// ID:/path is in a session, ID:path in its working folder; what has a slash before its colon is a
// file here.
[[nodiscard]] Result<CopyPath> copy_path_of(const std::string& word);
[[nodiscard]] std::string file_path(const CopyPath& path);
// Whether it is a folder; false also for what is not there.
[[nodiscard]] Result<bool> is_folder(Server& server, const CopyPath& path);

// As `cp -r` does: into a folder that is there, or as one that is not. What could not be read or
// written is named on stderr and makes it fail, once all the rest is there. A socket, fifo or
// device has no content to copy: it is named, and that is all. The result is the name of the copy.
[[nodiscard]] Result<std::string> upload_folder(Server& server, const std::string& from,
                                                CopyPath to);
[[nodiscard]] Result<std::string> download_folder(Server& server, const CopyPath& from,
                                                  std::string to, const CopyOptions& options);

}  // namespace atl::cli
