#pragma once
// Saves the variables of a session's kernels when it goes cold, and restores them into new kernels
// when it wakes.
//
// Threads   the executor's; bytes pass through in pieces, whatever their number.
// Trusts    nothing: what is written is opaque here, and read again only inside a sandbox.
#include "core/folders.hpp"
#include "guest_client/contexts.hpp"
#include "guest_client/guest_link.hpp"

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace atl::guest_client {

// A variable that could not be kept, and why. `name` is empty when it is a whole context, and so is
// `context` when it is all of them. A program that ended with its sandbox has its command for a
// name and the type kProcess.
inline constexpr std::string_view kProcess = "process";
struct Lost {
    std::string context;
    std::string name;
    std::string type;
    std::string reason;

    bool operator==(const Lost&) const = default;
};

// The names that contexts may have: they name files, too.
[[nodiscard]] bool is_context_name(std::string_view name) noexcept;

// The rule for state on disk: what is saved of a context goes when a newer save of it is complete,
// or when its client ended it (deleted or restarted the context or the session). A failure removes
// nothing.

// One state file a context, `bytes_max` in all. What could not be exported is named, and also noted
// beside the files, so that whoever restores them can say it; so are programs that run and end with
// the sandbox. Throws ErrorException when the host could not write or the guest's link ended: then
// each context is as it was, or newer and whole. `untold` was lost before and nobody has been told:
// it is noted with the rest. `restored`: the contexts that this sandbox took from disk; of these,
// one that is not there any more was deleted. Returns what the sandbox itself has lost, should it
// live on: `untold`, and the variables of kernels that ended.
// Both are done within a minute or so, whatever the guest does: objects have methods of their own
// for this, which are the guest's code, and one that never ends has its kernel ended and then its
// sandbox.
enum class SavedFor { Sleep, Copy };
boost::asio::awaitable<std::vector<Lost>> save_variables(
    std::shared_ptr<GuestLink> link, core::Folders& folders, SessionId id, std::uint64_t bytes_max,
    std::vector<Lost> untold, std::set<std::string> restored, SavedFor purpose);

struct Loaded {
    std::vector<Lost> lost;          // what did not come back, then or now, each once
    std::set<std::string> restored;  // contexts whose state this sandbox has taken in
};

// Into the contexts they came from. Throws ErrorException when the host could not read what is
// there: it is there still, and the sandbox must not be used, for it would be saved over it.
boost::asio::awaitable<Loaded> load_variables(std::shared_ptr<GuestLink> link,
                                              core::Folders& folders, SessionId id);

// What nobody has been told yet, beside the state files: it outlives the server. Throws.
void note_lost(core::Folders& folders, const SessionId& id, const std::vector<Lost>& untold);

// The variables are gone for good, and what is on disk is of a past that shall not come back.
// Throws when some of it is there still; that `untold` could not be noted is no reason to.
void forget_variables(core::Folders& folders, const SessionId& id, const std::vector<Lost>& untold);

}  // namespace atl::guest_client
