#pragma once
// Inside net: a body that is too large for the loop, on its way out: a piece is made, compressed
// and sent, then the next. So an answer holds the memory of its value and of one piece of text,
// however long that gets, and a slow reader slows its own answer alone.
//
// Threads   pieces are made on a worker's, all else on the loop's; never both at once.
#include "net/compress.hpp"
#include "net/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace atl::net {

// From this size on text is made and packed on a worker. Below, it takes a millisecond or so, and
// the way to a worker and back is not worth while.
inline constexpr std::size_t kLargeBytes = 64 * 1024;

// Packs what is made for it.
class Packer {
public:
    explicit Packer(Coding coding) noexcept : coding_(coding) {}

    // Appends to `out` what `make` makes, packed; as much of it as the library gives already.
    bool add(const Produce& make, std::string& out);
    void finish(std::string& out);
    [[nodiscard]] Coding coding() const noexcept { return coding_; }

private:
    Coding coding_;
    std::optional<Compressor> compressor_;  // made where it is used: each thread keeps a spare one
    std::string raw_;
};

class LargeBody {
public:
    // All of `body`, then all of `rest`.
    LargeBody(std::string body, Produce rest, Coding coding);

    // Appends the next piece; false: that was the last.
    bool next(std::string& out);

private:
    bool slice(std::string& out);

    std::string body_;
    std::string_view left_;
    Produce rest_;
    Produce slice_;
    Packer packer_;
};

}  // namespace atl::net
