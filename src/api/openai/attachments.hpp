#pragma once
// Files in messages, as uploads: bounded, inspected and kept as those of /upload are.
//
// Threads   the server's one; base64 is decoded on a worker.
// Trusts    nothing: names are made safe, and what a file claims to be is compared with its bytes.
// On failure net::Problem and schema::ValidationError, with the field. What was stored before one
//           is refused is not used by any thread, and goes after some time (uploads.unused).
#include "agent/uploads.hpp"
#include "api/openai/request.hpp"

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

namespace atl::api::openai {

boost::asio::awaitable<std::vector<UploadId>> stored(agent::Uploads& uploads, std::string owner,
                                                     std::vector<Attachment> attachments);

}  // namespace atl::api::openai
