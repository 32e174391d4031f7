#include "api/output_routes.hpp"

#include "api/file_content.hpp"
#include "api/file_paths.hpp"
#include "api/session_types.hpp"
#include "base/encoding.hpp"
#include "net/target.hpp"
#include "sessions/new_id.hpp"

#include <sys/stat.h>

namespace atl::api {

namespace asio = boost::asio;

namespace {

asio::awaitable<void> send_output(const core::Outputs& outputs, net::Exchange& exchange) {
    const auto& request = exchange.request();
    const std::string path(request.parameter("path"));
    const core::RunId run(std::string(request.parameter("run_id")));
    const auto asks = whose(exchange);
    if (asks.owner() && !sessions::is_owned_by(run.text(), *asks.owner())) {
        throw ErrorException({Code::NotFound, "there is no such output"});
    }
    const UniqueFd file = outputs.open(run, path).value();
    struct stat info {};
    if (::fstat(file.get(), &info) != 0) {
        throw ErrorException({Code::Internal, "the file cannot be read"});
    }
    net::FileOptions options;
    options.headers = inert_headers(last_part(path), false);
    co_await exchange.send_file(file.get(), static_cast<std::uint64_t>(info.st_size),
                                std::move(options));
}

}  // namespace

std::string output_href(const core::RunId& run, std::string_view path) {
    return "/v1/outputs/" + run.text() + "/" + percent_encoded(path, "/");
}

void add_output_routes(Api& api, core::Outputs& outputs) {
    api.add({.method = "GET",
             .pattern = "/v1/outputs/{run_id}/{path...}",
             .id = "get_output",
             .tag = "Runs",
             .summary = "Get what a run without a session left",
             .description = "What it wrote to /work/artifacts. It stays for a day.",
             .path = schema::described<OutputPath>(),
             .answers = {schema::bytes_answer("The file.")}},
            [&outputs](net::Exchange& exchange) { return send_output(outputs, exchange); });
}

}  // namespace atl::api
