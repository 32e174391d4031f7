#pragma once
// One run of code for a tool: in a session's sandbox or in a fresh one, with what a model and a
// client get to see of it.
//
//     stdout, then what was displayed and the last expression's text, then notes, or a traceback
//
// Figures that code shows without saving them are stored in /data/outputs, so that they have an
// address; images that it saved there itself are only named. A table also comes as data, and so
// does what clients draw (run_results.hpp). Trusts    nothing that comes out of a sandbox: counts,
// sizes and types are checked here. On failure ErrorException when it could not be run at all.
#include "agent/tools.hpp"
#include "sessions/execution.hpp"

#include <boost/asio/awaitable.hpp>

namespace atl::agent {

// `shown` is the code that people see, where that is not what is run.
boost::asio::awaitable<ToolResult> run_code(ToolEnvironment& environment,
                                            sessions::Execution& execution,
                                            guest_client::RunRequest request,
                                            std::optional<std::string> shown = std::nullopt);

// How long a run may take: what was asked for, the session's limit, what the turn has left.
[[nodiscard]] std::chrono::milliseconds shortest(std::chrono::milliseconds asked,
                                                 std::chrono::milliseconds limit,
                                                 std::chrono::milliseconds left);

// From a bundle that a kernel sent; nothing when it is no table.
[[nodiscard]] std::optional<TableData> table_in(const boost::json::value& value);

}  // namespace atl::agent
