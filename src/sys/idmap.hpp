#pragma once
// Mounts whose files appear under other owners (Linux 5.12, "idmapped mounts").
//
// A folder of the host's user shows inside as the sandbox user's own: no chown, no copy, and what
// is written inside belongs to the folder's owner outside. Needs root.
#include "base/fd.hpp"
#include "base/result.hpp"

#include <cstdint>
#include <string>

namespace atl::sys {

struct IdShift {
    std::uint32_t uid_on_disk = 0, gid_on_disk = 0;
    std::uint32_t uid_shown = 0, gid_shown = 0;  // as the host counts them
};

// A detached mount of `source`, no set-user-id, no devices. Where the file system knows no id maps
// the mount comes without one: what everybody may read can still be read.
[[nodiscard]] Result<UniqueFd> make_shifted_mount(const std::string& source, bool writable,
                                                  const IdShift& shift);

}  // namespace atl::sys
