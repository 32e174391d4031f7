#pragma once
// A protobuf message in JSON, as the envd services speak it: names in camelCase (snake_case is
// taken, too), bytes in base64, 64-bit numbers as numbers or text, and what is null or absent has
// its default. Fields that nobody asks for are ignored, as protobuf has it.
//
// Trusts    nobody: a field of another type is InvalidArgument with the field's name.
#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atl::api::e2b {

class Message {
public:
    Message() = default;
    explicit Message(boost::json::object fields, std::string path = {})
        : fields_(std::move(fields)), path_(std::move(path)) {}

    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
    [[nodiscard]] std::string text(std::string_view name) const;
    [[nodiscard]] std::optional<std::string> text_if_any(std::string_view name) const;
    [[nodiscard]] std::optional<bool> flag(std::string_view name) const;
    // 0 if absent; at most `most`.
    [[nodiscard]] std::uint32_t number(std::string_view name, std::uint32_t most) const;
    [[nodiscard]] std::string bytes(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
    [[nodiscard]] std::map<std::string, std::string> text_map(std::string_view name) const;
    [[nodiscard]] std::optional<Message> message(std::string_view name) const;

    [[noreturn]] void refuse(std::string_view name, std::string_view what) const;

private:
    [[nodiscard]] const boost::json::value* find(std::string_view name) const;
    boost::json::object fields_;
    std::string path_;
};

// From the text of one. InvalidArgument.
[[nodiscard]] Message message_from(std::string_view text, std::size_t bytes_max);

}  // namespace atl::api::e2b
