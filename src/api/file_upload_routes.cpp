// POST to a folder: several files in one multipart form, each stored while it comes in.
#include "api/file_paths.hpp"
#include "api/file_routes.hpp"
#include "api/part_source.hpp"
#include "guest_client/files.hpp"
#include "net/multipart.hpp"
#include "net/problem.hpp"

#include <boost/json/array.hpp>

namespace atl::api {

namespace asio = boost::asio;
namespace json = boost::json;
using Step = net::MultipartParser::Step;

namespace {

constexpr std::string_view kFormField = "files";
constexpr std::uint64_t kFormBytesMax = 1ull << 46;  // the files have limits of their own

// What is stored already stays stored: who reads that it failed is told what is there.
net::Problem with_stored(net::Problem problem, const Uploaded& done) {
    json::array stored;
    for (const auto& file : done.files) stored.emplace_back(file.path);
    problem.members["stored"] = std::move(stored);
    return problem;
}

asio::awaitable<void> store_all(sessions::Sessions& sessions, net::Exchange& exchange,
                                const sessions::Use& use, std::string folder, std::string boundary,
                                Uploaded& done) {
    const guest_client::Files files(use.link());
    const core::SessionRecord& record = use->record();
    net::MultipartParser parser(boundary);
    const auto bytes_max = file_bytes_max(record);
    for (;;) {
        const Step step = co_await next_form_step(exchange, parser);
        if (step == Step::End) break;
        if (step != Step::Part) continue;
        const auto part = parser.part();
        if (part.name != kFormField || !part.filename) {
            throw net::Problem(Code::InvalidArgument,
                               "the form takes files under the name files, and nothing else");
        }
        const auto path = below(folder, relative_path_from(*part.filename));
        auto room = co_await room_at(sessions, use, path, 0);
        PartSource bytes(exchange, parser, bytes_max, room);
        const guest_client::ByteSource source = [&bytes](std::span<char> into) {
            return bytes.read(into);
        };
        guest_client::WriteOptions options;
        options.parents = part.filename->find('/') != std::string::npos;
        const auto written = co_await files.write(path, options, source);
        room.finished();
        done.files.push_back(view_of(record.id.text(), path, written.entry));
    }
}

asio::awaitable<void> upload(sessions::Sessions& sessions, net::Exchange& exchange) {
    const auto asked = schema::from_parameters<UploadQuery>(exchange.request().target.query);
    const auto folder = path_in(exchange.request());
    const auto boundary = form_boundary(exchange.request());
    const auto use = co_await sessions.use(whose(exchange), session_in(exchange));
    exchange.limit_body(kFormBytesMax);
    const auto length = exchange.content_length().value_or(0);
    if (const auto most = use->disk_bytes_max(); most && length > *most) {
        // Not even in place of all that is there. What is less is counted file by file.
        const auto room = co_await sessions.room_for(*use, length, 0);
    }
    const guest_client::Files files(use.link());
    if (asked.parents) co_await files.make_folder(folder, true);
    const auto entry = co_await files.stat(folder, true);
    if (entry.type != guest_client::FileType::Directory) {
        throw ErrorException({Code::Conflict, path_text(folder) + " is no folder"});
    }
    Uploaded done;
    std::optional<net::Problem> problem;
    try {
        co_await store_all(sessions, exchange, use, folder, boundary, done);
    } catch (const net::Problem& failed) {
        problem = failed;
    } catch (const ErrorException& failed) {
        problem.emplace(failed.error);
        if (failed.error.code == Code::Exhausted) problem->status = 507;
    }
    if (!problem && done.files.empty()) {
        problem.emplace(Code::InvalidArgument, "files: the form has no file in it");
    }
    if (problem) throw with_stored(std::move(*problem), done);
    co_await exchange.respond(json_response(201, done));
}

}  // namespace

void add_file_upload_routes(Api& api, sessions::Sessions& sessions) {
    api.add(
        {.method = "POST",
         .pattern = "/v1/sessions/{id}/files/{path...}",
         .id = "upload_files",
         .tag = kFilesTag,
         .summary = "Upload files to a folder",
         .description = "A form with any number of files. A file's name may have folders in it; "
                        "they are made. Each file is stored whole or not at all; when one fails, "
                        "those before it stay, and the problem names them in `stored`.",
         .path = schema::described<FilePath>(),
         .query = schema::described<UploadQuery>(),
         .bodies = {schema::file_body({{std::string(kFormField), "The files.", true, true}})},
         .answers = {schema::json_answer<Uploaded>(201, "All of them are stored.")}},
        [&sessions](net::Exchange& exchange) { return upload(sessions, exchange); });
}

}  // namespace atl::api
