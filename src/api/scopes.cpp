#include "api/scopes.hpp"

#include <algorithm>

namespace atl::api {

bool is_scope(std::string_view name) {
    return std::any_of(kScopes.begin(), kScopes.end(),
                       [&](const KeyScope& scope) { return scope.name == name; });
}

std::vector<std::string> usual_scopes() {
    std::vector<std::string> usual;
    for (const auto& scope : kScopes) {
        if (scope.name != "metrics" && scope.name != kAdmin) usual.emplace_back(scope.name);
    }
    return usual;
}

bool grants(const std::vector<std::string>& scopes, std::string_view needed) {
    return std::any_of(scopes.begin(), scopes.end(), [&](const std::string& scope) {
        return scope == needed || scope == kAdmin;
    });
}

std::string scope_of(const schema::Route& route) {
    if (!route.scope.empty()) return std::string(route.scope);
    const std::string_view path = route.pattern;
    const auto below = [&](std::string_view place) {
        return path == place || (path.starts_with(place) && path[place.size()] == '/');
    };
    if (path == "/v1/info" || path == "/v1/templates") return std::string(kAnyScope);
    if (path == "/metrics") return "metrics";
    if (path == "/v1/run" || below("/v1/outputs") || below("/v1/tools")) return "run";
    for (const std::string_view part :
         {"/thread", "/threads", "/upload", "/v1/threads", "/v1/uploads"}) {
        if (below(part)) return "threads";
    }
    // Who came past the usher of a sandbox has all of it; only what runs code is counted.
    for (const std::string_view part : {"/interpreter", "/envd/process.Process", "/ports"}) {
        if (below(std::string("/e2b/sandboxes/{id}").append(part))) return "run";
    }
    if (below("/e2b/sandboxes/{id}")) return std::string(kAnyScope);
    if (below("/v1/jobs") || path == "/schedule" || below("/status")) return "jobs";
    constexpr std::string_view kSession = "/v1/sessions/{id}";
    for (const std::string_view part : {"/run", "/contexts", "/processes", "/terminal", "/ports"}) {
        if (below(std::string(kSession).append(part))) return "run";
    }
    for (const std::string_view part :
         {"/files", "/folders", "/move", "/extract", "/unpack", "/watch", "/artifacts"}) {
        if (below(std::string(kSession).append(part))) return "files";
    }
    if (below("/v1/sessions")) return route.method == "GET" ? "sessions:read" : "sessions:write";
    return std::string(kAdmin);
}

}  // namespace atl::api
