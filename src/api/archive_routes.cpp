// Folders as archives, and archives as folders. Both are the work of a program in the sandbox that
// runs as its user, so a hostile archive meets the same walls as any other program.
#include "api/ends_with_client.hpp"
#include "api/file_content.hpp"
#include "api/file_paths.hpp"
#include "api/file_routes.hpp"
#include "api/session_types.hpp"
#include "guest_client/files.hpp"
#include "net/problem.hpp"

namespace atl::api {

namespace asio = boost::asio;
using guest_client::ArchiveFormat;

namespace {

constexpr std::uint64_t kArchiveBytesMax = 1ull << 40;  // the unpacker has quotas of its own
constexpr std::uint64_t kUnpackedBytesMax = 4ull << 30;
constexpr std::uint64_t kEntriesMax = 1'000'000;
constexpr std::uint64_t kEntryBytes = 4096;  // of the disk, however little is in it

struct Kind {
    std::string_view name;
    ArchiveFormat format;
    std::string_view content_type;
};
constexpr Kind kKinds[] = {
    {"tar", ArchiveFormat::Tar, "application/x-tar"},
    {"tar.gz", ArchiveFormat::TarGz, "application/gzip"},
    {"tar.zst", ArchiveFormat::TarZst, "application/zstd"},
    {"zip", ArchiveFormat::Zip, "application/zip"},
};

const Kind& kind_named(const std::string& name) {
    for (const auto& kind : kKinds) {
        if (kind.name == name) return kind;
    }
    throw ErrorException({Code::InvalidArgument, "archive: must be tar, tar.gz, tar.zst or zip"});
}

// An open file as a source of bytes, whichever way it is there.
class FileSource {
public:
    explicit FileSource(guest_client::OpenFile file) : file_(std::move(file)) {}

    asio::awaitable<std::size_t> read(std::span<char> room) {
        if (file_.descriptor) {
            const ssize_t n = ::pread(file_.descriptor.get(), room.data(), room.size(), offset_);
            if (n < 0) throw ErrorException({Code::Internal, "the archive cannot be read"});
            offset_ += n;
            co_return static_cast<std::size_t>(n);
        }
        while (rest_.empty()) {
            piece_ = co_await file_.pieces->next();
            if (!piece_) {
                co_await file_.pieces->end();
                co_return 0;
            }
            rest_ = piece_->bytes;
        }
        const auto part = rest_.substr(0, room.size());
        std::copy(part.begin(), part.end(), room.begin());
        rest_.remove_prefix(part.size());
        co_return part.size();
    }

private:
    guest_client::OpenFile file_;
    off_t offset_ = 0;
    std::optional<guest_client::Transfer::Piece> piece_;
    std::string_view rest_;
};

Extracted answer_of(const guest_client::Unpacked& done) {
    Extracted answer;
    answer.entries = done.entries;
    answer.bytes = done.bytes;
    for (const auto& one : done.skipped) answer.skipped.push_back({one.name, one.why});
    if (done.quota) {
        throw net::Problem(Code::TooLarge, "unpack: " + done.error)
            .with_member("entries", done.entries);
    }
    // Refused entries are named and no failure of the rest; all else that is wrong is one.
    if (!done.error.empty() && done.skipped.empty()) {
        throw net::Problem(Code::InvalidArgument, "unpack: " + done.error)
            .with_member("entries", done.entries);
    }
    return answer;
}

// Into a folder that is there, as much as the session has room for. All borrowed for the call.
asio::awaitable<void> unpack_from(sessions::Sessions& sessions, net::Exchange& exchange,
                                  const sessions::Use& use, const std::string& into,
                                  guest_client::UnpackOptions options,
                                  const guest_client::ByteSource& source) {
    const auto room = co_await sessions.room_for(*use, 1, 0);
    options.bytes_max = std::min(kUnpackedBytesMax, room.left());
    options.entries_max = std::min(kEntriesMax, room.left() / kEntryBytes + 1);
    const guest_client::Files files(use.link());
    const auto unpacker = files.unpacker(into, options);
    const EndsWithClient ends(exchange, *unpacker);
    const auto done = co_await files.unpack(*unpacker, source);
    const auto answer = answer_of(done);
    co_await exchange.respond(json_response(200, answer));
}

asio::awaitable<void> extract(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto asked = co_await read_json<ExtractBody>(exchange);
    const auto archive = path_from(asked.archive, "archive");
    const auto into = path_from(asked.into, "into");
    const auto use = co_await sessions.use(whose(exchange), session_in(exchange));
    const guest_client::Files files(use.link());
    const auto entry = co_await files.stat(archive, true);
    auto opened = co_await files.open(archive, 0, entry.size);
    co_await files.make_folder(into, true);
    FileSource bytes(std::move(opened));
    const guest_client::ByteSource source = [&bytes](std::span<char> room) {
        return bytes.read(room);
    };
    guest_client::UnpackOptions options;
    options.strip = asked.strip;
    options.keep = !asked.overwrite;
    co_await unpack_from(sessions, exchange, use, into, options, source);
}

// The archive is the body: nothing of it lies in the sandbox but what it holds.
asio::awaitable<void> unpack(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto asked = schema::from_parameters<UnpackQuery>(exchange.request().target.query);
    const auto into = path_from(asked.into, "into");
    const auto use = co_await sessions.use(whose(exchange), session_in(exchange));
    exchange.limit_body(kArchiveBytesMax);
    const guest_client::Files files(use.link());
    co_await files.make_folder(into, true);
    const guest_client::ByteSource source = [&exchange](std::span<char> room) {
        return exchange.read_into(room);
    };
    guest_client::UnpackOptions options;
    options.strip = asked.strip;
    options.keep = !asked.overwrite;
    co_await unpack_from(sessions, exchange, use, into, options, source);
}

}  // namespace

asio::awaitable<void> send_archive(net::Exchange& exchange,
                                   std::shared_ptr<guest_client::GuestLink> link,
                                   std::string folder, std::string format) {
    const Kind& kind = kind_named(format);
    std::string name(folder == "/" ? "root" : last_part(folder));
    name.append(".").append(kind.name);
    net::Headers headers;
    headers.set("Content-Type", kind.content_type);
    headers.set("Content-Disposition", disposition(true, name));
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Cache-Control", "no-store");
    if (exchange.request().method == "HEAD") {
        co_await exchange.begin(200, std::move(headers));
        co_await exchange.end();
        co_return;
    }
    const guest_client::Files files(std::move(link));
    const auto packing = files.pack(folder, kind.format);
    const EndsWithClient ends(exchange, *packing);
    for (bool more = true; more;) {
        const auto piece = co_await packing->next();
        more = piece.has_value();
        if (!more || piece->kind != guest_client::Transfer::Piece::Kind::Stdout) continue;
        // The head goes out with the first bytes, so that what cannot even begin is a problem.
        if (!exchange.begun()) co_await exchange.begin(200, headers);
        co_await exchange.write(piece->bytes);
    }
    // Throws when it is not whole, which cuts the connection: nobody takes half of it for all.
    co_await guest_client::Files::check_packed(*packing);
    if (!exchange.begun()) co_await exchange.begin(200, headers);
    co_await exchange.end();
}

void add_archive_routes(Api& api, sessions::Sessions& sessions) {
    api.add(
        {.method = "POST",
         .pattern = "/v1/sessions/{id}/extract",
         .id = "extract_archive",
         .tag = kFilesTag,
         .summary = "Unpack an archive that is in the sandbox",
         .description = "Entries that would leave the folder, devices and their like are refused "
                        "and named; bombs end at a quota (413).",
         .path = schema::described<SessionPath>(),
         .bodies = {schema::json_body<ExtractBody>()},
         .answers = {schema::json_answer<Extracted>(200, "What was unpacked.")}},
        [&sessions](net::Exchange& exchange) { return extract(sessions, exchange); });
    api.add(
        {.method = "POST",
         .pattern = "/v1/sessions/{id}/unpack",
         .id = "unpack_archive",
         .tag = kFilesTag,
         .summary = "Unpack an archive that is sent along",
         .description = "The body is a tar (plain, gzip, zstd, xz, bzip2), zip or 7z, unpacked "
                        "while it comes. As with one in the sandbox, entries that would leave the "
                        "folder, devices and their like are refused and named. What was unpacked "
                        "before a failure stays.",
         .path = schema::described<SessionPath>(),
         .query = schema::described<UnpackQuery>(),
         .bodies = {schema::bytes_body("The archive.")},
         .answers = {schema::json_answer<Extracted>(200, "What was unpacked.")}},
        [&sessions](net::Exchange& exchange) { return unpack(sessions, exchange); });
}

}  // namespace atl::api
