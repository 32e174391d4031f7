#pragma once
// Takes a multipart/form-data body apart while it comes in; holds one buffer and no part.
//
//     MultipartParser parser(boundary_of(content_type).value());
//     for (;;) switch (parser.next().value()) {
//         case Step::NeedMore: n = co_await exchange.read_into(parser.room()); parser.wrote(n); …
//         case Step::Part:     parser.part() says whose bytes follow
//         case Step::Data:     parser.data(), until the next call
//         case Step::PartEnd, Step::End
//     }
//
// Pure computation, no I/O. Bytes may come in any pieces.
// Trusts    nobody: boundary, headers and the number of parts are bounded, and a body that ends too
//           soon is a failure, never a short file. How large a part may be is the caller's matter.
#include "base/result.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace atl::net {

// From a Content-Type; an error when it is no multipart/form-data, or has no sane boundary.
[[nodiscard]] Result<std::string> boundary_of(std::string_view content_type);

class MultipartParser {
public:
    struct Part {
        std::string name;
        std::optional<std::string> filename;  // any bytes, as the client says
        std::string content_type;
    };
    enum class Step { NeedMore, Part, Data, PartEnd, End };

    explicit MultipartParser(const std::string& boundary, std::size_t parts_max = 1000);

    [[nodiscard]] Result<Step> next();
    // Room for more bytes; then how many came, 0 at the end of the body.
    [[nodiscard]] std::span<char> room();
    void wrote(std::size_t bytes) noexcept;

    [[nodiscard]] const Part& part() const noexcept { return part_; }
    [[nodiscard]] std::string_view data() const noexcept { return data_; }

private:
    enum class State { Preamble, AfterBoundary, Head, Body, Done };
    [[nodiscard]] std::string_view held() const noexcept {
        return std::string_view(buffer_).substr(begin_, end_ - begin_);
    }
    [[nodiscard]] Result<Step> need_more(const char* what) const;
    [[nodiscard]] Result<Step> read_head();
    [[nodiscard]] Result<Step> read_body();

    std::string delimiter_;  // with the line break before it
    std::size_t parts_max_;
    std::size_t parts_ = 0;
    State state_ = State::Preamble;
    std::string buffer_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    bool ended_ = false;
    Part part_;
    std::string_view data_;
};

}  // namespace atl::net
