#pragma once
// Puts entries beneath one directory, whatever the archive says and whatever other processes do
// there meanwhile.
//
// Every parent is opened from the directory's descriptor without following a link; every file, link
// and symbolic link is made under a temporary name in that parent and renamed, which replaces a
// link in its place and never writes through it. Owns the directory's descriptor; trusts neither
// the archive nor the tree. If it dies, at most one temporary file stays.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "guest/archive/quota.hpp"

#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <sys/stat.h>
#include <unordered_set>
#include <vector>

namespace atl::archive {

struct Attributes {
    mode_t mode = 0644;  // permissions only: the rest is cut off where they are applied
    std::optional<timespec> modified;
};

class ConfinedWriter;

// A file under way. Gone again unless commit() succeeds.
class PendingFile {
public:
    PendingFile(PendingFile&& other) noexcept;
    PendingFile& operator=(PendingFile&&) = delete;
    ~PendingFile();

    // Offsets only grow; what they jump over becomes a hole.
    Result<void> write(std::uint64_t offset, const char* data, std::size_t size);
    [[nodiscard]] std::uint64_t end() const { return end_; }
    Result<void> commit(std::uint64_t size, const Attributes& attributes);

private:
    friend class ConfinedWriter;
    PendingFile(ConfinedWriter& writer, UniqueFd fd, int parent, std::string name);

    ConfinedWriter& writer_;
    UniqueFd fd_;
    int parent_;  // borrowed from the writer, which holds it until its next entry
    std::string temporary_;
    std::string name_;
    std::uint64_t end_ = 0;
};

// Errors that are about_one_entry() leave the writer usable.
class ConfinedWriter {
public:
    // Borrows both. `keep`: what is there already stays, and the entry fails with Conflict.
    ConfinedWriter(int root, bool keep, Quota& quota);

    Result<void> add_directory(const std::string& path, const Attributes& attributes);
    Result<PendingFile> begin_file(const std::string& path);
    Result<void> add_symlink(const std::string& path, const std::string& target,
                             const Attributes& attributes);
    // Only to a file that this writer wrote: a link to anything else would hand the archive's later
    // entries, or whoever gets the tree, a file that was never in the archive.
    Result<void> add_hardlink(const std::string& path, const std::string& target);

    // Directories get their modes and times last: a read-only one must take its files first. Names
    // what could not be set.
    std::vector<std::pair<std::string, Error>> finish();

private:
    friend class PendingFile;
    struct Directory {
        std::string path;
        Attributes attributes;
    };

    Result<int> enter(const std::string& path);
    Result<UniqueFd> make_directories(const std::string& path);
    Result<int> place_for(const std::string& path, std::string& name);
    Result<void> put(int parent, const std::string& temporary, const std::string& name) const;
    [[nodiscard]] bool wrote(const struct stat& file) const;

    int root_;
    bool keep_;
    Quota& quota_;
    std::string parent_path_;  // most entries share their parent with the one before
    UniqueFd parent_;
    std::map<dev_t, std::unordered_set<ino_t>> written_;
    std::vector<Directory> directories_;
    std::size_t directories_bytes_ = 0;
};

}  // namespace atl::archive
