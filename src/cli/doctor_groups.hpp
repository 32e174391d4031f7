#pragma once
// The parts of the doctor's examination, one function a group; doctor.cpp puts them together.
#include "cli/doctor.hpp"
#include "runtimes/native/paths.hpp"
#include "sys/cgroup.hpp"

#include <optional>

namespace atl::cli {

using Checks = std::vector<Check>;

[[nodiscard]] Checks examine_kernel();
[[nodiscard]] Checks examine_limits(const sys::CgroupHost& cgroups);
[[nodiscard]] Checks examine_resources(const std::string& data_folder);
[[nodiscard]] Checks examine_hardening();
[[nodiscard]] Checks examine_parts(const std::optional<native::Paths>& paths,
                                   const std::string& why_not);
[[nodiscard]] Checks examine_neighbours();

// A kernel setting without its line end; empty when there is none.
[[nodiscard]] std::string setting_of(const std::string& path);
// The full path of a program on PATH, or empty.
[[nodiscard]] std::string program_on_path(const std::string& name);

}  // namespace atl::cli
