#pragma once
// Inside net: reads the head of a message. Beast does the work; the rules below are stricter than
// its own, because two readers that disagree about where a message ends is how requests are
// smuggled. Chunks are read by chunks.hpp.
//
// Refused: Content-Length twice or as a list, or together with Transfer-Encoding; any transfer
// coding but exactly "chunked"; transfer coding in HTTP/1.0; folded lines; bare CR or LF; control
// bytes in values; spaces before a colon; no Host or two (requests).
#include "net/headers.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace atl::net {

struct HeadLimits {
    std::size_t header_bytes_max;
    std::size_t headers_max;
};

// Why a message cannot be served, as the client shall read it.
struct Refusal {
    int status = 400;
    std::string sentence;
};

enum class Framing { None, Length, Chunked, UntilClose };

struct Head {
    std::string method;  // requests
    std::string target;
    int status = 0;  // responses
    std::string reason;
    int version = 11;
    Headers headers;
    bool keep_alive = false;
    Framing framing = Framing::None;
    std::uint64_t length = 0;  // with Framing::Length
};

class HeadParser {
public:
    enum class Kind { Request, Response, ResponseToHead };

    virtual ~HeadParser() = default;
    [[nodiscard]] static std::unique_ptr<HeadParser> make(Kind kind, HeadLimits limits);

    struct Taken {
        std::size_t used = 0;  // of the input
        std::optional<Refusal> refusal;
    };
    // Feed what came, together with what was not used before, until head_done().
    [[nodiscard]] virtual Taken take(std::string_view input) = 0;
    [[nodiscard]] virtual bool head_done() const noexcept = 0;
    [[nodiscard]] virtual Head& head() noexcept = 0;
};

}  // namespace atl::net
