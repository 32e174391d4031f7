#pragma once
// Where the zygote's Python keeps its small objects: side by side, so that huge pages cover them.
//
// Python takes memory for small objects one MiB at a time, wherever the system puts it: between
// libraries, where no huge page fits. A fork then copies a page table entry for every 4 KiB of it.
// These functions hand out the same MiB pieces from one aligned stretch instead. Python gets them
// through PyObject_SetArenaAllocator (zygote.py).
//
// Threads   one: a zygote has no other.
// After seal() new pieces come from the system again: a session's own memory behaves as ever.
#include <cstddef>

namespace atl::guest {

void seal_arenas() noexcept;

// For fill_object_holes: what was handed out before mark_arenas() is old. True for what is not
// ours.
void mark_arenas() noexcept;
bool is_in_new_arena(const void* at) noexcept;

}  // namespace atl::guest

extern "C" {
void* atoll_arena_alloc(void* context, std::size_t bytes);
void atoll_arena_free(void* context, void* at, std::size_t bytes);
}
