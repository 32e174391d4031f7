#pragma once
// Fills the holes in the zygote's heap and arenas, so that a fork allocates side by side.
//
// After the imports, free memory lies in thousands of places. What a fork allocates would go there,
// and each place is on another page, which must be copied first. So the holes are taken, for good:
// the memory is there anyway, and all forks share it.
//
// Threads   one: a zygote has no other.
#include <cstddef>

namespace atl::guest {

// Of malloc's heap. Afterwards it gives out new memory at its end.
void fill_heap_holes() noexcept;

}  // namespace atl::guest

extern "C" {
// Of Python's arenas, if they are ours (arenas.hpp). `allocate` is PyObject_Malloc.
void atoll_fill_object_holes(void* (*allocate)(std::size_t));
}
