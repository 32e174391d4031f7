#include "stores/folders/ready_made.hpp"

#include "stores/folders/hostile.hpp"
#include "stores/folders/names.hpp"

#include <cerrno>
#include <fcntl.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::folders {

namespace {

// The same folders and modes as a sandbox that keeps nothing finds in its memory
// (guest/lib/walls.cpp).
struct Folder {
    const char* path;
    mode_t mode;
};
constexpr Folder kFolders[] = {
    {"session", 0755},
    {"session/artifacts", 0755},
    {"data", 0755},
    {"data/outputs", 0755},
    {"work", 0755},
    {"work/artifacts", 0755},
    {"home", 0750},
    {"home/.cache", 0755},
    {"home/.cache/matplotlib", 0755},
    {"root", 0700},
    {"tmp", 01777},
    {"vartmp", 01777},
};

Error failed(const char* path, int cause) {
    return failure(std::string("make the folder ") + path, cause);
}

}  // namespace

ReadyMade::ReadyMade(int making, std::optional<Ids> owner, std::size_t ready_max)
    : making_(making), owner_(owner), ready_max_(ready_max) {
    Opened bench;
    // On a full disk there may be no room for it.
    if (::mkdirat(making_, "bench", 0700) == 0 && open_folder(making_, "bench", bench) == 0) {
        bench_ = std::move(bench.fd);
    }
}

std::optional<std::string> ReadyMade::take() {
    const std::lock_guard guard(mutex_);
    if (ready_.empty()) return std::nullopt;
    std::string name = std::move(ready_.front());
    ready_.pop_front();
    return name;
}

void ReadyMade::give_back(std::string name) {
    const std::lock_guard guard(mutex_);
    ready_.push_back(std::move(name));
}

bool ReadyMade::wants_more() {
    const std::lock_guard guard(mutex_);
    if (filling_ || ready_.size() > ready_max_ / 2) return false;
    filling_ = ready_.size() < ready_max_;
    return filling_;
}

Result<bool> ReadyMade::add() {
    {
        const std::lock_guard guard(mutex_);
        if (ready_.size() >= ready_max_) return false;
    }
    auto name = make();
    if (!name) return name.error();
    give_back(std::move(*name));
    return true;
}

void ReadyMade::filled() {
    const std::lock_guard guard(mutex_);
    filling_ = false;
}

Result<std::string> ReadyMade::make() {
    const std::string name = "ready-" + std::to_string(number_++);
    const int where = bench_ ? bench_.get() : making_;
    if (::mkdirat(where, name.c_str(), 0755) != 0) return failed(name.c_str(), errno);
    Opened top;
    const int cause = open_folder(where, name.c_str(), top);
    Result<void> made;
    if (cause != 0) {
        made = failed(name.c_str(), cause);
    } else {
        made = make_inside(top.fd.get());
    }
    if (made && ::renameat(where, name.c_str(), making_, name.c_str()) == 0) return name;
    if (made) made = failed(name.c_str(), errno);
    // Full: what was made goes again, the last one first. Nobody else knows it yet.
    for (auto folder = std::rbegin(kFolders); top.fd && folder != std::rend(kFolders); ++folder) {
        ::unlinkat(top.fd.get(), folder->path, AT_REMOVEDIR);
    }
    ::unlinkat(where, name.c_str(), AT_REMOVEDIR);
    return made.error();
}

Result<void> ReadyMade::make_inside(int top) {
    for (const auto& folder : kFolders) {
        // chmod after mkdir: the umask of the server's user applies.
        if (::mkdirat(top, folder.path, folder.mode) != 0 ||
            ::fchmodat(top, folder.path, folder.mode, 0) != 0 ||
            (owner_ && ::fchownat(top, folder.path, owner_->uid, owner_->gid, 0) != 0)) {
            return failed(folder.path, errno);
        }
    }
    if (::fchmod(top, 0755) != 0 || (owner_ && ::fchown(top, owner_->uid, owner_->gid) != 0)) {
        return failed("of the session", errno);
    }
    return {};
}

}  // namespace atl::folders
