#pragma once
// Puts the zygote's libraries into a few mappings of huge pages. They keep their addresses.
//
// A template's Python has some two hundred libraries. Loaded from files they are 600 mappings, each
// of which a fork copies and an exit takes down; their relocated data is copied page by page; and
// as the Linux kernel does not copy the page tables of code, each fork faults its code in again.
// Here each aligned 2 MiB of addresses with several mappings in it, or with code that is in use, is
// copied into one huge page, which then takes the place of the files. A fork copies one entry for
// it, and reads it without a fault.
//
// Code, constants and data of small libraries share such a page, so it is readable, writable and
// executable. As in mappings.hpp, that gives up hardening inside a process whose user runs any code
// already, and none of the walls around it (docs/decisions/0015-what-a-create-costs.md).
//
// Runs once, before the first fork, in a process with one thread. Takes at most a sixteenth of the
// machine's memory. Where there are no huge pages everything stays as it is.

namespace atl::guest {

// How many huge pages were made.
int gather_libraries() noexcept;

}  // namespace atl::guest
