#include "guest/lib/holes.hpp"

#include "guest/lib/arenas.hpp"

#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <unistd.h>

namespace atl::guest {

namespace {

constexpr std::size_t kLargestHole = 1u << 20;
constexpr std::size_t kFineSteps = 1024;  // below this the allocator has a list for each size
constexpr std::size_t kSmallestSize = 16;
constexpr std::size_t kAlignment = 16;
// Many times what a template's heap was seen to have.
constexpr std::size_t kBytesMax = 512u << 20;

constexpr std::size_t kSmallestObject = 16, kLargestObject = 512;  // of Python's own allocator

std::size_t next_smaller(std::size_t size) {
    if (size <= kFineSteps) return size - kAlignment;
    return (size - size / 8) & ~(kAlignment - 1);
}

}  // namespace

void fill_heap_holes() noexcept {
    // What is free at the end goes back to the system, so that whatever lies below is a hole.
    ::malloc_trim(0);
    const auto end = reinterpret_cast<std::uintptr_t>(::sbrk(0));
    std::size_t taken = 0;
    for (std::size_t size = kLargestHole; size >= kSmallestSize && taken < kBytesMax;) {
        void* got = std::malloc(size);
        const auto at = reinterpret_cast<std::uintptr_t>(got);
        if (got != nullptr && at + size <= end) {
            taken += size;  // kept, and forgotten
            continue;
        }
        std::free(got);  // not from a hole: no hole has this size any more
        size = next_smaller(size);
    }
}

}  // namespace atl::guest

// What Python calls.
extern "C" [[gnu::visibility("default")]] void atoll_fill_object_holes(
    void* (*allocate)(std::size_t)) {
    using namespace atl::guest;
    mark_arenas();
    std::size_t taken = 0;
    for (std::size_t size = kLargestObject; size >= kSmallestObject; size -= kSmallestObject) {
        // Until one comes from an arena that did not exist before.
        while (taken < kBytesMax) {
            const void* got = allocate(size);
            if (got == nullptr || is_in_new_arena(got)) break;
            taken += size;
        }
    }
}
