#pragma once
// How a type of the API gets its table. For .cpp files only; the type's header takes json.hpp.
//
//     BOOST_DESCRIBE_STRUCT(CreateSession, (), (name, limits, tags))
//     ATOLL_TYPE(CreateSession) {
//         return request("A new session.",
//             field<&T::name>("Its name.", required, length(1, 64), example("taxi data")),
//             field<&T::limits>("What it may use."),
//             field<&T::tags>("Words to find it by.", items(0, 16), each(length(1, 32))));
//     }
//
// A field has its default from the member's initializer, unless it is `required`; a field that may
// be absent altogether is a std::optional. `request` and `response` are told apart because a client
// may leave out what has a default, while an answer always has it.
//
// Members may be bool, integers, double, std::string, std::chrono::milliseconds, described enums
// and structs, std::optional, std::vector, std::map<std::string, …>, a simple std::variant, and
// boost::json::value or object, or ObjectText, for anything at all.
#include "schema/json.hpp"
#include "schema/type.hpp"

#include <array>
#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>
#include <boost/json/fwd.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>
#include <chrono>
#include <concepts>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>
#include <variant>

namespace atl::schema {

// ---- From a C++ type to its table ----------------------------------------------------------

template <class V>
const Type& type_of();

template <>
const Type& type_of<bool>();
template <>
const Type& type_of<double>();
template <>
const Type& type_of<std::string>();
template <>
const Type& type_of<std::chrono::milliseconds>();
template <>
const Type& type_of<boost::json::value>();
template <>
const Type& type_of<boost::json::object>();
template <>
const Type& type_of<ObjectText>();
template <>
const Type& type_of<std::int32_t>();
template <>
const Type& type_of<std::int64_t>();
template <>
const Type& type_of<std::uint32_t>();
template <>
const Type& type_of<std::uint64_t>();
template <>
const Type& type_of<std::optional<std::string>>();
template <>
const Type& type_of<std::vector<std::string>>();
template <>
const Type& type_of<std::map<std::string, std::string>>();

namespace detail {

template <class V>
struct Shape;  // no such member type: see the list at the head of this file

template <std::integral V>
struct Shape<V> {
    static Type make() {
        Type type;
        type.kind = Kind::Integer;
        type.integer_min = static_cast<std::int64_t>(std::numeric_limits<V>::min());
        type.integer_max = static_cast<std::uint64_t>(std::numeric_limits<V>::max());
        type.integer_bits = sizeof(V) * 8;
        type.store_integer = [](void* object, std::uint64_t bits) {
            *static_cast<V*>(object) = static_cast<V>(bits);
        };
        type.load_integer = [](const void* object) {
            return static_cast<std::uint64_t>(*static_cast<const V*>(object));
        };
        return type;
    }
};

template <class E>
struct Shape<std::optional<E>> {
    static Type make() {
        using V = std::optional<E>;
        Type type;
        type.kind = Kind::Optional;
        type.element = &type_of<E>;
        type.clear = [](void* object) { static_cast<V*>(object)->reset(); };
        type.append = [](void* object) -> void* { return &static_cast<V*>(object)->emplace(); };
        type.look = [](const void* object) -> const void* {
            const auto& value = *static_cast<const V*>(object);
            return value ? &*value : nullptr;
        };
        return type;
    }
};

template <class E>
struct Shape<std::vector<E>> {
    static_assert(!std::is_same_v<E, bool>, "std::vector<bool> has no elements to point at");
    static Type make() {
        using V = std::vector<E>;
        Type type;
        type.kind = Kind::List;
        type.element = &type_of<E>;
        type.clear = [](void* object) { static_cast<V*>(object)->clear(); };
        type.append = [](void* object) -> void* {
            return &static_cast<V*>(object)->emplace_back();
        };
        type.size = [](const void* object) { return static_cast<const V*>(object)->size(); };
        type.visit = [](const void* object, void* context, Type::Visit visit) {
            for (const auto& element : *static_cast<const V*>(object)) visit(context, {}, &element);
        };
        return type;
    }
};

template <class E>
struct Shape<std::map<std::string, E>> {
    static Type make() {
        using V = std::map<std::string, E>;
        Type type;
        type.kind = Kind::Map;
        type.element = &type_of<E>;
        type.clear = [](void* object) { static_cast<V*>(object)->clear(); };
        type.insert = [](void* object, std::string_view key) -> void* {
            return &(*static_cast<V*>(object))[std::string(key)];
        };
        type.size = [](const void* object) { return static_cast<const V*>(object)->size(); };
        type.visit = [](const void* object, void* context, Type::Visit visit) {
            for (const auto& [key, element] : *static_cast<const V*>(object))
                visit(context, key, &element);
        };
        return type;
    }
};

void check_alternatives(const Type& type);  // throws std::logic_error if two look alike in JSON

template <class... Es>
struct Shape<std::variant<Es...>> {
    static Type make() {
        using V = std::variant<Es...>;
        Type type;
        type.kind = Kind::OneOf;
        type.alternatives = {&type_of<Es>...};
        type.select = [](void* object, std::size_t index) -> void* {
            using Emplace = void* (*)(V&);
            constexpr auto kEmplace = []<std::size_t... I>(std::index_sequence<I...>) {
                return std::array<Emplace, sizeof...(I)>{
                    [](V& value) -> void* { return &value.template emplace<I>(); }...};
            }
            (std::index_sequence_for<Es...>{});
            return kEmplace.at(index)(*static_cast<V*>(object));
        };
        type.selected = [](const void* object) { return static_cast<const V*>(object)->index(); };
        type.look = [](const void* object) -> const void* {
            return std::visit([](const auto& value) -> const void* { return &value; },
                              *static_cast<const V*>(object));
        };
        check_alternatives(type);
        return type;
    }
};

struct MemberOffset {  // a described member, or the member of a row
    std::string_view name;
    std::size_t offset;
};

template <class T, class Pointer>
std::size_t offset_of(const T& object, Pointer member) {
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&(object.*member)) -
                                    reinterpret_cast<const char*>(&object));
}

// Finds the row's member among the described ones, by its offset, and adds it.
void add_field(Type& type, const std::vector<MemberOffset>& described, MemberOffset row,
               TypeRef member, Notes notes);
void add_choice(Type& type, const std::vector<std::string_view>& described, std::size_t index,
                std::string_view description);
std::string json_text(std::string_view text);
std::string json_text(double number);

// ---- What may stand in a row ---------------------------------------------------------------

template <class V>
struct Bare {
    using type = V;
};
template <class V>
struct Bare<std::optional<V>> {
    using type = V;
};

template <class V>
inline constexpr bool kIsList = false;
template <class V>
inline constexpr bool kIsList<std::vector<V>> = true;
template <class V>
inline constexpr bool kIsMap = false;
template <class V>
inline constexpr bool kIsMap<std::map<std::string, V>> = true;
template <class V>
inline constexpr bool kIsText = std::is_same_v<V, std::string>;
template <class V>
inline constexpr bool kIsNumber =
    (std::integral<V> && !std::is_same_v<V, bool>) || std::is_same_v<V, double> ||
    std::is_same_v<V, std::chrono::milliseconds>;

template <class V>
struct Element {
    using type = void;
};
template <class V>
struct Element<std::vector<V>> {
    using type = V;
};
template <class V>
struct Element<std::map<std::string, V>> {
    using type = V;
};

struct FitsAll {
    template <class>
    static constexpr bool kFits = true;
};
struct FitsNumber {
    template <class V>
    static constexpr bool kFits = kIsNumber<V>;
};
struct FitsText {
    template <class V>
    static constexpr bool kFits = kIsText<V>;
};
struct FitsMany {
    template <class V>
    static constexpr bool kFits = kIsList<V> || kIsMap<V>;
};

struct Required : FitsAll {
    void apply(Notes& notes) const { notes.required = true; }
};
struct Deprecated : FitsAll {
    void apply(Notes& notes) const { notes.deprecated = true; }
};
struct Secret : FitsText {
    void apply(Notes& notes) const { notes.secret = true; }
};
struct Bounds : FitsNumber {
    std::optional<long double> minimum, maximum;
    void apply(Notes& notes) const {
        if (minimum) notes.minimum = minimum;
        if (maximum) notes.maximum = maximum;
    }
};
struct Length : FitsText {
    std::size_t minimum, maximum;
    void apply(Notes& notes) const {
        if (minimum > 0) notes.length_min = minimum;
        notes.length_max = maximum;
    }
};
struct Items : FitsMany {
    std::size_t minimum, maximum;
    void apply(Notes& notes) const {
        if (minimum > 0) notes.items_min = minimum;
        notes.items_max = maximum;
    }
};
struct Shaped : FitsText {
    Pattern pattern;
    void apply(Notes& notes) const { notes.pattern = pattern; }
};
struct Format : FitsText {
    std::string_view name;
    void apply(Notes& notes) const { notes.format = name; }
};
struct Example : FitsAll {
    std::string json;
    void apply(Notes& notes) const { notes.example = json; }
};
struct Named : FitsAll {
    std::string_view name;
    void apply(Notes&) const {}
};
template <class... Facets>
struct Each {
    template <class V>
    static constexpr bool kFits = FitsMany::kFits<V> &&
                                  (Facets::template kFits<typename Element<V>::type> && ...);
    std::shared_ptr<const Notes> inner;
    void apply(Notes& notes) const { notes.each = inner; }
};
template <class... Facets>
struct Keys {
    template <class V>
    static constexpr bool kFits = kIsMap<V> && (Facets::template kFits<std::string> && ...);
    std::shared_ptr<const Notes> inner;
    void apply(Notes& notes) const { notes.keys = inner; }
};

template <class... Facets>
std::shared_ptr<const Notes> notes_of(const Facets&... facets) {
    auto notes = std::make_shared<Notes>();
    (facets.apply(*notes), ...);
    return notes;
}

template <auto Member>
struct Row {
    std::string_view name;  // empty: the member's own
    Notes notes;
};
template <auto Value>
struct ChoiceRow {
    std::string_view description;
};
template <class T>
struct Rule {
    void (*check)(const T&, Findings&);
};
template <class>
inline constexpr bool kIsRow = false;
template <auto Member>
inline constexpr bool kIsRow<Row<Member>> = true;

}  // namespace detail

template <class V>
const Type& type_of() {
    if constexpr (Described<V>) {
        return schema_of(static_cast<const V*>(nullptr));
    } else {
        static const Type kType = detail::Shape<V>::make();
        return kType;
    }
}

// ---- The words of a table ------------------------------------------------------------------

// Base of every table, so that its words need no prefix there and are nowhere else in the way.
struct Words {
    using Findings = schema::Findings;

    // NOLINTBEGIN(readability-identifier-naming): words of a table, like the functions below
    static constexpr detail::Required required{};      // a request without it is refused
    static constexpr detail::Deprecated deprecated{};  // still read, no longer recommended
    static constexpr detail::Secret secret{};  // a password: shown as dots, never given back
    // NOLINTEND(readability-identifier-naming)

    static detail::Bounds min(long double least) { return {{}, least, {}}; }
    static detail::Bounds max(long double most) { return {{}, {}, most}; }
    static detail::Bounds range(long double least, long double most) { return {{}, least, most}; }
    static detail::Length length(std::size_t least, std::size_t most) { return {{}, least, most}; }
    static detail::Items items(std::size_t least, std::size_t most) { return {{}, least, most}; }

    // pattern("a-z", "a-z0-9_-", "a small letter, then small letters, digits, _ and -")
    static detail::Shaped pattern(std::string_view first, std::string_view rest,
                                  std::string_view says) {
        return {{}, {{}, first, rest, says}};
    }
    static detail::Shaped prefixed(std::string_view prefix, std::string_view rest,
                                   std::string_view says) {
        return {{}, {prefix, {}, rest, says}};
    }
    // Fit for a log line, a terminal and a header.
    static detail::Shaped one_line() {
        return {{}, {{}, {}, R"(^\x00-\x1f\x7f)", "one line without control characters"}};
    }
    static detail::Format format(std::string_view name) { return {{}, name}; }

    static detail::Example example(std::string_view text) { return {{}, detail::json_text(text)}; }
    static detail::Example example(const char* text) { return example(std::string_view(text)); }
    static detail::Example example(bool value) { return {{}, value ? "true" : "false"}; }
    static detail::Example example(std::integral auto number) {
        return {{}, std::to_string(number)};
    }
    static detail::Example example(double number) { return {{}, detail::json_text(number)}; }
    static detail::Example example_json(std::string json) { return {{}, std::move(json)}; }

    // The name in JSON where C++ has no such word: `template`, `Last-Event-ID`.
    static detail::Named named(std::string_view name) { return {{}, name}; }

    template <class... Facets>
    static detail::Each<Facets...> each(const Facets&... facets) {
        return {detail::notes_of(facets...)};
    }
    template <class... Facets>
    static detail::Keys<Facets...> keys(const Facets&... facets) {
        return {detail::notes_of(facets...)};
    }
};

template <class T>
struct Table : Words {
    template <auto Member, class... Facets>
    static detail::Row<Member> field(std::string_view description, const Facets&... facets) {
        using Value = std::remove_cvref_t<decltype(std::declval<T&>().*Member)>;
        using Bare = typename detail::Bare<Value>::type;
        static_assert((Facets::template kFits<Bare> && ...),
                      "a word of this row does not fit the member's type (min on a string?)");
        static_assert(
            !(std::is_same_v<Facets, detail::Required> || ...) || std::is_same_v<Value, Bare>,
            "required and std::optional contradict each other");
        detail::Row<Member> row;
        (facets.apply(row.notes), ...);
        (name(row, facets), ...);
        row.notes.description = description;
        return row;
    }

    // Looks at the whole once every field is good by itself; `findings.add("field", "message")`.
    static detail::Rule<T> rule(void (*check)(const T&, Findings&)) { return {check}; }

    template <class... Rows>
    static Type request(std::string_view description, const Rows&... rows) {
        return structure(description, false, rows...);
    }
    template <class... Rows>
    static Type response(std::string_view description, const Rows&... rows) {
        return structure(description, true, rows...);
    }

    template <auto Value>
    static detail::ChoiceRow<Value> choice(std::string_view description) {
        return {description};
    }
    template <auto... Values>
    static Type choices(std::string_view description, const detail::ChoiceRow<Values>&... rows);

private:
    template <class Row, class Facet>
    static void name(Row& row, const Facet& facet) {
        if constexpr (std::is_same_v<Facet, detail::Named>) row.name = facet.name;
    }

    template <class... Rows>
    static Type structure(std::string_view description, bool whole, const Rows&... rows) {
        namespace bd = boost::describe;
        using Members = bd::describe_members<T, bd::mod_public | bd::mod_inherited>;
        static_assert((detail::kIsRow<Rows> + ... + 0u) == boost::mp11::mp_size<Members>::value,
                      "a described member has no row in this table, or two");
        static const T kDefaults{};
        Type type;
        type.kind = Kind::Struct;
        type.description = description;
        type.whole = whole;
        type.defaults = &kDefaults;
        type.make = []() -> std::shared_ptr<void> { return std::make_shared<T>(); };
        const auto described = []<class... Ms>(boost::mp11::mp_list<Ms...>) {
            return std::vector<detail::MemberOffset>{
                {Ms::name, detail::offset_of(kDefaults, Ms::pointer)}...};
        }(boost::mp11::mp_rename<Members, boost::mp11::mp_list>{});
        (add(type, described, rows), ...);
        return type;
    }

    template <auto Member>
    static void add(Type& type, const std::vector<detail::MemberOffset>& described,
                    const detail::Row<Member>& row) {
        using Value = std::remove_cvref_t<decltype(std::declval<T&>().*Member)>;
        const auto offset = detail::offset_of(*static_cast<const T*>(type.defaults), Member);
        detail::add_field(type, described, {row.name, offset}, &type_of<Value>, row.notes);
    }
    static void add(Type& type, const std::vector<detail::MemberOffset>&,
                    const detail::Rule<T>& rule) {
        type.rules.emplace_back([check = rule.check](const void* object, Findings& findings) {
            check(*static_cast<const T*>(object), findings);
        });
    }
};

// Only for enums: the members of Table<T> that are called are the ones that are compiled.
template <class T>
template <auto... Values>
Type Table<T>::choices(std::string_view description, const detail::ChoiceRow<Values>&... rows) {
    using Enumerators = boost::describe::describe_enumerators<T>;
    static_assert(sizeof...(Values) == boost::mp11::mp_size<Enumerators>::value,
                  "a described enumerator has no row in this table, or two");
    static constexpr auto kValues = []<class... Es>(boost::mp11::mp_list<Es...>) {
        return std::array<T, sizeof...(Es)>{Es::value...};
    }(boost::mp11::mp_rename<Enumerators, boost::mp11::mp_list>{});
    const auto described = []<class... Es>(boost::mp11::mp_list<Es...>) {
        return std::vector<std::string_view>{Es::name...};
    }(boost::mp11::mp_rename<Enumerators, boost::mp11::mp_list>{});
    static constexpr auto kIndex = [](T value) {
        std::size_t index = 0;
        while (index < kValues.size() && kValues[index] != value) ++index;
        return index;
    };
    Type type;
    type.kind = Kind::Choice;
    type.description = description;
    type.choices.resize(described.size());
    type.select = [](void* object, std::size_t index) {
        *static_cast<T*>(object) = kValues.at(index);
        return object;
    };
    type.selected = [](const void* object) { return kIndex(*static_cast<const T*>(object)); };
    (detail::add_choice(type, described, kIndex(Values), rows.description), ...);
    return type;
}

// The table of one type, made on first use. Stands in the type's namespace, in one .cpp.
#define ATOLL_TYPE(Name)                                                 \
    namespace {                                                          \
    struct Name##Table : ::atl::schema::Table<Name> {                    \
        using T = Name;                                                  \
        static ::atl::schema::Type make();                               \
    };                                                                   \
    }                                                                    \
    const ::atl::schema::Type& schema_of(const Name*) {                  \
        static const ::atl::schema::Type kType =                         \
            ::atl::schema::detail::as_named(#Name, Name##Table::make()); \
        return kType;                                                    \
    }                                                                    \
    ::atl::schema::Type Name##Table::make()

namespace detail {
inline Type as_named(std::string_view name, Type type) {
    type.name = name;
    return type;
}
}  // namespace detail

}  // namespace atl::schema
