#pragma once
// The charts of a thread, for its export: what the messages name, as its sandbox has it now.
//
// Trusts    nothing: each is cut off at a size, so is their sum, and what does not begin like the
//           image that its name promises is left out.
#include "core/threads.hpp"
#include "guest_client/files.hpp"

#include <boost/asio/awaitable.hpp>
#include <map>
#include <string>
#include <vector>

namespace atl::agent {

struct ExportImage {
    std::string content_type;
    std::string base64;
};
using ExportImages = std::map<std::string, ExportImage>;  // by their paths in the sandbox

// Of all messages, each once; the latest first, for they are wanted most where not all fit.
[[nodiscard]] std::vector<std::string> image_paths(const std::vector<core::ThreadMessage>& all);

// Those that are there, are images, and fit.
boost::asio::awaitable<ExportImages> read_images(guest_client::Files files,
                                                 std::vector<std::string> paths);

// Whether a file begins like an image of this type that notebooks show without running anything.
[[nodiscard]] bool begins_like(std::string_view content_type, std::string_view bytes);

}  // namespace atl::agent
