#include "api/sandbox_options.hpp"

#include "schema/json.hpp"
#include "schema/validation.hpp"

#include <set>

namespace atl::api {

namespace {

std::string offered(const sessions::SessionOptions& options) {
    std::string names;
    for (const auto& [name, folder] : options.data_sets) {
        names += (names.empty() ? "" : ", ") + name;
    }
    return names.empty() ? "this server offers none" : "this server offers " + names;
}

}  // namespace

void check_sandbox_options(const std::string& runtime, const std::string& network,
                           const std::vector<std::string>& datasets,
                           const sessions::SessionOptions& options) {
    std::vector<schema::Issue> issues;
    if (runtime != kRuntime) {
        issues.push_back({"runtime", "there is no runtime " + schema::quoted(runtime) +
                                         " here; this server has " + kRuntime});
    }
    if (network == "allowlist" || network == "open") {
        issues.push_back({"network", "the policy " + network +
                                         " is not available: sandboxes of this server have no "
                                         "network, which is " +
                                         kNetwork});
    } else if (network != kNetwork) {
        issues.push_back({"network", "there is no policy " + schema::quoted(network) +
                                         "; this server has " + kNetwork});
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < datasets.size(); ++i) {
        const std::string path = "datasets[" + std::to_string(i) + "]";
        if (!options.data_sets.contains(datasets[i])) {
            issues.push_back({path, "there is no data set " + schema::quoted(datasets[i]) + "; " +
                                        offered(options)});
        } else if (!seen.insert(datasets[i]).second) {
            issues.push_back({path, schema::quoted(datasets[i]) + " is named twice"});
        }
    }
    if (!issues.empty()) throw schema::ValidationError(std::move(issues));
}

}  // namespace atl::api
