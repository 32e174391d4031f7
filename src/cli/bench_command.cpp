// `atoll bench stream`: how long one waits for an answer, and how long for its first word. The same
// question is asked of a thread in both ways, in turns, so that a slow moment hits both.
#include "cli/commands.hpp"
#include "cli/server.hpp"
#include "cli/table.hpp"
#include "net/event_reader.hpp"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <CLI/Validators.hpp>
#include <cstdio>
#include <memory>
#include <optional>
#include <vector>

namespace atl::cli {

namespace json = boost::json;
using Clock = std::chrono::steady_clock;

namespace {

struct BenchOptions {
    std::string thread;
    std::string question;
    int rounds = 5;
    bool as_json = false;
};

// Milliseconds of one answer, as the client sees them.
struct Waited {
    double first_event = 0;
    double first_token = 0;
    double whole = 0;
};

double ms_since(Clock::time_point began) {
    return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

json::object body_of(const BenchOptions& options) { return {{"message", options.question}}; }

Result<Waited> ask_whole(Server& server, const BenchOptions& options) {
    const auto body = body_of(options);
    const auto began = Clock::now();
    const auto answer = server.ask("POST", api_path("/thread/", options.thread, "/message"), &body);
    if (!answer) return answer.error();
    const double whole = ms_since(began);
    // All of it comes at once: its first word is its last.
    return Waited{whole, whole, whole};
}

Result<Waited> ask_streaming(Server& server, const BenchOptions& options) {
    Waited waited;
    std::optional<Error> failed;
    bool done = false;
    const auto began = Clock::now();
    net::EventReader reader([&](const net::EventReader::Event& event) {
        if (waited.first_event == 0) waited.first_event = ms_since(began);
        if (event.event == "token" && waited.first_token == 0) {
            waited.first_token = ms_since(began);
        }
        if (event.event == "done") done = true;
        if (event.event != "error") return;
        boost::system::error_code broken;
        const auto value = json::parse(event.data, broken);
        failed = Error{Code::Unavailable, !broken && value.is_object()
                                              ? text_in(value.get_object(), "message")
                                              : "the turn failed"};
    });
    net::ClientRequest request;
    request.method = "POST";
    request.path = api_path("/thread/", options.thread, "/message/stream");
    request.body = json::serialize(body_of(options));
    request.headers.set("Accept", "text/event-stream");
    request.sink = [&](std::string_view piece) {
        const auto fed = reader.feed(piece);
        if (!fed) failed = fed.error();
        return fed.has_value();
    };
    const auto answer = server.send(request);
    if (failed) return *failed;
    if (!answer) return answer.error();
    if (!done) return Error{Code::Unavailable, "the stream ended before the answer did"};
    waited.whole = ms_since(began);
    return waited;
}

double middle(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const auto half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Figures {
    double p50 = 0, least = 0, most = 0;
};

Figures figures_of(const std::vector<Waited>& rounds, double Waited::*member) {
    std::vector<double> values;
    for (const auto& round : rounds) values.push_back(round.*member);
    return {middle(values), *std::min_element(values.begin(), values.end()),
            *std::max_element(values.begin(), values.end())};
}

std::string ms_text(double ms) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", ms);
    return text;
}

struct Row {
    const char* name;
    const char* label;
    double Waited::*member;
};
constexpr Row kRows[] = {{"first_event_ms", "first sign", &Waited::first_event},
                         {"first_token_ms", "first word", &Waited::first_token},
                         {"total_ms", "whole answer", &Waited::whole}};

json::object object_of(const std::vector<Waited>& rounds) {
    json::object object;
    for (const auto& row : kRows) {
        const auto figures = figures_of(rounds, row.member);
        object[row.name] =
            json::object{{"p50", figures.p50}, {"min", figures.least}, {"max", figures.most}};
    }
    return object;
}

int bench_stream(const BenchOptions& options) {
    auto server = Server::from_environment();
    const InterruptByKey stops;
    const For whom = reader_of(options.as_json);
    std::vector<Waited> blocking, streaming;
    for (int round = 0; round < options.rounds; ++round) {
        auto whole = ask_whole(server, options);
        if (!whole) return report(whole.error(), whom, server.refusal());
        blocking.push_back(*whole);
        auto stream = ask_streaming(server, options);
        if (!stream) return report(stream.error(), whom, server.refusal());
        streaming.push_back(*stream);
    }
    if (options.as_json) {
        json::object object{{"thread_id", options.thread},
                            {"question", options.question},
                            {"rounds", options.rounds}};
        object["blocking"] = object_of(blocking);
        object["streaming"] = object_of(streaming);
        std::printf("%s\n", json::serialize(object).c_str());
        return 0;
    }
    Table table({"MS UNTIL", "BLOCKING P50", "MIN", "MAX", "STREAMING P50", "MIN", "MAX"});
    for (const auto& row : kRows) {
        const auto a = figures_of(blocking, row.member);
        const auto b = figures_of(streaming, row.member);
        table.add({row.label, ms_text(a.p50), ms_text(a.least), ms_text(a.most), ms_text(b.p50),
                   ms_text(b.least), ms_text(b.most)});
    }
    std::fputs(table.text().c_str(), stdout);
    return 0;
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("bench", "Measure a running server");
    command->require_subcommand(1);
    auto* stream = command->add_subcommand(
        "stream", "Ask a thread the same question in one piece and as a stream");
    const auto options = std::make_shared<BenchOptions>();
    stream->add_option("thread", options->thread, "Id of the thread")->required();
    stream->add_option("question", options->question, "What to ask")->required();
    stream->add_option("-n,--rounds", options->rounds, "How often, each way")
        ->check(CLI::Range(1, 1000));
    stream->add_flag("--json", options->as_json, "One JSON object; also errors");
    stream->callback([options, &exit_code] { exit_code = bench_stream(*options); });
}

}  // namespace atl::cli
