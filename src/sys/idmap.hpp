#pragma once
// Mounts whose files appear under other owners (Linux 5.12, "idmapped mounts").
//
// A folder of the host's user shows inside as the sandbox user's own: no chown, no copy, and what
// is written inside belongs to the folder's owner outside. Needs root.
#include "base/fd.hpp"
#include "base/result.hpp"

#include <compare>
#include <cstdint>
#include <string>

namespace atl::sys {

struct IdShift {
    std::uint32_t uid_on_disk = 0, gid_on_disk = 0;
    std::uint32_t uid_shown = 0, gid_shown = 0;  // as the host counts them

    auto operator<=>(const IdShift&) const = default;
};

// A user namespace that exists only to carry a map: its one process waits until we have a
// descriptor of the namespace, and ends. To be used for any number of mounts.
[[nodiscard]] Result<UniqueFd> make_shift(const IdShift& shift);

// A detached mount of `source`, no set-user-id, no devices. Where the file system knows no id maps
// the mount comes without one: what everybody may read can still be read.
[[nodiscard]] Result<UniqueFd> make_shifted_mount(const std::string& source, bool writable,
                                                  int shift_fd);

}  // namespace atl::sys
