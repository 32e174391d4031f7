#pragma once
// Where a running server can be asked by commands on the same data folder.
#include <cstddef>
#include <string>

namespace atl::main {

inline constexpr std::size_t kSocketPathBytesMax = 108;  // sockaddr_un's

[[nodiscard]] inline std::string control_socket(const std::string& data_folder) {
    return data_folder + "/control.sock";
}

}  // namespace atl::main
