#pragma once
// The folders and locks of templates: who may build, who is using, what may be swept away.
//
//     NAME             a link to the build that is current; replaced in one step
//     .built-NAME-N    builds: the current one, and older ones that running sandboxes still use
//     .partial-NAME    a build under way
//
// Two locks, both freed by the kernel when their holder dies: one a name, for building and
// removing; one a build, shared by its users.
#include "base/fd.hpp"
#include "base/result.hpp"
#include "runtimes/native/paths.hpp"

#include <string>

namespace atl::native {

inline constexpr const char* kAskedFile = "template.json";
inline constexpr const char* kBuiltFile = "built.json";

// Where the current build really lies, so that a path stays what it was when the next one comes.
// Empty when there is none.
[[nodiscard]] std::string current_build(const Paths& paths, const std::string& name);
[[nodiscard]] std::string partial_folder(const Paths& paths, const std::string& name);

// Conflict when another process builds or removes the same name. Never waits.
[[nodiscard]] Result<UniqueFd> lock_build(const Paths& paths, const std::string& name);
// LOCK_SH to use a build, LOCK_EX to be its only user. Empty when it cannot be had.
[[nodiscard]] UniqueFd lock_use(const std::string& folder, int how);

// These three under lock_build only.
// The partial folder becomes the current build.
[[nodiscard]] Result<void> publish(const Paths& paths, const std::string& name);
[[nodiscard]] Result<void> withdraw(const Paths& paths, const std::string& name);
// Removes what is half-made, and builds that are neither current nor used.
void sweep(const Paths& paths, const std::string& name);

}  // namespace atl::native
