#pragma once
// Writes a running job's output to the store: collected, split between characters, in batches.
// While one batch is being written the next one is collected, so no timer is needed.
//
// Owns      what is not written yet: at most the job's output limit.
// Threads   the executor's one.
// If the store cannot write, the batch is tried again for a while, then dropped and counted: a full
// disk must not stop the program that runs. If the job is no longer ours, `lost` is called.
#include "core/store.hpp"
#include "sessions/bell.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace atl::sessions {

class JobLog {
public:
    struct Listener {
        std::function<void()> written;  // there is more to read
        std::function<void()> lost;     // somebody else has the job
        // So many of the bytes that were owed need not be held back any more.
        std::function<void(std::size_t)> settled;
    };
    JobLog(boost::asio::any_io_executor executor, core::Store& store, core::JobHold hold,
           std::uint64_t bytes_max, Listener listener, core::Clock& clock = core::system_clock());

    void add(core::LogStream stream, std::string_view bytes);
    // What was just added has cost its writer so much, which is settled once it is written.
    void owe(std::size_t bytes) {
        owed_ += bytes;
        came_.ring();
    }
    // Writes until finish() was called and all is written. Runs beside the job.
    boost::asio::awaitable<void> write();
    void finish();

    [[nodiscard]] std::uint64_t bytes_dropped() const noexcept { return dropped_; }

private:
    boost::asio::awaitable<void> append(std::vector<core::LogPiece> pieces);

    core::Store& store_;
    core::Clock& clock_;
    core::JobHold hold_;
    std::uint64_t bytes_max_;
    Listener listener_;
    Bell came_;
    std::vector<core::LogPiece> waiting_;
    std::string held_[3];  // of each stream: a character that is not whole yet
    std::size_t owed_ = 0;
    std::uint64_t dropped_ = 0;
    bool finished_ = false;
    bool lost_ = false;
};

// How many of the bytes are whole characters: all but the beginning of one at the end. Bytes that
// are no UTF-8 count as whole.
[[nodiscard]] std::size_t whole_characters(std::string_view bytes);

}  // namespace atl::sessions
