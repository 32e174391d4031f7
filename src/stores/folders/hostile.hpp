#pragma once
// How anything below a session's folder is touched: by one name at a time, relative to a
// descriptor, never through a link, never into another mount, never blocking.
//
// Names, kinds and modes in there are chosen by untrusted code, which may still run and swap a
// folder for a link between two of our calls. So what a name leads to is decided by opening it, and
// from then on only the descriptor counts.
//
// Functions here return 0 or an errno: the callers act on the cause. Any thread.
#include "base/fd.hpp"

#include <cstdint>
#include <dirent.h>
#include <memory>
#include <sys/stat.h>
#include <sys/types.h>

namespace atl::folders {

// What a file or folder takes on the disk. Blocks of stat are of this size, whatever the disk's
// are.
[[nodiscard]] inline std::uint64_t bytes_on_disk(const struct stat& info) {
    return static_cast<std::uint64_t>(info.st_blocks) * 512;
}

struct Opened {
    UniqueFd fd;
    struct stat info {};    // with the mode that it had
    bool loosened = false;  // its mode was changed to let us in; whoever cares puts it back
};

// `name` is one component, or "..". A folder that shuts its owner out is chmodded u+rwx, unless we
// are root, whom no mode shuts out. EXDEV when something is mounted there.
[[nodiscard]] int open_folder(int parent, const char* name, Opened& out);
// A regular file, for reading; its mode is as before when this returns. EINVAL for other kinds,
// EAGAIN when somebody holds a lease on it.
[[nodiscard]] int open_file(int parent, const char* name, Opened& out);

// Takes away what keeps root or the owner from changing this folder: modes, and the flags
// "immutable" and "append only". Says whether anything was changed, so a retry makes sense.
bool loosen_folder(int folder);
// The same for an entry of `folder`, a file or a folder.
bool loosen_entry(int folder, const char* name);

// Removes one entry that is no folder, or an empty folder (AT_REMOVEDIR), loosening what is in the
// way.
[[nodiscard]] int remove_entry(int folder, const char* name, int flags);
// Fails with EEXIST or ENOTEMPTY when the new name is taken.
[[nodiscard]] int rename_new(int from, const char* name, int to, const char* new_name);

// The names in a folder, read in pieces of 32 KiB. A position survives the descriptor.
class Names {
public:
    struct Entry {
        const char* name = nullptr;  // until the next call of next()
        unsigned char type = DT_UNKNOWN;
    };

    explicit Names(int folder, off_t from = 0);  // borrows it
    // 0 with an entry, or with a null name at the end; or an errno. Never "." or "..".
    [[nodiscard]] int next(Entry& entry);
    // Where the entry after the last one begins.
    [[nodiscard]] off_t position() const { return position_; }
    void rewind();

private:
    int folder_;
    off_t position_;
    bool moved_;  // the descriptor's offset is not position_
    std::size_t at_ = 0, filled_ = 0;
    std::unique_ptr<std::uint64_t[]> buffer_;  // aligned for the kernel's records
};

}  // namespace atl::folders
