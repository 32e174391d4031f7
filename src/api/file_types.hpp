#pragma once
// API types of files.
#include "guest_client/files.hpp"
#include "schema/json.hpp"

#include <optional>
#include <string>
#include <vector>

namespace atl::api {

// ---- paths ------------------------------------------------------------------------------------

struct FilePath {
    std::string id;
    std::string path;
};
ATOLL_DESCRIBED(FilePath);

// ---- what is answered -------------------------------------------------------------------------

struct FileView {
    std::string name;
    std::string path;
    std::string href;
    std::string type;
    std::uint64_t size = 0;
    std::string mode;
    std::string modified_at;
    std::optional<std::string> etag;
    std::optional<std::string> target;
};
ATOLL_DESCRIBED(FileView);

struct FileList {
    std::string path;
    std::vector<FileView> entries;
    std::optional<std::string> next_after;
};
ATOLL_DESCRIBED(FileList);

struct Uploaded {
    std::vector<FileView> files;
};
ATOLL_DESCRIBED(Uploaded);

struct Artifacts {
    std::vector<FileView> artifacts;
    bool complete = true;
};
ATOLL_DESCRIBED(Artifacts);

struct SkippedView {
    std::string name;
    std::string why;
};
ATOLL_DESCRIBED(SkippedView);

struct Extracted {
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;
    std::vector<SkippedView> skipped;
};
ATOLL_DESCRIBED(Extracted);

struct ChangeView {
    std::string what;
    std::string path;
    bool directory = false;
};
ATOLL_DESCRIBED(ChangeView);

struct WatchNote {
    std::string note;
};
ATOLL_DESCRIBED(WatchNote);

// ---- what is asked ----------------------------------------------------------------------------

struct ReadFileQuery {
    bool stat = false;
    bool download = false;
    std::string archive;
    std::uint32_t limit = 200;
    std::string after;
};
ATOLL_DESCRIBED(ReadFileQuery);

struct WriteFileQuery {
    bool parents = false;
    std::string mode = "0644";
    bool sync = false;
};
ATOLL_DESCRIBED(WriteFileQuery);

struct UploadQuery {
    bool parents = false;
};
ATOLL_DESCRIBED(UploadQuery);

struct RemoveFileQuery {
    bool recursive = false;
};
ATOLL_DESCRIBED(RemoveFileQuery);

struct MakeFolderQuery {
    bool parents = false;
};
ATOLL_DESCRIBED(MakeFolderQuery);

struct MoveBody {
    std::string from;
    std::string to;
    bool parents = false;
    bool overwrite = false;
};
ATOLL_DESCRIBED(MoveBody);

struct ExtractBody {
    std::string archive;
    std::string into;
    std::uint32_t strip = 0;
    bool overwrite = true;
};
ATOLL_DESCRIBED(ExtractBody);

struct UnpackQuery {
    std::string into;
    std::uint32_t strip = 0;
    bool overwrite = true;
};
ATOLL_DESCRIBED(UnpackQuery);

struct WatchQuery {
    std::string path;
    bool recursive = true;
};
ATOLL_DESCRIBED(WatchQuery);

}  // namespace atl::api
