#include "sessions/job_spec.hpp"

#include "base/fields.hpp"
#include "sessions/spec_text.hpp"

#include <boost/json/serialize.hpp>

namespace atl::sessions {

namespace json = boost::json;

Result<std::string> job_spec_text(const JobSpec& spec) {
    core::SpecBuilder builder;
    builder.from_template(spec.template_name).limits(spec.limits);
    for (const auto& [name, value] : spec.environment) builder.environment(name, value);
    const auto sandbox = builder.build();
    if (!sandbox) return sandbox.error();
    return json::serialize(json::object{{"template", spec.template_name},
                                        {"context", spec.context},
                                        {"sandbox", spec_text(*sandbox, {})}});
}

Result<JobSpec> job_spec_from(const std::string& text) {
    const auto parsed = fields::parse_object(text);
    if (!parsed) return parsed.error().during("read how the job runs");
    JobSpec spec;
    if (parsed->contains("template")) spec.template_name = fields::text_of(*parsed, "template");
    if (parsed->contains("context")) spec.context = fields::text_of(*parsed, "context");
    if (parsed->contains("sandbox")) {
        const auto sandbox = spec_from(fields::text_of(*parsed, "sandbox"), spec.template_name);
        if (!sandbox) return sandbox.error();
        spec.limits = sandbox->limits();
        spec.environment = sandbox->environment();
    }
    return spec;
}

}  // namespace atl::sessions
