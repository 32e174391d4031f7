#include "base/utf8.hpp"
#include "schema/json.hpp"
#include "schema/type.hpp"

#include <array>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <chrono>
#include <cmath>

namespace atl::schema {

namespace {

namespace json = boost::json;

template <class Integer>
void append_integer(std::string& out, Integer value) {
    std::array<char, 24> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out.append(digits.data(), end);
}

void append_escape(std::string& out, unsigned char c) {
    switch (c) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        case '\b': out += "\\b"; return;
        case '\f': out += "\\f"; return;
        default: break;
    }
    constexpr std::string_view kHex = "0123456789abcdef";
    const std::array<char, 6> escaped{'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15u]};
    out.append(escaped.data(), escaped.size());
}

void append_duration(std::string& out, std::chrono::milliseconds value) {
    const auto ms = value.count();
    const auto write = [&](std::int64_t count, const char* unit) {
        out += '"';
        append_integer(out, count);
        out += unit;
        out += '"';
    };
    if (ms % 1000 != 0) return write(ms, "ms");
    if (ms % 60'000 != 0 || ms == 0) return write(ms / 1000, "s");
    if (ms % 3'600'000 != 0) return write(ms / 60'000, "m");
    write(ms / 3'600'000, "h");
}

void print_object(const json::object& object, std::string& out) {
    char before = '{';
    for (const auto& [key, inner] : object) {
        out += before;
        before = ',';
        append_json_string(out, {key.data(), key.size()});
        out += ':';
        append_json(out, inner);
    }
    if (before == '{') out += '{';
    out += '}';
}

struct Elements {  // of a list or a map, on their way out
    std::string& out;
    const Type& type;
    bool keyed;
    bool first = true;
};

void print_value(const Type& type, const void* value, std::string& out);

void print_element(void* context, std::string_view key, const void* element) {
    auto& elements = *static_cast<Elements*>(context);
    if (!elements.first) elements.out += ',';
    elements.first = false;
    if (elements.keyed) {
        append_json_string(elements.out, key);
        elements.out += ':';
    }
    print_value(elements.type, element, elements.out);
}

void print_struct(const Type& type, const void* value, std::string& out) {
    char before = '{';
    for (const auto& field : type.fields) {
        const Type& member = field.type();
        const void* object = static_cast<const char*>(value) + field.offset;
        if (member.kind == Kind::Optional && member.look(object) == nullptr) continue;
        out += before;
        before = ',';
        out += '"';
        out += field.name;  // from our own table: nothing in it needs an escape
        out += "\":";
        print_value(member, object, out);
    }
    if (before == '{') out += '{';
    out += '}';
}

void print_value(const Type& type, const void* value, std::string& out) {
    switch (type.kind) {
        case Kind::Boolean: out += *static_cast<const bool*>(value) ? "true" : "false"; return;
        case Kind::Integer: {
            const auto bits = type.load_integer(value);
            if (type.integer_min < 0) {
                append_integer(out, static_cast<std::int64_t>(bits));
            } else {
                append_integer(out, bits);
            }
            return;
        }
        case Kind::Number: append_json_number(out, *static_cast<const double*>(value)); return;
        case Kind::Text: append_json_string(out, *static_cast<const std::string*>(value)); return;
        case Kind::Duration:
            append_duration(out, *static_cast<const std::chrono::milliseconds*>(value));
            return;
        case Kind::Choice: {
            const auto index = type.selected(value);
            // Not one of the described: a fault of ours, and still valid JSON.
            if (index >= type.choices.size()) {
                out += "null";
                return;
            }
            out += '"';
            out += type.choices[index].name;
            out += '"';
            return;
        }
        case Kind::Optional:
            if (const void* inner = type.look(value)) {
                print_value(type.element(), inner, out);
            } else {
                out += "null";
            }
            return;
        case Kind::List:
        case Kind::Map: {
            const bool keyed = type.kind == Kind::Map;
            Elements elements{out, type.element(), keyed};
            out += keyed ? '{' : '[';
            type.visit(value, &elements, &print_element);
            out += keyed ? '}' : ']';
            return;
        }
        case Kind::Struct: return print_struct(type, value, out);
        case Kind::OneOf: {
            const auto index = type.selected(value);
            return print_value(type.alternatives.at(index)(), type.look(value), out);
        }
        case Kind::Any: return append_json(out, *static_cast<const json::value*>(value));
        case Kind::AnyObject: return print_object(*static_cast<const json::object*>(value), out);
        case Kind::ObjectText: out += static_cast<const ObjectText*>(value)->text; return;
    }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    append_json_characters(out, text);
    out += '"';
}

void append_json_characters(std::string& out, std::string_view text) {
    std::size_t kept = 0;  // up to here it is written
    std::size_t at = 0;
    while (at < text.size()) {
        const auto c = static_cast<unsigned char>(text[at]);
        if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
            ++at;
            continue;
        }
        if (c >= 0x80) {
            if (const auto bytes = character_bytes(text, at); bytes > 0) {
                at += bytes;
                continue;
            }
        }
        out.append(text, kept, at - kept);
        if (c >= 0x80) {
            out += "\xEF\xBF\xBD";  // U+FFFD
        } else {
            append_escape(out, c);
        }
        kept = ++at;
    }
    out.append(text, kept, at - kept);
}

void append_json_number(std::string& out, double number) {
    if (!std::isfinite(number)) {
        out += "null";
        return;
    }
    // The shortest digits that come back to the same double; with an exponent only where nobody
    // would write the zeros.
    const double size = std::fabs(number);
    const bool plain = size == 0 || (size >= 1e-5 && size < 1e17);
    std::array<char, 64> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific)
                         .ptr;
    const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
    out += text;
    if (plain && text.find('.') == std::string_view::npos) out += ".0";  // stays a double
}

void append_json(std::string& out, const json::value& value) {
    switch (value.kind()) {
        case json::kind::null: out += "null"; return;
        case json::kind::bool_: out += value.get_bool() ? "true" : "false"; return;
        case json::kind::int64: return append_integer(out, value.get_int64());
        case json::kind::uint64: return append_integer(out, value.get_uint64());
        case json::kind::double_: return append_json_number(out, value.get_double());
        case json::kind::string: {
            const auto& text = value.get_string();
            return append_json_string(out, {text.data(), text.size()});
        }
        case json::kind::array: {
            char before = '[';
            for (const auto& inner : value.get_array()) {
                out += before;
                before = ',';
                append_json(out, inner);
            }
            if (before == '[') out += '[';
            out += ']';
            return;
        }
        case json::kind::object: return print_object(value.get_object(), out);
    }
}

void detail::print(const Type& type, const void* value, std::string& out) {
    print_value(type, value, out);
}

}  // namespace atl::schema
