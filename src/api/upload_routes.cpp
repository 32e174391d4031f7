#include "api/upload_routes.hpp"

#include "api/request_reading.hpp"
#include "api/thread_types.hpp"
#include "net/multipart.hpp"
#include "net/problem.hpp"

namespace atl::api {

namespace asio = boost::asio;
using schema::described;
using Step = net::MultipartParser::Step;

namespace {

constexpr std::string_view kUploadTag = "Threads";
constexpr std::string_view kUploadField = "files";
constexpr std::size_t kFilesMax = 50;

UploadId upload_in(const net::Exchange& exchange) {
    return UploadId(std::string(exchange.request().parameter("id")));
}

[[noreturn]] void refuse(std::size_t file, const Error& error) {
    if (error.code == Code::InvalidArgument) {
        throw schema::ValidationError({{"files[" + std::to_string(file) + "]", error.message}});
    }
    net::Problem problem(error);
    if (error.code == Code::Exhausted) problem.status = 507;
    throw problem;
}

// All files of a form, or none: what was kept before one is refused is taken back.
class UploadForm {
public:
    UploadForm(agent::Uploads& uploads, net::Exchange& exchange, std::string owner)
        : uploads_(uploads), exchange_(exchange), owner_(std::move(owner)) {}

    asio::awaitable<void> read(net::MultipartParser& parser) {
        for (bool more = true; more;) {
            const Step step = co_await next(parser);
            if (step == Step::End) more = false;
            if (step != Step::Part) continue;
            const auto part = parser.part();
            if (part.name != kUploadField || !part.filename) {
                const schema::Issue issue{std::string(part.name.substr(0, 40)),
                                          "the form takes files under the name files, and "
                                          "nothing else"};
                throw schema::ValidationError({issue});
            }
            if (kept_.size() >= kFilesMax) {
                const schema::Issue issue{"files", "are more than 50"};
                throw schema::ValidationError({issue});
            }
            std::optional<Error> failed;
            try {
                co_await take(parser, *part.filename);
            } catch (const net::Problem&) { throw; } catch (const ErrorException& error) {
                failed = error.error;
            }
            if (failed) refuse(kept_.size(), *failed);
        }
        if (kept_.empty()) {
            const schema::Issue issue{"files", "the form has no file in it"};
            throw schema::ValidationError({issue});
        }
    }

    asio::awaitable<void> take_back() {
        for (const auto& record : kept_) {
            try {
                co_await uploads_.remove(core::Whose::of(owner_), record.id);
            } catch (const ErrorException&) {
                // It stays, and counts; its owner may remove it.
            }
        }
    }

    [[nodiscard]] const std::vector<core::UploadRecord>& kept() const noexcept { return kept_; }

private:
    asio::awaitable<Step> next(net::MultipartParser& parser) {
        for (;;) {
            const Step step = parser.next().value();
            if (step != Step::NeedMore) co_return step;
            const auto bytes = co_await exchange_.read_into(parser.room());
            parser.wrote(bytes);
        }
    }

    asio::awaitable<void> take(net::MultipartParser& parser, std::string name) {
        const auto coming = co_await uploads_.begin(owner_, std::move(name));
        for (;;) {
            const Step step = co_await next(parser);
            if (step == Step::PartEnd) break;
            std::string bytes(parser.data());
            co_await coming->write(std::move(bytes));
        }
        kept_.push_back(co_await coming->keep());
    }

    agent::Uploads& uploads_;
    net::Exchange& exchange_;
    std::string owner_;
    std::vector<core::UploadRecord> kept_;
};

asio::awaitable<void> upload(agent::Uploads& uploads, net::Exchange& exchange) {
    const auto boundary = form_boundary(exchange.request());
    UploadForm form(uploads, exchange, caller_of(exchange.request()).owner);
    net::MultipartParser parser(boundary);
    std::exception_ptr failed;
    try {
        co_await form.read(parser);
    } catch (...) { failed = std::current_exception(); }
    if (failed) {
        co_await form.take_back();
        std::rethrow_exception(failed);
    }
    UploadAnswer answer;
    for (const auto& record : form.kept()) {
        answer.files.push_back({record.id.text(), record.name, record.bytes});
    }
    answer.file_id = answer.files.front().file_id;
    note_object(exchange, answer.file_id);
    co_await exchange.respond(json_response(200, answer));
}

asio::awaitable<void> get(agent::Uploads& uploads, net::Exchange& exchange) {
    const auto record = co_await uploads.get(whose(exchange), upload_in(exchange));
    co_await exchange.respond(json_response(200, view_of(record)));
}

asio::awaitable<void> list(agent::Uploads& uploads, net::Exchange& exchange) {
    const auto asked = schema::from_parameters<PageQuery>(exchange.request().target.query);
    core::UploadQuery query{whose(exchange), asked.cursor, asked.limit};
    const auto page = co_await uploads.list(std::move(query));
    UploadList answer;
    for (const auto& [record, uses] : page.uploads) {
        answer.uploads.push_back(view_of(record));
        answer.uploads.back().threads = uses;
    }
    if (!page.next_cursor.empty()) answer.next_cursor = page.next_cursor;
    co_await exchange.respond(json_response(200, std::move(answer)));
}

asio::awaitable<void> remove(agent::Uploads& uploads, net::Exchange& exchange) {
    co_await uploads.remove(whose(exchange), upload_in(exchange));
    co_await exchange.respond(net::Response::empty());
}

}  // namespace

void add_upload_routes(Api& api, agent::Uploads& uploads) {
    api.add({.method = "POST",
             .pattern = "/upload",
             .id = "upload",
             .tag = kUploadTag,
             .summary = "Send files for threads",
             .description = "CSV, TSV, Excel, Parquet, JSON and others. All of them are stored, or "
                            "none. An empty file, and one that is not what its name says, is "
                            "refused.",
             .bodies = {schema::file_body({{std::string(kUploadField), "The files.", true, true}})},
             .answers = {schema::json_answer<UploadAnswer>(200, "They are stored.")}},
            [&uploads](net::Exchange& exchange) { return upload(uploads, exchange); });
    api.add({.method = "GET",
             .pattern = "/v1/uploads",
             .id = "list_uploads",
             .tag = kUploadTag,
             .summary = "All uploads, the latest first",
             .description = "With how many threads use each. What no thread uses is removed after "
                            "some time (uploads.unused).",
             .query = described<PageQuery>(),
             .answers = {schema::json_answer<UploadList>(200, "A page of uploads.")}},
            [&uploads](net::Exchange& exchange) { return list(uploads, exchange); });
    api.add({.method = "GET",
             .pattern = "/v1/uploads/{id}",
             .id = "get_upload",
             .tag = kUploadTag,
             .summary = "One upload",
             .path = described<UploadPath>(),
             .answers = {schema::json_answer<UploadView>(200, "The upload.")}},
            [&uploads](net::Exchange& exchange) { return get(uploads, exchange); });
    api.add({.method = "DELETE",
             .pattern = "/v1/uploads/{id}",
             .id = "delete_upload",
             .tag = kUploadTag,
             .summary = "Remove an upload that no thread uses",
             .path = described<UploadPath>(),
             .answers = {schema::empty_answer(204, "It is gone.")}},
            [&uploads](net::Exchange& exchange) { return remove(uploads, exchange); });
}

}  // namespace atl::api
