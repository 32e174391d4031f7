#pragma once
// One run of code for a tool: in a session's sandbox or in a fresh one, with what a model and a
// client get to see of it.
//
//     stdout, then what was displayed and the last expression's text, then notes, or a traceback
//
// Figures that code shows without saving them are stored in /data/outputs, so that they have an
// address; images that it saved there itself are only named. A table comes as data besides.
// Trusts    nothing that comes out of a sandbox: counts, sizes and types are checked here.
// On failure ErrorException when it could not be run at all.
#include "agent/tools.hpp"
#include "guest_client/changes.hpp"
#include "guest_client/run.hpp"

#include <boost/asio/awaitable.hpp>

namespace atl::agent {

struct CodePlace {
    std::shared_ptr<guest_client::GuestLink> link;
    std::shared_ptr<guest_client::Changes> changes;
    core::Sandbox* sandbox = nullptr;
    std::optional<SessionId> session;  // none: nothing of it can be fetched afterwards
    std::vector<guest_client::Lost> lost;
    std::uint64_t memory_bytes_max = 0;
};

[[nodiscard]] CodePlace place_of(sessions::Use& use);

// After the run, while its sandbox is there: what it did to files, for whoever promotes them.
using AfterRun = std::function<boost::asio::awaitable<void>(
    ToolResult&, const std::map<std::string, guest_client::ChangedFile>&)>;

boost::asio::awaitable<ToolResult> run_code(Workplace& workplace, CodePlace place,
                                            guest_client::RunRequest request, AfterRun after = {});

// How long a run may take: what was asked for, the session's limit, what the turn has left.
[[nodiscard]] std::chrono::milliseconds shortest(std::chrono::milliseconds asked,
                                                 std::chrono::milliseconds limit,
                                                 std::chrono::milliseconds left);

// From a bundle that a kernel sent; nothing when it is no table.
[[nodiscard]] std::optional<TableData> table_in(const boost::json::value& value);

}  // namespace atl::agent
