#pragma once
// Assertions that are also checked in release builds.
//
//     must(running_ == 0, "a scope ends with work under way");
//
// For programming errors only. What a client, a guest or the system can cause is an Error.
// A failed assertion ends the process, with its sentence and location on stderr: the data on disk
// is consistent, and continuing could corrupt it.
#include <boost/assert/source_location.hpp>
#include <cstdio>
#include <cstdlib>

namespace atl {

inline void must(bool holds, const char* rule,
                 const boost::source_location& where = BOOST_CURRENT_LOCATION) noexcept {
    if (holds) [[likely]]
        return;
    std::fprintf(stderr, "atoll: this must not be: %s (%s:%u)\n", rule, where.file_name(),
                 static_cast<unsigned>(where.line()));
    std::abort();
}

}  // namespace atl
