#pragma once
// Inside net: which coding a client takes, what is worth coding, and the coding itself.
#include "net/headers.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace atl::net {

enum class Coding { Identity, Gzip, Zstd };

// zstd before gzip when the client likes them equally.
[[nodiscard]] Coding choose_coding(const Headers& request);
[[nodiscard]] std::string_view name_of(Coding coding) noexcept;
// Text, JSON and the like; images and archives are packed already.
[[nodiscard]] bool is_compressible(std::string_view content_type) noexcept;

// One body, in pieces. Bytes appear in `out` when the library sees fit, the last with finish().
class Compressor {
public:
    explicit Compressor(Coding coding);
    Compressor(const Compressor&) = delete;
    Compressor& operator=(const Compressor&) = delete;
    ~Compressor();
    void add(std::string_view piece, std::string& out);
    void finish(std::string& out);

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace atl::net
