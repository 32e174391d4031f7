#include "api/e2b/envd_files.hpp"

#include "api/e2b/entry_info.hpp"
#include "api/e2b/envd_path.hpp"
#include "api/e2b/sandbox_entry.hpp"
#include "api/file_content.hpp"
#include "api/file_paths.hpp"
#include "api/part_source.hpp"
#include "base/encoding.hpp"
#include "base/utf8.hpp"
#include "net/decompress.hpp"
#include "net/multipart.hpp"

#include <boost/json/array.hpp>

namespace atl::api::e2b {

namespace asio = boost::asio;
namespace json = boost::json;
using guest_client::FileType;
using Step = net::MultipartParser::Step;

namespace {

constexpr std::string_view kFormField = "file";
constexpr std::string_view kMetadataHeader = "x-metadata-";
constexpr std::uint64_t kUploadBytesMax = 1ull << 46;  // each file has a limit of its own
constexpr std::size_t kPackedPieceBytes = 64 * 1024;
// What the answer to a form says of its files: their names, and the request's metadata with each. A
// form is as long as a client likes, and a part of a hundred bytes may bring 30 KiB of these.
constexpr std::size_t kAnswerBytesMax = 4u << 20;
constexpr std::size_t kMetadataMax = 64;
constexpr std::size_t kMetadataKeyBytesMax = 128;
constexpr std::size_t kMetadataValueBytesMax = 4096;

[[noreturn]] void refuse(std::string why) {
    throw ErrorException({Code::InvalidArgument, std::move(why)});
}

std::string query_text(const net::Request& request, std::string_view name) {
    return std::string(request.target.parameter(name).value_or(std::string_view()));
}

using Metadata = std::map<std::string, std::string>;

Metadata metadata_in(const net::Headers& headers) {
    Metadata metadata;
    for (const auto& [name, value] : headers) {
        const auto key = ascii_lower(name);
        if (!key.starts_with(kMetadataHeader)) continue;
        const auto rest = key.substr(kMetadataHeader.size());
        if (rest.empty() || rest.size() > kMetadataKeyBytesMax) {
            refuse("metadata: a key has 1 to 128 characters");
        }
        if (value.size() > kMetadataValueBytesMax || !is_utf8(value)) {
            refuse("metadata: " + rest + " must be a text of at most 4096 bytes");
        }
        metadata[rest] = value;
    }
    if (metadata.size() > kMetadataMax) refuse("metadata: there are more than 64 keys");
    return metadata;
}

json::object written_info(const std::string& path, const Metadata& metadata) {
    json::object info{
        {"name", shown_path(last_part(path))}, {"type", "file"}, {"path", shown_path(path)}};
    if (metadata.empty()) return info;
    json::object shown;
    for (const auto& [key, value] : metadata) shown[key] = value;
    info["metadata"] = std::move(shown);
    return info;
}

// The body itself, as it comes or unpacked, up to what may be stored.
class BodySource {
public:
    BodySource(net::Exchange& exchange, bool packed, std::uint64_t bytes_max,
               sessions::DiskRoom& disk)
        : exchange_(exchange), bytes_max_(bytes_max), disk_(disk) {
        if (packed) gunzip_.emplace();
    }

    asio::awaitable<std::size_t> read(std::span<char> room) {
        std::size_t bytes = 0;
        if (gunzip_) {
            bytes = co_await unpack(room);
        } else {
            bytes = co_await exchange_.read_into(room);
        }
        bytes_ += bytes;
        if (bytes_ > bytes_max_) {
            throw ErrorException({Code::TooLarge, "the file is larger than a sandbox may store"});
        }
        disk_.take(bytes);
        co_return bytes;
    }

private:
    asio::awaitable<std::size_t> unpack(std::span<char> room) {
        for (;;) {
            const auto bytes = gunzip_->take(room).value();
            if (bytes > 0) co_return bytes;
            const auto piece = co_await exchange_.read_some(kPackedPieceBytes);
            if (piece.empty()) {
                gunzip_->finish().value();
                co_return 0;
            }
            gunzip_->add(piece);
        }
    }

    net::Exchange& exchange_;
    std::uint64_t bytes_max_;
    sessions::DiskRoom& disk_;
    std::optional<net::Gunzip> gunzip_;
    std::uint64_t bytes_ = 0;
};

// By the query alone: a header is not part of what a signature was made for, and must not lead its
// path to another home.
User owner_in(const net::Request& request) {
    (void)user_of(request);
    return user_named(query_text(request, "username"));
}

asio::awaitable<void> read_file(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto user = owner_in(exchange.request());
    const auto path = envd_path(query_text(exchange.request(), "path"), user.home);
    const auto use = co_await enter(sessions, exchange);
    const guest_client::Files files(use.link());
    std::optional<Error> failed;
    guest_client::FileEntry entry;
    try {
        entry = co_await files.stat(path, true);
    } catch (const ErrorException& error) { failed = error.error; }
    if (failed && failed->code == Code::NotFound) {
        throw ErrorException({Code::NotFound, "path '" + shown_path(path) + "' does not exist"});
    }
    if (failed) throw ErrorException(*failed);
    if (entry.type == FileType::Directory) {
        refuse("path '" + shown_path(path) + "' is a directory");
    }
    if (entry.type != FileType::File) refuse("path '" + shown_path(path) + "' is not a file");
    co_await send_file_content(exchange, files, path, entry, false);
}

class Upload {
public:
    Upload(sessions::Sessions& sessions, net::Exchange& exchange, const sessions::Use& use,
           const User& user)
        : sessions_(sessions),
          exchange_(exchange),
          use_(use),
          home_(user.home),
          files_(use.link()),
          bytes_max_(file_bytes_max(use->record())),
          metadata_(metadata_in(exchange.request().headers)) {}

    asio::awaitable<json::array> as_it_is(std::string path, bool packed) {
        json::array stored;
        path = co_await resolved(std::move(path));
        auto room = co_await room_at(sessions_, use_, path, packed ? 0 : declared());
        BodySource body(exchange_, packed, bytes_max_, room);
        const guest_client::ByteSource source = [&body](std::span<char> into) {
            return body.read(into);
        };
        co_await write(path, source);
        room.finished();
        stored.push_back(written_info(path, metadata_));
        co_return stored;
    }

    // Without a path each file has its own: the name that the form gives it.
    asio::awaitable<json::array> form(std::string path, std::string boundary) {
        json::array stored;
        std::size_t answer_bytes = 0;
        net::MultipartParser parser(boundary);
        for (;;) {
            const Step step = co_await next_form_step(exchange_, parser);
            if (step == Step::End) break;
            if (step != Step::Part) continue;
            const auto part = parser.part();
            if (part.name != kFormField) refuse("the form takes files under the name file");
            if (!path.empty() && !stored.empty()) {
                refuse("several files cannot have one path; name each in the form instead");
            }
            if (path.empty() && part.filename.value_or(std::string()).empty()) {
                refuse("a file has neither a path nor a name");
            }
            const auto at =
                co_await resolved(envd_path(path.empty() ? *part.filename : path, home_));
            answer_bytes += 2 * at.size();
            for (const auto& [key, value] : metadata_) answer_bytes += key.size() + value.size();
            if (answer_bytes > kAnswerBytesMax) {
                refuse("the form has too many files; those before " + shown_path(at) +
                       " are stored, send the others in another one");
            }
            auto room = co_await room_at(sessions_, use_, at, 0);
            PartSource bytes(exchange_, parser, bytes_max_, room);
            const guest_client::ByteSource source = [&bytes](std::span<char> into) {
                return bytes.read(into);
            };
            co_await write(at, source);
            room.finished();
            stored.push_back(written_info(at, metadata_));
        }
        if (stored.empty()) refuse("the form has no file in it");
        co_return stored;
    }

private:
    [[nodiscard]] std::uint64_t declared() const { return exchange_.content_length().value_or(0); }

    // A link is written through, as open(2) does.
    asio::awaitable<std::string> resolved(std::string path) const {
        const guest_client::Details details;
        try {
            const auto entry = co_await files_.stat(path, details);
            if (entry.resolved) co_return *entry.resolved;
        } catch (const ErrorException&) {}  // nothing is there; what else is wrong, the write says
        co_return path;
    }

    asio::awaitable<void> write(std::string path, guest_client::ByteSource source) const {
        guest_client::WriteOptions options;
        options.parents = true;
        for (const auto& [key, value] : metadata_) {
            options.attributes[std::string(kMetadataPrefix) + key] = value;
        }
        std::optional<Error> failed;
        try {
            co_await files_.write(path, options, std::move(source));
        } catch (const ErrorException& error) { failed = error.error; }
        if (!failed) co_return;
        if (failed->code == Code::Conflict) {
            refuse("path '" + shown_path(path) + "' is a directory");
        }
        throw ErrorException(*failed);
    }

    sessions::Sessions& sessions_;
    net::Exchange& exchange_;
    const sessions::Use& use_;
    std::string_view home_;
    guest_client::Files files_;
    std::uint64_t bytes_max_;
    Metadata metadata_;
};

bool is_packed(const net::Request& request) {
    const auto coding = net::trimmed(request.headers.get_or("Content-Encoding", "identity"));
    if (coding.empty() || net::same_ignoring_case(coding, "identity")) return false;
    if (net::same_ignoring_case(coding, "gzip")) return true;
    throw net::Problem(Code::InvalidArgument, "the body may come as gzip or identity")
        .with_status(415);
}

asio::awaitable<void> write_files(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto& request = exchange.request();
    const auto user = owner_in(request);
    const auto path = query_text(request, "path");
    const bool packed = is_packed(request);
    const auto type = ascii_lower(request.headers.get_or("Content-Type", {}));
    const bool is_form = type.starts_with("multipart/form-data");
    if (!is_form && !type.starts_with("application/octet-stream")) {
        throw net::Problem(Code::InvalidArgument,
                           "send multipart/form-data or application/octet-stream")
            .with_status(415);
    }
    if (is_form && packed) refuse("a form cannot be compressed; send application/octet-stream");
    if (!is_form && path.empty()) refuse("path: is missing");
    const auto use = co_await enter(sessions, exchange);
    exchange.limit_body(kUploadBytesMax);
    Upload upload(sessions, exchange, use, user);
    json::array stored;
    std::optional<Error> failed;
    try {
        if (is_form) {
            stored = co_await upload.form(path, form_boundary(request));
        } else {
            stored = co_await upload.as_it_is(envd_path(path, user.home), packed);
        }
    } catch (const net::Problem& problem) {
        if (problem.error.code != Code::TooLarge) throw;
        failed = problem.error;
    } catch (const ErrorException& error) {
        if (error.error.code != Code::TooLarge) throw;
        failed = error.error;
    }
    // To clients a file that does not fit is a disk that is full.
    if (failed) throw ErrorException({Code::DiskFull, failed->message});
    co_await exchange.respond(net::Response::json(200, stored));
}

}  // namespace

void add_envd_files(Api& api, sessions::Sessions& sessions) {
    const auto route = [](std::string_view method) {
        schema::Route one;
        one.method = method;
        one.pattern = "/e2b/sandboxes/{id}/envd/files";
        one.id = method;
        one.scope = "files";
        one.listed = false;
        return one;
    };
    api.add(route("GET"), plain_http(sessions, [&sessions](net::Exchange& exchange) {
                return read_file(sessions, exchange);
            }));
    api.add(route("POST"), plain_http(sessions, [&sessions](net::Exchange& exchange) {
                return write_files(sessions, exchange);
            }));
}

}  // namespace atl::api::e2b
