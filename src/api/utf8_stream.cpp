#include "api/utf8_stream.hpp"

#include <utility>

namespace atl::api {

std::string Utf8Stream::add(std::string_view piece) {
    std::string text = std::exchange(held_, {});
    text.append(piece);
    // A character has at most three bytes after its first.
    std::size_t whole = text.size();
    for (std::size_t at = text.size(); at > 0 && text.size() - at < 3;) {
        --at;
        const auto byte = static_cast<unsigned char>(text[at]);
        if ((byte & 0xC0) == 0x80) continue;
        const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
        if (wanted > text.size() - at) whole = at;
        break;
    }
    held_.assign(text, whole, std::string::npos);
    text.erase(whole);
    return text;
}

}  // namespace atl::api
