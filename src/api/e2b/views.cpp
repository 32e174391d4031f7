#include "api/e2b/views.hpp"

#include "api/e2b/marks.hpp"
#include "api/e2b/sandbox_id.hpp"
#include "api/time_text.hpp"
#include "sessions/spec_text.hpp"

#include <boost/json/array.hpp>
#include <cmath>
#include <thread>

namespace atl::api::e2b {

namespace json = boost::json;

namespace {

constexpr const char* kClientId = "atoll";
// Where a sandbox has no end the API wants one all the same; dates that SDKs can read go no
// further.
constexpr const char* kNoEnd = "9999-12-31T23:59:59Z";
constexpr unsigned kMebibyte = 20;

core::Limits limits_in(const core::SessionRecord& record) {
    const auto spec = sessions::spec_from(record.spec_json, record.template_name);
    return spec ? spec->limits() : core::Limits{};
}

std::string id_text(const core::SessionRecord& record) {
    return sandbox_id_of(record.id).value_or(record.id.text());
}

json::object metadata_view(const core::SessionRecord& record) {
    json::object metadata;
    for (const auto& [name, value] : record.metadata) metadata[name] = value;
    return metadata;
}

json::value text_or_null(const std::string& text) {
    return text.empty() ? json::value() : json::value(json::string(text));
}

}  // namespace

std::string template_of(const core::SessionRecord& record) {
    const auto marks = marks_of(record);
    return marks.template_id.empty() ? record.template_name : marks.template_id;
}

std::uint64_t processors_of(const core::SessionRecord& record) {
    const double limit = limits_in(record).cpus_max;
    if (limit > 0) return static_cast<std::uint64_t>(std::ceil(limit));
    return std::max(1u, std::thread::hardware_concurrency());
}

json::object sandbox_view(const core::SessionRecord& record, const Tokens& tokens) {
    return {{"templateID", template_of(record)},
            {"sandboxID", id_text(record)},
            {"clientID", kClientId},
            {"envdVersion", kEnvdVersion},
            {"envdAccessToken", text_or_null(tokens.envd)},
            {"trafficAccessToken", text_or_null(tokens.traffic)},
            {"domain", text_or_null(tokens.domain)}};
}

json::object listed_view(const core::SessionRecord& record) {
    const auto limits = limits_in(record);
    const bool paused = is_paused(record);
    std::string end = kNoEnd;
    if (record.expires_at) {
        end = time_text(*record.expires_at);
    } else if (paused) {
        end = time_text(record.last_used_at);
    }
    return {{"templateID", template_of(record)},
            {"sandboxID", id_text(record)},
            {"clientID", kClientId},
            {"startedAt", time_text(record.created_at)},
            {"endAt", end},
            {"cpuCount", processors_of(record)},
            {"memoryMB", limits.memory_bytes_max >> kMebibyte},
            {"diskSizeMB", limits.disk_bytes_max >> kMebibyte},
            {"state", paused ? "paused" : "running"},
            {"envdVersion", kEnvdVersion},
            {"metadata", metadata_view(record)}};
}

json::object detail_view(const core::SessionRecord& record, const Tokens& tokens) {
    const auto standing = sessions::standing_in(record.spec_json);
    const auto marks = marks_in(standing);
    json::object view = listed_view(record);
    view["envdAccessToken"] = text_or_null(tokens.envd);
    view["domain"] = text_or_null(tokens.domain);
    view["allowInternetAccess"] = false;
    json::object network{{"allowPublicTraffic", !marks.private_ports}};
    if (!marks.host_mask.empty()) network["maskRequestHost"] = marks.host_mask;
    view["network"] = std::move(network);
    view["lifecycle"] = {{"autoResume", marks.auto_resume},
                         {"onTimeout", standing.held_at_end ? "pause" : "kill"}};
    return view;
}

json::object snapshot_view(const core::SessionRecord& record) {
    const auto marks = marks_of(record);
    json::array names;
    if (!marks.snapshot_name.empty()) names.emplace_back(marks.snapshot_name);
    return {{"snapshotID", id_text(record)}, {"names", std::move(names)}};
}

json::object metric_view(const core::SessionRecord& record, const core::Usage& usage,
                         double cpu_percent) {
    const auto limits = limits_in(record);
    const auto now = core::time_now();
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    return {{"timestamp", time_text(now)},
            {"timestampUnix", std::int64_t{seconds}},
            {"cpuCount", processors_of(record)},
            {"cpuUsedPct", cpu_percent},
            {"memUsed", usage.memory_bytes},
            {"memTotal", limits.memory_bytes_max},
            {"memCache", 0},
            {"diskUsed", record.disk_bytes},
            {"diskTotal", limits.disk_bytes_max}};
}

}  // namespace atl::api::e2b
