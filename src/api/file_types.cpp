#include "api/file_types.hpp"

#include "schema/describe.hpp"

namespace atl::api {

constexpr std::size_t kPathCharactersMax = 12'288;  // 4096 bytes, each in percent

BOOST_DESCRIBE_STRUCT(FilePath, (), (id, path))
ATOLL_TYPE(FilePath) {
    return request(
        "",
        field<&T::id>("The session.", required, length(1, 128),
                      example("s-mfrggzdfmztwq2lkmfrggzdfmztwq2lk")),
        field<&T::path>("The absolute path in the sandbox without its first slash, in "
                        "percent where it has to be.",
                        required, length(0, kPathCharactersMax), example("session/notes.txt")));
}

BOOST_DESCRIBE_STRUCT(FileView, (), (name, path, href, type, size, mode, modified_at, etag, target))
ATOLL_TYPE(FileView) {
    return response(
        "A file, a folder, or something else that has a name.",
        field<&T::name>("Its name; bytes that are no UTF-8 are replaced."),
        field<&T::path>("Its absolute path without the first slash, in percent: exact, whatever "
                        "bytes it has, and what goes behind `files/`.",
                        example("session/notes.txt")),
        field<&T::href>("Where it is on this server."),
        field<&T::type>("file, directory, symlink, fifo, socket or device.", example("file")),
        field<&T::size>("In bytes."), field<&T::mode>("Its rights, in octal.", example("0644")),
        field<&T::modified_at>("When it was last changed.", format("date-time")),
        field<&T::etag>("Of a file: changes with its content."),
        field<&T::target>("Of a link: where it leads, as it stands there."));
}

BOOST_DESCRIBE_STRUCT(FileList, (), (path, entries, next_after))
ATOLL_TYPE(FileList) {
    return response("A page of a folder, in the order of names.",
                    field<&T::path>("The folder, as in the address."),
                    field<&T::entries>("What is in it."),
                    field<&T::next_after>("`after` of the next page; left out at the end."));
}

BOOST_DESCRIBE_STRUCT(Uploaded, (), (files))
ATOLL_TYPE(Uploaded) {
    return response("What was stored.", field<&T::files>("In the order in which they came."));
}

BOOST_DESCRIBE_STRUCT(Artifacts, (), (artifacts, complete))
ATOLL_TYPE(Artifacts) {
    return response("What code left in /session/artifacts and /data/outputs.",
                    field<&T::artifacts>("Files, in the order of their paths."),
                    field<&T::complete>("False: there are more than are shown."));
}

BOOST_DESCRIBE_STRUCT(SkippedView, (), (name, why))
ATOLL_TYPE(SkippedView) {
    return response("An entry that was not unpacked.", field<&T::name>("As the archive has it."),
                    field<&T::why>("Why not."));
}

BOOST_DESCRIBE_STRUCT(Extracted, (), (entries, bytes, skipped))
ATOLL_TYPE(Extracted) {
    return response("What was unpacked.", field<&T::entries>("How many entries."),
                    field<&T::bytes>("Their bytes together."),
                    field<&T::skipped>("Entries that were refused or kept; the first hundred."));
}

BOOST_DESCRIBE_STRUCT(ChangeView, (), (what, path, directory))
ATOLL_TYPE(ChangeView) {
    return response("Something changed.",
                    field<&T::what>("created, removed, moved_from, moved_to, written, modified or "
                                    "attributes."),
                    field<&T::path>("As in the address of a file."),
                    field<&T::directory>("Whether it is a folder."));
}

BOOST_DESCRIBE_STRUCT(WatchNote, (), (note))
ATOLL_TYPE(WatchNote) {
    return response("About the watch itself.", field<&T::note>("In a sentence."));
}

BOOST_DESCRIBE_STRUCT(ReadFileQuery, (), (stat, download, archive, limit, after))
ATOLL_TYPE(ReadFileQuery) {
    return request(
        "", field<&T::stat>("Describe it in JSON; a link is described, not followed."),
        field<&T::download>("Of a file: for saving, not for showing."),
        field<&T::archive>("Of a folder: all of it as tar, tar.gz, tar.zst or zip.", length(0, 16)),
        field<&T::limit>("Of a folder: how many entries at most.", range(1, 10'000)),
        field<&T::after>("Of a folder: `next_after` of the page before.",
                         length(0, kPathCharactersMax)));
}

BOOST_DESCRIBE_STRUCT(WriteFileQuery, (), (parents, mode, sync))
ATOLL_TYPE(WriteFileQuery) {
    return request("", field<&T::parents>("Make the folders above it."),
                   field<&T::mode>("Its rights, in octal.", length(1, 4),
                                   pattern("0-7", "0-7", "digits from 0 to 7")),
                   field<&T::sync>("Answer when it is on disk, not just with the system."));
}

BOOST_DESCRIBE_STRUCT(UploadQuery, (), (parents))
ATOLL_TYPE(UploadQuery) {
    return request("", field<&T::parents>("Make the folder, and those above it."));
}

BOOST_DESCRIBE_STRUCT(RemoveFileQuery, (), (recursive))
ATOLL_TYPE(RemoveFileQuery) {
    return request("", field<&T::recursive>("Of a folder: with all that is in it."));
}

BOOST_DESCRIBE_STRUCT(MakeFolderQuery, (), (parents))
ATOLL_TYPE(MakeFolderQuery) {
    return request("", field<&T::parents>("Make the folders above it; one that is there is fine."));
}

BOOST_DESCRIBE_STRUCT(MoveBody, (), (from, to, parents, overwrite))
ATOLL_TYPE(MoveBody) {
    return request(
        "What to move, and where to. A path that starts with a slash is taken as it is; one that "
        "does not is in percent, like `path` in a listing.",
        field<&T::from>("The file, folder or link.", required, length(1, kPathCharactersMax),
                        example("/session/draft.txt")),
        field<&T::to>("Its new path.", required, length(1, kPathCharactersMax),
                      example("/session/final.txt")),
        field<&T::parents>("Make the folders above the new path."),
        field<&T::overwrite>("Replace what is there."));
}

BOOST_DESCRIBE_STRUCT(ExtractBody, (), (archive, into, strip, overwrite))
ATOLL_TYPE(ExtractBody) {
    return request(
        "An archive in the sandbox, and the folder to unpack it into. Paths as in a move.",
        field<&T::archive>("A tar (plain, gzip, zstd, xz, bzip2), zip or 7z.", required,
                           length(1, kPathCharactersMax), example("/session/data.zip")),
        field<&T::into>("A folder; it is made when it is not there.", required,
                        length(1, kPathCharactersMax), example("/session/data")),
        field<&T::strip>("Leave out so many leading parts of each name.", range(0, 100)),
        field<&T::overwrite>("Replace what is there; else it stays."));
}

BOOST_DESCRIBE_STRUCT(UnpackQuery, (), (into, strip, overwrite))
ATOLL_TYPE(UnpackQuery) {
    return request(
        "",
        field<&T::into>("A folder; it is made when it is not there. As in a move.", required,
                        length(1, kPathCharactersMax), example("/session/data")),
        field<&T::strip>("Leave out so many leading parts of each name.", range(0, 100)),
        field<&T::overwrite>("Replace what is there; else it stays."));
}

BOOST_DESCRIBE_STRUCT(WatchQuery, (), (path, recursive))
ATOLL_TYPE(WatchQuery) {
    return request("",
                   field<&T::path>("The folder; as in a move.", required,
                                   length(1, kPathCharactersMax), example("/session")),
                   field<&T::recursive>("All folders below it too."));
}

}  // namespace atl::api
