#include "sessions/owner_storage.hpp"

#include "base/as_tuple.hpp"
#include "sessions/new_id.hpp"

#include <boost/asio/use_awaitable.hpp>
#include <functional>

namespace atl::sessions {

namespace asio = boost::asio;

namespace {

constexpr std::uint64_t kBlockBytes = 4096;
// How long a sum counts that may have something twice.
constexpr std::chrono::seconds kRoughTime{30};

}  // namespace

OwnerStorage::OwnerStorage(asio::any_io_executor executor, core::Store& store,
                           core::Outputs& outputs, core::Clock& clock)
    : store_(store),
      outputs_(outputs),
      clock_(clock),
      walked_(executor, asio::steady_timer::time_point::max()) {}

asio::awaitable<std::uint64_t> OwnerStorage::bytes(std::string owner) {
    const auto of_jobs = co_await store_.job_bytes(owner);
    const auto of_runs = co_await output_bytes(std::move(owner));
    co_return of_jobs + of_runs;
}

asio::awaitable<std::uint64_t> OwnerStorage::output_bytes(std::string owner) {
    Found& found = found_[owner];
    while (found.walking) co_await walked_.async_wait(kAsTuple);
    if (found.bytes && found.removals == outputs_.removals() && clock_.now() < found.until) {
        co_return *found.bytes;
    }
    found.walking = true;
    found.added = 0;
    found.removals = outputs_.removals();
    std::optional<std::uint64_t> walked;
    std::exception_ptr failed;
    try {
        std::function<bool(const std::string&)> theirs = [owner](const std::string& run) {
            return is_owned_by(run, owner);
        };
        walked = co_await outputs_.use_of_runs(std::move(theirs));
    } catch (...) { failed = std::current_exception(); }
    found.walking = false;
    walked_.cancel();
    if (failed) std::rethrow_exception(failed);
    // What was added during the walk may be in it or not: better counted twice than never.
    found.bytes = *walked + found.added;
    found.until = found.added > 0 ? clock_.now() + kRoughTime : Clock::time_point::max();
    co_return *found.bytes;
}

void OwnerStorage::added(const std::string& owner, std::uint64_t bytes) {
    const auto entry = found_.find(owner);
    if (entry == found_.end()) return;
    Found& found = entry->second;
    // As the disk counts it, with the folder that the first file of a run makes.
    const auto blocks = (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes + kBlockBytes;
    if (found.walking) found.added += blocks;
    if (found.bytes) *found.bytes += blocks;
}

}  // namespace atl::sessions
