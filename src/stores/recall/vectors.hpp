#pragma once
// The vectors of one thread in memory, and the nearest of them.
//
// Up to `graph_min` vectors are looked through one by one: that is fast enough, and exact. Beyond,
// they go into a graph (HNSW), some with each call, so that no call waits for all of them; those
// that are not in it yet are looked through as before. A vector at a right angle
// or more is not near, even if there is no other.
//
// Threads   one at a time.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace atl::recall {

// Of length 1 afterwards. False: it has no direction.
[[nodiscard]] bool normalise(std::vector<float>& vector);

class Vectors {
public:
    struct Limits {
        std::size_t graph_min = 2000;
        std::chrono::milliseconds graph_time{20};  // that one call spends on making it
    };

    Vectors(std::size_t dimension, Limits limits);
    Vectors(const Vectors&) = delete;
    Vectors& operator=(const Vectors&) = delete;
    ~Vectors();

    [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
    [[nodiscard]] std::size_t size() const noexcept { return sequences_.size(); }
    [[nodiscard]] std::size_t in_graph() const noexcept { return in_graph_; }
    [[nodiscard]] std::size_t bytes() const noexcept;
    [[nodiscard]] std::uint64_t highest() const noexcept {
        return sequences_.empty() ? 0 : sequences_.back();
    }

    // Of length 1, with a sequence above all others.
    void add(std::uint64_t sequence, std::span<const float> vector);
    // The nearest below `before`, best first.
    [[nodiscard]] std::vector<std::uint64_t> nearest(std::span<const float> vector,
                                                     std::uint64_t before, std::size_t limit);

private:
    struct Graph;
    using Found = std::pair<float, std::uint64_t>;  // how far, which

    void grow_graph();
    void look_through(std::size_t from, std::size_t to, std::span<const float> vector,
                      std::size_t limit, std::vector<Found>& found) const;

    const std::size_t dimension_;
    const Limits limits_;
    std::vector<float> all_;
    std::vector<std::uint64_t> sequences_;  // ascending
    std::unique_ptr<Graph> graph_;
    std::size_t in_graph_ = 0;
};

}  // namespace atl::recall
