#include "stores/folders/disk_folders.hpp"

#include "base/write_all.hpp"
#include "stores/folders/append_beside.hpp"
#include "stores/folders/bring_in.hpp"
#include "stores/folders/names.hpp"
#include "stores/folders/work.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::folders {

namespace asio = boost::asio;

namespace {

constexpr const char* kStoreIdentity = ".store";  // no session has such a name
constexpr std::size_t kIdentityMax = 128;

}  // namespace

Result<std::unique_ptr<DiskFolders>> DiskFolders::open(std::string root, Ids ids,
                                                       FolderOptions options) {
    std::optional<Ids> owner;
    if (::geteuid() == 0) {
        if (ids.uid == 0 || ids.gid == 0) {
            return Error{Code::InvalidArgument,
                         "files of sessions must not belong to root: name another user and group"};
        }
        owner = ids;
    }
    auto layout = open_layout(root, options.server);
    if (!layout) return layout.error();
    auto leftovers = gather_leftovers(*layout);
    if (!leftovers) return leftovers.error();
    std::unique_ptr<DiskFolders> folders(new DiskFolders(std::move(*layout), owner, options));
    // The first one shows whether this can work at all. A full disk is no reason not to start: a
    // server that runs can remove things.
    auto first = folders->ready_.add();
    if (!first && first.error().code != Code::DiskFull) {
        return first.error().during(
            "make folders for user " + std::to_string(ids.uid) + " and group " +
            std::to_string(ids.gid) + " in " + folders->root() +
            (owner ? " (a server that is root in a user namespace needs these ids in it)" : ""));
    }
    folders->fill_if_needed();
    if (!leftovers->empty()) {
        folders->worker_.run(Speed::Long,
                             std::make_unique<EmptyTrash>(folders->layout_, folders->leftovers_,
                                                          std::move(*leftovers)));
    }
    return folders;
}

DiskFolders::DiskFolders(Layout layout, std::optional<Ids> owner, FolderOptions options)
    : layout_(std::move(layout)),
      leftovers_(options.tell),
      owner_(owner),
      options_(options),
      ready_(layout_.making.get(), owner, options.ready_max),
      state_(layout_.root.get()),
      state_workers_(2, "atoll-state"),
      worker_(options.waiting_max) {}

DiskFolders::~DiskFolders() = default;

std::string DiskFolders::store_identity() const {
    const UniqueFd file(::openat(layout_.root.get(), kStoreIdentity,
                                 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!file) return {};
    char text[kIdentityMax];
    const auto length = ::read(file.get(), text, sizeof text);
    return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : "?";
}

Result<void> DiskFolders::set_store_identity(const std::string& identity) {
    const UniqueFd file(::openat(layout_.root.get(), kStoreIdentity,
                                 O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    const int cause = file ? write_all(file.get(), identity) : errno;
    // Half a name would be somebody else's for good.
    if (file && cause != 0) (void)::unlinkat(layout_.root.get(), kStoreIdentity, 0);
    if (cause != 0) return failure("write whose sessions these are", cause);
    return {};
}

std::string DiskFolders::path_of(const SessionId& id) const {
    check_id(id).value();
    return layout_.path + "/" + id.text();
}

void DiskFolders::fill_if_needed() {
    if (ready_.wants_more()) worker_.run(Speed::Quick, std::make_unique<FillReady>(ready_));
}

asio::awaitable<std::string> DiskFolders::make(SessionId id) {
    std::string path = path_of(id);
    auto ready = ready_.take();
    fill_if_needed();
    if (ready) {
        // Here and now: one rename costs less than the way to another thread and back.
        give_folders(layout_, leftovers_, ready_, id, std::move(*ready)).value();
    } else {
        auto work = std::make_unique<MakeSession>(layout_, leftovers_, ready_, std::move(id));
        co_await worker_.ask<void>(Speed::Quick, std::move(work));
    }
    co_return path;
}

asio::awaitable<void> DiskFolders::remove(SessionId id) {
    check_id(id).value();
    // In a root that is gone nothing would be found, and that is not the same as nothing there.
    check_root().value();
    auto work = std::make_unique<RemoveSession>(layout_, leftovers_, std::move(id));
    co_await worker_.ask<void>(Speed::Quick, std::move(work));
}

asio::awaitable<void> DiskFolders::tidy() {
    auto names = leftovers_.take();
    if (names.empty()) co_return;
    auto work = std::make_unique<EmptyTrash>(layout_, leftovers_, std::move(names));
    co_await worker_.ask<void>(Speed::Long, std::move(work));
}

Result<void> DiskFolders::check_root() const {
    struct stat opened {};
    struct stat there {};
    const bool same = ::fstat(layout_.root.get(), &opened) == 0 &&
                      ::stat(layout_.path.c_str(), &there) == 0 && opened.st_ino == there.st_ino &&
                      opened.st_dev == there.st_dev;
    if (same) return {};
    return Error{Code::Unavailable,
                 "the folder of sessions is no longer where it was when the server started: it was "
                 "removed or moved, or its disk is not mounted any more; put it back, then start "
                 "the server again"};
}

asio::awaitable<void> DiskFolders::bring_in(SessionId id, std::string name, UniqueFd bytes) {
    check_id(id).value();
    auto work = std::make_unique<BringIn>(layout_, std::move(id), std::move(name), std::move(bytes),
                                          options_.copy, owner_);
    co_await worker_.ask<void>(Speed::Long, std::move(work));
}

asio::awaitable<void> DiskFolders::copy(SessionId from, SessionId to) {
    check_id(from).value();
    check_id(to).value();
    auto work = std::make_unique<CopySession>(layout_, leftovers_, std::move(from), std::move(to),
                                              with_random_end("copy"), options_.copy, owner_);
    co_await worker_.ask<void>(Speed::Long, std::move(work));
}

asio::awaitable<core::FolderUse> DiskFolders::use(SessionId id) {
    check_id(id).value();
    auto work = std::make_unique<MeasureSession>(layout_, std::move(id), options_.use);
    co_return co_await worker_.ask<core::FolderUse>(Speed::Look, std::move(work));
}

asio::awaitable<std::uint64_t> DiskFolders::state_bytes(SessionId id) {
    const auto measure = [&] { return state_.bytes(id); };
    const auto bytes = co_await state_workers_.run(measure);
    co_return bytes.value();
}

asio::awaitable<std::vector<SessionId>> DiskFolders::list() {
    if (!options_.server.empty()) co_return std::vector<SessionId>{};
    auto work = std::make_unique<ListSessions>(layout_);
    co_return co_await worker_.ask<std::vector<SessionId>>(Speed::Quick, std::move(work));
}

asio::awaitable<std::uint64_t> DiskFolders::room() {
    auto work = std::make_unique<AskRoom>(layout_);
    co_return co_await worker_.ask<std::uint64_t>(Speed::Quick, std::move(work));
}

Result<UniqueFd> DiskFolders::begin_state(const SessionId& id, const std::string& name) {
    return state_.begin(id, name);
}

Result<void> DiskFolders::finish_state(const SessionId& id, const std::string& name,
                                       UniqueFd written) {
    return state_.finish(id, name, std::move(written));
}

asio::awaitable<void> DiskFolders::write_state(const UniqueFd& file, std::string bytes) {
    return append_beside(state_workers_, file.get(), std::move(bytes), "save the session's state");
}

asio::awaitable<void> DiskFolders::sync_state(const UniqueFd& file) {
    const auto sync = [&file] { return ::fsync(file.get()) == 0 ? 0 : errno; };
    const int cause = co_await state_workers_.run(sync);
    if (cause != 0) throw ErrorException(failure("save the session's state", cause));
}

asio::awaitable<std::string> DiskFolders::read_state(const UniqueFd& file, std::size_t bytes_max) {
    std::string bytes(bytes_max, '\0');
    const auto read = [&] {
        const ssize_t n = ::read(file.get(), bytes.data(), bytes.size());
        return n < 0 ? -static_cast<ssize_t>(errno) : n;
    };
    const ssize_t n = co_await state_workers_.run(read);
    if (n < 0) throw ErrorException(failure("read the session's state", static_cast<int>(-n)));
    bytes.resize(static_cast<std::size_t>(n));
    co_return bytes;
}

Result<UniqueFd> DiskFolders::open_state(const SessionId& id, const std::string& name) {
    return state_.open(id, name);
}

Result<std::vector<std::string>> DiskFolders::list_state(const SessionId& id) const {
    return state_.list(id);
}

Result<void> DiskFolders::share_state(const SessionId& from, const SessionId& to) {
    return state_.share(from, to);
}

Result<void> DiskFolders::remove_state(const SessionId& id, const std::string& name) {
    return state_.remove(id, name);
}

}  // namespace atl::folders
