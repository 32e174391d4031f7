#include "guest/archive/temporary_name.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <random>

namespace atl::archive {

std::string temporary_name() {
    static std::random_device random;
    std::array<char, 40> name{};
    std::snprintf(name.data(), name.size(), ".atoll-unpack-%08x%08x", random(), random());
    return name.data();
}

}  // namespace atl::archive
