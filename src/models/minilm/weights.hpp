#pragma once
// The numbers of a model in a file of the form `safetensors`: a header in JSON that says where each
// tensor lies, then the tensors.
//
// Owns      the mapping of the file; what it gives out lives as long.
// Trusts    the operator, who named the file, but not that it is whole: every place and shape is
//           checked against the file's size before it is used.
#include "base/result.hpp"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace atl::minilm {

class Weights {
public:
    [[nodiscard]] static Result<Weights> open(const std::string& path);
    Weights(Weights&& other) noexcept;
    Weights& operator=(Weights&&) = delete;
    ~Weights();

    // Of 32-bit floats, with exactly this shape.
    [[nodiscard]] Result<std::span<const float>> tensor(
        const std::string& name, const std::vector<std::size_t>& shape) const;

private:
    struct Extent {
        std::vector<std::size_t> shape;
        std::size_t begin = 0, end = 0;  // in the file
    };
    Weights(const unsigned char* bytes, std::size_t size) : bytes_(bytes), size_(size) {}
    Result<void> read_header();

    const unsigned char* bytes_;
    std::size_t size_;
    std::map<std::string, Extent> extents_;
};

}  // namespace atl::minilm
