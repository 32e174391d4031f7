#pragma once
// One run of code, whoever asks for it: the API, the analyst or a job.
//
//     const auto execution = co_await Execution::in_session(sessions, whose, id);
//     execution->keep_artifacts(outputs);
//     execution->follow_files();
//     auto request = execution->request(Language::Python, code, timeout);
//     const auto end = co_await execution->run(std::move(request), std::move(listener));
//     const auto files = co_await execution->files();
//
// A run in a session stops when the session's disk is full. Variables that were not restored are
// reported by the next run whose answer reaches a client: see lost() and lost_told().
// Owns      the session's Use, or a sandbox for this run alone, which ends with it.
// Threads   the executor's one.
#include "core/outputs.hpp"
#include "guest_client/changes.hpp"
#include "guest_client/run.hpp"
#include "sessions/artifacts.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atl::sessions {

class Execution {
public:
    // Wakes the session. Throws ErrorException if it is not there, or has no room on its disk.
    static boost::asio::awaitable<std::unique_ptr<Execution>> in_session(Sessions& sessions,
                                                                         core::Whose whose,
                                                                         SessionId id);
    // The same in a session that is made if it is not there (Sessions::use_or_make).
    static boost::asio::awaitable<std::unique_ptr<Execution>> in_session(Sessions& sessions,
                                                                         NewSession wanted,
                                                                         Sessions::Made made);
    // In a session that the caller keeps awake for longer than this.
    static std::unique_ptr<Execution> with(Sessions& sessions, Use& use);
    // In a sandbox of its own.
    static boost::asio::awaitable<std::unique_ptr<Execution>> alone(Sessions& sessions,
                                                                    NewSession wanted);
    Execution(const Execution&) = delete;
    Execution& operator=(const Execution&) = delete;
    ~Execution();

    [[nodiscard]] const core::Limits& limits() const noexcept { return limits_; }
    [[nodiscard]] std::optional<SessionId> session() const;
    [[nodiscard]] const std::optional<core::RunId>& run_id() const noexcept { return run_id_; }
    // Where its artifacts are kept: the session, or the run.
    [[nodiscard]] core::OutputSource output_source() const;
    [[nodiscard]] const std::shared_ptr<guest_client::GuestLink>& link() const noexcept {
        return link_;
    }

    [[nodiscard]] const std::vector<guest_client::Lost>& lost() const noexcept { return lost_; }
    // Somebody has heard of it; else the session's next run says it again.
    void lost_told() noexcept { lost_heard_ = true; }

    // Before run(). Artifacts are copied to the host by files().
    void keep_artifacts(core::Outputs& outputs);
    // Before run(). Without it files() knows of none.
    void follow_files();

    // With the limits and the folder of where it runs; a timeout of 0 is the limit's.
    [[nodiscard]] guest_client::RunRequest request(guest_client::Language language,
                                                   std::string code,
                                                   std::chrono::milliseconds timeout) const;
    // Once. Throws ErrorException when it could not be started, or the sandbox went away. Until it
    // ends, `artifact` hears of each artifact as it is written.
    using Artifact = guest_client::ChangeView::Artifact;
    boost::asio::awaitable<guest_client::RunEnd> run(guest_client::RunRequest request,
                                                     guest_client::RunListener listener,
                                                     Artifact artifact = {});
    // While run() is under way.
    void cancel() { run_.cancel(); }
    void took(std::size_t bytes) { run_.took(bytes); }

    struct Files {
        std::map<std::string, guest_client::ChangedFile> changed;
        bool complete = false;
        std::optional<Promoted> promoted;  // with keep_artifacts()
    };
    // After run(), however it ended.
    boost::asio::awaitable<Files> files();
    // In the sandbox. Of a run alone, nothing but what lies here can be had afterwards.
    [[nodiscard]] const std::string& artifacts_folder() const noexcept { return folder_; }

private:
    Execution(Sessions& sessions, std::optional<Use> own, Use* use);
    Execution(Sessions& sessions, std::shared_ptr<core::Sandbox> sandbox, std::string owner,
              core::Limits limits);

    Sessions& sessions_;
    std::optional<Use> own_;
    Use* const use_;                          // null: alone
    std::shared_ptr<core::Sandbox> sandbox_;  // of a run alone
    std::string owner_;
    core::Limits limits_;
    std::shared_ptr<guest_client::GuestLink> link_;
    std::optional<core::RunId> run_id_;
    std::string folder_;  // of artifacts
    std::vector<guest_client::Lost> lost_;
    bool lost_heard_ = false;
    core::Outputs* outputs_ = nullptr;
    Artifact artifact_;  // while it runs
    std::optional<guest_client::ChangeView> view_;
    guest_client::Run run_;
    std::optional<DiskStop> when_full_;
};

// Why a run ended, for people; empty if it ended by itself. The same words wherever they are read.
[[nodiscard]] std::string sentence_of(const guest_client::RunEnd& end, const core::Limits& limits);

}  // namespace atl::sessions
