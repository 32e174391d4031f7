#include "schema/type.hpp"

#include "base/text.hpp"
#include "schema/describe.hpp"
#include "schema/reader.hpp"

#include <algorithm>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cctype>
#include <stdexcept>

namespace atl::schema {

namespace {

// One character of a set: 'a', or an escaped one, "\x1f".
unsigned char next_of(std::string_view& set) {
    const auto hex = [](char c) {
        return c <= '9' ? c - '0' : std::tolower(static_cast<unsigned char>(c)) - 'a' + 10;
    };
    if (set.size() >= 4 && set[0] == '\\' && set[1] == 'x') {
        const int value = hex(set[2]) * 16 + hex(set[3]);
        set.remove_prefix(4);
        return static_cast<unsigned char>(value);
    }
    const auto c = static_cast<unsigned char>(set.front());
    set.remove_prefix(1);
    return c;
}

bool contains(std::string_view set, unsigned char c) {
    const bool inverted = set.starts_with('^');
    if (inverted) set.remove_prefix(1);
    bool found = false;
    while (!set.empty() && !found) {
        const auto low = next_of(set);
        auto high = low;
        if (set.size() >= 2 && set.front() == '-') {
            set.remove_prefix(1);
            high = next_of(set);
        }
        found = low <= c && c <= high;
    }
    return found != inverted;
}

// A set as a regular expression has it. Letters, digits and ranges stand as they are.
std::string bracket(std::string_view set) {
    std::string out = "[";
    if (set.starts_with('^')) {
        out += '^';
        set.remove_prefix(1);
    }
    while (!set.empty()) {
        const char c = set.front();
        if (set.starts_with("\\x")) {
            out += set.substr(0, 4);
            set.remove_prefix(4);
            continue;
        }
        const bool range = c == '-' && set.size() > 1 && out.back() != '[' && out.back() != '^';
        if (!range && std::string_view("-]^[\\").find(c) != std::string_view::npos) out += '\\';
        out += c;
        set.remove_prefix(1);
    }
    return out + "]";
}

std::string literal(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("^$\\.*+?()[]{}|/").find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

Type plain(Kind kind) {
    Type type;
    type.kind = kind;
    return type;
}

// NotFound and not_found are both written not_found.
std::string snake_case(std::string_view name) {
    const auto upper = [&](std::size_t i) {
        return i < name.size() && std::isupper(static_cast<unsigned char>(name[i])) != 0;
    };
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool starts_word =
            upper(i) && i > 0 && name[i - 1] != '_' &&
            (!upper(i - 1) || (i + 1 < name.size() && !upper(i + 1) && name[i + 1] != '_'));
        if (starts_word) out += '_';
        out += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
    }
    return out;
}

// describe.hpp's one_line(). Sets are of bytes, and there are control characters beyond ASCII: C1,
// and those that change the direction of text.
constexpr std::string_view kNoControls = R"(^\x00-\x1f\x7f)";

}  // namespace

bool Pattern::matches(std::string_view text) const noexcept {
    if (rest == kNoControls && !is_harmless(text)) return false;
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    if (!first.empty()) {
        if (text.empty() || !contains(first, static_cast<unsigned char>(text.front())))
            return false;
        text.remove_prefix(1);
        if (rest.empty()) return text.empty();
    }
    return rest.empty() || std::all_of(text.begin(), text.end(), [this](char c) {
               return contains(rest, static_cast<unsigned char>(c));
           });
}

std::string Pattern::expression() const {
    std::string out = "^";
    out += literal(prefix);
    if (!first.empty()) out += bracket(first);
    if (rest == kNoControls) {
        // base/text.hpp, written as everybody's expressions know it.
        out += R"([^\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*)";
    } else if (!rest.empty()) {
        out += bracket(rest) + "*";
    }
    if (!first.empty() || !rest.empty()) out += "$";
    return out;
}

template <>
const Type& type_of<bool>() {
    static const Type kType = plain(Kind::Boolean);
    return kType;
}
template <>
const Type& type_of<double>() {
    static const Type kType = plain(Kind::Number);
    return kType;
}
template <>
const Type& type_of<std::string>() {
    static const Type kType = plain(Kind::Text);
    return kType;
}
template <>
const Type& type_of<std::chrono::milliseconds>() {
    static const Type kType = plain(Kind::Duration);
    return kType;
}
template <>
const Type& type_of<boost::json::value>() {
    static const Type kType = plain(Kind::Any);
    return kType;
}
template <>
const Type& type_of<boost::json::object>() {
    static const Type kType = plain(Kind::AnyObject);
    return kType;
}
template <>
const Type& type_of<ObjectText>() {
    static const Type kType = plain(Kind::ObjectText);
    return kType;
}
template <>
const Type& type_of<std::int32_t>() {
    static const Type kType = detail::Shape<std::int32_t>::make();
    return kType;
}
template <>
const Type& type_of<std::int64_t>() {
    static const Type kType = detail::Shape<std::int64_t>::make();
    return kType;
}
template <>
const Type& type_of<std::uint32_t>() {
    static const Type kType = detail::Shape<std::uint32_t>::make();
    return kType;
}
template <>
const Type& type_of<std::uint64_t>() {
    static const Type kType = detail::Shape<std::uint64_t>::make();
    return kType;
}
template <>
const Type& type_of<std::optional<std::string>>() {
    static const Type kType = detail::Shape<std::optional<std::string>>::make();
    return kType;
}
template <>
const Type& type_of<std::vector<std::string>>() {
    static const Type kType = detail::Shape<std::vector<std::string>>::make();
    return kType;
}
template <>
const Type& type_of<std::map<std::string, std::string>>() {
    static const Type kType = detail::Shape<std::map<std::string, std::string>>::make();
    return kType;
}

namespace detail {

void add_field(Type& type, const std::vector<MemberOffset>& described, MemberOffset row,
               TypeRef member, Notes notes) {
    const auto found =
        std::find_if(described.begin(), described.end(),
                     [&](const MemberOffset& one) { return one.offset == row.offset; });
    if (found == described.end()) {
        throw std::logic_error("a row of the table is about a member that is not described: " +
                               std::string(notes.description));
    }
    if (type.fields.size() >= kFieldsMax) throw std::logic_error("a type with over 64 fields");
    const auto name = row.name.empty() ? found->name : row.name;
    for (const auto& other : type.fields) {
        if (other.name == name || other.offset == row.offset) {
            throw std::logic_error("the field " + std::string(name) + " has two rows");
        }
    }
    if (notes.description.empty()) {
        throw std::logic_error("the field " + std::string(name) + " has no description");
    }
    type.fields.push_back({name, row.offset, member, std::move(notes)});
}

void add_choice(Type& type, const std::vector<std::string_view>& described, std::size_t index,
                std::string_view description) {
    auto& choice = type.choices.at(index);
    if (!choice.name.empty()) throw std::logic_error(choice.name + " has two rows");
    choice.name = snake_case(described.at(index));
    choice.description = description;
}

std::string json_text(std::string_view text) {
    std::string out;
    append_json_string(out, text);
    return out;
}

std::string json_text(double number) {
    std::string out;
    append_json_number(out, number);
    return out;
}

void check_alternatives(const Type& type) {
    std::vector<JsonType> seen;
    for (const auto alternative : type.alternatives) {
        const auto json = json_type_of(alternative());
        if (json == JsonType::Other || std::count(seen.begin(), seen.end(), json) > 0) {
            throw std::logic_error(
                "the alternatives of a std::variant must differ in their JSON type");
        }
        seen.push_back(json);
    }
}

}  // namespace detail

}  // namespace atl::schema
