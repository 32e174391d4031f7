// How Sessions keeps what sessions have on disk within their own limit, sessions.max_bytes and
// quotas.disk.
//
// A look is a walk over the session's folder, by the folders' own thread. Before a run and an
// upload there is one, unless the last is so young that no disk could have taken what was left
// then. While a sandbox runs there is one as often as what is left could be filled, ten times a
// second at most. Who is found over the limit has what it runs stopped; who goes on writing loses
// the sandbox.
#include "sessions/sessions.hpp"

#include <algorithm>
#include <utility>

namespace atl::sessions {

namespace asio = boost::asio;
using core::Whose;

namespace {

constexpr std::uint32_t kWatchPage = 500;
constexpr std::chrono::milliseconds kSoonestInUse{100};
constexpr std::chrono::milliseconds kSoonest{250};
constexpr std::chrono::milliseconds kLatest{2000};
constexpr std::chrono::milliseconds kWatchRound{1000};
constexpr std::chrono::milliseconds kBetweenRounds{50};
// Sessions that did nothing are looked at together: one pass over a thousand of them serves many.
constexpr std::chrono::milliseconds kIdleRound{250};
// What was told to stop may take so long to do so.
constexpr std::chrono::milliseconds kPatience{500};
// Beyond so much more than allowed nobody is asked.
constexpr std::uint64_t kRunawayBytes = 1ull << 30;
// Of a file, in addition to its bytes: the rest of its last block, and its name in the folder.
constexpr std::uint64_t kFileOverhead = 8192;

// Until the disk could be full, at the speed of the fastest.
std::chrono::milliseconds time_to_fill(const DiskLedger& ledger, std::uint64_t files_max) {
    const double files =
        files_max > ledger.files ? static_cast<double>(files_max - ledger.files) : 0;
    double seconds = files / static_cast<double>(kDiskFilesASecond);
    if (ledger.bytes_max) {
        seconds = std::min(seconds, static_cast<double>(ledger.bytes_left()) /
                                        static_cast<double>(kDiskBytesASecond));
    }
    if (seconds * 1000 >= static_cast<double>(kLatest.count())) return kLatest;
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

}  // namespace

asio::awaitable<std::uint64_t> Sessions::disk_of_owner(std::string owner) {
    std::uint64_t bytes = 0;
    core::SessionQuery query{Whose::of(owner), {}, {}, {}, kWatchPage};
    do {
        const auto page = co_await store_.list_sessions(query);
        for (const auto& record : page.sessions) {
            const auto found = known_.find(record.id.text());
            const bool looked = found != known_.end() && found->second->disk_->looked;
            bytes += looked ? found->second->disk_->bytes : record.disk_bytes;
        }
        query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    if (options_.owner_storage == nullptr) co_return bytes;
    const auto more = co_await options_.owner_storage->bytes(std::move(owner));
    co_return bytes + more;
}

asio::awaitable<void> Sessions::check_owner_disk(std::string owner) {
    if (!options_.owner_bytes_max) co_return;
    const auto ledger = co_await owner_ledger(std::move(owner));
    if (ledger->bytes_left() == 0) throw ErrorException(owner_is_full(*ledger));
}

asio::awaitable<std::unique_ptr<OutputRoom>> Sessions::room_for_outputs(std::string owner) {
    std::shared_ptr<DiskLedger> ledger;
    if (options_.owner_bytes_max) ledger = co_await owner_ledger(owner);
    auto room = std::make_unique<OutputRoom>(DiskRoom(nullptr, std::move(ledger), 0));
    if (options_.owner_storage != nullptr) {
        room->kept = [storage = options_.owner_storage, owner](std::uint64_t bytes) {
            storage->added(owner, bytes);
        };
    }
    co_return room;
}

asio::awaitable<std::shared_ptr<DiskLedger>> Sessions::owner_ledger(std::string owner) {
    auto& entry = owners_[owner];
    if (!entry) entry = std::make_shared<DiskLedger>();
    const auto ledger = entry;
    ledger->setting = "quotas.disk";
    ledger->bytes_max = options_.owner_bytes_max;
    if (ledger->uploads == 0) {
        const auto begun = ledger->uploads_begun;
        const auto bytes = co_await disk_of_owner(owner);
        // One may have begun meanwhile, and ended even. The ledger counts its bytes; the sum may
        // have them or not.
        if (ledger->uploads_begun == begun) ledger->found({.bytes = bytes}, clock_.now());
    }
    co_return ledger;
}

asio::awaitable<std::optional<std::uint64_t>> Sessions::state_bytes(const Session& session) {
    if ((!options_.session_bytes_max && !options_.owner_bytes_max) || read_only()) {
        co_return std::nullopt;
    }
    try {
        co_return co_await folders_.state_bytes(session.record_.id);
    } catch (const ErrorException&) {
        // The next look at the disk finds what it takes.
    }
    co_return std::nullopt;
}

// Only the difference: to walk over all of its files for it would keep a server that stops waiting.
asio::awaitable<std::optional<std::uint64_t>> Sessions::count_state(
    Session& session, std::optional<std::uint64_t> before) {
    const auto after = co_await state_bytes(session);
    if (!before || !after) co_return std::nullopt;
    const auto ledger = session.disk_;
    const auto counted = [&](std::uint64_t bytes) {
        bytes += *after;
        return bytes - std::min(bytes, *before);
    };
    if (ledger->looked) {
        ledger->bytes = counted(ledger->bytes);
        ledger->state_bytes = *after;
    }
    if (!options_.owner_bytes_max) co_return std::nullopt;
    co_return ledger->looked ? ledger->bytes : counted(session.record_.disk_bytes);
}

asio::awaitable<core::FolderUse> Sessions::look_at_disk(const Session& session) {
    const SessionId id = session.record_.id;
    const auto ledger = session.disk_;
    const auto recorded = session.record_.disk_bytes;
    const auto begun = ledger->uploads_begun;
    const auto use = co_await folders_.use(id);
    // An upload that came after the walk had passed its folder is not in it, though the ledger has
    // counted it, and it may have ended already. What uploads under way have stored is counted by
    // themselves.
    const bool whole = ledger->uploads_begun == begun;
    if (whole && ledger->uploads == 0) ledger->found(use, clock_.now());
    if (whole && options_.owner_bytes_max && use.bytes != recorded && !read_only()) {
        core::SessionPatch patch;
        patch.disk_bytes = use.bytes;
        co_await store_.patch_session(Whose::anyones(), id, patch, std::nullopt);
    }
    co_return use;
}

asio::awaitable<void> Sessions::check_disk(const Session& session) {
    const auto ledger = session.disk_;
    const std::string owner = session.record_.owner;
    const auto files_max = session.spec_.limits().disk_files_max;
    if (options_.owner_bytes_max || !ledger->surely_fits(1, clock_.now()) ||
        ledger->files > files_max) {
        co_await look_at_disk(session);
    }
    // Without its variables: a run is what makes them smaller.
    if (ledger->bytes_max && ledger->file_bytes() > *ledger->bytes_max) {
        throw ErrorException({Code::Exhausted, "the session keeps " +
                                                   core::format_bytes(ledger->file_bytes()) +
                                                   " on disk, and " + ledger->setting + " is " +
                                                   core::format_bytes(*ledger->bytes_max) +
                                                   "; remove some of its files first"});
    }
    if (ledger->files > files_max) {
        throw ErrorException(
            {Code::Exhausted, "the session keeps " + std::to_string(ledger->files) +
                                  " files, and limits.disk_files_max is " +
                                  std::to_string(files_max) + "; remove some of them first"});
    }
    if (!options_.owner_bytes_max) co_return;
    const auto all = co_await owner_ledger(owner);
    if (all->bytes > *all->bytes_max) throw ErrorException(owner_is_full(*all));
}

asio::awaitable<DiskRoom> Sessions::room_for(const Session& session, std::uint64_t bytes,
                                             std::uint64_t replaced) {
    const auto ledger = session.disk_;
    const std::string owner = session.record_.owner;
    const bool sure = ledger->surely_fits(bytes + kFileOverhead, clock_.now());
    if (ledger->uploads == 0 && (!sure || options_.owner_bytes_max)) {
        co_await look_at_disk(session);
    }
    std::shared_ptr<DiskLedger> all;
    if (options_.owner_bytes_max) all = co_await owner_ledger(owner);
    DiskRoom room(ledger, std::move(all), replaced);
    room.take(kFileOverhead);
    room.reserve(bytes);
    co_return room;
}

void Sessions::watch_disk_soon(Session& session) {
    session.disk_due_ = clock_.now() + kSoonestInUse;
    session.disk_cpu_us_ = 0;
    if (disk_round_.expiry() > session.disk_due_) disk_round_.cancel();
}

asio::awaitable<void> Sessions::watch_disks() {
    while (!stopping_) {
        const auto now = clock_.now();
        auto next = now + kWatchRound;
        std::vector<SessionPtr> due;
        for (const auto& [id, session] : known_) {
            if (!session->link_ || session->frozen_ || session->disk_looking_) continue;
            if (session->disk_due_ <= now && !put_off_look(*session, now)) {
                due.push_back(session);
            } else {
                next = std::min(next, session->disk_due_);
            }
        }
        for (const auto& session : due) {
            session->disk_looking_ = true;
            const auto look = [this, session]() -> asio::awaitable<void> {
                try {
                    co_await watch_disk(session);
                } catch (const std::exception&) {
                    // The next look may do.
                }
                session->disk_looking_ = false;
                if (disk_round_.expiry() > session->disk_due_) disk_round_.cancel();
            };
            beside_.spawn(look);
        }
        // Not for each of a thousand by itself: each round looks at all of them.
        disk_round_.expires_at(std::max(next, now + kBetweenRounds));
        co_await disk_round_.wait();
    }
}

// A session that has not run since the last look has not written: no walk, no coroutine.
bool Sessions::put_off_look(Session& session, Clock::time_point now) {
    const auto cpu_us = session.sandbox_->cpu_us();
    const bool ran = cpu_us == 0 || cpu_us != session.disk_cpu_us_;
    session.disk_cpu_us_ = cpu_us;
    if (ran || session.full_) return false;
    const auto pause = time_to_fill(*session.disk_, session.spec_.limits().disk_files_max);
    const bool in_use = session.users_ > 0;
    const auto due = now + std::max(pause, in_use ? kSoonestInUse : kSoonest);
    const auto together = due - due.time_since_epoch() % kIdleRound;
    session.disk_due_ = in_use || together <= now ? due : together;
    return true;
}

asio::awaitable<void> Sessions::watch_disk(SessionPtr session) {
    session->disk_due_ = clock_.now() + kLatest;  // should it fail
    if (!session->link_ || !session->link_->alive() || session->frozen_) co_return;
    const auto began = clock_.now();
    const auto use = co_await look_at_disk(*session);
    if (!session->link_ || !session->link_->alive() || session->gone_) co_return;
    judge_disk(*session, use);
    // A tree that takes long to walk is not walked all the time.
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.now() - began);
    const auto soonest = std::max(session->users_ > 0 ? kSoonestInUse : kSoonest, took * 4);
    const auto pause = time_to_fill(*session->disk_, session->spec_.limits().disk_files_max);
    session->disk_due_ = clock_.now() + std::max(soonest, pause);
}

// Programs are judged by what they wrote, which saved variables are not.
void Sessions::judge_disk(Session& session, core::FolderUse use) {
    use.bytes -= std::exchange(use.state_bytes, 0);
    const auto& ledger = *session.disk_;
    const auto now = clock_.now();
    // While files are replaced, both are there.
    const auto bytes_max = ledger.bytes_max ? *ledger.bytes_max + ledger.bytes_going
                                            : ~std::uint64_t{0} - kRunawayBytes;
    const auto files_max = session.spec_.limits().disk_files_max;
    if (use.bytes <= bytes_max && use.files <= files_max) {
        session.full_.reset();
        return;
    }
    const bool first = !session.full_;
    const bool grew =
        !first && (use.bytes > session.full_->use.bytes || use.files > session.full_->use.files);
    const bool over_time = !first && now - session.full_->since > kPatience;
    // A look may have begun while what was stopped still wrote: the next one decides.
    const bool goes_on = grew && over_time && session.full_->grew;
    if (first)
        session.full_ = Session::Full{now, use};
    else
        session.full_->use = use;
    if (grew && over_time) session.full_->grew = true;
    // Only who still writes: one that is woken to be tidied up finds what was written before.
    if ((grew && use.bytes > bytes_max + kRunawayBytes) || goes_on) {
        session.fell_because_ =
            use.bytes > bytes_max
                ? "the sandbox was ended because it wrote more to disk than " + ledger.setting
                : "the sandbox was ended because it created more files than limits.disk_files_max";
        ++counted_.disk_full;
        session.stops_->call();  // so that what ran says why
        cut(session);
        return;
    }
    if (first) session.stops_->call();
}

}  // namespace atl::sessions
