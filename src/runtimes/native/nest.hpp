#pragma once
// A nest: one template's init and zygote behind outer walls, and their sandboxes.
//
//     runtime ══ control socket (one message, one datagram) ══▶ init ──clone3──▶ sandboxes
//
// The zygote is a process, not a thread of the server: it runs a template's Python packages, which
// nobody here has read. It sees a minimal tree, no network, and none of the server's descriptors,
// environment or memory.
// Owns      the control socket, the block of ids, the enclosure's pidfd.
// Threads   the executor's.
// If the zygote dies, live sandboxes live on (they are children of the nest's init), requests under
// way fail with Unavailable, and the runtime raises another nest.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "core/spec.hpp"
#include "runtimes/native/paths.hpp"
#include "runtimes/native/slots.hpp"
#include "runtimes/native/template.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>

namespace atl::native {

struct Forked {
    UniqueFd stream;  // to the new PID 1; its hello is still to come
    UniqueFd pidfd;
    pid_t pid = -1;  // as the host counts
    std::uint32_t slot = 0;
};

// Folders of the host that a nest has in addition to its template's.
struct NestFolders {
    std::string kept_root;           // of all sessions; empty: there are none
    std::vector<std::string> shown;  // read-only, by number
    std::string data_root = "/data";
};

class Nest : public std::enable_shared_from_this<Nest> {
public:
    // Returns once the packages are imported. Throws ErrorException with the zygote's own words.
    static boost::asio::awaitable<std::shared_ptr<Nest>> raise(const Paths& paths, Template from,
                                                               core::Limits defaults,
                                                               bool watch_memory,
                                                               NestFolders folders);
    ~Nest();

    // `doors`: of the sandbox's cgroup, which it enters before all else. `owned`: it is somebody's
    // from the start and needs no claim. Its kernel is forked without waiting for the first run.
    boost::asio::awaitable<Forked> fork(const core::SandboxSpec& spec,
                                        const std::vector<UniqueFd>& doors, bool owned);
    void give_back(std::uint32_t slot) {
        slots_.give_back(slot);
        last_used_ = std::chrono::steady_clock::now();
    }
    // How long it has had no sandbox; none while it has one, or is making one.
    [[nodiscard]] std::optional<std::chrono::steady_clock::duration> idle_time() const;
    // Its processes are killed; it is not alive once that is seen. Does not wait.
    void end() noexcept;

    [[nodiscard]] std::uint32_t first_id(std::uint32_t slot) const noexcept {
        return ids_ ? ids_->first_id() + slot * kIdsASlot : 0;
    }

    [[nodiscard]] bool alive() const noexcept { return alive_; }
    // Why it is not alive.
    [[nodiscard]] const std::string& death() const noexcept { return death_; }
    [[nodiscard]] const Template& source() const noexcept { return template_; }
    [[nodiscard]] pid_t zygote_pid() const noexcept { return zygote_pid_; }
    [[nodiscard]] pid_t init_pid() const noexcept { return init_pid_; }
    [[nodiscard]] double import_ms() const noexcept { return import_ms_; }

private:
    struct Reply {
        boost::json::object message;
        UniqueFd pidfd;
    };
    struct Waiting {
        std::optional<Reply> reply;
        boost::asio::steady_timer came;
    };
    Nest(boost::asio::any_io_executor executor, UniqueFd control, Template from, bool watch_memory);
    boost::asio::awaitable<void> read();
    boost::asio::awaitable<Reply> ask(const boost::json::object& message,
                                      std::vector<int> descriptors);
    // One message, and who waits for its answer. Throws what is wrong with this message alone.
    boost::asio::awaitable<std::shared_ptr<Waiting>> send(const std::string& text,
                                                          const std::vector<int>& descriptors);
    void fail(const std::string& why);

    boost::asio::any_io_executor executor_;
    boost::asio::posix::stream_descriptor control_;
    Template template_;
    bool watch_memory_;
    std::optional<IdBlock> ids_;  // none for an ordinary user
    SlotTable slots_;
    UniqueFd pidfd_;
    pid_t init_pid_ = -1;
    pid_t zygote_pid_ = -1;
    double import_ms_ = 0;
    std::chrono::steady_clock::time_point last_used_ = std::chrono::steady_clock::now();
    bool alive_ = true;
    std::string death_;
    std::deque<std::shared_ptr<Waiting>> waiting_;  // answers come in the order of the questions
};

}  // namespace atl::native
