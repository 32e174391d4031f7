#include "models/minilm/encoder.hpp"

#include "models/minilm/multiply.hpp"

#include <algorithm>
#include <cmath>

namespace atl::minilm {

namespace {

constexpr std::size_t kHidden = Encoder::kDimension;
constexpr std::size_t kWide = 1536;
constexpr std::size_t kHeads = 12;
constexpr std::size_t kHead = kHidden / kHeads;
constexpr std::size_t kLayers = 6;
constexpr std::size_t kPositions = 512;
constexpr std::size_t kPiecesMax = 128;  // the length that it was trained with
constexpr std::size_t kTextBytesMax = 16u << 10;
constexpr float kNormEpsilon = 1e-12F;

// Rows of numbers, one a piece; a few more than there are pieces, so that `multiply` takes whole
// blocks.
struct Rows {
    Rows(std::size_t rows, std::size_t width)
        : numbers(padded_rows(rows) * width, 0.0F), columns(width) {}
    [[nodiscard]] float* row(std::size_t i) { return numbers.data() + i * columns; }
    std::vector<float> numbers;
    std::size_t columns;
};

void normalise(float* row, std::span<const float> weight, std::span<const float> bias) {
    float mean = 0, spread = 0;
    for (std::size_t i = 0; i < kHidden; ++i) mean += row[i];
    mean /= static_cast<float>(kHidden);
    for (std::size_t i = 0; i < kHidden; ++i) spread += (row[i] - mean) * (row[i] - mean);
    const float scale = 1 / std::sqrt(spread / static_cast<float>(kHidden) + kNormEpsilon);
    for (std::size_t i = 0; i < kHidden; ++i)
        row[i] = (row[i] - mean) * scale * weight[i] + bias[i];
}

// What each piece takes from all others, head by head.
void attend(Rows& query, Rows& key, Rows& value, std::size_t pieces, Rows& out) {
    const float scale = 1 / std::sqrt(static_cast<float>(kHead));
    std::vector<float> share(pieces);
    for (std::size_t head = 0; head < kHeads; ++head) {
        const std::size_t at = head * kHead;
        for (std::size_t i = 0; i < pieces; ++i) {
            const float* from = query.row(i) + at;
            float most = -1e30F;
            for (std::size_t j = 0; j < pieces; ++j) {
                share[j] = product(from, key.row(j) + at, kHead) * scale;
                most = std::max(most, share[j]);
            }
            float sum = 0;
            for (float& one : share) sum += one = std::exp(one - most);
            float* into = out.row(i) + at;
            std::fill(into, into + kHead, 0.0F);
            for (std::size_t j = 0; j < pieces; ++j) {
                add_scaled(into, value.row(j) + at, share[j] / sum, kHead);
            }
        }
    }
}

}  // namespace

Result<Encoder> Encoder::open(const std::string& folder) {
    auto weights = Weights::open(folder + "/model.safetensors");
    if (!weights) return weights.error();
    auto pieces = WordPieces::open(folder + "/vocab.txt");
    if (!pieces) return pieces.error();
    Encoder encoder(std::move(*weights), std::move(*pieces));
    if (auto found = encoder.find_tensors(); !found) {
        return found.error().during(folder + " does not contain all-MiniLM-L6-v2");
    }
    return encoder;
}

Result<void> Encoder::find_tensors() {
    Result<void> outcome;
    const auto find = [&](const std::string& name, std::vector<std::size_t> shape) -> Numbers {
        if (!outcome) return {};
        auto found = weights_.tensor(name, shape);
        if (found) return *found;
        outcome = found.error();
        return {};
    };
    const auto norm = [&](const std::string& name) -> Norm {
        return {find(name + ".LayerNorm.weight", {kHidden}),
                find(name + ".LayerNorm.bias", {kHidden})};
    };
    const auto linear = [&](const std::string& name, std::size_t to, std::size_t from) -> Linear {
        return {find(name + ".weight", {to, from}), find(name + ".bias", {to})};
    };
    words_ = find("embeddings.word_embeddings.weight", {pieces_.size(), kHidden});
    positions_ = find("embeddings.position_embeddings.weight", {kPositions, kHidden});
    kinds_ = find("embeddings.token_type_embeddings.weight", {2, kHidden});
    after_words_ = norm("embeddings");
    for (std::size_t i = 0; i < kLayers; ++i) {
        const auto name = "encoder.layer." + std::to_string(i);
        Layer layer;
        layer.query = linear(name + ".attention.self.query", kHidden, kHidden);
        layer.key = linear(name + ".attention.self.key", kHidden, kHidden);
        layer.value = linear(name + ".attention.self.value", kHidden, kHidden);
        layer.mixed = linear(name + ".attention.output.dense", kHidden, kHidden);
        layer.after_mixed = norm(name + ".attention.output");
        layer.wide = linear(name + ".intermediate.dense", kWide, kHidden);
        layer.narrow = linear(name + ".output.dense", kHidden, kWide);
        layer.after_narrow = norm(name + ".output");
        layers_.push_back(layer);
    }
    return outcome;
}

std::vector<float> Encoder::encode(std::string_view text) const {
    const auto ids = pieces_.pieces_of(text.substr(0, kTextBytesMax), kPiecesMax);
    const auto pieces = ids.size();
    Rows state(pieces, kHidden), query(pieces, kHidden), key(pieces, kHidden);
    Rows value(pieces, kHidden), mixed(pieces, kHidden), more(pieces, kHidden), wide(pieces, kWide);
    for (std::size_t i = 0; i < pieces; ++i) {
        float* row = state.row(i);
        for (std::size_t k = 0; k < kHidden; ++k) {
            row[k] = words_[ids[i] * kHidden + k] + positions_[i * kHidden + k] + kinds_[k];
        }
        normalise(row, after_words_.weight, after_words_.bias);
    }
    const auto apply = [&](const Linear& linear, Rows& from, Rows& to) {
        multiply(from.numbers.data(), padded_rows(pieces), from.columns, linear.weight.data(),
                 linear.bias.data(), to.columns, to.numbers.data());
    };
    const auto add = [&](Rows& to, Rows& from, const Norm& norm) {
        for (std::size_t i = 0; i < pieces; ++i) {
            add_scaled(to.row(i), from.row(i), 1, kHidden);
            normalise(to.row(i), norm.weight, norm.bias);
        }
    };
    for (const auto& layer : layers_) {
        apply(layer.query, state, query);
        apply(layer.key, state, key);
        apply(layer.value, state, value);
        attend(query, key, value, pieces, mixed);
        apply(layer.mixed, mixed, more);
        add(state, more, layer.after_mixed);
        apply(layer.wide, state, wide);
        for (std::size_t i = 0; i < pieces; ++i) smooth(wide.row(i), kWide);
        apply(layer.narrow, wide, more);
        add(state, more, layer.after_narrow);
    }
    std::vector<float> mean(kHidden, 0.0F);
    for (std::size_t i = 0; i < pieces; ++i) add_scaled(mean.data(), state.row(i), 1, kHidden);
    const float length = std::sqrt(product(mean.data(), mean.data(), kHidden));
    for (float& one : mean) one /= std::max(length, 1e-12F);
    return mean;
}

}  // namespace atl::minilm
