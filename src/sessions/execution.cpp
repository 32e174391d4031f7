#include "sessions/execution.hpp"

#include "base/at_exit.hpp"
#include "sessions/new_id.hpp"

#include <algorithm>
#include <cstdio>

namespace atl::sessions {

namespace asio = boost::asio;

namespace {

constexpr int kTimeoutStatus = 124;  // as of timeout(1)

}  // namespace

Execution::Execution(Sessions& sessions, std::optional<Use> own, Use* use)
    : sessions_(sessions),
      own_(std::move(own)),
      use_(use != nullptr ? use : &*own_),
      limits_((*use_)->limits()),
      link_(use_->link()),
      folder_("/session/artifacts"),
      lost_((*use_)->lost()),
      run_(link_, use_->sandbox()) {
    when_full_.emplace((*use_)->disk_stops(), [this] { run_.stop(core::EndReason::Disk); });
}

Execution::Execution(Sessions& sessions, std::shared_ptr<core::Sandbox> sandbox, std::string owner,
                     core::Limits limits)
    : sessions_(sessions),
      use_(nullptr),
      sandbox_(std::move(sandbox)),
      owner_(std::move(owner)),
      limits_(std::move(limits)),
      link_(sessions.open_link(*sandbox_)),
      run_id_(core::RunId(owned_id("r-", owner_))),
      folder_("/work/artifacts"),
      run_(link_, *sandbox_) {}

Execution::~Execution() {
    if (use_ != nullptr) {
        if (!lost_.empty() && lost_heard_) sessions_.lost_was_told(**use_, lost_);
        return;
    }
    link_->close();
    sandbox_->destroy();
}

asio::awaitable<std::unique_ptr<Execution>> Execution::in_session(Sessions& sessions,
                                                                  core::Whose whose, SessionId id) {
    std::optional<Use> use(co_await sessions.use(std::move(whose), std::move(id)));
    co_await sessions.check_disk(**use);
    co_return std::unique_ptr<Execution>(new Execution(sessions, std::move(use), nullptr));
}

asio::awaitable<std::unique_ptr<Execution>> Execution::in_session(Sessions& sessions,
                                                                  NewSession wanted,
                                                                  Sessions::Made made) {
    std::optional<Use> use(co_await sessions.use_or_make(std::move(wanted), std::move(made)));
    co_await sessions.check_disk(**use);
    co_return std::unique_ptr<Execution>(new Execution(sessions, std::move(use), nullptr));
}

std::unique_ptr<Execution> Execution::with(Sessions& sessions, Use& use) {
    return std::unique_ptr<Execution>(new Execution(sessions, std::nullopt, &use));
}

asio::awaitable<std::unique_ptr<Execution>> Execution::alone(Sessions& sessions,
                                                             NewSession wanted) {
    const auto limits = wanted.limits;
    const auto owner = wanted.owner;
    std::shared_ptr<core::Sandbox> sandbox = co_await sessions.ephemeral(std::move(wanted));
    co_return std::unique_ptr<Execution>(
        new Execution(sessions, std::move(sandbox), owner, limits));
}

std::optional<SessionId> Execution::session() const {
    if (use_ == nullptr) return std::nullopt;
    return (*use_)->record().id;
}

core::OutputSource Execution::output_source() const {
    if (use_ != nullptr) return (*use_)->record().id;
    return *run_id_;
}

void Execution::keep_artifacts(core::Outputs& outputs) { outputs_ = &outputs; }

void Execution::follow_files() {
    auto changes =
        use_ != nullptr ? use_->changes() : guest_client::Changes::open(link_->executor(), link_);
    view_.emplace(std::move(changes), [this](const guest_client::ChangedFile& change) {
        if (artifact_) artifact_(change);
    });
}

guest_client::RunRequest Execution::request(guest_client::Language language, std::string code,
                                            std::chrono::milliseconds timeout) const {
    guest_client::RunRequest request;
    request.language = language;
    request.code = std::move(code);
    request.directory = use_ != nullptr ? "/session" : "/work";
    request.keeps_state = use_ != nullptr;
    request.timeout = timeout.count() > 0 ? timeout : limits_.wall_time_max;
    request.output_bytes_max = limits_.output_bytes_max;
    return request;
}

asio::awaitable<guest_client::RunEnd> Execution::run(guest_client::RunRequest request,
                                                     guest_client::RunListener listener,
                                                     Artifact artifact) {
    artifact_ = std::move(artifact);
    const AtExit deaf([this] { artifact_ = nullptr; });
    if (view_) request.tell_at_end = view_->tell_at_end();
    auto end = co_await run_.run(std::move(request), std::move(listener));
    if (end.reason == core::EndReason::Timeout) end.exit_code = kTimeoutStatus;
    co_return end;
}

asio::awaitable<Execution::Files> Execution::files() {
    Files files;
    if (!view_) co_return files;
    co_await view_->finish();
    files.changed = view_->files();
    files.complete = view_->complete();
    if (outputs_ == nullptr) co_return files;
    Promotion promotion{output_source(), folder_, limits_.disk_bytes_max};
    if (use_ != nullptr) {
        const auto kept_max = (*use_)->disk_bytes_max().value_or(promotion.bytes_max);
        promotion.bytes_max = std::min(kept_max, promotion.bytes_max);
    } else {
        promotion.room = [&sessions = sessions_, owner = owner_] {
            return sessions.room_for_outputs(owner);
        };
    }
    files.promoted = co_await promote(link_, *outputs_, std::move(promotion), files.changed);
    co_return files;
}

std::string sentence_of(const guest_client::RunEnd& end, const core::Limits& limits) {
    switch (end.reason) {
        case core::EndReason::Exited: return {};
        case core::EndReason::Timeout: {
            char seconds[32];
            std::snprintf(seconds, sizeof seconds, "%.1f", end.run_ms / 1000);
            return "stopped after " + std::string(seconds) + " s: that is its time limit";
        }
        case core::EndReason::Memory:
            return "ran out of its " + core::format_bytes(limits.memory_bytes_max) +
                   " of memory and was ended" + (end.state_lost ? "; its variables are gone" : "");
        case core::EndReason::Output: return "stopped: it printed more than it may";
        case core::EndReason::Disk: return "stopped: its disk is full";
        case core::EndReason::Killed: return "stopped by request";
        case core::EndReason::Signalled: return "ended by signal " + std::to_string(end.signal);
    }
    return {};
}

}  // namespace atl::sessions
