#pragma once
// Bytes that come in pieces, as text: a character that a piece cuts in two waits for the next one.
// What is no UTF-8 passes as it is; the printer of JSON replaces it.
#include <string>
#include <string_view>
#include <utility>

namespace atl::api {

class Utf8Stream {
public:
    // The whole characters of what has come so far.
    [[nodiscard]] std::string add(std::string_view piece);
    // What is left at the end.
    [[nodiscard]] std::string rest() { return std::exchange(held_, {}); }

private:
    std::string held_;
};

}  // namespace atl::api
