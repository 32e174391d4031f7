#include "guest/lib/arenas.hpp"

#include <cstdint>
#include <sys/mman.h>

namespace atl::guest {

namespace {

constexpr std::size_t kHugeBytes = 2u << 20;
// More than any template was seen to need; what is left over is given back by seal().
constexpr std::size_t kStretchBytes = 1u << 30;

std::uintptr_t stretch_begin = 0;
std::uintptr_t stretch_next = 0;
std::uintptr_t stretch_usable = 0;  // below this the pages may be written to
std::uintptr_t stretch_end = 0;
std::uintptr_t stretch_mark = 0;
bool sealed = false;

void* from_system(std::size_t bytes) noexcept {
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
}

void reserve() noexcept {
    void* at = ::mmap(nullptr, kStretchBytes + kHugeBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) {
        sealed = true;
        return;
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    stretch_begin = (begin + kHugeBytes - 1) & ~(kHugeBytes - 1);
    stretch_next = stretch_usable = stretch_begin;
    stretch_end = stretch_begin + kStretchBytes;
}

}  // namespace

void seal_arenas() noexcept {
    if (!sealed && stretch_usable < stretch_end && stretch_begin != 0) {
        ::munmap(reinterpret_cast<void*>(stretch_usable), stretch_end - stretch_usable);
        stretch_end = stretch_usable;
    }
    sealed = true;
}

void mark_arenas() noexcept { stretch_mark = stretch_next; }

bool is_in_new_arena(const void* at) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    return sealed || stretch_begin == 0 || (address >= stretch_mark && address < stretch_end);
}

}  // namespace atl::guest

// What Python calls.
extern "C" [[gnu::visibility("default")]] void* atoll_arena_alloc(void*, std::size_t bytes) {
    using namespace atl::guest;
    if (!sealed && stretch_begin == 0) reserve();
    if (sealed || bytes > stretch_end - stretch_next) return from_system(bytes);
    const auto at = stretch_next;
    if (at + bytes > stretch_usable) {
        const auto grown = (at + bytes + kHugeBytes - 1) & ~(kHugeBytes - 1);
        if (::mprotect(reinterpret_cast<void*>(stretch_usable), grown - stretch_usable,
                       PROT_READ | PROT_WRITE) != 0) {
            return from_system(bytes);
        }
        stretch_usable = grown;
    }
    stretch_next += bytes;
    return reinterpret_cast<void*>(at);
}

extern "C" [[gnu::visibility("default")]] void atoll_arena_free(void*, void* at,
                                                                std::size_t bytes) {
    using namespace atl::guest;
    const auto begin = reinterpret_cast<std::uintptr_t>(at);
    if (begin >= stretch_begin && begin < stretch_end) {
        // Its place stays reserved, its memory goes: few arenas are ever given back.
        ::madvise(at, bytes, MADV_DONTNEED);
    } else {
        ::munmap(at, bytes);
    }
}
