#pragma once
// A single sandbox without a zygote: walls, then atoll-guest, which starts programs.
//
// For `atoll run` when no server is there: it costs the interpreter's own start and a few
// milliseconds, and leaves nothing behind.
#include "core/runtime.hpp"
#include "runtimes/native/paths.hpp"
#include "runtimes/native/template.hpp"
#include "sys/cgroup.hpp"

namespace atl::native {

// `host` must outlive the sandbox. The guest's hello has not been read yet.
[[nodiscard]] Result<std::unique_ptr<core::Sandbox>> raise_direct(const Paths& paths,
                                                                  const sys::CgroupHost& host,
                                                                  const Template& from,
                                                                  const core::SandboxSpec& spec);

[[nodiscard]] sys::CgroupLimits cgroup_limits(const core::Limits& limits);

}  // namespace atl::native
