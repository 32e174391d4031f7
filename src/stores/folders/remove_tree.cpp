#include "stores/folders/remove_tree.hpp"

#include "stores/folders/names.hpp"
#include "stores/folders/walk.hpp"

#include <cerrno>
#include <fcntl.h>

namespace atl::folders {

namespace {

// A folder is read again as long as that finds something: not every file system shows all names
// to a reader while they are being removed. More than this, and somebody is making new ones.
constexpr unsigned kPassesMax = 16;

bool means_not_empty(int cause) { return cause == ENOTEMPTY || cause == EEXIST; }

}  // namespace

RemoveTree::RemoveTree(int parent, std::string name) : parent_(parent), name_(std::move(name)) {
    levels_.reserve(kWindow + 1);
}

void RemoveTree::note(const std::string& what, int cause) {
    if (cause_ != 0) return;
    cause_ = cause;
    obstacle_ = what;
}

void RemoveTree::begin() {
    begun_ = true;
    int cause = remove_entry(parent_, name_.c_str(), AT_REMOVEDIR);
    if (cause == ENOTDIR) cause = remove_entry(parent_, name_.c_str(), 0);
    if (cause == 0 || cause == ENOENT) {
        gone_ = true;
        return;
    }
    Opened top;
    if (means_not_empty(cause)) cause = open_folder(parent_, name_.c_str(), top);
    if (cause == 0) {
        levels_.emplace_back(std::move(top.fd), name_);
    } else {
        note(printable(name_), cause);
    }
}

bool RemoveTree::step(const Slice& slice) {
    if (!begun_) begin();
    while (!levels_.empty()) {
        if (slice.over()) return false;
        Level& here = levels_.back();
        Names::Entry entry;
        const int cause = here.names.next(entry);
        if (cause != 0 && cause != ENOENT) note("the folder " + printable(here.name), cause);
        if (entry.name != nullptr) {
            take(here, entry);
        } else {
            end_pass();
        }
    }
    return true;
}

void RemoveTree::take(Level& here, const Names::Entry& entry) {
    int cause = EISDIR;
    if (entry.type != DT_DIR) cause = remove_entry(here.fd.get(), entry.name, 0);
    // EPERM is what POSIX has for a folder; then rmdir tells whether it is one.
    if (cause == EISDIR || (cause == EPERM && entry.type == DT_UNKNOWN)) {
        cause = remove_entry(here.fd.get(), entry.name, AT_REMOVEDIR);
    }
    if (cause == 0) {
        ++here.removed;
    } else if (means_not_empty(cause)) {
        descend(here, entry.name);
    } else if (cause != ENOENT) {
        note(printable(entry.name), cause);
    }
}

void RemoveTree::descend(Level& here, const char* name) {
    if (levels_.size() > kWindow) {
        lift(here, name);
        return;
    }
    Opened opened;
    const int cause = open_folder(here.fd.get(), name, opened);
    if (cause == 0) {
        levels_.emplace_back(std::move(opened.fd), name);  // `here` and `name` may be gone now
    } else if (cause != ENOENT) {
        note("the folder " + printable(name), cause);
    }
}

void RemoveTree::lift(Level& here, const char* name) {
    int cause = 0;
    for (bool loosened = false;;) {
        const std::string up = "lifted-" + std::to_string(lifted_);
        cause = rename_new(here.fd.get(), name, levels_.front().fd.get(), up.c_str());
        if (means_not_empty(cause)) {
            ++lifted_;  // a program chose this very name
            continue;
        }
        if ((cause != EACCES && cause != EPERM) || loosened) break;
        // To move a folder is to write its "..", so it must be writable itself.
        loosened = true;
        const bool changed = loosen_folder(here.fd.get());
        if (!loosen_entry(here.fd.get(), name) && !changed) break;
    }
    if (cause == 0) {
        ++lifted_;
        ++here.removed;
    } else if (cause != ENOENT) {
        note("the folder " + printable(name), cause);
    }
}

void RemoveTree::end_pass() {
    Level& here = levels_.back();
    const bool is_top = levels_.size() == 1;
    const int parent = is_top ? parent_ : levels_[levels_.size() - 2].fd.get();
    const int cause = remove_entry(parent, here.name.c_str(), AT_REMOVEDIR);
    // The top one gets new entries from us, so it alone may be read any number of times.
    if (means_not_empty(cause) && here.removed > 0 && (is_top || here.passes < kPassesMax)) {
        here.removed = 0;
        ++here.passes;
        here.names.rewind();
        return;
    }
    if (cause != 0 && cause != ENOENT) note("the folder " + printable(here.name), cause);
    const bool went = cause == 0 || cause == ENOENT;
    if (is_top) gone_ = went;
    levels_.pop_back();
    if (went && !levels_.empty()) ++levels_.back().removed;
}

}  // namespace atl::folders
