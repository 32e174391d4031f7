#pragma once
// One file of the server's own into a session's /data, as a step of the folder thread.
//
// The session's folder is hostile: it is opened by one name at a time, and the file is made new or
// not at all: written under a name of ours first, and renamed when it is whole. What a crash leaves
// half-copied is replaced by whoever tries again.
#include "base/id.hpp"
#include "stores/folders/copy_file.hpp"
#include "stores/folders/folder_thread.hpp"
#include "stores/folders/ids.hpp"
#include "stores/folders/layout.hpp"

#include <optional>
#include <string>

namespace atl::folders {

class BringIn final : public Work<void> {
public:
    BringIn(const Layout& layout, SessionId id, std::string name, UniqueFd bytes, CopyLimits limits,
            std::optional<Ids> owner)
        : layout_(layout),
          id_(std::move(id)),
          name_(std::move(name)),
          bytes_(std::move(bytes)),
          owner_(owner) {
        progress_.left = limits;
    }
    std::optional<Result<void>> step(const Slice& slice) override;

private:
    [[nodiscard]] Result<bool> begin();  // false: it is there already
    [[nodiscard]] Result<void> put_in_place();

    const Layout& layout_;
    const SessionId id_;
    const std::string name_;
    UniqueFd bytes_;
    const std::optional<Ids> owner_;
    UniqueFd folder_;  // data/
    CopyProgress progress_;
    std::optional<CopyFile> copy_;
};

}  // namespace atl::folders
