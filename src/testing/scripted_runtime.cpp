#include "testing/scripted_runtime.hpp"

#include "base/must.hpp"

#include <sys/socket.h>

namespace atl::testing {

namespace asio = boost::asio;

class ScriptedRuntime::Box final : public core::Sandbox {
public:
    Box(ScriptedRuntime& runtime, std::uint64_t number, UniqueFd stream,
        std::shared_ptr<ScriptedGuest> guest)
        : runtime_(runtime),
          id_("scripted-" + std::to_string(number)),
          stream_(std::move(stream)),
          guest_(std::move(guest)) {
        ++runtime_.live_;
    }
    ~Box() override { destroy(); }

    [[nodiscard]] const SandboxId& id() const override { return id_; }
    [[nodiscard]] UniqueFd take_stream() override { return std::move(stream_); }
    [[nodiscard]] bool has_kernels() const override { return true; }
    Result<void> freeze(bool frozen) override {
        if (runtime_.freezer_fails || (runtime_.thaw_fails && !frozen))
            return Error{Code::Internal, "freeze: input/output error"};
        if (guest_) guest_->freeze(frozen);
        return {};
    }
    [[nodiscard]] core::Usage usage() const override {
        core::Usage usage;
        usage.memory_peak_bytes = 1;
        usage.cpu_us = guest_ ? 1000 * guest_->requests() : 0;
        return usage;
    }
    [[nodiscard]] std::string ended_because() const override {
        return guest_ ? guest_->orders.killed_because : std::string();
    }
    void destroy() noexcept override {
        if (!guest_) return;
        guest_->die();
        guest_.reset();
        --runtime_.live_;
    }

private:
    ScriptedRuntime& runtime_;
    SandboxId id_;
    UniqueFd stream_;
    std::shared_ptr<ScriptedGuest> guest_;
};

asio::awaitable<std::unique_ptr<core::Sandbox>> ScriptedRuntime::create(core::SandboxSpec spec) {
    core::Timer takes(executor_, clock_);
    takes.expires_after(std::chrono::milliseconds(dice_.between(1, 50)));
    co_await takes.wait();
    if (fails) throw ErrorException({Code::Unavailable, "the zygote has ended"});
    int ends[2];
    must(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "there are sockets");
    UniqueFd ours(ends[0]);
    const std::string& path = spec.kept_folder();  // MemoryFolders::path_of
    const auto guest =
        std::make_shared<ScriptedGuest>(executor_, clock_, dice_.fork(), UniqueFd(ends[1]), disk_,
                                        path.empty() ? path : path.substr(1));
    guest->start();
    const auto number = ++made_;
    guests_[number] = guest;
    co_return std::make_unique<Box>(*this, number, std::move(ours), guest);
}

std::vector<std::shared_ptr<ScriptedGuest>> ScriptedRuntime::guests() const {
    std::vector<std::shared_ptr<ScriptedGuest>> all;
    for (const auto& [number, weak] : guests_) {
        if (auto guest = weak.lock(); guest && guest->alive()) all.push_back(std::move(guest));
    }
    return all;
}

std::shared_ptr<ScriptedGuest> ScriptedRuntime::guest_of(const std::string& session) const {
    std::shared_ptr<ScriptedGuest> last;
    for (auto& guest : guests()) {
        if (guest->folder() == session) last = guest;
    }
    return last;
}

void ScriptedRuntime::end_all() noexcept {
    for (const auto& guest : guests()) guest->die();
}

}  // namespace atl::testing
