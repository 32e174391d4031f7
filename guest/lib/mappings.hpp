#pragma once
// Fewer mappings in the zygote: each one is copied by every fork and taken down by every exit.
//
// A shared library is five mappings, and a template's Python has some two hundred libraries: 1,250
// mappings. Constants beside code become executable, and what the loader made read-only after it
// had filled it in becomes writable again; then the Linux kernel joins each with its neighbour.
// That gives up hardening against an attacker who can corrupt memory but not run code. A kernel
// runs whatever its user wrote, so inside it there is no such attacker, and the walls around it
// stay as they are (docs/decisions/0015-what-a-create-costs.md).
// Runs once, before the first fork. What fails is left as it is.

namespace atl::guest {

// How many mappings were changed.
int merge_mappings() noexcept;

}  // namespace atl::guest
