#include "api/file_routes.hpp"

#include "api/file_content.hpp"
#include "api/file_paths.hpp"
#include "api/session_types.hpp"
#include "base/encoding.hpp"
#include "guest_client/files.hpp"
#include "net/problem.hpp"

#include <algorithm>

namespace atl::api {

namespace asio = boost::asio;
using guest_client::Files;
using guest_client::FileType;
using schema::described;
using schema::json_answer;
using schema::json_body;

namespace {

constexpr std::uint32_t kArtifactsMax = 1000;
constexpr int kArtifactsDepth = 16;
constexpr const char* kArtifactFolders[] = {"/session/artifacts", "/data/outputs"};

// A body that is counted while it comes.
class CountedBody {
public:
    CountedBody(net::Exchange& exchange, sessions::DiskRoom& room)
        : exchange_(exchange), room_(room) {}

    asio::awaitable<std::size_t> read(std::span<char> into) {
        const std::size_t bytes = co_await exchange_.read_into(into);
        room_.take(bytes);
        co_return bytes;
    }

private:
    net::Exchange& exchange_;
    sessions::DiskRoom& room_;
};

class FileRoutes {
public:
    explicit FileRoutes(sessions::Sessions& sessions) : sessions_(sessions) {}

    asio::awaitable<void> read(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<ReadFileQuery>(exchange.request().target.query);
        const auto path = path_in(exchange.request());
        const auto use = co_await sessions_.use(whose(exchange), session_in(exchange));
        const Files files(use.link());
        const auto entry = co_await files.stat(path, !asked.stat);
        if (asked.stat) {
            FileList one;
            one.path = path_text(path);
            one.entries.push_back(view_of(use->record().id.text(), path, entry));
            co_await exchange.respond(json_response(200, one));
        } else if (entry.type == FileType::Directory && !asked.archive.empty()) {
            co_await send_archive(exchange, use.link(), path, asked.archive);
        } else if (!asked.archive.empty()) {
            throw ErrorException({Code::Conflict, "archive: " + path_text(path) + " is no folder"});
        } else if (entry.type == FileType::Directory) {
            auto page = co_await list(files, path, asked, use->record().id.text());
            auto response = json_response(200, std::move(page));
            response.headers.set("Cache-Control", "no-store");
            response.headers.set("X-Atoll-Type", "directory");
            co_await exchange.respond(std::move(response));
        } else {
            co_await send_file_content(exchange, files, path, entry, asked.download);
        }
    }

    asio::awaitable<void> write(net::Exchange& exchange) const {
        const auto asked = schema::from_parameters<WriteFileQuery>(exchange.request().target.query);
        const auto path = path_in(exchange.request());
        if (path == "/" || exchange.request().parameter("path").back() == '/') {
            throw ErrorException({Code::InvalidArgument, "path: a file needs a name"});
        }
        const auto use = co_await sessions_.use(whose(exchange), session_in(exchange));
        exchange.limit_body(file_bytes_max(use->record()));
        const auto length = exchange.content_length().value_or(0);
        auto room = co_await room_at(sessions_, use, path, length);
        CountedBody body(exchange, room);
        const Files files(use.link());
        guest_client::WriteOptions options;
        options.mode = static_cast<std::uint32_t>(std::stoul(asked.mode, nullptr, 8)) & 0777u;
        options.parents = asked.parents;
        options.sync = asked.sync;
        const guest_client::ByteSource source = [&body](std::span<char> into) {
            return body.read(into);
        };
        std::optional<Error> failed;
        guest_client::WrittenFile written;
        try {
            written = co_await files.write(path, options, source);
            room.finished();
        } catch (const net::Problem&) { throw; } catch (const ErrorException& error) {
            failed = error.error;
        }
        if (failed) throw_as_storage(*failed);
        const auto id = use->record().id.text();
        auto response =
            json_response(written.replaced ? 200 : 201, view_of(id, path, written.entry));
        response.headers.set("ETag", etag_of(written.entry));
        if (!written.replaced) response.headers.set("Location", href_of(id, path));
        co_await exchange.respond(std::move(response));
    }

    asio::awaitable<void> remove(net::Exchange& exchange) const {
        const auto asked =
            schema::from_parameters<RemoveFileQuery>(exchange.request().target.query);
        const auto path = path_in(exchange.request());
        const auto use = co_await sessions_.use(whose(exchange), session_in(exchange));
        const Files files(use.link());
        co_await files.remove(path, asked.recursive);
        co_await exchange.respond(net::Response::empty());
    }

    asio::awaitable<void> make_folder(net::Exchange& exchange) const {
        const auto asked =
            schema::from_parameters<MakeFolderQuery>(exchange.request().target.query);
        const auto path = path_in(exchange.request());
        const auto use = co_await sessions_.use(whose(exchange), session_in(exchange));
        const auto room = co_await sessions_.room_for(*use, 0, 0);
        const Files files(use.link());
        std::optional<Error> failed;
        try {
            co_await files.make_folder(path, asked.parents);
        } catch (const ErrorException& error) { failed = error.error; }
        if (failed) throw_as_storage(*failed);
        const auto entry = co_await files.stat(path, true);
        const auto id = use->record().id.text();
        auto response = json_response(201, view_of(id, path, entry));
        response.headers.set("Location", href_of(id, path));
        co_await exchange.respond(std::move(response));
    }

    asio::awaitable<void> move(net::Exchange& exchange) const {
        const auto asked = co_await read_json<MoveBody>(exchange);
        const auto from = path_from(asked.from, "from");
        const auto to = path_from(asked.to, "to");
        const auto use = co_await sessions_.use(whose(exchange), session_in(exchange));
        const Files files(use.link());
        guest_client::MoveOptions options;
        options.parents = asked.parents;
        options.overwrite = asked.overwrite;
        std::optional<Error> failed;
        try {
            co_await files.move(from, to, options);
        } catch (const ErrorException& error) { failed = error.error; }
        if (failed) throw_as_storage(*failed);
        const auto entry = co_await files.stat(to, false);
        co_await exchange.respond(json_response(200, view_of(use->record().id.text(), to, entry)));
    }

    asio::awaitable<void> artifacts(net::Exchange& exchange) const {
        const auto use = co_await sessions_.use(whose(exchange), session_in(exchange));
        const Files files(use.link());
        const auto id = use->record().id.text();
        Artifacts answer;
        for (const char* folder : kArtifactFolders) {
            guest_client::FilePage page;
            try {
                page = co_await files.walk(folder, kArtifactsDepth, kArtifactsMax);
            } catch (const ErrorException& error) {
                // Code may have removed the folder: then nothing is in it.
                if (error.error.code != Code::NotFound) throw;
            }
            answer.complete = answer.complete && page.complete;
            for (const auto& entry : page.entries) {
                if (entry.type != FileType::File) continue;
                answer.artifacts.push_back(view_of(id, below(folder, entry.name), entry));
            }
        }
        std::sort(answer.artifacts.begin(), answer.artifacts.end(),
                  [](const FileView& a, const FileView& b) { return a.path < b.path; });
        co_await exchange.respond(json_response(200, std::move(answer)));
    }

private:
    static asio::awaitable<FileList> list(Files files, std::string path, ReadFileQuery asked,
                                          std::string session) {
        std::string after;
        if (!asked.after.empty()) {
            auto decoded = net::percent_decoded(asked.after);
            if (!decoded) {
                throw ErrorException({Code::InvalidArgument, "after: is not from this folder"});
            }
            after = std::move(*decoded);
        }
        const auto page = co_await files.list(path, std::move(after), asked.limit);
        FileList answer;
        answer.path = path_text(path);
        for (const auto& entry : page.entries) {
            answer.entries.push_back(view_of(session, below(path, entry.name), entry));
        }
        if (!page.complete && !page.entries.empty()) {
            answer.next_after = percent_encoded(page.entries.back().name);
        }
        co_return answer;
    }

    sessions::Sessions& sessions_;
};

schema::Answer any_bytes(int status, std::string description) {
    schema::Answer answer;
    answer.status = status;
    answer.description = std::move(description);
    answer.content_type = "*/*";
    return answer;
}

}  // namespace

void add_file_routes(Api& api, sessions::Sessions& sessions) {
    const FileRoutes routes(sessions);
    api.add({.method = "GET",
             .pattern = "/v1/sessions/{id}/files/{path...}",
             .id = "read_file",
             .tag = kFilesTag,
             .summary = "Read a file, or list a folder",
             .description =
                 "A file answers with its bytes, its type by its name; `Range`, `If-Range`, "
                 "`If-None-Match` and `HEAD` work as usual. A folder answers with a page of what "
                 "is in it, and the header `X-Atoll-Type: directory`. Links are followed inside "
                 "the sandbox and lead nowhere else. Devices, pipes, sockets and files of the "
                 "kernel are refused.",
             .path = described<FilePath>(),
             .query = described<ReadFileQuery>(),
             .answers = {json_answer<FileList>(200,
                                               "The folder's page; with `stat` a page with "
                                               "the one entry that was asked for."),
                         any_bytes(200, "The file."), any_bytes(206, "The range asked for."),
                         schema::empty_answer(304, "It has not changed.")}},
            [routes](net::Exchange& exchange) { return routes.read(exchange); });
    api.add(
        {.method = "PUT",
         .pattern = "/v1/sessions/{id}/files/{path...}",
         .id = "write_file",
         .tag = kFilesTag,
         .summary = "Write a file",
         .description = "Whole or not at all: until all bytes are there the old file stays, and "
                        "an upload that breaks off, is too large or finds the disk full (507) "
                        "leaves nothing behind.",
         .path = described<FilePath>(),
         .query = described<WriteFileQuery>(),
         .bodies = {[] {
             auto body = schema::bytes_body("The file's bytes.");
             body.required = false;
             return body;
         }()},
         .answers = {json_answer<FileView>(200, "It replaced another."),
                     json_answer<FileView>(201, "It is new.")}},
        [routes](net::Exchange& exchange) { return routes.write(exchange); });
    api.add({.method = "DELETE",
             .pattern = "/v1/sessions/{id}/files/{path...}",
             .id = "remove_file",
             .tag = kFilesTag,
             .summary = "Remove a file or a folder",
             .description = "A link is removed, never what it leads to.",
             .path = described<FilePath>(),
             .query = described<RemoveFileQuery>(),
             .answers = {schema::empty_answer(204, "It is gone.")}},
            [routes](net::Exchange& exchange) { return routes.remove(exchange); });
    api.add({.method = "PUT",
             .pattern = "/v1/sessions/{id}/folders/{path...}",
             .id = "make_folder",
             .tag = kFilesTag,
             .summary = "Make a folder",
             .path = described<FilePath>(),
             .query = described<MakeFolderQuery>(),
             .answers = {json_answer<FileView>(201, "It is there.")}},
            [routes](net::Exchange& exchange) { return routes.make_folder(exchange); });
    api.add({.method = "POST",
             .pattern = "/v1/sessions/{id}/move",
             .id = "move_file",
             .tag = kFilesTag,
             .summary = "Move or rename a file or a folder",
             .path = described<SessionPath>(),
             .bodies = {json_body<MoveBody>()},
             .answers = {json_answer<FileView>(200, "It, in its new place.")}},
            [routes](net::Exchange& exchange) { return routes.move(exchange); });
    api.add({.method = "GET",
             .pattern = "/v1/sessions/{id}/artifacts",
             .id = "list_artifacts",
             .tag = kFilesTag,
             .summary = "What code left for its caller",
             .path = described<SessionPath>(),
             .answers = {json_answer<Artifacts>(200,
                                                "Files in /session/artifacts and /data/outputs.")}},
            [routes](net::Exchange& exchange) { return routes.artifacts(exchange); });
    add_file_upload_routes(api, sessions);
    add_archive_routes(api, sessions);
    add_watch_routes(api, sessions);
}

}  // namespace atl::api
