#pragma once
// Copies the files in a run's folder of artifacts to the host, where clients can fetch them.
//
// They are read through the guest, so this works with any runtime, and links and devices are opened
// with the sandbox's rights only.
// Threads   the link's one. Trusts    nothing: sizes are counted here while bytes arrive.
#include "core/outputs.hpp"
#include "guest_client/changes.hpp"
#include "sessions/disk.hpp"

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace atl::sessions {

struct LeftOut {
    std::string path;
    std::string reason;
};

struct Promoted {
    std::map<std::string, std::string> map;  // path in the sandbox → path on the host
    std::vector<LeftOut> left_out;
};

struct Promotion {
    core::OutputSource source;
    std::string folder;           // in the sandbox: /session/artifacts
    std::uint64_t bytes_max = 0;  // that may this source may have in all
    // Asked before the first copy, for what counts as its owner's; null where the source is counted
    // by others, as a session's is.
    std::function<boost::asio::awaitable<std::unique_ptr<OutputRoom>>()> room = nullptr;
};

boost::asio::awaitable<Promoted> promote(std::shared_ptr<guest_client::GuestLink> link,
                                         core::Outputs& outputs, Promotion wanted,
                                         std::map<std::string, guest_client::ChangedFile> files);

}  // namespace atl::sessions
