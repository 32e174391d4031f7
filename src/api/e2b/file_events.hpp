#pragma once
// What happens to files, in envd's words: create, write, remove, rename, chmod.
//
// An upload is written under a hidden name and then renamed, so that nobody sees half of it. Those
// who watch are told of it as of a file that was created, given its mode and written. Pure
// computation.
#include "guest_client/files.hpp"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::api::e2b {

struct FileEvent {
    std::string_view type;  // EVENT_TYPE_…
    std::string path;
    // Whether there may be a file of that path now.
    [[nodiscard]] bool leaves_a_file() const noexcept;
};

// What a client that watches `folder` calls `path`: the rest of it, "." for the folder itself, and
// nothing for what is not in it. Guests send these paths, and only say that they are below.
[[nodiscard]] std::optional<std::string_view> name_below(std::string_view folder,
                                                         std::string_view path) noexcept;

class FileEvents {
public:
    // What one change means: mostly one event, sometimes none.
    [[nodiscard]] std::vector<FileEvent> of(const guest_client::FileChange& change);

private:
    struct Upload {
        std::int64_t cookie;
        bool replaces;
    };
    std::deque<Upload> uploads_;  // that have lost their hidden name, and have no other yet
};

}  // namespace atl::api::e2b
