#include "wire/assembler.hpp"

#include <boost/json/parse.hpp>

namespace atl::wire {

namespace {

// Each value takes memory and time of its own, however short it is written: `[[],[],…` is the
// longest work a byte can make.
constexpr std::size_t kValuesMax = 1'000'000;

std::size_t values_in(std::string_view text) {
    std::size_t values = 1;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',' || c == '[' || c == '{') {
            ++values;
        }
    }
    return values;
}

}  // namespace

Result<boost::json::object> parse_object(std::string_view text) {
    if (text.size() > kValuesMax && values_in(text) > kValuesMax) {
        return Error{Code::Exhausted, "JSON of more than a million values"};
    }
    boost::json::parse_options options;
    options.max_depth = 64;  // a result is a bundle of bundles; nothing of ours nests deeper
    boost::system::error_code failed;
    auto value = boost::json::parse(text, failed, {}, options);
    if (failed) return Error{Code::Internal, "not JSON: " + failed.message()};
    if (!value.is_object()) return Error{Code::Internal, "JSON, but no object"};
    return std::move(value.as_object());
}

Result<std::optional<boost::json::object>> EventAssembler::add(const Frame& frame) {
    if (bytes_with(frame) > bytes_max_) {
        return Error{Code::Exhausted,
                     "an event grew beyond " + std::to_string(bytes_max_) + " bytes"};
    }
    if (frame.more()) {
        partial_.append(frame.payload);
        return std::optional<boost::json::object>();
    }
    auto event = partial_.empty() ? parse_object(frame.payload) : parse_object(finish(frame));
    if (!event) return event.error();
    return std::optional<boost::json::object>(std::move(*event));
}

std::string EventAssembler::finish(const Frame& frame) {
    partial_.append(frame.payload);
    return std::exchange(partial_, {});
}

}  // namespace atl::wire
