#pragma once
// The files of a sandbox, by its guest: look, list, read, write, move, remove, pack, unpack, watch.
//
// Paths are absolute, inside the sandbox, and any bytes but zero. They are resolved by the guest in
// the sandbox's own tree with its user's rights, so no link leads out of it, and nothing here opens
// a path of the host.
// Owns      nothing; the link must live as long as what was begun with it.
// Trusts    nothing that a guest says. A descriptor that it passes is looked at before it is used:
//           a regular file, open for reading, on a file system that does not keep a reader waiting.
// On failure ErrorException.
#include "guest_client/guest_link.hpp"
#include "guest_client/transfer.hpp"

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::guest_client {

enum class FileType { File, Directory, Symlink, Fifo, Socket, Device };
[[nodiscard]] std::string_view name_of(FileType type) noexcept;  // "file", "directory", …

struct FileEntry {
    std::string name;  // any bytes
    FileType type = FileType::File;
    std::uint64_t size = 0;
    std::uint32_t mode = 0;
    std::int64_t mtime_ns = 0;
    std::uint64_t inode = 0;
    std::uint64_t stored_bytes = 0;     // of `stat` alone: what the disk gets back when it goes
    std::optional<std::string> target;  // of a link, as it stands there
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    // With Details: where a link leads in the end, unless it leads nowhere; extended attributes.
    std::optional<std::string> resolved;
    FileType resolved_type = FileType::File;
    std::map<std::string, std::string> attributes;

    // Changes with the content, as far as the clock of a file system is fine enough.
    [[nodiscard]] bool same_version(const FileEntry& other) const noexcept {
        return size == other.size && mtime_ns == other.mtime_ns && inode == other.inode;
    }
};

struct FilePage {
    std::vector<FileEntry> entries;
    bool complete = true;
};

// An open file: its descriptor when it is large and the guest can pass one, else its bytes.
struct OpenFile {
    FileEntry entry;  // without a name and a mode
    UniqueFd descriptor;
    std::unique_ptr<Transfer> pieces;
};

// What entries say beside what stat(2) knows.
struct Details {
    std::string attributes;  // the prefix of extended attributes; empty: none
};

struct WriteOptions {
    std::uint32_t mode = 0644;
    bool parents = false;
    bool sync = false;  // on disk when it answers, not just with the kernel
    std::map<std::string, std::string> attributes = {};  // extended ones, by their full names
};

struct WrittenFile {
    FileEntry entry;
    bool replaced = false;
};

struct MoveOptions {
    bool parents = false;
    bool overwrite = true;
};

enum class ArchiveFormat { Tar, TarZst, TarGz, Zip };

struct UnpackOptions {
    std::uint32_t strip = 0;
    bool keep = false;  // what is there stays
    std::uint64_t bytes_max = 0;
    std::uint64_t entries_max = 0;
};

struct Unpacked {
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;
    struct Skipped {
        std::string name, why;
    };
    std::vector<Skipped> skipped;  // the first hundred
    bool quota = false;            // stopped by a limit or a full disk
    std::string error;             // empty: all of it
};

struct FileChange {
    std::string what;  // created, removed, moved_from, moved_to, written, modified, attributes
    std::string path;
    bool directory = false;
    std::int64_t cookie = 0;  // the same for both halves of a move
};

// Gives the next bytes of a file that is written; 0 at the end.
using ByteSource = std::function<boost::asio::awaitable<std::size_t>(std::span<char>)>;

class Files {
public:
    explicit Files(std::shared_ptr<GuestLink> link) : link_(std::move(link)) {}

    boost::asio::awaitable<FileEntry> stat(std::string path, bool follow) const;
    // Of a link, the link.
    boost::asio::awaitable<FileEntry> stat(std::string path, Details details) const;
    // In the order of names, those after `after`.
    boost::asio::awaitable<FilePage> list(std::string path, std::string after,
                                          std::uint32_t limit) const;
    // A tree, in no order; names are relative to it.
    boost::asio::awaitable<FilePage> walk(std::string path, int depth, std::uint32_t limit,
                                          std::optional<Details> details = {}) const;
    boost::asio::awaitable<OpenFile> open(std::string path, std::uint64_t offset,
                                          std::uint64_t length) const;
    // Whole or not at all: when this throws, or is destroyed, what was there is there still.
    boost::asio::awaitable<WrittenFile> write(std::string path, WriteOptions options,
                                              ByteSource source) const;
    boost::asio::awaitable<void> make_folder(std::string path, bool parents) const;
    boost::asio::awaitable<void> move(std::string from, std::string to, MoveOptions options) const;
    boost::asio::awaitable<void> remove(std::string path, bool recursive) const;

    // Pieces of kind Stdout are the archive; check_packed says at the end whether it is whole.
    [[nodiscard]] std::unique_ptr<Transfer> pack(const std::string& folder,
                                                 ArchiveFormat format) const;
    static boost::asio::awaitable<void> check_packed(Transfer& transfer);
    // What unpacks an archive into a folder that is there; then it is given the archive's bytes.
    [[nodiscard]] std::unique_ptr<Transfer> unpacker(const std::string& into,
                                                     const UnpackOptions& options) const;
    boost::asio::awaitable<Unpacked> unpack(Transfer& unpacker, ByteSource source) const;

    // Pieces of kind Event are changes; none is an overflow: list again.
    [[nodiscard]] std::unique_ptr<Transfer> watch(const std::string& path, bool recursive) const;
    [[nodiscard]] static std::optional<FileChange> change_in(const Transfer::Piece& piece);
    // The same for a listener that takes all of it at once. It must outlive the channel.
    struct WatchListener {
        std::function<void()> watching;  // from now on
        std::function<void(FileChange)> change;
        std::function<void()> overflow;  // list again
        std::function<void(const Error&)> ended;
    };
    [[nodiscard]] Channel watch(const std::string& path, bool recursive,
                                WatchListener listener) const;

private:
    std::shared_ptr<GuestLink> link_;
};

}  // namespace atl::guest_client
