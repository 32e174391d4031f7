#include "runtimes/native/slots.hpp"

#include "base/must.hpp"
#include "sys/files.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>

namespace atl::native {

namespace {

Result<UniqueFd> try_lock(const std::string& path) {
    UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.get() < 0) return sys::errno_error("open " + path);
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
    return Error{Code::Conflict, path + " is taken"};
}

}  // namespace

Result<IdBlock> IdBlock::take(const std::string& run_folder) {
    // Block 0 is for single sandboxes, a slot each.
    for (std::uint32_t block = 1; block < kBlocks; ++block) {
        auto lock = try_lock(run_folder + "/ids-" + std::to_string(block));
        if (lock) return IdBlock(std::move(*lock), kFirstId + block * kSlotsABlock * kIdsASlot);
        if (lock.error().code != Code::Conflict) return lock.error();
    }
    return Error{Code::Exhausted,
                 "all " + std::to_string(kBlocks - 1) +
                     " ranges of user ids are in use: too many templates are live"};
}

Result<IdBlock> IdBlock::take_single(const std::string& run_folder) {
    for (std::uint32_t slot = 0; slot < kSlotsABlock; ++slot) {
        auto lock = try_lock(run_folder + "/id-" + std::to_string(slot));
        if (lock) return IdBlock(std::move(*lock), kFirstId + slot * kIdsASlot);
        if (lock.error().code != Code::Conflict) return lock.error();
    }
    return Error{Code::Exhausted, "4,096 direct runs are already running on this host"};
}

SlotTable::SlotTable() {
    for (std::uint32_t slot = kSlotsABlock - 1; slot >= 1; --slot) free_.push_back(slot);
}

Result<std::uint32_t> SlotTable::take() {
    if (free_.empty()) {
        return Error{Code::Exhausted, "a template holds at most 4,095 live sandboxes"};
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
}

void SlotTable::give_back(std::uint32_t slot) {
    must(slot >= 1 && slot < kSlotsABlock && free_.size() < kSlotsABlock - 1,
         "a slot comes back once, and to its table");
    free_.push_back(slot);
}

}  // namespace atl::native
