// Text to a tree, within limits. Boost.JSON's grammar with a handler of ours, for three things its
// own parser lacks in 1.81: a key that stands twice is refused (two readers of one body must not
// see two different requests), a number that is too large is refused instead of becoming infinity,
// and doubles are exact to the last bit.
#include "base/utf8.hpp"
#include "schema/json.hpp"
#include "schema/reader.hpp"

#include <algorithm>
#include <array>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_stack.hpp>
#include <charconv>
#include <cmath>

namespace atl::schema {

namespace {

namespace json = boost::json;
using ErrorCode = json::error_code;

constexpr std::size_t kDepthMax = 32;

class Handler {
public:
    // Boost asks for these by name. The caller's limit on the text is far below them.
    // NOLINTBEGIN(readability-identifier-naming)
    static constexpr std::size_t max_object_size = json::object::max_size();
    static constexpr std::size_t max_array_size = json::array::max_size();
    static constexpr std::size_t max_key_size = json::string::max_size();
    static constexpr std::size_t max_string_size = json::string::max_size();
    // NOLINTEND(readability-identifier-naming)

    explicit Handler(json::storage_ptr storage)
        : stack_({}, scratch_.data(), scratch_.size()), storage_(std::move(storage)) {}

    bool on_document_begin(ErrorCode&) {
        stack_.reset(storage_);
        return true;
    }
    bool on_document_end(ErrorCode&) { return true; }

    bool on_object_begin(ErrorCode&) {
        objects_.push_back(keys_.size());
        return true;
    }
    bool on_object_end(std::size_t count, ErrorCode& ec) {
        const auto first = objects_.back();
        objects_.pop_back();
        if (!keys_differ(first)) {
            ec = json::make_error_code(json::error::exception);
            return false;
        }
        if (first < keys_.size()) {
            key_text_.resize(keys_[first].begin);
            keys_.resize(first);
        }
        stack_.push_object(count);
        return true;
    }
    bool on_array_begin(ErrorCode&) { return true; }
    bool on_array_end(std::size_t count, ErrorCode&) {
        stack_.push_array(count);
        return true;
    }
    bool on_key_part(json::string_view part, std::size_t, ErrorCode&) {
        key_text_.append(part.data(), part.size());
        stack_.push_chars(part);
        return true;
    }
    bool on_key(json::string_view part, std::size_t size, ErrorCode&) {
        key_text_.append(part.data(), part.size());
        keys_.push_back({key_text_.size() - size, size});
        stack_.push_key(part);
        return true;
    }
    bool on_string_part(json::string_view part, std::size_t, ErrorCode&) {
        stack_.push_chars(part);
        return true;
    }
    bool on_string(json::string_view part, std::size_t, ErrorCode&) {
        stack_.push_string(part);
        return true;
    }
    bool on_number_part(json::string_view part, ErrorCode&) {
        number_.append(part.data(), part.size());
        return true;
    }
    bool on_int64(std::int64_t number, json::string_view, ErrorCode&) {
        number_.clear();
        stack_.push_int64(number);
        return true;
    }
    bool on_uint64(std::uint64_t number, json::string_view, ErrorCode&) {
        number_.clear();
        stack_.push_uint64(number);
        return true;
    }
    bool on_double(double rough, json::string_view part, ErrorCode& ec) {
        number_.append(part.data(), part.size());
        double exact = 0;
        const auto result = std::from_chars(number_.data(), number_.data() + number_.size(), exact);
        number_.clear();
        if (result.ec == std::errc::result_out_of_range) {
            if (!(std::fabs(rough) < 1)) {
                ec = json::make_error_code(json::error::exponent_overflow);
                return false;
            }
            exact = std::copysign(0.0, rough);  // too small to tell from nothing
        }
        stack_.push_double(exact);
        return true;
    }
    bool on_bool(bool value, ErrorCode&) {
        stack_.push_bool(value);
        return true;
    }
    bool on_null(ErrorCode&) {
        stack_.push_null();
        return true;
    }
    bool on_comment_part(json::string_view, ErrorCode&) { return true; }
    bool on_comment(json::string_view, ErrorCode&) { return true; }

    [[nodiscard]] json::value release() { return stack_.release(); }
    [[nodiscard]] const std::string& duplicate() const noexcept { return duplicate_; }

private:
    struct Key {
        std::size_t begin;
        std::size_t size;
    };

    bool keys_differ(std::size_t first) {
        const auto text = [this](const Key& key) {
            return std::string_view(key_text_).substr(key.begin, key.size);
        };
        const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first);
        constexpr std::ptrdiff_t kFew = 12;  // below, comparing all pairs beats sorting
        auto twice = keys_.end();
        if (keys_.end() - begin <= kFew) {
            for (auto key = begin; key != keys_.end() && twice == keys_.end(); ++key) {
                const bool seen = std::any_of(
                    begin, key, [&](const Key& other) { return text(other) == text(*key); });
                if (seen) twice = key;
            }
        } else {
            std::vector<std::string_view> sorted;
            sorted.reserve(static_cast<std::size_t>(keys_.end() - begin));
            for (auto key = begin; key != keys_.end(); ++key) sorted.push_back(text(*key));
            std::sort(sorted.begin(), sorted.end());
            const auto pair = std::adjacent_find(sorted.begin(), sorted.end());
            if (pair == sorted.end()) return true;
            duplicate_ = *pair;
            return false;
        }
        if (twice == keys_.end()) return true;
        duplicate_ = text(*twice);
        return false;
    }

    std::array<unsigned char, 4096> scratch_;  // a small body's stack needs no allocation
    json::value_stack stack_;
    json::storage_ptr storage_;
    std::string number_;
    std::string key_text_;              // of all open objects, one behind the other
    std::vector<Key> keys_;             // into key_text_
    std::vector<std::size_t> objects_;  // where the keys of each open object begin
    std::string duplicate_;
};

std::string position(std::string_view text, std::size_t at) {
    const auto before = text.substr(0, at);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return "line " + std::to_string(lines + 1) + ", column " +
           std::to_string(count_characters(before.substr(line_start)) + 1);
}

[[noreturn]] void refuse(std::string message) { throw ValidationError({{"", std::move(message)}}); }

// Hears of everything and keeps nothing.
struct Listener {
    // NOLINTBEGIN(readability-identifier-naming): as above
    static constexpr std::size_t max_object_size = Handler::max_object_size;
    static constexpr std::size_t max_array_size = Handler::max_array_size;
    static constexpr std::size_t max_key_size = Handler::max_key_size;
    static constexpr std::size_t max_string_size = Handler::max_string_size;
    // NOLINTEND(readability-identifier-naming)

    bool on_document_begin(ErrorCode&) { return true; }
    bool on_document_end(ErrorCode&) { return true; }
    bool on_object_begin(ErrorCode&) { return true; }
    bool on_object_end(std::size_t, ErrorCode&) { return true; }
    bool on_array_begin(ErrorCode&) { return true; }
    bool on_array_end(std::size_t, ErrorCode&) { return true; }
    bool on_key_part(json::string_view, std::size_t, ErrorCode&) { return true; }
    bool on_key(json::string_view, std::size_t, ErrorCode&) { return true; }
    bool on_string_part(json::string_view, std::size_t, ErrorCode&) { return true; }
    bool on_string(json::string_view, std::size_t, ErrorCode&) { return true; }
    bool on_number_part(json::string_view, ErrorCode&) { return true; }
    bool on_int64(std::int64_t, json::string_view, ErrorCode&) { return true; }
    bool on_uint64(std::uint64_t, json::string_view, ErrorCode&) { return true; }
    bool on_double(double, json::string_view, ErrorCode&) { return true; }
    bool on_bool(bool, ErrorCode&) { return true; }
    bool on_null(ErrorCode&) { return true; }
    bool on_comment_part(json::string_view, ErrorCode&) { return true; }
    bool on_comment(json::string_view, ErrorCode&) { return true; }
};

std::string reason(const ErrorCode& ec, const Handler& handler) {
    if (!handler.duplicate().empty() || ec == json::error::exception) {
        return "the key " + quoted(handler.duplicate()) + " stands twice in this object";
    }
    if (ec == json::error::incomplete) return "the text ends too early";
    if (ec == json::error::extra_data) return "there is more after the end";
    if (ec == json::error::too_deep) {
        return "nested deeper than " + std::to_string(kDepthMax) + " levels";
    }
    if (ec == json::error::exponent_overflow) return "a number that is too large";
    if (ec == json::error::illegal_leading_surrogate ||
        ec == json::error::illegal_trailing_surrogate || ec == json::error::expected_hex_digit ||
        ec == json::error::expected_utf16_escape) {
        return "a \\u escape that is no character";
    }
    return "unexpected character";
}

}  // namespace

json::value parse_json(std::string_view text, std::size_t bytes_max) {
    return detail::parse_into({}, text, bytes_max);
}

bool is_json(std::string_view text) {
    if (find_invalid_utf8(text) != std::string_view::npos) return false;
    json::parse_options options;
    options.max_depth = kDepthMax;
    json::basic_parser<Listener> parser(options);
    ErrorCode ec;
    const auto read = parser.write_some(false, text.data(), text.size(), ec);
    return !ec && read == text.size();
}

json::value detail::parse_into(json::storage_ptr storage, std::string_view text,
                               std::size_t bytes_max) {
    if (text.size() > bytes_max) {
        throw ErrorException({Code::TooLarge, "the body has " + std::to_string(text.size()) +
                                                  " bytes; at most " + std::to_string(bytes_max) +
                                                  " are read here"});
    }
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) refuse("the body is empty");
    if (const auto bad = find_invalid_utf8(text); bad != std::string_view::npos) {
        refuse(position(text, bad) + ": not valid JSON: a byte that is not UTF-8");
    }
    json::parse_options options;
    options.max_depth = kDepthMax;
    json::basic_parser<Handler> parser(options, std::move(storage));
    ErrorCode ec;
    auto read = parser.write_some(false, text.data(), text.size(), ec);
    if (!ec && read < text.size()) ec = json::make_error_code(json::error::extra_data);
    if (ec) { refuse(position(text, read) + ": not valid JSON: " + reason(ec, parser.handler())); }
    return parser.handler().release();
}

}  // namespace atl::schema
