#include "main/descriptors.hpp"

#include <algorithm>

namespace atl::main {

namespace {

constexpr std::uint64_t kConnectionsMost = 4096;  // unless somebody asks for more
constexpr std::uint64_t kOwnMost = 8192;          // what the server's own work is sure of
constexpr std::uint64_t kLeast = 4;
// A sandbox is built with descriptors from 512 on; below that, nothing but an odd error would come.
constexpr std::uint64_t kFilesLeast = 640;

}  // namespace

Result<DescriptorPlan> plan_descriptors(std::uint64_t files, const SettingsInForce& settings) {
    const auto& values = settings.values;
    if (files < kFilesLeast) {
        return Error{Code::InvalidArgument,
                     "this process may open " + std::to_string(files) + " files, and needs " +
                         std::to_string(kFilesLeast) +
                         " at least; raise the limit (ulimit -Hn, LimitNOFILE=)"};
    }
    const auto end = std::max(files - std::min(files / 4, kOwnMost), kLeast);
    const auto connections =
        values.connections_max.value_or(std::clamp(files / 2, kLeast, kConnectionsMost));
    if (connections > end) {
        return Error{Code::InvalidArgument,
                     "http.connections (" + settings.from.at("http.connections") +
                         "): " + std::to_string(connections) +
                         " is too many, because this process may "
                         "open " +
                         std::to_string(files) + " files, and " + std::to_string(files - end) +
                         " of them are kept for sandboxes and files; raise the limit (ulimit -Hn, "
                         "LimitNOFILE=), or set " +
                         std::to_string(end) + " or less"};
    }
    DescriptorPlan plan;
    plan.connections_max = connections;
    plan.connections_per_address_max =
        values.connections_per_address_max.value_or(std::max(connections / 4, kLeast));
    plan.connections_end = static_cast<int>(end);
    return plan;
}

}  // namespace atl::main
