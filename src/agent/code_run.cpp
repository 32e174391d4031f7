#include "agent/code_run.hpp"

#include "agent/run_results.hpp"
#include "agent/sandbox_files.hpp"
#include "agent/text.hpp"
#include "base/encoding.hpp"
#include "sessions/new_id.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace atl::agent {

namespace asio = boost::asio;
namespace json = boost::json;

namespace {

constexpr std::size_t kStreamBytesMax = 1u << 20;  // of stdout and stderr each, as data
constexpr std::size_t kOutputBytesMax = 24'000;    // of what a model reads
constexpr std::size_t kErrorsBytesMax = 2'000;     // of stderr in it
constexpr std::size_t kTracebackBytesMax = 4'000;  // of a traceback in it
constexpr std::size_t kFiguresMax = 8;             // of one run
constexpr std::size_t kMadeMax = 20;               // files of one run that are no images
constexpr std::size_t kFigureBytesMax = 8u << 20;
constexpr std::size_t kSeenMax = 4;  // images that a model gets to see of one run
constexpr std::size_t kSeenBytesMax = 4u << 20;
constexpr std::size_t kLostMax = 10;
constexpr std::size_t kColumnsMax = 100;
constexpr std::size_t kRowsMax = 200;
constexpr std::size_t kColumnNameBytesMax = 500;
constexpr std::string_view kTable = "application/vnd.atoll.table+json";
constexpr std::string_view kOutputs = "/data/outputs/";

struct Figure {
    std::string type;
    std::string bytes;
};

struct Collected {
    explicit Collected(std::optional<ResultRoom> room) : results(room) {}

    MiddleCut out{kStreamBytesMax};
    MiddleCut err{kStreamBytesMax};
    MiddleCut shown{kOutputBytesMax};
    std::vector<Figure> figures;
    RunResults results;
    std::string traceback;
};

std::string_view text_in(const json::object& from, std::string_view key) {
    const auto* found = from.if_contains(key);
    return found != nullptr && found->is_string() ? std::string_view(found->get_string())
                                                  : std::string_view();
}

void take_figure(Collected& into, const json::object& data) {
    for (const std::string_view type : {"image/png", "image/jpeg"}) {
        const auto text = text_in(data, type);
        if (text.empty() || text.size() > kFigureBytesMax / 3 * 4) continue;
        auto bytes = base64_decoded(text);
        if (bytes.empty() || into.figures.size() >= kFiguresMax) return;
        into.figures.push_back({std::string(type), std::move(bytes)});
        return;
    }
}

void take_bundle(Collected& into, const json::object& event) {
    const auto* found = event.if_contains("data");
    if (found == nullptr || !found->is_object()) return;
    const auto& data = found->get_object();
    const auto figures = into.figures.size();
    take_figure(into, data);
    // `<Figure size 640x480 with 1 Axes>` beside the figure itself says nothing.
    if (into.figures.size() > figures) return;
    const auto* table = data.if_contains(kTable);
    if (auto read = table != nullptr ? table_in(*table) : std::nullopt) {
        into.results.take(std::move(*read));
    } else if (into.results.take(data)) {
        return;
    }
    const auto text = text_in(data, "text/plain");
    if (text.empty()) return;
    into.shown.add(text);
    if (text.back() != '\n') into.shown.add("\n");
}

std::string_view name_of(guest_client::Language language) {
    switch (language) {
        case guest_client::Language::Python: return "python";
        case guest_client::Language::Shell: return "shell";
        case guest_client::Language::JavaScript: return "javascript";
        case guest_client::Language::TypeScript: return "typescript";
    }
    return "python";
}

void add_note(std::string& output, const std::string& note) {
    if (!output.empty() && output.back() != '\n') output += "\n";
    output += "[" + note + "]\n";
}

void add_notes(std::string& output, const guest_client::RunEnd& end,
               const sessions::Execution& execution) {
    if (const auto why = sessions::sentence_of(end, execution.limits()); !why.empty()) {
        add_note(output, why);
    }
    if (end.state_lost) {
        add_note(output, "the kernel was replaced: variables of earlier runs are gone");
    }
    std::size_t named = 0;
    for (const auto& lost : execution.lost()) {
        if (++named > kLostMax) {
            add_note(output, std::to_string(execution.lost().size() - kLostMax) +
                                 " more did not come back");
            break;
        }
        if (lost.name.empty()) {
            add_note(output, "not restored: " + lost.reason);
        } else if (lost.type == guest_client::kProcess) {
            add_note(output, "the program `" + lost.name + "` has ended: " + lost.reason);
        } else {
            add_note(output, "the variable " + lost.name + " was not restored: " + lost.reason);
        }
    }
}

ImageLink link_of(const ToolEnvironment& environment, const SessionId& session,
                  const std::string& path, std::uint64_t size) {
    ImageLink link;
    link.path = path;
    link.content_type = image_type_of(path);
    link.size = size;
    link.href = environment.href_of(session, path);
    return link;
}

// What a model looks at; an image that cannot be read is one that it does not see.
asio::awaitable<void> look_at(ToolResult& result, guest_client::Files files) {
    for (const auto& image : result.images) {
        if (result.seen.size() >= kSeenMax) co_return;
        if (image.content_type == "image/svg+xml" || image.size > kSeenBytesMax) continue;
        try {
            auto read = co_await read_bytes(files, image.path, 0, kSeenBytesMax);
            result.seen.push_back({image.content_type, std::move(read.bytes)});
        } catch (const ErrorException&) { continue; }
    }
}

// What is no image, and was left where results go.
void tell_files(ToolResult& result,
                const std::map<std::string, guest_client::ChangedFile>& changed) {
    for (const auto& [name, change] : changed) {
        if (!change.path.starts_with(kOutputs) || !image_type_of(change.path).empty()) continue;
        if (change.change == "removed" || change.type != "file" || !change.exact) continue;
        if (result.made.size() >= kMadeMax) break;
        result.made.push_back({change.path, change.size});
    }
}

// Without a session nothing of it can be fetched afterwards.
asio::awaitable<void> tell_images(const ToolEnvironment& environment, ToolResult& result,
                                  const sessions::Execution& execution, std::vector<Figure> figures,
                                  const std::map<std::string, guest_client::ChangedFile>& changed) {
    const auto session = execution.session();
    if (!session) co_return;
    for (const auto& entry : changed) {
        const auto& change = entry.second;
        const bool image = change.path.starts_with(kOutputs) && !image_type_of(change.path).empty();
        if (!image || change.change == "removed" || change.type != "file" || !change.exact)
            continue;
        if (result.images.size() >= kFiguresMax) break;
        result.images.push_back(link_of(environment, *session, change.path, change.size));
    }
    // A figure that was saved is shown as well, as a rule: it is the same picture.
    if (!result.images.empty()) co_return;
    const guest_client::Files files(execution.link());
    for (auto& figure : figures) {
        const std::string name = std::string(kOutputs) + "figure-" +
                                 sessions::random_id("").substr(0, 8) +
                                 (figure.type == "image/png" ? ".png" : ".jpg");
        const auto size = figure.bytes.size();
        try {
            co_await write_bytes(files, name, std::move(figure.bytes));
            result.images.push_back(link_of(environment, *session, name, size));
        } catch (const ErrorException&) {
            // No room for it; the text says no more than what is there.
        }
    }
}

json::value cell_of(const json::value& value) {
    if (value.is_number() || value.is_bool() || value.is_null()) return value;
    if (!value.is_string()) return nullptr;
    const std::string_view text = value.get_string();
    return json::value(json::string(text.substr(0, kColumnNameBytesMax)));
}

}  // namespace

std::chrono::milliseconds shortest(std::chrono::milliseconds asked, std::chrono::milliseconds limit,
                                   std::chrono::milliseconds left) {
    auto time = asked.count() > 0 ? asked : limit;
    if (left.count() > 0 && (time.count() == 0 || left < time)) time = left;
    return time;
}

std::optional<TableData> table_in(const json::value& value) {
    if (!value.is_object()) return std::nullopt;
    const auto& from = value.get_object();
    const auto* columns = from.if_contains("columns");
    const auto* rows = from.if_contains("rows");
    if (columns == nullptr || !columns->is_array() || rows == nullptr || !rows->is_array()) {
        return std::nullopt;
    }
    TableData table;
    for (const auto& column : columns->get_array()) {
        if (!column.is_string()) return std::nullopt;
        if (table.columns.size() >= kColumnsMax) {
            table.truncated = true;
            break;
        }
        const std::string_view name = column.get_string();
        table.columns.emplace_back(name.substr(0, kColumnNameBytesMax));
    }
    for (const auto& row : rows->get_array()) {
        if (!row.is_array() || row.get_array().size() != columns->get_array().size()) {
            return std::nullopt;
        }
        if (table.rows.size() >= kRowsMax) {
            table.truncated = true;
            break;
        }
        json::array cells;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            cells.push_back(cell_of(row.get_array()[i]));
        }
        table.rows.emplace_back(std::move(cells));
    }
    table.total_rows = table.rows.size();
    if (const auto* total = from.if_contains("total_rows")) {
        json::error_code bad;
        const auto number = total->to_number<std::uint64_t>(bad);
        if (!bad && number > table.total_rows) table.total_rows = number;
    }
    if (const auto* cut = from.if_contains("truncated"); cut != nullptr && cut->is_bool()) {
        table.truncated = table.truncated || cut->get_bool();
    }
    return table;
}

asio::awaitable<ToolResult> run_code(ToolEnvironment& environment, sessions::Execution& execution,
                                     guest_client::RunRequest request,
                                     std::optional<std::string> shown) {
    ToolResult result;
    // A script is Python, although a shell starts it.
    const auto language = shown ? guest_client::Language::Python : request.language;
    result.code = shown ? std::move(*shown) : request.code;
    if (environment.cancellation().requested()) {
        // While the sandbox was awaited.
        result.output = "[not run: stopped by request]";
        result.failed = true;
        co_return result;
    }
    Collected collected(environment.result_room());
    guest_client::RunListener listener;
    listener.output = [&](core::Stream stream, std::string_view piece) {
        environment.code_prints(stream, piece);
        (stream == core::Stream::Stdout ? collected.out : collected.err).add(piece);
    };
    listener.result = [&](json::object event) { take_bundle(collected, event); };
    listener.error = [&](json::object event) {
        collected.traceback =
            useful_traceback(text_in(event, "traceback_text"), kTracebackBytesMax);
        if (!collected.traceback.empty()) return;
        collected.traceback = text_in(event, "name");
        collected.traceback.append(": ").append(text_in(event, "value"));
    };
    execution.follow_files();
    guest_client::RunEnd end;
    {
        environment.code_starts(*result.code, name_of(language));
        const Cancellation::Handler handler(environment.cancellation(),
                                            [&execution] { execution.cancel(); });
        end = co_await execution.run(std::move(request), std::move(listener));
    }
    auto files = co_await execution.files();
    co_await tell_images(environment, result, execution, std::move(collected.figures),
                         files.changed);
    tell_files(result, files.changed);
    if (environment.wants_images()) co_await look_at(result, guest_client::Files(execution.link()));
    if (files.promoted) result.artifact_map = std::move(files.promoted->map);
    if (files.promoted && !files.promoted->left_out.empty()) {
        result.artifacts_left_out.emplace();
        for (auto& one : files.promoted->left_out) {
            result.artifacts_left_out->push_back({std::move(one.path), std::move(one.reason)});
        }
    }

    result.exec_ms = end.run_ms;
    result.exit_code = end.exit_code;
    result.reason = std::string(core::name_of(end.reason));
    result.failed = end.exit_code != 0 || end.reason != core::EndReason::Exited;
    result.out = collected.out.text();
    result.err = collected.err.text();
    result.table = collected.results.last_table();
    result.results = collected.results.results();
    if (const auto session = execution.session()) result.session_id = session->text();
    if (const auto& run = execution.run_id()) result.run_id = run->text();

    std::string& output = result.output;
    output = cut_in_the_middle(*result.out, kOutputBytesMax);
    if (!collected.shown.empty()) {
        if (!output.empty() && output.back() != '\n') output += "\n";
        output += collected.shown.text();
    }
    if (!result.err->empty()) {
        if (!output.empty() && output.back() != '\n') output += "\n";
        output += "[stderr]\n" + cut_in_the_middle(*result.err, kErrorsBytesMax);
    }
    for (const auto& note : collected.results.notes()) add_note(output, note);
    for (const auto& image : result.images) add_note(output, "image saved: " + image.path);
    if (!collected.traceback.empty()) {
        if (!output.empty() && output.back() != '\n') output += "\n";
        output += collected.traceback;
    }
    add_notes(output, end, execution);
    // Whoever cancelled it does not hear this either.
    if (end.reason != core::EndReason::Killed) execution.lost_told();
    while (!output.empty() && output.back() == '\n') output.pop_back();
    output = cut_in_the_middle(output, kOutputBytesMax);
    co_return result;
}

}  // namespace atl::agent
