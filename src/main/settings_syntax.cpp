#include "main/settings_syntax.hpp"

#include "api/door.hpp"
#include "models/openai/model.hpp"
#include "net/fetch.hpp"
#include "net/server.hpp"

#include <algorithm>

namespace atl::main {

namespace {

Error wrong(const std::string& word, const std::string& what) {
    return {Code::InvalidArgument, "\"" + word + "\" " + what};
}

bool has_any(const std::string& word, const char* characters) {
    return word.find_first_of(characters) != std::string::npos;
}

}  // namespace

Result<void> check_listen(const std::string& word) { return net::check_listen_address(word); }

Result<void> check_model_url(const std::string& word) {
    openai::Endpoint endpoint;
    endpoint.base_url = word;
    // An address that curl cannot take apart has no origin.
    const bool parsed = net::origin_of(word).find("://") != std::string::npos;
    if (endpoint.check() && parsed) return {};
    return wrong(word,
                 "is not the URL of an API: start it with http:// or https://, as "
                 "https://api.openai.com/v1");
}

Result<void> check_allowed_host(const std::string& word) {
    // In brackets a colon belongs to the address; elsewhere a port begins, which never counts.
    const bool port = word.front() == '[' ? word.back() != ']' : has_any(word, ":");
    if (!port && !has_any(word, "/ \t@?#")) return {};
    return wrong(word,
                 "is not a host name: write it without http://, port and path, as "
                 "atoll.example; * is any");
}

Result<void> check_allowed_origin(const std::string& word) {
    if (word == "null") return {};  // what a browser calls a page without an origin
    const auto scheme = word.find("://");
    const std::string host = scheme == std::string::npos ? "" : word.substr(scheme + 3);
    // A browser sends no slash at the end, so one here would keep the page out.
    if (scheme != 0 && !host.empty() && !has_any(host, "/ \t@?#*")) return {};
    return wrong(word,
                 "is not an origin: write the part of the URL before the path, as "
                 "https://app.example");
}

Result<void> check_public_url(const std::string& word) {
    for (const std::string scheme : {"https://", "http://"}) {
        if (!word.starts_with(scheme)) continue;
        const std::string rest = word.substr(scheme.size());
        // A path goes in front of ours, so it does not end with a slash.
        if (!rest.empty() && rest.front() != '/' && rest.back() != '/' &&
            !has_any(rest, " \t@?#")) {
            return {};
        }
    }
    return wrong(word, "is not an address: write it as https://atoll.example");
}

Result<void> check_redis_host(const std::string& word) {
    const auto colons = std::count(word.begin(), word.end(), ':');  // an IPv6 address has several
    if (!has_any(word, "/ \t@") && colons != 1) return {};
    return wrong(word,
                 "is not a host name: write it alone; the port is redis.port (REDIS_PORT), the "
                 "user redis.username");
}

Result<void> check_listen_all(const std::vector<std::string>& addresses, bool never_keys) {
    for (auto at = addresses.begin(); at != addresses.end(); ++at) {
        // Port 0 is any that is free, as often as one likes.
        if (!at->ends_with(":0") && std::find(addresses.begin(), at, *at) != at) {
            return wrong(*at, "is named twice");
        }
        if (never_keys && !api::is_local_address(*at)) {
            return wrong(*at,
                         "can be reached from other machines, and access.require_keys is "
                         "never; API keys are needed there");
        }
    }
    return {};
}

}  // namespace atl::main
