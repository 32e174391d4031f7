#pragma once
// A session's Python variables as bytes: out of its kernels when it goes cold, into fresh ones when
// it comes back.
//
// Threads   the executor's; bytes pass through in pieces, whatever their number.
// Trusts    nothing: what is written is opaque here, and read again only inside a sandbox.
#include "core/folders.hpp"
#include "sessions/guest_link.hpp"

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace atl::sessions {

// A variable that could not be kept, and why. `name` is empty when it is a whole context.
struct Lost {
    std::string context;
    std::string name;
    std::string type;
    std::string reason;
};

// The names that contexts may have: they name files, too.
[[nodiscard]] bool is_context_name(std::string_view name) noexcept;

// One state file a context, `bytes_max` in all. What could not be exported is named, and also noted
// beside the files, so that whoever restores them can say it. Throws ErrorException when nothing
// could be written. Both are done within a minute or so, whatever the guest does: objects have
// methods of their own for this, which are the guest's code, and one that never ends has its kernel
// ended and then its sandbox.
boost::asio::awaitable<std::vector<Lost>> save_variables(std::shared_ptr<GuestLink> link,
                                                         core::Folders& folders, SessionId id,
                                                         std::uint64_t bytes_max);

// Into the contexts they came from. Names what did not come back, then or now.
boost::asio::awaitable<std::vector<Lost>> load_variables(std::shared_ptr<GuestLink> link,
                                                         core::Folders& folders, SessionId id);

}  // namespace atl::sessions
