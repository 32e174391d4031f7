#include "sessions/disk.hpp"

#include "core/spec.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace atl::sessions {

namespace {

std::uint64_t less(std::uint64_t from, std::uint64_t what) { return from - std::min(from, what); }

}  // namespace

void DiskLedger::found(const core::FolderUse& use, Clock::time_point now) {
    bytes = use.bytes;
    state_bytes = use.state_bytes;
    files = use.files;
    looked = now;
}

std::uint64_t DiskLedger::file_bytes() const { return less(bytes, state_bytes); }

bool DiskLedger::surely_fits(std::uint64_t more, Clock::time_point now) const {
    if (!bytes_max) return true;
    if (!looked) return false;
    const auto age = std::chrono::duration<double>(now - *looked).count();
    const auto written = static_cast<std::uint64_t>(age * static_cast<double>(kDiskBytesASecond));
    return more <= less(bytes_left(), written);
}

std::uint64_t DiskLedger::bytes_left() const {
    if (!bytes_max) return std::numeric_limits<std::uint64_t>::max();
    return less(*bytes_max, less(bytes + bytes_coming, bytes_going));
}

Error owner_is_full(const DiskLedger& ledger) {
    return {Code::Exhausted, "the quota " + ledger.setting + " is used up: this owner keeps " +
                                 core::format_bytes(ledger.bytes) +
                                 " on disk, in sessions with their saved variables, outputs of "
                                 "runs and jobs"};
}

DiskRoom::DiskRoom(std::shared_ptr<DiskLedger> session, std::shared_ptr<DiskLedger> owner,
                   std::uint64_t replaced)
    : ledgers_{std::move(session), std::move(owner)}, replaced_(replaced) {
    for (const auto& ledger : ledgers_) {
        if (!ledger) continue;
        ++ledger->uploads;
        ++ledger->uploads_begun;
        ledger->bytes_going += replaced_;
    }
}

DiskRoom::DiskRoom(DiskRoom&& other) noexcept
    : ledgers_{std::move(other.ledgers_[0]), std::move(other.ledgers_[1])},
      taken_(other.taken_),
      reserved_(other.reserved_),
      replaced_(other.replaced_) {}

DiskRoom::~DiskRoom() {
    for (const auto& ledger : ledgers_) {
        if (!ledger) continue;
        --ledger->uploads;
        ledger->bytes_coming -= taken_ + reserved_;
        ledger->bytes_going -= replaced_;
    }
}

void DiskRoom::check(std::uint64_t bytes) const {
    for (const auto& ledger : ledgers_) {
        if (!ledger || bytes <= ledger->bytes_left()) continue;
        throw ErrorException({Code::TooLarge, "this does not fit: of " + ledger->setting +
                                                  ", which is " +
                                                  core::format_bytes(*ledger->bytes_max) + ", " +
                                                  core::format_bytes(ledger->bytes_left()) +
                                                  " are left; nothing of it was stored"});
    }
}

void DiskRoom::come(std::uint64_t bytes) noexcept {
    for (const auto& ledger : ledgers_) {
        if (ledger) ledger->bytes_coming += bytes;
    }
}

void DiskRoom::reserve(std::uint64_t bytes) {
    check(bytes);
    reserved_ += bytes;
    come(bytes);
}

void DiskRoom::take(std::uint64_t bytes) {
    const auto expected = std::min(bytes, reserved_);
    const auto more = bytes - expected;
    check(more);
    come(more);
    reserved_ -= expected;
    taken_ += bytes;
}

void DiskRoom::give_back(std::uint64_t bytes) noexcept {
    bytes = std::min(bytes, taken_);
    taken_ -= bytes;
    for (const auto& ledger : ledgers_) {
        if (ledger) ledger->bytes_coming -= bytes;
    }
}

std::uint64_t DiskRoom::left() const {
    auto most = std::numeric_limits<std::uint64_t>::max();
    for (const auto& ledger : ledgers_) {
        if (ledger) most = std::min(most, ledger->bytes_left());
    }
    return most;
}

void DiskRoom::finished() noexcept {
    for (const auto& ledger : ledgers_) {
        if (!ledger) continue;
        ledger->bytes_coming -= taken_ + reserved_;
        ledger->bytes_going -= replaced_;
        ledger->bytes = less(ledger->bytes + taken_, replaced_);
    }
    taken_ = reserved_ = replaced_ = 0;
}

void DiskStops::call() {
    // Copies: what is stopped may let go of its place at once.
    const std::vector<Stop> all(all_.begin(), all_.end());
    for (const auto& stop : all) stop();
}

DiskStop::DiskStop(std::shared_ptr<DiskStops> stops, DiskStops::Stop stop)
    : stops_(std::move(stops)) {
    if (stops_) place_ = stops_->all_.insert(stops_->all_.end(), std::move(stop));
}

DiskStop::~DiskStop() {
    if (stops_) stops_->all_.erase(place_);
}

}  // namespace atl::sessions
