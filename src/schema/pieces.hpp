#pragma once
// A value as JSON text, a piece at a time: for answers that are too large to be printed at once.
//
//     schema::Pieces pieces(answer);
//     while (pieces.next(out, 128 * 1024)) { send(out); out.clear(); }
//     send(out);
//
// The pieces together are what append_json prints, to the byte. It takes the memory of one piece,
// and a pointer for each element of the lists that it is in.
// Owns      nothing: the value outlives it and does not change.
// Threads   any, one at a time.
#include "schema/json.hpp"

#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::schema {

class Pieces {
public:
    template <Described T>
    explicit Pieces(const T& value) : type_(&schema_of(&value)), value_(&value) {}
    explicit Pieces(const boost::json::value& value) : value_(&value) {}

    // Appends text until `out` has so many bytes, or some more: a number or a key is not cut.
    // False: that was the end.
    [[nodiscard]] bool next(std::string& out, std::size_t bytes);

private:
    // A list, a map or a structure of which something is still to come.
    struct Open {
        enum class Kind { Fields, Elements, Array, Object };
        Kind kind;
        const Type* type;   // of the structure; of an element
        const void* value;  // but not of Elements
        char end;
        std::vector<std::pair<std::string_view, const void*>> elements = {};
        std::size_t at = 0;
        bool first = true;
    };
    void begin(std::string& out, const Type& type, const void* value);
    void begin(std::string& out, const boost::json::value& value);
    void begin_text(std::string& out, std::string_view text);
    void begin_json(std::string_view text);
    void open(std::string& out, Open what);
    // What comes next; false: nothing does.
    bool step(std::string& out, Open& top);
    void step_text(std::string& out);

    const Type* type_ = nullptr;  // null: plain JSON
    const void* value_;
    bool begun_ = false;
    std::vector<Open> open_;
    bool in_text_ = false;
    bool as_it_stands_ = false;  // the text is JSON already
    std::string_view text_;      // what is left of it
};

namespace detail {
[[nodiscard]] bool is_small(const Type& type, const void* value, std::size_t bytes);
}

// Whether a value prints as about so many bytes, or less; escapes can make it six times as long.
// Soon said of a large value, too.
template <Described T>
[[nodiscard]] bool is_small(const T& value, std::size_t bytes) {
    return detail::is_small(schema_of(&value), &value, bytes);
}
[[nodiscard]] bool is_small(const boost::json::value& value, std::size_t bytes);

}  // namespace atl::schema
