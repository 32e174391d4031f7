// Goal: no text crashes the readers, and what is accepted is printed so that it reads the same
// again.
#include "schema/problem.hpp"

#include <boost/json/value.hpp>
#include <cstdint>
#include <cstdlib>

namespace schema = atl::schema;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kBytesMax = 1 << 20;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const auto value = schema::parse_json(text, kBytesMax);
        std::string printed;
        schema::append_json(printed, value);
        if (schema::parse_json(printed, 8 * kBytesMax) != value) std::abort();
        const auto problem = schema::from_value<schema::Problem>(value);
        const auto once = schema::to_json(problem);
        const auto again = schema::from_json<schema::Problem>(once, 8 * kBytesMax);
        if (schema::to_json(again) != once) std::abort();
    } catch (const atl::ErrorException&) {
        // Refused, with a sentence: as good an end as any.
    }
    try {
        (void)schema::from_query<schema::Issue>(text);
    } catch (const atl::ErrorException&) {
        // As above.
    }
    return 0;
}
