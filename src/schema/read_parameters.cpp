#include "base/encoding.hpp"
#include "base/utf8.hpp"
#include "schema/json.hpp"
#include "schema/reader.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace atl::schema {

namespace {

constexpr std::size_t kQueryBytesMax = 16 << 10;
constexpr std::size_t kParametersMax = 128;

[[noreturn]] void refuse(std::string path, std::string message) {
    throw ValidationError({{std::move(path), std::move(message)}});
}

std::string decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+') {
            out += ' ';
        } else if (text[i] != '%') {
            out += text[i];
        } else {
            const int high = i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
            const int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
            if (high < 0 || low < 0) refuse("", "the query has a % without two hex digits");
            out += static_cast<char>(high * 16 + low);
            i += 2;
        }
    }
    return out;
}

class TextReader {
public:
    explicit TextReader(Report& report) : report_(report) {}

    void read(const Type& type, const Notes& notes, std::string_view text, void* into,
              const Path& path) {
        switch (type.kind) {
            case Kind::Boolean: return read_boolean(text, into, path);
            case Kind::Integer: return read_integer(type, notes, text, into, path);
            case Kind::Number: return read_number(type, notes, text, into, path);
            case Kind::Text:
                if (check_text(text, notes, path, report_)) *static_cast<std::string*>(into) = text;
                return;
            case Kind::Duration: store_duration(text, type, notes, into, path, report_); return;
            case Kind::Choice: store_choice(type, text, into, path, report_); return;
            case Kind::Optional: return read(type.element(), notes, text, type.append(into), path);
            case Kind::List:
                return read(type.element(), notes.each ? *notes.each : kNoNotes, text,
                            type.append(into), path);
            case Kind::Map:
            case Kind::Struct:
            case Kind::OneOf:
            case Kind::Any:
            case Kind::AnyObject:
            case Kind::ObjectText: break;
        }
        throw std::logic_error("a parameter cannot be of this type: " + path.text());
    }

private:
    void read_boolean(std::string_view text, void* into, const Path& path) {
        // "?all" alone means that it is wanted.
        if (text == "true" || text == "1" || text.empty()) {
            *static_cast<bool*>(into) = true;
        } else if (text == "false" || text == "0") {
            *static_cast<bool*>(into) = false;
        } else {
            report_.add(path, "must be true or false, not " + quoted(text));
        }
    }

    void read_integer(const Type& type, const Notes& notes, std::string_view text, void* into,
                      const Path& path) {
        const char* end = text.data() + text.size();
        std::uint64_t bits = 0;
        std::from_chars_result result{};
        long double number = 0;
        if (text.starts_with('-')) {
            std::int64_t value = 0;
            result = std::from_chars(text.data(), end, value);
            bits = static_cast<std::uint64_t>(value);
            number = static_cast<long double>(value);
        } else {
            result = std::from_chars(text.data(), end, bits);
            number = static_cast<long double>(bits);
        }
        if (text.empty() || result.ptr != end || result.ec == std::errc::invalid_argument) {
            report_.add(path, "must be an integer, not " + quoted(text));
        } else if (result.ec == std::errc::result_out_of_range) {
            report_.add(path, "is beyond 64 bits");
        } else if (check_number(number, type, notes, path, report_)) {
            type.store_integer(into, bits);
        }
    }

    void read_number(const Type& type, const Notes& notes, std::string_view text, void* into,
                     const Path& path) {
        double value = 0;
        const char* end = text.data() + text.size();
        const auto result = std::from_chars(text.data(), end, value);
        if (result.ptr != end || result.ec != std::errc() || !std::isfinite(value)) {
            report_.add(path, "must be a number, not " + quoted(text));
        } else if (check_number(value, type, notes, path, report_)) {
            *static_cast<double*>(into) = value;
        }
    }

    Report& report_;
};

bool takes_several(const Type& type) {
    return type.kind == Kind::List ||
           (type.kind == Kind::Optional && type.element().kind == Kind::List);
}

// Parameters of one list arrive one by one, into the same place: for an optional list the place is
// made once.
void read_list(TextReader& reader, const Field& field, const std::vector<std::string_view>& texts,
               void* into, const Path& path, Report& report) {
    const Type& outer = field.type();
    void* place = into;
    if (outer.kind == Kind::Optional) place = outer.append(into);
    const Type& list = outer.kind == Kind::Optional ? outer.element() : outer;
    if (!check_items(texts.size(), list, field.notes, path, report)) return;
    list.clear(place);
    std::size_t index = 0;
    for (const auto text : texts) {
        if (report.full()) return;
        reader.read(list, field.notes, text, place, {&path, {}, index++});
    }
}

}  // namespace

std::vector<Parameter> split_query(std::string_view query) {
    if (query.size() > kQueryBytesMax) {
        throw ErrorException(
            {Code::TooLarge, "the query has over " + std::to_string(kQueryBytesMax) + " bytes"});
    }
    std::vector<Parameter> found;
    while (!query.empty()) {
        const auto pair = query.substr(0, query.find('&'));
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
        if (pair.empty()) continue;
        if (found.size() >= kParametersMax) {
            refuse("", "the query has over " + std::to_string(kParametersMax) + " parameters");
        }
        const auto equals = std::min(pair.find('='), pair.size());
        const auto value = equals < pair.size() ? pair.substr(equals + 1) : std::string_view();
        found.emplace_back(decoded(pair.substr(0, equals)), decoded(value));
    }
    return found;
}

std::string header_name(std::string_view field) {
    std::string out;
    bool starts_word = true;
    for (const char c : field) {
        const auto byte = static_cast<unsigned char>(c);
        out += c == '_' ? '-' : static_cast<char>(starts_word ? std::toupper(byte) : byte);
        starts_word = c == '_' || c == '-';
    }
    return out;
}

void detail::read_headers(const Type& type, const HeaderLookup& header, void* into) {
    std::vector<Parameter> found;
    for (const auto& field : type.fields) {
        if (auto value = header(header_name(field.name)))
            found.emplace_back(field.name, std::move(*value));
    }
    read_parameters(type, found, into);
}

void detail::read_parameters(const Type& type, std::span<const Parameter> parameters, void* into) {
    Report report;
    TextReader reader(report);
    const Path root;
    std::uint64_t seen = 0;
    std::vector<std::vector<std::string_view>> lists(type.fields.size());
    for (const auto& [name, text] : parameters) {
        if (report.full()) break;
        const Path path{&root, name};
        std::size_t i = 0;
        while (i < type.fields.size() && type.fields[i].name != name) ++i;
        if (i == type.fields.size()) {
            check_unknown(type, name, root, report);
            continue;
        }
        if (find_invalid_utf8(text) != std::string_view::npos) {
            report.add(path, "is not UTF-8");
            continue;
        }
        const Field& field = type.fields[i];
        const bool again = (seen >> i & 1u) != 0;
        seen |= std::uint64_t{1} << i;
        if (takes_several(field.type())) {
            lists[i].push_back(text);
        } else if (again) {
            // Two readers of one request must not see two different values.
            report.add(path, "stands twice");
        } else {
            reader.read(field.type(), field.notes, text, static_cast<char*>(into) + field.offset,
                        path);
        }
    }
    for (std::size_t i = 0; i < lists.size(); ++i) {
        const Field& field = type.fields[i];
        if (lists[i].empty()) continue;
        read_list(reader, field, lists[i], static_cast<char*>(into) + field.offset,
                  {&root, field.name}, report);
    }
    check_missing(type, seen, root, report);
    if (report.count() == 0) check_rules(type, into, root, report);
    report.throw_if_any();
}

}  // namespace atl::schema
