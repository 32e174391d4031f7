#include "agent/export_results.hpp"

#include "agent/run_results.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <optional>
#include <string_view>

namespace atl::agent {

namespace json = boost::json;

namespace {

// Kinds of traces that plotly draws from what is in them. Maps ask servers of others for tiles and
// shapes, and an image has an address.
constexpr std::string_view kTraces[] = {
    "bar",     "box",       "candlestick", "contour",      "funnel",    "heatmap",    "histogram",
    "icicle",  "indicator", "mesh3d",      "ohlc",         "parcoords", "pie",        "sankey",
    "scatter", "scatter3d", "scattergl",   "scatterpolar", "splom",     "sunburst",   "surface",
    "table",   "treemap",   "violin",      "waterfall",    "barpolar",  "histogram2d"};

std::string_view member_text(const json::object& from, std::string_view key,
                             std::string_view unless) {
    const auto* found = from.if_contains(key);
    return found != nullptr && found->is_string() ? std::string_view(found->get_string()) : unless;
}

bool has_address(const json::value& value) {
    if (const auto* list = value.if_array()) {
        return std::any_of(list->begin(), list->end(), has_address);
    }
    const auto* object = value.if_object();
    return object != nullptr && std::any_of(object->begin(), object->end(), [](const auto& member) {
               return member.key() == "url" || has_address(member.value());
           });
}

bool is_self_contained(json::object& chart) {
    const auto* traces = chart.if_contains("data");
    if (traces == nullptr || !traces->is_array()) return false;
    for (const auto& trace : traces->get_array()) {
        if (!trace.is_object()) return false;
        const auto type = member_text(trace.get_object(), "type", "scatter");
        if (std::find(std::begin(kTraces), std::end(kTraces), type) == std::end(kTraces)) {
            return false;
        }
    }
    if (auto* layout = chart.if_contains("layout"); layout != nullptr && layout->is_object()) {
        layout->get_object().erase("images");
        layout->get_object().erase("template");  // looks, and it may have images, too
    }
    chart.erase("frames");
    return true;
}

std::optional<json::object> output_of(json::object bundle) {
    if (bundle.empty()) return std::nullopt;
    const std::string type(bundle.begin()->key());
    auto& value = bundle.begin()->value();
    if (type.starts_with("application/vnd.plotly.")) {
        if (!value.is_object() || !is_self_contained(value.get_object())) return std::nullopt;
    } else if (type.starts_with("application/vnd.vegalite.")) {
        if (has_address(value)) return std::nullopt;
    } else if (type == "text/markdown") {
        return json::object{{"text/plain", std::move(value)}};
    } else if (type != "text/latex") {
        return std::nullopt;
    }
    bundle["text/plain"] = type == "text/latex" ? "a formula" : "a chart";
    return bundle;
}

}  // namespace

std::vector<json::object> ExportResults::of(const RunNote& run) {
    std::vector<json::object> outputs;
    for (const auto& result : run.results.value_or(std::vector<StoredResult>())) {
        if (result.json.size() > bytes_left_) continue;
        auto view = view_of(0, result);
        if (!view) continue;
        auto output = output_of(std::move(view->data));
        if (!output) continue;
        bytes_left_ -= result.json.size();
        outputs.push_back(std::move(*output));
    }
    return outputs;
}

}  // namespace atl::agent
