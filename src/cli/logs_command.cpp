// `atoll logs`: what a job or a process of a session printed, and prints.
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/one_off.hpp"
#include "cli/output.hpp"
#include "cli/server.hpp"
#include "cli/session_list.hpp"
#include "net/event_reader.hpp"

#include <boost/json/array.hpp>
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
    bool as_json = false;
};

// What was printed, passed on as it comes, or kept for one JSON object.
class Printed {
public:
    explicit Printed(bool keep) : keep_(keep) {}

    void write(std::FILE* where, const std::string& text) {
        if (!keep_) return live_.write(where, text);
        (where == stderr ? err_ : out_) += text;
        if (out_.size() + err_.size() > kKeptBytesMax) {
            throw ErrorException({Code::TooLarge, "more than 256 MiB of output; leave out --json"});
        }
    }
    // A word of the server's about the output.
    void note(const std::string& text) {
        if (keep_) {
            notes_.emplace_back(text);
        } else {
            std::fprintf(stderr, "atoll: %s\n", printable(text).c_str());
        }
    }
    // A process' log keeps the end of what it printed.
    void lost(std::int64_t bytes) {
        if (bytes > 0) note(std::to_string(bytes) + " bytes before this were not kept");
    }
    void finish(bool ended) {
        if (!keep_) return;
        const json::object whole{
            {"stdout", out_}, {"stderr", err_}, {"notes", std::move(notes_)}, {"ended", ended}};
        std::printf("%s\n", printable(print_json(whole)).c_str());
    }

private:
    static constexpr std::size_t kKeptBytesMax = 256u << 20;
    const bool keep_;
    ProgramOutput live_;
    std::string out_, err_;
    json::array notes_;
};

std::string path_of(const LogsOptions& options) {
    if (options.process.empty()) return api_path("/v1/jobs/", options.id, "/logs");
    return session_path(options.id, api_path("/processes/", options.process, "/output"));
}

void print(Printed& output, const json::object& chunk) {
    const std::string text = text_in(chunk, "text");
    const std::string stream = text_in(chunk, "stream");
    if (stream == "mark") return output.note(text);
    output.write(stream == "stderr" ? stderr : stdout, text);
}

Result<bool> show_process(Server& server, const LogsOptions& options, Printed& output) {
    const auto kept = server.get(path_of(options));
    if (!kept) return kept.error();
    output.lost(number_in(*kept, "lost_bytes"));
    output.write(stdout, text_in(*kept, "stdout"));
    output.write(stderr, text_in(*kept, "stderr"));
    return text_in(*kept, "state") == "ended";
}

// Whether the job has ended.
Result<bool> show_job(Server& server, const std::string& job, Printed& output) {
    std::int64_t next = 0;
    while (true) {
        const auto page =
            server.get(api_path("/v1/jobs/", job, "/logs?from=" + std::to_string(next)));
        if (!page) return page.error();
        const auto* complete = page->if_contains("complete");
        const bool ended = complete != nullptr && complete->is_bool() && complete->get_bool();
        const auto* chunks = page->if_contains("chunks");
        if (chunks == nullptr || !chunks->is_array() || chunks->get_array().empty()) return ended;
        for (const auto& chunk : chunks->get_array()) {
            if (chunk.is_object()) print(output, chunk.get_object());
        }
        const auto before = next;
        next = number_in(*page, "next", next);
        if (next <= before) {
            return Error{Code::Internal,
                         "the server's log does not go on: it returned the same position again"};
        }
    }
}

// One connection's worth of it.
struct Followed {
    bool ended = false;
    std::string last_id;
    std::optional<Error> failed;
    Printed& output;
};

// A job's events carry their stream in the data, a process' in their name.
void print(Printed& output, const net::EventReader::Event& event, const json::object& data) {
    if (event.event == "gap") return output.lost(number_in(data, "end") - number_in(data, "begin"));
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
        try {
            print(followed.output, event, value.get_object());
        } catch (const ErrorException& error) {
            followed.failed = error.error;  // not thrown through the client, which is C
        }
        followed.last_id = event.id;
    });
    net::ClientRequest request;
    request.path = path_of(options);
    request.headers.set("Accept", "text/event-stream");
    if (!followed.last_id.empty()) request.headers.set("Last-Event-ID", followed.last_id);
    request.sink = [&](std::string_view piece) {
        const auto fed = reader.feed(piece);
        if (!fed) followed.failed = fed.error();
        return fed.has_value() && !followed.failed;
    };
    const auto answer = server.send(request);
    if (!answer && !followed.failed) followed.failed = answer.error();
}

// Until it ends; a server that is started again has the log, and goes on where we were.
Result<void> follow_to_the_end(Server& server, const LogsOptions& options, Printed& output) {
    const InterruptByKey stops;
    Followed followed{false, {}, {}, output};
    for (int tries = 0; tries < kTriesMax; ++tries) {
        const std::string before = followed.last_id;
        follow(server, options, followed);
        if (followed.ended) return {};
        // One that was never there is said at once.
        const bool broke = !followed.failed || followed.failed->code == Code::Unavailable;
        const bool was_there = !followed.failed || !followed.last_id.empty();
        if (!broke || !was_there || net::Client::interrupt().load()) break;
        if (followed.last_id != before) tries = 0;
        ::sleep(1);
    }
    if (followed.failed) return *followed.failed;
    return Error{Code::Unavailable, "the connection was closed before the program ended"};
}

// A word that names no job may name something else that has logs.
Error no_job(Server& server, const std::string& word, Error failed) {
    if (failed.code != Code::NotFound) return failed;
    const Refusal refusal = server.refusal();
    if (word.starts_with("p-")) {
        failed.message = word + " is a process: name its session too, atoll logs SESSION " + word +
                         " (atoll ps lists them)";
    } else if (session_id(server, word)) {
        failed.message = word + " is a session: name a process too, atoll logs " + word +
                         " PROCESS (atoll ps " + word + " lists them)";
    }
    server.recall(refusal);
    return failed;
}

int logs(LogsOptions options) {
    const For whom = reader_of(options.as_json);
    if (options.follow && options.no_follow) {
        return report({Code::InvalidArgument, "--follow and --no-follow do not go together"}, whom);
    }
    auto server = Server::from_environment();
    if (!options.process.empty()) {
        const auto id = session_id(server, options.id);
        if (!id) return report(id.error(), whom, server.refusal());
        options.id = *id;
    } else if (const auto id = job_id(server, options.id)) {
        options.id = *id;
    } else {
        return report(no_job(server, options.id, id.error()), whom, server.refusal());
    }
    Printed output(options.as_json);
    Result<bool> ended = true;
    try {
        if (!options.no_follow) {
            const auto done = follow_to_the_end(server, options, output);
            if (!done) ended = done.error();
        } else {
            ended = options.process.empty() ? show_job(server, options.id, output)
                                            : show_process(server, options, output);
        }
    } catch (const ErrorException& error) { ended = error.error; }
    if (ended) {
        output.finish(*ended);
        return 0;
    }
    return report(ended.error(), whom, server.refusal());
}

}  // namespace

void add_logs_command(CLI::App& app, int& exit_code) {
    auto* command =
        app.add_subcommand("logs", "Show the output of a job, or of a session's process");
    command->footer(
        "  atoll logs JOB                        until it ends\n"
        "  atoll logs SESSION PROCESS            the same for a background process");
    const auto options = std::make_shared<LogsOptions>();
    command
        ->add_option("id", options->id,
                     "Id of the job or the beginning of it, or the session: its id or name")
        ->required();
    command->add_option("process", options->process, "Id of the process in that session");
    command->add_flag("-f,--follow", options->follow, "Follow until it ends (default)");
    command->add_flag("--no-follow", options->no_follow, "Print what is there and exit");
    command->add_flag("--json", options->as_json,
                      "One JSON object when it has ended; with --no-follow, of what is there");
    command->callback([options, &exit_code] { exit_code = logs(*options); });
}

}  // namespace atl::cli
