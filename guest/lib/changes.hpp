#pragma once
// The operation file.changes: which files below some folders have changed, told when asked.
//
//     {"op": "file.changes", "paths": [...], "live": [...]}     then, as often as needed:
//     {"do": "begin"}   forgets what was, and looks from now on
//     {"do": "tell"}    events `changes {entries}`, then `told {complete}`
//
// Many writes to a file are one change, and a file that came and went is none. Below `live` a file
// that was written to its end is told at once, as `artifact`. Changes are gathered from inotify a
// few times a second rather than at each write, so that a program that writes much does not wake
// PID 1 as often. The inotify instance, of which a user has 128, is given back some seconds after
// the last run. Where there is none to be had, files are looked at when a run begins and when it is
// told of, and none is told at once. What is mounted below the folders is not looked at: data sets
// are read-only, and may be huge.
#include "guest/lib/operation.hpp"

#include <memory>

namespace atl::guest {

[[nodiscard]] std::unique_ptr<Operation> begin_changes(HostLink& link, std::uint32_t channel,
                                                       const json::object& request);

}  // namespace atl::guest
