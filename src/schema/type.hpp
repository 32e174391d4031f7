#pragma once
// A type as a table at run time. Templates (describe.hpp) only fill it in; one reader, one printer
// and one writer of schemas go by it, each compiled once for all types of the API.
//
// Owns      the notes of its fields. Tables are made on first use, live as long as the program and
//           never change, so any thread may read them.
// Trusts    the program: a table with a mistake in it throws std::logic_error when it is made, and
//           a test that makes the OpenAPI document makes every table.
#include "schema/validation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::schema {

struct Type;
using TypeRef = const Type& (*)();  // asked for at use, so that a type may contain itself

enum class Kind : std::uint8_t {
    Boolean,
    Integer,
    Number,
    Text,
    Duration,  // std::chrono::milliseconds: seconds as a number, or "500ms", "30s", "5m", "2h"
    Choice,    // an enum, by its name in snake_case
    Optional,
    List,
    Map,
    Struct,
    OneOf,       // a std::variant whose alternatives differ in their JSON type
    Any,         // boost::json::value
    AnyObject,   // boost::json::object
    ObjectText,  // the same, as its text
};

// A shape of text that is cheap to check and can be written as a regular expression, from one
// source: a prefix, then one character of `first`, then any number of `rest`. Sets are written as
// in a bracket expression, "A-Za-z0-9._-" with a literal dash last; ^ in front is "none of these".
struct Pattern {
    std::string_view prefix;
    std::string_view first;  // empty: anything may follow the prefix
    std::string_view rest;
    std::string_view says;  // completes "must be …"

    [[nodiscard]] bool matches(std::string_view text) const noexcept;
    [[nodiscard]] std::string expression() const;
};

// What is known of a field beyond its C++ type: words for people and limits for the validator. The
// same notes are printed into the schema.
struct Notes {
    std::string_view description;
    bool required = false;
    bool deprecated = false;
    bool secret = false;
    // Exact for every 64-bit integer and every double on the processors that we build for.
    std::optional<long double> minimum;
    std::optional<long double> maximum;
    std::optional<std::size_t> length_min;  // in characters, not bytes, as JSON Schema counts
    std::optional<std::size_t> length_max;
    std::optional<std::size_t> items_min;
    std::optional<std::size_t> items_max;
    std::optional<Pattern> pattern;
    std::string_view format;
    std::string example;                // as JSON text; empty: none
    std::shared_ptr<const Notes> each;  // for the elements of a list, the values of a map
    std::shared_ptr<const Notes> keys;  // for the keys of a map
};

struct Field {
    std::string_view name;
    std::size_t offset = 0;
    TypeRef type = nullptr;
    Notes notes;
};

struct Choice {
    std::string name;
    std::string_view description;
};

struct Type {
    Kind kind = Kind::Any;
    std::string_view name;  // of a struct or an enum: its name in the OpenAPI document
    std::string_view description;

    // Integer
    std::int64_t integer_min = 0;
    std::uint64_t integer_max = 0;
    std::uint8_t integer_bits = 0;
    void (*store_integer)(void* object, std::uint64_t bits) = nullptr;
    std::uint64_t (*load_integer)(const void* object) = nullptr;  // sign-extended

    // Choice, OneOf: `select` makes the alternative and returns where its value goes
    std::vector<Choice> choices;
    std::vector<TypeRef> alternatives;
    void* (*select)(void* object, std::size_t index) = nullptr;
    std::size_t (*selected)(const void* object) = nullptr;
    const void* (*look)(const void* object) = nullptr;  // into OneOf; into Optional, or null

    // Optional, List, Map
    TypeRef element = nullptr;
    void (*clear)(void* object) = nullptr;
    void* (*append)(void* object) = nullptr;  // Optional: emplace
    void* (*insert)(void* object, std::string_view key) = nullptr;
    std::size_t (*size)(const void* object) = nullptr;
    using Visit = void (*)(void* context, std::string_view key, const void* element);
    void (*visit)(const void* object, void* context, Visit visit) = nullptr;

    // Struct
    std::vector<Field> fields;
    bool whole = false;              // an answer: all but optionals are always there
    const void* defaults = nullptr;  // a value-initialised one
    std::shared_ptr<void> (*make)() = nullptr;
    std::vector<std::function<void(const void* object, Findings&)>> rules;
};

inline constexpr std::size_t kFieldsMax = 64;  // the reader marks those it has seen in one word

}  // namespace atl::schema
