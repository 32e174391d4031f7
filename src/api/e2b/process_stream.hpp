#pragma once
// The output of a program as a stream of events for one client: start, data, keepalive, end.
#include "api/e2b/process_registry.hpp"
#include "api/e2b/rpc.hpp"

namespace atl::api::e2b {

// Until the program ends, or the client leaves, which leaves the program alone. Throws SandboxGone
// when it ended with its sandbox, Timeout when its time was up, Exhausted when this client was
// dropped for taking nothing.
boost::asio::awaitable<void> stream_process(net::Exchange& exchange, MessageStream& stream,
                                            ProcessRegistry::ProcessPtr process,
                                            EnvdProcess::Reader::From from);

}  // namespace atl::api::e2b
