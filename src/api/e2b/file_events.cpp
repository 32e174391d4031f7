#include "api/e2b/file_events.hpp"

#include "api/file_paths.hpp"

#include <algorithm>

namespace atl::api::e2b {

namespace {

// guest/lib/files.cpp gives such names to files that are being written.
constexpr std::string_view kHidden = ".atoll-";
constexpr std::string_view kReplacing = ".atoll-replace-";
constexpr std::size_t kUploadsMax = 64;

constexpr std::string_view kCreate = "EVENT_TYPE_CREATE";
constexpr std::string_view kWrite = "EVENT_TYPE_WRITE";
constexpr std::string_view kRemove = "EVENT_TYPE_REMOVE";
constexpr std::string_view kRename = "EVENT_TYPE_RENAME";
constexpr std::string_view kChmod = "EVENT_TYPE_CHMOD";

}  // namespace

bool FileEvent::leaves_a_file() const noexcept { return type != kRemove && type != kRename; }

std::optional<std::string_view> name_below(std::string_view folder,
                                           std::string_view path) noexcept {
    if (path == folder) return ".";
    if (!path.starts_with(folder)) return std::nullopt;
    path.remove_prefix(folder.size());
    if (folder != "/") {
        if (!path.starts_with('/')) return std::nullopt;
        path.remove_prefix(1);
    }
    return path;
}

std::vector<FileEvent> FileEvents::of(const guest_client::FileChange& change) {
    const auto& what = change.what;
    const auto name = last_part(change.path);
    if (name.starts_with(kHidden)) {
        if (what == "moved_from") {
            if (uploads_.size() == kUploadsMax) uploads_.pop_front();
            uploads_.push_back({change.cookie, name.starts_with(kReplacing)});
        }
        return {};
    }
    if (what == "moved_to") {
        const auto upload = std::find_if(uploads_.begin(), uploads_.end(), [&](const Upload& one) {
            return one.cookie == change.cookie;
        });
        if (upload == uploads_.end()) return {{kCreate, change.path}};
        std::vector<FileEvent> events;
        if (!upload->replaces) events.push_back({kCreate, change.path});
        events.push_back({kChmod, change.path});
        events.push_back({kWrite, change.path});
        uploads_.erase(upload);
        return events;
    }
    if (what == "created") return {{kCreate, change.path}};
    if (what == "modified") return {{kWrite, change.path}};
    if (what == "removed") return {{kRemove, change.path}};
    if (what == "moved_from") return {{kRename, change.path}};
    if (what == "attributes") return {{kChmod, change.path}};
    return {};  // closed after writing: the writing was told
}

}  // namespace atl::api::e2b
