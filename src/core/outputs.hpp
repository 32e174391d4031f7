#pragma once
// Interface: copies of artifacts on the host.
//
//     sessions/<session id>/artifacts/…   what a session has in /session/artifacts
//     outputs/<run id>/…                  what an ephemeral run left in /work/artifacts
//
// The server writes them, from what it read through the guest. No sandbox can reach them, so such a
// path leads to regular files and nothing else.
//
// A source can have tens of thousands of files: whatever touches more than one descriptor is done
// outside the loop. Coroutines throw ErrorException.
#include "base/fd.hpp"
#include "base/id.hpp"
#include "base/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace atl::core {

using RunId = Id<struct RunTag>;

// Where the files come from: a session, or an ephemeral run.
using OutputSource = std::variant<SessionId, RunId>;

class Outputs {
public:
    virtual ~Outputs() = default;

    // `path` is relative, its parts are names from inside a sandbox: an odd one (empty, `..`, too
    // long or too deep) is InvalidArgument.
    virtual boost::asio::awaitable<UniqueFd> begin(OutputSource source, std::string path) = 0;
    // Appends to what was begun, beside the loop. DiskFull, or another failure to write.
    virtual boost::asio::awaitable<void> write(const UniqueFd& file, std::string bytes) = 0;
    // Under its name, in one step, in place of an earlier one. Answers with the path on the host.
    virtual boost::asio::awaitable<std::string> finish(OutputSource source, std::string path,
                                                       UniqueFd written) = 0;
    // What cannot be removed, or has an odd path, stays.
    virtual boost::asio::awaitable<void> remove(OutputSource source,
                                                std::vector<std::string> paths) = 0;
    // Bytes stored for it.
    virtual boost::asio::awaitable<std::uint64_t> use(OutputSource source) = 0;
    // Blocks on disk of all runs that are `theirs`, which is called on another OS thread: this
    // walks folders.
    virtual boost::asio::awaitable<std::uint64_t> use_of_runs(
        std::function<bool(const std::string& run)> theirs) = 0;
    // Grows when remove_older has removed something.
    [[nodiscard]] virtual std::uint64_t removals() const noexcept = 0;
    // Of a run; for reading.
    virtual Result<UniqueFd> open(const RunId& run, const std::string& path) const = 0;
    // Begins to remove runs that ended so long ago; nobody waits for it.
    virtual void remove_older(std::chrono::seconds age) = 0;
};

}  // namespace atl::core
