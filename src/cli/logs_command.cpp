// `atoll logs`: what a job or a process of a session printed, and prints.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/server.hpp"
#include "net/event_reader.hpp"

#include <boost/json/parse.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <unistd.h>

namespace atl::cli {

namespace json = boost::json;

namespace {

constexpr int kTriesMax = 30;

struct LogsOptions {
    std::string id;       // of a job, or of a session when there is a process
    std::string process;  // empty: a job's
    bool follow = false;  // as it does anyway; people type it
    bool no_follow = false;
};

std::string path_of(const LogsOptions& options) {
    if (options.process.empty()) return api_path("/v1/jobs/", options.id, "/logs");
    return session_path(options.id, api_path("/processes/", options.process, "/output"));
}

void print(ProgramOutput& output, const json::object& chunk) {
    const std::string text = text_in(chunk, "text");
    const std::string stream = text_in(chunk, "stream");
    if (stream == "mark") {
        std::fprintf(stderr, "atoll: %s\n", printable(text).c_str());
        return;
    }
    output.write(stream == "stderr" ? stderr : stdout, text);
}

// A process' log keeps the end of what it printed.
void say_lost(std::int64_t bytes) {
    if (bytes > 0) {
        std::fprintf(stderr, "atoll: %lld bytes before this were not kept\n",
                     static_cast<long long>(bytes));
    }
}

int show_process(Server& server, const LogsOptions& options) {
    const auto kept = server.get(path_of(options));
    if (!kept) return report(kept.error());
    say_lost(number_in(*kept, "lost_bytes"));
    ProgramOutput output;
    output.write(stdout, text_in(*kept, "stdout"));
    output.write(stderr, text_in(*kept, "stderr"));
    return 0;
}

int show_job(Server& server, const std::string& job) {
    ProgramOutput output;
    std::int64_t next = 0;
    while (true) {
        const auto page =
            server.get(api_path("/v1/jobs/", job, "/logs?from=" + std::to_string(next)));
        if (!page) return report(page.error());
        const auto* chunks = page->if_contains("chunks");
        if (chunks == nullptr || !chunks->is_array() || chunks->get_array().empty()) return 0;
        for (const auto& chunk : chunks->get_array()) {
            if (chunk.is_object()) print(output, chunk.get_object());
        }
        const auto before = next;
        next = number_in(*page, "next", next);
        if (next <= before) {
            return report({Code::Internal,
                           "the server's log does not go on: it returned the "
                           "same position again"});
        }
    }
}

// One connection's worth of it.
struct Followed {
    bool ended = false;
    std::string last_id;
    std::optional<Error> failed;
    ProgramOutput output;
};

// A job's events carry their stream in the data, a process' in their name.
void print(ProgramOutput& output, const net::EventReader::Event& event, const json::object& data) {
    if (event.event == "gap") return say_lost(number_in(data, "end") - number_in(data, "begin"));
    if (event.event == "stdout" || event.event == "stderr") {
        return output.write(event.event == "stderr" ? stderr : stdout, text_in(data, "text"));
    }
    print(output, data);
}

void follow(Server& server, const LogsOptions& options, Followed& followed) {
    followed.failed.reset();
    net::EventReader reader([&](const net::EventReader::Event& event) {
        if (event.event == "ended") followed.ended = true;
        boost::system::error_code failed;
        const json::value value = json::parse(event.data, failed);
        if (failed || !value.is_object() || followed.ended) return;
        print(followed.output, event, value.get_object());
        followed.last_id = event.id;
    });
    net::ClientRequest request;
    request.path = path_of(options);
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
    if (options.follow && options.no_follow) {
        return report({Code::InvalidArgument, "--follow and --no-follow do not go together"});
    }
    auto server = Server::from_environment();
    if (options.no_follow) {
        return options.process.empty() ? show_job(server, options.id)
                                       : show_process(server, options);
    }
    const InterruptByKey stops;
    Followed followed;
    for (int tries = 0; tries < kTriesMax; ++tries) {
        const std::string before = followed.last_id;
        follow(server, options, followed);
        if (followed.ended) return 0;
        // A server that is started again has the log, and goes on where we were. One that was never
        // there is said at once.
        const bool broke = !followed.failed || followed.failed->code == Code::Unavailable;
        const bool was_there = !followed.failed || !followed.last_id.empty();
        if (!broke || !was_there || net::Client::interrupt().load()) break;
        if (followed.last_id != before) tries = 0;
        ::sleep(1);
    }
    if (followed.failed && followed.failed->code == Code::NotFound && options.process.empty() &&
        options.id.starts_with("s-")) {
        return report({Code::NotFound, followed.failed->message +
                                           "; for a session, name a process too: atoll logs " +
                                           "SESSION PROCESS"});
    }
    if (followed.failed) return report(*followed.failed);
    return report({Code::Unavailable, "the connection was closed before the program ended"});
}

}  // namespace

void add_logs_command(CLI::App& app, int& exit_code) {
    auto* command =
        app.add_subcommand("logs", "Show the output of a job, or of a session's process");
    command->footer(
        "  atoll logs JOB                        until it ends\n"
        "  atoll logs SESSION PROCESS            the same for a background process");
    const auto options = std::make_shared<LogsOptions>();
    command->add_option("id", options->id, "Id of the job, or of the session")->required();
    command->add_option("process", options->process, "Id of the process in that session");
    command->add_flag("-f,--follow", options->follow, "Follow until it ends (default)");
    command->add_flag("--no-follow", options->no_follow, "Print what is there and exit");
    command->callback([options, &exit_code] { exit_code = logs(*options); });
}

}  // namespace atl::cli
