#pragma once
// Gathers the zygote's memory into huge pages, so that a fork copies fewer page table entries.
//
// A fork of a Python with pandas loaded copies some 40,000 entries; gathered, a few hundred. What a
// child then writes to is still copied in small pages: the kernel splits its view of a huge one.
namespace atl::guest {

// Best effort: kernels before 6.1 cannot, and nothing else changes. Returns how many were made.
int gather_into_huge_pages() noexcept;

}  // namespace atl::guest
