#include "testing/memory_disk.hpp"

#include "base/must.hpp"
#include "base/write_all.hpp"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::testing {

namespace asio = boost::asio;
using core::SessionRecord;

namespace {

const Error kDead{Code::Unavailable, "the server was killed"};
const Error kFull{Code::DiskFull, "no space left on device"};

UniqueFd memory_file() { return UniqueFd(::memfd_create("state", MFD_CLOEXEC)); }

std::string content_of(int fd) {
    struct stat info {};
    must(::fstat(fd, &info) == 0, "a state file can be looked at");
    std::string text(static_cast<std::size_t>(info.st_size), '\0');
    const auto n = ::pread(fd, text.data(), text.size(), 0);
    must(n == info.st_size, "a state file can be read");
    return text;
}

Error no_session(const SessionId& id) {
    return {Code::NotFound, "there is no session " + id.text()};
}

}  // namespace

asio::awaitable<void> Latency::pass() {
    core::Timer timer(executor_, clock_);
    timer.expires_after(std::chrono::microseconds(dice_.between(10, 3000)));
    co_await timer.wait();
}

// ---- Folders ----

void MemoryFolders::alive() const {
    if (life_ != disk_.life()) throw ErrorException(kDead);
}

void MemoryFolders::write() {
    if (disk_.faults.full) throw ErrorException(kFull);
    if (!disk_.may_write(life_)) throw ErrorException(kDead);
}

asio::awaitable<std::string> MemoryFolders::make(SessionId id) {
    co_await latency_.pass();
    write();
    if (!disk_.trees.try_emplace(id.text()).second) {
        throw ErrorException({Code::Conflict, "the folders of " + id.text() + " are there"});
    }
    co_await latency_.pass();
    co_return id.text();
}

asio::awaitable<void> MemoryFolders::remove(SessionId id) {
    co_await latency_.pass();
    if (!disk_.may_write(life_)) throw ErrorException(kDead);  // works on a full disk
    if (disk_.trees.erase(id.text()) == 0) {
        throw ErrorException({Code::NotFound, "session " + id.text() + " has no folders"});
    }
    co_await latency_.pass();
}

asio::awaitable<void> MemoryFolders::bring_in(SessionId, std::string, UniqueFd) {
    must(false, "no simulated session is given data");
    co_return;
}

asio::awaitable<void> MemoryFolders::copy(SessionId from, SessionId to) {
    co_await latency_.pass();
    write();
    const auto source = disk_.trees.find(from.text());
    if (source == disk_.trees.end()) throw ErrorException(no_session(from));
    const auto files = source->second.files;
    co_await latency_.pass();
    write();
    if (!disk_.trees.try_emplace(to.text(), Tree{files, {}}).second) {
        throw ErrorException({Code::Conflict, "the folders of " + to.text() + " are there"});
    }
}

asio::awaitable<core::FolderUse> MemoryFolders::use(SessionId id) {
    co_await latency_.pass();
    alive();
    const auto found = disk_.trees.find(id.text());
    if (found == disk_.trees.end()) throw ErrorException(no_session(id));
    core::FolderUse use;
    for (const auto& [path, bytes] : found->second.files) use.bytes += bytes.size();
    for (const auto& [name, bytes] : found->second.state) use.state_bytes += bytes.size();
    use.bytes += use.state_bytes;
    use.files = found->second.files.size();
    co_await latency_.pass();  // what is added during it, a walk may have passed
    co_return use;
}

asio::awaitable<std::uint64_t> MemoryFolders::state_bytes(SessionId id) {
    co_await latency_.pass();
    alive();
    std::uint64_t all = 0;
    const auto found = disk_.trees.find(id.text());
    if (found == disk_.trees.end()) co_return all;
    for (const auto& [name, bytes] : found->second.state) all += bytes.size();
    co_return all;
}

Result<void> MemoryFolders::set_store_identity(const std::string& identity) {
    if (!disk_.may_write(life_)) return kDead;
    disk_.store_identity = identity;
    return {};
}

asio::awaitable<std::vector<SessionId>> MemoryFolders::list() {
    co_await latency_.pass();
    alive();
    std::vector<SessionId> all;
    for (const auto& [id, tree] : disk_.trees) all.emplace_back(id);
    co_return all;
}

asio::awaitable<std::uint64_t> MemoryFolders::room() {
    co_await latency_.pass();
    co_return disk_.faults.full ? 0 : 1ull << 40;
}

Result<UniqueFd> MemoryFolders::begin_state(const SessionId& id, const std::string&) {
    if (life_ != disk_.life()) return kDead;
    if (disk_.trees.count(id.text()) == 0) return no_session(id);
    // The disk may take the name and not the bytes.
    if (disk_.faults.full) return UniqueFd(::open("/dev/full", O_RDWR | O_CLOEXEC));
    return memory_file();
}

Result<void> MemoryFolders::finish_state(const SessionId& id, const std::string& name,
                                         UniqueFd written) {
    if (disk_.faults.full) return kFull;
    if (!disk_.may_write(life_)) return kDead;
    const auto found = disk_.trees.find(id.text());
    if (found == disk_.trees.end()) return no_session(id);
    found->second.state[name] = content_of(written.get());
    return {};
}

asio::awaitable<void> MemoryFolders::write_state(const UniqueFd& file, std::string bytes) {
    co_await latency_.pass();
    alive();
    if (write_all(file.get(), bytes) != 0) throw ErrorException(kFull);
}

asio::awaitable<void> MemoryFolders::sync_state(const UniqueFd&) {
    co_await latency_.pass();
    alive();
}

asio::awaitable<std::string> MemoryFolders::read_state(const UniqueFd& file,
                                                       std::size_t bytes_max) {
    co_await latency_.pass();
    alive();
    std::string bytes(bytes_max, '\0');
    const ssize_t n = ::read(file.get(), bytes.data(), bytes.size());
    if (n < 0) throw ErrorException({Code::Unavailable, "read state: input/output error"});
    bytes.resize(static_cast<std::size_t>(n));
    co_return bytes;
}

Result<UniqueFd> MemoryFolders::open_state(const SessionId& id, const std::string& name) {
    if (life_ != disk_.life()) return kDead;
    if (disk_.faults.unreadable) return Error{Code::Unavailable, "open state: too many open files"};
    const auto found = disk_.trees.find(id.text());
    if (found == disk_.trees.end()) return no_session(id);
    const auto file = found->second.state.find(name);
    if (file == found->second.state.end()) {
        return Error{Code::NotFound, "session " + id.text() + " has no state " + name};
    }
    // Reading a folder fails, as reading a file does when its disk is broken.
    if (disk_.faults.half_readable) return UniqueFd(::open("/", O_RDONLY | O_CLOEXEC));
    auto copy = memory_file();
    must(write_all(copy.get(), file->second) == 0, "there is memory for a state file");
    ::lseek(copy.get(), 0, SEEK_SET);
    return copy;
}

Result<std::vector<std::string>> MemoryFolders::list_state(const SessionId& id) const {
    std::vector<std::string> names;
    const auto found = disk_.trees.find(id.text());
    if (life_ != disk_.life()) return kDead;
    if (disk_.faults.unreadable) return Error{Code::Unavailable, "list state: too many open files"};
    if (found == disk_.trees.end()) return names;
    for (const auto& [name, bytes] : found->second.state) names.push_back(name);
    return names;
}

Result<void> MemoryFolders::share_state(const SessionId& from, const SessionId& to) {
    if (disk_.faults.full) return kFull;
    if (!disk_.may_write(life_)) return kDead;
    const auto source = disk_.trees.find(from.text());
    const auto target = disk_.trees.find(to.text());
    if (source == disk_.trees.end()) return no_session(from);
    if (target == disk_.trees.end()) return no_session(to);
    target->second.state = source->second.state;
    return {};
}

Result<void> MemoryFolders::remove_state(const SessionId& id, const std::string& name) {
    if (!disk_.may_write(life_)) return kDead;
    const auto found = disk_.trees.find(id.text());
    if (found != disk_.trees.end()) found->second.state.erase(name);
    return {};
}

// ---- Store ----

void MemoryStore::write() {
    if (disk_.faults.full) throw ErrorException(kFull);
    if (disk_.faults.store_fails) {
        throw ErrorException({Code::Unavailable, "write a record: input/output error"});
    }
    if (!disk_.may_write(life_)) throw ErrorException(kDead);
}

SessionRecord& MemoryStore::record(const core::Whose& whose, const SessionId& id) {
    if (life_ != disk_.life()) throw ErrorException(kDead);
    const auto found = disk_.records.find(id.text());
    if (found == disk_.records.end()) throw ErrorException(no_session(id));
    if (whose.owner() && *whose.owner() != found->second.owner)
        throw ErrorException(no_session(id));
    return found->second;
}

asio::awaitable<std::string> MemoryStore::identity() {
    co_await latency_.pass();
    co_return "the simulated store";
}

asio::awaitable<SessionRecord> MemoryStore::create_session(SessionRecord record,
                                                           std::uint64_t owner_max) {
    co_await latency_.pass();
    write();
    std::uint64_t has = 0;
    for (const auto& [id, one] : disk_.records) has += one.owner == record.owner ? 1 : 0;
    if (owner_max > 0 && has >= owner_max) {
        throw ErrorException({Code::Exhausted, "the owner has too many sessions"});
    }
    check_name(record);
    record.generation = 1;
    if (!disk_.records.emplace(record.id.text(), record).second) {
        throw ErrorException({Code::Conflict, "there is a session " + record.id.text()});
    }
    co_await latency_.pass();
    co_return record;
}

asio::awaitable<SessionRecord> MemoryStore::update_session(SessionRecord) {
    must(false, "sessions are patched");
    co_return SessionRecord{};
}

asio::awaitable<SessionRecord> MemoryStore::patch_session(core::Whose whose, SessionId id,
                                                          core::SessionPatch patch,
                                                          std::optional<std::uint64_t>) {
    co_await latency_.pass();
    SessionRecord& one = record(whose, id);
    write();
    if (patch.name) {
        SessionRecord named = one;
        named.name = *patch.name;
        check_name(named);
        one.name = named.name;
    }
    if (patch.metadata) one.metadata = *patch.metadata;
    if (patch.state) one.state = *patch.state;
    if (patch.spec_json) one.spec_json = *patch.spec_json;
    if (patch.last_used_at) one.last_used_at = std::max(one.last_used_at, *patch.last_used_at);
    if (patch.expires_at) one.expires_at = *patch.expires_at;
    if (patch.idle_to_warm) one.idle_to_warm = *patch.idle_to_warm;
    if (patch.idle_to_cold) one.idle_to_cold = *patch.idle_to_cold;
    if (patch.state_note) one.state_note = *patch.state_note;
    if (patch.disk_bytes) one.disk_bytes = *patch.disk_bytes;
    ++one.generation;
    const SessionRecord written = one;  // it may be removed while the answer is on its way
    co_await latency_.pass();
    co_return written;
}

asio::awaitable<SessionRecord> MemoryStore::get_session(core::Whose whose, SessionId id) {
    co_await latency_.pass();
    const SessionRecord found = record(whose, id);
    co_await latency_.pass();
    co_return found;
}

void MemoryStore::check_name(const SessionRecord& record) const {
    for (const auto& [id, one] : disk_.records) {
        const bool same = one.owner == record.owner && one.name == record.name;
        if (record.name.empty() || !same || one.id == record.id) continue;
        if (one.state == core::SessionState::Deleting) continue;
        throw ErrorException({Code::Conflict, "there is a session named " + record.name});
    }
}

asio::awaitable<SessionRecord> MemoryStore::session_named(std::string owner, std::string name) {
    co_await latency_.pass();
    if (life_ != disk_.life()) throw ErrorException(kDead);
    for (const auto& [id, one] : disk_.records) {
        if (one.owner != owner || one.name != name || name.empty()) continue;
        if (one.state == core::SessionState::Deleting) continue;
        const SessionRecord found = one;
        co_await latency_.pass();
        co_return found;
    }
    throw ErrorException({Code::NotFound, "there is no session " + name});
}

asio::awaitable<core::SessionPage> MemoryStore::list_sessions(core::SessionQuery query) {
    co_await latency_.pass();
    if (life_ != disk_.life()) throw ErrorException(kDead);
    core::SessionPage page;
    for (const auto& [id, one] : disk_.records) {
        if (query.whose.owner() && *query.whose.owner() != one.owner) continue;
        if (!query.states.empty() &&
            std::find(query.states.begin(), query.states.end(), one.state) == query.states.end()) {
            continue;
        }
        page.sessions.push_back(one);
    }
    co_return page;
}

asio::awaitable<std::vector<SessionRecord>> MemoryStore::expired_sessions(core::Time now,
                                                                          std::uint32_t) {
    co_await latency_.pass();
    std::vector<SessionRecord> over;
    if (life_ != disk_.life()) co_return over;
    for (const auto& [id, one] : disk_.records) {
        const bool ends = one.expires_at && *one.expires_at <= now;
        if (ends && one.state != core::SessionState::Deleting) over.push_back(one);
    }
    co_return over;
}

asio::awaitable<void> MemoryStore::remove_session(core::Whose whose, SessionId id) {
    co_await latency_.pass();
    record(whose, id);
    if (disk_.faults.store_fails) {
        throw ErrorException({Code::Unavailable, "remove a record: input/output error"});
    }
    if (!disk_.may_write(life_)) throw ErrorException(kDead);
    disk_.records.erase(id.text());
    co_await latency_.pass();
}

// ---- What no simulated server asks for ----

namespace {
[[noreturn]] void not_simulated() {
    must(false, "only sessions and jobs are simulated");
    std::abort();
}
}  // namespace

asio::awaitable<void> MemoryStore::add_key(core::KeyRecord) { not_simulated(); }
asio::awaitable<core::KeyRecord> MemoryStore::check_key(KeyId, core::Sha256, core::Time) {
    not_simulated();
}
asio::awaitable<core::KeyRecord> MemoryStore::get_key(core::Whose, KeyId) { not_simulated(); }
asio::awaitable<core::KeyPage> MemoryStore::list_keys(core::KeyQuery) { not_simulated(); }
asio::awaitable<void> MemoryStore::touch_key(KeyId, core::Time) { not_simulated(); }
asio::awaitable<core::KeyRecord> MemoryStore::revoke_key(core::Whose, KeyId, core::Time) {
    not_simulated();
}
asio::awaitable<void> MemoryStore::append_audit(core::AuditRecord) { not_simulated(); }
asio::awaitable<core::AuditPage> MemoryStore::list_audit(core::AuditQuery) { not_simulated(); }
asio::awaitable<core::UsageCounters> MemoryStore::add_usage(std::string, core::Day,
                                                            core::UsageCounters) {
    not_simulated();
}
asio::awaitable<std::vector<core::UsageOfDay>> MemoryStore::get_usage(std::string, core::Day,
                                                                      core::Day) {
    not_simulated();
}

}  // namespace atl::testing
