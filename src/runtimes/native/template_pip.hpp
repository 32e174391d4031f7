#pragma once
// What a template's environment has in addition to its packages, so that sessions can use pip.
//
// The environment is read-only and shared. A session's packages lie below its home; the guest's
// Python knows where, and how to call pip (guest/python/atoll_guest/packages.py, pip_command.py).
// The files here only lead there, so that a template need not be built again when those change.
#include <string>
#include <vector>

namespace atl::native {

struct EnvironmentFile {
    std::string path;  // relative to the environment
    std::string text;
    bool program = false;
};
// `packages` is the folder of installed packages, relative to the environment.
[[nodiscard]] std::vector<EnvironmentFile> session_package_files(const std::string& packages);

}  // namespace atl::native
