#include "runtimes/native/runtime.hpp"

#include "base/as_tuple.hpp"
#include "base/at_exit.hpp"
#include "runtimes/native/direct.hpp"
#include "runtimes/native/guest_config.hpp"
#include "runtimes/native/handshake.hpp"
#include "runtimes/native/root_tree.hpp"
#include "sys/open_files.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>
#include <exception>
#include <poll.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace atl::native {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::uint32_t kClaimChannel = 1;
constexpr std::uint32_t kWarmChannel = 2;
using Weight = sys::Cgroup::Weight;

constexpr std::chrono::milliseconds kHelloTimeMax{15'000};
constexpr std::chrono::milliseconds kClaimTimeMax{5'000};
constexpr std::chrono::milliseconds kWarmTimeMax{30'000};
constexpr std::chrono::milliseconds kBurialPause{2};
constexpr std::chrono::milliseconds kBurialPauseMax{500};
// A process that SIGKILL does not end sits in the kernel: a dead network mount, a broken device.
constexpr std::chrono::seconds kBurialTimeMax{60};
constexpr std::chrono::milliseconds kQuiet{20};
// Of a processor, for the first run in a sandbox.
constexpr std::chrono::microseconds kWorkACreate{3000};
constexpr std::size_t kShiftsMax = 1024;
constexpr std::chrono::milliseconds kSweepPause{10'000};

struct stat look_at(const std::string& source) {
    struct stat info {};
    if (::stat(source.c_str(), &info) != 0) {
        throw ErrorException({Code::NotFound, "mount " + source + ": it is not there"});
    }
    return info;
}

}  // namespace

// Somebody who comes while a member of the pool is being made need not wait for another one.
struct NativeRuntime::Arrival {
    asio::steady_timer came;
    bool spoken_for = false;
    bool over = false;
    SandboxPtr sandbox;  // for whom it was promised to; none if it failed
};

// What a killed server left may have been too young when we started, or only dies now.
struct NativeRuntime::Sweeping {
    asio::steady_timer pause;
    std::chrono::milliseconds every;
    std::function<void()> each_time;  // until the runtime ends
    bool over = false;
    void end() {
        over = true;
        each_time = nullptr;
        pause.cancel();
    }
};

NativeRuntime::NativeRuntime(asio::any_io_executor executor, Paths paths, RuntimeOptions options)
    : executor_(executor),
      paths_(std::move(paths)),
      options_(options),
      host_(sys::CgroupHost::detect()),
      file_table_(std::make_shared<FileTable>(executor, options_.open_files_total, options_.tell)) {
    // Nests inherit it. Below what sandboxes add up to, another one's descriptors could stop ours.
    sys::allow_many_open_files();
    sys::sweep_cgroups(host_, kSandboxPrefix);
}

NativeRuntime::~NativeRuntime() {
    if (sweeping_) sweeping_->end();
    file_table_->end();
}

// Refers to nothing of the runtime but by `each_time`, which the runtime takes back before it ends:
// this may outlast it by an iteration of the loop.
asio::awaitable<void> NativeRuntime::sweep(std::shared_ptr<Sweeping> state, sys::CgroupHost host) {
    while (!state->over) {
        state->pause.expires_after(state->every);
        co_await state->pause.async_wait(kAsTuple);
        if (state->over) break;
        sys::sweep_cgroups(host, kSandboxPrefix);
        state->each_time();
    }
}

// The default one stays: whoever comes next most likely wants it.
void NativeRuntime::end_idle_nests() {
    std::erase_if(nests_, [this](const auto& one) {
        const auto& [name, nest] = one;
        const auto idle = nest->idle_time();
        if (name == "default" || !idle || *idle < options_.nest_idle_max) return false;
        nest->end();
        return true;
    });
}

std::size_t default_pool_size() {
    const auto pages = ::sysconf(_SC_PHYS_PAGES);
    const auto page_bytes = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_bytes <= 0) return 4;
    const auto memory = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
    return std::clamp<std::size_t>(memory / 30 / (8u << 20), 4, 128);
}

std::shared_ptr<Nest> NativeRuntime::nest() const {
    const auto found = nests_.find("default");
    return found == nests_.end() ? nullptr : found->second;
}

asio::awaitable<void> NativeRuntime::start() {
    const auto nest = co_await nest_for("default");
    sweeping_ = std::make_shared<Sweeping>(Sweeping{asio::steady_timer(executor_),
                                                    std::min(kSweepPause, options_.nest_idle_max),
                                                    [this] { end_idle_nests(); }});
    // Detached: it refers to nothing of the runtime, whose destructor ends it.
    asio::co_spawn(executor_, sweep(sweeping_, host_), asio::detached);
    // Detached for the same reason.
    asio::co_spawn(executor_, FileTable::watch(file_table_), asio::detached);
    if (options_.pool_size == 0) co_return;
    co_await add_to_pool();
    refill_soon();
}

void NativeRuntime::tell(const std::string& sentence) const {
    if (options_.tell) return options_.tell(sentence);
    std::fprintf(stderr, "atoll: %s\n", sentence.c_str());
}

asio::awaitable<std::shared_ptr<Nest>> NativeRuntime::nest_for(std::string name) {
    for (;;) {
        if (const auto found = nests_.find(name); found != nests_.end()) {
            if (found->second->alive()) co_return found->second;
            tell("template " + name + ": " + found->second->death() +
                 "; it is restarted. Its sandboxes continue, and start their next "
                 "kernel more slowly");
            nests_.erase(found);
        }
        // Whoever comes while another raises it waits for that one instead of raising a second.
        const auto other = raising_.find(name);
        if (other == raising_.end()) break;
        const auto done = other->second;
        co_await done->async_wait(kAsTuple);
    }
    const auto done =
        std::make_shared<asio::steady_timer>(executor_, asio::steady_timer::time_point::max());
    raising_[name] = done;
    // Whatever goes wrong, the next one may try: a name that stayed here would never be raised.
    const AtExit raised([this, &name, done] {
        raising_.erase(name);
        done->cancel();
    });
    auto from = Template::load(paths_, name).value();
    NestFolders folders{options_.kept_root, options_.shown, options_.data_root};
    auto nest =
        co_await Nest::raise(paths_, std::move(from), options_.defaults,
                             host_.version == sys::CgroupHost::Version::None, std::move(folders));
    nests_[name] = nest;
    co_return nest;
}

asio::awaitable<NativeRuntime::SandboxPtr> NativeRuntime::fork(core::SandboxSpec spec, For whom) {
    const auto nest = co_await nest_for(spec.template_name());
    const SandboxId id = new_sandbox_id();
    Remains parts;
    parts.cgroup = sys::Cgroup::create(host_, id.text()).value();
    // One that a fork got into after all is not empty yet: the sweep takes it.
    AtExit unused([&parts] { parts.cgroup.remove(); });
    parts.cgroup.set_limits(cgroup_limits(spec.limits())).value();
    // Until it is somebody's (create) or waits in the pool.
    parts.cgroup.set_weight(Weight::Starting);
    const std::vector<UniqueFd> doors = parts.cgroup.doors().value();
    Forked forked = co_await nest->fork(spec, doors, whom == For::Owner);
    unused.cancel();
    parts.pidfd = std::move(forked.pidfd);
    parts.pid = forked.pid;
    parts.first_id = nest->first_id(forked.slot);
    parts.release_ids = [nest, slot = forked.slot] { nest->give_back(slot); };
    // Owned from here on, so that whatever fails below, the process is ended and buried.
    auto sandbox = std::make_unique<NativeSandbox>(id, std::move(forked.stream), true,
                                                   std::move(parts), [this, id](Remains remains) {
                                                       file_table_->forget(id.text());
                                                       bury_later(std::move(remains));
                                                   });
    file_table_->add(*sandbox);
    // The guest builds its walls at the same time; no untrusted code runs before it is asked to.
    co_await expect_hello(sandbox->stream(), kHelloTimeMax);
    co_return sandbox;
}

// As the sandbox's user is to see it: what belongs to the owner of `source` belongs to that user.
UniqueFd NativeRuntime::show(NativeSandbox& sandbox, const std::string& source, bool writable) {
    const auto info = look_at(source);
    const std::uint32_t shown = sandbox.first_id() + kUserInside;
    const sys::IdShift shift{info.st_uid, info.st_gid, shown, shown};
    auto found = shifts_.find(shift);
    if (found == shifts_.end()) {
        if (shifts_.size() >= kShiftsMax) shifts_.erase(shifts_.begin());
        found = shifts_.emplace(shift, sys::make_shift(shift).value()).first;
    }
    return sys::make_shifted_mount(source, writable, found->second.get()).value();
}

std::optional<std::size_t> NativeRuntime::shown_number(const core::Mount& mount) const {
    const auto& all = options_.shown;
    const auto found = std::find(all.begin(), all.end(), mount.source);
    if (found == all.end() || mount.writable) return std::nullopt;
    return static_cast<std::size_t>(found - all.begin());
}

asio::awaitable<void> NativeRuntime::claim(NativeSandbox& sandbox, const core::SandboxSpec& spec) {
    if (!(cgroup_limits(spec.limits()) == cgroup_limits(options_.defaults))) {
        sandbox.cgroup().set_limits(cgroup_limits(spec.limits())).value();
    }
    json::object request{{"op", "claim"}, {"hostname", spec.hostname()}};
    if (!(spec.limits() == options_.defaults)) {
        request["limits"] =
            guest_limits(spec.limits(), host_.version == sys::CgroupHost::Version::None);
    }
    if (!spec.environment().empty()) {
        json::object variables;
        for (const auto& [name, value] : spec.environment()) variables[name] = value;
        request["env"] = std::move(variables);
    }
    std::vector<UniqueFd> mounts;
    std::vector<int> descriptors;
    json::array targets;
    if (!spec.kept_folder().empty()) {
        if (::geteuid() == 0) {
            // First: the guest takes descriptors in this order.
            mounts.push_back(show(sandbox, spec.kept_folder(), true));
            descriptors.push_back(mounts.back().get());
            request["kept"] = "";
        } else {
            const auto slash = spec.kept_folder().rfind('/');
            if (spec.kept_folder().substr(0, slash) != options_.kept_root) {
                throw ErrorException(
                    {Code::Internal, "a kept folder outside of " + options_.kept_root});
            }
            look_at(spec.kept_folder());  // the guest is not waited for, so nobody else would say
            request["kept"] = spec.kept_folder().substr(slash + 1);
        }
    }
    json::array shown;
    for (const auto& mount : spec.mounts()) {
        if (::geteuid() != 0) {
            shown.push_back(
                {{"name", std::to_string(*shown_number(mount))}, {"target", mount.target}});
            continue;
        }
        mounts.push_back(show(sandbox, mount.source, mount.writable));
        descriptors.push_back(mounts.back().get());
        targets.emplace_back(mount.target);
    }
    if (targets.empty() && shown.empty()) {
        // Nothing in it can fail by the caller's fault, so nobody need wait for it: the first run
        // comes behind it, and a guest that fails ends before it runs anything.
        co_await tell_guest(sandbox.stream(), kClaimChannel, request, descriptors, kClaimTimeMax);
        co_return;
    }
    if (!targets.empty()) request["mounts"] = std::move(targets);
    if (!shown.empty()) request["shown"] = std::move(shown);
    co_await ask_guest(sandbox.stream(), kClaimChannel, request, descriptors, kClaimTimeMax);
}

asio::awaitable<std::unique_ptr<core::Sandbox>> NativeRuntime::create(core::SandboxSpec spec) {
    for (const auto& mount : spec.mounts()) {
        if (::geteuid() == 0 || shown_number(mount)) continue;
        throw ErrorException({Code::Unavailable,
                              "mounts into pooled sandboxes need root; `atoll run --mount` works "
                              "without"});
    }
    SandboxPtr sandbox;
    if (spec.template_name() == "default") sandbox = co_await take_pooled();
    expect_work();
    if (sandbox) {
        sandbox->cgroup().set_weight(Weight::Starting);
        co_await claim(*sandbox, spec);
        sandbox->cgroup().set_weight(Weight::Usual);
        refill_soon();
        co_return sandbox;
    }
    // Mounts and the environment come with a claim.
    const bool at_once =
        spec.mounts().empty() && spec.kept_folder().empty() && spec.environment().empty();
    sandbox = co_await fork(spec, at_once ? For::Owner : For::OwnerByClaim);
    if (!at_once) co_await claim(*sandbox, spec);
    sandbox->cgroup().set_weight(Weight::Usual);
    refill_soon();
    co_return sandbox;
}

asio::awaitable<NativeRuntime::SandboxPtr> NativeRuntime::take_pooled() {
    for (auto* members : {&warm_, &fresh_}) {
        while (!members->empty()) {
            // The youngest first: what it touched may still be in the processor's caches.
            SandboxPtr sandbox = std::move(members->back());
            members->pop_back();
            if (sandbox->alive()) co_return sandbox;
        }
    }
    // The zygote serves one after the other: what is on its way is here before one that we ask for.
    const auto arrival = arrival_;
    if (!arrival || arrival->spoken_for) co_return nullptr;
    arrival->spoken_for = true;
    while (!arrival->over) co_await arrival->came.async_wait(kAsTuple);
    co_return std::move(arrival->sandbox);
}

void NativeRuntime::expect_work() {
    const auto now = std::chrono::steady_clock::now();
    const auto processors = std::max(1u, std::thread::hardware_concurrency());
    last_create_ = now;
    work_ends_ = std::max(work_ends_, now) + kWorkACreate / processors;
}

// Forking ahead competes with the very requests that emptied the pool. It waits until their first
// runs should be over; and for a quiet moment, as long as there is something to serve others with.
std::chrono::steady_clock::duration NativeRuntime::time_to_refill() const {
    if (pooled() > options_.pool_size / 4) return time_to_warm();
    return work_ends_ - std::chrono::steady_clock::now();
}

std::chrono::steady_clock::duration NativeRuntime::time_to_warm() const {
    return std::max(work_ends_, last_create_ + kQuiet) - std::chrono::steady_clock::now();
}

void NativeRuntime::refill_soon() {
    const bool complete = pooled() >= options_.pool_size && fresh_.empty();
    if (refilling_ || stopping_ || complete || options_.pool_size == 0) return;
    refilling_ = true;  // from here on: stop() waits for it
    asio::co_spawn(
        executor_, [this]() -> asio::awaitable<void> { return refill(); },
        [this](std::exception_ptr) { refilling_ = false; });
}

asio::awaitable<void> NativeRuntime::add_to_pool() {
    const auto arrival = std::make_shared<Arrival>(
        Arrival{asio::steady_timer(executor_, asio::steady_timer::time_point::max()), false, false,
                nullptr});
    arrival_ = arrival;
    const AtExit over([this, arrival] {
        arrival->over = true;
        arrival->came.cancel();
        arrival_.reset();
    });
    const auto spec = core::SpecBuilder().limits(options_.defaults).build().value();
    auto sandbox = co_await fork(spec, For::Pool);
    if (arrival->spoken_for) {
        arrival->sandbox = std::move(sandbox);
    } else {
        sandbox->cgroup().set_weight(Weight::Background);
        fresh_.push_back(std::move(sandbox));
    }
}

asio::awaitable<void> NativeRuntime::warm_one() {
    SandboxPtr sandbox = std::move(fresh_.front());
    fresh_.pop_front();
    const json::object request{{"op", "kernel.call"}, {"request", {{"op", "warm"}}}};
    co_await ask_guest(sandbox->stream(), kWarmChannel, request, {}, kWarmTimeMax);
    warm_.push_back(std::move(sandbox));
}

asio::awaitable<void> NativeRuntime::refill() {
    asio::steady_timer pause(executor_);
    while (!stopping_ && (pooled() < options_.pool_size || !fresh_.empty())) {
        const bool full = pooled() >= options_.pool_size;
        const auto wait = full ? time_to_warm() : time_to_refill();
        if (wait.count() > 0) {
            pause.expires_after(wait);
            co_await pause.async_wait(kAsTuple);
            continue;
        }
        try {
            if (full)
                co_await warm_one();
            else
                co_await add_to_pool();
        } catch (const ErrorException&) {
            co_return;  // the next create meets the same fault, and its caller hears of it
        } catch (const std::exception& error) {
            tell(std::string("refill the pool: ") + error.what());
            co_return;
        }
    }
}

void NativeRuntime::bury_later(Remains remains) {
    ++burials_;
    auto shared = std::make_shared<Remains>(std::move(remains));
    asio::co_spawn(
        executor_, [this, shared]() -> asio::awaitable<void> { return bury(std::move(*shared)); },
        [this](std::exception_ptr) { --burials_; });
}

asio::awaitable<void> NativeRuntime::bury(Remains remains) {
    // By looking, not by a wait on the pidfd: that takes a descriptor and a place in epoll, which
    // are missing just when much is to be buried.
    asio::steady_timer pause(executor_);
    const auto began = std::chrono::steady_clock::now();
    auto between = kBurialPause;
    while (!remains.process_gone() || !remains.cgroup.remove()) {
        if (std::chrono::steady_clock::now() - began > kBurialTimeMax) {
            // Its ids are given to nobody, since it may live yet. The sweep takes its cgroup.
            tell("a sandbox (process " + std::to_string(remains.pid) + ") did not end within " +
                 std::to_string(kBurialTimeMax.count()) + " s after SIGKILL, and is left alone");
            co_return;
        }
        pause.expires_after(between);
        co_await pause.async_wait(kAsTuple);
        if (between < kBurialPauseMax) between *= 2;
        remains.kill();
    }
    remains.bury();
}

asio::awaitable<void> NativeRuntime::stop() {
    stopping_ = true;
    if (sweeping_) sweeping_->end();
    file_table_->end();
    asio::steady_timer pause(executor_);
    while (refilling_) {
        pause.expires_after(kBurialPause);
        co_await pause.async_wait(kAsTuple);
    }
    warm_.clear();
    fresh_.clear();
    while (burials_ > 0) {
        pause.expires_after(kBurialPause);
        co_await pause.async_wait(kAsTuple);
    }
    nests_.clear();
}

}  // namespace atl::native
