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

}  // namespace atl::api
