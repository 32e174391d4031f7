#include "schema/pieces.hpp"

#include "schema/type.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace atl::schema {

namespace {

namespace json = boost::json;

constexpr std::size_t kTextStep = 4096;  // escaped, it is six times that at most
constexpr std::size_t kAtLeast = 2;      // a value, with what parts it from the next

// How much of a text can be printed by itself: no character is cut in two, so that the rest does
// not come out as broken.
std::size_t whole_characters(std::string_view text, std::size_t most) {
    if (text.size() <= most) return text.size();
    for (std::size_t back = 0; back < 4; ++back) {
        const auto c = static_cast<unsigned char>(text[most - back]);
        if ((c & 0xC0u) != 0x80u) return most - back;
    }
    return most;  // four followers in a row: no character reaches over this place
}

// How much a value weighs, roughly; counting stops where it is too much.
struct Weight {
    std::size_t left;
    bool over = false;

    void add(std::size_t bytes) {
        over = over || bytes > left;
        left -= std::min(left, bytes);
    }
    void add(const json::value& value);
    void add(const json::object& object);
    void add(const Type& type, const void* value);
};

void Weight::add(const json::object& object) {
    add(kAtLeast);
    for (const auto& [key, inner] : object) {
        if (over) return;
        add(key.size() + kAtLeast);
        add(inner);
    }
}

void Weight::add(const json::value& value) {
    if (value.is_string()) return add(value.get_string().size() + kAtLeast);
    if (value.is_object()) return add(value.get_object());
    add(kAtLeast);
    if (!value.is_array()) return;
    for (const auto& inner : value.get_array()) {
        if (over) return;
        add(inner);
    }
}

void Weight::add(const Type& type, const void* value) {
    if (over) return;
    switch (type.kind) {
        case Kind::Text: return add(static_cast<const std::string*>(value)->size() + kAtLeast);
        case Kind::Optional:
            if (const void* inner = type.look(value)) add(type.element(), inner);
            return;
        case Kind::List:
        case Kind::Map: {
            struct Visiting {
                Weight& weight;
                const Type& element;
            } visiting{*this, type.element()};
            type.visit(value, &visiting,
                       [](void* context, std::string_view key, const void* element) {
                           auto& to = *static_cast<Visiting*>(context);
                           to.weight.add(key.size() + kAtLeast);
                           to.weight.add(to.element, element);
                       });
            return;
        }
        case Kind::Struct:
            for (const auto& field : type.fields) {
                add(field.name.size() + kAtLeast);
                add(field.type(), static_cast<const char*>(value) + field.offset);
            }
            return;
        case Kind::OneOf:
            return add(type.alternatives.at(type.selected(value))(), type.look(value));
        case Kind::Any: return add(*static_cast<const json::value*>(value));
        case Kind::AnyObject: return add(*static_cast<const json::object*>(value));
        case Kind::ObjectText: return add(static_cast<const ObjectText*>(value)->text.size());
        case Kind::Boolean:
        case Kind::Integer:
        case Kind::Number:
        case Kind::Duration:
        case Kind::Choice: return add(kAtLeast);
    }
}

}  // namespace

bool detail::is_small(const Type& type, const void* value, std::size_t bytes) {
    Weight weight{bytes};
    weight.add(type, value);
    return !weight.over;
}

bool is_small(const json::value& value, std::size_t bytes) {
    Weight weight{bytes};
    weight.add(value);
    return !weight.over;
}

bool Pieces::next(std::string& out, std::size_t bytes) {
    if (!std::exchange(begun_, true)) {
        if (type_ != nullptr) {
            begin(out, *type_, value_);
        } else {
            begin(out, *static_cast<const json::value*>(value_));
        }
    }
    while (out.size() < bytes) {
        if (in_text_) {
            step_text(out);
        } else if (open_.empty()) {
            return false;
        } else if (auto& top = open_.back(); !step(out, top)) {
            out += open_.back().end;
            open_.pop_back();
        }
    }
    return in_text_ || !open_.empty();
}

void Pieces::begin_text(std::string& out, std::string_view text) {
    out += '"';
    text_ = text;
    in_text_ = true;
}

void Pieces::begin_json(std::string_view text) {
    text_ = text;
    in_text_ = true;
    as_it_stands_ = true;
}

void Pieces::step_text(std::string& out) {
    if (as_it_stands_) {
        out += text_.substr(0, kTextStep);
        text_.remove_prefix(std::min(kTextStep, text_.size()));
        as_it_stands_ = in_text_ = !text_.empty();
        return;
    }
    const auto piece = text_.substr(0, whole_characters(text_, kTextStep));
    append_json_characters(out, piece);
    text_.remove_prefix(piece.size());
    if (!text_.empty()) return;
    out += '"';
    in_text_ = false;
}

void Pieces::open(std::string& out, Open what) {
    out += what.end == '}' ? '{' : '[';
    open_.push_back(std::move(what));
}

void Pieces::begin(std::string& out, const json::value& value) {
    if (const auto* text = value.if_string()) return begin_text(out, {text->data(), text->size()});
    if (const auto* array = value.if_array()) {
        return open(out, {Open::Kind::Array, nullptr, array, ']'});
    }
    if (const auto* object = value.if_object()) {
        return open(out, {Open::Kind::Object, nullptr, object, '}'});
    }
    append_json(out, value);
}

void Pieces::begin(std::string& out, const Type& type, const void* value) {
    switch (type.kind) {
        case Kind::Text: return begin_text(out, *static_cast<const std::string*>(value));
        case Kind::Optional:
            if (const void* inner = type.look(value)) return begin(out, type.element(), inner);
            break;
        case Kind::List:
        case Kind::Map: {
            Open list{Open::Kind::Elements, &type.element(), nullptr,
                      type.kind == Kind::Map ? '}' : ']'};
            list.elements.reserve(type.size(value));
            type.visit(value, &list.elements,
                       [](void* context, std::string_view key, const void* element) {
                           static_cast<decltype(list.elements)*>(context)->emplace_back(key,
                                                                                        element);
                       });
            return open(out, std::move(list));
        }
        case Kind::Struct: return open(out, {Open::Kind::Fields, &type, value, '}'});
        case Kind::OneOf:
            return begin(out, type.alternatives.at(type.selected(value))(), type.look(value));
        case Kind::Any: return begin(out, *static_cast<const json::value*>(value));
        case Kind::AnyObject: return open(out, {Open::Kind::Object, nullptr, value, '}'});
        case Kind::ObjectText: return begin_json(static_cast<const ObjectText*>(value)->text);
        case Kind::Boolean:
        case Kind::Integer:
        case Kind::Number:
        case Kind::Duration:
        case Kind::Choice: break;
    }
    detail::print(type, value, out);
}

bool Pieces::step(std::string& out, Open& top) {
    // What is begun below may move `top`: it is not looked at afterwards.
    const auto part = [&] {
        if (!std::exchange(top.first, false)) out += ',';
    };
    switch (top.kind) {
        case Open::Kind::Fields: {
            if (top.at == top.type->fields.size()) return false;
            const auto& field = top.type->fields[top.at++];
            const Type& member = field.type();
            const void* object = static_cast<const char*>(top.value) + field.offset;
            if (member.kind == Kind::Optional && member.look(object) == nullptr) return true;
            part();
            out += '"';
            out += field.name;
            out += "\":";
            begin(out, member, object);
            return true;
        }
        case Open::Kind::Elements: {
            if (top.at == top.elements.size()) return false;
            const auto [key, element] = top.elements[top.at++];
            part();
            if (top.end == '}') {
                append_json_string(out, key);
                out += ':';
            }
            begin(out, *top.type, element);
            return true;
        }
        case Open::Kind::Array: {
            const auto& array = *static_cast<const json::array*>(top.value);
            if (top.at == array.size()) return false;
            const auto& inner = array[top.at++];
            part();
            begin(out, inner);
            return true;
        }
        case Open::Kind::Object: {
            const auto& object = *static_cast<const json::object*>(top.value);
            if (top.at == object.size()) return false;
            const auto& pair = *(object.begin() + static_cast<std::ptrdiff_t>(top.at++));
            part();
            append_json_string(out, {pair.key().data(), pair.key().size()});
            out += ':';
            begin(out, pair.value());
            return true;
        }
    }
    return false;
}

}  // namespace atl::schema
