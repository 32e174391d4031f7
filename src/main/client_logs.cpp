// `atoll logs`: what a job printed, and prints.
#include "main/client_commands.hpp"
#include "main/client_server.hpp"
#include "main/client_table.hpp"
#include "net/event_reader.hpp"

#include <boost/json/parse.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <unistd.h>

namespace atl::main {

namespace json = boost::json;

namespace {

constexpr int kTriesMax = 30;

struct LogsOptions {
    std::string job;
    bool no_follow = false;
};

void print(const json::object& chunk) {
    const std::string text = text_in(chunk, "text");
    const std::string stream = text_in(chunk, "stream");
    if (stream == "mark") {
        std::fprintf(stderr, "atoll: %s\n", printable(text).c_str());
        return;
    }
    std::FILE* where = stream == "stderr" ? stderr : stdout;
    std::fwrite(text.data(), 1, text.size(), where);
    std::fflush(where);
}

int show_what_is_there(Server& server, const std::string& job) {
    std::int64_t next = 0;
    while (true) {
        const auto page =
            server.get(api_path("/v1/jobs/", job, "/logs?from=" + std::to_string(next)));
        if (!page) return report(page.error());
        const auto* chunks = page->if_contains("chunks");
        if (chunks == nullptr || !chunks->is_array() || chunks->get_array().empty()) return 0;
        for (const auto& chunk : chunks->get_array()) {
            if (chunk.is_object()) print(chunk.get_object());
        }
        next = number_in(*page, "next", next);
    }
}

// One connection's worth of it.
struct Followed {
    bool ended = false;
    std::string last_id;
    std::optional<Error> failed;
};

void follow(Server& server, const std::string& job, Followed& followed) {
    followed.failed.reset();
    net::EventReader reader([&](const net::EventReader::Event& event) {
        if (event.event == "ended") followed.ended = true;
        boost::system::error_code failed;
        const json::value value = json::parse(event.data, failed);
        if (failed || !value.is_object() || followed.ended) return;
        print(value.get_object());
        followed.last_id = event.id;
    });
    net::ClientRequest request;
    request.path = api_path("/v1/jobs/", job, "/logs");
    request.headers.set("Accept", "text/event-stream");
    if (!followed.last_id.empty()) request.headers.set("Last-Event-ID", followed.last_id);
    request.sink = [&](std::string_view piece) {
        const auto fed = reader.feed(piece);
        if (!fed) followed.failed = fed.error();
        return fed.has_value();
    };
    const auto answer = server.send(request);
    if (!answer && !followed.failed) followed.failed = answer.error();
}

int logs(const LogsOptions& options) {
    auto server = Server::from_environment();
    if (options.no_follow) return show_what_is_there(server, options.job);
    const InterruptByKey stops;
    Followed followed;
    for (int tries = 0; tries < kTriesMax; ++tries) {
        const std::string before = followed.last_id;
        follow(server, options.job, followed);
        if (followed.ended) return 0;
        // A server that is started again has the log, and goes on where we were. One that was never
        // there is said at once.
        const bool broke = !followed.failed || followed.failed->code == Code::Unavailable;
        const bool was_there = !followed.failed || !followed.last_id.empty();
        if (!broke || !was_there || net::Client::interrupt().load()) break;
        if (followed.last_id != before) tries = 0;
        ::sleep(1);
    }
    if (followed.failed) return report(*followed.failed);
    return report({Code::Unavailable, "the server ended the log before the job had ended"});
}

}  // namespace

void add_logs_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("logs", "Show a job's output until it ends");
    const auto options = std::make_shared<LogsOptions>();
    command->add_option("job", options->job, "Id of the job")->required();
    command->add_flag("--no-follow", options->no_follow, "Only what is there already");
    command->callback([options, &exit_code] { exit_code = logs(*options); });
}

}  // namespace atl::main
