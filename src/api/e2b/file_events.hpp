#pragma once
// What happens to files, in envd's words: create, write, remove, rename, chmod.
//
// An upload is written under a hidden name and then renamed, so that nobody sees half of it. Those
// who watch are told of it as of a file that was created, given its mode and written. Pure
// computation.
#include "guest_client/files.hpp"

#include <deque>
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
