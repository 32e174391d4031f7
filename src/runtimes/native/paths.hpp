#pragma once
// Where Atoll keeps things on this host, and where its own parts are.
#include "base/result.hpp"

#include <string>

namespace atl::native {

struct Paths {
    std::string data;   // templates and, later, sessions: /var/lib/atoll or ~/.local/share/atoll
    std::string guest;  // libatoll_guest.so, atoll-guest, atoll-archive, python/, typescript/
    std::string run;    // locks of what lives now

    [[nodiscard]] std::string templates() const { return data + "/templates"; }

    // The data folder as ATOLL_DATA_DIR or this user's default has it; makes nothing.
    [[nodiscard]] static std::string data_folder();
    // From ATOLL_DATA_DIR and the place of this binary. Makes the folders.
    [[nodiscard]] static Result<Paths> find();
};

// Where the parts appear inside a sandbox.
inline constexpr const char* kGuestInside = "/opt/atoll/guest";
inline constexpr const char* kEnvironmentInside = "/opt/atoll/env";
inline constexpr const char* kAllKeptInside = "/opt/atoll/sessions";
inline constexpr const char* kAllShownInside = "/opt/atoll/shown";
inline constexpr const char* kTemplateInside = "/opt/atoll/template";

}  // namespace atl::native
