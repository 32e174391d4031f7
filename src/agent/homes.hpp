#pragma once
// The sessions of threads: each thread has one, with its files in /data; of several servers, only
// one has it awake at a time.
//
//     use ──▶ [several servers: take_home, or ask its holder] ──▶ session, created if needed, awake
//     asked by another server ──▶ let_go: moves it to disk and gives the home back
//
// Owns      the list of threads that are at home here. Store, sessions, folders and uploads are
//           borrowed.
// Threads   one, the executor's of whoever awaits.
// Promises  a session is never awake at two servers of one store that are both alive. A server that
//           stood still until another took a session over notices before it uses or saves it: the
//           taker's name is in the session's folder. It discards its own, older sandbox.
//           Nobody uses a session before the thread's files are in it; what fails is begun again
//           by the next use.
// Trusts    its caller, who has checked who may use the thread.
// On failure ErrorException. Unavailable: another server does not let it go.
#include "agent/prompt.hpp"
#include "agent/uploads.hpp"
#include "core/folders.hpp"
#include "core/threads.hpp"
#include "sessions/sessions.hpp"

#include <boost/asio/awaitable.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace atl::agent {

struct HomeOptions {
    std::string instance;  // this start of this server, and no other
    bool several_servers = false;
};

class Homes {
public:
    struct Parts {
        core::Threads& store;
        sessions::Sessions& sessions;
        core::Folders& folders;
        Uploads& uploads;
    };
    Homes(Parts parts, HomeOptions options);
    Homes(const Homes&) = delete;
    Homes& operator=(const Homes&) = delete;
    ~Homes();

    // The thread's uploads, or the sample, as they are called in its /data.
    boost::asio::awaitable<std::vector<PromptFile>> files_of(core::ThreadRecord thread);
    // hot, warm or cold: its session's.
    boost::asio::awaitable<std::string> state_of(core::ThreadRecord thread);
    // With the files in it. It may be there already, also without some of them.
    boost::asio::awaitable<void> make_session(core::ThreadRecord thread);
    // Writes the thread's files from number `first` on into its session, which is awake then.
    boost::asio::awaitable<void> bring_files(core::ThreadRecord thread, std::size_t first);
    // A copy of another thread's session, with its files and variables; where that one has none
    // any more, as make_session. Conflict while something runs in it.
    boost::asio::awaitable<void> copy_session(core::ThreadRecord from, core::ThreadRecord to);
    // Awake, and here.
    boost::asio::awaitable<sessions::Use> use(core::ThreadRecord thread);
    // The thread is gone, and its session shall be.
    boost::asio::awaitable<void> remove(core::ThreadRecord thread);
    boost::asio::awaitable<void> let_go(ThreadId id);
    // After the sessions have gone to disk: others may have them now.
    boost::asio::awaitable<void> leave_all();

private:
    // Whether the thread's files are in its session, which may not be there at all.
    [[nodiscard]] bool is_filled(const core::ThreadRecord& thread);
    boost::asio::awaitable<void> fill(core::ThreadRecord thread);
    // False if another server has written its name into the session's folder since this one did.
    [[nodiscard]] bool is_here(const SessionId& id);
    // Writes this server's name there. Throws; NotFound if there is no folder.
    void sign(const SessionId& id);
    // True when the server that had it ended without leaving.
    boost::asio::awaitable<bool> come_home(core::ThreadRecord thread);

    Parts parts_;
    HomeOptions options_;
    std::map<std::string, std::string> homes_;  // threads that are at home here, and their sessions
    std::set<std::string> signed_;              // sessions whose folders have this server's name
    std::set<std::string> leaving_;             // of those, whose sessions go to disk right now
    std::set<std::string> filled_;              // sessions that are known to have their files
    std::map<std::string, std::shared_ptr<sessions::FifoMutex>> filling_;  // by session
};

}  // namespace atl::agent
