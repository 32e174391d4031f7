#pragma once
// The header fields of a message, in the order they came or shall go. Names are compared without
// regard to case; a name may occur more than once.
//
// Holds any text: what a peer may send is checked by parser.hpp, what we send by is_sendable() just
// before it goes out. So a value with a line break in it can be stored, but never reaches a client.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::net {

// ASCII letters only, as HTTP wants it; no locale.
[[nodiscard]] bool same_ignoring_case(std::string_view a, std::string_view b) noexcept;
[[nodiscard]] bool is_token(std::string_view text) noexcept;        // a method or a field's name
[[nodiscard]] bool is_field_value(std::string_view text) noexcept;  // no control bytes but tab

class Headers {
public:
    using Field = std::pair<std::string, std::string>;

    Headers() = default;
    Headers(std::initializer_list<Field> fields) : fields_(fields) {}

    // The first one of this name; nothing when there is none.
    [[nodiscard]] std::optional<std::string_view> get(std::string_view name) const noexcept;
    [[nodiscard]] std::string_view get_or(std::string_view name,
                                          std::string_view otherwise) const noexcept;
    [[nodiscard]] std::vector<std::string_view> get_all(std::string_view name) const;
    [[nodiscard]] bool contains(std::string_view name) const noexcept { return !!get(name); }
    // Whether a comma-separated list, spread over any number of fields, names this token.
    [[nodiscard]] bool has_token(std::string_view name, std::string_view token) const noexcept;

    void set(std::string_view name, std::string_view value);  // replaces all of the name
    void add(std::string_view name, std::string_view value);
    void remove(std::string_view name);
    void clear() noexcept { fields_.clear(); }

    [[nodiscard]] std::size_t size() const noexcept { return fields_.size(); }
    [[nodiscard]] bool empty() const noexcept { return fields_.empty(); }
    [[nodiscard]] auto begin() const noexcept { return fields_.begin(); }
    [[nodiscard]] auto end() const noexcept { return fields_.end(); }

private:
    std::vector<Field> fields_;
};

// The next element of a comma-separated list, without the spaces around it; `list` loses it.
// Nothing at the end. Commas inside quotes count as text.
[[nodiscard]] std::optional<std::string_view> next_element(std::string_view& list) noexcept;
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

}  // namespace atl::net
