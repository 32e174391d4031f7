#pragma once
// The programs that were started through envd's process service, by sandbox: what clients find by
// pid or tag, and who reads their output.
//
// A program is a sessions::Process, which owns it. Here is what the protocol knows beside that, and
// the readers: any number of clients, each at its own place in the program's output. While one of
// them is behind, the program waits in its next write, so that nothing is lost; a reader that takes
// nothing for kPatience is dropped, and the program goes on without it.
// Owns      records of programs that run, and for kRememberTime of those that have ended, but of
//           no more than kEndedMax in a sandbox.
// Threads   one, the executor's.
#include "core/clock.hpp"
#include "sessions/processes.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atl::api::e2b {

struct ProcessConfig {
    std::string command;
    std::vector<std::string> arguments;
    std::map<std::string, std::string> environment;
    std::optional<std::string> directory;
    std::optional<std::string> tag;
    bool terminal = false;
};

class EnvdProcess final : public std::enable_shared_from_this<EnvdProcess> {
public:
    EnvdProcess(ProcessConfig config, sessions::Processes::ProcessPtr process,
                const boost::asio::any_io_executor& executor);
    EnvdProcess(const EnvdProcess&) = delete;
    EnvdProcess& operator=(const EnvdProcess&) = delete;

    [[nodiscard]] const ProcessConfig& config() const noexcept { return config_; }
    [[nodiscard]] sessions::Process& process() const noexcept { return *process_; }

    // One client's place in the output.
    class Reader {
    public:
        // From the first byte that is kept, or from now on.
        enum class From { Start, Now };
        Reader(std::shared_ptr<EnvdProcess> of, From from);
        Reader(const Reader&) = delete;
        Reader& operator=(const Reader&) = delete;
        ~Reader();

        [[nodiscard]] std::uint64_t at() const noexcept { return at_; }
        // So much reached the client.
        void took(std::size_t bytes);
        // It took nothing for too long, and the program went on without it.
        [[nodiscard]] bool dropped() const noexcept { return dropped_; }

    private:
        friend class EnvdProcess;
        std::shared_ptr<EnvdProcess> of_;
        std::uint64_t at_;
        bool dropped_ = false;
    };

    // There is more output.
    void look_at_readers();

private:
    void drop_the_slow();
    [[nodiscard]] bool is_behind(const Reader& reader) const;

    ProcessConfig config_;
    sessions::Processes::ProcessPtr process_;
    std::list<Reader*> readers_;
    bool holding_ = false;
    core::Timer patience_;
};

class ProcessRegistry {
public:
    using ProcessPtr = std::shared_ptr<EnvdProcess>;

    void add(const SessionId& session, ProcessPtr process);
    // Those that run, the oldest first.
    [[nodiscard]] std::vector<ProcessPtr> running(const SessionId& session);
    // NotFound. With `ended`, also one that ended a moment ago.
    [[nodiscard]] ProcessPtr by_pid(const SessionId& session, std::int64_t pid, bool ended = false);
    [[nodiscard]] ProcessPtr by_tag(const SessionId& session, const std::string& tag,
                                    bool ended = false);
    void forget(const SessionId& session) { tables_.erase(session.text()); }

private:
    using Table = std::vector<ProcessPtr>;
    [[nodiscard]] Table& tidy_table(const SessionId& session);
    void tidy();
    std::map<std::string, Table> tables_;  // by session
};

}  // namespace atl::api::e2b
