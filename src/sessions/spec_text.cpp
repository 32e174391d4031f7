#include "sessions/spec_text.hpp"

#include "base/fields.hpp"

#include <boost/json/serialize.hpp>

namespace atl::sessions {

namespace json = boost::json;

std::string spec_text(const core::SandboxSpec& spec, const std::vector<std::string>& data_sets) {
    json::array names;
    for (const auto& name : data_sets) names.emplace_back(name);
    json::object environment;
    for (const auto& [name, value] : spec.environment()) environment[name] = value;
    const auto& limits = spec.limits();
    return json::serialize(json::object{{"limits",
                                         {{"memory_bytes_max", limits.memory_bytes_max},
                                          {"processes_max", limits.processes_max},
                                          {"cpus_max", limits.cpus_max},
                                          {"file_bytes_max", limits.file_bytes_max},
                                          {"open_files_max", limits.open_files_max},
                                          {"disk_bytes_max", limits.disk_bytes_max},
                                          {"disk_files_max", limits.disk_files_max},
                                          {"output_bytes_max", limits.output_bytes_max},
                                          {"wall_time_ms_max", limits.wall_time_max.count()}}},
                                        {"environment", std::move(environment)},
                                        {"datasets", std::move(names)}});
}

std::vector<std::string> data_sets_from(const std::string& text) {
    std::vector<std::string> names;
    const auto parsed = fields::parse_object(text);
    if (!parsed) return names;
    const auto* list = parsed->if_contains("datasets");
    if (list == nullptr || !list->is_array()) return names;
    for (const auto& name : list->get_array()) {
        if (name.is_string()) names.emplace_back(name.get_string());
    }
    return names;
}

Result<core::SandboxSpec> spec_from(const std::string& text, const std::string& template_name) {
    const auto parsed = fields::parse_object(text);
    if (!parsed) return parsed.error().during("read the session's spec");
    core::Limits limits;
    if (const auto* given = parsed->if_contains("limits"); given != nullptr && given->is_object()) {
        const auto& from = given->get_object();
        const auto read = [&](const char* key, auto& field) {
            using Number = std::remove_reference_t<decltype(field)>;
            field =
                static_cast<Number>(fields::number_of(from, key, static_cast<std::int64_t>(field)));
        };
        read("memory_bytes_max", limits.memory_bytes_max);
        read("processes_max", limits.processes_max);
        read("file_bytes_max", limits.file_bytes_max);
        read("open_files_max", limits.open_files_max);
        read("disk_bytes_max", limits.disk_bytes_max);
        read("disk_files_max", limits.disk_files_max);
        read("output_bytes_max", limits.output_bytes_max);
        if (const auto* cpus = from.if_contains("cpus_max"); cpus != nullptr && cpus->is_number()) {
            limits.cpus_max = cpus->to_number<double>();
        }
        limits.wall_time_max = std::chrono::milliseconds(
            fields::number_of(from, "wall_time_ms_max", limits.wall_time_max.count()));
    }
    core::SpecBuilder builder;
    builder.from_template(template_name).limits(limits);
    if (const auto* variables = parsed->if_contains("environment");
        variables != nullptr && variables->is_object()) {
        for (const auto& [name, value] : variables->get_object()) {
            if (value.is_string()) {
                builder.environment(std::string(name), std::string(value.get_string()));
            }
        }
    }
    return builder.build();
}

}  // namespace atl::sessions
