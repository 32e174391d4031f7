#include "main/settings.hpp"

#include "base/nearest.hpp"
#include "core/spec.hpp"
#include "main/settings_file.hpp"
#include "runtimes/native/paths.hpp"

#include <algorithm>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <iterator>
#include <unistd.h>

namespace atl::main {

namespace {

constexpr std::uint64_t kMebibyte = 1ull << 20;
constexpr std::uint64_t kMebibytesMost = 1ull << 26;
constexpr std::string_view kSystemFile = "/etc/atoll/atoll.toml";
constexpr std::size_t kWordBytesMax = 4096;
constexpr std::size_t kListMax = 64;
constexpr std::string_view kOurVariables = "ATOLL_";

// A server does not refuse to start for these: they may be meant for other programs. Nor are they
// passed over in silence.
struct Unused {
    const char* name;
    const char* why;
};
constexpr const char* kTemplatesSay =
    "sandboxes use the Python of their template (docs/templates.md)";
constexpr Unused kUnused[] = {
    {"CPYTHON_BIN", kTemplatesSay},
    {"PYTHON_BIN", kTemplatesSay},
    {"PYODIDE_INDEX_URL", "sandboxes run CPython, and Pyodide is not among the runtimes"},
    {"E2B_API_KEY", "sandboxes are made on this host, and E2B is not among the runtimes"},
};

template <class... Cases>
struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;

Error wrong(const std::string& what) { return {Code::InvalidArgument, what}; }
std::string quoted(const std::string& text) { return "\"" + text + "\""; }

Result<std::uint64_t> whole_number(const std::string& text) {
    if (text.empty() || text.size() > 18 ||
        !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        return wrong(quoted(text) + " is not a whole number");
    }
    return std::stoull(text);
}

std::string number_text(std::uint64_t value, bool bytes) {
    if (!bytes || value % 1024 != 0 || value == 0) return std::to_string(value);
    static constexpr std::string_view kUnits[] = {"", "k", "m", "g", "t"};
    std::size_t unit = 0;
    while (value % 1024 == 0 && unit < 4) {
        value /= 1024;
        ++unit;
    }
    return std::to_string(value) + std::string(kUnits[unit]);
}

std::string time_text(std::uint64_t ms) {
    if (ms % 1000 != 0) return std::to_string(ms) + "ms";
    return std::to_string(ms / 1000) + "s";
}

Result<std::uint64_t> amount(const Setting& setting, const std::string& text, Unit unit) {
    const bool is_time =
        std::holds_alternative<Milliseconds Settings::*>(setting.member) ||
        std::holds_alternative<std::optional<Milliseconds> Settings::*>(setting.member);
    std::uint64_t value = 0;
    if (unit != Unit::Usual) {
        auto number = whole_number(text);
        if (!number) return number.error();
        if (unit == Unit::Mebibyte && *number > kMebibytesMost) {
            return wrong(text + " is too large");
        }
        value = unit == Unit::Mebibyte ? *number * kMebibyte : *number;
    } else if (is_time) {
        auto time = core::parse_duration(text);
        if (!time) return time.error();
        value = static_cast<std::uint64_t>(time->count());
    } else if (setting.bytes) {
        auto bytes = core::parse_bytes(text);
        if (!bytes) return bytes.error();
        value = *bytes;
    } else {
        auto number = whole_number(text);
        if (!number) return number.error();
        value = *number;
    }
    if (value == 0 && setting.zero_is_none) return value;
    const auto shown = [&](std::uint64_t number) {
        return is_time ? time_text(number) : number_text(number, setting.bytes);
    };
    if (value < setting.least || value > setting.most) {
        return wrong(text + " is not between " + shown(setting.least) + " and " +
                     shown(setting.most));
    }
    return value;
}

Result<bool> flag_of(const std::string& text) {
    for (const char* yes : {"1", "true", "yes", "on"}) {
        if (text == yes) return true;
    }
    for (const char* no : {"0", "false", "no", "off"}) {
        if (text == no) return false;
    }
    return wrong(quoted(text) + " is neither true nor false");
}

std::vector<std::string> split(const std::vector<std::string>& words) {
    std::vector<std::string> items;
    for (const auto& word : words) {
        std::size_t from = 0;
        while (from <= word.size()) {
            const auto comma = std::min(word.find(',', from), word.size());
            auto first = word.find_first_not_of(" \t", from);
            auto last = word.find_last_not_of(" \t", comma == 0 ? 0 : comma - 1);
            if (first != std::string::npos && first < comma) {
                items.push_back(word.substr(first, last - first + 1));
            }
            from = comma + 1;
        }
    }
    return items;
}

Result<void> check_words(const std::vector<std::string>& words) {
    for (const auto& word : words) {
        if (word.size() > kWordBytesMax) return wrong("the value is too long");
        for (const char c : word) {
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
                return wrong("the value contains a line break or another control character");
            }
        }
    }
    return {};
}

Result<void> check_choice(const Setting& setting, const std::string& text) {
    const auto& choices = setting.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end()) {
        return {};
    }
    std::string all;
    for (const auto choice : choices) all.append(all.empty() ? "" : ", ").append(choice);
    return wrong(quoted(text) + " is not available; this server has: " + all);
}

Result<void> store_list(const Setting& setting, std::vector<std::string> items,
                        std::vector<std::string>& into) {
    if (items.size() > kListMax) return wrong("these are more than 64");
    if (items.empty() && setting.needed) return wrong("no address is given");
    for (const auto& item : items) {
        if (setting.check == nullptr) break;
        if (auto good = setting.check(item); !good) return good.error();
    }
    into = std::move(items);
    return {};
}

// The one way in, wherever the words come from.
Result<void> store(const Setting& setting, const std::vector<std::string>& words, Unit unit,
                   Settings& into) {
    if (auto good = check_words(words); !good) return good;
    if (const auto* list = std::get_if<std::vector<std::string> Settings::*>(&setting.member)) {
        return store_list(setting, split(words), into.*(*list));
    }
    if (words.size() != 1) return wrong("a single value is expected, not a list");
    const std::string& text = words.front();
    return std::visit(
        Overloaded{[&](std::string Settings::*member) -> Result<void> {
                       if (auto good = check_choice(setting, text); !good) return good;
                       if (setting.check != nullptr) {
                           if (auto good = setting.check(text); !good) return good;
                       }
                       into.*member = text;
                       return {};
                   },
                   [&](std::vector<std::string> Settings::*) -> Result<void> { return {}; },
                   [&](bool Settings::*member) -> Result<void> {
                       auto value = flag_of(text);
                       if (!value) return value.error();
                       into.*member = *value;
                       return {};
                   },
                   [&]<class T>(T Settings::*member) -> Result<void> {
                       auto value = amount(setting, text, unit);
                       if (!value) return value.error();
                       if constexpr (kIsOptional<T>) {
                           (into.*member).reset();
                           if (*value == 0 && setting.zero_is_none) return {};
                           into.*member = typename T::value_type(*value);
                       } else {
                           into.*member = T(*value);
                       }
                       return {};
                   }},
        setting.member);
}

const Setting* setting_of(std::string_view key) {
    for (const auto& setting : all_settings()) {
        if (setting.key == key) return &setting;
    }
    return nullptr;
}

Error no_such_setting(const std::string& where, const std::string& key) {
    std::vector<std::string_view> keys;
    for (const auto& setting : all_settings()) keys.push_back(setting.key);
    std::string sentence = where + ": there is no setting " + quoted(key);
    const auto meant = nearest(key, keys);
    if (!meant.empty()) sentence += "; did you mean " + std::string(meant) + "?";
    return wrong(sentence);
}

// As a number that can be compared; nothing: it is not set.
std::optional<std::uint64_t> amount_in(const Setting& setting, const Settings& values) {
    const auto number =
        Overloaded{[](std::uint64_t value) -> std::optional<std::uint64_t> { return value; },
                   [](Milliseconds value) -> std::optional<std::uint64_t> {
                       return static_cast<std::uint64_t>(value.count());
                   },
                   [](const auto&) -> std::optional<std::uint64_t> { return std::nullopt; }};
    return std::visit(
        [&]<class T>(T Settings::*member) -> std::optional<std::uint64_t> {
            const auto& value = values.*member;
            if constexpr (kIsOptional<T>) {
                if (!value) return std::nullopt;
                return number(*value);
            } else {
                return number(value);
            }
        },
        setting.member);
}

// What rows say of one another. What holds where a client names nothing is no more than what it
// could name.
Result<void> check_together(const SettingsInForce& settings) {
    const auto& values = settings.values;
    const auto named = [&](std::string_view key) {
        return std::string(key) + " (" + settings.from.at(key) + ")";
    };
    for (const auto& setting : all_settings()) {
        if (setting.check_value != nullptr) {
            auto good = setting.check_value(values);
            if (!good) return good.error().during(named(setting.key));
        }
        if (!setting.partner.empty() && !value_text(setting, values).empty() &&
            value_text(*setting_of(setting.partner), values).empty()) {
            // The same sentence, whichever is missing.
            const auto [first, second] = std::minmax(setting.key, setting.partner);
            return wrong(std::string(first) + " and " + std::string(second) +
                         " belong together: one of them is set and the other is not");
        }
        if (setting.ceiling.empty()) continue;
        const auto usual = amount_in(setting, values);
        const auto most = amount_in(*setting_of(setting.ceiling), values);
        if (usual && most && *usual > *most) {
            return wrong(named(setting.key) + " is more than " + named(setting.ceiling));
        }
    }
    return {};
}

// The file that is to be read; empty when there is none. One that was named must be there.
std::string file_to_read(const SettingsWords& words, const Environment& environment) {
    if (!words.config.empty()) return words.config;
    const auto named = environment.find("ATOLL_CONFIG");
    if (named != environment.end() && !named->second.empty()) return named->second;
    std::string data;
    if (const auto given = words.given.find("data_dir");
        given != words.given.end() && !given->second.empty()) {
        data = given->second.back();
    } else {
        data = native::Paths::data_folder();
    }
    for (const auto& candidate : {data + "/atoll.toml", std::string(kSystemFile)}) {
        if (::access(candidate.c_str(), F_OK) == 0) return candidate;
    }
    return {};
}

// What one source says of one setting.
struct Given {
    const Setting* setting;
    std::vector<std::string> words;
    std::string from;   // as it is shown
    std::string place;  // as errors begin
    Unit unit = Unit::Usual;
};

// A setting that the file has as a table of the user's own names, and the name that follows.
const Setting* table_of(const std::string& key, std::string& name) {
    for (const auto& setting : all_settings()) {
        const std::string prefix = std::string(setting.key) + ".";
        if (!setting.named || !key.starts_with(prefix)) continue;
        name = key.substr(prefix.size());
        return &setting;
    }
    return nullptr;
}

Result<std::vector<Given>> given_in_file(const std::string& file) {
    std::vector<Given> all;
    if (file.empty()) return all;
    auto entries = read_settings_file(file);
    if (!entries) return entries.error();
    for (auto& entry : *entries) {
        const std::string where = file + ":" + std::to_string(entry.line);
        const std::string place = where + ": " + entry.key;
        if (const auto* setting = setting_of(entry.key)) {
            all.push_back({setting, std::move(entry.words), where, place});
            continue;
        }
        std::string name;
        const auto* table = table_of(entry.key, name);
        if (table == nullptr || entry.words.size() != 1) return no_such_setting(where, entry.key);
        // Each row of the table is one more word of the list.
        auto given = std::find_if(all.begin(), all.end(),
                                  [&](const Given& one) { return one.setting == table; });
        if (given == all.end()) {
            all.push_back({table, {}, where, place});
            given = std::prev(all.end());
        }
        given->words.push_back(name + "=" + entry.words.front());
    }
    return all;
}

std::vector<Given> given_in(const Environment& environment) {
    std::vector<Given> all;
    for (const auto& setting : all_settings()) {
        for (const auto& [name, unit] : setting.variables) {
            const auto found = environment.find(std::string(name));
            if (found == environment.end() || found->second.empty()) continue;
            all.push_back({&setting,
                           {found->second},
                           "environment: " + found->first,
                           "the environment variable " + found->first,
                           unit});
            break;
        }
    }
    return all;
}

std::vector<Given> given_in(const SettingsWords& words) {
    std::vector<Given> all;
    for (const auto& setting : all_settings()) {
        Given given{
            &setting, {}, "command line: " + std::string(setting.flag), std::string(setting.flag)};
        if (const auto found = words.given.find(setting.key); found != words.given.end()) {
            given.words = found->second;
        }
        const auto flag = words.flags.find(setting.key);
        if (flag != words.flags.end() && flag->second) given.words = {"true"};
        if (!given.words.empty()) all.push_back(std::move(given));
    }
    return all;
}

std::vector<std::string> without_effect(const Environment& environment) {
    std::vector<std::string> sentences;
    for (const auto& [name, why] : kUnused) {
        const auto found = environment.find(name);
        if (found == environment.end() || found->second.empty()) continue;
        sentences.push_back(found->first + " is set and has no effect: " + why);
    }
    std::vector<std::string_view> ours;  // without what they all begin with
    for (const auto& setting : all_settings()) {
        for (const auto& [name, unit] : setting.variables) {
            if (name.starts_with(kOurVariables)) ours.push_back(name.substr(kOurVariables.size()));
        }
    }
    for (const auto& [name, value] : environment) {
        if (!name.starts_with(kOurVariables) || value.empty()) continue;
        const auto rest = std::string_view(name).substr(kOurVariables.size());
        if (std::find(ours.begin(), ours.end(), rest) != ours.end()) continue;
        // Clients and tests have variables of their own, which are like none of these.
        const auto meant = nearest(rest, ours);
        if (meant.empty()) continue;
        sentences.push_back(name + " is set and has no effect: did you mean " +
                            std::string(kOurVariables) + std::string(meant) + "?");
    }
    return sentences;
}

}  // namespace

void SettingsWords::add_to(CLI::App& command) {
    command.add_option("--config", config, "Settings file (TOML; docs/settings.md)");
    for (const auto& setting : all_settings()) {
        if (setting.flag.empty()) continue;
        const std::string name(setting.flag);
        if (std::holds_alternative<bool Settings::*>(setting.member)) {
            command.add_flag(name, flags[setting.key], std::string(setting.help));
            continue;
        }
        auto* option = command.add_option(name, given[setting.key], std::string(setting.help));
        const bool list =
            std::holds_alternative<std::vector<std::string> Settings::*>(setting.member);
        option->allow_extra_args(false);
        if (!list) option->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
}

Environment environment_of_process() {
    Environment all;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const auto sign = text.find('=');
        // The first of several counts, as it does for getenv.
        if (sign != std::string_view::npos)
            all.emplace(text.substr(0, sign), text.substr(sign + 1));
    }
    return all;
}

Result<SettingsInForce> load_settings(const SettingsWords& words, const Environment& environment) {
    SettingsInForce out;
    for (const auto& setting : all_settings()) out.from[setting.key] = "default";
    out.file = file_to_read(words, environment);
    out.unused = without_effect(environment);
    auto in_file = given_in_file(out.file);
    if (!in_file) return in_file.error();
    for (const auto& source : {std::move(*in_file), given_in(environment), given_in(words)}) {
        for (const auto& given : source) {
            auto good = store(*given.setting, given.words, given.unit, out.values);
            if (!good) return good.error().during(given.place);
            out.from[given.setting->key] = given.from;
        }
    }
    if (auto good = check_together(out); !good) return good.error();
    return out;
}

std::string value_text(const Setting& setting, const Settings& values) {
    const auto shown = Overloaded{
        [](const std::string& value) { return value; },
        [](const std::vector<std::string>& value) {
            std::string all;
            for (const auto& one : value) all.append(all.empty() ? "" : ", ").append(one);
            return all;
        },
        [](bool value) { return std::string(value ? "true" : "false"); },
        [&](std::uint64_t value) { return number_text(value, setting.bytes); },
        [](Milliseconds value) { return time_text(static_cast<std::uint64_t>(value.count())); }};
    const auto text = std::visit(
        [&]<class T>(T Settings::*member) {
            const auto& value = values.*member;
            if constexpr (kIsOptional<T>) {
                return value ? shown(*value) : std::string();
            } else {
                return shown(value);
            }
        },
        setting.member);
    return setting.secret && !text.empty() ? "(hidden)" : text;
}

std::vector<SettingRow> rows_of(const SettingsInForce& settings) {
    const Settings defaults;
    std::vector<SettingRow> rows;
    for (const auto& setting : all_settings()) {
        auto value = value_text(setting, settings.values);
        // An amount may be set to none; a text that is set to nothing is as good as not set.
        const bool unset = settings.from.at(setting.key) == "default" ||
                           std::holds_alternative<std::string Settings::*>(setting.member);
        if (value.empty() && unset && setting.if_empty != nullptr) value = setting.if_empty();
        auto usual =
            setting.varies.empty() ? value_text(setting, defaults) : std::string(setting.varies);
        rows.push_back(
            {setting, std::move(value), settings.from.at(setting.key), std::move(usual)});
    }
    return rows;
}

void copy_value(const Setting& setting, const Settings& from, Settings& to) {
    std::visit([&](auto member) { to.*member = from.*member; }, setting.member);
}

}  // namespace atl::main
