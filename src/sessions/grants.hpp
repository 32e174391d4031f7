#pragma once
// Which folders of the host a session's sandbox sees. The two reviewers here are all that can grant
// one to a session (core/spec.hpp): what a client names is looked up, and never a path.
#include "core/folders.hpp"
#include "core/spec.hpp"

#include <map>
#include <string>
#include <vector>

namespace atl::sessions {

// Folders that the server's settings offer by name, read-only below /data.
class DataSetReview {
public:
    // `offered`: name to folder; must outlive this.
    explicit DataSetReview(const std::map<std::string, std::string>& offered) : offered_(offered) {}
    // Throws ErrorException for one that is not offered (any more), or whose folder is gone.
    [[nodiscard]] std::vector<core::GrantedMount> mounts(
        const std::vector<std::string>& names) const;

private:
    const std::map<std::string, std::string>& offered_;
};

// The folder that a session has on disk.
class SessionFolderReview {
public:
    [[nodiscard]] static core::GrantedFolder of(const core::Folders& folders, const SessionId& id) {
        return core::GrantedFolder(folders.path_of(id));
    }
};

}  // namespace atl::sessions
