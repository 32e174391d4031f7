#include "guest_client/files.hpp"

#include "base/fields.hpp"
#include "wire/assembler.hpp"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <fcntl.h>
#include <linux/magic.h>
#include <memory>
#include <span>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace atl::guest_client {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::int64_t kDescriptorFrom = 128 * 1024;
constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr std::size_t kNameBytesMax = 64 * 1024;
constexpr std::size_t kPageBytesMax = 32u << 20;
constexpr std::size_t kReportBytesMax = 1 << 20;
constexpr std::size_t kRemarkBytesMax = 4096;
constexpr std::chrono::seconds kTidyTime{5};
constexpr const char* kArchiver = "/opt/atoll/guest/atoll-archive";

// Names go as text while they are ASCII, and else in hexadecimal, so that no byte is lost.
void put(json::object& request, const std::string& key, const std::string& bytes) {
    const bool plain = std::all_of(bytes.begin(), bytes.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (plain) {
        request[key] = bytes;
        return;
    }
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (const char c : bytes) {
        hex.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
        hex.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
    }
    request[key + "_hex"] = hex;
}

std::string name_in(const json::object& from, const std::string& key) {
    const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
    const std::string hex = fields::text_of(from, key + "_hex");
    std::string name;
    if (hex.empty()) {
        name = fields::text_of(from, key);
    } else {
        for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
            name.push_back(static_cast<char>((digit(hex[i]) & 15) << 4 | (digit(hex[i + 1]) & 15)));
        }
    }
    if (name.size() > kNameBytesMax) name.resize(kNameBytesMax);
    return name;
}

FileType type_named(const std::string& name) {
    if (name == "file") return FileType::File;
    if (name == "directory") return FileType::Directory;
    if (name == "symlink") return FileType::Symlink;
    if (name == "fifo") return FileType::Fifo;
    if (name == "socket") return FileType::Socket;
    return FileType::Device;
}

FileEntry entry_of(const json::object& from) {
    FileEntry entry;
    entry.name = name_in(from, "name");
    entry.type = type_named(fields::text_of(from, "type"));
    entry.size =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, fields::number_of(from, "size")));
    entry.mode = static_cast<std::uint32_t>(fields::number_of(from, "mode")) & 07777;
    entry.mtime_ns = fields::number_of(from, "mtime_ns");
    entry.inode = static_cast<std::uint64_t>(fields::number_of(from, "inode"));
    entry.stored_bytes = static_cast<std::uint64_t>(
        std::max<std::int64_t>(0, fields::number_of(from, "stored_bytes")));
    if (from.contains("target")) entry.target = name_in(from, "target");
    entry.uid = static_cast<std::uint32_t>(fields::number_of(from, "uid"));
    entry.gid = static_cast<std::uint32_t>(fields::number_of(from, "gid"));
    if (from.contains("resolved")) {
        entry.resolved = name_in(from, "resolved");
        entry.resolved_type = type_named(fields::text_of(from, "resolved_type"));
    }
    const auto* attributes = from.if_contains("attributes");
    if (attributes == nullptr || !attributes->is_object()) return entry;
    for (const auto& [name, value] : attributes->get_object()) {
        if (value.is_string()) entry.attributes[std::string(name)] = value.get_string().c_str();
    }
    return entry;
}

FileEntry entry_in(const json::object& end) {
    const auto* entry = end.if_contains("entry");
    if (entry == nullptr || !entry->is_object()) {
        throw ErrorException({Code::Internal, "the guest did not describe the file"});
    }
    return entry_of(entry->get_object());
}

std::size_t text_bytes(const FileEntry& entry) {
    std::size_t bytes = sizeof entry + entry.name.size();
    if (entry.target) bytes += entry.target->size();
    if (entry.resolved) bytes += entry.resolved->size();
    for (const auto& [name, value] : entry.attributes) bytes += name.size() + value.size();
    return bytes;
}

// Answers with what the page holds then, in bytes.
std::size_t add_entries(FilePage& page, const json::object& event, std::uint32_t limit,
                        std::size_t bytes) {
    const auto* entries = event.if_contains("entries");
    if (entries == nullptr || !entries->is_array()) return bytes;
    for (const auto& one : entries->get_array()) {
        if (!one.is_object() || page.entries.size() >= limit) continue;
        page.entries.push_back(entry_of(one.get_object()));
        bytes += text_bytes(page.entries.back());
        // A guest that is honest has 200 bytes for each. One that is not would make any number of
        // entries fill the host: an event alone may have 40 MiB.
        if (bytes <= kPageBytesMax) continue;
        throw ErrorException(
            {Code::Exhausted, "the names and attributes of these files have more than " +
                                  std::to_string(kPageBytesMax) + " bytes; list them in parts"});
    }
    return bytes;
}

// Reading it must end, and not wait for somebody whom the sandbox can make slow.
bool is_plain_file(int fd) {
    struct stat info {};
    struct statfs system {};
    const int flags = ::fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) != O_RDONLY || (flags & O_PATH) != 0) return false;
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    if (::fstatfs(fd, &system) != 0) return false;
    constexpr unsigned long kXfs = 0x58465342, kZfs = 0x2fc12fc1;
    switch (static_cast<unsigned long>(system.f_type)) {
        case TMPFS_MAGIC:
        case EXT4_SUPER_MAGIC:
        case BTRFS_SUPER_MAGIC:
        case F2FS_SUPER_MAGIC:
        case OVERLAYFS_SUPER_MAGIC:
        case kXfs:
        case kZfs: return true;
        default: return false;
    }
}

asio::awaitable<FilePage> collect(std::shared_ptr<GuestLink> link, json::object request,
                                  std::uint32_t limit) {
    FilePage page;
    std::size_t bytes = 0;
    Transfer transfer(link, request);
    for (bool more = true; more;) {
        const auto piece = co_await transfer.next();
        more = piece.has_value();
        if (more) bytes = add_entries(page, piece->event, limit, bytes);
    }
    const auto end = co_await transfer.end();
    page.complete = fields::flag_of(end, "complete");
    co_return page;
}

json::object archiver(const std::string& directory, json::array argv, bool with_stdin) {
    json::object request{{"op", "process.start"}, {"stdin", with_stdin}};
    argv.insert(argv.begin(), kArchiver);
    request["argv"] = std::move(argv);
    put(request, "cwd", directory);
    return request;
}

const char* name_of(ArchiveFormat format) {
    switch (format) {
        case ArchiveFormat::Tar: return "tar";
        case ArchiveFormat::TarZst: return "tar.zst";
        case ArchiveFormat::TarGz: return "tar.gz";
        case ArchiveFormat::Zip: return "zip";
    }
    return "tar";
}

// Sends all that the source has. False when the guest has ended the operation before.
asio::awaitable<bool> send_all(Transfer& transfer, ByteSource source) {
    std::string buffer(kPieceBytes, '\0');
    for (;;) {
        const std::span<char> room(buffer);
        const std::size_t bytes = co_await source(room);
        if (bytes == 0) break;
        const auto piece = std::string_view(buffer).substr(0, bytes);
        const bool taken = co_await transfer.send(piece);
        if (!taken) co_return false;
    }
    transfer.send_end();
    co_return true;
}

// After the source broke off: the unpacker finds the archive cut, and takes away the file that it
// was at. It is not trusted to, so there is an end to waiting.
asio::awaitable<void> let_tidy_up(Transfer& transfer, std::shared_ptr<GuestLink> link) {
    transfer.send_end();
    core::Timer patience(link->executor(), link->clock());
    patience.expires_after(kTidyTime);
    patience.then([&transfer] { transfer.stop({Code::Timeout, "the archiver did not exit"}); });
    try {
        co_await transfer.end();
    } catch (const ErrorException&) {}  // it was to end, however that be
}

Unpacked read_report(const std::string& text) {
    Unpacked result;
    const auto parsed = fields::parse_object(text);
    if (!parsed) throw ErrorException({Code::Internal, "the archiver left no report"});
    const auto count = [&](const char* key) {
        return static_cast<std::uint64_t>(
            std::max<std::int64_t>(0, fields::number_of(*parsed, key)));
    };
    result.entries = count("entries");
    result.bytes = count("bytes");
    result.error = fields::text_of(*parsed, "error");
    if (const auto* list = parsed->if_contains("skipped"); list != nullptr && list->is_array()) {
        for (const auto& one : list->get_array()) {
            if (!one.is_object() || result.skipped.size() >= 100) continue;
            result.skipped.push_back({fields::text_of(one.get_object(), "name"),
                                      fields::text_of(one.get_object(), "why")});
        }
    }
    return result;
}

}  // namespace

std::string_view name_of(FileType type) noexcept {
    switch (type) {
        case FileType::File: return "file";
        case FileType::Directory: return "directory";
        case FileType::Symlink: return "symlink";
        case FileType::Fifo: return "fifo";
        case FileType::Socket: return "socket";
        case FileType::Device: break;
    }
    return "device";
}

asio::awaitable<FileEntry> Files::stat(std::string path, bool follow) const {
    json::object request{{"op", "file.stat"}, {"follow", follow}};
    put(request, "path", path);
    const auto end = co_await link_->call(std::move(request));
    co_return entry_in(end);
}

asio::awaitable<FilePage> Files::list(std::string path, std::string after,
                                      std::uint32_t limit) const {
    json::object request{{"op", "file.page"}, {"limit", limit}};
    put(request, "path", path);
    put(request, "after", after);
    return collect(link_, std::move(request), limit);
}

asio::awaitable<FileEntry> Files::stat(std::string path, Details details) const {
    json::object request{{"op", "file.stat"},
                         {"follow", false},
                         {"details", true},
                         {"attributes", details.attributes}};
    put(request, "path", path);
    const auto end = co_await link_->call(std::move(request));
    co_return entry_in(end);
}

asio::awaitable<FilePage> Files::walk(std::string path, int depth, std::uint32_t limit,
                                      std::optional<Details> details) const {
    json::object request{{"op", "file.list"}, {"depth", depth}, {"limit", limit}};
    if (details) {
        request["details"] = true;
        request["attributes"] = details->attributes;
    }
    put(request, "path", path);
    return collect(link_, std::move(request), limit);
}

asio::awaitable<OpenFile> Files::open(std::string path, std::uint64_t offset,
                                      std::uint64_t length) const {
    json::object request{{"op", "file.read"}, {"offset", offset}, {"length", length}};
    put(request, "path", path);
    request["descriptor_from"] = kDescriptorFrom;
    OpenFile file;
    for (;;) {
        file.pieces = std::make_unique<Transfer>(link_, request);
        auto opened = co_await file.pieces->next();
        if (!opened) {
            co_await file.pieces->end();
            throw ErrorException({Code::Internal, "the guest did not open the file"});
        }
        file.entry = entry_of(opened->event);
        if (!fields::flag_of(opened->event, "descriptor")) break;
        file.descriptor = file.pieces->take_descriptor();
        if (file.descriptor && is_plain_file(file.descriptor.get())) {
            file.pieces.reset();
            break;
        }
        file.descriptor.reset();
        // So it comes as bytes, which are only as slow as it is. The same when this process had no
        // room for the descriptor.
        if (request.erase("descriptor_from") == 0) {
            throw ErrorException({Code::Internal, "the guest passed a file that nobody asked for"});
        }
    }
    co_return file;
}

asio::awaitable<WrittenFile> Files::write(std::string path, WriteOptions options,
                                          ByteSource source) const {
    json::object request{{"op", "file.write"},
                         {"mode", options.mode},
                         {"parents", options.parents},
                         {"sync", options.sync}};
    if (!options.attributes.empty()) {
        json::object attributes;
        for (const auto& [name, value] : options.attributes) attributes[name] = value;
        request["attributes"] = std::move(attributes);
    }
    put(request, "path", path);
    Transfer transfer(link_, request);
    co_await send_all(transfer, std::move(source));
    const auto end = co_await transfer.end();
    WrittenFile written;
    written.entry = entry_in(end);
    written.replaced = fields::flag_of(end, "replaced");
    co_return written;
}

asio::awaitable<void> Files::make_folder(std::string path, bool parents) const {
    json::object request{{"op", "file.mkdir"}, {"parents", parents}};
    put(request, "path", path);
    co_await link_->call(std::move(request));
}

asio::awaitable<void> Files::move(std::string from, std::string to, MoveOptions options) const {
    json::object request{
        {"op", "file.move"}, {"parents", options.parents}, {"overwrite", options.overwrite}};
    put(request, "path", from);
    put(request, "to", to);
    co_await link_->call(std::move(request));
}

asio::awaitable<void> Files::remove(std::string path, bool recursive) const {
    json::object request{{"op", "file.remove"}, {"recursive", recursive}};
    put(request, "path", path);
    // A transfer and not a call: whoever gives up waiting ends it.
    Transfer transfer(link_, request);
    co_await transfer.end();
}

std::unique_ptr<Transfer> Files::pack(const std::string& folder, ArchiveFormat format) const {
    const auto request = archiver(folder, {"pack", "--format", name_of(format), "."}, false);
    return std::make_unique<Transfer>(link_, request);
}

asio::awaitable<void> Files::check_packed(Transfer& transfer) {
    const auto end = co_await transfer.end();
    const auto status = fields::number_of(end, "exit_code", 1);
    // 3: sockets and what could not be read were left out, which an archive cannot say.
    if (status != 0 && status != 3) {
        throw ErrorException({Code::Internal, "the archive could not be packed"});
    }
}

std::unique_ptr<Transfer> Files::unpacker(const std::string& into,
                                          const UnpackOptions& options) const {
    json::array argv{"unpack", "--strip", std::to_string(options.strip),
                     options.keep ? "--keep" : "--overwrite"};
    if (options.bytes_max > 0) {
        argv.emplace_back("--bytes-max");
        argv.emplace_back(std::to_string(options.bytes_max));
    }
    if (options.entries_max > 0) {
        argv.emplace_back("--entries-max");
        argv.emplace_back(std::to_string(options.entries_max));
    }
    return std::make_unique<Transfer>(link_, archiver(into, std::move(argv), true));
}

asio::awaitable<Unpacked> Files::unpack(Transfer& transfer, ByteSource source) const {
    std::exception_ptr broken;
    try {
        // What it stops reading at a quota for is in its report.
        co_await send_all(transfer, std::move(source));
    } catch (...) { broken = std::current_exception(); }
    if (broken) {
        co_await let_tidy_up(transfer, link_);
        std::rethrow_exception(broken);
    }
    std::string report, remarks;
    for (bool more = true; more;) {
        const auto piece = co_await transfer.next();
        more = piece.has_value();
        if (!more) break;
        std::string& kept = piece->kind == Transfer::Piece::Kind::Stderr ? remarks : report;
        if (kept.size() + piece->bytes.size() <= kReportBytesMax) kept += piece->bytes;
    }
    const auto end = co_await transfer.end();
    const auto status = fields::number_of(end, "exit_code", 1);
    if (status == 2 || report.empty()) {
        throw ErrorException(
            {Code::Internal, "the archiver failed: " + remarks.substr(0, kRemarkBytesMax)});
    }
    auto result = read_report(report);
    result.quota = status == 4;
    co_return result;
}

std::unique_ptr<Transfer> Files::watch(const std::string& path, bool recursive) const {
    json::object request{{"op", "file.watch"}, {"recursive", recursive}};
    put(request, "path", path);
    return std::make_unique<Transfer>(link_, request);
}

namespace {

std::optional<FileChange> file_change_of(const json::object& event) {
    if (fields::text_of(event, "event") != "change") return std::nullopt;
    FileChange change;
    change.what = fields::text_of(event, "what");
    change.path = name_in(event, "path");
    change.directory = fields::flag_of(event, "directory");
    change.cookie = fields::number_of(event, "cookie");
    return change;
}

}  // namespace

std::optional<FileChange> Files::change_in(const Transfer::Piece& piece) {
    return file_change_of(piece.event);
}

Channel Files::watch(const std::string& path, bool recursive, WatchListener listener) const {
    json::object request{{"op", "file.watch"}, {"recursive", recursive}};
    put(request, "path", path);
    const auto heard = std::make_shared<const WatchListener>(std::move(listener));
    ChannelHandlers handlers;
    handlers.event = [heard](const json::object& event) {
        if (auto change = file_change_of(event)) {
            heard->change(std::move(*change));
        } else if (fields::text_of(event, "event") == "watching") {
            heard->watching();
        } else {
            heard->overflow();
        }
    };
    handlers.ended = [heard](const Result<json::object>& result) {
        heard->ended(result ? Error{Code::Unavailable, "it is not watched any more"}
                            : result.error());
    };
    return link_->open(request, std::move(handlers));
}

}  // namespace atl::guest_client
