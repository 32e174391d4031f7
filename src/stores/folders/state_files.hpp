#pragma once
// The server's own files beside a session's: `<root>/<id>.state/<name>`, mode 0600.
//
// A file is written without a name (O_TMPFILE), so one that is never finished leaves nothing; where
// the file system cannot do that, under `.new.<name>`, which the next attempt replaces. finish
// syncs it, gives it its name by a rename and syncs the folders: after a power cut it is there
// whole, or as it was before.
//
// No guest ever reaches these. Borrows the root's descriptor. Any thread; of two writers of one
// name the last one to finish stays (without O_TMPFILE the earlier one gets a Conflict).
#include "base/fd.hpp"
#include "base/id.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace atl::folders {

class StateFiles {
public:
    explicit StateFiles(int root) : root_(root) {}

    [[nodiscard]] Result<UniqueFd> begin(const SessionId& id, const std::string& name);
    [[nodiscard]] Result<void> finish(const SessionId& id, const std::string& name,
                                      UniqueFd written);
    [[nodiscard]] Result<UniqueFd> open(const SessionId& id, const std::string& name) const;
    // A session that has no state has none in its list; one whose state cannot be read is a
    // failure.
    [[nodiscard]] Result<std::vector<std::string>> list(const SessionId& id) const;
    // What they take on the disk. One that forks share counts for each of them.
    [[nodiscard]] Result<std::uint64_t> bytes(const SessionId& id) const;
    [[nodiscard]] Result<void> share(const SessionId& from, const SessionId& to);
    [[nodiscard]] Result<void> remove(const SessionId& id, const std::string& name);

private:
    [[nodiscard]] Result<UniqueFd> folder_of(const SessionId& id) const;

    int root_;
};

}  // namespace atl::folders
