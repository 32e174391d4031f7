#pragma once
// What all live sandboxes of this server have of the machine's file table (fs.file-max), together.
//
// One sandbox is bounded by open files times processes, a quarter of the table. Several that use
// all of that would fill it, and then nobody on the machine opens a file but root. So once a second
// the table is looked at; when more of it is in use than all sandboxes may have, they are counted,
// and if they have more, the one with most is ended, until they have less.
//
// Owns      the list of live sandboxes, which it borrows, and a thread that counts.
// Threads   the executor's.
// Counts    descriptors: a file that several processes share is counted for each, so that the one
//           with most is found, and nobody is ended while the table itself has room. Without
//           cgroups nothing is seen.
#include "base/workers.hpp"
#include "runtimes/native/sandbox.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atl::native {

class FileTable {
public:
    using Tell = std::function<void(const std::string&)>;
    // `files_max`: of all sandboxes together; 0 = no limit.
    FileTable(boost::asio::any_io_executor executor, std::uint64_t files_max, Tell tell)
        : files_max_(files_max), tell_(std::move(tell)), pause_(executor) {}

    // Until forget(), which must come before it goes.
    void add(NativeSandbox& sandbox) { live_[sandbox.id().text()] = &sandbox; }
    void forget(const std::string& id) { live_.erase(id); }

    // Looks until end(). Holds on to `self` alone, so it may outlast the runtime by a turn of the
    // loop.
    static boost::asio::awaitable<void> watch(std::shared_ptr<FileTable> self);
    void end() noexcept {
        over_ = true;
        pause_.cancel();
    }

private:
    boost::asio::awaitable<void> look();

    const std::uint64_t files_max_;
    const Tell tell_;
    boost::asio::steady_timer pause_;
    std::map<std::string, NativeSandbox*> live_;
    bool over_ = false;
    std::optional<Workers> counting_;  // a thread, once there is something to count
};

// Which one is to be ended: the one with most, if they have more than `most` together.
[[nodiscard]] std::optional<std::size_t> greediest(const std::vector<std::uint64_t>& files,
                                                   std::uint64_t most);

}  // namespace atl::native
