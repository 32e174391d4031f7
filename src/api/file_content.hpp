#pragma once
// One file as a response: complete, a range of it, or 304 if it has not changed.
//
// Its content was written by untrusted code, and may be opened in a browser on this server's own
// origin. So it is sent with a fixed content type, and with a policy under which nothing in it
// runs, loads or sends. Large files go from the disk to the socket by sendfile, from a descriptor
// that the guest opened; small ones, and those of odd file systems, as bytes over the link. Memory
// stays flat either way.
#include "guest_client/files.hpp"
#include "net/exchange.hpp"

#include <boost/asio/awaitable.hpp>
#include <string>

namespace atl::api {

// Whether pages of other sites may show it as theirs: an image of an answer in a chat front end.
enum class Embedding : bool { OwnSite, AnySite };

boost::asio::awaitable<void> send_file_content(net::Exchange& exchange, guest_client::Files files,
                                               std::string path, guest_client::FileEntry entry,
                                               bool download,
                                               Embedding embedding = Embedding::OwnSite);

// What goes with any file that untrusted code wrote: its type by its name, and nothing in it runs.
[[nodiscard]] net::Headers inert_headers(std::string_view name, bool download);

// For names in Content-Disposition.
[[nodiscard]] std::string disposition(bool attachment, std::string_view name);

}  // namespace atl::api
