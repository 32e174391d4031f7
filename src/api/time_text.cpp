#include "api/time_text.hpp"

#include <cstdio>
#include <ctime>

namespace atl::api {

std::string time_text(core::Time time) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(time);
    const std::time_t seconds = whole.time_since_epoch().count();
    const auto ms = (time - whole).count();
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    char text[40];
    const std::size_t n = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    std::snprintf(text + n, sizeof text - n, ".%03dZ", static_cast<int>(ms));
    return text;
}

std::optional<core::Time> time_from(const std::string& text) {
    std::tm parts{};
    const char* rest = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
    if (rest == nullptr) return std::nullopt;
    std::int64_t ms = 0;
    if (*rest == '.') {
        std::int64_t worth = 100;
        for (++rest; *rest >= '0' && *rest <= '9'; ++rest, worth /= 10) ms += worth * (*rest - '0');
    }
    if (std::string_view(rest) != "Z") return std::nullopt;
    const auto seconds = ::timegm(&parts);
    return core::Time(std::chrono::seconds(seconds)) + std::chrono::milliseconds(ms);
}

}  // namespace atl::api
