#pragma once
// Copies a hostile tree into a new one of ours: files, folders, links as they are, modes without
// set-user-id and set-group-id, times. Pipes, sockets, devices and mounts are left out; so are
// extended attributes.
//
// Files with several names stay one file. Memory for that would be the session's to choose, so the
// note of what was copied already is on the disk: the first copy of such a file gets one name more,
// its old inode number, in a folder beside the copy, and the others are linked from there.
//
// Reads the source as TreeWalk does; the target has the same window of open folders. Nobody else
// knows the target. Owns its descriptors, borrows the folder of links. One thread.
#include "base/result.hpp"
#include "stores/folders/copy_file.hpp"
#include "stores/folders/ids.hpp"
#include "stores/folders/slice.hpp"
#include "stores/folders/walk.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace atl::folders {

// The folders of the copy, from its top to where it is being written.
class TargetPath {
public:
    TargetPath(UniqueFd top, ino_t inode, std::optional<Ids> owner);
    [[nodiscard]] int folder() const { return levels_.back().fd.get(); }
    [[nodiscard]] Result<void> enter(const char* name);
    // Gives the folder its owner, mode and times, and goes back up; from the top, nowhere.
    [[nodiscard]] Result<void> leave(const struct stat& like, mode_t mode);

private:
    struct Level {
        UniqueFd fd;
        ino_t inode = 0;
    };
    std::optional<Ids> owner_;
    std::vector<Level> levels_;
};

class CopyTree {
public:
    CopyTree(TreeWalk from, TargetPath to, int links, CopyLimits limits, std::optional<Ids> owner);
    // Nothing while there is more to do.
    [[nodiscard]] std::optional<Result<void>> step(const Slice& slice);

private:
    [[nodiscard]] Result<void> copy_entry(const char* name);
    [[nodiscard]] Result<void> copy_link(const char* name, const struct stat& info);
    [[nodiscard]] Result<void> begin_file(const char* name, const struct stat& info);
    [[nodiscard]] Result<void> end_file();
    [[nodiscard]] Result<void> leave();

    TreeWalk from_;
    TargetPath to_;
    int links_;
    std::optional<Ids> owner_;
    std::unique_ptr<CopyProgress> progress_;  // stays where it is: files refer to it
    std::optional<CopyFile> file_;            // the one that is being copied
    std::string file_name_;
};

}  // namespace atl::folders
