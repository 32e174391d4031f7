#pragma once
// all-MiniLM-L6-v2: a text as 384 numbers, near to those of texts that mean the same. A BERT of six
// layers, computed here, without a library.
//
// Owns      the weights (90 MB, mapped from their file) and the vocabulary.
// Threads   any, several at once: it is immutable.
// Cost      a text of 128 pieces, the maximum, takes a core about a fifth
//           of a second.
#include "base/result.hpp"
#include "models/minilm/weights.hpp"
#include "models/minilm/word_pieces.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl::minilm {

class Encoder {
public:
    static constexpr std::size_t kDimension = 384;

    // A folder with model.safetensors and vocab.txt, as the model is published.
    [[nodiscard]] static Result<Encoder> open(const std::string& folder);

    // Of length 1.
    [[nodiscard]] std::vector<float> encode(std::string_view text) const;

private:
    using Numbers = std::span<const float>;
    struct Linear {
        Numbers weight, bias;
    };
    struct Norm {
        Numbers weight, bias;
    };
    struct Layer {
        Linear query, key, value, mixed, wide, narrow;
        Norm after_mixed, after_narrow;
    };

    Encoder(Weights weights, WordPieces pieces)
        : weights_(std::move(weights)), pieces_(std::move(pieces)) {}
    Result<void> find_tensors();

    Weights weights_;
    WordPieces pieces_;
    Numbers words_, positions_, kinds_;
    Norm after_words_;
    std::vector<Layer> layers_;
};

}  // namespace atl::minilm
