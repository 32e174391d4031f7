#pragma once
// Arguments and environments as execve takes them. Made before a fork, since the child may not
// allocate; valid as long as the texts are.
#include <string>
#include <vector>

namespace atl::native {

[[nodiscard]] inline std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (const auto& text : texts) result.push_back(const_cast<char*>(text.c_str()));
    result.push_back(nullptr);
    return result;
}

}  // namespace atl::native
