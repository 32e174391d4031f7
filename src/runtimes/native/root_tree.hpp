#pragma once
// The file system that a sandbox sees, as a plan: system trees of the host read-only, an /etc of
// our own, a handful of devices, and the folders that the inner walls fill.
#include "core/spec.hpp"
#include "runtimes/native/enclosure.hpp"
#include "runtimes/native/paths.hpp"
#include "runtimes/native/template.hpp"

namespace atl::native {

void plan_root(Plan& plan, const Paths& paths, const Template& from);

// The environment that programs and kernels get before anything of the caller's.
[[nodiscard]] std::map<std::string, std::string> base_environment(const Template& from);

}  // namespace atl::native
