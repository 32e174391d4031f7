#include "schema/reader.hpp"

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "schema/json.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cmath>

namespace atl::schema {

namespace {

constexpr long double kDurationSecondsMax = 366.0L * 86'400;

bool is_plain(std::string_view key) {
    return !key.empty() && key.size() <= 64 && std::all_of(key.begin(), key.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    });
}

std::string counted(std::size_t count, const char* one) {
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

struct RuleFindings final : Findings {
    RuleFindings(const Path& at, Report& to) : path(at), report(to) {}
    void add(std::string_view field, std::string message) override {
        report.add(field.empty() ? path : Path{&path, field}, std::move(message));
    }
    const Path& path;
    Report& report;
};

}  // namespace

std::string Path::text() const {
    std::string out = parent != nullptr ? parent->text() : "";
    if (index != kNoIndex) return out + "[" + std::to_string(index) + "]";
    if (key.data() == nullptr) return out;
    // A key is the client's: anything that could be taken for our own punctuation is quoted.
    if (!is_plain(key)) return out + "[" + quoted(key, 64) + "]";
    if (!out.empty()) out += '.';
    return out.append(key);
}

void Report::add(const Path& path, std::string message) {
    if (!full()) issues_.push_back({printable(path.text()), std::move(message)});
}

void Report::throw_if_any() {
    if (!issues_.empty()) throw ValidationError(std::move(issues_));
}

JsonType json_type_of(const Type& type) {
    switch (type.kind) {
        case Kind::Boolean: return JsonType::Boolean;
        case Kind::Integer:
        case Kind::Number: return JsonType::Number;
        case Kind::Text:
        case Kind::Choice: return JsonType::String;
        case Kind::List: return JsonType::Array;
        case Kind::Map:
        case Kind::Struct:
        case Kind::AnyObject:
        case Kind::ObjectText: return JsonType::Object;
        case Kind::Duration:
        case Kind::Optional:
        case Kind::OneOf:
        case Kind::Any: return JsonType::Other;
    }
    return JsonType::Other;
}

std::string number_text(long double number) {
    constexpr long double kExact = 1.8446744073709552e19L;  // 2^64
    if (number == std::floor(number) && number > -kExact / 2 - 1 && number < kExact) {
        return number < 0 ? std::to_string(static_cast<std::int64_t>(number))
                          : std::to_string(static_cast<std::uint64_t>(number));
    }
    std::string out;
    append_json_number(out, static_cast<double>(number));
    return out;
}

bool check_number(long double value, const Type& type, const Notes& notes, const Path& path,
                  Report& report) {
    std::optional<long double> least = notes.minimum;
    std::optional<long double> most = notes.maximum;
    if (type.kind == Kind::Integer) {
        least =
            std::max(least.value_or(type.integer_min), static_cast<long double>(type.integer_min));
        most = std::min(most.value_or(static_cast<long double>(type.integer_max)),
                        static_cast<long double>(type.integer_max));
    }
    if (least && value < *least) {
        report.add(path, "must be at least " + number_text(*least) + ", not " + number_text(value));
        return false;
    }
    if (most && value > *most) {
        report.add(path, "must be at most " + number_text(*most) + ", not " + number_text(value));
        return false;
    }
    return true;
}

bool check_text(std::string_view text, const Notes& notes, const Path& path, Report& report) {
    if (notes.length_min || notes.length_max) {
        const auto count = count_characters(text);
        if (notes.length_min && count < *notes.length_min) {
            report.add(path, count == 0
                                 ? "must not be empty"
                                 : "must have at least " + counted(*notes.length_min, "character") +
                                       ", not " + std::to_string(count));
            return false;
        }
        if (notes.length_max && count > *notes.length_max) {
            report.add(path, "must have at most " + counted(*notes.length_max, "character") +
                                 ", not " + std::to_string(count));
            return false;
        }
    }
    if (notes.pattern && !notes.pattern->matches(text)) {
        report.add(path, "must be " + std::string(notes.pattern->says) + ", not " + quoted(text));
        return false;
    }
    return true;
}

bool check_items(std::size_t count, const Type& type, const Notes& notes, const Path& path,
                 Report& report) {
    const char* what = type.kind == Kind::Map ? "key" : "item";
    if (notes.items_min && count < *notes.items_min) {
        report.add(path, "must have at least " + counted(*notes.items_min, what) + ", not " +
                             std::to_string(count));
        return false;
    }
    if (notes.items_max && count > *notes.items_max) {
        report.add(path, "must have at most " + counted(*notes.items_max, what) + ", not " +
                             std::to_string(count));
        return false;
    }
    return true;
}

void check_unknown(const Type& type, std::string_view name, const Path& path, Report& report) {
    std::vector<std::string_view> known;
    known.reserve(type.fields.size());
    for (const auto& field : type.fields) known.push_back(field.name);
    std::string message = "unknown field";
    if (const auto meant = nearest(name, known); !meant.empty()) {
        message += "; did you mean " + std::string(meant) + "?";
    }
    report.add({&path, name}, std::move(message));
}

void check_missing(const Type& type, std::uint64_t seen, const Path& path, Report& report) {
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
        const auto& field = type.fields[i];
        if (field.notes.required && (seen >> i & 1u) == 0) {
            report.add({&path, field.name}, "is missing");
        }
    }
}

void check_rules(const Type& type, const void* object, const Path& path, Report& report) {
    RuleFindings findings(path, report);
    for (const auto& rule : type.rules) rule(object, findings);
}

bool store_choice(const Type& type, std::string_view name, void* into, const Path& path,
                  Report& report) {
    for (std::size_t i = 0; i < type.choices.size(); ++i) {
        if (type.choices[i].name == name) {
            type.select(into, i);
            return true;
        }
    }
    std::string message = "must be one of ";
    for (std::size_t i = 0; i < type.choices.size(); ++i) {
        if (i > 0) message += ", ";
        message += type.choices[i].name;
    }
    report.add(path, message + "; not " + quoted(name));
    return false;
}

bool store_duration(std::string_view text, const Type& type, const Notes& notes, void* into,
                    const Path& path, Report& report) {
    struct Unit {
        std::string_view name;
        long double seconds;
    };
    constexpr std::array kUnits = {Unit{"ms", 0.001L}, Unit{"s", 1}, Unit{"m", 60}, Unit{"h", 3600},
                                   Unit{"", 1}};
    // Digits and at most one dot: no sign, no exponent, no "inf".
    const auto end = std::min(text.find_first_not_of("0123456789."), text.size());
    double number = 0;
    const auto [stop, failure] = std::from_chars(text.data(), text.data() + end, number);
    const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& known) {
        return known.name == text.substr(end);
    });
    if (failure != std::errc() || stop != text.data() + end || unit == kUnits.end()) {
        report.add(path, "must be a time such as 500ms, 30s, 5m or 2h, not " + quoted(text));
        return false;
    }
    return store_duration(static_cast<long double>(number) * unit->seconds, type, notes, into, path,
                          report);
}

bool store_duration(long double seconds, const Type& type, const Notes& notes, void* into,
                    const Path& path, Report& report) {
    if (seconds < 0 || seconds > kDurationSecondsMax) {
        report.add(path, "must be a time between 0 and 366 days");
        return false;
    }
    const auto value = std::chrono::milliseconds(std::llround(seconds * 1000));
    if (!check_number(static_cast<long double>(value.count()) / 1000, type, notes, path, report))
        return false;
    *static_cast<std::chrono::milliseconds*>(into) = value;
    return true;
}

}  // namespace atl::schema
