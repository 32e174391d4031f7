#include "agent/run_results.hpp"

#include "agent/text.hpp"
#include "schema/json.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <string_view>
#include <utility>

namespace atl::agent {

namespace json = boost::json;

namespace {

// Of what is inside of a result: whoever reads it has a limit of 32, and it is wrapped.
constexpr int kResultDepthMax = 24;
constexpr std::size_t kResultTitleCharacters = 80;
constexpr std::size_t kShownNotesMax = 8;
constexpr std::size_t kRefusedNotesMax = 3;
constexpr std::string_view kTableType = "application/vnd.atoll.table+json";

struct ResultKind {
    std::string_view type;
    const char* what;
};
// The best first. Each is drawn by the web interface, and by JupyterLab.
constexpr ResultKind kResultKinds[] = {
    {"application/vnd.plotly.v1+json", "a chart"},
    {"application/vnd.vegalite.v5+json", "a chart"},
    {"application/vnd.vegalite.v6+json", "a chart"},
    {"application/vnd.vegalite.v6.json", "a chart"},
    {"application/vnd.vegalite.v7.json", "a chart"},
    {"image/svg+xml", "a picture"},
    {"text/html", "a table"},
    {"text/markdown", "formatted text"},
    {"text/latex", "a formula"},
};

bool is_chart(std::string_view type) {
    return type.starts_with("application/vnd.plotly.") ||
           type.starts_with("application/vnd.vegalite.");
}

// Empty values and values of another form are as if they were not there.
bool fits(std::string_view type, const json::value& value) {
    if (is_chart(type)) return value.is_object();
    if (!value.is_string()) return false;
    const std::string_view text = value.get_string();
    // Other HTML is a page's, with styles and scripts that do not run; its text says more.
    if (type == "text/html") return text.find("<table") != std::string_view::npos;
    return !text.empty();
}

bool is_shallow(const json::value& value, int levels) {
    if (levels == 0) return false;
    if (const auto* list = value.if_array()) {
        return std::all_of(list->begin(), list->end(), [levels](const json::value& one) {
            return is_shallow(one, levels - 1);
        });
    }
    if (const auto* object = value.if_object()) {
        return std::all_of(object->begin(), object->end(), [levels](const auto& member) {
            return is_shallow(member.value(), levels - 1);
        });
    }
    return true;
}

std::string title_in(const json::value& value) {
    if (const auto* text = value.if_string()) return first_line(*text, kResultTitleCharacters);
    if (const auto* object = value.if_object()) {
        if (const auto* text = object->if_contains("text")) {
            if (text->is_string()) return first_line(text->get_string(), kResultTitleCharacters);
        }
    }
    return {};
}

// Of a chart: plotly has it in its layout, Vega-Lite at the top.
std::string title_of_chart(std::string_view type, const json::value& value) {
    if (!is_chart(type)) return {};
    const auto* at = &value.get_object();
    if (const auto* layout = at->if_contains("layout"); layout && layout->is_object()) {
        at = &layout->get_object();
    }
    const auto* title = at->if_contains("title");
    return title != nullptr ? title_in(*title) : std::string();
}

// `<pandas.io.formats.style.Styler at 0x…>` beside what it shows says nothing.
bool says_nothing(const json::object& bundle) {
    const auto* text = bundle.if_contains("text/plain");
    if (text == nullptr || !text->is_string()) return true;
    const std::string_view said = text->get_string();
    return said.starts_with('<') && said.ends_with('>') && said.find('\n') == said.npos;
}

}  // namespace

bool RunResults::take(const json::object& bundle) {
    if (!drawn_) return false;
    for (const auto& kind : kResultKinds) {
        const auto* value = bundle.if_contains(kind.type);
        if (value == nullptr || !fits(kind.type, *value)) continue;
        std::string what = kind.what;
        if (const auto title = title_of_chart(kind.type, *value); !title.empty())
            what += ", " + title;
        StoredResult result{std::string(kind.type), {}};
        if (is_shallow(*value, kResultDepthMax)) schema::append_json(result.json, *value);
        const bool kept = keep(std::move(result), results_.size(), what);
        if (kept && shown_.size() < kShownNotesMax) shown_.push_back("shown: " + what);
        return is_chart(kind.type) || says_nothing(bundle);
    }
    return false;
}

void RunResults::take(TableData table) {
    if (table_ && drawn_) {
        StoredResult before{std::string(kTableType), {}};
        schema::append_json(before.json, *table_);
        keep(std::move(before), table_at_, "a table before the last one");
    }
    table_ = std::move(table);
    table_at_ = results_.size();
}

bool RunResults::keep(StoredResult result, std::size_t at, const std::string& what) {
    const auto bytes = result.json.size();
    std::string why;
    if (bytes == 0) {
        why = "it is too deep";
    } else if (bytes > kResultBytesMax) {
        why = "it has " + size_text(bytes) + ", and one result may have " +
              size_text(kResultBytesMax) + ": show fewer points, or sums of them";
    } else if (room_.count == 0 || bytes > room_.bytes) {
        why = "one answer keeps " + std::to_string(kTurnResults.count) + " results and " +
              size_text(kTurnResults.bytes) + " of them";
    }
    if (!why.empty()) {
        if (refused_.size() < kRefusedNotesMax) {
            refused_.push_back("not shown: " + what + "; " + why);
        }
        return false;
    }
    room_.count -= 1;
    room_.bytes -= bytes;
    results_.insert(results_.begin() + static_cast<std::ptrdiff_t>(at), std::move(result));
    return true;
}

std::vector<std::string> RunResults::notes() const {
    auto notes = refused_;
    notes.insert(notes.end(), shown_.begin(), shown_.end());
    return notes;
}

std::vector<StoredResult> take_results(RunNote& run) {
    auto results = std::exchange(run.results, std::nullopt).value_or(std::vector<StoredResult>());
    std::erase_if(results, [](const StoredResult& one) { return !schema::is_json(one.json); });
    return results;
}

TurnResult view_of(std::uint64_t run, const StoredResult& result) {
    TurnResult view;
    view.run = run;
    auto& text = view.data.text;
    text.reserve(result.type.size() + result.json.size() + 8);
    text = "{";
    schema::append_json_string(text, result.type);
    text.append(":").append(result.json).append("}");
    return view;
}

}  // namespace atl::agent
