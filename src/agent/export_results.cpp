#include "agent/export_results.hpp"

#include "agent/run_results.hpp"
#include "schema/json.hpp"

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

// Members of a specification of Vega-Lite, at its top. Others are for those who show it, and name
// addresses: vega-embed loads what stands in `usermeta`.
constexpr std::string_view kVegaMembers[] = {
    "$schema",    "align",   "autosize", "background", "bounds",      "center",   "columns",
    "concat",     "config",  "data",     "datasets",   "description", "encoding", "facet",
    "hconcat",    "height",  "layer",    "mark",       "name",        "padding",  "params",
    "projection", "repeat",  "resolve",  "selection",  "spacing",     "spec",     "title",
    "transform",  "vconcat", "view",     "width"};
constexpr std::string_view kFigureMembers[] = {"data", "layout"};
// Of a layout of plotly: looks and buttons that may bring images, and maps, which load tiles and
// shapes.
constexpr const char* kLayoutMembersLeftOut[] = {"images", "template", "updatemenus", "sliders",
                                                 "mapbox", "map",      "geo"};

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

template <class List>
bool is_in(const List& list, std::string_view key) {
    return std::find(std::begin(list), std::end(list), key) != std::end(list);
}

void keep_only(json::object& object, const auto& names) {
    for (auto member = object.begin(); member != object.end();) {
        const auto key = member->key();
        member = is_in(names, {key.data(), key.size()}) ? member + 1 : object.stable_erase(member);
    }
}

// What vega-tooltip shows beside a point; it loads a picture for what is called `image`. So the
// list of fields that altair writes, and no field that is called that or could be.
bool is_plain_tooltip(const json::value& tooltip) {
    const auto* fields = tooltip.if_array();
    return fields != nullptr && std::all_of(fields->begin(), fields->end(), [](const auto& one) {
               const auto* field = one.if_object();
               if (field == nullptr || !field->contains("field")) return false;
               for (const char* key : {"field", "title"}) {
                   const auto* name = field->if_contains(key);
                   if (name == nullptr) continue;
                   const auto text = member_text(*field, key, "image");
                   if (text.find("image") != text.npos || text.find_first_of("\\[]") != text.npos) {
                       return false;
                   }
               }
               return true;
           });
}

// Points that are links or show pictures. In data these are names like any other.
void drop_links(json::value& value) {
    if (auto* list = value.if_array()) {
        for (auto& one : *list) drop_links(one);
    } else if (auto* object = value.if_object()) {
        object->erase("href");
        const auto* tooltip = object->if_contains("tooltip");
        if (tooltip != nullptr && !is_plain_tooltip(*tooltip)) object->erase("tooltip");
        for (auto& member : *object) {
            if (member.key() != "data" && member.key() != "datasets") drop_links(member.value());
        }
    }
}

bool is_self_contained_vega(json::value& chart) {
    keep_only(chart.get_object(), kVegaMembers);
    drop_links(chart);
    return !has_address(chart);
}

bool is_self_contained(json::object& chart) {
    keep_only(chart, kFigureMembers);
    const auto* traces = chart.if_contains("data");
    if (traces == nullptr || !traces->is_array()) return false;
    for (const auto& trace : traces->get_array()) {
        if (!trace.is_object()) return false;
        const auto type = member_text(trace.get_object(), "type", "scatter");
        if (!is_in(kTraces, type)) return false;
    }
    if (auto* layout = chart.if_contains("layout"); layout != nullptr && layout->is_object()) {
        for (const char* left_out : kLayoutMembersLeftOut) layout->get_object().erase(left_out);
    }
    return true;
}

// null: the store's text is none of ours.
json::value value_of(const StoredResult& result) {
    try {
        return schema::parse_json(result.json, 2 * kResultBytesMax);
    } catch (const ErrorException&) { return nullptr; }
}

std::optional<json::object> output_of(const StoredResult& result) {
    const auto& type = result.type;
    auto value = value_of(result);
    if (type.starts_with("application/vnd.plotly.")) {
        if (!value.is_object() || !is_self_contained(value.get_object())) return std::nullopt;
    } else if (type.starts_with("application/vnd.vegalite.")) {
        if (!value.is_object() || !is_self_contained_vega(value)) return std::nullopt;
    } else if (!value.is_string()) {
        return std::nullopt;
    } else if (type == "text/markdown") {
        return json::object{{"text/plain", std::move(value)}};
    } else if (type != "text/latex") {
        return std::nullopt;
    }
    json::object bundle;
    bundle[type] = std::move(value);
    bundle["text/plain"] = type == "text/latex" ? "a formula" : "a chart";
    return bundle;
}

}  // namespace

std::vector<json::object> ExportResults::of(const RunNote& run) {
    std::vector<json::object> outputs;
    for (const auto& result : run.results.value_or(std::vector<StoredResult>())) {
        if (result.json.size() > bytes_left_) continue;
        auto output = output_of(result);
        if (!output) continue;
        bytes_left_ -= result.json.size();
        outputs.push_back(std::move(*output));
    }
    return outputs;
}

}  // namespace atl::agent
