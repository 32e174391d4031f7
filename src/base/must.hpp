#pragma once
// What must hold, checked where it would go wrong; release builds keep it.
//
//     must(running_ == 0, "a scope ends with work under way");
//
// For mistakes of ours alone. What a client, a guest or the system can cause is an Error.
// A broken rule ends the process with its sentence and place on stderr: what is on disk is whole,
// and going on would write what nobody can trust.
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
