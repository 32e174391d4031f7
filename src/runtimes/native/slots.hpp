#pragma once
// Ranges of user ids, so that no two sandboxes on this host ever share one.
//
// When root, each sandbox gets ids of its own: even a process that broke out of every other wall
// would own nothing of its neighbours. The ids lie where neither people, services nor other
// container tools take theirs (docs/decisions/0003-user-ids.md).
// A block is held by a lock on a file, so it is free again the moment its holder dies; several
// servers and command lines on one host do not meet.
#include "base/fd.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace atl::native {

inline constexpr std::uint32_t kFirstId = 1'900'000'000;
inline constexpr std::uint32_t kIdsASlot = 1024;
inline constexpr std::uint32_t kSlotsABlock = 4096;
inline constexpr std::uint32_t kBlocks = 50;  // ends at 2,109,715,200, below what systemd reserves

// A block of slots for one nest, or one slot for a single sandbox. Released by its destructor.
class IdBlock {
public:
    [[nodiscard]] static Result<IdBlock> take(const std::string& run_folder);
    [[nodiscard]] static Result<IdBlock> take_single(const std::string& run_folder);

    [[nodiscard]] std::uint32_t first_id() const noexcept { return first_; }

private:
    IdBlock(UniqueFd lock, std::uint32_t first) : lock_(std::move(lock)), first_(first) {}
    UniqueFd lock_;
    std::uint32_t first_;
};

// Which slots of a block are in use. Slot 0 is the nest's own: its zygote and the root inside.
class SlotTable {
public:
    SlotTable();
    [[nodiscard]] Result<std::uint32_t> take();
    void give_back(std::uint32_t slot);
    [[nodiscard]] bool none_taken() const noexcept { return free_.size() == kSlotsABlock - 1; }

private:
    std::vector<std::uint32_t> free_;
};

}  // namespace atl::native
