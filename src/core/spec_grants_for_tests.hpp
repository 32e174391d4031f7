#pragma once
// Grants for tests, which stand in for whoever may decide about the host's files. The product never
// includes this: tests/style looks.
#include "core/spec.hpp"

#include <utility>

namespace atl::core {

class GrantsForTests {
public:
    [[nodiscard]] static GrantedMount mount(Mount mount) { return GrantedMount(std::move(mount)); }
    [[nodiscard]] static GrantedFolder folder(std::string path) {
        return GrantedFolder(std::move(path));
    }
};

}  // namespace atl::core
