#include "api/file_content.hpp"

#include "api/content_type.hpp"
#include "api/file_paths.hpp"
#include "base/encoding.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "net/problem.hpp"
#include "net/range.hpp"

#include <ctime>

namespace atl::api {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kInert = "default-src 'none'; sandbox";
constexpr int kTriesMax = 3;

std::string http_date(std::int64_t ns) {
    const std::time_t seconds = ns / 1'000'000'000;
    std::tm parts{};
    char text[40];
    if (::gmtime_r(&seconds, &parts) == nullptr) return {};
    const auto n = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
    return {text, n};
}

}  // namespace

net::Headers inert_headers(std::string_view name, bool download) {
    const auto type = content_type_of(name);
    net::Headers headers;
    headers.set("Content-Type", type);
    headers.set("Content-Disposition", disposition(download, name));
    headers.set("X-Content-Type-Options", "nosniff");
    // A browser's own viewer for PDF does not work in a sandbox, and runs nothing of ours.
    if (type != "application/pdf") headers.set("Content-Security-Policy", kInert);
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Cache-Control", "private, no-cache");
    return headers;
}

namespace {

net::Headers headers_of(const std::string& path, const guest_client::FileEntry& entry,
                        bool download) {
    net::Headers headers = inert_headers(last_part(path), download);
    headers.set("ETag", etag_of(entry));
    if (const auto date = http_date(entry.mtime_ns); !date.empty() && entry.mtime_ns > 0) {
        headers.set("Last-Modified", date);
    }
    headers.set("Accept-Ranges", "bytes");
    return headers;
}

bool has_not_changed(const net::Headers& request, const net::Headers& file) {
    if (request.contains("If-None-Match")) return net::is_unchanged(request, file);
    const auto since = request.get("If-Modified-Since");
    const auto ours = file.get("Last-Modified");
    return since && ours && *since == *ours;
}

asio::awaitable<void> send_pieces(net::Exchange& exchange, guest_client::Transfer& pieces,
                                  std::uint64_t length) {
    std::uint64_t left = length;
    for (bool more = true; more;) {
        const auto piece = co_await pieces.next();
        more = piece.has_value();
        if (!more) break;
        if (piece->bytes.size() > left) {
            throw ErrorException({Code::Internal, "the guest sent more than requested"});
        }
        co_await exchange.write(piece->bytes);
        left -= piece->bytes.size();
    }
    co_await pieces.end();
    if (left > 0) throw ErrorException({Code::Internal, "the file got shorter while it was sent"});
    co_await exchange.end();
}

}  // namespace

std::string disposition(bool attachment, std::string_view given) {
    std::string text = attachment ? "attachment" : "inline";
    // A name that reads like another one, or that steers a terminal, shall not get onto a disk.
    const std::string name = is_utf8(given) ? harmless(given, '_') : std::string(given);
    std::string plain;
    bool same = is_utf8(name);
    for (const char c : name) {
        const bool safe = c >= ' ' && c < '\x7f' && c != '"' && c != '\\' && c != '%';
        plain.push_back(safe ? c : '_');
        same = same && safe;
    }
    text.append("; filename=\"").append(plain).append("\"");
    if (!same && is_utf8(name)) {
        text.append("; filename*=UTF-8''").append(percent_encoded(name));
    }
    return text;
}

asio::awaitable<void> send_file_content(net::Exchange& exchange, guest_client::Files files,
                                        std::string path, guest_client::FileEntry entry,
                                        bool download, Embedding embedding) {
    const auto& request = exchange.request();
    for (int tries = 0; tries < kTriesMax; ++tries) {
        auto headers = headers_of(path, entry, download);
        if (embedding == Embedding::AnySite) {
            headers.set("Cross-Origin-Resource-Policy", "cross-origin");
        }
        if (has_not_changed(request.headers, headers)) {
            headers.remove("Content-Type");
            net::Response unchanged{304, std::move(headers), {}};
            co_await exchange.respond(std::move(unchanged));
            co_return;
        }
        net::Range range{net::Range::Kind::Whole, 0, entry.size};
        if (request.method == "GET") {
            range = net::range_of(request.headers, headers, entry.size);
        }
        if (range.kind == net::Range::Kind::Unsatisfiable) {
            throw net::Problem(Code::InvalidArgument, "the file has no such range")
                .with_status(416)
                .with_header("Content-Range", "bytes */" + std::to_string(entry.size));
        }
        const int status = range.kind == net::Range::Kind::Part ? 206 : 200;
        if (status == 206) {
            headers.set("Content-Range", "bytes " + std::to_string(range.first) + "-" +
                                             std::to_string(range.first + range.length - 1) + "/" +
                                             std::to_string(entry.size));
        }
        if (request.method == "HEAD") {
            co_await exchange.begin(status, std::move(headers), range.length);
            co_await exchange.end();
            co_return;
        }
        auto file = co_await files.open(path, range.first, range.length);
        if (!file.entry.same_version(entry)) {
            // Another file since it was looked at: what was said about it must fit what is sent.
            entry.size = file.entry.size;
            entry.mtime_ns = file.entry.mtime_ns;
            entry.inode = file.entry.inode;
            continue;
        }
        if (file.descriptor) {
            net::FileOptions options;
            options.status = status;
            options.headers = std::move(headers);
            options.offset = range.first;
            options.ranges = false;
            co_await exchange.send_file(file.descriptor.get(), range.length, std::move(options));
            co_return;
        }
        co_await exchange.begin(status, std::move(headers), range.length);
        co_await send_pieces(exchange, *file.pieces, range.length);
        co_return;
    }
    throw ErrorException({Code::Conflict, "the file keeps changing; try again"});
}

}  // namespace atl::api
