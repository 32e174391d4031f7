#include "api/mcp/resources.hpp"

#include "agent/sandbox_files.hpp"
#include "api/content_type.hpp"
#include "api/file_paths.hpp"
#include "base/encoding.hpp"
#include "base/utf8.hpp"
#include "base/workers.hpp"
#include "core/host_paths.hpp"
#include "net/target.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <boost/json/array.hpp>

namespace atl::api::mcp {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::string_view kBegin = "atoll://sessions/";
constexpr std::string_view kFiles = "/files/";
constexpr int kDepthMax = 8;
constexpr std::uint32_t kFolderFilesMax = 1000;
constexpr std::size_t kPageFiles = 500;
constexpr std::uint64_t kMemoryOfFile = 4;  // bytes for each of it: as it is, encoded, as an answer

[[noreturn]] void not_ours(std::string_view uri) {
    throw Refused(kInvalidParams, schema::quoted(uri) +
                                      " is no resource here; they are called "
                                      "atoll://sessions/{session}/files/{path}");
}

struct FoundFile {
    std::string path;
    std::uint64_t size = 0;
};

// A folder that is not there has no files.
asio::awaitable<void> add_files(std::vector<FoundFile>& found, guest_client::Files files,
                                std::string folder) {
    guest_client::FilePage page;
    try {
        page = co_await files.walk(folder, kDepthMax, kFolderFilesMax);
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound) throw;
    }
    for (const auto& entry : page.entries) {
        if (entry.type != guest_client::FileType::File) continue;
        found.push_back({below(folder, entry.name), entry.size});
    }
}

json::object contents_of(const std::string& uri, const std::string& path, std::string bytes) {
    json::object one{{"uri", uri}, {"mimeType", content_type_of(last_part(path))}};
    if (is_utf8(bytes)) {
        one["text"] = std::move(bytes);
    } else {
        one["blob"] = base64_encoded(bytes);
    }
    return {{"contents", json::array{std::move(one)}}};
}

[[noreturn]] void refuse_reading(const std::string& uri, const Error& error) {
    const auto plain = core::without_host_paths(error);
    const bool gone = error.code == Code::NotFound;
    throw Refused(
        Fault{gone ? kResourceNotFound : kServerError, plain.message, json::value{{"uri", uri}}});
}

asio::awaitable<agent::FileBytes> read_file(sessions::Sessions& sessions, std::string owner,
                                            ResourceAddress address, AnswerBudget::Share& share) {
    const auto use =
        co_await sessions.use(core::Whose::of(std::move(owner)), SessionId(address.session));
    const guest_client::Files files(use.link());
    const auto entry = co_await files.stat(address.path, true);
    if (entry.type == guest_client::FileType::Directory) {
        throw ErrorException({Code::Conflict, path_text(address.path) + " is a folder"});
    }
    if (entry.size > kResourceBytesMax) {
        throw ErrorException({Code::TooLarge, "this file has " + std::to_string(entry.size) +
                                                  " bytes, and resources are read up to " +
                                                  std::to_string(kResourceBytesMax) +
                                                  "; read parts of it with the tool read_file"});
    }
    if (!share.take(entry.size * kMemoryOfFile)) {
        throw ErrorException(
            {Code::Exhausted, "the server's memory for answers is used up; try again later"});
    }
    co_return co_await agent::read_bytes(files, std::move(address.path), 0, entry.size);
}

}  // namespace

std::string resource_uri(std::string_view session, std::string_view path) {
    std::string uri(kBegin);
    uri += percent_encoded(session);
    uri += "/files";
    uri += percent_encoded(path, "/");
    return uri;
}

ResourceAddress resource_address(std::string_view uri) {
    if (!uri.starts_with(kBegin)) not_ours(uri);
    const auto rest = uri.substr(kBegin.size());
    const auto files = rest.find(kFiles);
    if (files == std::string_view::npos || files == 0) not_ours(uri);
    const auto session = net::percent_decoded(rest.substr(0, files));
    const auto path = net::percent_decoded(rest.substr(files + kFiles.size() - 1));
    if (!session || !path || path->size() < 2) not_ours(uri);
    try {
        return {*session, agent::absolute_path(*path)};
    } catch (const schema::ValidationError&) { not_ours(uri); }
}

json::object resource_templates() {
    json::array all;
    all.push_back(json::object{{"uriTemplate", "atoll://sessions/{session}/files/{+path}"},
                               {"name", "session_file"},
                               {"title", "File of a session"},
                               {"description",
                                "A file in a session's sandbox. The session is named by its id or "
                                "its name; the path has no slash before it: session/a.txt, "
                                "data/outputs/chart.png."}});
    return {{"resourceTemplates", std::move(all)}};
}

asio::awaitable<json::object> list_resources(sessions::Sessions& sessions, const Place& place,
                                             std::string cursor) {
    const auto after = net::percent_decoded(cursor);
    if (!after) throw Refused(kInvalidParams, "cursor is none of this list");
    std::vector<FoundFile> found;
    try {
        const auto use =
            co_await sessions.use(core::Whose::of(place.owner), SessionId(place.session));
        const guest_client::Files files(use.link());
        co_await add_files(found, files, "/session");
        co_await add_files(found, files, "/data");
    } catch (const ErrorException& error) {
        if (error.error.code != Code::NotFound) throw;
    }
    std::erase_if(found, [&](const FoundFile& file) { return file.path <= *after; });
    std::sort(found.begin(), found.end(),
              [](const FoundFile& a, const FoundFile& b) { return a.path < b.path; });
    json::object result;
    if (found.size() > kPageFiles) {
        found.resize(kPageFiles);
        result["nextCursor"] = percent_encoded(found.back().path, "/");
    }
    json::array all;
    for (const auto& file : found) {
        all.push_back(json::object{{"uri", resource_uri(place.session, file.path)},
                                   {"name", path_text(file.path)},
                                   {"mimeType", content_type_of(last_part(file.path))},
                                   {"size", file.size}});
    }
    result["resources"] = std::move(all);
    co_return result;
}

asio::awaitable<json::object> read_resource(sessions::Sessions& sessions, const Place& place,
                                            std::string uri, AnswerBudget::Share& share) {
    const auto address = resource_address(uri);
    agent::FileBytes file;
    std::optional<Error> failed;
    try {
        file = co_await read_file(sessions, place.owner, address, share);
    } catch (const ErrorException& error) { failed = error.error; }
    if (failed) refuse_reading(uri, *failed);
    const auto make = [&] { return contents_of(uri, address.path, std::move(file.bytes)); };
    if (file.bytes.size() <= kWholeBytesMax) co_return make();
    co_return co_await workers_of(co_await asio::this_coro::executor).run(make);
}

}  // namespace atl::api::mcp
