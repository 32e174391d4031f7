#pragma once
// The one header that a type of the API and a handler need: JSON text to a checked value and back.
//
//     struct CreateSession { std::string name; Limits limits; };     session_types.hpp
//     ATOLL_DESCRIBED(CreateSession);
//
//     auto request = schema::from_json<CreateSession>(body, 1 << 20);    a handler
//     schema::append_json(answer, session);
//
// What a type's fields mean and may hold stands once, in a table in the type's .cpp (describe.hpp);
// reading, printing and the OpenAPI document (document.hpp) all go by that table.
//
// Owns      nothing; all functions are free and may be called from any thread.
// Trusts    nobody. Text has a size limit from the caller and is at most 32 levels deep; a key that
//           stands twice, broken UTF-8, a number that is not finite and anything after the end are
//           refused; an unknown field is a mistake, not a hint.
// On failure ValidationError with every finding, or ErrorException{TooLarge}.
#include "schema/validation.hpp"

#include <boost/json/fwd.hpp>
#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::schema {

struct Type;

// A struct or an enum that has a table. Stands below the type's definition, in its namespace.
#define ATOLL_DESCRIBED(Name) const ::atl::schema::Type& schema_of(const Name*)

template <class T>
concept Described = requires(const T* type) {
    { schema_of(type) } -> std::same_as<const Type&>;
};

// A parameter of a path, a query, a header or a form, already decoded.
using Parameter = std::pair<std::string, std::string>;

// The value of a request's header, by its name in whatever case.
using HeaderLookup = std::function<std::optional<std::string>(std::string_view name)>;

// A JSON object that is kept as its text: for an answer that carries what another one wrote. It
// costs the bytes that it has, where a value takes twelve times as many, and is printed as it
// stands. Whoever fills it in answers for the text: it is ours, or is_json has said yes.
struct ObjectText {
    std::string text = "{}";

    bool operator==(const ObjectText&) const = default;
};

namespace detail {  // by table, so that nothing is compiled again for each type
void read_json(const Type& type, std::string_view text, std::size_t bytes_max, void* into);
void read_value(const Type& type, const boost::json::value& value, void* into);
void read_parameters(const Type& type, std::span<const Parameter> parameters, void* into);
void read_headers(const Type& type, const HeaderLookup& header, void* into);
void print(const Type& type, const void* value, std::string& out);
}  // namespace detail

template <Described T>
[[nodiscard]] T from_json(std::string_view text, std::size_t bytes_max) {
    T value{};
    detail::read_json(schema_of(&value), text, bytes_max, &value);
    return value;
}

template <Described T>
[[nodiscard]] T from_value(const boost::json::value& json) {
    T value{};
    detail::read_value(schema_of(&value), json, &value);
    return value;
}

// Text to bool, integer, number, string, enum, duration; a list takes a name that stands several
// times. An unknown or repeated name is a mistake, as it is in JSON.
template <Described T>
[[nodiscard]] T from_parameters(std::span<const Parameter> parameters) {
    T value{};
    detail::read_parameters(schema_of(&value), parameters, &value);
    return value;
}

// What stands behind the ? of a target, undecoded: "limit=20&tag=a&tag=b%20c".
[[nodiscard]] std::vector<Parameter> split_query(std::string_view query);

template <Described T>
[[nodiscard]] T from_query(std::string_view query) {
    return from_parameters<T>(split_query(query));
}

// Takes the headers that T describes and leaves all others alone: `idempotency_key` is
// Idempotency-Key.
template <Described T>
[[nodiscard]] T from_headers(const HeaderLookup& header) {
    T value{};
    detail::read_headers(schema_of(&value), header, &value);
    return value;
}
[[nodiscard]] std::string header_name(std::string_view field);

// JSON within the limits above, for what has no type of its own.
[[nodiscard]] boost::json::value parse_json(std::string_view text, std::size_t bytes_max);

// Whether a text is JSON of at most 32 levels, without making anything of it; a key may stand
// twice.
[[nodiscard]] bool is_json(std::string_view text);

// Always valid JSON on one line, unless it has an ObjectText of another form. An empty optional is
// left out; numbers look as people write them (18.0, 0.1, 1e+22) and come back to the last bit; NaN
// and infinity become null; bytes that are no UTF-8 become U+FFFD.
template <Described T>
void append_json(std::string& out, const T& value) {
    detail::print(schema_of(&value), &value, out);
}
void append_json(std::string& out, const boost::json::value& value);
void append_json_string(std::string& out, std::string_view text);
void append_json_characters(std::string& out, std::string_view text);  // without the quotes
void append_json_number(std::string& out, double number);

template <Described T>
[[nodiscard]] std::string to_json(const T& value) {
    std::string out;
    append_json(out, value);
    return out;
}

}  // namespace atl::schema
