#include "schema/json_schema.hpp"

#include "schema/document.hpp"
#include "schema/json.hpp"
#include "schema/reader.hpp"

#include <boost/json/value.hpp>
#include <cmath>
#include <stdexcept>

namespace atl::schema {

namespace {

namespace json = boost::json;

constexpr std::size_t kExampleBytesMax = 64 << 10;

json::string_view boosted(std::string_view text) { return {text.data(), text.size()}; }

json::value number(long double value) {
    if (value == std::floor(value) && std::fabs(value) < 1.8446744073709552e19L) {
        if (value >= 0) return static_cast<std::uint64_t>(value);
        if (value >= -9.223372036854775808e18L) return static_cast<std::int64_t>(value);
    }
    return static_cast<double>(value);
}

void put_bounds(const Type& type, const Notes& notes, json::object& out) {
    auto least = notes.minimum;
    auto most = notes.maximum;
    if (type.kind == Kind::Integer) {
        // 64 bits are said by the format; a narrower type is a limit worth telling.
        if (!least && (type.integer_min == 0 || type.integer_bits < 64)) least = type.integer_min;
        if (!most && type.integer_bits < 64) most = static_cast<long double>(type.integer_max);
    }
    if (least) out["minimum"] = number(*least);
    if (most) out["maximum"] = number(*most);
}

void put_text_rules(const Notes& notes, json::object& out) {
    if (notes.length_min) out["minLength"] = *notes.length_min;
    if (notes.length_max) out["maxLength"] = *notes.length_max;
    if (notes.pattern) out["pattern"] = notes.pattern->expression();
    if (!notes.format.empty()) out["format"] = boosted(notes.format);
    if (notes.secret) {
        out["format"] = "password";
        out["writeOnly"] = true;
    }
}

// What a field holds when nobody names it. A struct's own fields tell theirs.
void put_default(const Type& owner, const Field& field, json::object& out) {
    const auto kind = field.type().kind;
    if (owner.whole || field.notes.required || kind == Kind::Optional || kind == Kind::Struct)
        return;
    std::string text;
    detail::print(field.type(), static_cast<const char*>(owner.defaults) + field.offset, text);
    out["default"] = parse_json(text, kExampleBytesMax);
}

// The request that a reader of the document would try first: every example, and what is required.
json::object whole_example(const Type& type) {
    json::object all;
    for (const auto& field : type.fields) {
        if (!field.notes.example.empty()) {
            all[boosted(field.name)] = parse_json(field.notes.example, kExampleBytesMax);
        } else if (field.notes.required && field.type().kind == Kind::Struct) {
            all[boosted(field.name)] = whole_example(field.type());
        }
    }
    return all;
}

// Read as any request would be, rules and all.
void check_examples(const Type& type) {
    const auto scratch = type.make();
    try {
        detail::read_value(type, json::value(whole_example(type)), scratch.get());
    } catch (const ValidationError& e) {
        throw std::logic_error("the examples of " + std::string(type.name) +
                               " are no valid request: " + e.error.message);
    }
}

}  // namespace

bool SchemaWriter::is_required(const Type& owner, const Field& field) {
    return field.notes.required || (owner.whole && field.type().kind != Kind::Optional);
}

json::object SchemaWriter::use(const Type& type, const Notes& notes) {
    json::object out;
    if (type.kind == Kind::Optional) return use(type.element(), notes);
    if (type.name.empty()) {
        spell(type, notes, out);
    } else {
        const auto [known, fresh] = named_.emplace(type.name, &type);
        if (!fresh && known->second != &type) {
            throw std::logic_error("two types of the API are called " + std::string(type.name));
        }
        out["$ref"] = "#/components/schemas/" + std::string(type.name);
    }
    if (!notes.description.empty()) out["description"] = boosted(notes.description);
    if (notes.deprecated) out["deprecated"] = true;
    return out;
}

json::object SchemaWriter::use(const Type& owner, const Field& field) {
    auto out = use(field.type(), field.notes);
    put_default(owner, field, out);
    if (!field.notes.example.empty()) {
        out["examples"] = json::array{parse_json(field.notes.example, kExampleBytesMax)};
    }
    return out;
}

void SchemaWriter::spell(const Type& type, const Notes& notes, json::object& out) {
    switch (type.kind) {
        case Kind::Boolean: out["type"] = "boolean"; return;
        case Kind::Integer:
            out["type"] = "integer";
            out["format"] = type.integer_max > 0x7fffffff ? "int64" : "int32";
            return put_bounds(type, notes, out);
        case Kind::Number:
            out["type"] = "number";
            out["format"] = "double";
            return put_bounds(type, notes, out);
        case Kind::Text: out["type"] = "string"; return put_text_rules(notes, out);
        case Kind::Duration:
            out["type"] = json::array{"string", "number"};
            out["pattern"] = R"(^[0-9]+(\.[0-9]*)?(ms|s|m|h)?$)";
            out["x-atoll-duration"] = "a number is in seconds; text has a unit: ms, s, m or h";
            if (!notes.minimum) out["minimum"] = 0;
            return put_bounds(type, notes, out);
        case Kind::List:
            out["type"] = "array";
            out["items"] = use(type.element(), notes.each ? *notes.each : kNoNotes);
            if (notes.items_min) out["minItems"] = *notes.items_min;
            if (notes.items_max) out["maxItems"] = *notes.items_max;
            return;
        case Kind::Map:
            out["type"] = "object";
            out["additionalProperties"] = use(type.element(), notes.each ? *notes.each : kNoNotes);
            if (notes.keys) {
                json::object names;
                put_text_rules(*notes.keys, names);
                if (!names.empty()) out["propertyNames"] = std::move(names);
            }
            if (notes.items_min) out["minProperties"] = *notes.items_min;
            if (notes.items_max) out["maxProperties"] = *notes.items_max;
            return;
        case Kind::OneOf: {
            json::array alternatives;
            for (const auto alternative : type.alternatives) {
                Notes inner = notes;
                inner.description = {};
                inner.deprecated = false;
                alternatives.push_back(use(alternative(), inner));
            }
            out["oneOf"] = std::move(alternatives);
            return;
        }
        case Kind::AnyObject:
        case Kind::ObjectText: out["type"] = "object"; return;
        case Kind::Any:
        case Kind::Optional:
        case Kind::Choice:
        case Kind::Struct: return;  // anything; the last three are never spelled here
    }
}

json::object SchemaWriter::definition(const Type& type) {
    json::object out;
    if (type.kind == Kind::Choice) {
        out["type"] = "string";
        std::string words(type.description);
        json::array names;
        for (const auto& choice : type.choices) {
            names.emplace_back(choice.name);
            if (choice.description.empty()) continue;
            words += "\n- `" + choice.name + "`: " + std::string(choice.description);
        }
        out["description"] = words;
        out["enum"] = std::move(names);
        return out;
    }
    check_examples(type);
    out["type"] = "object";
    if (!type.description.empty()) out["description"] = boosted(type.description);
    json::object properties;
    json::array required;
    for (const auto& field : type.fields) {
        properties[boosted(field.name)] = use(type, field);
        if (is_required(type, field)) required.emplace_back(boosted(field.name));
    }
    out["properties"] = std::move(properties);
    if (!required.empty()) out["required"] = std::move(required);
    // Answers may grow; a request with a field that nobody knows is a mistake.
    if (!type.whole) out["additionalProperties"] = false;
    return out;
}

json::object SchemaWriter::definitions() {
    std::map<std::string, json::object> made;
    while (made.size() < named_.size()) {  // a definition may name others
        const auto now = named_;
        for (const auto& [name, type] : now) {
            if (!made.contains(name)) made.emplace(name, definition(*type));
        }
    }
    json::object out;
    for (auto& [name, schema] : made) out[name] = std::move(schema);
    return out;
}

std::string json_schema(const Type& type) {
    SchemaWriter writer;
    std::string out;
    append_json(out, writer.definition(type));
    return out;
}

}  // namespace atl::schema
