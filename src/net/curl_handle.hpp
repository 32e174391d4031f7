#pragma once
// Inside net: what those who use curl share of it.
#include "base/result.hpp"

#include <curl/curl.h>
#include <memory>
#include <string>

namespace atl::net {

struct CloseCurlHandle {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};
struct FreeList {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
struct FreeUrl {
    void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
};
using CurlHandle = std::unique_ptr<CURL, CloseCurlHandle>;

inline constexpr std::string_view kUnixScheme = "unix:";

// Points a fresh or reset handle at `path` of the server at `url` (http://…, https://…, unix:/…);
// nothing but those is spoken.
[[nodiscard]] Result<void> aim(CURL* handle, const std::string& url, const std::string& path);

// Why it did not connect, or did not stay so, for people. `why` is curl's own word, or empty.
[[nodiscard]] Error curl_error(CURLcode code, const std::string& why, const std::string& url);

}  // namespace atl::net
