#include "schema/json.hpp"
#include "schema/reader.hpp"

#include <array>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cmath>

namespace atl::schema {

namespace {

namespace json = boost::json;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

const char* name_of(const json::value& value) {
    switch (value.kind()) {
        case json::kind::null: return "null";
        case json::kind::bool_: return "a boolean";
        case json::kind::int64:
        case json::kind::uint64:
        case json::kind::double_: return "a number";
        case json::kind::string: return "a string";
        case json::kind::array: return "an array";
        case json::kind::object: return "an object";
    }
    return "something else";
}

JsonType json_type(const json::value& value) {
    switch (value.kind()) {
        case json::kind::null: return JsonType::Other;
        case json::kind::bool_: return JsonType::Boolean;
        case json::kind::int64:
        case json::kind::uint64:
        case json::kind::double_: return JsonType::Number;
        case json::kind::string: return JsonType::String;
        case json::kind::array: return JsonType::Array;
        case json::kind::object: return JsonType::Object;
    }
    return JsonType::Other;
}

const char* name_of(JsonType type) {
    switch (type) {
        case JsonType::Boolean: return "a boolean";
        case JsonType::Number: return "a number";
        case JsonType::String: return "a string";
        case JsonType::Array: return "an array";
        case JsonType::Object: return "an object";
        case JsonType::Other: return "something else";
    }
    return "something else";
}

std::optional<long double> number_in(const json::value& value) {
    if (const auto* number = value.if_int64()) return static_cast<long double>(*number);
    if (const auto* number = value.if_uint64()) return static_cast<long double>(*number);
    if (const auto* number = value.if_double()) return static_cast<long double>(*number);
    return std::nullopt;
}

// Goes down the value and the table side by side. Recursion ends with the value's depth, which the
// parser has limited.
class JsonReader {
public:
    explicit JsonReader(Report& report) : report_(report) {}

    void read(const Type& type, const Notes& notes, const json::value& from, void* into,
              const Path& path) {
        if (report_.full()) return;
        switch (type.kind) {
            case Kind::Boolean:
                if (const auto* value = from.if_bool()) {
                    *static_cast<bool*>(into) = *value;
                } else {
                    expected("a boolean", from, path);
                }
                return;
            case Kind::Integer: return read_integer(type, notes, from, into, path);
            case Kind::Number: {
                const auto number = number_in(from);
                if (!number) return expected("a number", from, path);
                if (check_number(*number, type, notes, path, report_))
                    *static_cast<double*>(into) = static_cast<double>(*number);
                return;
            }
            case Kind::Text: {
                const auto* text = from.if_string();
                if (text == nullptr) return expected("a string", from, path);
                if (check_text(view(*text), notes, path, report_))
                    *static_cast<std::string*>(into) = view(*text);
                return;
            }
            case Kind::Duration:
                if (const auto number = number_in(from)) {
                    store_duration(*number, type, notes, into, path, report_);
                } else if (const auto* text = from.if_string()) {
                    store_duration(view(*text), type, notes, into, path, report_);
                } else {
                    expected("a time", from, path);
                }
                return;
            case Kind::Choice: {
                const auto* text = from.if_string();
                if (text == nullptr) return expected("a string", from, path);
                store_choice(type, view(*text), into, path, report_);
                return;
            }
            case Kind::Optional:
                type.clear(into);
                if (!from.is_null()) read(type.element(), notes, from, type.append(into), path);
                return;
            case Kind::List: return read_list(type, notes, from, into, path);
            case Kind::Map: return read_map(type, notes, from, into, path);
            case Kind::Struct: return read_struct(type, from, into, path);
            case Kind::OneOf: return read_one_of(type, notes, from, into, path);
            case Kind::Any: *static_cast<json::value*>(into) = from; return;
            case Kind::AnyObject:
                if (const auto* object = from.if_object()) {
                    *static_cast<json::object*>(into) = *object;
                } else {
                    expected("an object", from, path);
                }
                return;
            case Kind::ObjectText:
                if (from.is_object()) {
                    auto& text = static_cast<ObjectText*>(into)->text;
                    text.clear();
                    append_json(text, from);
                } else {
                    expected("an object", from, path);
                }
                return;
        }
    }

private:
    void expected(const char* what, const json::value& got, const Path& path) {
        const bool whole_body = path.parent == nullptr;
        report_.add(path, std::string(whole_body ? "the body must be " : "must be ") + what +
                              ", not " + name_of(got));
    }

    void read_integer(const Type& type, const Notes& notes, const json::value& from, void* into,
                      const Path& path) {
        const auto number = number_in(from);
        if (!number) return expected("an integer", from, path);
        if (*number != std::floor(*number)) {
            report_.add(path, "must be an integer, not " + number_text(*number));
            return;
        }
        if (!check_number(*number, type, notes, path, report_)) return;
        const auto bits = *number < 0
                              ? static_cast<std::uint64_t>(static_cast<std::int64_t>(*number))
                              : static_cast<std::uint64_t>(*number);
        type.store_integer(into, bits);
    }

    void read_list(const Type& type, const Notes& notes, const json::value& from, void* into,
                   const Path& path) {
        const auto* array = from.if_array();
        if (array == nullptr) return expected("an array", from, path);
        if (!check_items(array->size(), type, notes, path, report_)) return;
        type.clear(into);
        const Type& element = type.element();
        const Notes& each = notes.each ? *notes.each : kNoNotes;
        std::size_t index = 0;
        for (const auto& value : *array) {
            if (report_.full()) return;
            read(element, each, value, type.append(into), {&path, {}, index++});
        }
    }

    void read_map(const Type& type, const Notes& notes, const json::value& from, void* into,
                  const Path& path) {
        const auto* object = from.if_object();
        if (object == nullptr) return expected("an object", from, path);
        if (!check_items(object->size(), type, notes, path, report_)) return;
        type.clear(into);
        const Type& element = type.element();
        const Notes& each = notes.each ? *notes.each : kNoNotes;
        for (const auto& [boost_key, value] : *object) {
            if (report_.full()) return;
            const std::string_view key(boost_key.data(), boost_key.size());
            const Path here{&path, key};
            if (notes.keys && !check_text(key, *notes.keys, here, report_)) continue;
            read(element, each, value, type.insert(into, key), here);
        }
    }

    void read_struct(const Type& type, const json::value& from, void* into, const Path& path) {
        const auto* object = from.if_object();
        if (object == nullptr) return expected("an object", from, path);
        const auto found_before = report_.count();
        std::uint64_t seen = 0;
        for (const auto& [boost_key, value] : *object) {
            if (report_.full()) return;
            const std::string_view key(boost_key.data(), boost_key.size());
            std::size_t i = 0;
            while (i < type.fields.size() && type.fields[i].name != key) ++i;
            if (i == type.fields.size()) {
                check_unknown(type, key, path, report_);
                continue;
            }
            seen |= std::uint64_t{1} << i;
            const Field& field = type.fields[i];
            read(field.type(), field.notes, value, static_cast<char*>(into) + field.offset,
                 {&path, key});
        }
        check_missing(type, seen, path, report_);
        if (report_.count() == found_before) check_rules(type, into, path, report_);
    }

    void read_one_of(const Type& type, const Notes& notes, const json::value& from, void* into,
                     const Path& path) {
        std::string allowed;
        for (std::size_t i = 0; i < type.alternatives.size(); ++i) {
            const Type& alternative = type.alternatives[i]();
            if (json_type_of(alternative) == json_type(from)) {
                return read(alternative, notes, from, type.select(into, i), path);
            }
            allowed += (i > 0 ? " or " : "");
            allowed += name_of(json_type_of(alternative));
        }
        expected(allowed.c_str(), from, path);
    }

    Report& report_;
};

}  // namespace

namespace detail {

void read_value(const Type& type, const json::value& value, void* into) {
    Report report;
    JsonReader(report).read(type, kNoNotes, value, into, Path{});
    report.throw_if_any();
}

void read_json(const Type& type, std::string_view text, std::size_t bytes_max, void* into) {
    // The tree lives until the value is filled in: all of it comes from one place and goes at once.
    std::array<unsigned char, 8192> first;
    json::monotonic_resource memory(first.data(), first.size());
    read_value(type, parse_into(&memory, text, bytes_max), into);
}

}  // namespace detail

}  // namespace atl::schema
