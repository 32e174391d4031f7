#include "runtimes/native/direct.hpp"

#include "runtimes/native/enclosure.hpp"
#include "runtimes/native/guest_config.hpp"
#include "runtimes/native/root_tree.hpp"
#include "runtimes/native/sandbox.hpp"
#include "runtimes/native/slots.hpp"
#include "sys/files.hpp"
#include "sys/idmap.hpp"
#include "sys/seccomp/policy.hpp"

#include <boost/json/serialize.hpp>
#include <filesystem>
#include <optional>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::native {

namespace fs = std::filesystem;

namespace {

constexpr int kStreamInside = 3;

Result<UniqueFd> memory_file(const std::string& content) {
    UniqueFd file(::memfd_create("atoll-config", MFD_CLOEXEC));
    if (file.get() < 0) return sys::errno_error("make a memory file");
    if (::write(file.get(), content.data(), content.size()) !=
        static_cast<ssize_t>(content.size())) {
        return sys::errno_error("write a memory file");
    }
    return file;
}

// The caller's own trees. When root, their owner appears as the sandbox's user.
Result<void> plan_mounts(Plan& plan, const core::SandboxSpec& spec, std::vector<UniqueFd>& held) {
    for (const auto& mount : spec.mounts()) {
        struct stat info {};
        if (::stat(mount.source.c_str(), &info) != 0) {
            return sys::errno_error("mount " + mount.source, Code::NotFound);
        }
        std::error_code failed;
        const std::string source = fs::canonical(mount.source, failed).string();
        Tree tree{source, mount.target, mount.writable, false, false, -1};
        if (!plan.ids.single()) {
            const std::uint32_t shown = plan.ids.outside + kUserInside;
            auto shift = sys::make_shift({info.st_uid, info.st_gid, shown, shown});
            if (!shift) return shift.error().during("show " + source + " inside");
            auto made = sys::make_shifted_mount(source, mount.writable, shift->get());
            if (!made) return made.error();
            tree.mount_fd = made->get();
            held.push_back(std::move(*made));
        }
        plan.trees.push_back(std::move(tree));
    }
    return {};
}

}  // namespace

sys::CgroupLimits cgroup_limits(const core::Limits& limits) {
    return {limits.memory_bytes_max, limits.processes_max, limits.cpus_max};
}

Result<std::unique_ptr<core::Sandbox>> raise_direct(const Paths& paths, const sys::CgroupHost& host,
                                                    const Template& from,
                                                    const core::SandboxSpec& spec) {
    const bool root = ::geteuid() == 0;
    Plan plan;
    std::shared_ptr<IdBlock> block;
    if (root) {
        auto taken = IdBlock::take_single(paths.run);
        if (!taken) return taken.error();
        block = std::make_shared<IdBlock>(std::move(*taken));
        plan.ids = {0, block->first_id(), kIdsASlot, 0};
    } else {
        plan.ids = {kUserInside, ::geteuid(), 1, ::getegid()};
    }
    plan_root(plan, paths, from);
    std::vector<UniqueFd> held;
    // The caller's trees go on top of scratch folders that do not exist yet, so the guest attaches
    // them; here they wait at a place of their own.
    Plan callers;
    callers.ids = plan.ids;
    if (auto planned = plan_mounts(callers, spec, held); !planned) return planned.error();
    boost::json::array waiting;
    for (std::size_t i = 0; i < callers.trees.size(); ++i) {
        Tree tree = callers.trees[i];
        const std::string path = "/opt/atoll/mounts/" + std::to_string(i);
        waiting.push_back({{"from", path}, {"to", tree.target}});
        std::error_code failed;
        const bool folder = fs::is_directory(tree.source, failed);
        if (i == 0) plan.entries.push_back({Entry::Kind::Folder, "/opt/atoll/mounts", "", 0755});
        plan.entries.push_back(
            {folder ? Entry::Kind::Folder : Entry::Kind::File, path, "", folder ? 0755u : 0644u});
        tree.target = path;
        plan.trees.push_back(std::move(tree));
    }

    auto user_filter = sys::compile_filter(sys::Profile::User);
    if (!user_filter) return user_filter.error();
    auto guest_filter = sys::compile_filter(sys::Profile::Guest);
    if (!guest_filter) return guest_filter.error();
    plan.filter = std::move(*guest_filter);

    auto environment = base_environment(from);
    for (const auto& [name, value] : spec.environment()) environment[name] = value;
    boost::json::object variables;
    for (const auto& [name, value] : environment) variables[name] = value;
    const bool watch_memory = host.version == sys::CgroupHost::Version::None;
    auto config = memory_file(boost::json::serialize(
        boost::json::object{{"limits", guest_limits(spec.limits(), watch_memory)},
                            {"user", guest_user(root)},
                            {"env", std::move(variables)},
                            {"mounts", std::move(waiting)},
                            {"hostname", spec.hostname()},
                            {"filter", hex(*user_filter)}}));
    if (!config) return config.error();

    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return sys::errno_error("make a stream to the guest");
    }
    UniqueFd ours(ends[0]), theirs(ends[1]);
    plan.descriptors = {{theirs.get(), kStreamInside}, {config->get(), kConfigInside}};
    plan.argv = {std::string(kGuestInside) + "/atoll-guest", "guest", std::to_string(kStreamInside),
                 std::to_string(kConfigInside)};

    const SandboxId id = new_sandbox_id();
    auto cgroup = sys::Cgroup::create(host, id.text());
    if (!cgroup) return cgroup.error();
    if (auto set = cgroup->set_limits(cgroup_limits(spec.limits())); !set) {
        cgroup->remove();
        return set.error();
    }
    auto doors = cgroup->doors();
    if (!doors) {
        cgroup->remove();
        return doors.error();
    }
    for (const auto& door : *doors) plan.cgroup_doors.push_back(door.get());
    auto enclosure = raise_enclosure(plan);
    if (!enclosure) {
        cgroup->remove();
        return enclosure.error();
    }
    Remains parts{std::move(enclosure->pidfd), enclosure->pid, plan.ids.outside, true,
                  std::move(*cgroup),          [block] {}};
    // Before any untrusted code runs: the guest starts nothing until it is asked to.
    if (doors->empty()) {
        if (auto added = parts.cgroup.add(enclosure->pid); !added) {
            parts.kill();
            parts.bury();
            return added.error();
        }
    }
    return std::unique_ptr<core::Sandbox>(std::make_unique<NativeSandbox>(
        id, std::move(ours), false, std::move(parts), [](Remains remains) { remains.bury(); }));
}

}  // namespace atl::native
