#pragma once
// What Redis answers, as a value.
#include <cstdint>
#include <string>
#include <vector>

namespace atl::redis {

struct Reply {
    enum class Kind { Nothing, Text, Number, List, Refusal };
    Kind kind = Kind::Nothing;
    std::string text;  // also of a refusal
    std::int64_t number = 0;
    std::vector<Reply> list;

    // A text, or the digits of a number; empty for what is neither.
    [[nodiscard]] std::string word() const {
        return kind == Kind::Number ? std::to_string(number) : text;
    }
};

}  // namespace atl::redis
