#pragma once
// The native runtime: sandboxes made by a template's nest, kept ready in a pool.
//
//     create ──▶ the pool has one: take it, set its limits, claim it     (about a millisecond)
//            └─▶ the pool is empty: have the nest make one now           (some milliseconds)
//
// A pool member has its walls, its cgroup and a forked kernel; it has run no user code. The pool is
// refilled in the background: first forked, and warmed when it is full and nobody asks for one,
// since warming costs more than it saves while somebody waits. A nest whose zygote died is replaced
// when it is next needed; one without sandboxes is ended after a while, the default one excepted.
// Owns      nests by template, the pool, the cgroups of live sandboxes, sandboxes to be cleaned up.
// Threads   one, its executor's.
#include "core/runtime.hpp"
#include "runtimes/native/file_table.hpp"
#include "runtimes/native/nest.hpp"
#include "runtimes/native/sandbox.hpp"
#include "sys/idmap.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <functional>
#include <map>
#include <optional>

namespace atl::native {

// So many that they take some 3.3 % of the machine's memory, 8 MiB each: enough for a burst on a
// server, a handful on a small machine.
[[nodiscard]] std::size_t default_pool_size();

struct RuntimeOptions {
    std::size_t pool_size = default_pool_size();  // ready sandboxes of the default template
    core::Limits defaults;                        // what pool members are made with
    std::string kept_root;  // where kept folders lie (core::SandboxSpec); empty: there are none
    // Folders of the host that mounts may name also where Atoll is an ordinary user, who must show
    // them to a nest when it is raised. Read-only.
    std::vector<std::string> shown;
    std::string data_root = "/data";     // where /data shows as well, in nests
    std::uint64_t open_files_total = 0;  // of all sandboxes together; 0 = no limit
    // A template other than `default` takes memory (some 270 MiB with pandas) for so long after its
    // last sandbox; then its nest is ended, and raised again when it is next needed.
    std::chrono::milliseconds nest_idle_max{60'000};
    // A sentence for the operator's log; on stderr where nobody takes it.
    std::function<void(const std::string&)> tell = {};
};

class NativeRuntime : public core::Runtime {
public:
    NativeRuntime(boost::asio::any_io_executor executor, Paths paths, RuntimeOptions options);
    ~NativeRuntime() override;

    // Raises the default template's nest and makes a first sandbox; the pool fills in the
    // background. Throws ErrorException.
    boost::asio::awaitable<void> start();
    boost::asio::awaitable<std::unique_ptr<core::Sandbox>> create(core::SandboxSpec spec) override;
    // Buries everything, nests too; then nothing of ours is left on the host.
    boost::asio::awaitable<void> stop();

    [[nodiscard]] std::size_t pooled() const noexcept { return warm_.size() + fresh_.size(); }
    // Those of them whose kernels have touched what a first run touches.
    [[nodiscard]] std::size_t warmed() const noexcept { return warm_.size(); }
    // Zygote of the default template, for measuring and for tests that kill it.
    [[nodiscard]] std::shared_ptr<Nest> nest() const;

private:
    using SandboxPtr = std::unique_ptr<NativeSandbox>;
    boost::asio::awaitable<std::shared_ptr<Nest>> nest_for(std::string name);
    enum class For { Pool, Owner, OwnerByClaim };
    boost::asio::awaitable<SandboxPtr> fork(core::SandboxSpec spec, For whom);
    boost::asio::awaitable<void> claim(NativeSandbox& sandbox, const core::SandboxSpec& spec);
    [[nodiscard]] UniqueFd show(NativeSandbox& sandbox, const std::string& source, bool writable);
    // Its place among the folders that every nest of an ordinary user has.
    [[nodiscard]] std::optional<std::size_t> shown_number(const core::Mount& mount) const;
    // A member of the pool, or one that is just being made for it; or none.
    boost::asio::awaitable<SandboxPtr> take_pooled();
    boost::asio::awaitable<void> refill();
    boost::asio::awaitable<void> add_to_pool();
    boost::asio::awaitable<void> warm_one();
    void refill_soon();
    void end_idle_nests();
    void tell(const std::string& sentence) const;
    void expect_work();
    // How long refilling, or warming, leaves the processors to those who wait for a sandbox.
    [[nodiscard]] std::chrono::steady_clock::duration time_to_refill() const;
    [[nodiscard]] std::chrono::steady_clock::duration time_to_warm() const;
    void bury_later(Remains remains);
    boost::asio::awaitable<void> bury(Remains remains);
    struct Sweeping;
    static boost::asio::awaitable<void> sweep(std::shared_ptr<Sweeping> state,
                                              sys::CgroupHost host);

    boost::asio::any_io_executor executor_;
    Paths paths_;
    RuntimeOptions options_;
    sys::CgroupHost host_;
    std::map<std::string, std::shared_ptr<Nest>> nests_;
    std::map<std::string, std::shared_ptr<boost::asio::steady_timer>> raising_;
    std::deque<SandboxPtr> warm_;
    std::deque<SandboxPtr> fresh_;  // their kernels are forked, and have touched nothing yet
    struct Arrival;
    std::shared_ptr<Arrival> arrival_;  // the one that is being made for the pool
    // Slots are used again and again, and a map of ids takes a process to make.
    std::map<sys::IdShift, UniqueFd> shifts_;
    std::chrono::steady_clock::time_point last_create_{};
    std::chrono::steady_clock::time_point work_ends_{};  // of what was created, as far as expected
    bool refilling_ = false;
    bool stopping_ = false;
    std::size_t burials_ = 0;
    std::shared_ptr<Sweeping> sweeping_;
    std::shared_ptr<FileTable> file_table_;
};

}  // namespace atl::native
