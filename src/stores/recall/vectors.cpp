// The one file that includes hnswlib: its header defines functions that are not inline.
#include "stores/recall/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
// Without its own vector instructions: with them it also reads one link past the end of a list, to
// fetch ahead. The instructions are ours instead, in `product`.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

namespace atl::recall {

namespace {

constexpr std::size_t kLinks = 16;
constexpr std::size_t kBuildWidth = 80;
constexpr std::size_t kSearchWidth = 100;
// More than so many that must not be found, and the graph is no help: it cannot leave them out.
constexpr std::size_t kSkippedMax = 400;

using Four = float __attribute__((vector_size(16)));

Four four_at(const float* from) {
    Four made;
    std::memcpy(&made, from, sizeof made);
    return made;
}

float product(const float* a, const float* b, std::size_t size) {
    Four even{};
    Four odd{};
    std::size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        even += four_at(a + i) * four_at(b + i);
        odd += four_at(a + i + 4) * four_at(b + i + 4);
    }
    even += odd;
    float sum = even[0] + even[1] + even[2] + even[3];
    for (; i < size; ++i) sum += a[i] * b[i];
    return sum;
}

// How far apart two directions are, for hnswlib: 0 is the same, 1 a right angle.
class Directions final : public hnswlib::SpaceInterface<float> {
public:
    explicit Directions(std::size_t dimension) : dimension_(dimension) {}
    size_t get_data_size() override { return dimension_ * sizeof(float); }
    hnswlib::DISTFUNC<float> get_dist_func() override {
        return [](const void* a, const void* b, const void* dimension) {
            return 1 - product(static_cast<const float*>(a), static_cast<const float*>(b),
                               *static_cast<const std::size_t*>(dimension));
        };
    }
    void* get_dist_func_param() override { return &dimension_; }

private:
    std::size_t dimension_;
};

}  // namespace

bool normalise(std::vector<float>& vector) {
    double sum = 0;
    for (const float value : vector) sum += static_cast<double>(value) * value;
    if (!std::isfinite(sum) || sum <= 0) return false;
    const auto length = static_cast<float>(std::sqrt(sum));
    for (float& value : vector) value /= length;
    return true;
}

struct Vectors::Graph {
    Graph(std::size_t dimension, std::size_t room)
        : space(dimension), index(&space, room, kLinks, kBuildWidth) {
        index.setEf(kSearchWidth);
    }
    Directions space;
    hnswlib::HierarchicalNSW<float> index;
};

Vectors::Vectors(std::size_t dimension, Limits limits) : dimension_(dimension), limits_(limits) {}
Vectors::~Vectors() = default;

std::size_t Vectors::bytes() const noexcept {
    const std::size_t each = dimension_ * sizeof(float);
    return size() * (each + sizeof(std::uint64_t)) + in_graph_ * (each + kLinks * 12);
}

void Vectors::add(std::uint64_t sequence, std::span<const float> vector) {
    all_.insert(all_.end(), vector.begin(), vector.end());
    sequences_.push_back(sequence);
}

void Vectors::grow_graph() {
    if (size() < limits_.graph_min) return;
    if (!graph_) graph_ = std::make_unique<Graph>(dimension_, limits_.graph_min * 2);
    if (graph_->index.max_elements_ < size()) graph_->index.resizeIndex(size() * 2);
    const auto end = std::chrono::steady_clock::now() + limits_.graph_time;
    for (; in_graph_ < size() && std::chrono::steady_clock::now() < end; ++in_graph_) {
        graph_->index.addPoint(all_.data() + in_graph_ * dimension_, in_graph_);
    }
}

void Vectors::look_through(std::size_t from, std::size_t to, std::span<const float> vector,
                           std::size_t limit, std::vector<Found>& found) const {
    std::vector<Found> part;
    part.reserve(to - from);
    for (std::size_t i = from; i < to; ++i) {
        const float* at = all_.data() + i * dimension_;
        part.emplace_back(1 - product(at, vector.data(), dimension_), sequences_[i]);
    }
    const std::size_t kept = std::min(limit, part.size());
    std::partial_sort(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(kept), part.end());
    found.insert(found.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(kept));
}

std::vector<std::uint64_t> Vectors::nearest(std::span<const float> vector, std::uint64_t before,
                                            std::size_t limit) {
    grow_graph();
    const auto end = static_cast<std::size_t>(
        std::lower_bound(sequences_.begin(), sequences_.end(), before) - sequences_.begin());
    std::vector<Found> found;
    const std::size_t skipped = in_graph_ > end ? in_graph_ - end : 0;
    if (in_graph_ == 0 || skipped > kSkippedMax) {
        look_through(0, end, vector, limit, found);
    } else {
        auto near = graph_->index.searchKnn(vector.data(), std::min(limit + skipped, in_graph_));
        for (; !near.empty(); near.pop()) {
            if (near.top().second < end) {
                found.emplace_back(near.top().first, sequences_[near.top().second]);
            }
        }
        if (in_graph_ < end) look_through(in_graph_, end, vector, limit, found);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::uint64_t> sequences;
    for (const auto& each : found) {
        if (sequences.size() == limit || each.first >= 1) break;
        sequences.push_back(each.second);
    }
    return sequences;
}

}  // namespace atl::recall
