#include "agent/homes.hpp"

#include "agent/pause.hpp"
#include "base/workers.hpp"
#include "base/write_all.hpp"
#include "guest_client/files.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <unistd.h>

namespace atl::agent {

namespace asio = boost::asio;
using core::ThreadRecord;
using core::Whose;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::milliseconds kHomeRetryPause{100};
constexpr std::chrono::seconds kTimeToComeHome{60};
constexpr const char* kFilled = "files";  // a state file: the thread's files are all there
constexpr const char* kHome = "home";     // a state file: the instance that has the session awake

std::map<std::string, std::string> metadata_of(const ThreadRecord& thread) {
    std::map<std::string, std::string> metadata{{"thread", thread.id.text()}};
    if (!thread.title.empty()) metadata["title"] = thread.title;
    return metadata;
}

// The mutex of a session goes with the last who waits at it.
struct Forgetting {
    std::map<std::string, std::shared_ptr<sessions::FifoMutex>>& all;
    const std::string& key;
    const std::shared_ptr<sessions::FifoMutex>& mutex;
    ~Forgetting() {
        if (mutex.use_count() == 2) all.erase(key);  // the map's and ours
    }
};

}  // namespace

Homes::Homes(Parts parts, HomeOptions options) : parts_(parts), options_(std::move(options)) {
    if (!options_.several_servers) return;
    parts_.sessions.save_only_if([this](const SessionId& id) { return is_here(id); });
}

Homes::~Homes() {
    if (options_.several_servers) parts_.sessions.save_only_if({});
}

bool Homes::is_here(const SessionId& id) {
    if (signed_.count(id.text()) == 0) return true;  // of no thread, or not awake here
    const auto file = parts_.folders.open_state(id, kHome);
    if (!file && file.error().code == Code::NotFound) return true;  // removed with its session
    if (!file) throw ErrorException(file.error());
    std::string name(options_.instance.size() + 1, '\0');
    const ssize_t n = ::pread(file->get(), name.data(), name.size(), 0);
    if (n < 0) {
        throw ErrorException({Code::Unavailable, std::string("whose sandbox this is cannot be read "
                                                             "now: ") +
                                                     std::strerror(errno)});
    }
    name.resize(static_cast<std::size_t>(n));
    return name == options_.instance;
}

void Homes::sign(const SessionId& id) {
    if (!options_.several_servers || signed_.count(id.text()) != 0) return;
    auto file = parts_.folders.begin_state(id, kHome).value();
    if (const int cause = write_all(file.get(), options_.instance); cause != 0) {
        const auto code = cause == ENOSPC || cause == EDQUOT ? Code::DiskFull : Code::Unavailable;
        throw ErrorException({code, std::string("take the session over: ") + std::strerror(cause)});
    }
    parts_.folders.finish_state(id, kHome, std::move(file)).value();
    signed_.insert(id.text());
}

asio::awaitable<std::string> Homes::state_of(ThreadRecord thread) {
    std::string state = "cold";
    try {
        const auto record = co_await parts_.sessions.get(Whose::anyones(), thread.session_id);
        if (record.state == core::SessionState::Hot) state = "hot";
        if (record.state == core::SessionState::Starting) state = "hot";
        if (record.state == core::SessionState::Warm) state = "warm";
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound) throw;
    }
    const bool elsewhere =
        options_.several_servers && !thread.home.empty() && thread.home != options_.instance;
    co_return elsewhere ? "hot" : state;
}

asio::awaitable<std::vector<PromptFile>> Homes::files_of(ThreadRecord thread) {
    std::vector<PromptFile> files;
    std::set<std::string> taken;
    for (const auto& id : thread.files) {
        const auto record = co_await parts_.uploads.known(id);
        const auto look = co_await parts_.uploads.look(record);
        std::string name = record.name;
        for (int n = 2; !taken.insert(name).second; ++n) {
            const auto dot = std::min(record.name.rfind('.'), record.name.size());
            name = record.name.substr(0, dot) + "-" + std::to_string(n) + record.name.substr(dot);
        }
        files.push_back({"/data/" + name, record.bytes, look.columns, look.is_archive});
    }
    if (files.empty() && parts_.uploads.has_sample()) {
        const auto sample = co_await parts_.uploads.sample();
        files.push_back({"/data/" + sample.name, sample.bytes, sample.columns});
    }
    co_return files;
}

bool Homes::is_filled(const ThreadRecord& thread) {
    const SessionId& id = thread.session_id;
    if (filled_.count(id.text()) != 0) return true;
    const auto mark = parts_.folders.open_state(id, kFilled);
    if (!mark && mark.error().code != Code::NotFound) throw ErrorException(mark.error());
    if (mark) filled_.insert(id.text());
    return static_cast<bool>(mark);
}

asio::awaitable<void> Homes::make_session(ThreadRecord thread) {
    // One at a time: whoever waited finds it with its files.
    const std::string key = thread.session_id.text();
    auto& entry = filling_[key];
    if (!entry) entry = std::make_shared<sessions::FifoMutex>();
    const std::shared_ptr<sessions::FifoMutex> mutex = entry;
    const Forgetting forgetting{filling_, key, mutex};
    const auto lock = co_await mutex->lock();
    sessions::NewSession wanted;
    wanted.owner = thread.owner;
    // No name: titles are not unique, and the session is found by its thread.
    wanted.metadata = metadata_of(thread);
    wanted.limits = parts_.sessions.options().limits;
    wanted.id = thread.session_id;
    try {
        co_await parts_.sessions.create(std::move(wanted));
    } catch (const ErrorException& error) {
        if (error.error.code != Code::Conflict) throw;  // else another request was first
    }
    if (!is_filled(thread)) co_await fill(std::move(thread));
}

asio::awaitable<void> Homes::copy_session(ThreadRecord from, ThreadRecord to) {
    co_await come_home(from);
    sessions::Sessions::Copies copies;
    copies.id = to.session_id;
    copies.metadata = metadata_of(to);
    bool gone = false;
    try {
        co_await parts_.sessions.fork(Whose::of(from.owner), from.session_id, std::move(copies));
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound) throw;
        gone = true;
    }
    if (gone) co_await make_session(std::move(to));
}

asio::awaitable<void> Homes::bring_files(ThreadRecord thread, std::size_t first) {
    const auto files = co_await files_of(thread);
    const auto awake = co_await use(thread);
    const guest_client::Files inside(awake.link());
    for (std::size_t i = first; i < files.size() && i < thread.files.size(); ++i) {
        const auto bytes = co_await parts_.uploads.open_bytes(thread.files[i]);
        ::off_t offset = 0;
        const guest_client::ByteSource source =
            [&](std::span<char> into) -> asio::awaitable<std::size_t> {
            const auto executor = co_await asio::this_coro::executor;
            const auto read = [&] {
                return ::pread(bytes.get(), into.data(), into.size(), offset);
            };
            const ssize_t n = co_await workers_of(executor).run(read);
            if (n < 0) {
                throw ErrorException({Code::Unavailable, "an upload cannot be read now"});
            }
            offset += n;
            co_return static_cast<std::size_t>(n);
        };
        guest_client::WriteOptions options;
        co_await inside.write(files[i].path, std::move(options), source);
    }
}

// Files that are there stay as they are, so this can be done again until all are.
asio::awaitable<void> Homes::fill(ThreadRecord thread) {
    co_await parts_.sessions.release(thread.session_id);  // they come in while it sleeps
    const auto files = co_await files_of(thread);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string name = files[i].path.substr(std::string_view("/data/").size());
        UniqueFd bytes;
        // In two steps: g++ 12 closes it too early in a conditional expression.
        if (thread.files.empty()) {
            bytes = co_await parts_.uploads.open_sample();
        } else {
            bytes = co_await parts_.uploads.open_bytes(thread.files[i]);
        }
        co_await parts_.folders.bring_in(thread.session_id, name, std::move(bytes));
    }
    filled_.insert(thread.session_id.text());
    auto mark = parts_.folders.begin_state(thread.session_id, kFilled);
    if (!mark) co_return;  // the next start looks again, and finds the files
    static_cast<void>(parts_.folders.finish_state(thread.session_id, kFilled, std::move(*mark)));
}

asio::awaitable<sessions::Use> Homes::use(ThreadRecord thread) {
    const bool was_abandoned = co_await come_home(thread);
    const auto whose = Whose::of(thread.owner);
    if (!is_filled(thread)) co_await make_session(thread);
    std::optional<sessions::Use> use;
    try {
        sign(thread.session_id);
        use.emplace(co_await parts_.sessions.use(whose, thread.session_id));
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound) throw;
    }
    if (!use) {
        // Removed after its time, or by its owner; or made by another server.
        filled_.erase(thread.session_id.text());
        signed_.erase(thread.session_id.text());
        co_await make_session(thread);
        sign(thread.session_id);
        use.emplace(co_await parts_.sessions.use(whose, thread.session_id));
    }
    if (was_abandoned) {
        co_await parts_.sessions.note(
            thread.session_id,
            "the server that had it ended; its variables are as they were "
            "when it was last put to sleep");
    }
    co_await parts_.sessions.check_disk(**use);
    co_return std::move(*use);
}

// Several servers: the session must be asleep everywhere else.
asio::awaitable<bool> Homes::come_home(ThreadRecord thread) {
    if (!options_.several_servers) co_return false;
    // A turn that begins while the sandbox is given away must not think that it is here.
    while (leaving_.count(thread.id.text()) != 0) co_await pause(kHomeRetryPause);
    if (homes_.count(thread.id.text()) != 0) {
        if (is_here(thread.session_id)) co_return false;
        // This server stood still for longer than its lease, and another has taken the thread over.
        co_await parts_.sessions.release(thread.session_id);  // unsaved: what is on disk is newer
        homes_.erase(thread.id.text());
    }
    const auto until = Clock::now() + kTimeToComeHome;
    bool was_abandoned = false;
    for (;;) {
        const auto home = co_await parts_.store.take_home(thread.id, options_.instance);
        was_abandoned = home.was_abandoned;
        if (home.instance == options_.instance) break;
        if (Clock::now() > until) {
            throw ErrorException({Code::Unavailable,
                                  "another server has this thread's sandbox and does not let it "
                                  "go; ask again in a moment"});
        }
        co_await parts_.store.ask_for_home(thread.id, options_.instance);
        co_await pause(kHomeRetryPause);
    }
    // What this server remembers of it is older than what lies in the folder.
    co_await parts_.sessions.release(thread.session_id);
    signed_.erase(thread.session_id.text());
    homes_[thread.id.text()] = thread.session_id.text();
    co_return was_abandoned;
}

asio::awaitable<void> Homes::remove(ThreadRecord thread) {
    homes_.erase(thread.id.text());
    filled_.erase(thread.session_id.text());
    signed_.erase(thread.session_id.text());
    co_await parts_.sessions.remove(Whose::anyones(), thread.session_id);
}

asio::awaitable<void> Homes::let_go(ThreadId id) {
    const std::string name = id.text();
    if (!leaving_.insert(name).second) co_return;
    std::exception_ptr failed;
    try {
        if (const auto home = homes_.find(name); home != homes_.end()) {
            const SessionId session(home->second);
            co_await parts_.sessions.release(session);
            signed_.erase(session.text());
            homes_.erase(name);
        }
        co_await parts_.store.leave_home(id, options_.instance);
    } catch (...) { failed = std::current_exception(); }
    leaving_.erase(name);
    if (failed) std::rethrow_exception(failed);
}

asio::awaitable<void> Homes::leave_all() {
    for (const auto& [id, session] : homes_) {
        try {
            const ThreadId thread(id);
            co_await parts_.store.leave_home(thread, options_.instance);
        } catch (const ErrorException&) {
            // It lives no longer in a moment; then others may take it.
        }
    }
    homes_.clear();
}

}  // namespace atl::agent
