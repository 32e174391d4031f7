#include "sessions/meter.hpp"

#include "base/must.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace atl::sessions {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds kMeterRound{1};
constexpr unsigned kRoundsASave = 10;
// Looking at one takes some reads of small files; the loop has others to serve.
constexpr std::size_t kLooksARound = 32;

void add(core::UsageCounters& to, const core::UsageCounters& more) {
    to.cpu_us += more.cpu_us;
    to.runs += more.runs;
    to.sessions_created += more.sessions_created;
    to.egress_bytes += more.egress_bytes;
}

}  // namespace

// A sandbox whose figures are somebody's.
class Meter::Watched final : public core::Sandbox {
public:
    Watched(Meter& meter, Reservation reservation, std::unique_ptr<core::Sandbox> inner)
        : meter_(meter),
          reservation_(std::move(reservation)),
          inner_(std::move(inner)),
          seen_us_(inner_->cpu_us()),  // what it took to make it is the server's
          place_(meter_.watched_.insert(meter_.watched_.end(), this)) {}
    ~Watched() override { destroy(); }

    [[nodiscard]] const SandboxId& id() const override { return inner_->id(); }
    [[nodiscard]] UniqueFd take_stream() override { return inner_->take_stream(); }
    [[nodiscard]] bool has_kernels() const override { return inner_->has_kernels(); }
    Result<void> freeze(bool frozen) override { return inner_->freeze(frozen); }
    [[nodiscard]] core::Usage usage() const override { return inner_->usage(); }
    [[nodiscard]] std::uint64_t cpu_us() const override { return inner_->cpu_us(); }
    [[nodiscard]] std::uint64_t memory_peak_bytes() const override {
        return inner_->memory_peak_bytes();
    }
    [[nodiscard]] std::uint64_t memory_kills() const override { return inner_->memory_kills(); }
    [[nodiscard]] std::string ended_because() const override { return inner_->ended_because(); }
    void destroy() noexcept override {
        if (!reservation_) return;
        try {
            look();
        } catch (const std::exception&) {
            // No memory for the figures; the sandbox goes all the same.
        }
        meter_.watched_.erase(place_);
        inner_->destroy();
        reservation_.reset();
    }

    void look() {
        const auto now_us = inner_->cpu_us();
        if (now_us <= seen_us_) return;
        core::UsageCounters more;
        more.cpu_us = now_us - std::exchange(seen_us_, now_us);
        meter_.count(reservation_->owner(), more);
    }

private:
    Meter& meter_;
    std::optional<Reservation> reservation_;
    std::unique_ptr<core::Sandbox> inner_;
    std::uint64_t seen_us_;
    std::list<Watched*>::iterator place_;
};

Meter::Meter(asio::any_io_executor executor, core::Store& store, Quotas quotas, core::Clock& clock)
    : store_(store), quotas_(std::move(quotas)), clock_(clock), round_(executor, clock) {}
Meter::~Meter() = default;

Meter::Reservation::Reservation(Meter& meter, std::string owner, std::uint64_t bytes)
    : meter_(&meter), owner_(std::move(owner)), bytes_(bytes) {
    Owner& one = meter.of(owner_);
    one.memory_bytes += bytes_;
    ++one.live;
}
Meter::Reservation::Reservation(Reservation&& other) noexcept
    : meter_(std::exchange(other.meter_, nullptr)),
      owner_(std::move(other.owner_)),
      bytes_(other.bytes_) {}
Meter::Reservation::~Reservation() {
    if (meter_ == nullptr) return;
    const auto found = meter_->owners_.find(owner_);
    must(found != meter_->owners_.end() && found->second.memory_bytes >= bytes_ &&
             found->second.live > 0,
         "what is given back was reserved");
    found->second.memory_bytes -= bytes_;
    --found->second.live;
}

Meter::Owner& Meter::of(const std::string& owner) {
    Owner& one = owners_[owner];
    const auto today = core::day_of(clock_.wall());
    if (one.day != today) {
        one.day = today;
        one.today = one.unsaved;  // a few seconds' worth at most may be yesterday's
    }
    return one;
}

void Meter::count(const std::string& owner, core::UsageCounters more) {
    Owner& one = of(owner);
    add(one.today, more);
    add(one.unsaved, more);
}

asio::awaitable<void> Meter::ask_store(std::string owner) {
    const auto today = core::day_of(clock_.wall());
    const auto days = co_await store_.get_usage(owner, today, today);
    Owner& one = of(owner);
    if (std::exchange(one.known, true)) co_return;
    for (const auto& day : days) {
        if (day.day == one.day) add(one.today, day.counters);
    }
}

std::uint64_t Meter::live_max() const {
    if (quotas_.live_max) return *quotas_.live_max;
    return !quotas_.owners_differ || quotas_.owners_differ() ? kLiveShare : 0;
}

asio::awaitable<Meter::Reservation> Meter::reserve(std::string owner, std::uint64_t memory_bytes) {
    if (quotas_.cpu_a_day && !of(owner).known) co_await ask_store(owner);
    check_cpu(owner);
    if (const auto most = live_max(); most > 0 && of(owner).live >= most) {
        throw ErrorException(
            {Code::Exhausted, "the quota quotas.live is used up: " + owner + " has " +
                                  std::to_string(of(owner).live) +
                                  " sandboxes awake, as many as one owner may have; move a session "
                                  "to disk (evict) or delete one, or wait until a run has ended"});
    }
    const auto used = of(owner).memory_bytes;
    if (quotas_.memory_bytes && used + memory_bytes > *quotas_.memory_bytes) {
        throw ErrorException({Code::Exhausted, "the quota quotas.memory is used up: this needs " +
                                                   core::format_bytes(memory_bytes) +
                                                   ", and waking sandboxes of " + owner + " have " +
                                                   core::format_bytes(used) + " of " +
                                                   core::format_bytes(*quotas_.memory_bytes)});
    }
    Reservation reserved(*this, owner, memory_bytes);
    co_return reserved;
}

std::unique_ptr<core::Sandbox> Meter::watch(Reservation reservation,
                                            std::unique_ptr<core::Sandbox> sandbox) {
    return std::make_unique<Watched>(*this, std::move(reservation), std::move(sandbox));
}

void Meter::check_cpu(const std::string& owner) const {
    if (!quotas_.cpu_a_day) return;
    const auto found = owners_.find(owner);
    if (found == owners_.end() || found->second.day != core::day_of(clock_.wall())) return;
    const auto limit_us = static_cast<std::uint64_t>(quotas_.cpu_a_day->count()) * 1000;
    if (found->second.today.cpu_us < limit_us) return;
    throw ErrorException({Code::Exhausted, "the quota quotas.cpu_per_day of " + owner +
                                               " is used up; it is reset at midnight UTC"});
}

asio::awaitable<void> Meter::run() {
    for (unsigned rounds = 1; !stopping_; ++rounds) {
        round_.expires_after(kMeterRound);
        co_await round_.wait();
        if (stopping_) break;
        if (quotas_.cpu_a_day) {
            const auto looks = std::min(watched_.size(), kLooksARound);
            for (std::size_t i = 0; i < looks; ++i) {
                watched_.splice(watched_.end(), watched_, watched_.begin());
                watched_.back()->look();
            }
        }
        if (rounds % kRoundsASave == 0) co_await save();
    }
}

asio::awaitable<void> Meter::save() {
    std::vector<std::string> all;
    for (const auto& [name, owner] : owners_) {
        if (owner.unsaved != core::UsageCounters{}) all.push_back(name);
    }
    for (const auto& name : all) {
        const auto more = std::exchange(owners_[name].unsaved, core::UsageCounters{});
        const auto day = owners_[name].day;
        bool saved = true;
        try {
            co_await store_.add_usage(name, day, more);
        } catch (const ErrorException&) { saved = false; }
        if (!saved) add(owners_[name].unsaved, more);
    }
}

asio::awaitable<void> Meter::stop() {
    stopping_ = true;
    round_.cancel();
    co_await save();
}

}  // namespace atl::sessions
