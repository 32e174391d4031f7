#pragma once
// The inner walls: what makes one sandbox of the read-only tree that the enclosure prepared.
//
// The enclosure (src/runtimes/native/enclosure.hpp) has pivoted into a minimal root with nothing of
// the host in it but read-only system trees. Here each sandbox gets its own scratch space with a
// quota, its own /proc, terminals, host name and loopback.
// Runs in PID 1 of the sandbox, as root of its user namespace, before any untrusted byte.
#include "guest/lib/surroundings.hpp"
#include "sys/step.hpp"

#include <string>

namespace atl::guest {

// Takes the scratch space's descriptor into `surroundings`.
bool raise_inner_walls(Surroundings& surroundings, const std::string& hostname,
                       sys::StepFailure& failure);

// Puts a session's folders on disk in the place of the scratch space's: `tree_fd` is a mount of the
// folder that holds them (session, data, work, home).
bool show_kept_folders(int tree_fd, Surroundings& surroundings, sys::StepFailure& failure);
// A mount of one session's folder, where the nest has all of them; or -1 with errno.
int kept_folder_named(const Surroundings& surroundings, const std::string& name);
// The same of what is shown read-only to those who ask for it.
int shown_folder_named(const Surroundings& surroundings, const std::string& name);
// Before anything of somebody's: PID 1 must not hold the folder of all sessions beside untrusted
// code, whatever keeps that code from it otherwise.
void forget_other_sessions(Surroundings& surroundings);

// A path relative to the root of the scratch space; empty if it is not inside.
std::string place_in_scratch(const std::string& path);

// Where untrusted code may write: the folders of the scratch space and terminals. Not /proc: a
// process that lowered its own oom_score_adj would have PID 1 killed in its place. Null-terminated,
// as sys::make_landlock_ruleset wants it.
extern const char* const kWritable[];

}  // namespace atl::guest
