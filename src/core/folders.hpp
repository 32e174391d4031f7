#pragma once
// Interface: the files of sessions on the host.
//
//     <root>/<session id>/    session/ (artifacts/)  data/ (outputs/)  work/ (artifacts/)  home/
//                             what the sandbox shows at /session, /data, /work and /home/user
//     <root>/<session id>.state/    what the server keeps beside them: variables of a cold session
//
// A session's files are written by untrusted code: names, links, modes and depths are hostile.
// On the host, only implementations of this interface follow a path in there, and they never leave
// the session's own folder.
#include "base/fd.hpp"
#include "base/id.hpp"
#include "base/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace atl::core {

struct FolderUse {
    std::uint64_t bytes = 0;        // as the disk counts them, the state beside the files too
    std::uint64_t state_bytes = 0;  // of them
    std::uint64_t files = 0;        // without the state
    bool complete = true;           // or more than anybody waits for: then these are at least
};

class Folders {
public:
    virtual ~Folders() = default;

    // Makes the folders of a new session; answers with the path of its own (SandboxSpec).
    // Conflict when they are there. Throws ErrorException, as all of these.
    virtual boost::asio::awaitable<std::string> make(SessionId id) = 0;
    [[nodiscard]] virtual std::string path_of(const SessionId& id) const = 0;
    // All of it, whatever modes and depths are in it. Once this returns the id is free and nobody
    // finds the files by it. What could not be removed for want of descriptors or memory, tidy()
    // removes later; what cannot be removed at all is put aside under `<root>/.broken/`, for the
    // administrator. A failure means that all is as it was. NotFound: it has no folders.
    virtual boost::asio::awaitable<void> remove(SessionId id) = 0;
    // Tries again to remove what remove() left behind; called every few seconds.
    virtual boost::asio::awaitable<void> tidy() = 0;
    // Unavailable, with a sentence, when the root is no longer where it was: removed, moved, or its
    // disk unmounted. Does not wait.
    [[nodiscard]] virtual Result<void> check_root() const = 0;
    // A file of the server's own, as /data/<name> of a session: shared with the original where the
    // file system can (reflink), else copied; never the same file, for the session may write to its
    // own. One that is there under this name stays as it is. The sandbox must be asleep.
    virtual boost::asio::awaitable<void> bring_in(SessionId id, std::string name,
                                                  UniqueFd bytes) = 0;
    // Files, links, modes and times; for `fork`. The target's folders are made by this.
    virtual boost::asio::awaitable<void> copy(SessionId from, SessionId to) = 0;
    virtual boost::asio::awaitable<FolderUse> use(SessionId id) = 0;
    // What the state takes, of what use() finds.
    virtual boost::asio::awaitable<std::uint64_t> state_bytes(SessionId id) = 0;
    // Which store's sessions lie here, by its identity: nobody removes what may be another's. Empty
    // until it is set.
    [[nodiscard]] virtual std::string store_identity() const = 0;
    virtual Result<void> set_store_identity(const std::string& identity) = 0;
    // Every session that has folders, to find those that no record knows.
    virtual boost::asio::awaitable<std::vector<SessionId>> list() = 0;
    // Bytes that are left where sessions lie.
    virtual boost::asio::awaitable<std::uint64_t> room() = 0;

    // A file of the server's own beside a session's files. Written under another name first, then
    // synced and renamed: it is there whole, or not at all.
    virtual Result<UniqueFd> begin_state(const SessionId& id, const std::string& name) = 0;
    virtual Result<void> finish_state(const SessionId& id, const std::string& name,
                                      UniqueFd written) = 0;
    // What takes time with such a file is done beside the loop. These throw ErrorException.
    // Appends to one that was begun.
    virtual boost::asio::awaitable<void> write_state(const UniqueFd& file, std::string bytes) = 0;
    // Waits until its bytes are on the disk, so that finish_state need not.
    virtual boost::asio::awaitable<void> sync_state(const UniqueFd& file) = 0;
    // The next bytes of one that was opened; none at its end.
    virtual boost::asio::awaitable<std::string> read_state(const UniqueFd& file,
                                                           std::size_t bytes_max) = 0;
    // NotFound when it was never written; any other failure says nothing about what is there.
    virtual Result<UniqueFd> open_state(const SessionId& id, const std::string& name) = 0;
    // All of them or a failure: a state that cannot be read is not an empty one.
    [[nodiscard]] virtual Result<std::vector<std::string>> list_state(
        const SessionId& id) const = 0;
    // The target has the source's state then, and nothing else. No byte is copied: state files do
    // not change once they have their name.
    virtual Result<void> share_state(const SessionId& from, const SessionId& to) = 0;
    // One that is not there is no failure.
    virtual Result<void> remove_state(const SessionId& id, const std::string& name) = 0;
};

}  // namespace atl::core
