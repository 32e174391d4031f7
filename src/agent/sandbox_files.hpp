#pragma once
// Small files of a sandbox in one piece, for tools: read with a limit, written from memory.
//
// Trusts    nothing: a file that grows while it is read is cut at the limit.
#include "guest_client/files.hpp"

#include <boost/asio/awaitable.hpp>
#include <string>

namespace atl::agent {

struct FileBytes {
    std::string bytes;
    std::uint64_t size = 0;  // of the file
};

boost::asio::awaitable<FileBytes> read_bytes(guest_client::Files files, std::string path,
                                             std::uint64_t offset, std::uint64_t bytes_max);
boost::asio::awaitable<void> write_bytes(guest_client::Files files, std::string path,
                                         std::string bytes);

// Absolute; a relative one is below /session. Throws InvalidArgument on dots and zero bytes.
[[nodiscard]] std::string absolute_path(const std::string& path);

}  // namespace atl::agent
