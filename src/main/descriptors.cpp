#include "main/descriptors.hpp"

#include <algorithm>
#include <sys/resource.h>

namespace atl::main {

namespace {

constexpr std::uint64_t kConnectionsMost = 4096;  // unless somebody asks for more
constexpr std::uint64_t kOwnMost = 8192;          // what the server's own work is sure of
// Some machines have hard limits beyond all reason, and tables grow with the numbers in use.
constexpr std::uint64_t kFilesMost = 1u << 20;
constexpr std::uint64_t kLeast = 4;

}  // namespace

std::uint64_t raise_open_files() noexcept {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 1024;
    const auto wanted = std::min<rlim_t>(files.rlim_max, kFilesMost);
    if (files.rlim_cur >= wanted) return std::min<std::uint64_t>(files.rlim_cur, kFilesMost);
    const rlimit raised{wanted, files.rlim_max};
    return ::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? wanted : files.rlim_cur;
}

Result<DescriptorPlan> plan_descriptors(std::uint64_t files, const SettingsInForce& settings) {
    const auto& values = settings.values;
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
