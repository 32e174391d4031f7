#include "net/curl_handle.hpp"

namespace atl::net {

namespace {

constexpr long kConnectSeconds = 10;

bool is_this_machine(std::string_view url) {
    for (const std::string_view host : {"://127.", "://localhost", "://[::1]"}) {
        if (url.find(host) != std::string_view::npos) return true;
    }
    return false;
}

}  // namespace

Result<void> aim(CURL* handle, const std::string& url, const std::string& path) {
    const bool local = url.starts_with(kUnixScheme);
    const std::string base = local ? "http://localhost" : url;
    if (!base.starts_with("http://") && !base.starts_with("https://")) {
        return Error{Code::InvalidArgument,
                     "\"" + url + "\" is not a server address; write http://host:port"};
    }
    if (local) {
        curl_easy_setopt(handle, CURLOPT_UNIX_SOCKET_PATH, url.c_str() + kUnixScheme.size());
    }
    // A proxy that the environment names does not lead to this machine.
    if (local || is_this_machine(base)) curl_easy_setopt(handle, CURLOPT_PROXY, "");
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_URL, (base + path).c_str());
    curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    return {};
}

Error curl_error(CURLcode code, const std::string& why, const std::string& url) {
    const std::string reason = why.empty() ? curl_easy_strerror(code) : why;
    switch (code) {
        case CURLE_ABORTED_BY_CALLBACK: return {Code::Conflict, "interrupted"};
        case CURLE_URL_MALFORMAT:
            return {Code::InvalidArgument, "\"" + url + "\" is not a server address"};
        case CURLE_COULDNT_CONNECT:
        case CURLE_COULDNT_RESOLVE_HOST:
            return {Code::Unavailable, "no server answers at " + url + " (" + reason + ")"};
        case CURLE_OPERATION_TIMEDOUT:
            return {Code::Timeout, "no server answers at " + url + " in time"};
        case CURLE_SSL_CONNECT_ERROR:
            return {Code::Unavailable, "no TLS connection to " + url + " (" + reason +
                                           "); if the server there speaks http, its address "
                                           "begins with http://"};
        default: return {Code::Unavailable, "the connection to " + url + " broke (" + reason + ")"};
    }
}

}  // namespace atl::net
