#pragma once
// core::Folders on a disk of this machine.
//
//     <root>/              0700, the server's: nobody else on the host gets any further
//       <id>/              the session's files; as root they belong to `Ids`
//       <id>.state/        0700, the server's
//       .store             whose sessions these are: the identity of a store, or "nobody"
//       .making/           session folders made ahead, and copies that are not whole yet
//       .trash/<id>.<x>/   what is being removed
//       .broken/<id>.<x>/  what could not be removed, for a person to look at; open() tries
//                          again
//
// Why unused ids: what untrusted code wrote must not belong to root or to a user of the host. In
// addition, 0700 keeps other users of the host from reaching it.
//
// Trust     `<id>/` and all below is hostile (hostile.hpp); the rest is ours alone.
// Threads   any. Coroutines work on one thread of ours (folder_thread.hpp) and resume on their own
//           executor. On the caller's thread are: the one rename of make(), and state files.
// Failure   ErrorException. A full disk is DiskFull, and nothing half-made stays. What a crash
//           leaves in .making and .trash, the next open() removes in the background. No message
//           names a path of the host: what a person must look at is told to FolderOptions::tell.
// Owns      the root's descriptor and a thread. One server a root: whoever opens it clears .making,
//           so the lock of the data folder (stores/sqlite) must be held. Several servers share one
//           when each has a name of its own (FolderOptions::server), for what it makes and removes.
#include "base/workers.hpp"
#include "core/folders.hpp"
#include "stores/folders/copy_tree.hpp"
#include "stores/folders/folder_thread.hpp"
#include "stores/folders/layout.hpp"
#include "stores/folders/leftovers.hpp"
#include "stores/folders/measure_tree.hpp"
#include "stores/folders/ready_made.hpp"
#include "stores/folders/state_files.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atl::folders {

struct FolderOptions {
    CopyLimits copy;
    MeasureLimits use;
    std::size_t ready_max = 32;      // session folders made ahead
    std::size_t waiting_max = 1024;  // requests; then Unavailable
    // Several servers share the root, and this is one's name among them. Whose folder is whose
    // nobody can tell from the disk then: list() answers with none.
    std::string server = {};
    // Told what lies in .broken, with its path: for the log, never for a client. From any thread.
    std::function<void(const std::string&)> tell = {};
};

class DiskFolders final : public core::Folders {
public:
    // Makes the root if it is missing. Fails when it is another user's, or writable by others. When
    // we are not root, `ids` has no part in it.
    [[nodiscard]] static Result<std::unique_ptr<DiskFolders>> open(std::string root, Ids ids,
                                                                   FolderOptions options = {});
    ~DiskFolders() override;

    boost::asio::awaitable<std::string> make(SessionId id) override;
    [[nodiscard]] std::string path_of(const SessionId& id) const override;
    boost::asio::awaitable<void> remove(SessionId id) override;
    boost::asio::awaitable<void> tidy() override;
    [[nodiscard]] Result<void> check_root() const override;
    boost::asio::awaitable<void> bring_in(SessionId id, std::string name, UniqueFd bytes) override;
    boost::asio::awaitable<void> copy(SessionId from, SessionId to) override;
    boost::asio::awaitable<core::FolderUse> use(SessionId id) override;
    boost::asio::awaitable<std::uint64_t> state_bytes(SessionId id) override;
    [[nodiscard]] std::string store_identity() const override;
    Result<void> set_store_identity(const std::string& identity) override;
    boost::asio::awaitable<std::vector<SessionId>> list() override;
    boost::asio::awaitable<std::uint64_t> room() override;

    // On the caller's thread; finish_state waits for the disk, unless sync_state has.
    Result<UniqueFd> begin_state(const SessionId& id, const std::string& name) override;
    Result<void> finish_state(const SessionId& id, const std::string& name,
                              UniqueFd written) override;
    boost::asio::awaitable<void> write_state(const UniqueFd& file, std::string bytes) override;
    boost::asio::awaitable<void> sync_state(const UniqueFd& file) override;
    boost::asio::awaitable<std::string> read_state(const UniqueFd& file,
                                                   std::size_t bytes_max) override;
    Result<UniqueFd> open_state(const SessionId& id, const std::string& name) override;
    [[nodiscard]] Result<std::vector<std::string>> list_state(const SessionId& id) const override;
    Result<void> share_state(const SessionId& from, const SessionId& to) override;
    Result<void> remove_state(const SessionId& id, const std::string& name) override;

    // Absolute, without a slash at its end: what path_of() begins with.
    [[nodiscard]] const std::string& root() const { return layout_.path; }
    [[nodiscard]] FolderThread::Counts counts() const { return worker_.counts(); }

private:
    DiskFolders(Layout layout, std::optional<Ids> owner, FolderOptions options);

    void fill_if_needed();

    Layout layout_;
    Leftovers leftovers_;
    const std::optional<Ids> owner_;
    const FolderOptions options_;
    ReadyMade ready_;
    StateFiles state_;
    Workers state_workers_;
    FolderThread worker_;  // last: its thread uses all of the above
};

}  // namespace atl::folders
