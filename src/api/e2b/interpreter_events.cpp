#include "api/e2b/interpreter_events.hpp"

#include "base/fields.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <optional>

namespace atl::api::e2b {

namespace json = boost::json;

namespace {

constexpr std::size_t kJoinedBytesMax = 16 * 1024;
constexpr std::string_view kTableType = "application/vnd.atoll.table+json";
constexpr std::string_view kChartType = "application/vnd.atoll.chart+json";

struct Field {
    std::string_view mime, name;
};
constexpr Field kFields[] = {
    {"text/plain", "text"},        {"text/html", "html"},
    {"text/markdown", "markdown"}, {"image/svg+xml", "svg"},
    {"image/png", "png"},          {"image/jpeg", "jpeg"},
    {"application/pdf", "pdf"},    {"text/latex", "latex"},
    {"application/json", "json"},  {"application/javascript", "javascript"},
};

std::string instant_text(core::Time time) {
    const auto us =
        std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
    const std::time_t seconds = static_cast<std::time_t>(us / 1'000'000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[64];
    std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", parts.tm_year + 1900,
                  parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                  static_cast<int>(us % 1'000'000));
    return text;
}

std::string_view without_quotes(std::string_view text) {
    if (text.size() < 2) return text;
    const char first = text.front();
    if ((first != '\'' && first != '"') || text.back() != first) return text;
    return text.substr(1, text.size() - 2);
}

// A table's rows by column, as the clients have data frames. Nothing where a row is not as wide as
// the table: code in the sandbox writes what it likes here, and a megabyte of names with a megabyte
// of empty rows would make as many cells as one times the other.
std::optional<json::object> columns_of(const json::object& table) {
    const auto* names = table.if_contains("columns");
    const auto* rows = table.if_contains("rows");
    if (names == nullptr || !names->is_array() || rows == nullptr || !rows->is_array()) {
        return std::nullopt;
    }
    const auto& all = rows->get_array();
    const std::size_t width = names->get_array().size();
    const auto fits = [width](const json::value& row) {
        return row.is_array() && row.get_array().size() == width;
    };
    if (!std::all_of(all.begin(), all.end(), fits)) return std::nullopt;
    json::object columns;
    for (std::size_t at = 0; at < width; ++at) {
        const auto& name = names->get_array()[at];
        if (!name.is_string()) continue;
        json::array values;
        values.reserve(all.size());
        for (const auto& row : all) values.push_back(row.get_array()[at]);
        columns[name.get_string()] = std::move(values);
    }
    return columns;
}

}  // namespace

json::object result_fields(const json::object& bundle) {
    json::object fields, extra;
    for (const auto& [mime, value] : bundle) {
        std::string_view name;
        for (const auto& field : kFields) {
            if (field.mime == std::string_view(mime)) name = field.name;
        }
        if (name == "text" && value.is_string()) {
            fields["text"] = without_quotes(value.get_string());
        } else if (!name.empty()) {
            fields[name] = value;
        } else if (auto columns = mime == kTableType && value.is_object()
                                      ? columns_of(value.get_object())
                                      : std::nullopt) {
            fields["data"] = std::move(*columns);
        } else if (mime == kChartType) {
            fields["chart"] = value;
        } else {
            extra[mime] = value;
        }
    }
    fields["extra"] = std::move(extra);
    return fields;
}

void InterpreterEvents::add(json::object object) {
    Event event;
    event.object = std::move(object);
    event.cost = std::exchange(free_cost_, 0);
    events_.push_back(std::move(event));
}

void InterpreterEvents::count(std::int64_t executions) {
    add({{"type", "number_of_executions"}, {"execution_count", executions}});
}

void InterpreterEvents::output(core::Stream stream, std::string_view piece, core::Time now) {
    last_output_ = now;
    auto text = (stream == core::Stream::Stdout ? out_ : err_).add(piece);
    if (text.empty()) return;
    if (!events_.empty() && !events_.back().text.empty() && events_.back().stream == stream &&
        events_.back().text.size() + text.size() <= kJoinedBytesMax) {
        events_.back().text += text;
        return;
    }
    add({{"type", stream == core::Stream::Stdout ? "stdout" : "stderr"}});
    events_.back().object["timestamp"] = instant_text(now);
    events_.back().stream = stream;
    events_.back().text = std::move(text);
}

void InterpreterEvents::result(const json::object& event) {
    const auto kind = fields::text_of(event, "event");
    if (kind != "result" && kind != "display") return;
    const auto* data = event.if_contains("data");
    if (data == nullptr || !data->is_object()) return;
    auto fields = result_fields(data->get_object());
    fields["type"] = "result";
    fields["is_main_result"] = kind == "result";
    add(std::move(fields));
}

void InterpreterEvents::error(const json::object& event) {
    error(fields::text_of(event, "name"), fields::text_of(event, "value"),
          fields::text_of(event, "traceback_text"));
}

void InterpreterEvents::error(std::string_view name, std::string_view value,
                              std::string_view traceback) {
    add({{"type", "error"}, {"name", name}, {"value", value}, {"traceback", traceback}});
}

void InterpreterEvents::flush(core::Stream stream, core::Time now) {
    auto& joiner = stream == core::Stream::Stdout ? out_ : err_;
    auto rest = joiner.rest();
    if (rest.empty()) return;
    add({{"type", stream == core::Stream::Stdout ? "stdout" : "stderr"}});
    events_.back().object["timestamp"] = instant_text(now);
    events_.back().stream = stream;
    events_.back().text = std::move(rest);
}

void InterpreterEvents::end() {
    flush(core::Stream::Stdout, last_output_);
    flush(core::Stream::Stderr, last_output_);
    add({{"type", "end_of_execution"}});
}

void InterpreterEvents::cost(std::size_t bytes) {
    (events_.empty() ? free_cost_ : events_.back().cost) += bytes;
}

bool InterpreterEvents::may_grow() const noexcept {
    return events_.size() == 1 && !events_.front().text.empty() &&
           events_.front().text.size() < kJoinedBytesMax;
}

InterpreterEvents::Line InterpreterEvents::next() {
    auto event = std::move(events_.front());
    events_.pop_front();
    if (!event.text.empty()) event.object["text"] = std::move(event.text);
    return {json::serialize(event.object) + "\n", event.cost};
}

}  // namespace atl::api::e2b
